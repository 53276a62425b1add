// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/draw"
)

// A modeled Index has a model: a map, and plain loops over it.
type modeled struct {
	Index[int]
	model map[int][]taints.Taint
}

func newModeled() *modeled { return &modeled{model: make(map[int][]taints.Taint)} }

// set sets a copy of the list, which the index must neither modify nor keep.
func (x *modeled) set(t test.T, node int, list []taints.Taint) {
	given := slices.Clone(list)
	x.Set(node, given)
	equal(t, "the caller's list", given, list)
	clear(given)
	x.model[node] = list
}

func (x *modeled) delete(t test.T, node int) {
	_, want := x.model[node]
	if x.Delete(node) != want {
		t.Fatalf("Delete(%d) is not %v", node, want)
	}
	delete(x.model, node)
}

// visited returns how many groups a query visits.
func (x *Index[N]) visited(m *taints.Matcher) (n int) {
	for range x.reach(m) {
		n++
	}
	return n
}

// check checks all queries.
func (x *modeled) check(t test.T, m *taints.Matcher) {
	feasible := x.checkVerdicts(t, m)
	equal(t, "Len", x.Len(), len(x.model))
	equal(t, "CountFeasible", x.CountFeasible(m), len(feasible))
	nodes := slices.Sorted(maps.Keys(feasible))
	equal(t, "Feasible", slices.Sorted(x.Feasible(m)), nodes)
	appended := x.AppendFeasible([]int{-1}, m)
	slices.Sort(appended[1:])
	equal(t, "AppendFeasible", appended, append([]int{-1}, nodes...))
}

// checkVerdicts checks the verdicts of the feasible nodes, and returns them.
func (x *modeled) checkVerdicts(t test.T, m *taints.Matcher) map[int]taints.Verdict {
	want := make(map[int]taints.Verdict)
	for node, list := range x.model {
		if v := m.Filter(list); v.Schedulable() {
			want[node] = v
		}
	}
	equal(t, "FeasibleVerdicts", collect(t, x.FeasibleVerdicts(m)), want)
	return want
}

// checkGroups checks the groups of nodes with the same taints.
func (x *modeled) checkGroups(t test.T) {
	got, want := make(map[string]int), make(map[string]int)
	for _, list := range x.model {
		want[fmt.Sprintf("%q", test.Texts(list))]++
	}
	for list, nodes := range x.Groups() {
		text := fmt.Sprintf("%q", test.Texts(list))
		if got[text] > 0 {
			t.Fatalf("two groups have %s", text)
		}
		got[text] = nodes
		for _, taint := range list {
			equal(t, "TimeAdded", taint.TimeAdded, nil)
		}
	}
	equal(t, "Groups", got, want)
}

func equal[T any](t test.T, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// collect returns what a query yields, and fails if it yields a node twice.
func collect(t test.T, seq iter.Seq2[int, taints.Verdict]) map[int]taints.Verdict {
	all := make(map[int]taints.Verdict)
	for node, v := range seq {
		if _, twice := all[node]; twice {
			t.Fatalf("node %d is yielded twice", node)
		}
		all[node] = v
	}
	return all
}

// Only a few lists, so that nodes share them.
var drawList = rapid.OneOf(rapid.Just[[]taints.Taint](nil), draw.Taints, rapid.SampledFrom([][]taints.Taint{
	test.Taints("a:NoSchedule"), test.Taints("a:NoSchedule", "b=5:NoExecute"), test.Taints("b=5:NoExecute", "a:NoSchedule"),
	test.Taints("a:PreferNoSchedule"), test.Taints("a:NoSchedule", "a:PreferNoSchedule"), test.Taints("a:NoSchedule", "a:NoSchedule"),
	test.Taints("b=5:NoExecute", "b=6:NoExecute", "b=v:NoExecute"),
	{{Key: "a", Effect: "x"}, {Key: "b", Value: "5", Effect: "x"}},
}))

// Also tolerations of a few keys, sometimes many, which a search finds.
var drawTolerations = func() *rapid.Generator[[]taints.Toleration] {
	one := rapid.Custom(func(t *rapid.T) taints.Toleration {
		return taints.Toleration{
			Key:      rapid.SampledFrom([]string{"a", "b", "tenant"}).Draw(t, "key"),
			Operator: draw.Operators.Draw(t, "operator"),
			Value:    rapid.OneOf(draw.Values, rapid.StringMatching("[1-9][0-9]?")).Draw(t, "value"),
			Effect:   rapid.OneOf(rapid.Just[taints.Effect](""), draw.Effects).Draw(t, "effect"),
		}
	})
	return rapid.OneOf(draw.Tolerations, rapid.SliceOfN(one, 0, 3), rapid.SliceOfN(one, 0, 30))
}()

func TestIndexIsAMap(t *testing.T) {
	ways := make(map[bool]int)
	rapid.Check(t, func(t *rapid.T) { indexIsAMap(t, ways) })
	if n := ways[true] + ways[false]; n >= 100 && min(ways[true], ways[false]) < n/20 {
		t.Errorf("visits some groups, or all: %v", ways)
	}
}

func FuzzIndex(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { indexIsAMap(t, make(map[bool]int)) }))
}

// An Index is a map and plain loops over it, after any history. It counts the queries
// that visit some of the groups, and those that visit all.
func indexIsAMap(t *rapid.T, ways map[bool]int) {
	x := newModeled()
	some := compile("a op=Exists", "b=5", "tenant=7")
	node := rapid.OneOf(rapid.IntRange(0, 10), rapid.IntRange(0, 400))
	t.Repeat(map[string]func(*rapid.T){
		"Set": func(t *rapid.T) { x.set(t, node.Draw(t, "node"), drawList.Draw(t, "taints")) },
		"Set many": func(t *rapid.T) {
			first, list := node.Draw(t, "node"), drawList.Draw(t, "taints")
			for n := range rapid.IntRange(0, 100).Draw(t, "count") {
				x.set(t, first+n, list)
			}
		},
		"Set many, each its own": func(t *rapid.T) {
			first := node.Draw(t, "node")
			before, after := drawList.Draw(t, "before"), drawList.Draw(t, "after")
			tenant := taints.Taint{Key: "tenant", Effect: draw.Effects.Draw(t, "effect")}
			for n := range rapid.IntRange(0, 200).Draw(t, "count") {
				tenant.Value = hard("", n).Value
				x.set(t, first+n, slices.Concat(before, []taints.Taint{tenant}, after))
			}
		},
		"Delete": func(t *rapid.T) { x.delete(t, node.Draw(t, "node")) },
		"Delete many": func(t *rapid.T) {
			first := node.Draw(t, "node")
			for n := range rapid.IntRange(0, 400).Draw(t, "count") {
				x.delete(t, first+n)
			}
		},
		"query": func(t *rapid.T) {
			var m *taints.Matcher
			if rapid.IntRange(0, 9).Draw(t, "nil") > 0 {
				m = draw.Options.Draw(t, "options").Compile(drawTolerations.Draw(t, "tolerations"))
			}
			x.check(t, m)
			x.checkGroups(t)
			ways[x.visited(m) < len(x.all)]++
		},
		"": func(t *rapid.T) {
			x.checkVerdicts(t, some)
		},
	})
	for node := range x.model {
		x.delete(t, node)
	}
	x.check(t, nil)
	x.checkGroups(t)
	held := []int{len(x.places), len(x.texts), len(x.all), len(x.bare.groups), len(x.files), len(x.keys)}
	equal(t, "what an empty index holds", held, make([]int, len(held)))
}
