// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// library is the import path of the library, and the beginning of those of its
// packages.
const library = "github.com/seed-0529bac1/taints"

// shimPrefix begins the names of the files that are put into packages.
const shimPrefix = "zz_owntests_"

//go:embed testdata
var shimFiles embed.FS

// A shim is a file with functions that take the place of those of a package.
//
// A comment "//owntests:removes NAMES" names functions that go without a
// replacement, because only those that are replaced called them. One of
// "//owntests:calls NAMES" names those functions of the package that the shim
// calls, none of which decides anything.
type shim struct {
	pkg     string
	text    []byte
	fset    *token.FileSet
	file    *ast.File
	funcs   map[string]*ast.FuncDecl // by name, with the receiver's type before methods
	removes []string
	calls   []string
}

// readShims reads those that are kept in testdata.
func readShims() ([]*shim, error) {
	var shims []*shim
	err := fs.WalkDir(shimFiles, "testdata/shims", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := shimFiles.ReadFile(name)
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
	if s.file, err = parser.ParseFile(s.fset, pkg+"/shim.go", text, parser.ParseComments); err != nil {
		return nil, err
	}
	for _, decl := range s.file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			s.funcs[nameOf(f)] = f
		}
	}
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			if names, ok := strings.CutPrefix(c.Text, "//owntests:removes "); ok {
				s.removes = append(s.removes, strings.Fields(names)...)
			}
			if names, ok := strings.CutPrefix(c.Text, "//owntests:calls "); ok {
				s.calls = append(s.calls, strings.Fields(names)...)
			}
		}
	}
	return s, nil
}

// nameOf returns the name of a function, with the type of its receiver before
// that of a method.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	return t.(*ast.Ident).Name + "." + f.Name.Name
}

// deciding returns the names, without receivers, of all functions that shims
// replace or remove.
func deciding(shims []*shim) map[string]bool {
	names := map[string]bool{}
	for _, s := range shims {
		for name := range s.funcs {
			names[lastName(name)] = true
		}
		for _, name := range s.removes {
			names[lastName(name)] = true
		}
	}
	return names
}

func lastName(name string) string { return name[strings.LastIndex(name, ".")+1:] }

// An original is a file of the package, with the functions to cut out.
type original struct {
	path string
	text []byte
	fset *token.FileSet
	file *ast.File
	cut  []*ast.FuncDecl
	keep []*ast.FuncDecl
}

// apply puts the functions of the shim in the place of those of the package in
// the folder, and returns their names.
func (s *shim) apply(dir string, deciding map[string]bool) ([]string, error) {
	files, err := s.originals(dir)
	if err != nil {
		return nil, err
	}
	var replaced []string
	for _, f := range files {
		for _, decl := range f.cut {
			if s.funcs[nameOf(decl)] != nil {
				replaced = append(replaced, nameOf(decl))
			}
		}
	}
	slices.Sort(replaced)
	if err := s.check(files, replaced, deciding); err != nil {
		return nil, fmt.Errorf("the shim of %s is refused: %w", s.pkg, err)
	}
	for _, f := range files {
		if len(f.cut) == 0 {
			continue
		}
		if err := writeFile(f.path, f.without()); err != nil {
			return nil, err
		}
	}
	if err := writeFile(filepath.Join(dir, shimPrefix+"shim.go"), s.counting(replaced)); err != nil {
		return nil, err
	}
	return replaced, writeFile(filepath.Join(dir, shimPrefix+"reach.go"), fmt.Appendf(nil, reach, s.file.Name.Name))
}

// reach notes in a file that a function was called.
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

// originals reads the package's files.
func (s *shim) originals(dir string) ([]*original, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*original
	for _, path := range paths {
		if name := filepath.Base(path); strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, shimPrefix) {
			continue
		}
		f := &original{path: path, fset: token.NewFileSet()}
		if f.text, err = os.ReadFile(path); err != nil {
			return nil, err
		}
		if f.file, err = parser.ParseFile(f.fset, path, f.text, parser.ParseComments); err != nil {
			return nil, err
		}
		for _, decl := range f.file.Decls {
			if d, ok := decl.(*ast.FuncDecl); ok {
				if s.funcs[nameOf(d)] != nil || slices.Contains(s.removes, nameOf(d)) {
					f.cut = append(f.cut, d)
				} else {
					f.keep = append(f.keep, d)
				}
			}
		}
		files = append(files, f)
	}
	return files, nil
}

// without returns the file's text without the functions that are cut out.
// Imports that nothing uses now become blank.
func (f *original) without() []byte {
	type span struct{ from, to int }
	var spans []span
	gone := map[string]bool{}
	for _, d := range f.cut {
		from := d.Pos()
		if d.Doc != nil {
			from = d.Doc.Pos()
		}
		spans = append(spans, span{f.fset.Position(from).Offset, f.fset.Position(d.End()).Offset})
		for name := range packagesUsed(d) {
			gone[name] = true
		}
	}
	for _, decl := range f.file.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok && slices.Contains(f.cut, d) {
			continue
		}
		for name := range packagesUsed(decl) {
			delete(gone, name)
		}
	}
	var blank []int
	for _, spec := range f.file.Imports {
		if !gone[importName(spec)] {
			continue
		}
		from := f.fset.Position(spec.Path.Pos()).Offset
		blank = append(blank, from)
		if spec.Name != nil {
			spans = append(spans, span{f.fset.Position(spec.Name.Pos()).Offset, from})
		}
	}
	var out []byte
	for i := 0; i < len(f.text); i++ {
		if at := slices.IndexFunc(spans, func(s span) bool { return s.from == i }); at >= 0 {
			i = spans[at].to
		}
		if slices.Contains(blank, i) {
			out = append(out, "_ "...)
		}
		if i < len(f.text) {
			out = append(out, f.text[i])
		}
	}
	return out
}

// packagesUsed returns the names before the dots of selectors.
func packagesUsed(n ast.Node) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok {
				names[x.Name] = true
			}
		}
		return true
	})
	return names
}

// importName returns the name by which a file knows an import.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	p, _ := strconv.Unquote(spec.Path.Value)
	base := path.Base(p)
	if len(base) > 1 && base[0] == 'v' && base[1] >= '2' && base[1] <= '9' && !strings.Contains(p, "k8s.io/api/") {
		base = path.Base(path.Dir(p)) // the major version of a module
	}
	return base
}

// counting returns the shim's text, in which each function that replaces another
// says first that it was reached.
func (s *shim) counting(replaced []string) []byte {
	at := map[int]string{}
	for _, name := range replaced {
		at[s.fset.Position(s.funcs[name].Body.Lbrace).Offset] = name
	}
	var b bytes.Buffer
	for i, c := range s.text {
		b.WriteByte(c)
		if name, ok := at[i]; ok {
			fmt.Fprintf(&b, "\n\towntestsReach(%q);", s.pkg+"."+name)
		}
	}
	return b.Bytes()
}

// bodyOf returns the function's body in one form, whatever its comments.
func bodyOf(f *ast.FuncDecl) string {
	var b bytes.Buffer
	if f.Body == nil || format.Node(&b, token.NewFileSet(), f.Body) != nil {
		return ""
	}
	return b.String()
}
