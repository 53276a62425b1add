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
	strings stringChoice
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
	case *ast.ImportSpec:
		return false
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

// inConst reports whether the language asks for a constant here, so that no code
// can stand in its place.
func (w *walker) inConst() bool {
	for i, n := range w.stack[:len(w.stack)-1] {
		inner := w.stack[i+1]
		switch n := n.(type) {
		case *ast.GenDecl:
			if n.Tok == token.CONST || n.Tok == token.TYPE {
				return true
			}
		case *ast.KeyValueExpr:
			if inner == n.Key && i > 0 && w.isIndexed(w.stack[i-1]) {
				return true
			}
		}
	}
	return false
}

// isIndexed reports whether n is the literal of an array or a slice.
func (w *walker) isIndexed(n ast.Node) bool {
	lit, ok := n.(*ast.CompositeLit)
	if !ok {
		return false
	}
	switch w.info.TypeOf(lit).Underlying().(type) {
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

// add adds a mutant of the node that number selects, and returns the number.
func (w *walker) add(n ast.Node, operator, from, to string) int {
	*w.numbers++
	m := w.mutant(n, operator, from, to)
	m.number = *w.numbers
	return m.number
}

func (w *walker) mutant(n ast.Node, operator, from, to string) *mutant {
	p := w.fset.Position(n.Pos())
	m := &mutant{File: w.file, Line: p.Line, Function: w.functionName(), Operator: operator, From: from, To: to}
	m.Diff = diff(line(w.source, p.Offset), p.Column-1, from, to)
	w.mutants = append(w.mutants, m)
	return m
}

// line returns the line of source around the offset.
func line(source []byte, offset int) string {
	start := bytes.LastIndexByte(source[:offset], '\n') + 1
	rest, _, _ := bytes.Cut(source[start:], []byte("\n"))
	return string(rest)
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

// alone adds a mutant that changes the source, for a build of its own.
func (w *walker) alone(n ast.Node, operator, to string) {
	m := w.mutant(n, operator, w.text(n), to)
	m.edit = edit{w.offset(n.Pos()), w.offset(n.End()), to}
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
		w.serve(name+".", wrap{end, end, "; import " + name + " " + strconv.Quote(path), ""})
	}
}

// serve adds a site for the others that write what it provides.
func (w *walker) serve(provides string, by wrap) {
	w.sites = append(w.sites, &site{wraps: []wrap{by}, serves: true, provides: provides})
}
