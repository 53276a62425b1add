// SPDX-License-Identifier: Apache-2.0

// Package source reads the declarations of Go packages.
package source

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
)

var skipped = regexp.MustCompile(`^zz_generated|^generated\.|_generated\.go$|_test\.go$`)

// Declarations returns the source of each declaration of the package in the
// folder, without comments. A method has the name "Type.Method". Generated files
// and tests do not count. A folder that does not exist has no declarations.
func Declarations(dir string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, name := range files {
		if skipped.MatchString(filepath.Base(name)) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			if err := add(found, decl); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

func add(found map[string]string, decl ast.Decl) error {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return put(found, nameOf(d), d)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if err := put(found, s.Name.Name, s); err != nil {
					return err
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if err := put(found, name.Name, s); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// nameOf returns the name of a function, with the receiver's type before a method.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if name, ok := receiver.(*ast.Ident); ok {
		return name.Name + "." + f.Name.Name
	}
	return f.Name.Name // of a generic type
}

func put(found map[string]string, name string, node ast.Node) error {
	var b bytes.Buffer
	err := format.Node(&b, token.NewFileSet(), node)
	found[name] = b.String()
	return err
}
