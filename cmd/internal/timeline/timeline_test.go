// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	at := func(list ...int64) (spans []Span) {
		for _, seconds := range list {
			spans = append(spans, Span{seconds, seconds})
		}
		return spans
	}
	for _, tc := range []struct {
		spans         []Span
		ticks         string
		times, ranges string
	}{
		{nil, "now 7, in 60s 93, in 10s 37.6", "", ""},
		{at(0, 60), "now 7, in 60s 93, in 10s 37.6", "M7 10H7M93 10H93", ""},
		{at(-3600, 300), "now 61.4, 60m ago 7, 10m ago 23.4, in 5m 93, 60s ago 43.4", "M7 10H7M93 10H93", ""},
		{at(240, 240), "now 7, in 5m 93, in 60s 55.8, in 10s 24.4", "M87.6 10H87.6", ""},
		{[]Span{{0, 60}}, "now 7, in 60s 93, in 10s 37.6", "", "M7 10H93"},
		{[]Span{{58, 60}, {Anytime, 60}}, "now 7, in 60s 93, in 10s 37.6", "", "M0 10H93M91 10H93"},
		{append(at(1, 2), Span{50, 51}), "now 7, in 60s 93, in 10s 37.6", "M11.2 10H11.2M15 10H15", "M85 10H87"},
		{at(math.MinInt64/2, math.MaxInt64), "now 50, 100y ago 7, in 100y 93, 24h ago 30, in 24h 70", "M0 10H0M100 10H100", ""},
	} {
		l := New(tc.spans)
		var ticks []string
		for _, x := range l.Ticks() {
			ticks = append(ticks, fmt.Sprint(x.Text, " ", x.At))
		}
		if got := strings.Join(ticks, ", "); got != tc.ticks {
			t.Errorf("%v: ticks %s, want %s", tc.spans, got, tc.ticks)
		}
		if times, ranges := l.Path(false, tc.spans), l.Path(true, tc.spans); times != tc.times || ranges != tc.ranges {
			t.Errorf("%v: times %s, ranges %s, want %s and %s", tc.spans, times, ranges, tc.times, tc.ranges)
		}
	}
}

// Many times do not make the drawing long.
func TestManyTimes(t *testing.T) {
	var many []Span
	for i := range int64(100_000) {
		many = append(many, Span{i * 100, i * 100}, Span{-i, 7})
	}
	if n := len(New(many).Path(false, many) + New(many).Path(true, many)); n > 10_000 {
		t.Errorf("the drawing of many times has %d bytes", n)
	}
}
