// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// check returns an error unless the library makes the decisions of the shim: it
// replaces a function, each function that it removes exists, each function that
// replaces one calls the library, and none has the body of a function that is gone.
func (s *shim) check(files []*original, replaced []string) error {
	var errs []error
	bodies, found := map[string]string{}, slices.Clone(replaced)
	for _, f := range files {
		for _, d := range f.cut {
			found = append(found, nameOf(d))
			if len(d.Body.List) > 1 {
				bodies[bodyOf(d)] = nameOf(d)
			}
		}
	}
	if len(replaced) == 0 {
		errs = append(errs, errors.New("it replaces nothing"))
	}
	for _, name := range s.removes {
		if !slices.Contains(found, name) {
			errs = append(errs, fmt.Errorf("the package has no %s to remove", name))
		}
	}
	for name, f := range s.funcs {
		if was, same := bodies[bodyOf(f)]; same {
			errs = append(errs, fmt.Errorf("%s has the body of the package's %s", name, was))
		}
		if slices.Contains(replaced, name) && !s.callsLibrary(name, map[string]bool{}) {
			errs = append(errs, fmt.Errorf("%s does not call the library", name))
		}
	}
	return errors.Join(errs...)
}

// callsLibrary reports whether the function or variable uses the library,
// directly or through other parts of the shim.
func (s *shim) callsLibrary(name string, seen map[string]bool) bool {
	if seen[name] {
		return false
	}
	seen[name] = true
	uses := false
	ast.Inspect(s.declared(name), func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.SelectorExpr:
			for other := range s.funcs {
				uses = uses || strings.HasSuffix(other, "."+x.Sel.Name) && s.callsLibrary(other, seen)
			}
		case *ast.Ident:
			uses = uses || s.fromLibrary(x.Name) || s.declared(x.Name) != nil && s.callsLibrary(x.Name, seen)
		}
		return !uses
	})
	return uses
}

// fromLibrary reports whether the shim imports a package of the library by the name.
func (s *shim) fromLibrary(name string) bool {
	return slices.ContainsFunc(s.file.Imports, func(spec *ast.ImportSpec) bool {
		path, _ := strconv.Unquote(spec.Path.Value)
		return importName(spec) == name && (path == library || strings.HasPrefix(path, library+"/"))
	})
}

// declared returns the body of the shim's function, or its variable, or nil.
func (s *shim) declared(name string) ast.Node {
	if f := s.funcs[name]; f != nil {
		return f.Body
	}
	if v := s.vars[name]; v != nil {
		return v
	}
	return nil
}
