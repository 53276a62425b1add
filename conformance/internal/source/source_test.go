// SPDX-License-Identifier: Apache-2.0

package source

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestDeclarations(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go": `package p

// F decides.
func F() bool { return true } // always

func (*T[K]) Of() {}

func (t *Taint) Is() {}

type Taint struct {
	Key string // or none
}

const A, B = 1, 2
`,
		"a_test.go":                "package p\n\nfunc G() {}\n",
		"zz_generated.deepcopy.go": "package p\n\nfunc H() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Declarations(dir)
	if err != nil {
		t.Fatal(err)
	}
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, []string{"A", "B", "F", "Of", "Taint", "Taint.Is"}) {
		t.Errorf("%q", names)
	}
	if got["F"] != "func F() bool {\n\treturn true\n}" || got["Taint"] != "Taint struct{ Key string }" || got["B"] != "A, B = 1, 2" {
		t.Errorf("%q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.go"), []byte("package"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Declarations(dir); err == nil {
		t.Error("a file that does not parse is no error")
	}
	if got, err := Declarations(filepath.Join(dir, "none")); err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
}
