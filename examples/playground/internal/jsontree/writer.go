// SPDX-License-Identifier: Apache-2.0

package jsontree

import (
	"strconv"
	"unicode/utf8"
)

// A Writer appends JSON to Text. What belongs between two elements it writes itself.
// The zero Writer is ready to use.
type Writer struct {
	Text []byte
	more bool // an element stands before the next one
}

// Object writes an object, with what members writes.
func (w *Writer) Object(members func()) { w.enclose('{', '}', members) }

// Array writes an array, with what items writes.
func (w *Writer) Array(items func()) { w.enclose('[', ']', items) }

func (w *Writer) enclose(begin, end byte, content func()) {
	w.separate()
	w.Text = append(w.Text, begin)
	w.more = false
	content()
	w.Text = append(w.Text, end)
	w.more = true
}

// Name writes the name of a member; its value comes next.
func (w *Writer) Name(name string) {
	w.String(name)
	w.Text = append(w.Text, ':')
	w.more = false
}

// String writes a string. What is no UTF-8 becomes U+FFFD.
func (w *Writer) String(s string) {
	w.separate()
	w.Text = append(w.Text, '"')
	for _, r := range s {
		w.rune(r)
	}
	w.Text = append(w.Text, '"')
}

// Int writes a number.
func (w *Writer) Int(n int) {
	w.separate()
	w.Text = strconv.AppendInt(w.Text, int64(n), 10)
}

// Bool writes true or false.
func (w *Writer) Bool(b bool) {
	w.separate()
	w.Text = strconv.AppendBool(w.Text, b)
}

func (w *Writer) separate() {
	if w.more {
		w.Text = append(w.Text, ',')
	}
	w.more = true
}

func (w *Writer) rune(r rune) {
	switch {
	case r == '"' || r == '\\':
		w.Text = append(w.Text, '\\', byte(r))
	case r < ' ':
		const digits = "0123456789abcdef"
		w.Text = append(w.Text, '\\', 'u', '0', '0', digits[r>>4], digits[r&15])
	default:
		w.Text = utf8.AppendRune(w.Text, r)
	}
}
