// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"
	"weak"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
)

// A hostileScene is what somebody may put into a scheduler who means ill: the
// taints of the nodes, in the order in which they come, and a pod's tolerations.
type hostileScene struct {
	name  string
	nodes [][]taints.Taint
	pod   *taints.Matcher
}

func hard(key string, value any) taints.Taint {
	return taints.Taint{Key: key, Value: fmt.Sprint(value), Effect: taints.NoSchedule}
}

func exists(key string) taints.Toleration {
	return taints.Toleration{Key: key, Operator: taints.OpExists}
}

func times[T any](n int, f func(i int) T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = f(i)
	}
	return all
}

// hostileScenes returns scenes of about so many nodes.
func hostileScenes(n int) []hostileScene {
	one := func(t taints.Taint) []taints.Taint { return []taints.Taint{t} }
	tenants := times(n, func(i int) []taints.Taint { return one(hard("tenant", i)) })
	executing := times(n, func(i int) []taints.Taint {
		return one(taints.Taint{Key: "tenant", Value: strconv.Itoa(i), Effect: taints.NoExecute})
	})
	numbers := times(n, func(i int) []taints.Taint { return one(hard("score", n-i)) })
	keyed := times(n, func(i int) []taints.Taint { return one(hard("key-"+strconv.Itoa(i)+"-z", i)) })
	bits := 0
	for 1<<(bits+1) <= n {
		bits++
	}
	subsets := func(old bool) [][]taints.Taint {
		return times(1<<bits, func(i int) []taints.Taint {
			var list []taints.Taint
			for b := range bits {
				if i>>b&1 == 1 {
					list = append(list, hard("k"+strconv.Itoa(b), ""))
				}
			}
			if old {
				return append(one(hard("old", "")), list...)
			}
			return append(list, hard("new", ""))
		})
	}
	subsetPod := taints.Compile(times(bits, func(i int) taints.Toleration {
		return exists("k" + strconv.Itoa(i))
	}))
	long := func(last func(i int) taints.Taint) [][]taints.Taint {
		shared := times(39, func(i int) taints.Taint { return hard("shared-"+strconv.Itoa(i), "") })
		return times(max(1, n/10), func(i int) []taints.Taint { return append(slices.Clone(shared), last(i)) })
	}
	longPod := times(39, func(i int) taints.Toleration { return exists("shared-" + strconv.Itoa(i)) })
	many := func(t taints.Toleration) []taints.Toleration {
		return times(n, func(int) taints.Toleration { return t })
	}
	each := func(op taints.Operator) []taints.Toleration {
		return times(n, func(i int) taints.Toleration {
			return taints.Toleration{Key: "score", Operator: op, Value: strconv.Itoa(i)}
		})
	}
	few := max(1, n/100)
	return []hostileScene{
		{"no tolerations", tenants, nil},
		{"all of one key", tenants, taints.Compile([]taints.Toleration{exists("tenant")})},
		{"all of one key, in another effect", executing, taints.Compile(many(taints.Toleration{
			Key: "tenant", Operator: taints.OpExists, Effect: taints.NoSchedule,
		})[:few])},
		{"all of one key, one by one", tenants, taints.Compile(times(n, func(i int) taints.Toleration {
			return taints.Toleration{Key: "tenant", Value: strconv.Itoa(i)}
		})[:few])},
		{
			"all but the last taint", long(func(i int) taints.Taint { return hard("own", i) }),
			taints.Compile(longPod),
		},
		{
			"all taints of long lists", long(func(i int) taints.Taint { return hard("own", i) }),
			taints.Compile(append(longPod, exists("own"))),
		},
		{"a part of the numbers", numbers, taints.Compile([]taints.Toleration{
			{Key: "score", Operator: taints.OpLt, Value: strconv.Itoa(n / 20)},
		})},
		{"half of the numbers", numbers, taints.Compile([]taints.Toleration{
			{Key: "score", Operator: taints.OpLt, Value: strconv.Itoa(n / 2)},
		})},
		{"the numbers many times", numbers, taints.Compile(each(taints.OpGt)[n-few:])},
		{"numbers that nobody has", numbers, taints.Compile(times(few, func(i int) taints.Toleration {
			return taints.Toleration{Key: "score", Operator: taints.OpLt, Value: strconv.Itoa(-i)}
		}))},
		{"subsets below an old taint", subsets(true), subsetPod},
		{"subsets below a new taint", subsets(false), subsetPod},
		{"no key", tenants, taints.Compile([]taints.Toleration{{Value: "7"}})},
		{"a wildcard", tenants, taints.Options{KeyWildcards: true}.Compile([]taints.Toleration{
			exists("ten*"), exists("gpu"),
		})},
		{"tolerations that match nothing", tenants, taints.Compile(many(taints.Toleration{
			Key: "tenant", Operator: "In",
		}))},
		{"tolerations of other keys", tenants, taints.Compile(times(few, func(i int) taints.Toleration {
			return exists("other-" + strconv.Itoa(i))
		}))},
		{"tolerations of long keys", keyed, taints.Compile(times(n/20, func(i int) taints.Toleration {
			return exists(strings.Repeat("k", 65_536) + strconv.Itoa(i) + "-of-another")
		}))},
		{"tolerations of long values", keyed, taints.Compile(times(n/20, func(i int) taints.Toleration {
			return taints.Toleration{Key: "other", Value: strings.Repeat("v", 65_536) + strconv.Itoa(i)}
		}))},
		{"soft taints of their own", times(n, func(i int) []taints.Taint {
			return one(taints.Taint{Key: "deletion", Value: strconv.Itoa(i), Effect: taints.PreferNoSchedule})
		}), taints.Compile([]taints.Toleration{exists("gpu")})},
	}
}

func (s *hostileScene) index() *taints.Index[int] {
	x := new(taints.Index[int])
	for i, list := range s.nodes {
		x.Set(i, list)
	}
	return x
}

// loop is the plain loop over all nodes.
func (s *hostileScene) loop() int {
	n := 0
	for _, list := range s.nodes {
		if _, found := s.pod.FindUntolerated(list, taints.Hard); !found {
			n++
		}
	}
	return n
}

// No query takes more than twice the steps of the plain loop, and the scenes take
// both ways.
func TestIndexHostileSteps(t *testing.T) {
	ways := make(map[bool]int)
	for _, n := range []int{1, 2, 3, 10, 100, 2000} {
		for _, s := range hostileScenes(n) {
			x := s.index()
			x.Audit()
			checkSteps(t, fmt.Sprintf("%s, %d nodes", s.name, n), x, s.nodes, s.pod)
			if got, want := x.CountFeasible(s.pod), s.loop(); got != want ||
				len(x.AppendFeasible(nil, s.pod)) != want {
				t.Errorf("%s, %d nodes: %d are feasible, want %d", s.name, n, got, want)
			}
			_, searched := x.Search(s.pod)
			ways[searched]++
		}
	}
	if ways[true] < 10 || ways[false] < 10 {
		t.Errorf("found by a search or not: %v", ways)
	}
}

func checkSteps(t fataler, name string, x *taints.Index[int], nodes [][]taints.Taint, m *taints.Matcher) {
	plain := 0
	for _, list := range nodes {
		plain += m.LooksAt(list, taints.Hard)
	}
	list, count := x.Steps(m)
	if list > 2*plain || count > 2*plain && len(nodes) > 0 {
		t.Fatalf("%s: %d steps to list, %d to count, %d in a plain loop", name, list, count, plain)
	}
	if n := x.Copied(m); n > len(nodes)/4 {
		t.Fatalf("%s: %d groups are copied among %d nodes", name, n, len(nodes))
	}
	if steps, _ := x.Search(m); steps > len(nodes)/4 {
		t.Fatalf("%s: a search takes %d steps among %d nodes", name, steps, len(nodes))
	}
}

// The same for whatever comes, in whatever order: from few taints, so that anchors
// are shared, and with many tolerations of them.
func TestIndexSteps(t *testing.T) {
	small := rapid.Custom(func(t *rapid.T) taints.Taint {
		return taints.Taint{
			Key:   rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "key"),
			Value: strconv.Itoa(rapid.IntRange(0, 40).Draw(t, "value")),
			Effect: rapid.SampledFrom([]taints.Effect{
				taints.NoSchedule, taints.NoExecute, taints.PreferNoSchedule,
			}).Draw(t, "effect"),
		}
	})
	of := func(t *rapid.T, taint taints.Taint) taints.Toleration {
		tol := taints.Toleration{Key: taint.Key, Value: taint.Value, Operator: operators.Draw(t, "operator")}
		if rapid.Bool().Draw(t, "effect") {
			tol.Effect = taint.Effect
		}
		return tol
	}
	ways := make(map[bool]int)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(0, 5), rapid.IntRange(0, 300)).Draw(t, "n")
		nodes := rapid.SliceOfN(rapid.SliceOfN(small, 0, 6), n, n).Draw(t, "nodes")
		var x taints.Index[int]
		for i := range nodes {
			x.Set(i, nodes[i])
		}
		for range 4 {
			var tols []taints.Toleration
			for _, taint := range rapid.SliceOfN(small, 0, 30).Draw(t, "tolerated") {
				tols = append(tols, of(t, taint))
			}
			m := taints.Compile(tols)
			checkSteps(t, "any", &x, nodes, m)
			_, searched := x.Search(m)
			ways[searched]++
		}
	})
	if all := ways[true] + ways[false]; all >= 200 && min(ways[true], ways[false]) < 10 {
		t.Errorf("found by a search or not: %v", ways)
	}
}

// What a query looks at follows what the pod tolerates, not how many groups there are,
// nor in which order they and their taints came.
func TestIndexStepsFollowThePod(t *testing.T) {
	m := taints.Compile(parseTolerations("tenant=7:NoSchedule", "gpu op=Exists", "score=3 op=Lt", "old op=Exists"))
	steps := func(nodes int, order []int) (list, count int) {
		var x taints.Index[int]
		for i := range nodes {
			taint := []taints.Taint{hard("old", ""), hard("tenant", i), hard("gpu", "")}
			x.Set(i, []taints.Taint{taint[order[0]], taint[order[1]], taint[order[2]]})
			x.Set(nodes+i, []taints.Taint{hard("score", nodes-i)})
		}
		return x.Steps(m)
	}
	for _, order := range [][]int{{0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {0, 2, 1}} {
		list, count := steps(1_000, order)
		if more, n := steps(4_000, order); more > list+5 || n > count+5 || list > 200 {
			t.Errorf("order %v: %d and %d steps among 2,000 groups, %d and %d among 8,000",
				order, list, count, more, n)
		}
	}
}

// A group is found once, whichever of the tolerations find its anchor, and in the
// order in which the anchors were made.
func TestIndexFindsGroupsOnce(t *testing.T) {
	var x taints.Index[int]
	for i := range 1000 {
		x.Set(i, []taints.Taint{hard("filler", i)})
	}
	for i, list := range [][]taints.Taint{
		parseTaints("b=2:NoSchedule"),
		parseTaints("a=1:NoSchedule"),
		parseTaints("a=1:NoSchedule", "b=2:NoSchedule"),
		parseTaints("c=3:NoExecute"),
	} {
		x.Set(1000+i, list)
	}
	m := taints.Compile(parseTolerations(
		"a=1:NoSchedule", "b=2:NoSchedule", "c=9:NoExecute op=Lt",
		"a=1:NoExecute", "b op=Exists", "a op=Exists", "c op=Exists",
		"c=1:NoExecute op=Gt", "b=2", "a=0 op=Gt",
	))
	if _, ok := x.Search(m); !ok {
		t.Fatal("the groups are not searched for")
	}
	got, n := slices.Collect(x.Feasible(m)), x.CountFeasible(m)
	if !slices.Equal(got, []int{1000, 1001, 1002, 1003}) || n != 4 {
		t.Errorf("Feasible = %v, CountFeasible = %d", got, n)
	}
}

// A search counts each toleration, anchor and class, and is not begun for more
// tolerations than it may look up.
func TestIndexSearchCounts(t *testing.T) {
	var x taints.Index[int]
	for i := range 1000 {
		x.Set(i, []taints.Taint{hard("filler", i)})
	}
	// Each of the ten zones has three classes, all at the anchor of its key and value.
	for i := range 50 {
		x.Set(1000+i, []taints.Taint{hard("zone", i%10), {
			Key:    "zone",
			Value:  strconv.Itoa(i % 10),
			Effect: taints.Effect([]string{"", "NoSchedule", "NoExecute", "PreferNoSchedule", "x"}[i/10]),
		}})
	}
	if s := x.Audit(); s.Anchors != 1010 {
		t.Fatalf("%d anchors", s.Anchors)
	}
	steps, ok := x.Search(taints.Compile([]taints.Toleration{exists("zone")}))
	if most := 4 + 10*2 + 30; !ok || steps < 1+10+30 || steps > most {
		t.Errorf("%d steps for a toleration of 10 anchors of 3 classes each, want at most %d", steps, most)
	}
	for _, n := range []int{10, 50, 100, 300} {
		m := taints.Compile(times(n, func(i int) taints.Toleration { return exists("other-" + strconv.Itoa(i)) }))
		if steps, ok := x.Search(m); ok != (n < 60) || ok && steps < n {
			t.Errorf("%d tolerations among 1050 groups: %d steps, %v", n, steps, ok)
		}
	}
	// The anchors of 300 tolerations are not even looked up.
	m := taints.Compile(times(300, func(int) taints.Toleration { return exists("zone") }))
	if got, want := x.Missing(m), 4*300-1050/4; got != want {
		t.Errorf("300 tolerations lack %d steps, want %d", got, want)
	}
}

// What cannot tolerate a taint that repels costs its look-up and no more.
func TestIndexSearchIgnoresWhatDoesNotMatter(t *testing.T) {
	for _, repels := range []taints.EffectSet{taints.Hard, taints.Soft} {
		effect, other := taints.NoSchedule, taints.PreferNoSchedule
		if repels == taints.Soft {
			effect, other = other, effect
		}
		x := taints.Index[int]{Repels: repels}
		for i := range 1000 {
			x.Set(i, []taints.Taint{{Key: "score", Value: strconv.Itoa(i), Effect: effect}})
		}
		if _, steps := x.Steps(taints.Compile([]taints.Toleration{exists("")})); steps != 1 {
			t.Errorf("%v: %d steps to count what is tolerated without exception", repels, steps)
		}
		for _, c := range []struct {
			name  string
			tol   taints.Toleration
			steps int
			nodes int
		}{
			{"its node", taints.Toleration{Key: "score", Value: "7", Effect: effect}, 4 + 3, 1},
			{"another effect of all keys", taints.Toleration{Operator: taints.OpExists, Effect: other}, 4, 0},
			{
				"another effect of the key",
				taints.Toleration{Key: "score", Operator: taints.OpExists, Effect: other},
				4, 0,
			},
			{"no operator of all keys", taints.Toleration{Operator: "In"}, 4, 0},
			{"no integer of all keys", taints.Toleration{Operator: taints.OpLt, Value: "x"}, 4, 0},
			{
				"less than all numbers",
				taints.Toleration{Key: "score", Operator: taints.OpLt, Value: "-9223372036854775808"},
				4, 0,
			},
			{
				"greater than all numbers",
				taints.Toleration{Key: "score", Operator: taints.OpGt, Value: "9223372036854775807"},
				4, 0,
			},
			{"another key", exists("scores"), 4, 0},
		} {
			m := taints.Compile([]taints.Toleration{c.tol})
			steps, ok := x.Search(m)
			if n := x.CountFeasible(m); !ok || steps != c.steps || n != c.nodes ||
				len(x.AppendFeasible(nil, m)) != n {
				t.Errorf("%v, %s: %d steps, %v, %d nodes, want %d steps, %d nodes",
					repels, c.name, steps, ok, n, c.steps, c.nodes)
			}
		}
	}
}

// The old taint that nobody tolerates may come first or last: the class is filed
// under the taint with the fewest others.
func TestIndexAnchorsAreRare(t *testing.T) {
	var x taints.Index[int]
	for i := range 1000 {
		x.Set(i, []taints.Taint{hard("old", ""), hard("zone", i%10), hard("own", i)})
	}
	if s := x.Audit(); s.Anchors < 999 {
		t.Errorf("1000 classes with a taint of their own have %d anchors", s.Anchors)
	}
	m := taints.Compile([]taints.Toleration{exists("old"), exists("zone")})
	if steps, ok := x.Search(m); !ok || steps > 100 {
		t.Errorf("%d steps to find out that nothing is tolerated", steps)
	}
}

// The first node of a loop comes before the index has collected or copied anything
// in proportion to the groups.
func TestIndexFirstNodeComesEarly(t *testing.T) {
	first := func(nodes int, m *taints.Matcher) float64 {
		var x taints.Index[int]
		for i := range nodes {
			x.Set(i, []taints.Taint{hard("tenant", i)})
		}
		return testing.AllocsPerRun(10, func() {
			for range x.Feasible(m) {
				break
			}
			for range x.Verdicts(m) {
				break
			}
		})
	}
	for _, pod := range []taints.Toleration{
		exists(""), exists("tenant"),
		{Key: "tenant", Operator: taints.OpGt, Value: "-1"},
		{Value: "7"},
	} {
		m := taints.Compile([]taints.Toleration{pod})
		most := 0.0
		if pod.Operator == taints.OpGt {
			most = 10 // for the anchors that it finds before it gives up
		}
		if few, many := first(100, m), first(10_000, m); many > few+most {
			t.Errorf("%v: %v allocations for the first of 100 nodes, %v for that of 10,000", pod, few, many)
		}
	}
}

// What the index keeps is linear in the nodes and the lengths of the distinct lists,
// and what is deleted is given back in proportion.
func TestIndexMemory(t *testing.T) {
	for _, c := range []struct {
		name  string
		list  func(i int) []taints.Taint
		nodes int
	}{
		{"no taints", func(int) []taints.Taint { return nil }, 5_000},
		{"one list", func(int) []taints.Taint { return []taints.Taint{hard("gpu", "")} }, 5_000},
		{"each its own value", func(i int) []taints.Taint { return []taints.Taint{hard("tenant", i)} }, 5_000},
		{"each its own key", func(i int) []taints.Taint {
			return []taints.Taint{hard("tenant-"+strconv.Itoa(i), "v")}
		}, 5_000},
		{"each its own soft taint", func(i int) []taints.Taint {
			return []taints.Taint{{Key: "deletion", Value: strconv.Itoa(i), Effect: taints.PreferNoSchedule}}
		}, 5_000},
		{"falling numbers", func(i int) []taints.Taint { return []taints.Taint{hard("score", -i)} }, 5_000},
		{"40 taints, the last its own", func(i int) []taints.Taint {
			return append(times(39, func(j int) taints.Taint { return hard("shared", j) }), hard("own", i))
		}, 2_000},
		{"40 taints, the first its own", func(i int) []taints.Taint {
			return append([]taints.Taint{hard("own", i)},
				times(39, func(j int) taints.Taint { return hard("shared", j) })...)
		}, 2_000},
		{"groups of 100", func(i int) []taints.Taint { return []taints.Taint{hard("tenant", i/100)} }, 5_000},
		{"prefixes of a long list", func(i int) []taints.Taint {
			return times(i, func(j int) taints.Taint { return hard("key", j) })
		}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			var x taints.Index[int]
			text, seen := 0, make(map[string]bool)
			for i := range c.nodes {
				list := c.list(i)
				x.Set(i, list)
				if id := taints.TextOf(list); !seen[id] {
					seen[id] = true
					text += len(id) + 56*len(list)
				}
			}
			full := x.Audit()
			if full.Text > 2*text+10*c.nodes || full.Room > 16*c.nodes+100 || full.Pages > 2*c.nodes+100 {
				t.Errorf("%+v for %d bytes of lists", full, text)
			}
			for _, left := range []int{c.nodes / 2, c.nodes / 10, 1} {
				for x.Len() > left {
					x.Delete(c.nodes - x.Len())
				}
				s := x.Audit()
				if s.Nodes != left || s.Room > 16*4*(left+1)+100 || s.Pages > 2*left+10 ||
					s.Groups > left || s.Keys > 40*left || s.Numbers > left {
					t.Errorf("%d nodes left: %+v of %+v", left, s, full)
				}
			}
			x.Delete(c.nodes - 1)
			checkIndexIsEmpty(t, &x)
		})
	}
}

// A node that goes from one list to another leaves nothing behind.
func TestIndexMemoryOfChanges(t *testing.T) {
	var x taints.Index[int]
	for round := range 20 {
		for i := range 500 {
			x.Set(i, []taints.Taint{hard("round-"+strconv.Itoa(round), i), hard("own-"+strconv.Itoa(i%7), round)})
		}
		if s := x.Audit(); s.Nodes != 500 || s.Groups != 500 || s.Keys != 8 ||
			s.Anchors > 500 || s.Room > 16*4*500 {
			t.Fatalf("round %d: %+v", round, s)
		}
	}
}

// Set allocates in proportion to the list, however long it is.
func TestIndexSetIsLinear(t *testing.T) {
	bytes := func(n int) uint64 {
		list := times(n, func(i int) taints.Taint { return hard(fmt.Sprintf("key-%06d", i), n-i) })
		var before, after runtime.MemStats
		var x taints.Index[int]
		runtime.ReadMemStats(&before)
		x.Set(1, list)
		runtime.ReadMemStats(&after)
		x.Audit()
		return after.TotalAlloc - before.TotalAlloc
	}
	if short, long := bytes(1_000), bytes(8_000); long > 12*short {
		t.Errorf("Set of 1,000 taints allocates %d bytes, of 8,000 %d", short, long)
	}
}

// The index keeps neither the lists that it is given nor their texts, and forgets
// its own with the groups, though an anchor or a key outlives the group that it was
// made for.
func TestIndexForgets(t *testing.T) {
	gone := func(name string, text *string, cleaned *atomic.Bool) {
		t.Helper()
		*text = ""
		for range 10 {
			if runtime.GC(); cleaned.Load() {
				return
			}
			runtime.Gosched()
		}
		t.Errorf("%s is kept", name)
	}
	// watch returns a text of its own, and a variable that is true when it is gone.
	watch := func(s string) (*string, *atomic.Bool) {
		b := []byte(s)
		cleaned := new(atomic.Bool)
		runtime.AddCleanup(&b[0], func(c *atomic.Bool) { c.Store(true) }, cleaned)
		text := unsafe.String(&b[0], len(b))
		return &text, cleaned
	}
	long := strings.Repeat("x", 1000)
	for _, effect := range []taints.Effect{taints.NoSchedule, taints.PreferNoSchedule, "unknown"} {
		var x taints.Index[int]
		text, cleaned := watch(long + "key" + long + "value" + long + string(effect) + long)
		key, rest, _ := strings.Cut((*text)[1000:], long)
		value, rest, _ := strings.Cut(rest, long)
		list := []taints.Taint{{Key: key, Value: value, Effect: taints.Effect(rest[:len(effect)])}}
		x.Set(1, list)
		x.Set(1, append(list, list...))
		x.Delete(2)
		list, key, value, rest = nil, "", "", ""
		gone(fmt.Sprintf("the caller's text, %s", effect), text, cleaned)
		runtime.KeepAlive(&x)
	}

	// The text of a group is gone with its last node, while others share its key, its
	// anchor and its class.
	var x taints.Index[int]
	shared := hard("shared", "v")
	soft := taints.Taint{Key: "soft", Effect: taints.PreferNoSchedule}
	x.Set(1, []taints.Taint{shared, {Key: "other", Value: long, Effect: taints.PreferNoSchedule}})
	cleaned := new(atomic.Bool)
	runtime.AddCleanup(unsafe.StringData(x.TextOfNode(1)), func(c *atomic.Bool) { c.Store(true) }, cleaned)
	x.Set(2, []taints.Taint{shared, soft})
	x.Set(3, []taints.Taint{shared, hard("shared", "w")})
	x.Delete(1)
	none := ""
	gone("the text of a group", &none, cleaned)
	if s := x.Audit(); s.Classes != 2 || s.Keys != 2 {
		t.Errorf("%+v", s)
	}

	// And that of a class, while others share its anchor.
	var y taints.Index[int]
	y.Set(1, []taints.Taint{shared, soft})
	cleaned = new(atomic.Bool)
	runtime.AddCleanup(unsafe.StringData(y.TextOfClass(1)), func(c *atomic.Bool) { c.Store(true) }, cleaned)
	y.Set(2, []taints.Taint{shared, shared})
	y.Delete(1)
	gone("the text of a class", &none, cleaned)
	if s := y.Audit(); s.Classes != 1 || s.Anchors != 1 || s.Keys != 1 {
		t.Errorf("%+v", s)
	}
}

// Nodes that are deleted or moved are forgotten, whichever of a group they are.
func TestIndexForgetsNodes(t *testing.T) {
	type machine [1000]byte
	for _, n := range []int{1, 2, 3, 64, 65, 66, 130} {
		for _, i := range []int{0, n / 2, n - 1} {
			for _, query := range []bool{false, true} {
				var x taints.Index[*machine]
				all := times(n, func(int) *machine { return new(machine) })
				for _, m := range all {
					x.Set(m, nil)
				}
				if query {
					for range x.Feasible(nil) {
						break
					}
				}
				x.Delete(all[i])
				gone := weak.Make(all[i])
				all[i] = nil
				if runtime.GC(); gone.Value() != nil {
					t.Errorf("node %d of %d is kept, after a query: %v", i, n, query)
				}
				runtime.KeepAlive(&x)
				runtime.KeepAlive(all)
			}
		}
	}
}

// A class has no text of its own where a group has no other taints than those that
// repel.
func TestIndexClassSharesTheText(t *testing.T) {
	var x taints.Index[int]
	x.Set(1, []taints.Taint{hard("a", 1), hard("b", 2)})
	x.Set(2, []taints.Taint{hard("a", 2), {Key: "b", Effect: taints.PreferNoSchedule}})
	for node, shared := range map[int]bool{1: true, 2: false} {
		group, class := x.TextOfNode(node), x.TextOfClass(node)
		if (unsafe.StringData(group) == unsafe.StringData(class)) != shared {
			t.Errorf("the texts of node %d are one: %v, want %v", node, !shared, shared)
		}
	}
}

// A list has a text that no other list has, its fields behind their lengths, and is
// read from it as it was.
func TestIndexText(t *testing.T) {
	field := rapid.OneOf(
		keys,
		rapid.Map(
			rapid.SampledFrom([]int{0, 1, 127, 128, 129, 16383, 16384, 300_000}),
			func(n int) string { return strings.Repeat("k", n) },
		),
		rapid.StringN(0, 3, -1),
		rapid.SampledFrom([]string{"\x00", "\x01a", "\x80", "a\x01a"}),
	)
	effect := rapid.OneOf(effects, rapid.Map(field, func(s string) taints.Effect { return taints.Effect(s) }))
	list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) taints.Taint {
		return taints.Taint{
			Key:    field.Draw(t, "key"),
			Value:  field.Draw(t, "value"),
			Effect: effect.Draw(t, "effect"),
		}
	}), 0, 4)
	seen := make(map[string][]taints.Taint)
	rapid.Check(t, func(t *rapid.T) {
		want := list.Draw(t, "taints")
		text := taints.TextOf(want)
		var fields []byte
		for _, taint := range want {
			for _, field := range []string{taint.Key, taint.Value, string(taint.Effect)} {
				fields = append(binary.AppendUvarint(fields, uint64(len(field))), field...)
			}
		}
		if text != string(fields) {
			t.Fatalf("the text of %q is %q, want %q", want, text, fields)
		}
		if got := taints.FromText(text, len(want)); !slices.EqualFunc(got, want, taints.Taint.Equal) {
			t.Fatalf("%q is read as %q", want, got)
		}
		if other, ok := seen[text]; ok && !slices.EqualFunc(other, want, taints.Taint.Equal) {
			t.Fatalf("%q and %q have the text %q", other, want, text)
		}
		seen[text] = want
	})
}

// BenchmarkIndexHostile shows that no query takes more than twice the plain loop.
func BenchmarkIndexHostile(b *testing.B) {
	for _, s := range hostileScenes(10_000) {
		x := s.index()
		name := strings.ReplaceAll(s.name, " ", "-")
		b.Run(name+"/loop", func(b *testing.B) {
			for b.Loop() {
				s.loop()
			}
		})
		b.Run(name+"/count", func(b *testing.B) {
			for b.Loop() {
				x.CountFeasible(s.pod)
			}
		})
		b.Run(name+"/list", func(b *testing.B) {
			for b.Loop() {
				for range x.Feasible(s.pod) {
				}
			}
		})
	}
	for _, n := range []int{1_000, 8_000} {
		list := times(n, func(i int) taints.Taint { return hard("key-"+strconv.Itoa(i), i) })
		b.Run(fmt.Sprintf("Set-and-Delete/taints=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			var x taints.Index[int]
			for b.Loop() {
				x.Set(1, list)
				x.Delete(1)
			}
		})
	}
	b.Run("Set-falling-numbers", func(b *testing.B) {
		b.ReportAllocs()
		var x taints.Index[int]
		i := math.MaxInt
		for b.Loop() {
			i--
			x.Set(i, []taints.Taint{hard("score", i)})
		}
	})
}
