// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// The comparisons, by their digits in the support file's __compare.
var comparisons = []token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ}

// neighbors are the comparisons that take the place of another: for numbers, and
// for all else.
var neighbors = map[token.Token]struct{ numbers, others []token.Token }{
	token.LSS: {[]token.Token{token.LEQ, token.NEQ, token.GEQ}, []token.Token{token.LEQ, token.GEQ}},
	token.LEQ: {[]token.Token{token.LSS, token.EQL, token.GTR}, []token.Token{token.LSS, token.GTR}},
	token.GTR: {[]token.Token{token.GEQ, token.NEQ, token.LEQ}, []token.Token{token.GEQ, token.LEQ}},
	token.GEQ: {[]token.Token{token.GTR, token.EQL, token.LSS}, []token.Token{token.GTR, token.LSS}},
	token.EQL: {[]token.Token{token.LEQ, token.GEQ, token.NEQ}, []token.Token{token.NEQ}},
	token.NEQ: {[]token.Token{token.LSS, token.GTR, token.EQL}, []token.Token{token.EQL}},
}

// negations are what a comparison and its negation have in common.
var negations = map[token.Token]token.Token{
	token.LSS: token.GEQ, token.GEQ: token.LSS,
	token.LEQ: token.GTR, token.GTR: token.LEQ,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
}

// comparison finds the mutants of a comparison. Without those that are the same
// for all operands that can be, and, in a condition that is forced both ways,
// without the negation, which fails wherever these do.
func (w *walker) comparison(e *ast.BinaryExpr) {
	numbers := w.isKind(e.X, types.IsNumeric) && w.isKind(e.Y, types.IsNumeric)
	candidates := neighbors[e.Op].others
	if numbers {
		candidates = neighbors[e.Op].numbers
	}
	var ops []token.Token
	for _, op := range candidates {
		switch {
		case op == negations[e.Op] && w.role() == forcedBoth:
		case op == token.NEQ && e.Op == token.LSS && w.role() == loop:
			// A counter stops at its bound either way.
		case w.sameForLengths(e, op):
		default:
			ops = append(ops, op)
		}
	}
	if len(ops) == 0 {
		return
	}
	if len(ops) == 1 && ops[0] == negations[e.Op] {
		w.negate(e, "comparison", w.operation(e, negations[e.Op]))
		return
	}
	first, digits := *w.numbers+1, digit(e.Op)
	for i, op := range ops {
		w.add(e, "comparison", w.text(e), w.operation(e, op))
		digits |= digit(op) << (3 * (i + 1))
	}
	s := w.hold(first, w.wrapOf(e, fmt.Sprintf("__compare(%d, %d, %#o, ", first, len(ops), digits), ")"))
	s.tokens = []edit{w.operator(e, ",")}
}

func digit(op token.Token) int {
	for i, c := range comparisons {
		if c == op {
			return i
		}
	}
	panic("no comparison: " + op.String())
}

// negate adds a mutant that is the opposite of a boolean expression.
func (w *walker) negate(e ast.Expr, operator, to string) {
	k := w.add(e, operator, w.text(e), to)
	w.hold(k, w.wrapOf(e, "((", ") != "+on(k)+")"))
}

// sameForLengths reports whether e compares a length or another number that is
// never negative with 0, and the operator op gives the same answer, or one that
// is the same for all lengths, as forcing the condition does.
func (w *walker) sameForLengths(e *ast.BinaryExpr, op token.Token) bool {
	if !w.neverNegative(e.X) || !w.isZero(e.Y) {
		return false
	}
	zero, more := holds(0, op), holds(1, op)
	return zero == more || zero == holds(0, e.Op) && more == holds(1, e.Op)
}

// holds reports whether n stands in the relation to 0.
func holds(n int, op token.Token) bool {
	switch op {
	case token.LSS:
		return n < 0
	case token.LEQ:
		return n <= 0
	case token.GTR:
		return n > 0
	case token.GEQ:
		return n >= 0
	case token.EQL:
		return n == 0
	}
	return n != 0
}

// neverNegative reports whether the expression is a length, a capacity, or of an
// unsigned type.
func (w *walker) neverNegative(e ast.Expr) bool {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && (w.isBuiltin(call, "len") || w.isBuiltin(call, "cap")) {
		return true
	}
	t, ok := w.info.TypeOf(e).Underlying().(*types.Basic)
	return ok && t.Info()&types.IsUnsigned != 0
}

func (w *walker) isZero(e ast.Expr) bool {
	v := w.info.Types[e].Value
	return v != nil && v.ExactString() == "0"
}

func (w *walker) isBuiltin(call *ast.CallExpr, name string) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || id.Name != name {
		return false
	}
	_, builtin := w.info.Uses[id].(*types.Builtin)
	return builtin
}
