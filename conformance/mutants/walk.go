// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
)

// A walker finds the mutants of a file.
type walker struct {
	file    string // from the root of the repository
	source  []byte
	fset    *token.FileSet
	syntax  *ast.File
	info    *types.Info
	pkg     *types.Package
	numbers *int // the last number that is in use in the package

	stack   []ast.Node // the nodes around the one that is looked at, which is the last
	labels  map[ast.Stmt]string
	imports map[string]string // names of packages by path, for types of other packages
	mutants []*mutant
	sites   []*site
}

// walk finds the mutants of the file and the sites that hold them.
func (w *walker) walk() {
	w.labels, w.imports = map[ast.Stmt]string{}, map[string]string{}
	ast.Inspect(w.syntax, func(n ast.Node) bool {
		if n == nil {
			w.stack = w.stack[:len(w.stack)-1]
			return true
		}
		w.stack = append(w.stack, n)
		if !w.node(n) {
			w.stack = w.stack[:len(w.stack)-1]
			return false
		}
		return true
	})
	w.importAll()
}

// node finds the mutants of one node, and reports whether to look into it.
func (w *walker) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR // no code can stand in the others
	case *ast.ValueSpec:
		return n.Names[0].Name != "_" // which only the compiler looks at
	case ast.Expr:
		return w.expression(n)
	case ast.Stmt:
		w.statement(n)
	case *ast.FuncDecl:
		if n.Name.Name == "_" {
			return false // nobody calls it
		}
		w.function(n.Type, n.Body)
	}
	return true
}

// parent returns the i-th node around the one that is looked at: 1 is the next.
func (w *walker) parent(i int) ast.Node {
	if len(w.stack) <= i {
		return nil
	}
	return w.stack[len(w.stack)-1-i]
}

// isIndex reports whether e is an index in the literal of an array or a slice,
// which the language wants to be a constant.
func (w *walker) isIndex(e ast.Expr) bool {
	pair, ok := w.parent(1).(*ast.KeyValueExpr)
	if !ok || e != pair.Key {
		return false
	}
	switch w.info.TypeOf(w.parent(2).(ast.Expr)).Underlying().(type) {
	case *types.Array, *types.Slice:
		return true
	}
	return false
}

// functionName names the declaration that the node is in.
func (w *walker) functionName() string {
	for i, n := range w.stack {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil {
				return n.Name.Name
			}
			return receiver(n.Recv.List[0].Type) + "." + n.Name.Name
		case *ast.ValueSpec:
			return w.stack[i-1].(*ast.GenDecl).Tok.String() + " " + n.Names[0].Name
		case *ast.TypeSpec:
			return "type " + n.Name.Name
		}
	}
	return "file"
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}

func (w *walker) offset(p token.Pos) int { return w.fset.Position(p).Offset }

// raw returns the source of a node.
func (w *walker) raw(n ast.Node) string {
	return string(w.source[w.offset(n.Pos()):w.offset(n.End())])
}

// text returns the source of a node without comments, on one line.
func (w *walker) text(n ast.Node) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, w.fset, n); err != nil {
		return oneLine(w.raw(n))
	}
	return oneLine(b.String())
}

// wrapOf returns a wrap around the node.
func (w *walker) wrapOf(n ast.Node, pre, post string) wrap {
	return wrap{w.offset(n.Pos()), w.offset(n.End()), pre, post}
}

// add adds a mutant of the node, and returns its number.
func (w *walker) add(n ast.Node, operator, from, to string) int {
	*w.numbers++
	w.mutants = append(w.mutants, &mutant{
		file: w.file, line: w.fset.Position(n.Pos()).Line, function: w.functionName(), operator: operator,
		from: from, to: to, number: *w.numbers,
	})
	return *w.numbers
}

// hold makes a site for the mutants from the number first on.
func (w *walker) hold(first int, wraps ...wrap) *site {
	s := &site{wraps: wraps}
	w.sites = append(w.sites, s)
	for i := len(w.mutants) - 1; i >= 0 && w.mutants[i].number >= first; i-- {
		w.mutants[i].site = s
	}
	return s
}

// on is the condition that the mutant is selected.
func on(k int) string { return "__on(" + strconv.Itoa(k) + ")" }

// typeName returns how the file can write the type.
func (w *walker) typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == w.pkg {
			return ""
		}
		if w.imports[p.Path()] == "" {
			w.imports[p.Path()] = "__import" + strconv.Itoa(len(w.imports)+1)
		}
		return w.imports[p.Path()]
	})
}

// importAll imports what typeName has used.
func (w *walker) importAll() {
	end := w.offset(w.syntax.Name.End())
	for _, path := range slices.Sorted(maps.Keys(w.imports)) {
		name := w.imports[path]
		w.serve(wrap{end, end, "; import " + name + " " + strconv.Quote(path), ""})
	}
}

// serve adds a site without mutants, which others need.
func (w *walker) serve(by wrap) { w.sites = append(w.sites, &site{wraps: []wrap{by}}) }
