// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"iter"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/draw"
)

// A modeled Index has a model: a map, and plain loops over it.
type modeled struct {
	Index[int]
	model map[int][]taints.Taint
}

func newModeled() *modeled { return &modeled{model: make(map[int][]taints.Taint)} }

// set sets a copy of the list, which the index must neither modify nor keep.
func (x *modeled) set(t fataler, node int, list []taints.Taint) {
	given := slices.Clone(list)
	x.Set(node, given)
	equal(t, "the caller's list", given, list)
	clear(given)
	x.model[node] = list
}

func (x *modeled) delete(t fataler, node int) {
	_, want := x.model[node]
	if x.Delete(node) != want {
		t.Fatalf("Delete(%d) is not %v", node, want)
	}
	delete(x.model, node)
}

type fataler interface {
	Fatalf(format string, args ...any)
}

// check checks all queries, and what they cost.
func (x *modeled) check(t fataler, m *taints.Matcher) {
	feasible := make(map[int]taints.Verdict)
	for node, list := range x.model {
		if v := m.Filter(list); v.Schedulable() {
			feasible[node] = v
		}
	}
	equal(t, "Len", x.Len(), len(x.model))
	equal(t, "FeasibleVerdicts", collect(t, x.FeasibleVerdicts(m)), feasible)
	equal(t, "CountFeasible", x.CountFeasible(m), len(feasible))
	nodes := slices.Sorted(maps.Keys(feasible))
	equal(t, "Feasible", slices.Sorted(x.Feasible(m)), nodes)
	appended := x.AppendFeasible([]int{-1}, m)
	slices.Sort(appended[1:])
	equal(t, "AppendFeasible", appended, append([]int{-1}, nodes...))
	x.checkGroups(t)
	x.checkCost(t, m)
	x.audit(t)
}

func (x *modeled) checkGroups(t fataler) {
	got, want := make(map[string]int), make(map[string]int)
	for list, nodes := range x.Groups() {
		got[string(appendText(nil, list))] += nodes
		for _, taint := range list {
			equal(t, "TimeAdded", taint.TimeAdded, nil)
		}
	}
	for _, list := range x.model {
		want[string(appendText(nil, list))]++
	}
	equal(t, "Groups", got, want)
}

// checkCost checks that a query costs at most twice a loop over all groups: it
// visits no group twice, and a search spends no more than the loop, save for the
// step that exceeds the price.
func (x *modeled) checkCost(t fataler, m *taints.Matcher) {
	visited := make(map[*group[int]]bool)
	for e := range x.reach(m) {
		if visited[e.group] {
			t.Fatalf("a group is visited twice")
		}
		visited[e.group] = true
	}
	files, left := x.search(m, nil)
	expected := len(x.all)
	if left >= 0 {
		expected = 0
		for _, f := range files {
			expected += len(f.groups)
		}
	}
	if len(visited) != expected {
		t.Fatalf("a query visits %d of %d groups, want %d after a search that leaves %d", len(visited), len(x.all), expected, left)
	}
	step := 0
	for toleration := range m.Tolerations() {
		step = max(step, lookupPrice+(len(toleration.Key)+len(toleration.Value))/bytesForOne)
	}
	for _, f := range x.files {
		step = max(step, lookupPrice+groupPrice*len(f.groups))
	}
	if left < -step-groupPrice*len(x.bare.groups) {
		t.Fatalf("a search among %d groups spends %d more", len(x.all), -left)
	}
}

func equal[T any](t fataler, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// collect returns what a query yields, and fails if it yields a node twice.
func collect(t fataler, seq iter.Seq2[int, taints.Verdict]) map[int]taints.Verdict {
	all := make(map[int]taints.Verdict)
	for node, v := range seq {
		if _, twice := all[node]; twice {
			t.Fatalf("node %d is yielded twice", node)
		}
		all[node] = v
	}
	return all
}

// audit checks that the parts of the index agree, and that it holds nothing that
// is not needed.
func (x *Index[N]) audit(t fataler) {
	nodes, filed := 0, len(x.bare.groups)
	auditList(t, x.all, func(i int, e entry[N]) bool {
		g := e.group
		auditList(t, e.nodes, func(i int, node N) bool { return x.places[node] == place[N]{g, i} })
		nodes += len(e.nodes)
		return g.at == i && len(e.nodes) > 0 && g.file.groups[g.inFile] == g &&
			g.text == string(appendText(nil, e.taints)) && x.texts[g.text] == g
	})
	auditFile := func(f *file[N]) {
		auditList(t, f.groups, func(i int, g *group[N]) bool {
			repels, has := false, false
			for _, taint := range x.all[g.at].taints {
				if taints.HardEffects.Has(taint.Effect) {
					repels, has = true, has || pair{taint.Key, taint.Value} == f.pair
				}
			}
			return g.file == f && g.inFile == i && (has || f == &x.bare && !repels)
		})
	}
	auditFile(&x.bare)
	numbers := make(map[uint64]bool)
	for key, files := range x.keys {
		auditList(t, files, func(i int, f *file[N]) bool {
			auditFile(f)
			filed += len(f.groups)
			numbers[f.number] = true
			return f.at == i && f.key == key && f.number != 0 && len(f.groups) > 0 && x.files[f.pair] == f
		})
		if len(files) == 0 {
			t.Fatalf("a key has no files")
		}
	}
	groups := len(x.all)
	equal(t, "nodes, groups, groups in files, and files", []int{nodes, len(x.texts), filed, len(x.files)},
		[]int{len(x.places), groups, groups, len(numbers)})
}

// auditList checks each element of a list, and the memory behind its end.
func auditList[T any](t fataler, list []T, ok func(i int, element T) bool) {
	for i, element := range list {
		if !ok(i, element) {
			t.Fatalf("the element %d of %d does not fit: %v", i, len(list), element)
		}
	}
	room := list[:cap(list)]
	if len(room) > max(8, 4*len(list)+3) {
		t.Fatalf("a list of %d has room for %d", len(list), len(room))
	}
	for _, forgotten := range room[len(list):] {
		var zero T
		equal(t, "a forgotten element", forgotten, zero)
	}
}

// Only a few lists, so that nodes share them.
var drawList = rapid.OneOf(rapid.Just[[]taints.Taint](nil), draw.Taints, rapid.SampledFrom([][]taints.Taint{
	parse("a:NoSchedule"), parse("a:NoSchedule", "b=5:NoExecute"), parse("b=5:NoExecute", "a:NoSchedule"),
	parse("a:PreferNoSchedule"), parse("a:NoSchedule", "a:PreferNoSchedule"), parse("a:NoSchedule", "a:NoSchedule"),
	parse("b=5:NoExecute", "b=6:NoExecute", "b=v:NoExecute"),
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
		t.Errorf("found by a search or not: %v", ways)
	}
}

func FuzzIndex(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { indexIsAMap(t, make(map[bool]int)) }))
}

// An Index is a map and plain loops over it, after any history. It counts the queries
// that a search answers, and the others.
func indexIsAMap(t *rapid.T, ways map[bool]int) {
	x := newModeled()
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
			_, left := x.search(m, nil)
			ways[left >= 0]++
		},
		"": func(t *rapid.T) { x.audit(t) },
	})
	for node := range x.model {
		x.delete(t, node)
	}
	x.check(t, nil)
}
