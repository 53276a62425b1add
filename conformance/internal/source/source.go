// SPDX-License-Identifier: Apache-2.0

// Package source reads the declarations of Kubernetes' packages, and the names in
// docs/kubernetes.md.
package source

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
)

// About matches names that mention taints or tolerations.
var About = regexp.MustCompile(`(?i)taint|tolerat`)

// A Section is the part of docs/kubernetes.md about one package.
type Section struct {
	Text  string
	Names []string // in the first column of its tables
}

// row matches a row of a table that begins with a name.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

// Sections returns the sections of docs/kubernetes.md by the paths in their headings.
func Sections(page string) map[string]Section {
	sections := map[string]Section{}
	for _, section := range strings.Split(page, "\n## `")[1:] {
		path, text, _ := strings.Cut(section, "`")
		s := Section{Text: text}
		for _, match := range row.FindAllStringSubmatch(text, -1) {
			s.Names = append(s.Names, match[1])
		}
		sections[path] = s
	}
	return sections
}

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
			add(found, decl)
		}
	}
	return found, nil
}

func add(found map[string]string, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		found[NameOf(d)] = Text(d)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				found[s.Name.Name] = Text(s)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					found[name.Name] = Text(s)
				}
			}
		}
	}
}

// NameOf returns the name of a function, with the receiver's type before a method.
func NameOf(f *ast.FuncDecl) string {
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

// Text returns the node in a standard form, without comments.
func Text(node ast.Node) string {
	var b bytes.Buffer
	if err := format.Node(&b, token.NewFileSet(), node); err != nil {
		panic(err) // for a node that no parser returns
	}
	return b.String()
}
