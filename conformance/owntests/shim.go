// SPDX-License-Identifier: Apache-2.0

package main

import (
	"embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints/conformance/internal/source"
)

// library is the import path of the library, and the prefix of the paths of
// its packages.
const library = "github.com/seed-0529bac1/taints"

//go:embed testdata
var testdata embed.FS

// views are the packages below testdata/views, by which shims convert.
func views() fs.FS {
	files, err := fs.Sub(testdata, "testdata/views")
	if err != nil {
		panic(err) // for an invalid path
	}
	return files
}

// A shim is a file with functions that replace those of a package.
type shim struct {
	pkg   string
	text  []byte
	fset  *token.FileSet
	file  *ast.File
	funcs map[string]*ast.FuncDecl // by name, with the receiver's type before methods
}

// readShims reads the shims in testdata.
func readShims() ([]*shim, error) {
	var shims []*shim
	err := fs.WalkDir(testdata, "testdata/shims", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := testdata.ReadFile(name)
		if err != nil {
			return err
		}
		s, err := parseShim(strings.TrimPrefix(path.Dir(name), "testdata/shims/"), text)
		shims = append(shims, s)
		return err
	})
	return shims, err
}

func parseShim(pkg string, text []byte) (*shim, error) {
	s := &shim{pkg: pkg, text: text, fset: token.NewFileSet(), funcs: map[string]*ast.FuncDecl{}}
	var err error
	if s.file, err = parser.ParseFile(s.fset, pkg+"/shim.go", text, 0); err != nil {
		return nil, err
	}
	for _, decl := range s.file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			s.funcs[source.NameOf(f)] = f
		}
	}
	return s, nil
}

// apply replaces functions of the package in the folder with those of the shim, and
// returns their names. It returns an error unless the library makes the decisions:
// the shim replaces a function, each function that replaces one calls the library,
// and none has the body of one that it replaces.
func (s *shim) apply(dir string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var replaced []string
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		names, err := s.rename(path)
		if err != nil {
			return nil, err
		}
		replaced = append(replaced, names...)
	}
	if len(replaced) == 0 {
		return nil, errors.New("it replaces nothing")
	}
	users := s.libraryUsers()
	for _, name := range replaced {
		if !users[s.funcs[name].Name.Name] {
			return nil, fmt.Errorf("%s does not call the library", name)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "zz_owntests_shim.go"), s.counting(replaced), 0o644); err != nil {
		return nil, err
	}
	text := fmt.Appendf(nil, reach, s.file.Name.Name)
	return replaced, os.WriteFile(filepath.Join(dir, "zz_owntests_reach.go"), text, 0o644)
}

// rename renames the functions of the file that the shim replaces, so that nothing
// calls them, and returns their names.
func (s *shim) rename(path string) (names []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, decl := range slices.Backward(file.Decls) {
		old, ok := decl.(*ast.FuncDecl)
		if !ok || s.funcs[source.NameOf(old)] == nil {
			continue
		}
		if copied := s.withBodyOf(old); copied != "" {
			return nil, fmt.Errorf("%s has the body of the package's %s", copied, source.NameOf(old))
		}
		names = append(names, source.NameOf(old))
		text = slices.Insert(text, fset.Position(old.Name.Pos()).Offset, []byte("owntestsOld_")...)
	}
	return names, os.WriteFile(path, text, 0o644)
}

// withBodyOf returns the name of a function of the shim that has the body of the
// other, apart from comments. Bodies of one statement do not count.
func (s *shim) withBodyOf(old *ast.FuncDecl) string {
	if len(old.Body.List) < 2 {
		return ""
	}
	for name, f := range s.funcs {
		if source.Text(f.Body) == source.Text(old.Body) {
			return name
		}
	}
	return ""
}

// libraryUsers returns the names of the shim's functions, methods and variables that
// use the library, directly or through each other, and those of its imports.
func (s *shim) libraryUsers() map[string]bool {
	users := map[string]bool{}
	for _, spec := range s.file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if imported == library || strings.HasPrefix(imported, library+"/") {
			users[path.Base(imported)] = true
			if spec.Name != nil {
				users[spec.Name.Name] = true
			}
		}
	}
	for before := 0; before < len(users); {
		before = len(users)
		for _, decl := range s.file.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				if name, ok := n.(*ast.Ident); ok && users[name.Name] {
					users[declared(decl)] = true
				}
				return true
			})
		}
	}
	return users
}

// declared returns the name of the function, method or variable.
func declared(decl ast.Decl) string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return d.Name.Name
	case *ast.GenDecl:
		if v, ok := d.Specs[0].(*ast.ValueSpec); ok {
			return v.Names[0].Name
		}
	}
	return ""
}

// counting returns the shim's text. Each function that replaces another first
// records that it was reached.
func (s *shim) counting(replaced []string) []byte {
	at := map[int]string{}
	for _, name := range replaced {
		at[s.fset.Position(s.funcs[name].Body.Lbrace).Offset+1] = name
	}
	text := s.text
	for _, offset := range slices.Backward(slices.Sorted(maps.Keys(at))) {
		call := fmt.Sprintf("\n\towntestsReach(%q);", s.pkg+"."+at[offset])
		text = slices.Concat(text[:offset], []byte(call), text[offset:])
	}
	return text
}

// reach is the source of a file that records the functions that were called.
const reach = `package %s

import (
	"os"
	"sync"
)

var owntestsReached sync.Map

func owntestsReach(name string) {
	if _, again := owntestsReached.LoadOrStore(name, true); again {
		return
	}
	if f, err := os.OpenFile(os.Getenv("OWNTESTS_REACHED"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
		f.WriteString(name + "\n")
		f.Close()
	}
}
`
