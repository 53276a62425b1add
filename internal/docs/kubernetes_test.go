// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/internal/markdown"
)

// Every call in docs/kubernetes.md compiles, with the variables that the page
// declares, and every name of the library that it mentions exists.
func TestKubernetesCalls(t *testing.T) {
	const page = "docs/kubernetes.md"
	document := read(t, page)
	p := compiled(t, firstBlock(t, page))
	calls := 0
	for _, table := range tablesOf(t, page) {
		if !slices.Equal(table.Columns, []string{"Kubernetes", "here", "what changes"}) {
			t.Fatalf("%s: a table of %q", table.Heading, table.Columns)
		}
		for _, row := range table.Rows {
			here := row.Code("here")
			if len(row.Code("Kubernetes")) != 1 || len(here) != 1 {
				t.Fatalf("want one name and one call: %s", row.Line)
			}
			if _, err := p.eval(here[0]); err != nil {
				t.Errorf("%s: %v", here[0], err)
			}
			calls++
			for _, name := range row.Code("what changes") {
				if err := p.says(name); err != nil {
					t.Errorf("%s: %v", row.Line, err)
				}
			}
		}
	}
	if calls < 100 {
		t.Errorf("%d calls only", calls)
	}
	for _, name := range views(prose(document)) {
		module, function, _ := strings.Cut(name, ".")
		if !strings.Contains(read(t, "docs/api/"+module+".txt"), "\nfunc "+function+"(") {
			t.Errorf("there is no %s", name)
		}
	}
}

// A page is the Go package in which the calls of a document are compiled.
type page struct {
	fset *token.FileSet
	pkg  *types.Package
	at   token.Pos // where the imports and the variables are visible
}

func compiled(t *testing.T, declarations string) page {
	t.Helper()
	const head = `package p

import (
	"iter"
	"time"

	. "github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/lifecycle"
	"github.com/seed-0529bac1/taints/nodeindex"
	"github.com/seed-0529bac1/taints/tolerationset"
)

var (
	_ explain.Reason
	_ nodeindex.Index[string]
	_ tolerationset.Finding
)

`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, filepath.Join(root, "page.go"), head+declarations, 0)
	if err != nil {
		t.Fatal(err)
	}
	if build.Default.GOROOT == "" { // the test was built with -trimpath
		goroot, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			t.Fatal(err)
		}
		build.Default.GOROOT = strings.TrimSpace(string(goroot))
	}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := config.Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return page{fset, pkg, file.Decls[len(file.Decls)-1].Pos()}
}

func (p page) eval(expression string) (types.TypeAndValue, error) {
	return types.Eval(p.fset, p.pkg, p.at, expression)
}

// words are the names of Kubernetes and Go in the last column.
var words = []string{"Lt", "Gt", "Exists", "value", "slices.DeleteFunc"}

// says returns an error unless the text is an expression, or the name of a field
// or method, of the library.
func (p page) says(text string) error {
	if slices.Contains(words, text) || len(views("`"+text+"`")) > 0 {
		return nil
	}
	_, err := p.eval(text)
	if err == nil || !token.IsIdentifier(text) {
		return err
	}
	for _, imported := range p.pkg.Imports() {
		for _, name := range imported.Scope().Names() {
			object := imported.Scope().Lookup(name)
			if member, _, _ := types.LookupFieldOrMethod(object.Type(), true, imported, text); member != nil {
				return nil
			}
		}
	}
	return fmt.Errorf("nothing is named %s", text)
}

// views returns the names of functions of kube and dra in the text.
func views(text string) []string {
	var list []string
	for _, code := range markdown.Code(text) {
		name, _, _ := strings.Cut(code, "(")
		if strings.HasPrefix(name, "kube.") || strings.HasPrefix(name, "dra.") {
			list = append(list, name)
		}
	}
	return list
}
