// SPDX-License-Identifier: Apache-2.0

// Package timeline places times on a drawing.
package timeline

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// A Span is the seconds from now between which something happens, usually equal ones.
type Span struct{ First, Last int64 }

// Anytime is the First of a span that has no beginning.
const Anytime = math.MinInt64

// A Line is a drawing of times. Its scale is logarithmic on both sides of now, so that
// both seconds and days can be told apart.
type Line struct{ before, after float64 } // of its ends, as logarithms

// marks are the seconds from now that a line can have a tick for.
var marks = []int64{10, 60, 300, 600, 3600, 6 * 3600, 86400, 30 * 86400, 365 * 86400, 3650 * 86400, 36500 * 86400}

// New returns the line of the times. It begins and ends at marks.
func New(spans []Span) Line {
	first, last := int64(0), int64(60)
	for _, s := range spans {
		if first, last = min(first, s.Last), max(last, s.Last); s.First != Anytime {
			first = min(first, s.First)
		}
	}
	end := func(seconds int64) float64 {
		i, _ := slices.BinarySearch(marks, seconds)
		return logarithm(marks[min(i, len(marks)-1)])
	}
	l := Line{after: end(last)}
	if first < 0 {
		l.before = end(-first)
	}
	return l
}

func logarithm(seconds int64) float64 {
	return math.Copysign(math.Log1p(math.Abs(float64(seconds))/10), float64(seconds))
}

// at returns the place of the time in the drawing, in percent.
func (l Line) at(seconds int64) float64 {
	const margin = 7 // on both sides, for half of the text of a tick
	x := margin + (l.before+logarithm(seconds))/(l.before+l.after)*(100-2*margin)
	return math.Round(min(max(0, x), 100)*5) / 5
}

// A Tick is a mark of a line.
type Tick struct {
	At   float64 // in percent
	Text string
}

// Ticks returns the ticks that have enough space: now, the outer ones, and more.
func (l Line) Ticks() []Tick {
	ticks := []Tick{{l.at(0), "now"}}
	for _, mark := range slices.Backward(marks) {
		for _, seconds := range []int64{-mark, mark} {
			x, share := l.at(seconds), logarithm(seconds)
			isNear := func(t Tick) bool { return math.Abs(x-t.At) < 16 }
			if -l.before <= share && share <= l.after && !slices.ContainsFunc(ticks, isNear) {
				ticks = append(ticks, Tick{x, say.Relative(seconds)})
			}
		}
	}
	return ticks
}

// Path returns the times that are known, or the ranges of those that are not, as the path
// of an SVG that is 100 wide. Times that look the same are there once.
func (l Line) Path(areRanges bool, spans []Span) string {
	var lines []string
	for _, s := range spans {
		first, last := l.at(s.First), l.at(s.Last)
		if areRanges {
			first = min(first, last-2) // to be seen
		}
		if areRanges == (s.First < s.Last) {
			lines = append(lines, fmt.Sprintf("M%v 10H%v", first, last))
		}
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "")
}
