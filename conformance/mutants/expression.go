// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
)

// expression finds the mutants of an expression, and reports whether to visit
// its children.
func (w *walker) expression(e ast.Expr) bool {
	tv, ok := w.info.Types[e]
	if ok && tv.IsType() {
		return false // including the lengths of arrays, which are like capacities
	}
	if w.isCapacity(e) {
		return false
	}
	if ok && tv.Value != nil {
		return w.constant(e, tv)
	}
	if ok && tv.IsValue() {
		w.condition(e)
		w.field(e)
	}
	switch e := e.(type) {
	case *ast.FuncLit:
		w.function(e.Type, e.Body)
	case *ast.BinaryExpr:
		w.binary(e)
	case *ast.UnaryExpr:
		w.unary(e)
	case *ast.SliceExpr:
		w.bounds(e)
	case *ast.CallExpr:
		w.call(e)
	}
	return true
}

// binary finds the mutants of a binary operator.
func (w *walker) binary(e *ast.BinaryExpr) {
	switch e.Op {
	case token.LAND, token.LOR:
		w.logic(e)
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		w.comparison(e)
	case token.ADD:
		if w.isKind(e, types.IsString) {
			w.concatenation(e)
			return
		}
		w.arithmetic(e)
	default:
		w.arithmetic(e)
	}
}

// isKind reports whether the underlying type of the expression is a basic type
// of the kind.
func (w *walker) isKind(e ast.Expr, kind types.BasicInfo) bool {
	t, ok := w.info.TypeOf(e).Underlying().(*types.Basic)
	return ok && t.Info()&kind != 0
}

// isParameter reports whether the expression's type is a type parameter.
func (w *walker) isParameter(e ast.Expr) bool {
	_, ok := types.Unalias(w.info.TypeOf(e)).(*types.TypeParam)
	return ok
}

// arithmetics maps each operator to its replacement and to the function in the
// support file.
var arithmetics = map[token.Token]struct {
	to       token.Token
	function string
}{
	token.ADD:     {token.SUB, "__add"},
	token.SUB:     {token.ADD, "__sub"},
	token.MUL:     {token.QUO, "__mul"},
	token.QUO:     {token.MUL, "__quo"},
	token.REM:     {token.MUL, "__rem"},
	token.AND:     {token.OR, "__and"},
	token.OR:      {token.AND, "__or"},
	token.XOR:     {token.AND, "__xor"},
	token.AND_NOT: {token.AND, "__andnot"},
	token.SHL:     {token.SHR, "__shl"},
	token.SHR:     {token.SHL, "__shr"},
}

func (w *walker) arithmetic(e *ast.BinaryExpr) {
	a, ok := arithmetics[e.Op]
	if !ok || !w.isKind(e, types.IsNumeric) && !w.isParameter(e) {
		return
	}
	k := w.add(e, "arithmetic", w.text(e), w.operation(e, a.to))
	function := a.function
	if t, known := w.constantType(e.X); known && (e.Op == token.SHL || e.Op == token.SHR) {
		function += "[" + t + "]" // a shifted constant's type cannot be inferred
	}
	s := w.hold(k, w.wrapOf(e, fmt.Sprintf("%s(%d, ", function, k), ")"))
	s.tokens = []edit{w.operator(e, ",")}
}

// operation returns the text of the operation with another operator.
func (w *walker) operation(e *ast.BinaryExpr, op token.Token) string {
	return w.text(e.X) + " " + op.String() + " " + w.text(e.Y)
}

// operator returns an edit that replaces the operator.
func (w *walker) operator(e *ast.BinaryExpr, text string) edit {
	at := w.offset(e.OpPos)
	return edit{at, at + len(e.Op.String()), text}
}

// constantType returns the name of the type of a constant expression.
func (w *walker) constantType(e ast.Expr) (name string, known bool) {
	tv := w.info.Types[e]
	if tv.Value == nil {
		return "", false
	}
	return w.typeName(types.Default(tv.Type)), true
}

func (w *walker) concatenation(e *ast.BinaryExpr) {
	left := w.add(e, "concatenation", w.text(e), w.text(e.X))
	right := w.add(e, "concatenation", w.text(e), w.text(e.Y))
	s := w.hold(left, w.wrapOf(e, fmt.Sprintf("__concat(%d, %d, ", left, right), ")"))
	s.tokens = []edit{w.operator(e, ",")}
}

// logic finds the mutants of && and ||: it replaces one by the other. A mutant
// that drops an operand forces the other operand, see condition. By De Morgan's
// law a site needs neither operand twice.
func (w *walker) logic(e *ast.BinaryExpr) {
	other := token.LOR
	if e.Op == token.LOR {
		other = token.LAND
	}
	k := w.add(e, "logic", w.text(e), w.operation(e, other))
	w.hold(k, w.wrapOf(e, "("+on(k)+" != (", "))"),
		w.wrapOf(e.X, "(", " != "+on(k)+")"),
		w.wrapOf(e.Y, "(", " != "+on(k)+")"))
}

func (w *walker) unary(e *ast.UnaryExpr) {
	switch e.Op {
	case token.NOT:
		if w.role() != forcedBoth {
			w.negate(e, "logic", w.text(e.X))
		}
	case token.SUB:
		k := w.add(e, "arithmetic", w.text(e), w.text(e.X))
		w.hold(k, w.wrapOf(e, fmt.Sprintf("__negate(%d, ", k), ")"))
	}
}

// A role is what a boolean expression decides.
type role int

const (
	noCondition role = iota
	forcedBoth       // the condition of an if or a case
	loop             // the condition of a loop
	andOperand       // an operand of &&
	orOperand        // an operand of ||
)

// role returns the role of the current expression, ignoring parentheses.
func (w *walker) role() role {
	i := 1
	inner := w.stack[len(w.stack)-1]
	for ; ; i++ {
		p, ok := w.parent(i).(*ast.ParenExpr)
		if !ok {
			break
		}
		inner = p
	}
	switch n := w.parent(i).(type) {
	case *ast.IfStmt:
		if inner == n.Cond {
			return forcedBoth
		}
	case *ast.ForStmt:
		if inner == n.Cond {
			return loop
		}
	case *ast.CaseClause:
		if s, ok := w.parent(i + 2).(*ast.SwitchStmt); ok && s.Tag == nil {
			return forcedBoth
		}
	case *ast.BinaryExpr:
		switch n.Op {
		case token.LAND:
			return andOperand
		case token.LOR:
			return orOperand
		}
	}
	return noCondition
}

// condition forces the result of an expression: the condition of an if or a case
// both ways, and an operand of && or || so that only the other operand counts.
// It does not force the condition of a loop: another mutant skips the loop's
// body, and a loop that never ends shows nothing.
func (w *walker) condition(e ast.Expr) {
	if _, parens := e.(*ast.ParenExpr); parens {
		return
	}
	role := w.role()
	if b, ok := e.(*ast.BinaryExpr); ok &&
		(role == andOperand && b.Op == token.LAND || role == orOperand && b.Op == token.LOR) {
		return // its own operands are forced
	}
	first := *w.numbers + 1
	pre, post := "(", ")"
	if role == forcedBoth || role == orOperand {
		k := w.add(e, "condition", w.text(e), "false")
		pre, post = pre+"!"+on(k)+" && (", ")"+post
	}
	if role == forcedBoth || role == andOperand {
		k := w.add(e, "condition", w.text(e), "true")
		pre, post = pre+on(k)+" || (", ")"+post
	}
	if *w.numbers >= first {
		w.hold(first, w.wrapOf(e, pre, post))
	}
}

// bounds moves the bounds of a slice expression by one. It skips a bound that
// ends in a constant, because moving the constant has the same effect.
func (w *walker) bounds(e *ast.SliceExpr) {
	for _, bound := range []ast.Expr{e.Low, e.High, e.Max} {
		if bound == nil || w.info.Types[bound].Value != nil || w.endsInConstant(bound) {
			continue
		}
		w.offByOne(bound, "bound", "", true)
	}
}

func (w *walker) endsInConstant(e ast.Expr) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	return ok && (b.Op == token.ADD || b.Op == token.SUB) && w.info.Types[b.Y].Value != nil
}

// offByOne adds the mutant x+1 and, if below is set, x-1. Callers pass the type
// if it cannot be inferred.
func (w *walker) offByOne(x ast.Expr, operator, typ string, below bool) {
	text := w.text(x)
	if b, ok := x.(*ast.BinaryExpr); ok && b.Op.Precedence() < token.ADD.Precedence() {
		text = "(" + text + ")"
	}
	inc := w.add(x, operator, w.text(x), text+" + 1")
	pre, post := fmt.Sprintf("__inc%s(%d, ", typ, inc), ")"
	if below {
		dec := w.add(x, operator, w.text(x), text+" - 1")
		pre, post = pre+fmt.Sprintf("__dec%s(%d, ", typ, dec), post+")"
	}
	w.hold(inc, w.wrapOf(x, pre, post))
}

// field adds a mutant that leaves a field of a literal at its zero value.
// Constants have their own mutants.
func (w *walker) field(e ast.Expr) {
	i := 1
	kv, keyed := w.parent(1).(*ast.KeyValueExpr)
	if keyed {
		i++
	}
	lit, ok := w.parent(i).(*ast.CompositeLit)
	if !ok || e == lit.Type || keyed && e != kv.Value || w.isEmpty(e) {
		return
	}
	typ, ok := fieldType(w.info.TypeOf(lit), lit, kv, e)
	if !ok {
		return
	}
	name := ""
	if keyed {
		name = w.text(kv.Key) + ": "
	}
	k := w.add(e, "field", name+w.text(e), name+"zero")
	w.hold(k, w.wrapOf(e, w.zeroOf(k, e, typ), ")"))
}

// fieldType returns the type of the struct field that the literal sets to
// the expression.
func fieldType(t types.Type, lit *ast.CompositeLit, kv *ast.KeyValueExpr, e ast.Expr) (types.Type, bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem() // the element type of a list of pointers
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil, false
	}
	for i := range s.NumFields() {
		if kv == nil && lit.Elts[i] == e {
			return s.Field(i).Type(), true
		}
		if kv != nil && s.Field(i).Name() == kv.Key.(*ast.Ident).Name {
			return s.Field(i).Type(), true
		}
	}
	return nil, false
}

// zeroOf returns the start of a call that returns the zero value of the type for
// the mutant k, and the expression's value otherwise.
func (w *walker) zeroOf(k int, e ast.Expr, typ types.Type) string {
	if w.info.Types[e].Value == nil && types.Identical(w.info.TypeOf(e), typ) {
		return "__zero(" + strconv.Itoa(k) + ", "
	}
	return "__zero[" + w.typeName(typ) + "](" + strconv.Itoa(k) + ", "
}

// isEmpty reports whether the expression is visibly a zero value.
func (w *walker) isEmpty(e ast.Expr) bool {
	if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		_, list := w.info.TypeOf(lit).Underlying().(*types.Slice)
		_, table := w.info.TypeOf(lit).Underlying().(*types.Map)
		return len(lit.Elts) == 0 && !list && !table
	}
	return w.info.Types[e].IsNil()
}

// copies matches the names of functions and methods that return a copy of their
// argument or receiver.
var copies = regexp.MustCompile(`^(?i:clone|clip)([A-Z].*)?$`)

// call finds the mutants that replace a call. A call that is a statement
// has others.
func (w *walker) call(e *ast.CallExpr) {
	switch {
	case w.isBuiltin(e, "min"):
		w.extreme(e, "max")
	case w.isBuiltin(e, "max"):
		w.extreme(e, "min")
	case w.isBuiltin(e, "append"):
		if len(e.Args) > 1 && !w.assignsTo(e, e.Args[0]) {
			w.unwrap(e, e.Args[0], "append")
		}
	default:
		from := copied(e)
		if from == nil || w.info.TypeOf(from) == nil || !types.Identical(w.info.TypeOf(from), w.info.TypeOf(e)) {
			return
		}
		w.unwrap(e, from, "copy")
	}
}

// copied returns the expression that the call copies, if the function's name
// says that it copies.
func copied(e *ast.CallExpr) ast.Expr {
	fun := ast.Unparen(e.Fun)
	if id, ok := fun.(*ast.Ident); ok && copies.MatchString(id.Name) && len(e.Args) > 0 {
		return e.Args[0]
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok || !copies.MatchString(sel.Sel.Name) {
		return nil
	}
	if len(e.Args) == 0 {
		return sel.X
	}
	return e.Args[0]
}

// assignsTo reports whether a statement assigns only the call to the expression.
func (w *walker) assignsTo(call *ast.CallExpr, e ast.Expr) bool {
	a, ok := w.parent(1).(*ast.AssignStmt)
	return ok && len(a.Lhs) == 1 && a.Rhs[0] == call && w.text(a.Lhs[0]) == w.text(e)
}

// unwrap adds the mutant that replaces the call by one of its arguments.
func (w *walker) unwrap(e *ast.CallExpr, x ast.Expr, operator string) {
	k := w.add(e, operator, w.text(e), w.text(x))
	pre := "func() " + w.typeName(w.info.TypeOf(e)) + " { if " + on(k) + " { return " + w.raw(x) + " }; return "
	w.hold(k, w.wrapOf(e, pre, " }()"))
}

func (w *walker) extreme(e *ast.CallExpr, other string) {
	fun := ast.Unparen(e.Fun).(*ast.Ident)
	k := w.add(e, "extreme", w.text(e), other+w.text(e)[len(fun.Name):])
	at := w.offset(e.Lparen) + 1
	s := w.hold(k, wrap{at, at, strconv.Itoa(k) + ", ", ""})
	s.tokens = []edit{{w.offset(fun.Pos()), w.offset(fun.End()), "__" + fun.Name}}
}
