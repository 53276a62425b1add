// SPDX-License-Identifier: Apache-2.0

// Package exampletest checks that whatever a package exports has an example.
package exampletest

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// byType are methods that the example of their type shows, because it prints, reads
// or unwraps a value.
var byType = map[string]bool{
	"String":        true,
	"MarshalText":   true,
	"UnmarshalText": true,
	"Error":         true,
	"Unwrap":        true,
}

// Check fails the test for each exported function, type and method of the package in
// this folder that has no testable example of its name.
func Check(t *testing.T) {
	t.Helper()
	p := parse(t)
	for _, f := range p.Funcs {
		check(t, f.Name, f.Examples)
	}
	for _, typ := range p.Types {
		check(t, typ.Name, typ.Examples)
		for _, f := range typ.Funcs {
			check(t, f.Name, f.Examples)
		}
		for _, m := range typ.Methods {
			if !byType[m.Name] {
				check(t, typ.Name+"."+m.Name, m.Examples)
			}
		}
	}
}

// parse reads the package in this folder and the files of its tests that stand
// outside it.
func parse(t *testing.T) *doc.Package {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		f, err := parser.ParseFile(fset, e.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name.Name, "_test") || !strings.HasSuffix(e.Name(), "_test.go") {
			files = append(files, f)
		}
	}
	p, err := doc.NewFromFiles(fset, files, "example")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// check fails the test if no example of the name says what it prints. An example
// that does not is compiled and never run.
func check(t *testing.T, name string, examples []*doc.Example) {
	t.Helper()
	for _, e := range examples {
		if e.Output != "" || e.EmptyOutput {
			return
		}
	}
	t.Errorf("%s has no example", name)
}
