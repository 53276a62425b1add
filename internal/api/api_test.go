// SPDX-License-Identifier: Apache-2.0

package api

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files in the folder api")

const root = "../.."

// packages holds the folders of what other projects import. Those that are
// frozen lose no line after the first release.
var packages = []struct {
	name, dir string
	frozen    bool
}{
	{"taints", ".", true},
	{"nodeindex", "nodeindex", true},
	{"explain", "explain", true},
	{"tolerationset", "tolerationset", true},
	{"lifecycle", "lifecycle", true},
	{"kube", "kube", false},
	{"dra", "dra", false},
}

// What is exported is what the folder api says, so that no change of it goes
// unnoticed.
func TestExported(t *testing.T) {
	if *update {
		for _, p := range packages {
			if err := rewrite(p.name, p.dir, p.frozen && released(t)); err != nil {
				t.Error(err)
			}
		}
	}
	for _, p := range packages {
		now, err := Lines(filepath.Join(root, p.dir))
		if err != nil {
			t.Fatal(err)
		}
		before, err := read(p.name)
		if err != nil {
			t.Fatal(err)
		}
		gone, added := differences(before, now)
		for _, line := range gone {
			t.Errorf("%s: gone or changed, which never happens to a released name: %s", p.name, line)
		}
		for _, line := range added {
			t.Errorf("%s: not in api/%s.txt: %s", p.name, p.name, line)
		}
		if len(gone)+len(added) > 0 {
			t.Error("put back what is gone; an addition is written down by: go test ./internal/api -update")
		}
	}
}

func file(name string) string { return filepath.Join(root, "api", name+".txt") }

func read(name string) ([]string, error) {
	text, err := os.ReadFile(file(name))
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), err
}

// rewrite writes the file of the package. If the package is frozen it refuses to
// drop a line.
func rewrite(name, dir string, frozen bool) error {
	now, err := Lines(filepath.Join(root, dir))
	if err != nil {
		return err
	}
	if before, err := read(name); frozen && err == nil {
		if gone, _ := differences(before, now); len(gone) > 0 {
			return fmt.Errorf("api/%s.txt is left as it is, for a released name is gone or changed:\n%s",
				name, strings.Join(gone, "\n"))
		}
	}
	return os.WriteFile(file(name), []byte(strings.Join(now, "\n")+"\n"), 0o666)
}

// released reports whether the changelog names a release of version 1.
func released(t *testing.T) bool {
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(text), "\n## [1.")
}

// differences returns the lines that are only in before, and only in now.
func differences(before, now []string) (gone, added []string) {
	for _, line := range before {
		if !slices.Contains(now, line) {
			gone = append(gone, line)
		}
	}
	for _, line := range now {
		if !slices.Contains(before, line) {
			added = append(added, line)
		}
	}
	return gone, added
}

// linesOf returns the lines of a package of one file.
func linesOf(t *testing.T, source string) ([]string, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	const test = "package p\n\nfunc Tested() {}\n"
	if err := os.WriteFile(filepath.Join(dir, "p_test.go"), []byte(test), 0o666); err != nil {
		t.Fatal(err)
	}
	return Lines(dir)
}

func TestLines(t *testing.T) {
	const source = `package p

type Color uint8

const (
	Red Color = iota
	Green
	hidden
	Untyped = "text"
	Wire Name = "wire"
)

type Name string
type Alias = Name
type Do func(a, b int) (n int, err error)

type Pair[K comparable, V any] struct {
	Key K ` + "`json:\"key\"`" + `
	A, B map[K][]V
	mu int
}

var ErrGone, ErrThere error = nil, nil

func (p *Pair[K, V]) Get(k K) (v V, ok bool) { return }
func (Color) String() string { return "" }
func (h hiddenType) Method() {}
func (Color) private() {}

type hiddenType int

func Map[T any](list []T, f func(x T) (y T), more ...string) {}
func private() {}
`
	want := []string{
		"const Green Color",
		"const Red Color",
		`const Untyped = "text"`,
		`const Wire Name = "wire"`,
		"func Map[T any]([]T, func(T) T, ...string)",
		"method (*Pair[K, V]) Get(K) (V, bool)",
		"method (Color) String() string",
		"type Alias = Name",
		"type Color uint8",
		"type Do func(int, int) (int, error)",
		"type Name string",
		"type Pair[K comparable, V any] struct",
		"type Pair[K comparable, V any] struct, A map[K][]V",
		"type Pair[K comparable, V any] struct, B map[K][]V",
		"type Pair[K comparable, V any] struct, Key K `json:\"key\"`",
		"var ErrGone error",
		"var ErrThere error",
	}
	got, err := linesOf(t, source)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, got\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLinesRefuse(t *testing.T) {
	for _, test := range []struct{ source, says string }{
		{"package p\n\ntype T struct{ error }\n", "embeds"},
		{"package p\n\nvar V = 1\n", "without a type"},
		{"package p\n\nfunc {", "expected"},
	} {
		if _, err := linesOf(t, test.source); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%q: %v", test.source, err)
		}
	}
	if _, err := Lines(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a folder without a package has lines")
	}
}

func TestDifferences(t *testing.T) {
	gone, added := differences([]string{"a", "b", "c"}, []string{"b", "c", "d"})
	if !slices.Equal(gone, []string{"a"}) || !slices.Equal(added, []string{"d"}) {
		t.Errorf("gone %q, added %q", gone, added)
	}
}
