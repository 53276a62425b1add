// SPDX-License-Identifier: Apache-2.0

package play

import (
	"slices"
	"strings"
)

// A span is a part of a text, from start to end in bytes.
type span struct{ start, end int }

// A text finds places as a person or a browser counts them.
type text struct {
	s     string
	lines []int // where each begins
	units []int // the UTF-16 units before each
}

func newText(s string) *text {
	t := &text{s: s, lines: []int{0}, units: []int{0}}
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return t
		}
		t.units = append(t.units, t.units[len(t.units)-1]+units(s[at:at+i+1]))
		at += i + 1
		t.lines = append(t.lines, at)
	}
}

// line returns the index of the line that the offset is in.
func (t *text) line(offset int) int {
	i, found := slices.BinarySearch(t.lines, offset)
	if found {
		return i
	}
	return i - 1
}

// unit returns how many UTF-16 units there are before the offset, which is how
// a browser counts.
func (t *text) unit(offset int) int {
	line := t.line(offset)
	return t.units[line] + units(t.s[t.lines[line]:offset])
}

// column returns the place of the offset in its line, counted in characters from 1.
func (t *text) column(offset int) int {
	n := 1
	for range t.s[t.lines[t.line(offset)]:offset] {
		n++
	}
	return n
}

// units returns the length of s in UTF-16 units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
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
