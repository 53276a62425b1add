// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
)

// constant finds the mutants of a constant expression. The largest expression
// that code can replace is treated as one constant.
func (w *walker) constant(e ast.Expr, tv types.TypeAndValue) bool {
	if w.isIndex(e) {
		return false
	}
	if _, parens := e.(*ast.ParenExpr); parens {
		return true
	}
	t, ok := types.Default(tv.Type).Underlying().(*types.Basic)
	if !ok {
		return false
	}
	switch {
	case t.Info()&types.IsBoolean != 0:
		w.negate(e, "constant", strconv.FormatBool(!constant.BoolVal(tv.Value)))
	case t.Info()&types.IsString != 0:
		w.stringConstant(e, tv)
	case t.Info()&types.IsNumeric != 0:
		w.number(e, tv, t)
	}
	return false
}

// isCapacity reports whether e is the capacity in a call of make, which changes
// no answer.
func (w *walker) isCapacity(e ast.Expr) bool {
	call, ok := w.parent(1).(*ast.CallExpr)
	if !ok || !w.isBuiltin(call, "make") {
		return false
	}
	_, list := w.info.TypeOf(call).Underlying().(*types.Slice)
	return len(call.Args) == 3 && e == call.Args[2] || len(call.Args) == 2 && e == call.Args[1] && !list
}

// number adds and subtracts one.
func (w *walker) number(e ast.Expr, tv types.TypeAndValue, t *types.Basic) {
	above, below := representable(tv.Value, +1, t), representable(tv.Value, -1, t)
	if c, ok := w.parent(1).(*ast.BinaryExpr); ok && e == c.Y {
		skip := w.saidBefore(c)
		above, below = above && skip != +1, below && skip != -1
	}
	typ := ""
	if name, _ := w.constantType(e); name != "int" {
		typ = "[" + name + "]"
	}
	first := *w.numbers + 1
	pre, post := "", ""
	if above {
		number := w.add(e, "constant", w.text(e), moved(e, tv.Value, +1))
		pre, post = pre+fmt.Sprintf("__inc%s(%d, ", typ, number), post+")"
	}
	if below {
		number := w.add(e, "constant", w.text(e), moved(e, tv.Value, -1))
		pre, post = pre+fmt.Sprintf("__dec%s(%d, ", typ, number), post+")"
	}
	if pre != "" {
		w.hold(first, w.wrapOf(e, pre, post))
	}
}

// saidBefore returns the direction in which moving the right side of a comparison
// by one yields another comparison's mutant, or a value that no length has.
func (w *walker) saidBefore(c *ast.BinaryExpr) int {
	if !w.isKind(c.X, types.IsInteger) {
		return 0
	}
	switch c.Op {
	case token.LSS, token.GEQ:
		return +1
	case token.LEQ, token.GTR:
		return -1
	case token.EQL, token.NEQ:
		if w.neverNegative(c.X) && w.isZero(c.Y) {
			return -1
		}
	}
	return 0
}

// representable reports whether the type can represent the value plus by.
func representable(v constant.Value, by int64, t *types.Basic) bool {
	if t.Info()&types.IsInteger == 0 {
		return t.Info()&types.IsComplex == 0
	}
	sum := constant.BinaryOp(constant.ToInt(v), token.ADD, constant.MakeInt64(by))
	if t.Info()&types.IsUnsigned != 0 && constant.Sign(sum) < 0 {
		return false
	}
	bits := constant.BitLen(sum)
	if t.Info()&types.IsUnsigned == 0 && constant.Sign(sum) < 0 {
		// The absolute value of the least number is one more than that of the greatest.
		bits = constant.BitLen(constant.BinaryOp(sum, token.ADD, constant.MakeInt64(1)))
	}
	return bits <= width(t)
}

// width returns the number of bits in the type that are not the sign bit.
func width(t *types.Basic) int {
	sizes := types.StdSizes{WordSize: 8, MaxAlign: 8}
	bits := int(8 * sizes.Sizeof(t))
	if t.Info()&types.IsUnsigned == 0 {
		bits--
	}
	return bits
}

// moved returns the text of the changed constant. For a decimal literal it is
// the next number.
func moved(e ast.Expr, v constant.Value, by int64) string {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind != token.CHAR {
		return constant.BinaryOp(v, token.ADD, constant.MakeInt64(by)).String()
	}
	text := types.ExprString(e)
	if _, binary := e.(*ast.BinaryExpr); binary {
		text = "(" + text + ")"
	}
	if by < 0 {
		return text + " - 1"
	}
	return text + " + 1"
}

// stringConstant replaces a string by the empty one, and the empty one by another.
func (w *walker) stringConstant(e ast.Expr, tv types.TypeAndValue) {
	if !w.isCompared(e) {
		return
	}
	other := `""`
	if constant.StringVal(tv.Value) == "" {
		other = `"mutant"`
	}
	typ := ""
	if name, _ := w.constantType(e); name != "string" {
		typ = "[" + name + "]"
	}
	k := w.add(e, "constant", w.text(e), other)
	w.hold(k, w.wrapOf(e, fmt.Sprintf("__string%s(%d, ", typ, k), ", "+other+")"))
}

// isCompared reports whether behavior depends on the string: it has a name, is
// compared, or is passed to a function that compares. Other strings are messages.
func (w *walker) isCompared(e ast.Expr) bool {
	if isNamed(e) {
		return true
	}
	switch p := w.parent(1).(type) {
	case *ast.CaseClause, *ast.IndexExpr:
		return true
	case *ast.BinaryExpr:
		return p.Op != token.ADD
	case *ast.CallExpr:
		sel, ok := p.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		f, ok := w.info.Uses[sel.Sel].(*types.Func)
		return ok && f.Pkg() != nil &&
			(f.Pkg().Path() == "strings" || f.Pkg().Path() == "bytes" || f.Pkg().Path() == "slices")
	}
	return false
}

func isNamed(e ast.Expr) bool {
	switch e.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return true
	}
	return false
}
