// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// statement finds the mutants of a statement.
func (w *walker) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		w.assignment(s)
	case *ast.IncDecStmt:
		w.count(s)
	case *ast.ExprStmt:
		w.statementCall(s)
	case *ast.SendStmt, *ast.GoStmt:
		w.remove(s, "statement")
	case *ast.DeferStmt:
		w.remove(s, "defer")
	case *ast.ReturnStmt:
		w.returns(s)
	case *ast.BranchStmt:
		w.branch(s)
	case *ast.ForStmt:
		w.skipBody(s, s.Body)
	case *ast.RangeStmt:
		w.skipBody(s, s.Body)
	case *ast.CaseClause:
		w.skipCase(s)
	}
}

// inList reports whether the statement that is looked at stands in a list of
// statements, and not in the head of another.
func (w *walker) inList() bool {
	switch p := w.parent(1).(type) {
	case *ast.BlockStmt:
		return true
	case *ast.CaseClause:
		return true
	case *ast.CommClause:
		return p.Comm != w.stack[len(w.stack)-1]
	}
	return false
}

// isAll reports whether the statement is all that an if or a loop does, so that
// forcing the condition or skipping the body says the same as removing it.
func (w *walker) isAll() bool {
	b, ok := w.parent(1).(*ast.BlockStmt)
	if !ok || len(b.List) != 1 {
		return false
	}
	switch p := w.parent(2).(type) {
	case *ast.IfStmt:
		return p.Else == nil
	case *ast.ForStmt, *ast.RangeStmt:
		return true
	}
	return false
}

// remove adds the mutant without the statement.
func (w *walker) remove(s ast.Stmt, operator string) {
	if !w.inList() || w.isAll() {
		return
	}
	k := w.add(s, operator, w.text(s), "nothing")
	w.hold(k, w.wrapOf(s, "if !"+on(k)+" { ", " }"))
}

// instead adds the mutant with another statement.
func (w *walker) instead(s ast.Stmt, to string) {
	if !w.inList() {
		return
	}
	k := w.add(s, "arithmetic", w.text(s), oneLine(to))
	w.hold(k, w.wrapOf(s, "if "+on(k)+" { "+to+" } else { ", " }"))
}

// assignments are the operators of assignments, with those that take their place.
var assignments = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.MUL_ASSIGN: token.QUO_ASSIGN, token.QUO_ASSIGN: token.MUL_ASSIGN, token.REM_ASSIGN: token.MUL_ASSIGN,
	token.SHL_ASSIGN: token.SHR_ASSIGN, token.SHR_ASSIGN: token.SHL_ASSIGN,
	token.AND_ASSIGN: token.OR_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN,
	token.XOR_ASSIGN: token.AND_ASSIGN, token.AND_NOT_ASSIGN: token.AND_ASSIGN,
}

func (w *walker) assignment(s *ast.AssignStmt) {
	if s.Tok == token.DEFINE {
		w.definition(s)
		return
	}
	if len(s.Lhs) == 1 && isBlank(s.Lhs[0]) {
		return
	}
	w.remove(s, "statement")
	if op, ok := assignments[s.Tok]; ok && w.isKind(s.Lhs[0], types.IsNumeric) {
		w.instead(s, w.raw(s.Lhs[0])+" "+op.String()+" "+w.raw(s.Rhs[0]))
	}
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// definition starts variables at their zero values, where they can be and a
// constant has no mutants of its own.
func (w *walker) definition(s *ast.AssignStmt) {
	if len(s.Lhs) != len(s.Rhs) {
		return
	}
	for i, x := range s.Rhs {
		if !isBlank(s.Lhs[i]) && w.hasUsefulZero(x) {
			name := w.text(s.Lhs[i])
			k := w.add(x, "definition", name+" := "+w.text(x), name+" := zero")
			w.hold(k, w.wrapOf(x, w.zeroOf(k, x, w.info.TypeOf(x)), ")"))
		}
	}
}

// hasUsefulZero reports whether the expression can be replaced by a zero value
// that a program gets on with: not by a nil pointer, function or map. What a type
// switch is over has no type.
func (w *walker) hasUsefulZero(e ast.Expr) bool {
	if w.info.TypeOf(e) == nil || w.info.Types[e].Value != nil || w.isEmpty(e) {
		return false
	}
	switch w.info.TypeOf(e).Underlying().(type) {
	case *types.Basic, *types.Slice, *types.Array, *types.Struct:
		return true
	}
	return false
}

func (w *walker) count(s *ast.IncDecStmt) {
	w.remove(s, "statement")
	other := "--"
	if s.Tok == token.DEC {
		other = "++"
	}
	w.instead(s, w.raw(s.X)+other)
}

// statementCall removes calls. One of panic at the end of a list leads nowhere
// without it.
func (w *walker) statementCall(s *ast.ExprStmt) {
	if call, ok := s.X.(*ast.CallExpr); ok && w.isBuiltin(call, "panic") && w.isLast(s) {
		return
	}
	w.remove(s, "statement")
}

func (w *walker) isLast(s ast.Stmt) bool {
	switch p := w.parent(1).(type) {
	case *ast.BlockStmt:
		return p.List[len(p.List)-1] == s
	case *ast.CaseClause:
		return p.Body[len(p.Body)-1] == s
	}
	return false
}

// skipBody leaves a loop before its first turn.
func (w *walker) skipBody(s ast.Stmt, body *ast.BlockStmt) {
	if len(body.List) == 0 {
		return
	}
	head := oneLine(string(w.source[w.offset(s.Pos()) : w.offset(body.Lbrace)+1]))
	k := w.add(s, "loop", head, head+" break")
	at := w.offset(body.Lbrace) + 1
	w.hold(k, wrap{at, at, " if " + on(k) + " { break };", ""})
}

// skipCase leaves out what a case of a type switch does. The values and
// conditions of other switches have mutants of their own.
func (w *walker) skipCase(s *ast.CaseClause) {
	if _, ok := w.parent(2).(*ast.TypeSwitchStmt); !ok || len(s.Body) == 0 {
		return
	}
	head := oneLine(string(w.source[w.offset(s.Pos()) : w.offset(s.Colon)+1]))
	k := w.add(s, "case", head, head+" break")
	at := w.offset(s.Colon) + 1
	w.hold(k, wrap{at, at, " if " + on(k) + " { break };", ""})
}

// branch makes break of continue and the other way round.
func (w *walker) branch(s *ast.BranchStmt) {
	other := "continue"
	switch s.Tok {
	case token.CONTINUE:
		other = "break"
	case token.BREAK:
	default:
		return
	}
	depth, between := w.target(s)
	if depth == 0 || !w.inList() {
		return
	}
	text := other
	if s.Label != nil {
		text += " " + s.Label.Name
	} else if between {
		text += " " + w.label(depth)
	}
	k := w.add(s, "branch", w.text(s), strings.TrimSpace(other+" "+labelOf(s)))
	w.hold(k, w.wrapOf(s, "if "+on(k)+" { "+text+" }; ", ""))
}

func labelOf(s *ast.BranchStmt) string {
	if s.Label == nil {
		return ""
	}
	return s.Label.Name
}

// target returns how far out the loop is that the statement leaves or goes on
// with, and whether a switch or select is between; 0 where it leaves no loop.
func (w *walker) target(s *ast.BranchStmt) (depth int, between bool) {
	for i := 1; i < len(w.stack); i++ {
		switch w.parent(i).(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return 0, false
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if s.Label == nil && s.Tok == token.BREAK {
				return 0, false
			}
			between = true
		case *ast.ForStmt, *ast.RangeStmt:
			if l, ok := w.parent(i + 1).(*ast.LabeledStmt); s.Label == nil || ok && l.Label.Name == s.Label.Name {
				return i, between
			}
		}
	}
	return 0, false
}

// label returns the label of the loop so far out, which it gives it if it has
// none.
func (w *walker) label(depth int) string {
	if l, ok := w.parent(depth + 1).(*ast.LabeledStmt); ok {
		return l.Label.Name
	}
	s := w.parent(depth).(ast.Stmt)
	if w.labels[s] == "" {
		w.labels[s] = "__loop" + strconv.Itoa(w.offset(s.Pos()))
		w.serve(w.wrapOf(s, w.labels[s]+": ", ""))
	}
	return w.labels[s]
}

// function ends a function with results in a panic where the sites in its last
// statement may take from it that it returns or never ends, which the compiler
// asks for.
func (w *walker) function(t *ast.FuncType, body *ast.BlockStmt) {
	if body == nil || t.Results == nil || len(body.List) == 0 {
		return
	}
	if _, returns := body.List[len(body.List)-1].(*ast.ReturnStmt); returns {
		return
	}
	end := w.offset(body.Rbrace)
	w.serve(wrap{end, end, `; panic("a mutant came to the end of the function");`, ""})
}
