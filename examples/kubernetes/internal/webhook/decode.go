// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	mostDepth = 100 // levels that are kept. What is read of a review has 10
	valueCost = 100 // bytes that a value costs beside its text, more or less
)

// errTooMuch is the error of a text of which more is to be kept than may be.
var errTooMuch = errors.New("there are too many labels, tolerations or other values that are looked at")

// A shape names the members of objects that are kept, each with its own shape; nil
// keeps everything. A list has the shape of its elements.
type shape map[string]shape

// decodeJSON reads a text that is one JSON value, and keeps what the shape names:
// objects become map[string]any, lists []any, numbers [json.Number]. The letter case
// of a member's name counts. Of what is skipped it looks for no more than the end,
// and needs no memory for it.
//
// It is stricter than encoding/json with what it keeps, where readers may differ on
// what a text says: it refuses invalid UTF-8, duplicate members and more than 100
// levels. Once it has kept so many bytes it skips the rest; the error is errTooMuch.
func decodeJSON(in io.Reader, keep shape, most int) (any, error) {
	d := decoder{in: bufio.NewReader(in), line: 1, left: most}
	d.advance()
	if d.space(); d.err == io.EOF {
		return nil, errors.New("no JSON at all")
	}
	v := d.value(0, keep)
	if d.space(); d.err == nil {
		d.fail("text after the end of the JSON")
	}
	switch {
	case d.err != io.EOF:
		return nil, fmt.Errorf("line %d, column %d: %w", d.line, d.column, d.err)
	case d.left < 0:
		return v, errTooMuch
	}
	return v, nil
}

// A decoder reads byte by byte. After an error it reads nothing more.
type decoder struct {
	in           *bufio.Reader
	c            byte   // the next byte; 0 after an error
	raw          []byte // what was kept of the last string or number
	line, column int    // of c
	left         int    // bytes that may still be kept
	err          error  // io.EOF after the last byte
}

// advance goes on to the next byte.
func (d *decoder) advance() {
	if d.err != nil {
		return
	}
	if d.column++; d.c == '\n' {
		d.line, d.column = d.line+1, 1
	}
	if d.c, d.err = d.in.ReadByte(); d.err != nil && d.err != io.EOF {
		d.err = fmt.Errorf("the JSON could not be read: %w", d.err)
	}
}

// fail notes what is wrong with what was read.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil || d.err == io.EOF {
		d.c, d.err = 0, fmt.Errorf(format, args...)
	}
}

// unexpected notes that something else is expected than the next byte.
func (d *decoder) unexpected(want string) {
	if d.err == io.EOF {
		d.fail("the JSON ends too early")
	}
	d.fail("not JSON: %q where %s is expected", d.c, want)
}

// space skips white space.
func (d *decoder) space() {
	for d.c == ' ' || d.c == '\n' || d.c == '\t' || d.c == '\r' {
		d.advance()
	}
}

// take reads the byte if it comes next, and reports whether it did.
func (d *decoder) take(c byte) bool {
	if d.space(); d.c != c || d.err != nil {
		return false
	}
	d.advance()
	return true
}

// expect reads a byte that must come next.
func (d *decoder) expect(c byte) {
	if !d.take(c) {
		d.unexpected(strconv.QuoteRune(rune(c)))
	}
}

// value reads a value within so many lists and objects.
func (d *decoder) value(depth int, keep shape) any {
	d.left -= valueCost
	switch d.space(); {
	case d.left < 0:
		d.skip()
	case depth == mostDepth:
		d.fail("more than %d levels", mostDepth)
	case d.c == '{':
		return d.object(depth+1, keep)
	case d.c == '[':
		return d.list(depth+1, keep)
	case d.c == '"':
		return d.text()
	default:
		return d.scalar()
	}
	return nil
}

func (d *decoder) object(depth int, keep shape) any {
	members := map[string]any{}
	d.elements('{', '}', func() {
		name := d.text()
		d.expect(':')
		inner, ok := keep[name]
		if keep != nil && !ok || d.left < 0 {
			d.skip()
			return
		}
		if _, ok := members[name]; ok {
			d.fail("duplicate member %s", quote(name))
		}
		members[name] = d.value(depth, inner)
	})
	return members
}

func (d *decoder) list(depth int, keep shape) any {
	list := []any{}
	d.elements('[', ']', func() {
		if v := d.value(depth, keep); d.left >= 0 {
			list = append(list, v)
		}
	})
	return list
}

// elements reads what is between the brackets, with commas between.
func (d *decoder) elements(opening, closing byte, read func()) {
	d.expect(opening)
	if d.take(closing) {
		return
	}
	for {
		if read(); !d.take(',') {
			d.expect(closing)
			return
		}
	}
}

// text reads a string that is kept.
func (d *decoder) text() (s string) {
	switch raw := d.quoted(true); {
	case d.left < 0 || raw == nil:
	case !utf8.Valid(raw):
		d.fail("not valid UTF-8")
	default:
		if err := json.Unmarshal(raw, &s); err != nil {
			d.fail("not JSON: %w", err)
		}
	}
	return s
}

// quoted reads a string, and returns it as it is written, if it is kept, until the
// next is read.
func (d *decoder) quoted(keep bool) []byte {
	d.raw = d.raw[:0]
	if d.space(); d.c != '"' {
		d.unexpected("a string")
		return nil
	}
	d.move(keep)
	for d.err == nil && d.c != '"' {
		if d.c == '\\' {
			d.move(keep)
		}
		d.move(keep)
	}
	if d.err != nil {
		d.unexpected("more")
		return nil
	}
	d.move(keep)
	return d.raw
}

// move reads a byte, and keeps it if it is to be kept.
func (d *decoder) move(keep bool) {
	if keep && d.err == nil {
		if d.left--; d.left >= 0 {
			d.raw = append(d.raw, d.c)
		}
	}
	d.advance()
}

// scalar reads a number, true, false or null.
func (d *decoder) scalar() any {
	switch raw := d.bare(true); {
	case d.left < 0 || string(raw) == "null":
	case string(raw) == "true" || string(raw) == "false":
		return string(raw) == "true"
	case json.Valid(raw):
		return json.Number(raw)
	case len(raw) == 0:
		d.unexpected("a value")
	default:
		d.fail("not JSON: %s", quote(string(raw)))
	}
	return nil
}

// bare reads what is not in quotes or brackets.
func (d *decoder) bare(keep bool) []byte {
	d.raw = d.raw[:0]
	for d.err == nil && strings.IndexByte(" \t\r\n,:\"{}[]", d.c) < 0 {
		d.move(keep)
	}
	return d.raw
}

// skip reads a value, and looks for no more than its end.
func (d *decoder) skip() {
	for depth := 0; ; {
		switch d.space(); d.c {
		case '"':
			d.quoted(false)
		case '{', '[':
			depth++
			d.advance()
		case '}', ']':
			depth--
			d.advance()
		case ',', ':':
			d.advance()
		default:
			d.bare(false)
		}
		if depth <= 0 || d.err != nil {
			return
		}
	}
}
