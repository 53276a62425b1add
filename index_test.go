package taints_test

import (
	"iter"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
)

// An indexModel is what an Index should be: a map, and loops over it.
type indexModel map[int][]taints.Taint

func (nodes indexModel) feasible(m *taints.Matcher) []int {
	var found []int
	for node, list := range nodes {
		if m.Filter(list).Schedulable() {
			found = append(found, node)
		}
	}
	slices.Sort(found)
	return found
}

func (nodes indexModel) verdicts(m *taints.Matcher) map[int]taints.Verdict {
	found := make(map[int]taints.Verdict)
	for node, list := range nodes {
		found[node] = m.Filter(slices.SortedFunc(slices.Values(list), taints.Taint.Compare))
	}
	return found
}

// A heldQuery is a loop over a query that goes on while the index changes.
type heldQuery struct {
	next func() (int, bool)
	stop func()
	got  []int
	want []int
}

func (h *heldQuery) finish(t *rapid.T) {
	for node, ok := h.next(); ok; node, ok = h.next() {
		h.got = append(h.got, node)
	}
	h.stop()
	slices.Sort(h.got)
	if !slices.Equal(h.got, h.want) {
		t.Fatalf("a query that was held yielded %v, want %v", h.got, h.want)
	}
}

func TestIndexIsAMapAndALoop(t *testing.T) {
	// Few taint sets, so that groups grow beyond a page, and many nodes.
	taintSet := rapid.OneOf(rapid.Just[[]taints.Taint](nil), anyTaints, rapid.SampledFrom([][]taints.Taint{
		parseTaints("a:NoSchedule"), parseTaints("a:NoSchedule", "b=5:NoExecute"), parseTaints("b=5:NoExecute", "a:NoSchedule"), parseTaints("a:PreferNoSchedule"),
		parseTaints("a:NoSchedule", "a:PreferNoSchedule"), parseTaints("a:NoSchedule", "a:NoSchedule"), parseTaints("b=5:NoExecute", "b=6:NoExecute", "b=v:NoExecute"),
	}))
	rapid.Check(t, func(t *rapid.T) {
		var x taints.Index[int]
		model := make(indexModel)
		var held []*heldQuery
		node := rapid.OneOf(rapid.IntRange(0, 10), rapid.IntRange(0, 400))
		matcher := func(t *rapid.T) *taints.Matcher {
			return options.Draw(t, "options").Compile(anyTolerations.Draw(t, "tolerations"))
		}
		t.Repeat(map[string]func(*rapid.T){
			"Set": func(t *rapid.T) {
				n, list := node.Draw(t, "node"), taintSet.Draw(t, "taints")
				x.Set(n, list)
				model[n] = list
			},
			"Set many": func(t *rapid.T) {
				first, count, list := node.Draw(t, "node"), rapid.IntRange(0, 200).Draw(t, "count"), taintSet.Draw(t, "taints")
				for n := first; n < first+count; n++ {
					x.Set(n, list)
					model[n] = list
				}
			},
			"Delete": func(t *rapid.T) {
				n := node.Draw(t, "node")
				x.Delete(n)
				delete(model, n)
			},
			"Delete many": func(t *rapid.T) {
				first, count := node.Draw(t, "node"), rapid.IntRange(0, 200).Draw(t, "count")
				for n := first; n < first+count; n++ {
					x.Delete(n)
					delete(model, n)
				}
			},
			"query": func(t *rapid.T) {
				m := matcher(t)
				checkIndex(t, &x, model, m)
			},
			"hold a query": func(t *rapid.T) {
				m := matcher(t)
				h := &heldQuery{want: model.feasible(m)}
				h.next, h.stop = iter.Pull(x.Feasible(m))
				if n, ok := h.next(); ok {
					h.got = append(h.got, n)
				}
				held = append(held, h)
			},
			"finish a query": func(t *rapid.T) {
				if len(held) > 0 {
					held[0].finish(t)
					held = held[1:]
				}
			},
			"": func(t *rapid.T) {
				if x.Len() != len(model) {
					t.Fatalf("Len = %d, want %d", x.Len(), len(model))
				}
			},
		})
		for _, h := range held {
			h.finish(t)
		}
		for n := range model {
			x.Delete(n)
		}
		checkIndexIsEmpty(t, &x)
	})
}

func checkIndex(t *rapid.T, x *taints.Index[int], model indexModel, m *taints.Matcher) {
	want := model.feasible(m)
	if got := slices.Sorted(x.Feasible(m)); !slices.Equal(got, want) {
		t.Fatalf("Feasible = %v, want %v", got, want)
	}
	if got := x.CountFeasible(m); got != len(want) {
		t.Fatalf("CountFeasible = %d, want %d", got, len(want))
	}
	seen := 0
	verdicts := model.verdicts(m)
	for n, v := range x.Verdicts(m) {
		if want, ok := verdicts[n]; !ok || v != want {
			t.Fatalf("Verdicts: node %d has %+v, want %+v", n, v, want)
		}
		seen++
	}
	if seen != len(model) {
		t.Fatalf("Verdicts yields %d nodes, want %d", seen, len(model))
	}
	if got, want := x.Summarize(m).String(), m.Summarize(maps.Values(model)).String(); got != want {
		t.Fatalf("Summarize = %s\nwant %s", got, want)
	}
}

type fataler interface {
	Fatalf(string, ...any)
}

func checkIndexIsEmpty[N comparable](t fataler, x *taints.Index[N]) {
	groups, list, keys := x.Sizes()
	if x.Len()+groups+list+keys != 0 {
		t.Fatalf("an empty index keeps %d nodes, %d groups, %d taints, %d keys", x.Len(), groups, list, keys)
	}
}

func TestIndex(t *testing.T) {
	gpu, spot := parseTaints("gpu:NoSchedule"), parseTaints("spot:NoSchedule", "gpu:NoSchedule")
	tolerant := taints.Compile(parseTolerations("gpu op=Exists", "spot op=Exists"))

	t.Run("zero", func(t *testing.T) {
		var x taints.Index[string]
		x.Delete("none")
		for range x.Feasible(tolerant) {
			t.Error("an empty index yields a node")
		}
		for range x.Verdicts(nil) {
			t.Error("an empty index yields a verdict")
		}
		if s := x.Summarize(nil).String(); s != "0/0 nodes are available" || x.Len() != 0 || x.CountFeasible(nil) != 0 {
			t.Errorf("%s, %d nodes, %d feasible", s, x.Len(), x.CountFeasible(nil))
		}
	})
	t.Run("a nil Matcher tolerates nothing", func(t *testing.T) {
		var x taints.Index[string]
		x.Set("plain", nil)
		x.Set("gpu", gpu)
		if got := slices.Collect(x.Feasible(nil)); !slices.Equal(got, []string{"plain"}) {
			t.Errorf("Feasible = %v", got)
		}
	})
	t.Run("order and TimeAdded split no group", func(t *testing.T) {
		var x taints.Index[int]
		for i := range 100 {
			when := time.Unix(int64(i), 0)
			list := []taints.Taint{{Key: "a", Effect: "NoSchedule", TimeAdded: &when}, {Key: "b", Effect: "PreferNoSchedule"}, {Key: "c", Effect: "NoExecute"}}
			x.Set(i, slices.Concat(list[i%3:], list[:i%3]))
		}
		if groups, distinct, keys := x.Sizes(); groups != 3 || distinct != 3 || keys != 3 {
			t.Errorf("%d groups, %d taints, %d keys, want 3 of each: one on the way to the next", groups, distinct, keys)
		}
	})
	t.Run("keeps no list and no text", func(t *testing.T) {
		var x taints.Index[int]
		list := slices.Clone(gpu)
		x.Set(1, list)
		list[0].Key = "other"
		if x.CountFeasible(tolerant) != 1 {
			t.Error("a write to the list reached the index")
		}
	})
	t.Run("lets go of nodes that are gone", func(t *testing.T) {
		type machine [1000]byte
		var x taints.Index[*machine]
		stays, goes := new(machine), new(machine)
		x.Set(stays, gpu)
		x.Set(goes, gpu)
		x.Delete(goes)
		gone := weak.Make(goes)
		goes = nil
		runtime.GC()
		if gone.Value() != nil {
			t.Error("the index holds a node that was deleted")
		}
		runtime.KeepAlive(&x)
	})
	t.Run("a name that is not itself is no node", func(t *testing.T) {
		var x taints.Index[float64]
		x.Set(math.NaN(), nil)
		x.Delete(math.NaN())
		x.Set(1, gpu)
		x.Set(math.NaN(), gpu)
		if x.Len() != 1 || x.CountFeasible(tolerant) != 1 {
			t.Errorf("%d nodes, %d feasible", x.Len(), x.CountFeasible(tolerant))
		}
		x.Delete(1)
		checkIndexIsEmpty(t, &x)
	})
	t.Run("a name that cannot be compared panics and changes nothing", func(t *testing.T) {
		var x taints.Index[any]
		x.Set("good", gpu)
		for _, call := range []func(){func() { x.Set([]int{1}, nil) }, func() { x.Delete([]int{1}) }} {
			func() {
				defer func() {
					if recover() == nil {
						t.Error("no panic")
					}
				}()
				call()
			}()
		}
		if got := slices.Collect(x.Feasible(tolerant)); !slices.Equal(got, []any{"good"}) {
			t.Errorf("Feasible = %v", got)
		}
	})
	t.Run("a million Sets and Deletes of one node", func(t *testing.T) {
		var x taints.Index[string]
		var before, after runtime.MemStats
		run := func(n int) {
			for i := range n {
				x.Set("node", []taints.Taint{{Key: "k" + strconv.Itoa(i), Value: strconv.Itoa(i), Effect: taints.NoExecute}})
				if i%3 == 0 {
					x.Delete("node")
				}
			}
			x.Delete("node")
		}
		run(10_000)
		runtime.GC()
		runtime.ReadMemStats(&before)
		run(1_000_000)
		runtime.GC()
		runtime.ReadMemStats(&after)
		checkIndexIsEmpty(t, &x)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 100_000 {
			t.Errorf("the heap has grown by %d bytes", grown)
		}
	})
	t.Run("forgets taints one by one", func(t *testing.T) {
		var x taints.Index[string]
		x.Set("stays", parseTaints("score=5:NoSchedule", "gpu:NoSchedule"))
		for i := range 1000 {
			x.Set("changes", []taints.Taint{
				{Key: "score", Value: strconv.Itoa(i), Effect: taints.NoSchedule}, {Key: "gpu", Value: "v" + strconv.Itoa(i), Effect: taints.NoExecute}, {Key: "k" + strconv.Itoa(i)},
			})
		}
		x.Delete("changes")
		if groups, distinct, keys := x.Sizes(); groups != 2 || distinct != 2 || keys != 2 {
			t.Errorf("%d groups, %d taints, %d keys, want 2 of each", groups, distinct, keys)
		}
	})
	t.Run("a loop body that updates", func(t *testing.T) {
		var x taints.Index[int]
		for i := range 1000 {
			x.Set(i, spot)
		}
		seen := 0
		for node := range x.Feasible(tolerant) {
			seen++
			x.Delete(node)
			x.Set(node+1000, gpu)
			x.Set((node+1)%1000, nil) // also those that come later, and those that are gone
		}
		if seen != 1000 {
			t.Errorf("the loop saw %d nodes, want the 1000 that were there", seen)
		}
		seen = 0
		for node := range x.Verdicts(tolerant) {
			seen++
			x.Delete(node)
		}
		if seen < 1000 || x.Len() != 0 {
			t.Errorf("the loop saw %d nodes and left %d", seen, x.Len())
		}
		checkIndexIsEmpty(t, &x)
	})
	t.Run("a loop that ends early", func(t *testing.T) {
		var x taints.Index[int]
		for i := range 500 {
			x.Set(i, [][]taints.Taint{gpu, spot, nil}[i%3])
		}
		for want := range 500 {
			seen := 0
			for range x.Verdicts(tolerant) {
				if seen++; seen == want {
					break
				}
			}
			for range x.Feasible(tolerant) {
				if seen--; seen <= 0 {
					break
				}
			}
		}
	})
	t.Run("a sequence sees the nodes anew in each loop", func(t *testing.T) {
		var x taints.Index[int]
		feasible := x.Feasible(tolerant)
		x.Set(1, gpu)
		if got := slices.Collect(feasible); !slices.Equal(got, []int{1}) {
			t.Errorf("got %v", got)
		}
		x.Delete(1)
		if got := slices.Collect(feasible); got != nil {
			t.Errorf("got %v", got)
		}
	})
	t.Run("the same calls lead to the same order", func(t *testing.T) {
		build := func() []int {
			var x taints.Index[int]
			for i := range 1000 {
				x.Set(i, []taints.Taint{{Key: "tenant", Value: strconv.Itoa(i % 37), Effect: taints.NoSchedule}, {Key: "zone", Value: strconv.Itoa(i % 5), Effect: taints.PreferNoSchedule}})
				x.Delete(i / 3)
			}
			return slices.Collect(x.Feasible(taints.Compile(parseTolerations("tenant op=Exists"))))
		}
		if a, b := build(), build(); !slices.Equal(a, b) || len(a) == 0 {
			t.Errorf("%v\nand then %v", a, b)
		}
	})
}

// Numbers of one key are found by their order: all thresholds over nodes that come, change and go.
func TestIndexThresholds(t *testing.T) {
	value := rapid.SampledFrom([]string{"-9223372036854775808", "-7", "0", "1", "2", "3", "5", "8", "9223372036854775807", "", "v", "05"})
	effect := rapid.SampledFrom([]taints.Effect{taints.NoSchedule, taints.NoExecute})
	rapid.Check(t, func(t *rapid.T) {
		var x taints.Index[int]
		model := make(indexModel)
		for range rapid.IntRange(1, 60).Draw(t, "updates") {
			node := rapid.IntRange(0, 30).Draw(t, "node")
			if rapid.IntRange(0, 4).Draw(t, "delete") == 0 {
				x.Delete(node)
				delete(model, node)
				continue
			}
			model[node] = []taints.Taint{{Key: "score", Value: value.Draw(t, "value"), Effect: effect.Draw(t, "effect")}}
			x.Set(node, model[node])
		}
		for _, op := range []taints.Operator{taints.OpLt, taints.OpGt} {
			for _, limit := range []string{"-9223372036854775808", "-7", "0", "1", "2", "4", "8", "9", "9223372036854775807"} {
				m := taints.Compile([]taints.Toleration{{Key: "score", Operator: op, Value: limit, Effect: effect.Draw(t, "effect")}})
				checkIndex(t, &x, model, m)
			}
		}
		x.Sizes()
	})
}

// Eight readers check, while a writer moves nodes about, that each query sees every node exactly once.
func TestIndexWhileUpdated(t *testing.T) {
	const nodes = 300
	sets := [][]taints.Taint{
		nil, parseTaints("a:NoSchedule"), parseTaints("a:NoSchedule", "b=3:NoExecute"), parseTaints("b=4:NoExecute"), parseTaints("c:PreferNoSchedule"),
		parseTaints("c:PreferNoSchedule", "a:NoSchedule"),
	}
	everything := taints.Compile(parseTolerations("op=Exists"))
	some := taints.Compile(parseTolerations("a op=Exists", "b=2 op=Gt"))
	var x taints.Index[int]
	for i := range nodes {
		x.Set(i, sets[i%len(sets)])
	}
	var done atomic.Bool
	var readers sync.WaitGroup
	check := func(what string, all iter.Seq[int], want int) {
		seen := make(map[int]bool)
		for n := range all {
			seen[n] = true
		}
		if len(seen) != want {
			t.Errorf("%s: a query saw %d nodes, want %d", what, len(seen), want)
		}
	}
	for reader := range 8 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for !done.Load() && !t.Failed() {
				switch reader % 4 {
				case 0:
					check("Feasible", x.Feasible(everything), nodes)
				case 1:
					check("Verdicts", func(yield func(int) bool) {
						for n := range x.Verdicts(some) {
							if !yield(n) {
								return
							}
						}
					}, nodes)
				case 2:
					if s := x.Summarize(nil); s.Nodes != nodes || s.Feasible > nodes {
						t.Errorf("Summarize: %v", s)
					}
				case 3:
					if got, n := x.CountFeasible(some), x.Len(); got != nodes || n != nodes {
						t.Errorf("%d of %d are feasible", got, n)
					}
				}
			}
		}()
	}
	for i := range 20_000 {
		x.Set(i*7919%nodes, sets[i*31%len(sets)])
	}
	done.Store(true)
	readers.Wait()
}

// What a query looks at does not grow with the groups that its pod does not tolerate.
func TestIndexCostFollowsThePod(t *testing.T) {
	allocs := func(tenants int) float64 {
		var x taints.Index[int]
		for i := range tenants {
			x.Set(i, []taints.Taint{{Key: "tenant", Value: strconv.Itoa(i), Effect: taints.NoSchedule}, {Key: "gpu", Effect: taints.NoSchedule}})
		}
		m := taints.Compile(parseTolerations("tenant=7:NoSchedule", "gpu op=Exists"))
		return testing.AllocsPerRun(10, func() {
			for range x.Feasible(m) {
			}
		})
	}
	if few, many := allocs(10), allocs(10_000); few != many {
		t.Errorf("%v allocations among 10 tenants, %v among 10,000", few, many)
	}
}
