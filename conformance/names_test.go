// SPDX-License-Identifier: Apache-2.0

//go:build !otherkubernetes

package conformance

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/conformance/internal/gated"
	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
	"github.com/seed-0529bac1/taints/conformance/internal/source"
	"github.com/seed-0529bac1/taints/internal/test/docs"
	"pgregory.net/rapid"
)

// TestNames checks that each name in the first column of docs/kubernetes.md is
// declared by the package that the heading names. Each exported name in these
// packages that mentions taints or tolerations must be on the page, in a table or
// in the text.
func TestNames(t *testing.T) {
	sections := source.Sections(readPage(t))
	if len(sections) < 25 {
		t.Errorf("%d packages only", len(sections))
	}
	dirs := dirsOf(t, slices.Collect(maps.Keys(sections)))
	for path, section := range sections {
		t.Run(path, func(t *testing.T) {
			declared, err := source.Declarations(dirs[path])
			if err != nil {
				t.Fatal(err)
			}
			testNamesOf(t, declared, section)
		})
	}
}

func readPage(t *testing.T) string {
	page, err := os.ReadFile("../docs/kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// dirsOf returns the directory of each package in the module cache.
func dirsOf(t *testing.T, paths []string) map[string]string {
	t.Helper()
	out, err := gotest.Go("", append([]string{"list", "-find", "-f", "{{.ImportPath}}\t{{.Dir}}"}, paths...)...)
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

func testNamesOf(t *testing.T, declared map[string]string, section source.Section) {
	for _, name := range section.Names {
		if declared[name] == "" {
			t.Errorf("Kubernetes has no %s", name)
		}
	}
	said := docs.Code(section.Text)
	for name := range declared {
		receiver, method, _ := strings.Cut(name, ".")
		exported := ast.IsExported(receiver) && (method == "" || ast.IsExported(method))
		if exported && source.About.MatchString(cmp.Or(method, receiver)) && !slices.Contains(said, name) {
			t.Errorf("%s is not on the page", name)
		}
	}
}

// TestRows checks that each row of docs/kubernetes.md has a comparison in documented,
// which runs the function that the row names and exactly the call that replaces it.
// It checks each property once; the tests run on their own. A property with a cluster
// in memory takes milliseconds.
func TestRows(t *testing.T) {
	gated.Set(t, true)
	tables, err := docs.Tables(readPage(t))
	if err != nil {
		t.Fatal(err)
	}
	comparisons, declared := parseTests(t)
	checked := map[string]bool{}
	for _, table := range tables {
		path := strings.Trim(table.Heading, "`")
		for _, row := range table.Rows {
			name, call := row.Code("Kubernetes")[0], row.Code("here")[0]
			comparison := comparisons[path+"."+name]
			delete(comparisons, path+"."+name)
			t.Run(path+"."+name, func(t *testing.T) {
				if comparison == nil {
					t.Fatal("no comparison in documented")
				}
				texts := map[string]bool{}
				declared.collect(comparison, texts)
				if function := name[strings.LastIndex(name, ".")+1:]; !texts[function] {
					t.Fatalf("the comparison does not run %s", function)
				}
				expr, err := parser.ParseExpr(call)
				if err != nil || !texts[source.Text(expr)] {
					t.Fatalf("the comparison does not run %s", call)
				}
				property, ok := documented[path][name].(func(*rapid.T))
				if text := source.Text(comparison); ok && !checked[text] {
					checked[text] = true
					checkAtMost(t, 50_000, property)
				}
			})
		}
	}
	for name := range comparisons {
		t.Errorf("no row for %s", name)
	}
}

// declarations are those of this package's tests, and of the packages that run
// Kubernetes for them.
type declarations map[string]ast.Node

// parseTests returns the source of the comparisons and all declarations.
func parseTests(t *testing.T) (map[string]ast.Expr, declarations) {
	declared := declarations{}
	for _, pattern := range []string{"*_test.go", "internal/linked/*.go", "internal/gated/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range file.Decls {
				switch d := decl.(type) {
				case *ast.FuncDecl:
					declared[d.Name.Name] = d
				case *ast.GenDecl:
					if v, ok := d.Specs[0].(*ast.ValueSpec); ok && !d.Lparen.IsValid() {
						declared[v.Names[0].Name] = d
					}
				}
			}
		}
	}
	comparisons := map[string]ast.Expr{}
	eachPair(declared["documented"], func(path string, rows ast.Expr) {
		eachPair(rows, func(name string, comparison ast.Expr) { comparisons[path+"."+name] = comparison })
	})
	return comparisons, declared
}

// eachPair calls visit for each value of the outermost maps in the node.
func eachPair(node ast.Node, visit func(key string, value ast.Expr)) {
	ast.Inspect(node, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if key, ok := pair.Key.(*ast.BasicLit); ok {
			text, _ := strconv.Unquote(key.Value)
			visit(text, pair.Value)
		}
		return false
	})
}

var (
	qualifier = regexp.MustCompile(`\btaints\.`)
	viewed    = regexp.MustCompile(`\bkube\.(?:Taint|Toleration)s?\((\w+)\)`)
)

// collect adds the text of each expression of the node, and of the declarations that
// it names, as the page has it: without the qualifier taints and the views of kube. It
// also adds the name of each function of Kubernetes that a directive links.
func (d declarations) collect(node ast.Node, texts map[string]bool) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Comment:
			if linked, ok := strings.CutPrefix(n.Text, "//go:linkname "); ok {
				texts[linked[strings.LastIndex(linked, ".")+1:]] = true
			}
		case *ast.Ident:
			if texts[n.Name] {
				break
			}
			texts[n.Name] = true
			if d[n.Name] != nil {
				d.collect(d[n.Name], texts)
			}
		case ast.Expr:
			texts[viewed.ReplaceAllString(qualifier.ReplaceAllString(source.Text(n), ""), "$1")] = true
		}
		return true
	})
}
