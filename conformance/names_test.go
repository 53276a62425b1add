// SPDX-License-Identifier: Apache-2.0

//go:build !otherkubernetes

package conformance

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/internal/docs"
	_ "k8s.io/cloud-provider/node/helpers" // listed on the page and used nowhere else in the package
)

// TestNames checks that each name in the first column of docs/kubernetes.md is
// declared by the package that the heading names. Each name in these packages that
// mentions taints or tolerations must be on the page, in a table or in the text.
func TestNames(t *testing.T) {
	text, err := os.ReadFile("../docs/kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, section := range strings.Split(string(text), "\n## `")[1:] {
		path, rest, _ := strings.Cut(section, "`")
		sections[path] = rest
	}
	if len(sections) < 25 {
		t.Errorf("%d packages only", len(sections))
	}
	dirs := dirsOf(t, slices.Collect(maps.Keys(sections)))
	for path, section := range sections {
		t.Run(path, func(t *testing.T) { testNamesOf(t, declaredIn(t, dirs[path]), section) })
	}
}

// dirsOf returns the directory of each package in the module cache.
func dirsOf(t *testing.T, paths []string) map[string]string {
	t.Helper()
	args := append([]string{"list", "-f", "{{.ImportPath}}\t{{.Dir}}"}, paths...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		dirs[path] = dir
	}
	return dirs
}

var about = regexp.MustCompile(`(?i)taint|tolerat`)

func testNamesOf(t *testing.T, declared map[string]bool, section string) {
	tables, err := docs.Tables(section)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		for _, row := range table.Rows {
			if name := row.Code("Kubernetes")[0]; !declared[name] {
				t.Errorf("Kubernetes has no %s", name)
			}
		}
	}
	said := map[string]bool{}
	for _, name := range docs.Code(section) {
		said[name] = true
	}
	for name := range declared {
		if about.MatchString(name[strings.Index(name, ".")+1:]) && !said[name] {
			t.Errorf("%s is not on the page", name)
		}
	}
}

// declaredIn returns the names that the package in the folder declares, methods
// as "Type.Method". It skips generated files and tests.
func declaredIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %q: %v", dir, err)
	}
	names := map[string]bool{}
	for _, name := range files {
		if generated.MatchString(filepath.Base(name)) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			for _, name := range declares(decl) {
				names[name] = true
			}
		}
	}
	return names
}

var generated = regexp.MustCompile(`^zz_generated|^generated\.|_generated\.go$|_test\.go$`)

func declares(decl ast.Decl) []string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		receiver := d.Recv.List[0].Type
		if star, ok := receiver.(*ast.StarExpr); ok {
			receiver = star.X
		}
		if name, ok := receiver.(*ast.Ident); ok {
			return []string{name.Name + "." + d.Name.Name}
		}
	case *ast.GenDecl:
		return namesOf(d.Specs)
	}
	return nil
}

func namesOf(specs []ast.Spec) (names []string) {
	for _, spec := range specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			names = append(names, s.Name.Name)
		case *ast.ValueSpec:
			for _, name := range s.Names {
				names = append(names, name.Name)
			}
		}
	}
	return names
}
