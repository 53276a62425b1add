// SPDX-License-Identifier: Apache-2.0

// Package jsontree reads JSON into a tree that knows where in the text each value
// stands, and writes JSON. It is for programs that must stay small: it imports
// neither fmt nor reflect nor encoding/json.
package jsontree

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A Kind says what a value is.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String returns the kind in words, as in "a string".
func (k Kind) String() string {
	return [...]string{"null", "true or false", "a number", "a string", "an array", "an object"}[k]
}

// A Value is one value of a text, which stands from Start to End.
type Value struct {
	Kind       Kind
	Start, End int
	Text       string // a string, decoded; a number, true or false as written
	Items      []Value
	Members    []Member
}

// A Member is one member of an object.
type Member struct {
	Name       string
	Start, End int // of the name, with its quotes
	Value      Value
}

// Get returns the object's member of the name, the last of several, and nil
// where there is none.
func (v *Value) Get(name string) *Value {
	for i := len(v.Members) - 1; i >= 0; i-- {
		if v.Members[i].Name == name {
			return &v.Members[i].Value
		}
	}
	return nil
}

// A SyntaxError says why a text is not JSON.
type SyntaxError struct {
	Offset  int // in bytes, of the first that is wrong
	Message string
}

func (e *SyntaxError) Error() string { return e.Message }

// maxDepth is how deep values may be nested. A browser's stack holds little more.
const maxDepth = 200

// Parse reads the text, which holds one value and white space around it. The error
// is a [*SyntaxError].
func Parse(text string) (*Value, error) {
	p := parser{text: text}
	p.space()
	v := p.value(0)
	p.space()
	if p.err == nil && p.at < len(text) {
		p.fail("the JSON ends before this")
	}
	if p.err != nil {
		return nil, p.err
	}
	return &v, nil
}

type parser struct {
	text string
	at   int
	err  *SyntaxError
}

// fail notes the first error. What is read after it does not count.
func (p *parser) fail(message string) {
	if p.err != nil {
		return
	}
	if p.at >= len(p.text) {
		message = "the JSON is not complete: " + message
	}
	p.err = &SyntaxError{p.at, message}
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// next returns the next byte, and 0 at the end of the text.
func (p *parser) next() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// skip passes over the byte if it is the next one.
func (p *parser) skip(c byte) bool {
	if p.next() != c || p.at == len(p.text) {
		return false
	}
	p.at++
	return true
}

func (p *parser) value(depth int) Value {
	v := Value{Start: p.at}
	switch c := p.next(); {
	case depth > maxDepth:
		p.fail("the values are nested too deep")
	case c == '{':
		v.Kind = Object
		v.Members = p.members(depth)
	case c == '[':
		v.Kind = Array
		v.Items = p.items(depth)
	case c == '"':
		v.Kind = String
		v.Text = p.string()
	case c == '-' || isDigit(c):
		v.Kind = Number
		p.number()
		v.Text = p.text[v.Start:p.at]
	default:
		v.Kind = p.word()
		v.Text = p.text[v.Start:p.at]
	}
	v.End = p.at
	return v
}

// word reads true, false or null.
func (p *parser) word() Kind {
	for _, word := range []string{"true", "false", "null"} {
		if !strings.HasPrefix(p.text[p.at:], word) {
			continue
		}
		p.at += len(word)
		if word == "null" {
			return Null
		}
		return Bool
	}
	p.fail("want a value: a string in double quotes, a number, true, false, null, [ or {")
	return Null
}

func (p *parser) items(depth int) []Value {
	var items []Value
	p.at++
	p.space()
	if p.skip(']') {
		return items
	}
	for {
		items = append(items, p.value(depth+1))
		if !p.more(']', "want a comma or ]") {
			return items
		}
	}
}

func (p *parser) members(depth int) []Member {
	var members []Member
	p.at++
	p.space()
	if p.skip('}') {
		return members
	}
	for {
		m := Member{Start: p.at}
		if p.next() != '"' {
			p.fail("want a name in double quotes")
			return members
		}
		m.Name = p.string()
		m.End = p.at
		p.space()
		if !p.skip(':') {
			p.fail("want a colon after the name")
			return members
		}
		p.space()
		m.Value = p.value(depth + 1)
		members = append(members, m)
		if !p.more('}', "want a comma or }") {
			return members
		}
	}
}

// more reads what follows an element, and reports whether another one comes.
func (p *parser) more(end byte, want string) bool {
	if p.err != nil {
		return false
	}
	p.space()
	if p.skip(end) {
		return false
	}
	if !p.skip(',') {
		p.fail(want)
		return false
	}
	p.space()
	return true
}

func (p *parser) number() {
	p.skip('-')
	if !p.skip('0') {
		p.digits()
	}
	if p.skip('.') {
		p.digits()
	}
	if p.skip('e') || p.skip('E') {
		if !p.skip('+') {
			p.skip('-')
		}
		p.digits()
	}
}

func (p *parser) digits() {
	start := p.at
	for isDigit(p.next()) {
		p.at++
	}
	if p.at == start {
		p.fail("want a digit")
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// string reads a string with its quotes and returns what it stands for. Bytes that
// are no UTF-8, and halves of surrogate pairs, become U+FFFD.
func (p *parser) string() string {
	p.at++
	start := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			s := p.text[start:p.at]
			p.at++
			return valid(s)
		case c == '\\':
			return p.escaped(start)
		case c < ' ':
			p.fail("a string ends on its line: want a double quote, or \\n and the like for control characters")
			return ""
		}
		p.at++
	}
	p.fail("want a double quote at the end of the string")
	return ""
}

// valid returns s with U+FFFD in place of each byte that is no UTF-8.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// escaped reads the rest of a string that begins at start and has its first
// backslash here.
func (p *parser) escaped(start int) string {
	b := []byte(p.text[start:p.at])
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return valid(string(b))
		case c == '\\':
			b = p.escape(b)
			if p.err != nil {
				return ""
			}
		case c < ' ':
			p.fail("a string ends on its line: want a double quote, or \\n and the like for control characters")
			return ""
		default:
			b = append(b, c)
			p.at++
		}
	}
	p.fail("want a double quote at the end of the string")
	return ""
}

// escape appends what the escape sequence here stands for.
func (p *parser) escape(b []byte) []byte {
	p.at++
	if p.skip('u') {
		return utf8.AppendRune(b, p.rune())
	}
	const letters, meanings = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	i := strings.IndexByte(letters, p.next())
	if i < 0 {
		p.fail(`want one of " \ / b f n r t u after a backslash`)
		return b
	}
	p.at++
	return append(b, meanings[i])
}

// rune reads the digits after \u, and the second half of a surrogate pair where
// one follows.
func (p *parser) rune() rune {
	r := p.hex()
	if !utf16.IsSurrogate(r) || !strings.HasPrefix(p.text[p.at:], `\u`) {
		return r
	}
	second := *p
	second.at += len(`\u`)
	if pair := utf16.DecodeRune(r, second.hex()); pair != utf8.RuneError {
		*p = second
		return pair
	}
	return utf8.RuneError
}

func (p *parser) hex() rune {
	end := min(p.at+4, len(p.text))
	n, err := strconv.ParseUint(p.text[p.at:end], 16, 16)
	if err != nil || end < p.at+4 {
		p.fail("want four hexadecimal digits after \\u")
		return utf8.RuneError
	}
	p.at = end
	return rune(n)
}
