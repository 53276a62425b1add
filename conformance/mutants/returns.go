// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// returns finds the mutants of a return statement: each result is its zero value,
// a number one more or less, a truth the opposite.
func (w *walker) returns(s *ast.ReturnStmt) {
	results := w.results()
	switch {
	case results == nil || results.Len() == 0:
	case len(s.Results) == results.Len():
		for i, x := range s.Results {
			w.result(x, results.At(i).Type())
		}
	default:
		w.returnZeros(s, results)
	}
}

// results returns the results of the function around the node that is looked at.
func (w *walker) results() *types.Tuple {
	for i := 1; i < len(w.stack); i++ {
		switch n := w.parent(i).(type) {
		case *ast.FuncLit:
			return w.info.TypeOf(n).(*types.Signature).Results()
		case *ast.FuncDecl:
			return w.info.Defs[n.Name].Type().(*types.Signature).Results()
		}
	}
	return nil
}

func (w *walker) result(x ast.Expr, typ types.Type) {
	if w.isEmpty(x) {
		return
	}
	constant := w.info.Types[x].Value != nil
	basic, _ := typ.Underlying().(*types.Basic)
	switch {
	case basic != nil && basic.Info()&types.IsBoolean != 0:
		if !constant && !decides(x) {
			w.negate(x, "return", "!"+w.text(x))
		}
		return
	case basic != nil && basic.Info()&types.IsNumeric != 0:
		if constant {
			return // it has mutants of its own
		}
		w.returnZero(x, typ)
		w.offByOne(x, "return", "", basic.Info()&types.IsUnsigned == 0)
		return
	}
	if constant && w.isMutantString(x) {
		return
	}
	w.returnZero(x, typ)
}

// isMutantString reports whether the constant is the empty string already, or
// becomes it in a mutant of its own.
func (w *walker) isMutantString(x ast.Expr) bool {
	empty := w.info.Types[x].Value.ExactString() == `""`
	return empty || isNamed(x)
}

func (w *walker) returnZero(x ast.Expr, typ types.Type) {
	k := w.add(x, "return", w.text(x), "zero")
	w.hold(k, w.wrapOf(x, w.zeroOf(k, x, typ), ")"))
}

// decides reports whether the expression has a boolean operator, whose mutants
// say more than its negation.
func decides(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.BinaryExpr:
		return true
	case *ast.UnaryExpr:
		return x.Op == token.NOT
	}
	return false
}

// returnZeros adds the mutant of a return without a list, or of what another
// function returns: all results are zero.
func (w *walker) returnZeros(s *ast.ReturnStmt, results *types.Tuple) {
	if !w.inList() {
		return
	}
	zeros := make([]string, results.Len())
	for i := range zeros {
		zeros[i] = "*new(" + w.typeName(results.At(i).Type()) + ")"
	}
	k := w.add(s, "return", w.text(s), "return zeros")
	w.hold(k, w.wrapOf(s, "if "+on(k)+" { return "+strings.Join(zeros, ", ")+" }; ", ""))
}
