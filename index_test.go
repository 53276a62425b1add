// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"iter"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"
	"weak"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
)

// An indexModel is what an Index should be: a map, and loops over it.
type indexModel struct {
	repels taints.EffectSet
	nodes  map[int][]taints.Taint
}

func (x *indexModel) feasible(m *taints.Matcher) []int {
	var found []int
	for node, list := range x.nodes {
		if _, untolerated := m.FindUntolerated(list, x.repels); !untolerated {
			found = append(found, node)
		}
	}
	slices.Sort(found)
	return found
}

func (x *indexModel) verdicts(m *taints.Matcher, nodes iter.Seq[int]) map[int]taints.Verdict {
	found := make(map[int]taints.Verdict)
	for node := range nodes {
		found[node] = m.Filter(x.nodes[node])
	}
	return found
}

// summary counts the nodes of each untolerated taint that repels.
func (x *indexModel) summary(m *taints.Matcher) map[taints.Taint]int {
	counts := make(map[taints.Taint]int)
	for _, list := range x.nodes {
		seen := make(map[taints.Taint]bool)
		for _, t := range m.Untolerated(list, x.repels) {
			t := taints.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect}
			if !seen[t] {
				seen[t] = true
				counts[t]++
			}
		}
	}
	return counts
}

// A heldQuery is a loop over a query that goes on while the index changes.
type heldQuery struct {
	next func() (int, taints.Verdict, bool)
	stop func()
	got  map[int]taints.Verdict
	want map[int]taints.Verdict
}

func (h *heldQuery) take(t fataler) bool {
	node, v, ok := h.next()
	if !ok {
		return false
	}
	if _, twice := h.got[node]; twice {
		t.Fatalf("a query that was held yielded node %d twice", node)
	}
	h.got[node] = v
	return true
}

func (h *heldQuery) finish(t fataler) {
	for h.take(t) {
	}
	h.stop()
	if !maps.Equal(h.got, h.want) {
		t.Fatalf("a query that was held yielded %v, want %v", h.got, h.want)
	}
}

// verdictsOf returns what a query yields, of which nothing may come twice.
func verdictsOf(t fataler, seq iter.Seq2[int, taints.Verdict]) map[int]taints.Verdict {
	all := make(map[int]taints.Verdict)
	for node, v := range seq {
		if _, twice := all[node]; twice {
			t.Fatalf("node %d comes twice", node)
		}
		all[node] = v
	}
	return all
}

// Few taint lists, so that groups grow beyond a page, and many nodes.
var indexTaints = rapid.OneOf(rapid.Just[[]taints.Taint](nil), anyTaints, rapid.SampledFrom([][]taints.Taint{
	parseTaints("a:NoSchedule"), parseTaints("a:NoSchedule", "b=5:NoExecute"),
	parseTaints("b=5:NoExecute", "a:NoSchedule"), parseTaints("a:PreferNoSchedule"),
	parseTaints("a:NoSchedule", "a:PreferNoSchedule"),
	parseTaints("a:NoSchedule", "a:NoSchedule"), parseTaints("b=5:NoExecute", "b=6:NoExecute", "b=v:NoExecute"),
	parseTaints("a:PreferNoSchedule", "a:NoSchedule", "b=5:PreferNoSchedule"),
	{{Key: "a", Effect: "x"}, {Key: "b", Value: "5", Effect: "x"}},
}))

// Tolerations of few keys too, so that a search finds its anchors.
var indexTolerations = rapid.OneOf(anyTolerations, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) taints.Toleration {
	return taints.Toleration{
		Key:      rapid.SampledFrom([]string{"a", "b", "tenant"}).Draw(t, "key"),
		Operator: operators.Draw(t, "operator"),
		Value:    rapid.OneOf(values, rapid.StringMatching("[1-9][0-9]?")).Draw(t, "value"),
		Effect:   rapid.OneOf(rapid.Just[taints.Effect](""), effects).Draw(t, "effect"),
	}
}), 0, 6))

var indexRepels = rapid.SampledFrom([]taints.EffectSet{
	0, 0, 0, taints.Hard, taints.Soft, taints.Evicting, taints.AllEffects,
	taints.Effects(taints.NoSchedule), taints.Effects("x"), taints.Hard | taints.Effects("x"),
})

func TestIndexIsAMapAndALoop(t *testing.T) {
	var searched, scanned, held int
	rapid.Check(t, func(t *rapid.T) {
		x := newModeledIndex(indexRepels.Draw(t, "repels"))
		node := rapid.OneOf(rapid.IntRange(0, 10), rapid.IntRange(0, 400))
		matcher := func(t *rapid.T) *taints.Matcher {
			if rapid.IntRange(0, 9).Draw(t, "nil") == 0 {
				return nil
			}
			return options.Draw(t, "options").Compile(indexTolerations.Draw(t, "tolerations"))
		}
		t.Repeat(map[string]func(*rapid.T){
			"Set": func(t *rapid.T) { x.set(node.Draw(t, "node"), indexTaints.Draw(t, "taints")) },
			"Set many": func(t *rapid.T) {
				first, list := node.Draw(t, "node"), indexTaints.Draw(t, "taints")
				for n := range rapid.IntRange(0, 200).Draw(t, "count") {
					x.set(first+n, list)
				}
			},
			"Set many, each its own": func(t *rapid.T) {
				first := node.Draw(t, "node")
				before, after := indexTaints.Draw(t, "before"), indexTaints.Draw(t, "after")
				effect := effects.Draw(t, "effect")
				for n := range rapid.IntRange(0, 100).Draw(t, "count") {
					x.set(first+n, slices.Concat(before, []taints.Taint{
						{Key: "tenant", Value: strconv.Itoa(n), Effect: effect},
					}, after))
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
				m := matcher(t)
				checkIndex(t, &x.index, &x.model, m)
				if _, ok := x.index.Search(m); ok {
					searched++
				} else {
					scanned++
				}
			},
			"hold a query": func(t *rapid.T) {
				x.hold(t, matcher(t), rapid.Bool().Draw(t, "all"))
			},
			"hold a count": func(t *rapid.T) {
				m := matcher(t)
				want, count := len(x.model.feasible(m)), x.index.CountLater(m)
				for range rapid.IntRange(0, 20).Draw(t, "updates") {
					n := node.Draw(t, "node")
					if rapid.Bool().Draw(t, "delete") {
						x.delete(t, n)
					} else {
						x.set(n, indexTaints.Draw(t, "taints"))
					}
				}
				if got := count(); got != want {
					t.Fatalf("a count that was held is %d, want %d", got, want)
				}
			},
			"go on with a query": func(t *rapid.T) {
				if len(x.held) > 0 {
					x.held[0].take(t)
				}
			},
			"finish a query": func(t *rapid.T) {
				if len(x.held) > 0 {
					x.held[0].finish(t)
					x.held = x.held[1:]
					held++
				}
			},
			"updates in a loop": func(t *rapid.T) {
				x.loop(t, matcher(t), func(n int) {
					switch n % 3 {
					case 0:
						x.delete(t, n)
					case 1:
						x.set(n+1, x.model.nodes[n])
					}
				})
			},
			"": func(t *rapid.T) {
				x.check(t)
			},
		})
		x.finish(t)
		for n := range x.model.nodes {
			x.index.Delete(n)
		}
		checkIndexIsEmpty(t, &x.index)
	})
	if searched+scanned >= 100 && min(searched, scanned, held) == 0 {
		t.Errorf("%d searches, %d times all groups, %d held queries", searched, scanned, held)
	}
}

func checkIndex(t fataler, x *taints.Index[int], model *indexModel, m *taints.Matcher) {
	want := model.feasible(m)
	order := slices.Collect(x.Feasible(m))
	if got := slices.Sorted(slices.Values(order)); !slices.Equal(got, want) {
		t.Fatalf("Feasible = %v, want %v", got, want)
	}
	if got := x.AppendFeasible([]int{-1}, m); got[0] != -1 || !slices.Equal(got[1:], order) {
		t.Fatalf("AppendFeasible = %v, want %v", got, order)
	}
	if got := x.CountFeasible(m); got != len(want) {
		t.Fatalf("CountFeasible = %d, want %d", got, len(want))
	}
	verdicts := model.verdicts(m, slices.Values(want))
	if got := verdictsOf(t, x.FeasibleVerdicts(m)); !maps.Equal(got, verdicts) {
		t.Fatalf("FeasibleVerdicts = %v, want %v", got, verdicts)
	}
	verdicts = model.verdicts(m, maps.Keys(model.nodes))
	if got := verdictsOf(t, x.Verdicts(m)); !maps.Equal(got, verdicts) {
		t.Fatalf("Verdicts = %v, want %v", got, verdicts)
	}
	checkIndexSummary(t, x, model, m, len(want))
	// A plain loop takes a step for each node and each taint that it looks at.
	plain := 0
	for _, list := range model.nodes {
		plain += m.LooksAt(list, model.repels)
	}
	if list, count := x.Steps(m); list > 2*plain || count > 2*plain && plain > 0 {
		t.Fatalf("%d steps to list, %d to count, %d in a plain loop", list, count, plain)
	}
}

func checkIndexSummary(t fataler, x *taints.Index[int], model *indexModel, m *taints.Matcher, feasible int) {
	got := x.Summarize(m)
	if model.repels == taints.Hard {
		if want := m.Summarize(maps.Values(model.nodes)); got.Report() != want.Report() {
			t.Fatalf("Summarize = %s\nwant %s", got.Report(), want.Report())
		}
	}
	counts := make(map[taints.Taint]int)
	for _, r := range got.Reasons {
		counts[r.Reason.Taint] = r.Nodes
	}
	if want := model.summary(m); !maps.Equal(counts, want) || len(got.Reasons) != len(want) {
		t.Fatalf("Summarize counts %v, want %v", counts, want)
	}
	if got.Nodes != len(model.nodes) || got.Feasible != feasible {
		t.Fatalf("Summarize: %d of %d feasible, want %d of %d",
			got.Feasible, got.Nodes, feasible, len(model.nodes))
	}
}

type fataler interface {
	Fatalf(string, ...any)
}

func checkIndexIsEmpty[N comparable](t fataler, x *taints.Index[N]) {
	if s := x.Audit(); s.Nodes+s.Groups+s.Classes+s.Anchors+s.Keys+s.Numbers+s.Pages != 0 || x.Len() != 0 {
		t.Fatalf("an empty index keeps %+v", s)
	}
}

var (
	gpuNode    = parseTaints("gpu:NoSchedule")
	spotNode   = parseTaints("spot:NoSchedule", "gpu:NoSchedule")
	gpuAndSpot = taints.Compile(parseTolerations("gpu op=Exists", "spot op=Exists"))
)

// The zero Index has no nodes.
func TestIndexZero(t *testing.T) {
	var x taints.Index[string]
	x.Delete("none")
	for range x.Feasible(gpuAndSpot) {
		t.Error("an empty index yields a node")
	}
	for range x.Verdicts(nil) {
		t.Error("an empty index yields a verdict")
	}
	if s := x.Summarize(nil).String(); s != "0/0 nodes are available" ||
		x.Len() != 0 || x.CountFeasible(nil) != 0 {
		t.Errorf("%s, %d nodes, %d feasible", s, x.Len(), x.CountFeasible(nil))
	}
}

// A nil Matcher tolerates nothing.
func TestIndexNilMatcher(t *testing.T) {
	var x taints.Index[string]
	x.Set("plain", nil)
	x.Set("gpu", gpuNode)
	if got := slices.Collect(x.Feasible(nil)); !slices.Equal(got, []string{"plain"}) {
		t.Errorf("Feasible = %v", got)
	}
}

// TimeAdded splits no group, order does, and soft taints split no class.
func TestIndexGroups(t *testing.T) {
	var x taints.Index[int]
	for i := range 100 {
		when := time.Unix(int64(i), 0)
		list := []taints.Taint{
			{Key: "a", Effect: "NoSchedule", TimeAdded: &when},
			{Key: "b", Effect: "PreferNoSchedule"},
			{Key: "c", Effect: "NoExecute"},
		}
		x.Set(i, slices.Concat(list[i%3:], list[:i%3]))
	}
	if s := x.Audit(); s.Groups != 3 || s.Classes != 2 || s.Anchors != 2 || s.Keys != 3 {
		t.Errorf("the index keeps %+v", s)
	}
}

// An Index keeps neither the list nor its texts.
func TestIndexKeepsNoList(t *testing.T) {
	var x taints.Index[int]
	list := slices.Clone(gpuNode)
	x.Set(1, list)
	list[0].Key = "other"
	if x.CountFeasible(gpuAndSpot) != 1 {
		t.Error("a write to the list reached the index")
	}
}

// An Index keeps no node that is deleted from being collected.
func TestIndexLetsGoOfNodes(t *testing.T) {
	type machine [1000]byte
	var x taints.Index[*machine]
	stays, goes := new(machine), new(machine)
	x.Set(stays, gpuNode)
	x.Set(goes, gpuNode)
	x.Delete(goes)
	gone := weak.Make(goes)
	goes = nil
	runtime.GC()
	if gone.Value() != nil {
		t.Error("the index holds a node that was deleted")
	}
	runtime.KeepAlive(&x)
}

func TestIndexRepels(t *testing.T) {
	list := []taints.Taint{
		{Key: "a", Effect: taints.PreferNoSchedule},
		{Key: "b", Effect: "Special"},
		{Key: "c", Effect: taints.NoExecute},
	}
	for _, c := range []struct {
		repels taints.EffectSet
		want   []int
	}{
		{0, []int{0, 1}},
		{taints.Hard, []int{0, 1}},
		{taints.Soft, []int{1, 2}},
		{taints.Evicting, []int{0, 1}},
		{taints.AllEffects, nil},
		{taints.Effects("Special"), []int{0, 2}},
		{taints.Effects(taints.NoSchedule), []int{0, 1, 2}},
	} {
		x := taints.Index[int]{Repels: c.repels}
		for i := range list {
			x.Set(i, list[i:i+1])
		}
		if got := slices.Sorted(x.Feasible(nil)); !slices.Equal(got, c.want) ||
			x.CountFeasible(nil) != len(c.want) {
			t.Errorf("%v: Feasible = %v, CountFeasible = %d, want %v",
				c.repels, got, x.CountFeasible(nil), c.want)
		}
		if s := x.Summarize(nil); s.Feasible != len(c.want) || len(s.Reasons) != len(list)-len(c.want) {
			t.Errorf("%v: %v", c.repels, s)
		}
	}
}

// Repels counts from the first Set until the index is empty.
func TestIndexRepelsCountsFromTheFirstSet(t *testing.T) {
	x := taints.Index[int]{Repels: taints.Soft}
	x.Set(1, gpuNode)
	x.Repels = taints.Hard
	x.Set(2, gpuNode)
	x.Set(3, parseTaints("a:PreferNoSchedule"))
	if got := slices.Sorted(x.Feasible(nil)); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("Feasible = %v", got)
	}
	x.Audit()
	for i := range 4 {
		x.Delete(i)
	}
	x.Set(4, gpuNode)
	if n := x.CountFeasible(nil); n != 0 {
		t.Errorf("%d feasible", n)
	}
	x.Audit()
}

// Delete reports whether the node was there.
func TestIndexDelete(t *testing.T) {
	var x taints.Index[string]
	x.Set("a", nil)
	if x.Delete("b") || !x.Delete("a") || x.Delete("a") {
		t.Error("Delete is wrong")
	}
}

// A Set that changes nothing allocates nothing.
func TestIndexSetAgain(t *testing.T) {
	var x taints.Index[int]
	x.Set(1, gpuNode)
	for range x.Feasible(gpuAndSpot) {
	}
	if n := testing.AllocsPerRun(10, func() { x.Set(1, gpuNode) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A name that does not equal itself is no node.
func TestIndexNaN(t *testing.T) {
	var x taints.Index[float64]
	x.Set(math.NaN(), nil)
	x.Delete(math.NaN())
	x.Set(1, gpuNode)
	x.Set(math.NaN(), gpuNode)
	if x.Len() != 1 || x.CountFeasible(gpuAndSpot) != 1 {
		t.Errorf("%d nodes, %d feasible", x.Len(), x.CountFeasible(gpuAndSpot))
	}
	x.Delete(1)
	checkIndexIsEmpty(t, &x)
}

// A name that cannot be compared panics and changes nothing.
func TestIndexIncomparable(t *testing.T) {
	var x taints.Index[any]
	for _, call := range []func(){func() { x.Set([]int{1}, nil) }, func() { x.Delete([]int{1}) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		}()
		checkIndexIsEmpty(t, &x)
		x.Set("good", gpuNode)
		if got := slices.Collect(x.Feasible(gpuAndSpot)); !slices.Equal(got, []any{"good"}) {
			t.Errorf("Feasible = %v", got)
		}
		x.Delete("good")
	}
}

// Many calls of Set and Delete for one node leave nothing behind.
func TestIndexStaysSmall(t *testing.T) {
	var x taints.Index[string]
	var before, after runtime.MemStats
	run := func(n int) {
		for i := range n {
			x.Set("node", []taints.Taint{
				{Key: "k" + strconv.Itoa(i), Value: strconv.Itoa(i), Effect: taints.NoExecute},
			})
			if i%3 == 0 {
				x.Delete("node")
			}
		}
		x.Delete("node")
	}
	run(10_000)
	runtime.GC()
	runtime.ReadMemStats(&before)
	run(200_000)
	runtime.GC()
	runtime.ReadMemStats(&after)
	checkIndexIsEmpty(t, &x)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 100_000 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
}

// An Index forgets a taint that no node has.
func TestIndexForgetsTaints(t *testing.T) {
	var x taints.Index[string]
	x.Set("stays", parseTaints("score=5:NoSchedule", "gpu:NoSchedule"))
	for i := range 1000 {
		x.Set("changes", []taints.Taint{
			{Key: "score", Value: strconv.Itoa(i), Effect: taints.NoSchedule},
			{Key: "gpu", Value: "v" + strconv.Itoa(i), Effect: taints.NoExecute},
			{Key: "k" + strconv.Itoa(i)},
		})
	}
	x.Delete("changes")
	if s := x.Audit(); s.Groups != 1 || s.Anchors != 1 || s.Keys != 2 {
		t.Errorf("the index keeps %+v, want one group, one anchor and two keys", s)
	}
}

// The body of a loop may update the index.
func TestIndexUpdateInALoop(t *testing.T) {
	var x taints.Index[int]
	for i := range 1000 {
		x.Set(i, spotNode)
	}
	seen := 0
	for node := range x.Feasible(gpuAndSpot) {
		seen++
		x.Delete(node)
		x.Set(node+1000, gpuNode)
		x.Set((node+1)%1000, nil) // also those that come later, and those that are gone
	}
	if seen != 1000 {
		t.Errorf("the loop saw %d nodes, want the 1000 that were there", seen)
	}
	seen = 0
	for node := range x.Verdicts(gpuAndSpot) {
		seen++
		x.Delete(node)
	}
	if seen < 1000 || x.Len() != 0 {
		t.Errorf("the loop saw %d nodes and left %d", seen, x.Len())
	}
	checkIndexIsEmpty(t, &x)
}

// A loop may end after any number of nodes: a sequence that goes on panics.
func TestIndexLoopEndsEarly(t *testing.T) {
	var x taints.Index[int]
	for i := range 500 {
		x.Set(i, [][]taints.Taint{gpuNode, spotNode, nil}[i%3])
	}
	for want := 1; want <= 500; want++ {
		seen := 0
		for range x.Verdicts(gpuAndSpot) {
			if seen++; seen == want {
				break
			}
		}
		for range x.Feasible(gpuAndSpot) {
			if seen--; seen == 0 {
				break
			}
		}
		if seen != 0 {
			t.Fatalf("%d nodes are left of %d", seen, want)
		}
	}
}

// A sequence sees the nodes anew in each loop.
func TestIndexSequenceIsUsedAgain(t *testing.T) {
	var x taints.Index[int]
	feasible := x.Feasible(gpuAndSpot)
	x.Set(1, gpuNode)
	if got := slices.Collect(feasible); !slices.Equal(got, []int{1}) {
		t.Errorf("got %v", got)
	}
	x.Delete(1)
	if got := slices.Collect(feasible); got != nil {
		t.Errorf("got %v", got)
	}
}

// The same calls lead to the same order.
func TestIndexOrder(t *testing.T) {
	build := func() []int {
		var x taints.Index[int]
		for i := range 1000 {
			x.Set(i, []taints.Taint{
				{Key: "tenant", Value: strconv.Itoa(i % 37), Effect: taints.NoSchedule},
				{Key: "zone", Value: strconv.Itoa(i % 5), Effect: taints.PreferNoSchedule},
			})
			x.Delete(i / 3)
		}
		return slices.Collect(x.Feasible(taints.Compile(parseTolerations("tenant op=Exists"))))
	}
	if a, b := build(), build(); !slices.Equal(a, b) || len(a) == 0 {
		t.Errorf("%v\nand then %v", a, b)
	}
}

// Numbers of one key are found by their order: all thresholds over nodes that come,
// change and go, among so many others that a search is worth it.
func TestIndexThresholds(t *testing.T) {
	value := rapid.SampledFrom([]string{
		"-9223372036854775808", "-7", "0", "1", "2", "3", "5", "8", "9223372036854775807", "",
		"v", "05",
	})
	effect := rapid.SampledFrom([]taints.Effect{taints.NoSchedule, taints.NoExecute})
	rapid.Check(t, func(t *rapid.T) {
		var x taints.Index[int]
		model := indexModel{repels: taints.Hard, nodes: make(map[int][]taints.Taint)}
		for i := 100; i < 450; i++ {
			model.nodes[i] = []taints.Taint{hard("tenant", i)}
			x.Set(i, model.nodes[i])
		}
		for range rapid.IntRange(1, 60).Draw(t, "updates") {
			node := rapid.IntRange(0, 30).Draw(t, "node")
			if rapid.IntRange(0, 4).Draw(t, "delete") == 0 {
				x.Delete(node)
				delete(model.nodes, node)
				continue
			}
			model.nodes[node] = []taints.Taint{
				{Key: "score", Value: value.Draw(t, "value"), Effect: effect.Draw(t, "effect")},
			}
			x.Set(node, model.nodes[node])
		}
		x.Audit()
		for _, op := range []taints.Operator{taints.OpLt, taints.OpGt, taints.OpExists, taints.OpEqual} {
			limit := rapid.SampledFrom([]string{
				"-9223372036854775808", "-7", "0", "1", "2", "4",
				"8", "9", "9223372036854775807",
			}).Draw(t, "limit")
			m := taints.Compile([]taints.Toleration{
				{Key: "score", Operator: op, Value: limit, Effect: effect.Draw(t, "effect")},
			})
			checkIndex(t, &x, &model, m)
			if _, ok := x.Search(m); !ok {
				t.Fatalf("score %s %s is not searched for", op, limit)
			}
		}
	})
}

// Counting allocates nothing for the usual pod, and listing nothing in proportion to
// the nodes.
func TestIndexAllocs(t *testing.T) {
	for _, tenants := range []int{3, 1000} {
		var x taints.Index[int]
		for i := range 5_000 {
			x.Set(i, nil)
			if i < 2_000 {
				x.Set(i, []taints.Taint{hard("tenant", i%tenants)})
			}
		}
		pod := taints.Compile(parseTolerations("tenant=1:NoSchedule", "gpu op=Exists", "score=3 op=Lt"))
		all := taints.Compile(parseTolerations("op=Exists"))
		list, sink := make([]int, 0, 5_000), 0
		for name, c := range map[string]struct {
			f    func()
			most float64
		}{
			"CountFeasible":       {func() { sink += x.CountFeasible(pod) }, 0},
			"CountFeasible, all":  {func() { sink += x.CountFeasible(all) }, 0},
			"AppendFeasible":      {func() { list = x.AppendFeasible(list[:0], pod) }, 3},
			"AppendFeasible, all": {func() { list = x.AppendFeasible(list[:0], all) }, 1},
			"Feasible": {func() {
				for n := range x.Feasible(pod) {
					sink += n
				}
			}, 4},
			"FeasibleVerdicts": {func() {
				for n := range x.FeasibleVerdicts(all) {
					sink += n
				}
			}, 2},
		} {
			if n := testing.AllocsPerRun(20, c.f); n > c.most {
				t.Errorf("%s among %d tenants: %v allocations, want at most %v", name, tenants, n, c.most)
			}
		}
	}
}
