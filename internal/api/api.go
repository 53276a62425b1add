// SPDX-License-Identifier: Apache-2.0

// Package api lists what a package exports. The tests compare the list with the
// files in docs/api.
package api

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// hidden matches a method of a type that is not exported.
var hidden = regexp.MustCompile(`^func \((\w+ )?\*?[a-z]\w*[\[)]`)

// Of returns the exported declarations of the package in the folder, sorted by
// their text, without comments and bodies.
func Of(dir string) (string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s: %w", dir, fs.ErrNotExist)
	}
	if err != nil {
		return "", err
	}
	var list []string
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution) // without comments
		if err != nil {
			return "", err
		}
		ast.FileExports(file)
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				d.Body = nil
			case *ast.GenDecl:
				if d.Tok == token.IMPORT {
					continue
				}
			}
			var b bytes.Buffer
			if err := format.Node(&b, fset, decl); err != nil {
				return "", err
			}
			if !hidden.MatchString(b.String()) {
				list = append(list, strings.ReplaceAll(b.String(), "\n\n", "\n")+"\n")
			}
		}
	}
	slices.Sort(list)
	return strings.Join(list, ""), nil
}
