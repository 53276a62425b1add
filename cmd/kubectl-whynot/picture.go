// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
)

// A timeline places times on a drawing. Its scale is logarithmic on both sides of
// now, so that both seconds and days can be distinguished.
type timeline struct{ before, after float64 } // of its ends, as logarithms

// marks are the seconds from now that a timeline can have a tick for.
var marks = []int64{10, 60, 300, 600, 3600, 6 * 3600, 86400, 30 * 86400, 365 * 86400, 3650 * 86400, 36500 * 86400}

// spansOf returns when the pods are evicted.
func spansOf(list []*diagnosis.Eviction) (spans []diagnosis.Span) {
	for _, x := range list {
		if s, ok := x.Span(); ok {
			spans = append(spans, s)
		}
	}
	return spans
}

// newTimeline returns the timeline of the times. It begins and ends at marks.
func newTimeline(spans []diagnosis.Span) timeline {
	first, last := int64(0), int64(60)
	for _, s := range spans {
		if first, last = min(first, s.Last), max(last, s.Last); s.First != math.MinInt64 {
			first = min(first, s.First)
		}
	}
	end := func(seconds int64) float64 {
		i, _ := slices.BinarySearch(marks, seconds)
		return logarithm(marks[min(i, len(marks)-1)])
	}
	l := timeline{after: end(last)}
	if first < 0 {
		l.before = end(-first)
	}
	return l
}

func logarithm(seconds int64) float64 {
	x := float64(seconds)
	return math.Copysign(math.Log1p(math.Abs(x)/10), x)
}

// at returns the place of the time in the drawing, in percent. Both margins have space
// for half of the text of a tick.
func (l timeline) at(seconds int64) float64 {
	const margin = 7
	x := margin + (l.before+logarithm(seconds))/(l.before+l.after)*(100-2*margin)
	return math.Round(min(max(0, x), 100)*10) / 10
}

// A tick is a mark of a timeline.
type tick struct {
	At   float64
	Text string
}

// Ticks returns the ticks that have enough space: now, the outer ones, and more.
func (l timeline) Ticks() []tick {
	ticks := []tick{{l.at(0), "now"}}
	for _, mark := range slices.Backward(marks) {
		for _, seconds := range []int64{-mark, mark} {
			x, share := l.at(seconds), logarithm(seconds)
			isNear := func(t tick) bool { return math.Abs(x-t.At) < 16 }
			if -l.before <= share && share <= l.after && !slices.ContainsFunc(ticks, isNear) {
				ticks = append(ticks, tick{x, say.Relative(seconds)})
			}
		}
	}
	return ticks
}

// Path draws the times that are known, or the ranges of those that are not, as the
// path of an SVG. It joins what overlaps: its length does not depend on the number of
// pods.
func (l timeline) Path(areRanges bool, spans []diagnosis.Span) string {
	var lines [][2]float64
	for _, s := range spans {
		x := [2]float64{l.at(s.First), l.at(s.Last)}
		if areRanges {
			x[0] = min(x[0], x[1]-2) // to be seen
		}
		if areRanges == (s.First < s.Last) {
			lines = append(lines, x)
		}
	}
	slices.SortFunc(lines, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	var joined [][2]float64
	for _, x := range lines {
		if n := len(joined) - 1; n >= 0 && x[0] <= joined[n][1]+.2 {
			joined[n][1] = max(joined[n][1], x[1])
		} else {
			joined = append(joined, x)
		}
	}
	return strings.Join(say.Each(joined, func(x [2]float64) string { return fmt.Sprintf("M%v 10H%v", x[0], x[1]) }), "")
}
