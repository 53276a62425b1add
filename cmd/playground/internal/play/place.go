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

// A Place is a part of a text for people, from 1, and for a browser, which counts
// UTF-16 units. It is zero where there is none.
type Place struct{ Line, Column, Start, End int }

// A text finds places.
type text struct {
	s     string
	lines []int   // where each begins
	units []int32 // how many UTF-16 units are before each character, and before the end
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

// places finds the offsets of lines and columns as YAML counts them.
type places struct {
	start   int   // where the YAML begins in the text
	skipped int   // lines before it
	runes   []int // the offset of each character, and of the end
	lines   []int // where in runes each line begins
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

// offset returns the offset of a line and a column, both counted from 1, and the end
// of the text where that does not have them.
func (p places) offset(line, column int) int {
	if line < 1 || line > len(p.lines) {
		return p.runes[len(p.runes)-1]
	}
	return p.runes[min(p.lines[line-1]+max(column, 1)-1, len(p.runes)-1)]
}

// line returns the line of the text that is a line of the YAML.
func (p places) line(n int) int { return p.skipped + n }
