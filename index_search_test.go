// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
)

// amongOthers returns an index of the nodes, which have different taints and are
// named from 0, and of others until it has so many groups, with its model.
func amongOthers(groups int, nodes [][]taints.Taint) *modeledIndex {
	x := newModeledIndex(taints.Hard)
	for i, list := range nodes {
		x.set(i, list)
	}
	for i := len(nodes); i < groups; i++ {
		x.set(i, []taints.Taint{hard("other", i)})
	}
	return x
}

func checkFeasible(t fataler, x *modeledIndex, m *taints.Matcher) {
	want := x.model.feasible(m)
	got := x.index.AppendFeasible(nil, m)
	if slices.Sort(got); !slices.Equal(got, want) || x.index.CountFeasible(m) != len(want) {
		t.Fatalf("AppendFeasible = %v, CountFeasible = %d, want %v", got, x.index.CountFeasible(m), want)
	}
}

// A search finds the candidates exactly when its steps are at most a quarter of the
// groups, and looks at nothing more once it lacks steps: 4 for each toleration, then
// 2 for each anchor, and then 1 for each class at these.
func TestIndexSearchTakesAQuarter(t *testing.T) {
	nodes := [][]taints.Taint{
		parseTaints("tenant=7:NoSchedule"),
		parseTaints("zone=1:NoSchedule"), parseTaints("zone=1:NoExecute"),
		parseTaints("zone=2:NoSchedule"),
		parseTaints("zone=2:NoSchedule", "zone=2:NoSchedule"),
		parseTaints("zone=3:NoExecute"),
	}
	for _, c := range []struct {
		tolerations []string
		finds       [][2]int // anchors and classes, by toleration
	}{
		{nil, nil},
		{[]string{"gpu op=Exists", "gpu=1", "gpu=1 op=Lt"}, [][2]int{{}, {}, {}}},
		{[]string{"tenant=7"}, [][2]int{{1, 1}}},
		{[]string{"zone=2"}, [][2]int{{1, 2}}},
		{[]string{"zone op=Exists"}, [][2]int{{3, 5}}},
		{[]string{"gpu", "zone=1", "tenant op=Exists", "zone op=Exists"}, [][2]int{{}, {1, 2}, {1, 1}, {3, 5}}},
		{[]string{"zone op=Exists", "gpu", "tenant=7:NoSchedule"}, [][2]int{{3, 5}, {}, {1, 1}}},
	} {
		m := taints.Compile(parseTolerations(c.tolerations...))
		for groups := len(nodes); groups < 160; groups++ {
			x := amongOthers(groups, nodes)
			left := groups/4 - 4*len(c.tolerations)
			for _, finds := range c.finds {
				for _, steps := range []int{2 * finds[0], finds[1]} {
					if left >= 0 {
						left -= steps
					}
				}
			}
			if _, ok := x.index.Search(m); ok != (left >= 0) || x.index.Missing(m) != -left {
				t.Errorf("%q among %d groups: %v with %d steps left, want %d",
					c.tolerations, groups, ok, -x.index.Missing(m), left)
			}
			checkFeasible(t, x, m)
		}
	}
}

// A search takes a step more for each 64 bytes of a key and value, which it reads,
// and looks up nothing more once it lacks steps.
func TestIndexSearchCountsBytes(t *testing.T) {
	for _, c := range []struct{ key, value, steps int }{
		{63, 0, 0}, {64, 0, 1}, {40, 23, 0}, {40, 24, 1}, {1, 63, 1}, {640, 0, 10}, {639, 640, 19}, {1, 1280, 20},
	} {
		key, value := strings.Repeat("k", c.key), strings.Repeat("v", c.value)
		nodes := [][]taints.Taint{{hard(key, value)}}
		for _, op := range []taints.Operator{taints.OpExists, taints.OpEqual} {
			m := taints.Compile([]taints.Toleration{{Key: key, Operator: op, Value: value}})
			other := taints.Compile([]taints.Toleration{{Key: "a" + key[1:], Operator: op, Value: value}})
			for groups := 1; groups < 160; groups++ {
				x := amongOthers(groups, nodes)
				for m, more := range map[*taints.Matcher][]int{other: {4, c.steps}, m: {4, c.steps, 2, 1}} {
					left := groups / 4
					for _, steps := range more {
						if left >= 0 {
							left -= steps
						}
					}
					if _, ok := x.index.Search(m); ok != (left >= 0) || x.index.Missing(m) != -left {
						t.Errorf("%v among %d groups, %d: %v with %d steps left, want %d",
							c, groups, more, ok, -x.index.Missing(m), left)
					}
				}
				checkFeasible(t, x, m)
			}
		}
	}
}

// Every number is found by every limit at the ends and in the middle, whatever else
// is tolerated before and behind.
func TestIndexLimits(t *testing.T) {
	numbers := []int64{
		math.MinInt64, math.MinInt64 + 1, math.MinInt64 + 2, -2, -1, 0, 1, 2,
		math.MaxInt64 - 2, math.MaxInt64 - 1, math.MaxInt64,
	}
	var nodes [][]taints.Taint
	for _, n := range numbers {
		nodes = append(nodes, []taints.Taint{hard("score", n)}, []taints.Taint{hard("score", n), hard("gpu", n)})
	}
	x := amongOthers(500, append(nodes, parseTaints("tenant=7:NoSchedule"), parseTaints("gpu:NoSchedule")))
	tenant, gpu := parseTolerations("tenant=7")[0], parseTolerations("gpu:NoSchedule op=Exists")[0]
	for _, op := range []taints.Operator{taints.OpLt, taints.OpGt, taints.OpEqual} {
		for _, n := range numbers {
			limit := taints.Toleration{Key: "score", Operator: op, Value: strconv.FormatInt(n, 10)}
			for _, list := range [][]taints.Toleration{
				{limit}, {tenant, limit}, {limit, tenant}, {gpu, limit, tenant},
			} {
				m := taints.Compile(list)
				checkFeasible(t, x, m)
				if _, ok := x.index.Search(m); !ok {
					t.Errorf("%v is not searched for", list)
				}
			}
		}
	}
}

// A search for numbers less or greater than a limit takes no step for the limit.
func TestIndexSearchLeavesOutTheLimit(t *testing.T) {
	x := amongOthers(100, [][]taints.Taint{parseTaints("score=5:NoSchedule")})
	for spec, want := range map[string]int{
		"score=5 op=Lt": 4, "score=5 op=Gt": 4, "score=6 op=Lt": 4 + 1 + 2 + 1, "score=4 op=Gt": 4 + 1 + 2 + 1,
	} {
		if steps, ok := x.index.Search(taints.Compile(parseTolerations(spec))); !ok || steps != want {
			t.Errorf("%s: %d steps, want %d", spec, steps, want)
		}
	}
}

// A pod without tolerations looks at the nodes without taints alone.
func TestIndexStepsWithoutTolerations(t *testing.T) {
	x := amongOthers(1000, [][]taints.Taint{nil})
	for name, m := range map[string]*taints.Matcher{
		"nil": nil, "zero": new(taints.Matcher), "no tolerations": taints.Compile(),
	} {
		if list, count := x.index.Steps(m); list > 2 || count > 2 {
			t.Errorf("%s: %d steps to list, %d to count, want at most 2", name, list, count)
		}
		if got := slices.Collect(x.index.Feasible(m)); !slices.Equal(got, []int{0}) {
			t.Errorf("%s: Feasible = %v", name, got)
		}
	}
}

// A query that has searched copies the groups that it found, unless these are more
// than a quarter of all.
func TestIndexCopiesAQuarter(t *testing.T) {
	none := taints.Compile()
	for found := range 6 {
		nodes := times(found, func(i int) []taints.Taint {
			return []taints.Taint{{Key: "soft", Value: strconv.Itoa(i), Effect: taints.PreferNoSchedule}}
		})
		for groups := max(1, found); groups < 40; groups++ {
			x, want := amongOthers(groups, nodes), 0
			if found <= groups/4 {
				want = found
			}
			if n := x.index.Copied(none); n != want {
				t.Errorf("%d of %d groups: %d are copied, want %d", found, groups, n, want)
			}
			checkFeasible(t, x, none)
		}
	}
}

// Whatever repels, a search finds the nodes of which the pod tolerates what repels,
// with one taint of each two effects, and looks at few groups for it.
func TestIndexSearchUnderEveryRepels(t *testing.T) {
	effects := []taints.Effect{taints.NoSchedule, taints.PreferNoSchedule, taints.NoExecute, "unknown"}
	tolerated := append(slices.Clone(effects), "") // of all effects
	var matchers []*taints.Matcher
	for _, a := range tolerated {
		one := taints.Toleration{Key: "a", Operator: taints.OpExists, Effect: a}
		matchers = append(matchers, taints.Compile([]taints.Toleration{one}))
		for _, b := range tolerated {
			matchers = append(matchers, taints.Compile([]taints.Toleration{
				one, {Key: "b", Value: "1", Effect: b},
			}))
		}
	}
	for bits := 1; bits < 1<<len(effects); bits++ {
		var in []taints.Effect
		for i, e := range effects {
			if bits>>i&1 == 1 {
				in = append(in, e)
			}
		}
		x := newModeledIndex(taints.Effects(in...))
		for i, a := range effects {
			for j, b := range effects {
				x.set(10*i+j, []taints.Taint{{Key: "a", Value: "1", Effect: a}, {Key: "b", Value: "1", Effect: b}})
			}
		}
		for i := range 300 {
			x.set(1000+i, []taints.Taint{{Key: "other", Value: strconv.Itoa(i), Effect: in[i%len(in)]}})
		}
		for _, m := range matchers {
			checkFeasible(t, x, m)
			if list, count := x.index.Steps(m); list > 150 || count > 150 {
				t.Errorf("%v: %d steps to list, %d to count, among 316 groups", in, list, count)
			}
		}
	}
}
