// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The drawing in CONTRIBUTING.md has every file of the library, and no other.
func TestMapOfFiles(t *testing.T) {
	_, drawing, _ := strings.Cut(read(t, "CONTRIBUTING.md"), "\n```\ndoc.go\n")
	drawing, _, _ = strings.Cut(drawing, "```")
	above, below, ok := strings.Cut(drawing, "\nlifecycle/")
	below, _, _ = strings.Cut(below, "\nkube/")
	if !ok {
		t.Fatal("no drawing")
	}
	for folder, text := range map[string]string{
		".":         "doc\n" + above,
		"lifecycle": below,
	} {
		drawn := drawnIn(text)
		for _, file := range sources(t, folder) {
			if name := strings.TrimSuffix(filepath.Base(file), ".go"); !slices.Contains(drawn, name) {
				t.Errorf("%s is not in the drawing", file)
			}
		}
		for _, name := range drawn {
			if !exists(filepath.Join(folder, name+".go")) {
				t.Errorf("the drawing has %s/%s.go, which is not there", folder, name)
			}
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
	places := regexp.MustCompile("((?:`\\w+`(?:, )?)+) \\(([\\w/]+\\.go)\\)")
	found := 0
	for _, row := range table(t, "CONTRIBUTING.md", "How to add or change a rule").Rows {
		for _, m := range places.FindAllStringSubmatch(row.Line, -1) {
			declared := declaredIn(t, m[2])
			for _, name := range strings.Split(m[1], ", ") {
				found++
				if name = strings.Trim(name, "`"); !declared[name] {
					t.Errorf("%s does not declare %s", m[2], name)
				}
			}
		}
	}
	if found < 15 {
		t.Errorf("%d names only", found)
	}
}

// declaredIn returns the names of what the file declares, methods included.
func declaredIn(t *testing.T, name string) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
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
