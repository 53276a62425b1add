// SPDX-License-Identifier: Apache-2.0

package play

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A span is a part of a text, from start to end in bytes.
type span struct{ start, end int }

// A Place is a part of a text: a line and column from 1, for people, and offsets
// in UTF-16 units, for a browser. It is zero if there is none.
type Place struct{ Line, Column, Start, End int }

// A text converts spans to places.
type text struct {
	s     string
	lines []int   // offset of each line
	units []int32 // number of UTF-16 units before each character and before the end
}

func newText(s string) *text {
	t := &text{s, []int{0}, make([]int32, len(s)+1)}
	var units int32
	for i, r := range s {
		t.units[i] = units
		units += int32(utf16.RuneLen(r))
		if r == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	t.units[len(s)] = units
	return t
}

func (t *text) place(s span) Place {
	line, _ := slices.BinarySearch(t.lines, s.start+1)
	column := utf8.RuneCountInString(t.s[t.lines[line-1]:s.start]) + 1
	return Place{line, column, int(t.units[s.start]), int(t.units[s.end])}
}

// places converts the lines and columns of YAML to offsets.
type places struct {
	start   int   // where the YAML begins in the text
	skipped int   // lines before the YAML
	runes   []int // the offset of each character, and of the end
	lines   []int // index in runes of each line
}

func newPlaces(s string, start int) places {
	p := places{start: start, skipped: strings.Count(s[:start], "\n"), lines: []int{0}}
	var before rune
	for i, r := range s[start:] {
		if before == '\n' || before == '\r' && r != '\n' || before == '\u0085' || before == '\u2028' || before == '\u2029' {
			p.lines = append(p.lines, len(p.runes))
		}
		p.runes = append(p.runes, start+i)
		before = r
	}
	p.runes = append(p.runes, len(s))
	return p
}

// offset returns the offset of a line and a column, which both count from 1. It
// returns the end of the text if they are not in it.
func (p places) offset(line, column int) int {
	if line < 1 || line > len(p.lines) {
		return p.runes[len(p.runes)-1]
	}
	return p.runes[min(p.lines[line-1]+max(column, 1)-1, len(p.runes)-1)]
}
