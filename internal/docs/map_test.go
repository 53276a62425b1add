// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/internal/markdown"
)

// The drawing in CONTRIBUTING.md has every file of the root package, and no other,
// and every package and module that others import.
func TestMapOfFiles(t *testing.T) {
	_, drawing, _ := strings.Cut(read(t, "CONTRIBUTING.md"), "\n```\ndoc ")
	drawing, _, _ = strings.Cut(drawing, "```")
	above, below, ok := strings.Cut("doc "+drawing, "\n\n")
	if !ok {
		t.Fatal("no drawing")
	}
	drawn := drawnIn(above)
	for _, file := range sources(t, ".") {
		if name := strings.TrimSuffix(filepath.Base(file), ".go"); !slices.Contains(drawn, name) {
			t.Errorf("%s is not in the drawing", file)
		}
	}
	for _, name := range drawn {
		if !exists(name + ".go") {
			t.Errorf("the drawing has %s.go, which is not there", name)
		}
	}
	folders := regexp.MustCompile(`(?m)(?:^|  )(\w+)/`).FindAllStringSubmatch(below, -1)
	for _, m := range folders {
		if !exists(m[1]) {
			t.Errorf("the drawing has %s/, which is not there", m[1])
		}
	}
	for _, name := range []string{"nodeindex", "explain", "tolerationset", "lifecycle", "kube", "dra"} {
		if !slices.ContainsFunc(folders, func(m []string) bool { return m[1] == name }) {
			t.Errorf("%s/ is not in the drawing", name)
		}
	}
}

// drawnIn returns the names in the drawing. What they are for comes after them, with
// more than two spaces between.
func drawnIn(text string) (names []string) {
	for _, line := range lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "   ")
		for _, name := range strings.Fields(line) {
			if name != "|" {
				names = append(names, name)
			}
		}
	}
	return names
}

// sources returns the files of the package in the folder, without its tests.
func sources(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s, %v", folder, err)
	}
	return slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
}

// The table in CONTRIBUTING.md that says where a new rule goes names what is in
// these files.
func TestMapOfRules(t *testing.T) {
	places := regexp.MustCompile(
		"((?:`\\w+`(?:, | and )?)+) (?:\\(([\\w/]+\\.go)\\)|in `([\\w/]+(?:\\.go)?)`)",
	)
	found := 0
	for _, row := range table(t, "CONTRIBUTING.md", "How to add or change a rule").Rows {
		for _, m := range places.FindAllStringSubmatch(row.Line, -1) {
			declared := declaredIn(t, m[2]+m[3])
			for _, name := range markdown.Code(m[1]) {
				found++
				if !declared[name] {
					t.Errorf("%s does not declare %s", m[2]+m[3], name)
				}
			}
		}
	}
	if found < 15 {
		t.Errorf("%d names only", found)
	}
}

// declaredIn returns the names of what the file, or the package in the folder,
// declares, methods included.
func declaredIn(t *testing.T, name string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	if !strings.HasSuffix(name, ".go") {
		for _, file := range sources(t, name) {
			rel, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			maps.Copy(names, declaredIn(t, rel))
		}
		return names
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				names[n.Name.Name] = true
				return false
			case *ast.TypeSpec:
				names[n.Name.Name] = true
				return false
			case *ast.ValueSpec:
				for _, name := range n.Names {
					names[name.Name] = true
				}
				return false
			}
			return true
		})
	}
	return names
}
