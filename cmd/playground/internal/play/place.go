// SPDX-License-Identifier: Apache-2.0

package play

import (
	"slices"
	"unicode/utf16"
)

// A span is a part of a text, from start to end in bytes.
type span struct{ start, end int }

// A Place is a part of a text: a line and column from 1, for people, and offsets
// in UTF-16 units, for a browser. It is zero if there is none.
type Place struct{ Line, Column, Start, End int }

// A text converts between offsets, lines and columns, and UTF-16 units.
type text struct {
	s       string
	offsets []int // of each character, and of the end
	units   []int // number of UTF-16 units before each of them
	lines   []int // index of each line's first character; YAML's lines
}

func newText(s string) *text {
	t := &text{s: s, lines: []int{0}}
	units, before := 0, rune(0)
	for i, r := range s + "\x00" { // with the end
		if before == '\n' || before == '\r' && r != '\n' || before == '\u0085' || before == '\u2028' || before == '\u2029' {
			t.lines = append(t.lines, len(t.offsets))
		}
		t.offsets, t.units = append(t.offsets, i), append(t.units, units)
		units += utf16.RuneLen(r)
		before = r
	}
	return t
}

// part returns the text of the span.
func (t *text) part(s span) string { return t.s[s.start:s.end] }

func (t *text) place(s span) Place {
	start, _ := slices.BinarySearch(t.offsets, s.start)
	end, _ := slices.BinarySearch(t.offsets, s.end)
	line, _ := slices.BinarySearch(t.lines, start+1)
	return Place{line, start - t.lines[line-1] + 1, t.units[start], t.units[end]}
}

// offset returns the offset of a line and a column, which both count from 1. It
// returns the end of the text if they are not in it.
func (t *text) offset(line, column int) int {
	if line < 1 || line > len(t.lines) {
		return len(t.s)
	}
	return t.offsets[min(t.lines[line-1]+max(column, 1)-1, len(t.offsets)-1)]
}
