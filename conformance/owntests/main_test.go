// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const packageText = `package p

// Decide decides.
func Decide(s string) bool {
	s = strings.TrimSpace(s)
	return s != ""
}

func (t *T) Decide(s string) bool { return Decide(s) }
`

// A shim is rejected if the library does not decide in it.
func TestApply(t *testing.T) {
	const method = "func (t *T) Decide(s string) bool { return Decide(s) }\n"
	for text, want := range map[string]string{
		`func Decide(s string) bool { return taints.AddExtendedResourceTolerations(nil, s) != nil }` + method: "",
		`func Decide(s string) bool { return s != "" }` + method:                                              "Decide does not call the library",
		`func Decide(s string) bool { return was(s) && taints.AddExtendedResourceTolerations(nil, s) != nil }

func was(s string) bool {
	// in other words
	s = strings.TrimSpace(s)
	return s != ""
}` + method: "was has the body of the package's Decide",
		`func Other(s string) bool { return taints.AddExtendedResourceTolerations(nil, s) != nil }`: "it replaces nothing",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(packageText), 0o600); err != nil {
			t.Fatal(err)
		}
		text = "package p\n\nimport \"github.com/seed-0529bac1/taints\"\n\n" + strings.ReplaceAll(text, "}func", "}\n\nfunc")
		s, err := parseShim("example.com/p", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		names, err := s.apply(dir)
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", text, err, want)
			}
			continue
		}
		if err != nil || len(names) != 2 {
			t.Fatalf("replaced %v, %v", names, err)
		}
		for file, has := range map[string]string{
			"p.go":                 "func (t *T) owntestsOld_Decide(s string) bool",
			"zz_owntests_shim.go":  "{\n\towntestsReach(\"example.com/p.T.Decide\"); return Decide(s) }",
			"zz_owntests_reach.go": "package p\n",
		} {
			if got, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.Contains(string(got), has) {
				t.Errorf("%s does not have %q, %v:\n%s", file, has, err, got)
			}
		}
	}
}

func TestSummary(t *testing.T) {
	const pkg, known = "k8s.io/kubectl/pkg/cmd/taint", "TestReorganizeTaints"
	fieldErr := "    a_test.go:1: wrong\n"
	good := func() *result {
		return &result{
			pkg: pkg, passed: []string{"TestA"}, failed: []string{known}, finished: true,
			output: map[string][]string{known: {fieldErr}}, reached: []string{pkg + ".f", "other.g"},
		}
	}
	for want, change := range map[string]func(*result){
		"| 2        | 1       | 1             | 1      | 1                    | 0                |": func(*result) {},
		"TestC fails":                         func(r *result) { r.failed = append(r.failed, "TestC") },
		"with 2 errors, 1 of them documented": func(r *result) { r.output[known] = []string{fieldErr, fieldErr} },
		"passes or does not exist":            func(r *result) { r.failed = nil },
		"call no function":                    func(r *result) { r.reached = nil },
		"did not come to an end":              func(r *result) { r.finished = false },
		"- " + pkg + " was not tested: the module proxy does not have m@v1": func(r *result) { *r = result{pkg: pkg, lacks: "m@v1"} },
	} {
		r := good()
		change(r)
		var x summary
		x.add(r, []string{"f", "h"})
		var b strings.Builder
		if ok := x.write(&b); ok != (want[0] == '|' || want[0] == '-') || !strings.Contains(b.String(), want) {
			t.Errorf("%v, want %q, got\n%s", ok, want, b.String())
		}
	}
}

func TestCount(t *testing.T) {
	x := &result{}
	x.count(map[string]string{
		"A": "fail", "A/x": "pass", "A/y": "fail", "B": "pass", "C": "pass", "C/x": "skip",
		"D": "fail", "D/x": "pass",
	})
	if !slices.Equal(x.failed, []string{"A/y", "D"}) || !slices.Equal(x.passed, []string{"A/x", "B", "D/x"}) {
		t.Errorf("failed %v, passed %v", x.failed, x.passed)
	}
}
