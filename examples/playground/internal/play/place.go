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
