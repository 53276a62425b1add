// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
)

// A pkg is a package in a copy of the repository, with its mutants.
type pkg struct {
	folder  string // relative to the root of the repository, with slashes
	dir     string // in the copy
	path    string // the import path
	name    string
	files   []*file
	mutants []*mutant
	count   int // the largest mutant number
}

// A file is a source file of a package.
type file struct {
	name   string // relative to the root of the repository, with slashes
	path   string // in the copy
	source []byte
	sites  []*site
}

// keep drops the mutants whose identities are not wanted.
func (p *pkg) keep(wanted func(identity string) bool) {
	p.mutants = slices.DeleteFunc(p.mutants, func(m *mutant) bool { return !wanted(m.identity) })
}

// checkNames returns an error if the package lacks a file with one of the names.
func (p *pkg) checkNames(names []string) error {
	for _, name := range names {
		if !slices.ContainsFunc(p.files, func(f *file) bool { return f.name == name }) {
			return fmt.Errorf("no source file %s", name)
		}
	}
	return nil
}

// loadPackage loads a package of the copy and finds the mutants of its files. It
// numbers them after count.
func loadPackage(tree, folder string, count *int) (*pkg, error) {
	p := &pkg{folder: folder, dir: filepath.Join(tree, filepath.FromSlash(folder))}
	listed, exports, err := listPackage(p.dir)
	if err != nil {
		return nil, err
	}
	p.name, p.path = listed.Name, listed.ImportPath
	fset := token.NewFileSet()
	syntax := make([]*ast.File, len(listed.GoFiles))
	for i, name := range listed.GoFiles {
		f := &file{name: path.Join(folder, name), path: filepath.Join(p.dir, name)}
		if f.source, err = os.ReadFile(f.path); err != nil {
			return nil, err
		}
		syntax[i], err = parser.ParseFile(fset, f.path, f.source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, f)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Defs:  map[*ast.Ident]types.Object{},
		Uses:  map[*ast.Ident]types.Object{},
	}
	checked, err := checker(fset, exports).Check(listed.ImportPath, fset, syntax, info)
	if err != nil {
		return nil, err
	}
	for i, f := range p.files {
		w := &walker{
			file: f.name, source: f.source, fset: fset, syntax: syntax[i],
			info: info, pkg: checked, numbers: count,
		}
		w.walk()
		setIdentities(w.mutants)
		f.sites = w.sites
		p.mutants = append(p.mutants, w.mutants...)
	}
	p.count = *count
	return p, nil
}

// checker returns a type checker that reads imports from export data.
func checker(fset *token.FileSet, exports map[string]string) *types.Config {
	lookup := func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(exports[path])
	}
	return &types.Config{Importer: importer.ForCompiler(fset, "gc", lookup)}
}

// The text of the files that a rewritten package has in addition to its own.
var (
	//go:embed support.go.txt
	support string // the functions that sites call
	//go:embed state.go.txt
	state string // which mutant is selected
	//go:embed limit_linux.go.txt
	limit string
)

// memoryLimit is the most data memory that a test of a mutant may use. It stops
// a mutant that grows forever before the machine runs out of memory.
const memoryLimit = 2 << 30

// addFiles writes the additional files of the rewritten package.
func (p *pkg) addFiles() error {
	replacer := strings.NewReplacer(
		"@package@", p.name, "@count@", strconv.Itoa(p.count), "@memory@", strconv.Itoa(memoryLimit),
	)
	for name, text := range map[string]string{
		"zz_mutants.go": support, "zz_mutants_state.go": state, "zz_mutants_limit_linux.go": limit,
	} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(replacer.Replace(text)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// rewrite writes the package with all sites that compile. The mutants of the
// other sites are not tried.
func (p *pkg) rewrite() error {
	if err := p.addFiles(); err != nil {
		return err
	}
	for {
		regions := map[string][]region{}
		outputs := map[string][]byte{}
		for _, f := range p.files {
			out, r := rewrite(f.source, f.sites)
			regions[filepath.Base(f.path)], outputs[filepath.Base(f.path)] = r, out
			if err := os.WriteFile(f.path, out, 0o644); err != nil {
				return err
			}
		}
		_, err := gotest.Go(p.dir, "build", "-gcflags=-e", ".")
		if err == nil {
			return nil
		}
		if !drop(err, outputs, regions) {
			return err
		}
	}
}

var compilerMessage = regexp.MustCompile(`(?m)^(?:\./|.*[/\\])?([^/\\\s:]+\.go):(\d+):(\d+): (.*)$`)

// drop drops the sites that the compiler rejects, and reports whether it
// dropped any.
func drop(err error, outputs map[string][]byte, regions map[string][]region) bool {
	any := false
	for _, m := range compilerMessage.FindAllStringSubmatch(err.Error(), -1) {
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		s := innermost(regions[m[1]], offsetOf(outputs[m[1]], line, column))
		if s != nil && s.dropped == "" {
			s.dropped, any = m[4], true
		}
	}
	return any
}

// offsetOf returns the offset of a line and column, which both start at 1.
func offsetOf(source []byte, line, column int) int {
	offset := 0
	for ; line > 1; line-- {
		offset += strings.IndexByte(string(source[offset:]), '\n') + 1
	}
	return offset + column - 1
}
