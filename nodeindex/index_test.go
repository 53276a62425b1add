// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
)

// A name that does not equal itself is ignored.
func TestNaN(t *testing.T) {
	var x Index[float64]
	x.Set(1, nil)
	x.Set(math.NaN(), nil)
	if x.Delete(math.NaN()) || x.Len() != 1 || x.CountFeasible(nil) != 1 {
		t.Errorf("%d nodes, %d feasible", x.Len(), x.CountFeasible(nil))
	}
	x.audit(t)
}

// A call with a name that is not comparable panics and changes nothing.
func TestIncomparable(t *testing.T) {
	var x Index[any]
	for _, call := range []func(){func() { x.Set([]int{1}, own(1)) }, func() { x.Delete([]int{1}) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		}()
		x.audit(t)
		x.Set("good", nil)
		if got := slices.Collect(x.Feasible(nil)); !slices.Equal(got, []any{"good"}) {
			t.Errorf("Feasible = %v", got)
		}
	}
}

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
