// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/draw"
)

// Only a few lists for many nodes, so that groups grow beyond a page.
var drawList = rapid.OneOf(rapid.Just[[]taints.Taint](nil), draw.Taints, rapid.SampledFrom([][]taints.Taint{
	parseTaints("a:NoSchedule"), parseTaints("a:NoSchedule", "b=5:NoExecute"),
	parseTaints("b=5:NoExecute", "a:NoSchedule"), parseTaints("a:PreferNoSchedule"),
	parseTaints("a:NoSchedule", "a:PreferNoSchedule"),
	parseTaints("a:NoSchedule", "a:NoSchedule"), parseTaints("b=5:NoExecute", "b=6:NoExecute", "b=v:NoExecute"),
	parseTaints("a:PreferNoSchedule", "a:NoSchedule", "b=5:PreferNoSchedule"),
	{{Key: "a", Effect: "x"}, {Key: "b", Value: "5", Effect: "x"}},
}))

// Also tolerations of a few keys, sometimes many, so that a search finds anchors.
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

var drawRepels = rapid.SampledFrom([]taints.EffectSet{
	0, 0, 0, taints.Hard, taints.Soft, taints.Evicting, taints.AllEffects,
	taints.Effects(taints.NoSchedule), taints.Effects("x"), taints.Hard | taints.Effects("x"),
})

func drawMatcher(t *rapid.T) *taints.Matcher {
	if rapid.IntRange(0, 9).Draw(t, "nil") == 0 {
		return nil
	}
	return draw.Options.Draw(t, "options").Compile(drawTolerations.Draw(t, "tolerations"))
}

func TestIsAMapAndALoop(t *testing.T) {
	var searched, scanned, held int
	rapid.Check(t, func(t *rapid.T) {
		x := newModeledIndex(drawRepels.Draw(t, "repels"))
		node := rapid.OneOf(rapid.IntRange(0, 10), rapid.IntRange(0, 400))
		t.Repeat(map[string]func(*rapid.T){
			"Set": func(t *rapid.T) { x.set(node.Draw(t, "node"), drawList.Draw(t, "taints")) },
			"Set many": func(t *rapid.T) {
				first, list := node.Draw(t, "node"), drawList.Draw(t, "taints")
				for n := range rapid.IntRange(0, 200).Draw(t, "count") {
					x.set(first+n, list)
				}
			},
			"Set many, each its own": func(t *rapid.T) {
				first := node.Draw(t, "node")
				before, after := drawList.Draw(t, "before"), drawList.Draw(t, "after")
				effect := draw.Effects.Draw(t, "effect")
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
				m := drawMatcher(t)
				x.check(t, m)
				if _, ok := x.index.searchSteps(m); ok {
					searched++
				} else {
					scanned++
				}
			},
			"hold a query": func(t *rapid.T) {
				x.hold(t, drawMatcher(t), rapid.Bool().Draw(t, "all"))
				held++
			},
			"go on with a query": func(t *rapid.T) {
				if len(x.held) > 0 {
					x.held[0].take(t)
				}
			},
			"finish the queries": func(t *rapid.T) { x.finish(t) },
			"updates in a loop": func(t *rapid.T) {
				x.loop(t, drawMatcher(t), func(n int) {
					switch n % 3 {
					case 0:
						x.delete(t, n)
					case 1:
						x.set(n+1, x.model.nodes[n])
					}
				})
			},
			"": func(t *rapid.T) { x.check(t) },
		})
		x.finish(t)
		x.empty(t)
	})
	if searched+scanned >= 100 && min(searched, scanned, held) == 0 {
		t.Errorf("%d searches, %d times all groups, %d held queries", searched, scanned, held)
	}
}

// TimeAdded does not split a group, but order does. Soft taints split no class.
func TestGroups(t *testing.T) {
	var x Index[int]
	for i := range 100 {
		when := time.Unix(int64(i), 0)
		list := []taints.Taint{
			{Key: "a", Effect: "NoSchedule", TimeAdded: &when},
			{Key: "b", Effect: "PreferNoSchedule"},
			{Key: "c", Effect: "NoExecute"},
		}
		x.Set(i, slices.Concat(list[i%3:], list[:i%3]))
	}
	if got, want := audit(t, &x), (sizes{groups: 3, classes: 2, anchors: 2, keys: 3}); got != want {
		t.Errorf("the index keeps %+v, want %+v", got, want)
	}
	for list := range x.Groups() {
		for _, taint := range list {
			if taint.TimeAdded != nil {
				t.Errorf("%v has a TimeAdded", list)
			}
		}
	}
}

// Repels applies from the first Set until the index is empty.
func TestRepelsCountsFromTheFirstSet(t *testing.T) {
	x := newModeledIndex(taints.Soft)
	x.set(1, parseTaints("gpu:NoSchedule"))
	x.index.Repels = taints.Hard
	x.set(2, parseTaints("gpu:NoSchedule"))
	x.set(3, parseTaints("a:PreferNoSchedule"))
	x.check(t, nil)
	for i := range 4 {
		x.delete(t, i)
	}
	x.model.repels = taints.Hard
	x.set(4, parseTaints("gpu:NoSchedule"))
	x.check(t, nil)
}

// A name that does not equal itself is ignored.
func TestNaN(t *testing.T) {
	var x Index[float64]
	x.Set(math.NaN(), nil)
	if x.Delete(math.NaN()) {
		t.Error("NaN is deleted")
	}
	x.Set(1, nil)
	x.Set(math.NaN(), nil)
	if x.Len() != 1 || x.CountFeasible(nil) != 1 {
		t.Errorf("%d nodes, %d feasible", x.Len(), x.CountFeasible(nil))
	}
	x.Delete(1)
	checkEmpty(t, &x)
}

// A call with a name that is not comparable panics and changes nothing.
func TestIncomparable(t *testing.T) {
	var x Index[any]
	for _, call := range []func(){func() { x.Set([]int{1}, nil) }, func() { x.Delete([]int{1}) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		}()
		checkEmpty(t, &x)
		x.Set("good", nil)
		if got := slices.Collect(x.Feasible(nil)); !slices.Equal(got, []any{"good"}) {
			t.Errorf("Feasible = %v", got)
		}
		x.Delete("good")
	}
}

// A loop may end after any number of nodes or groups. The sequence then stops.
func TestLoopsEndEarly(t *testing.T) {
	var x Index[int]
	for i := range 500 {
		x.Set(i, [][]taints.Taint{own(i), parseTaints("gpu:NoSchedule"), nil}[i%3])
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

// Each loop over a sequence sees the nodes as they are when it begins.
func TestSequenceIsUsedAgain(t *testing.T) {
	var x Index[int]
	feasible := x.Feasible(nil)
	x.Set(1, nil)
	if got := slices.Collect(feasible); !slices.Equal(got, []int{1}) {
		t.Errorf("got %v", got)
	}
	x.Delete(1)
	if got := slices.Collect(feasible); got != nil {
		t.Errorf("got %v", got)
	}
}

// The groups that a search has found do not change with the index, even if no
// query has read the pages before.
func TestFoundGroupsStay(t *testing.T) {
	x := newModeledIndex(0)
	for i := range 300 {
		x.set(i, own(i%100))
	}
	x.loop(t, compile("tenant=7:NoSchedule"), func(int) { x.set(7, own(8)) })
}

// A Set that changes nothing does not write to a page.
func TestSetOfTheSame(t *testing.T) {
	var x Index[int]
	page := func() (first *members[int]) {
		x.members.Pages(func(page []members[int]) bool { first = &page[0]; return true })
		return first
	}
	for i := range 10 {
		x.Set(i, own(i%2))
	}
	for i := range 10 {
		x.all()
		before := page()
		if x.Set(i, own(i%2)); page() != before {
			t.Errorf("a Set of the same taints for node %d copies a page", i)
		}
	}
}

// No update has to copy a page for a query that counts the nodes it found, or
// for one that found none.
func TestQueriesThatCopyNothing(t *testing.T) {
	var x Index[int]
	for i := range 200 {
		x.Set(i, own(i%100))
	}
	for name, query := range map[string]func(){
		"CountFeasible":             func() { x.CountFeasible(compile("tenant=7:NoSchedule")) },
		"CountFeasible, everything": func() { x.CountFeasible(compile("op=Exists")) },
		"AppendFeasible, nothing":   func() { x.AppendFeasible(nil, nil) },
	} {
		before := x.version.Load()
		if query(); x.version.Load() != before {
			t.Errorf("%s begins a version", name)
		}
	}
}

// Counting for a typical pod allocates nothing, nor does a Set that changes
// nothing. The allocations of listing do not grow with the number of nodes.
func TestAllocs(t *testing.T) {
	for _, tenants := range []int{3, 1000} {
		var x Index[int]
		for i := range 5_000 {
			x.Set(i, [][]taints.Taint{own(i % tenants), nil}[i%2])
		}
		pod, all := compile("tenant=1:NoSchedule", "gpu op=Exists", "score=3 op=Lt"), compile("op=Exists")
		list, sink, same := make([]int, 0, 5_000), 0, own(1)
		for name, c := range map[string]struct {
			most float64
			f    func()
		}{
			"Set":                 {0, func() { x.Set(1, same) }},
			"CountFeasible":       {0, func() { sink += x.CountFeasible(pod) }},
			"CountFeasible, all":  {0, func() { sink += x.CountFeasible(all) }},
			"AppendFeasible":      {3, func() { list = x.AppendFeasible(list[:0], pod) }},
			"AppendFeasible, all": {1, func() { list = x.AppendFeasible(list[:0], all) }},
			"Feasible":            {4, func() { x.Feasible(pod)(func(n int) bool { sink += n; return true }) }},
			"Verdicts":            {2, func() { x.Verdicts(all)(func(n int, _ taints.Verdict) bool { sink += n; return true }) }},
		} {
			if n := testing.AllocsPerRun(20, c.f); n > c.most {
				t.Errorf("%s among %d tenants: %v allocations, want at most %v", name, tenants, n, c.most)
			}
		}
	}
}

// A list has a text that no other list has. Each field follows its length.
// Reading the text returns an equal list.
func TestText(t *testing.T) {
	field := rapid.OneOf(
		draw.Keys,
		rapid.StringN(0, 3, -1),
		rapid.SampledFrom([]string{"\x00", "\x01a", "\x80", "a\x01a"}),
		rapid.Map(rapid.SampledFrom([]int{127, 128, 129, 16383, 16384, 300_000}), func(n int) string {
			return strings.Repeat("k", n)
		}),
	)
	effect := rapid.OneOf(draw.Effects, rapid.Map(field, func(s string) taints.Effect { return taints.Effect(s) }))
	list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) taints.Taint {
		return taints.Taint{Key: field.Draw(t, "key"), Value: field.Draw(t, "value"), Effect: effect.Draw(t, "effect")}
	}), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		want := list.Draw(t, "taints")
		text := string(appendText(nil, want))
		var fields []byte
		for _, taint := range want {
			for _, field := range []string{taint.Key, taint.Value, string(taint.Effect)} {
				fields = append(binary.AppendUvarint(fields, uint64(len(field))), field...)
			}
		}
		if text != string(fields) {
			t.Fatalf("the text of %q is %q, want %q", want, text, fields)
		}
		if got := readText(text, len(want)); !slices.EqualFunc(got, want, taints.Taint.Equal) {
			t.Fatalf("%q is read as %q", want, got)
		}
	})
}
