// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The library imports a handful of small standard packages, and none of the large
// ones, directly or through another.
func TestImports(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err) // as in WebAssembly, where nothing can be run
	}
	out, err := exec.Command("go", "list", "-deps", ".", "./lifecycle").Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("no go command here")
	}
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	for _, heavy := range []string{
		"fmt", "reflect", "regexp", "encoding/json", "log", "log/slog", "net", "context", "os",
	} {
		if slices.Contains(deps, heavy) {
			t.Errorf("the package depends on %s", heavy)
		}
	}
	for _, dep := range deps {
		if strings.Contains(dep, ".") && !strings.HasPrefix(dep, "github.com/seed-0529bac1/taints") {
			t.Errorf("the package depends on %s, outside the standard library", dep)
		}
	}
}

// What the examples could be imported for is internal, so that nobody comes to
// depend on it.
func TestExamplesCannotBeImported(t *testing.T) {
	err := filepath.WalkDir("examples", func(path string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() && (entry.Name() == "internal" || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
		if err == nil && file.Name.Name != "main" {
			t.Errorf("%s is of package %s, not of a program, and not internal", path, file.Name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
