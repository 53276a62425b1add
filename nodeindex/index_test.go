// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
)

// The feasible nodes of the documented cases, alone and among many others.
func TestFeasible(t *testing.T) {
	wildcards, noComparison := taints.Options{KeyWildcards: true}, taints.Options{NoComparison: true}
	cases := map[string]struct {
		m    *taints.Matcher
		want []string // besides the nodes without a taint that repels
	}{
		"no Matcher":          {nil, nil},
		"no tolerations":      {compile(), nil},
		"a value":             {compile("gpu=a100"), []string{"gpu"}},
		"another value":       {compile("gpu=b200"), nil},
		"a key":               {compile("gpu op=Exists", "gpu=a100", "gpu op=Exists"), []string{"gpu"}},
		"both keys":           {compile("team=ml:NoExecute", "gpu op=Exists"), []string{"gpu", "gpu, ml"}},
		"another effect":      {compile("gpu:NoExecute op=Exists", "team op=Exists"), nil},
		"a comparison":        {compile("score=60 op=Gt"), []string{"scored"}},
		"no comparison":       {noComparison.Compile([]taints.Toleration{{Key: "score", Operator: taints.OpGt, Value: "60"}}), nil},
		"an unknown operator": {taints.Compile([]taints.Toleration{{Key: "gpu", Operator: "In", Value: "a100"}}), nil},
		"any key and value":   {compile("op=Exists"), []string{"gpu", "gpu, ml", "scored"}},
		"a value of any key":  {taints.Compile([]taints.Toleration{{Value: "a100"}}), []string{"gpu"}},
		"a wildcard":          {wildcards.Compile([]taints.Toleration{exists("g*")}), []string{"gpu"}},
		"a key with a star":   {taints.Compile([]taints.Toleration{exists("g*")}), nil},
	}
	for _, others := range []int{0, 1000} {
		var x Index[string]
		x.Set("plain", nil)
		x.Set("soft", parse("spot:PreferNoSchedule"))
		x.Set("unknown", []taints.Taint{{Key: "gpu", Effect: "x"}})
		x.Set("gpu", parse("gpu=a100:NoSchedule"))
		x.Set("gpu, ml", parse("gpu=a100:NoSchedule", "team=ml:NoExecute"))
		x.Set("scored", parse("score=80:NoSchedule"))
		for i := range others {
			x.Set("other-"+strconv.Itoa(i), own(i))
		}
		for name, c := range cases {
			want := append([]string{"plain", "soft", "unknown"}, c.want...)
			slices.Sort(want)
			got := slices.Sorted(x.Feasible(c.m))
			got = slices.DeleteFunc(got, func(node string) bool { return strings.HasPrefix(node, "other-") })
			if !slices.Equal(got, want) {
				t.Errorf("%s, among %d: %q, want %q", name, others, got, want)
			}
		}
	}
}

// TimeAdded does not split a group, but order does. The index neither keeps nor
// modifies the lists of the caller.
func TestGroups(t *testing.T) {
	var x Index[int]
	for i := range 99 {
		when := time.Unix(int64(i), 0)
		list := parse("a:NoSchedule", "b:PreferNoSchedule", "c:NoExecute")
		list[0].TimeAdded = &when
		list = slices.Concat(list[i%3:], list[:i%3])
		given := slices.Clone(list)
		x.Set(i, list)
		equal(t, "the caller's list", list, given)
		clear(list)
	}
	got := make(map[string]int)
	for list, nodes := range x.Groups() {
		got[list[0].Key] = nodes
	}
	equal(t, "nodes by the first key", got, map[string]int{"a": 33, "b": 33, "c": 33})
	x.audit(t)
}

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
		x.Set(i, [][]taints.Taint{own(i % 9), parse("gpu:NoSchedule"), nil}[i%3])
	}
	m := compile("tenant op=Exists", "gpu op=Exists")
	for name, loop := range map[string]func(body func() bool){
		"Feasible":         func(body func() bool) { x.Feasible(m)(func(int) bool { return body() }) },
		"Verdicts":         func(body func() bool) { x.Verdicts(m)(func(int, taints.Verdict) bool { return body() }) },
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
