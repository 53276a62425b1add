// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
)

// A loop may end after any number of nodes or groups. The sequence then stops.
func TestLoopsEndEarly(t *testing.T) {
	var x Index[int]
	for i := range 60 {
		x.Set(i, [][]taints.Taint{own(i % 9), test.Taints("gpu:NoSchedule"), nil}[i%3])
	}
	m := compile("tenant op=Exists", "gpu op=Exists")
	for name, loop := range map[string]func(body func() bool){
		"Feasible":         func(body func() bool) { x.Feasible(m)(func(int) bool { return body() }) },
		"FeasibleVerdicts": func(body func() bool) { x.FeasibleVerdicts(m)(func(int, taints.Verdict) bool { return body() }) },
		"Groups":           func(body func() bool) { x.Groups()(func([]taints.Taint, int) bool { return body() }) },
	} {
		all := 0
		loop(func() bool { all++; return true })
		for end := 1; end <= all; end++ {
			seen := 0
			loop(func() bool { seen++; return seen < end })
			if seen != end {
				t.Fatalf("%s yields %d times, want %d", name, seen, end)
			}
		}
	}
}

// Many readers may query at the same time. The race detector checks it.
func TestManyReaders(t *testing.T) {
	var x Index[int]
	for i := range 1000 {
		x.Set(i, own(i))
	}
	m, done := compile("tenant=7"), make(chan int)
	for range 2 {
		go func() {
			n := 0
			for range x.FeasibleVerdicts(m) {
				n++
			}
			for range x.Groups() {
				n++
			}
			done <- n + x.Len() + x.CountFeasible(m) + len(x.AppendFeasible(nil, m))
		}()
	}
	if a, b := <-done, <-done; a != b || a != 2003 {
		t.Errorf("readers count %d and %d", a, b)
	}
}
