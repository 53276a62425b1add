// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// library is the import path of the library, and the prefix of the paths of
// its packages.
const library = "github.com/seed-0529bac1/taints"

// shimPrefix begins the names of the files that are added to packages.
const shimPrefix = "zz_owntests_"

//go:embed testdata
var shimFiles embed.FS

// A shim is a file with functions that replace those of a package.
//
// A comment "//owntests:removes NAMES" names functions that are removed without
// a replacement, because only replaced functions called them.
type shim struct {
	pkg     string
	text    []byte
	fset    *token.FileSet
	file    *ast.File
	funcs   map[string]*ast.FuncDecl // by name, with the receiver's type before methods
	vars    map[string]*ast.ValueSpec
	removes []string
}

// readShims reads the shims in testdata.
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
	s := &shim{pkg: pkg, text: text, fset: token.NewFileSet(), funcs: map[string]*ast.FuncDecl{}, vars: map[string]*ast.ValueSpec{}}
	var err error
	if s.file, err = parser.ParseFile(s.fset, pkg+"/shim.go", text, parser.ParseComments); err != nil {
		return nil, err
	}
	for _, decl := range s.file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			s.funcs[nameOf(d)] = d
		case *ast.GenDecl:
			s.noteVars(d)
		}
	}
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			if names, ok := strings.CutPrefix(c.Text, "//owntests:removes "); ok {
				s.removes = append(s.removes, strings.Fields(names)...)
			}
		}
	}
	return s, nil
}

func (s *shim) noteVars(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok {
			for _, name := range v.Names {
				s.vars[name.Name] = v
			}
		}
	}
}

// nameOf returns the name of a function. The name of a method begins with the
// type of its receiver.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr: // a type with a type parameter
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

// An original is a file of the package and the functions to remove from it.
type original struct {
	path string
	text []byte
	fset *token.FileSet
	file *ast.File
	cut  []*ast.FuncDecl
}

// A change is what a shim did to its package.
type change struct {
	replaced  []string // functions
	cut, shim int      // lines of code that were removed and added
}

// apply replaces functions of the package in the folder with those of the shim.
func (s *shim) apply(dir string) (change, error) {
	files, err := s.originals(dir)
	if err != nil {
		return change{}, err
	}
	c := change{shim: s.lines()}
	for _, f := range files {
		for _, decl := range f.cut {
			c.cut += codeLines(f.fset, f.text, decl)
			if s.funcs[nameOf(decl)] != nil {
				c.replaced = append(c.replaced, nameOf(decl))
			}
		}
	}
	slices.Sort(c.replaced)
	if err := s.check(files, c.replaced); err != nil {
		return change{}, fmt.Errorf("the shim of %s is refused: %w", s.pkg, err)
	}
	for _, f := range files {
		if len(f.cut) == 0 {
			continue
		}
		if err := writeFile(f.path, f.without()); err != nil {
			return change{}, err
		}
	}
	if err := writeFile(filepath.Join(dir, shimPrefix+"shim.go"), s.counting(c.replaced)); err != nil {
		return change{}, err
	}
	return c, writeFile(filepath.Join(dir, shimPrefix+"reach.go"), fmt.Appendf(nil, reach, s.file.Name.Name))
}

// lines returns how many lines of code the shim has without its imports.
func (s *shim) lines() int {
	n := 0
	for _, decl := range s.file.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			continue
		}
		n += codeLines(s.fset, s.text, decl)
	}
	return n
}

// codeLines returns how many lines of the declaration contain more than comments.
func codeLines(fset *token.FileSet, text []byte, decl ast.Decl) int {
	from, to := fset.Position(decl.Pos()).Offset, fset.Position(decl.End()).Offset
	part := text[from:to]
	file := token.NewFileSet().AddFile("", 1, len(part))
	var s scanner.Scanner
	s.Init(file, part, nil, 0) // without comments
	lines := map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && literal == "\n" { // inserted by the scanner
			continue
		}
		first := file.Line(pos)
		for i := range strings.Count(literal, "\n") + 1 {
			lines[first+i] = true
		}
	}
}

// skipTestMain renames TestMain in the tests of the package in the folder, so that
// it does not run.
func skipTestMain(dir string) error {
	paths, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return err
	}
	const head = "func TestMain("
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.Contains(string(text), "\n"+head) {
			return writeFile(path, bytes.Replace(text, []byte(head), []byte("func skippedTestMain("), 1))
		}
	}
	return fmt.Errorf("%s has no TestMain", dir)
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
		f, err := readOriginal(path, func(d *ast.FuncDecl) bool {
			return s.funcs[nameOf(d)] != nil || slices.Contains(s.removes, nameOf(d))
		})
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// readOriginal reads a file and determines which of its functions to remove.
func readOriginal(path string, cut func(*ast.FuncDecl) bool) (*original, error) {
	f := &original{path: path, fset: token.NewFileSet()}
	var err error
	if f.text, err = os.ReadFile(path); err != nil {
		return nil, err
	}
	if f.file, err = parser.ParseFile(f.fset, path, f.text, parser.ParseComments); err != nil {
		return nil, err
	}
	for _, decl := range f.file.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok && cut(d) {
			f.cut = append(f.cut, d)
		}
	}
	return f, nil
}

// without returns the file's text without the removed functions. Imports that
// are no longer used become blank.
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

// importName returns the name of an import in its file.
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

// counting returns the shim's text. Each function that replaces another first
// records that it was reached.
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

// bodyOf returns the function's body in a standard form, without comments.
func bodyOf(f *ast.FuncDecl) string {
	var b bytes.Buffer
	if f.Body == nil || format.Node(&b, token.NewFileSet(), f.Body) != nil {
		return ""
	}
	return b.String()
}
