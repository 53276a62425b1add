// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/internal/test/golden"
)

// packages maps files in docs/api to the folders that other projects import.
var packages = map[string]string{
	"taints": ".", "nodeindex": "nodeindex", "explain": "explain", "tolerationset": "tolerationset",
	"lifecycle": "lifecycle", "kube": "kube", "nodestate": "kube/nodestate", "dra": "dra",
}

// The exported declarations are those in docs/api, so that every change is
// noticed. After the first release, no line may be removed; -update adds lines.
func TestExported(t *testing.T) {
	for name, dir := range packages {
		exports, err := exportsOf(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		golden.CompareFile(t, filepath.Join(root, "docs", "api", name+".txt"), exports)
	}
}

// hidden matches a method of a type that is not exported.
var hidden = regexp.MustCompile(`^func \((\w+ )?\*?[a-z]\w*[\[)]`)

// exportsOf returns the exported declarations of the package in the folder, sorted by
// their text, without comments and bodies.
func exportsOf(dir string) (string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s: %w", dir, fs.ErrNotExist)
	}
	if err != nil {
		return "", err
	}
	var list []string
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution) // without comments
		if err != nil {
			return "", err
		}
		ast.FileExports(file)
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				d.Body = nil
			case *ast.GenDecl:
				if d.Tok == token.IMPORT {
					continue
				}
			}
			var b bytes.Buffer
			if err := format.Node(&b, fset, decl); err != nil {
				return "", err
			}
			if !hidden.MatchString(b.String()) {
				list = append(list, strings.ReplaceAll(b.String(), "\n\n", "\n")+"\n")
			}
		}
	}
	slices.Sort(list)
	return strings.Join(list, ""), nil
}

// The library imports a handful of small standard packages, and none of the
// large ones, directly or indirectly.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", root, root+"/explain", root+"/lifecycle", root+"/nodeindex", root+"/tolerationset").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	for _, heavy := range []string{
		"fmt", "reflect", "regexp", "encoding/json", "log", "log/slog", "net", "context", "os",
	} {
		if slices.Contains(deps, heavy) {
			t.Errorf("the library depends on %s", heavy)
		}
	}
	for _, dep := range deps {
		if strings.Contains(dep, ".") && !strings.HasPrefix(dep, "github.com/seed-0529bac1/taints") {
			t.Errorf("the library depends on %s, outside the standard library", dep)
		}
	}
}
