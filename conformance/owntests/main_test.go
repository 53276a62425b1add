// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const packageText = `package p

import (
	"fmt"
	"strings"

	other "example.com/kubernetes/other"
)

// Decide decides.
func Decide(s string) bool {
	s = strings.TrimSpace(s)
	return s != ""
}

// T is a type.
type T struct{}

func (t *T) Decide(s string) bool {
	x := Decide(s)
	return x && other.Asks(s)
}

func help(s string) bool {
	fmt.Println(s)
	return s == ""
}
`

const goodShim = `package p

import "github.com/seed-0529bac1/taints"

func Decide(s string) bool { return taints.IsExtendedResourceName(s) }

func (t *T) Decide(s string) bool {
	help(s)
	return Decide(s)
}
`

// writePackage writes the package to a new folder and returns the folder.
func writePackage(t *testing.T, text string) string {
	dir := t.TempDir()
	if err := writeFile(filepath.Join(dir, "p.go"), []byte(text)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func applied(t *testing.T, dir, text string) (change, error) {
	s, err := parseShim("example.com/p", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.apply(dir)
}

func TestApply(t *testing.T) {
	dir := writePackage(t, packageText)
	got, err := applied(t, dir, goodShim)
	if err != nil || !slices.Equal(got.replaced, []string{"Decide", "T.Decide"}) {
		t.Fatalf("replaced %v, %v", got.replaced, err)
	}
	if got.cut != 8 || got.shim != 5 {
		t.Errorf("%d lines were cut for %d, want 8 for 5", got.cut, got.shim)
	}
	text, err := os.ReadFile(filepath.Join(dir, "p.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\t_ \"strings\"\n", "\t_ \"example.com/kubernetes/other\"\n", "\t\"fmt\"\n",
		"// T is a type.\ntype T struct{}", "func help(",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, gone := range []string{"Decide", "TrimSpace", "Asks"} {
		if strings.Contains(string(text), gone) {
			t.Errorf("still %q in\n%s", gone, text)
		}
	}
	shim, err := os.ReadFile(filepath.Join(dir, "zz_owntests_shim.go"))
	if err != nil || !strings.Contains(string(shim), `owntestsReach("example.com/p.T.Decide");`) {
		t.Errorf("%v, the shim became\n%s", err, shim)
	}
	for _, name := range []string{"p.go", "zz_owntests_shim.go", "zz_owntests_reach.go"} {
		if _, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, 0); err != nil {
			t.Error(err)
		}
	}
}

// A shim is rejected if the library does not decide in it.
func TestRefused(t *testing.T) {
	const begin = "package p\n\nimport \"github.com/seed-0529bac1/taints\"\n\n"
	const calls = "\nfunc (t *T) Decide(s string) bool { return taints.IsExtendedResourceName(s) }\n"
	for name, test := range map[string]struct{ text, shim, want string }{
		"without the library": {
			packageText,
			begin + `func Decide(s string) bool { return s != "" }` + calls,
			"Decide does not call the library",
		},
		"with the body that was": {
			packageText,
			begin + `func Decide(s string) bool { return was(s) && taints.IsExtendedResourceName(s) }

func was(s string) bool {
	// in other words
	s = strings.TrimSpace(s)
	return s != ""
}` + calls,
			"was has the body of the package's Decide",
		},
		"of nothing":                  {"package p\n", goodShim, "it replaces nothing"},
		"that removes what is absent": {packageText, goodShim + "\n//owntests:removes absent\n", "no absent to remove"},
	} {
		dir := writePackage(t, test.text)
		_, err := applied(t, dir, test.shim)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("a shim %s: %v, want %q", name, err, test.want)
		}
		if text, _ := os.ReadFile(filepath.Join(dir, "p.go")); string(text) != test.text {
			t.Errorf("a shim %s: the package was changed", name)
		}
	}
}

func TestTable(t *testing.T) {
	const pkg = "k8s.io/kubectl/pkg/cmd/taint"
	fault := []string{"    a_test.go:1: wrong\n"}
	of := func(failed []string, output map[string][]string) (string, bool) {
		var b strings.Builder
		var x summary
		x.add(&result{
			pkg:      pkg,
			passed:   []string{"TestA", "TestB"},
			failed:   failed,
			output:   output,
			finished: true,
			reached:  []string{pkg + ".f", "other.g"},
		}, change{replaced: []string{"f", "h"}, cut: 7, shim: 3})
		ok := x.write(&b)
		return b.String(), ok
	}
	text, ok := of([]string{"TestReorganizeTaints"}, map[string][]string{"TestReorganizeTaints": fault})
	if !ok || !strings.Contains(text, "| "+pkg+" | 2        | 1       | 1             | 7         | 3                 | 2      | 1                    | 0                |") ||
		!strings.Contains(text, "TestDifferenceOrderOfTaints") {
		t.Errorf("%v, got\n%s", ok, text)
	}
	var nothing summary
	nothing.add(&result{pkg: "p", passed: []string{"TestA"}, finished: true}, change{replaced: []string{"f"}})
	if nothing.write(io.Discard) {
		t.Error("tests that call no replaced function are no fault")
	}
	for name, test := range map[string]struct {
		failed []string
		output map[string][]string
		want   string
	}{
		"undocumented": {
			[]string{"TestReorganizeTaints", "TestC"},
			map[string][]string{"TestReorganizeTaints": fault},
			"TestC fails",
		},
		"more of the test": {
			[]string{"TestReorganizeTaints"},
			map[string][]string{"TestReorganizeTaints": append(fault, fault...)},
			"with 2 faults, 1 of them documented",
		},
		"documented, passes": {nil, nil, "passes or does not exist"},
	} {
		if text, ok := of(test.failed, test.output); ok || !strings.Contains(text, test.want) {
			t.Errorf("%s: %v, got\n%s", name, ok, text)
		}
	}
}

func TestCount(t *testing.T) {
	x := &result{}
	x.count(map[string]string{
		"A": "fail", "A/x": "pass", "A/y": "fail", "B": "pass", "C": "pass", "C/x": "skip",
		"D": "fail", "D/x": "pass",
	})
	if !slices.Equal(x.failed, []string{"A/y", "D"}) || !slices.Equal(x.passed, []string{"A/x", "B", "D/x"}) ||
		x.skipped != 1 {
		t.Errorf("failed %v, passed %v, skipped %d", x.failed, x.passed, x.skipped)
	}
}
