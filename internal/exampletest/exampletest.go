// SPDX-License-Identifier: Apache-2.0

// Package exampletest checks that a package has the examples that its readers need.
package exampletest

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// byType are methods that need no example, because they print, read or unwrap a
// value.
var byType = []string{"String", "MarshalText", "UnmarshalText", "Error", "Unwrap"}

// Check fails the test for each exported function of the package in this folder
// that has no testable example, and for each exported type with methods that has
// none. One of a method shows the type too, as does one of a function that returns
// it.
func Check(t *testing.T) {
	t.Helper()
	p := parse(t)
	for _, f := range p.Funcs {
		check(t, f.Name, f.Examples)
	}
	for _, typ := range p.Types {
		examples := typ.Examples
		for _, f := range slices.Concat(typ.Funcs, typ.Methods) {
			examples = append(examples, f.Examples...)
		}
		if slices.ContainsFunc(typ.Methods, func(m *doc.Func) bool { return !slices.Contains(byType, m.Name) }) {
			check(t, typ.Name, examples)
		}
	}
}

// parse reads the package in this folder and the files of its tests that stand
// outside it.
func parse(t *testing.T) *doc.Package {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name.Name, "_test") || !strings.HasSuffix(name, "_test.go") {
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
	if !slices.ContainsFunc(examples, func(e *doc.Example) bool { return e.Output != "" || e.EmptyOutput }) {
		t.Errorf("%s has no example", name)
	}
}
