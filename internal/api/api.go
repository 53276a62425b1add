// SPDX-License-Identifier: Apache-2.0

// Package api writes down what a package exports, one line per thing, in the
// manner of the files in Go's own api directory. The tests compare that with the
// files in this repository's api directory.
package api

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Lines returns what the package in the folder exports, sorted:
//
//	const NoSchedule Effect = "NoSchedule"
//	func Filter([]Taint, []Toleration) Verdict
//	method (Verdict) Schedulable() bool
//	type Verdict struct
//	type Verdict struct, NoSchedule int `json:"noSchedule"`
//	var ErrExists error
//
// Names of parameters and numbers of constants are left out, because they may
// change. Texts of constants are part of the API: they are in files and objects.
func Lines(dir string) ([]string, error) {
	l := &lines{fset: token.NewFileSet()}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: %w", dir, fs.ErrNotExist)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(l.fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			l.decl(decl)
		}
	}
	slices.Sort(l.list)
	return l.list, l.err
}

// lines collects the lines of a package, and the first thing that cannot be
// written as one.
type lines struct {
	fset *token.FileSet
	list []string
	err  error
}

func (l *lines) add(format string, args ...any) {
	l.list = append(l.list, fmt.Sprintf(format, args...))
}

func (l *lines) fail(at ast.Node, format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("%s: %s", l.fset.Position(at.Pos()), fmt.Sprintf(format, args...))
	}
}

func (l *lines) decl(decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		l.function(d)
	case *ast.GenDecl:
		switch d.Tok {
		case token.TYPE:
			for _, spec := range d.Specs {
				l.typeSpec(spec.(*ast.TypeSpec))
			}
		case token.CONST, token.VAR:
			l.values(d)
		}
	}
}

func (l *lines) function(d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	if d.Recv == nil {
		l.add("func %s%s%s", d.Name.Name, l.typeParams(d.Type.TypeParams), l.signature(d.Type))
		return
	}
	if receiver := d.Recv.List[0].Type; ast.IsExported(baseName(receiver)) {
		l.add("method (%s) %s%s", l.text(receiver), d.Name.Name, l.signature(d.Type))
	}
}

// baseName returns the name of the type of a receiver, such as *Index[N].
func baseName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return baseName(t.X)
	case *ast.IndexExpr:
		return baseName(t.X)
	case *ast.IndexListExpr:
		return baseName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

func (l *lines) typeSpec(spec *ast.TypeSpec) {
	if !spec.Name.IsExported() {
		return
	}
	name := spec.Name.Name + l.typeParams(spec.TypeParams)
	if spec.Assign.IsValid() {
		name += " ="
	}
	fields, ok := spec.Type.(*ast.StructType)
	if !ok {
		l.add("type %s %s", name, l.text(spec.Type))
		return
	}
	l.add("type %s struct", name)
	for _, f := range fields.Fields.List {
		if len(f.Names) == 0 {
			l.fail(f, "%s embeds a type, whose methods have no lines of their own", spec.Name.Name)
		}
		for _, field := range f.Names {
			if field.IsExported() {
				l.add("type %s struct, %s %s%s", name, field.Name, l.text(f.Type), tag(f))
			}
		}
	}
}

func tag(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	return " " + f.Tag.Value
}

// values writes constants and variables. A constant without a type and a value
// has those of the one before it.
func (l *lines) values(d *ast.GenDecl) {
	var typ ast.Expr
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		if v.Type != nil || len(v.Values) > 0 {
			typ = v.Type
		}
		for i, name := range v.Names {
			if name.IsExported() {
				l.add("%s %s%s%s", d.Tok, name.Name, l.typeOf(d.Tok, typ, v), constantText(d.Tok, v, i))
			}
		}
	}
}

// typeOf returns the type that is written. A variable must have one; a constant
// without one is an untyped text or number.
func (l *lines) typeOf(tok token.Token, typ ast.Expr, v *ast.ValueSpec) string {
	if typ != nil {
		return " " + l.text(typ)
	}
	if tok == token.VAR {
		l.fail(v, "the variable %s is exported without a type", v.Names[0].Name)
	}
	return ""
}

func constantText(tok token.Token, v *ast.ValueSpec, i int) string {
	if tok == token.VAR || i >= len(v.Values) {
		return ""
	}
	if text, ok := v.Values[i].(*ast.BasicLit); ok && text.Kind == token.STRING {
		return " = " + text.Value
	}
	return ""
}

func (l *lines) typeParams(params *ast.FieldList) string {
	if params == nil {
		return ""
	}
	var list []string
	for _, p := range params.List {
		for _, name := range p.Names {
			list = append(list, name.Name+" "+l.text(p.Type))
		}
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// signature returns the types of the parameters and results, without names.
func (l *lines) signature(t *ast.FuncType) string {
	results := l.types(t.Results)
	switch len(results) {
	case 0:
		return "(" + strings.Join(l.types(t.Params), ", ") + ")"
	case 1:
		return "(" + strings.Join(l.types(t.Params), ", ") + ") " + results[0]
	}
	return "(" + strings.Join(l.types(t.Params), ", ") + ") (" + strings.Join(results, ", ") + ")"
}

func (l *lines) types(fields *ast.FieldList) []string {
	if fields == nil {
		return nil
	}
	var list []string
	for _, f := range fields.List {
		list = append(list, slices.Repeat([]string{l.text(f.Type)}, max(1, len(f.Names)))...)
	}
	return list
}

// text returns the expression as one line.
func (l *lines) text(e ast.Expr) string {
	if f, ok := e.(*ast.FuncType); ok {
		return "func" + l.signature(f)
	}
	var b strings.Builder
	if err := printer.Fprint(&b, l.fset, e); err != nil {
		l.fail(e, "%v", err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
