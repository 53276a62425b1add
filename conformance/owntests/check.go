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

// check returns an error unless the library makes the decisions of the shim:
//
//   - The shim replaces a function, and each function that it removes exists.
//   - Each function of the shim that replaces one uses the library.
//   - No function of the package or the shim has the body of a function that was
//     replaced or removed.
//   - The shim calls no function of the package except those that it names.
//   - It uses no function of another package that a shim replaces or removes.
func (s *shim) check(files []*original, replaced []string, deciding map[string]bool) error {
	var errs []error
	kept, bodies := map[string]bool{}, map[string]string{}
	found := slices.Clone(replaced)
	for _, f := range files {
		for _, d := range f.cut {
			found = append(found, nameOf(d))
			if len(d.Body.List) > 1 {
				bodies[bodyOf(d)] = nameOf(d)
			}
		}
	}
	for _, f := range files {
		for _, d := range f.keep {
			kept[d.Name.Name] = true
			if was, same := bodies[bodyOf(d)]; same {
				errs = append(errs, fmt.Errorf("%s still has the body of %s", nameOf(d), was))
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
		if slices.Contains(replaced, name) && !s.leadsToLibrary(name, map[string]bool{}) {
			errs = append(errs, fmt.Errorf("%s does not call the library", name))
		}
		errs = append(errs, s.checkCalls(name, f.Body, kept, deciding)...)
	}
	for name, v := range s.vars {
		errs = append(errs, s.checkCalls(name, v, kept, deciding)...)
	}
	return errors.Join(errs...)
}

// imports returns the paths of the shim's imports by name.
func (s *shim) imports() map[string]string {
	paths := map[string]string{}
	for _, spec := range s.file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		paths[importName(spec)] = p
	}
	return paths
}

func isLibrary(path string) bool { return path == library || strings.HasPrefix(path, library+"/") }

// data are the names in the library that hold data and decide nothing.
var data = []string{
	"Taint", "TaintID", "Toleration", "Effect", "EffectSet", "Operator",
	"ErrorList", "FieldError", "ErrorKind", "Verdict", "Eviction",
	"NodeState", "Condition", "Zone", "NoSchedule", "PreferNoSchedule", "NoExecute", "OpExists",

	// the views of package kube
	"Taints", "Tolerations", "TaintPtr", "TolerationPtr",
	"CoreTaint", "CoreTaints", "CoreTaintPtr", "CoreToleration", "CoreTolerations", "CoreTolerationPtr",
}

// leadsToLibrary reports whether the function or variable uses more of the
// library than its data, directly or through other parts of the shim.
func (s *shim) leadsToLibrary(name string, seen map[string]bool) bool {
	if seen[name] {
		return false
	}
	seen[name] = true
	paths, leads := s.imports(), false
	ast.Inspect(s.declared(name), func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.SelectorExpr:
			if name, ok := ofLibrary(x, paths); ok && !slices.Contains(data, name) {
				leads = true
			}
			if _, ok := ofLibrary(x.X, paths); ok { // a method expression, such as Taint.String
				leads = true
			}
			for other := range s.funcs {
				if strings.HasSuffix(other, "."+x.Sel.Name) && s.leadsToLibrary(other, seen) {
					leads = true
				}
			}
		case *ast.CallExpr:
			sel, _ := x.Fun.(*ast.SelectorExpr)
			if sel == nil {
				break
			}
			if view, ok := sel.X.(*ast.CallExpr); ok {
				if _, ok := ofLibrary(view.Fun, paths); ok { // a method of a view
					leads = true
				}
			}
		case *ast.Ident:
			if s.declared(x.Name) != nil && s.leadsToLibrary(x.Name, seen) {
				leads = true
			}
		}
		return !leads
	})
	return leads
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

// ofLibrary returns the name that the expression selects, and reports whether it
// is from the library.
func ofLibrary(n ast.Expr, paths map[string]string) (string, bool) {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	x, ok := sel.X.(*ast.Ident)
	return sel.Sel.Name, ok && isLibrary(paths[x.Name])
}

// checkCalls returns an error for each function that the shim's code must not call.
func (s *shim) checkCalls(name string, code ast.Node, kept, deciding map[string]bool) []error {
	var errs []error
	paths := s.imports()
	ast.Inspect(code, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.SelectorExpr:
			path := ""
			if p, ok := x.X.(*ast.Ident); ok {
				path = paths[p.Name]
			}
			_, method := ofLibrary(x.X, paths)
			switch {
			case method:
			case path == "": // a field or method
				if kept[x.Sel.Name] && !slices.Contains(s.calls, x.Sel.Name) {
					errs = append(errs, fmt.Errorf("%s calls %s of the package", name, x.Sel.Name))
				}
			case !isLibrary(path) && deciding[path+"."+x.Sel.Name]:
				errs = append(errs, fmt.Errorf("%s uses %s.%s, which shims replace", name, path, x.Sel.Name))
			}
		case *ast.CallExpr:
			if fun, ok := x.Fun.(*ast.Ident); ok && kept[fun.Name] && !slices.Contains(s.calls, fun.Name) {
				errs = append(errs, fmt.Errorf("%s calls %s of the package", name, fun.Name))
			}
			if sel, ok := x.Fun.(*ast.SelectorExpr); ok &&
				slices.Contains([]string{"ToleratesTaint", "MatchTaint", "MatchToleration"}, sel.Sel.Name) {
				errs = append(errs, fmt.Errorf("%s calls %s", name, sel.Sel.Name))
			}
		}
		return true
	})
	return errs
}
