// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/keyset"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// searchSteps returns how many steps a search for m takes, and whether it finds
// the candidates.
func (x *Index[N]) searchSteps(m *taints.Matcher) (steps int, ok bool) {
	s := x.groups.newSearch(m)
	limit := s.left
	_, ok, _ = s.run(m, nil)
	return limit - s.left, ok
}

// looksAt returns the steps of a plain loop for a node: one for the node, and
// one for each taint up to the first untolerated one.
func looksAt(m *taints.Matcher, list []taints.Taint, in taints.EffectSet) int {
	if in == 0 {
		return 1
	}
	if i, found := m.FindUntolerated(list, in); found {
		return 1 + i + 1
	}
	return 1 + len(list)
}

// steps returns the most steps that the queries for m may take: the steps of the
// search, and then those of a plain loop over each group or class that is visited.
func (x *Index[N]) steps(m *taints.Matcher) (list, count, copied int) {
	spent, _ := x.searchSteps(m)
	spent = min(spent, len(x.groups.all.Entries)/searchShare)
	groups, in := x.candidates(m)
	if groups.Len() < x.members.Len() {
		copied = groups.Len()
	}
	list, count = spent, spent
	for i := range groups.Len() {
		list += looksAt(m, groups.At(i).taints, in)
	}
	tallies, groups, in := x.tallies(m, nil)
	for _, t := range tallies {
		count += looksAt(m, t.taints, in)
	}
	for i := range groups.Len() {
		count += looksAt(m, groups.At(i).taints, in)
	}
	return list, count, copied
}

// checkSteps checks that no query takes more than twice the steps of the plain
// loop, and that a query copies at most one group for every four nodes.
func (x *modeledIndex) checkSteps(t fataler, m *taints.Matcher) {
	n, plain, in := len(x.model.nodes), 0, x.model.repels
	if _, _, exempt := x.index.groups.search(m, nil); exempt {
		in = 0
	}
	for _, list := range x.model.nodes {
		plain += looksAt(m, list, in)
	}
	list, count, copied := x.index.steps(m)
	if n > 0 && (list > 2*plain || count > 2*plain) {
		t.Fatalf("%d steps to list, %d to count, %d in a plain loop", list, count, plain)
	}
	if copied > n/4 {
		t.Fatalf("%d groups are copied among %d nodes", copied, n)
	}
}

// The bounds hold for the hostile scenes, whether a search succeeds or not.
func TestHostileSteps(t *testing.T) {
	ways := make(map[bool]int)
	for _, n := range []int{1, 2, 3, 10, 100, 2000} {
		for _, s := range hostileScenes(n) {
			t.Run(fmt.Sprint(s.name, n), func(t *testing.T) {
				x := newModeledIndex(0)
				for i, list := range s.nodes {
					x.set(i, list)
				}
				x.check(t, s.pod)
				_, searched := x.index.searchSteps(s.pod)
				ways[searched]++
			})
		}
	}
	if min(ways[true], ways[false]) < 10 {
		t.Errorf("found by a search or not: %v", ways)
	}
}

// A search finds the candidates exactly if its steps are at most a quarter of the
// groups: 4 for each toleration, 1 for each 64 bytes of its key and value, 2 for
// each anchor, and 1 for each class and for each branch on the way to a number.
// If a toleration tolerates no repelling taint, only its own steps count.
func TestSearchSteps(t *testing.T) {
	long := strings.Repeat("k", 100)
	for _, repels := range []taints.EffectSet{taints.Hard, taints.Soft} {
		effect, other := taints.NoSchedule, taints.PreferNoSchedule
		if repels == taints.Soft {
			effect, other = other, effect
		}
		taint := func(key, value string) taints.Taint { return taints.Taint{Key: key, Value: value, Effect: effect} }
		x := newModeledIndex(repels)
		for i, list := range [][]taints.Taint{
			{taint("zone", "1")},
			{taint("zone", "2")},
			{taint("zone", "2"), taint("zone", "2")},
			{taint("score", "5")},
			{taint("score", "7")},
			{taint(long, long)},
			{{Key: "other", Effect: other}},
		} {
			x.set(i, list)
		}
		all := func(effect taints.Effect) taints.Toleration {
			return taints.Toleration{Operator: taints.OpExists, Effect: effect}
		}
		score := func(op taints.Operator, value int64) taints.Toleration {
			return taints.Toleration{Key: "score", Operator: op, Value: strconv.FormatInt(value, 10), Effect: effect}
		}
		const never = math.MaxInt
		cases := []struct {
			list  []taints.Toleration
			steps int
		}{
			{nil, 0},
			{[]taints.Toleration{exists("gpu"), {Key: "gpu"}, {Key: "gpu", Operator: taints.OpLt, Value: "1"}}, 3 * 4},
			{[]taints.Toleration{{Key: "zone"}, {Key: "zone", Value: "3"}, {Key: "zone", Operator: "In"}}, 3 * 4},
			{[]taints.Toleration{{Key: "zone", Value: "1"}}, 4 + 2 + 1},
			{[]taints.Toleration{{Key: "zone", Value: "2"}}, 4 + 2 + 2},
			{[]taints.Toleration{exists("zone")}, 4 + 2*2 + 3},
			{[]taints.Toleration{exists("zone"), exists("gpu"), {Key: "zone", Value: "2"}}, 3*4 + 2*2 + 3 + 2 + 2},
			{[]taints.Toleration{{Key: "zone", Operator: taints.OpExists, Effect: other}}, 4},
			{[]taints.Toleration{score("Gt", 7), score("Lt", math.MinInt64), score("Gt", math.MaxInt64)}, 3 * 4},
			{[]taints.Toleration{score("Lt", 5)}, 4 + 1},
			{[]taints.Toleration{score("Lt", 6)}, 4 + 2 + 2 + 1},
			{[]taints.Toleration{score("Gt", 6)}, 4 + 2 + 2 + 1},
			{[]taints.Toleration{score("Gt", 4)}, 4 + 3 + 2*2 + 2},
			{[]taints.Toleration{exists(long)}, 4 + 1 + 2 + 1},
			{[]taints.Toleration{{Key: long, Value: long}}, 4 + 3 + 2 + 1},
			{[]taints.Toleration{{Key: long, Value: long[8:]}}, 4 + 3},
			{[]taints.Toleration{{Key: long, Value: long[9:]}}, 4 + 2},
			{[]taints.Toleration{all(other)}, 4},
			{[]taints.Toleration{{Operator: "In"}}, 4},
			{[]taints.Toleration{{Operator: taints.OpLt, Value: "x"}}, 4},
			{[]taints.Toleration{{Key: "zone", Value: "1"}, {Operator: "In"}}, 4 + 2 + 1 + 4},
			{[]taints.Toleration{{Key: "zone", Value: "1"}, {Key: "zone", Operator: "In"}}, 4 + 2 + 1 + 4},
			{[]taints.Toleration{{Key: "zone", Value: "1"}, {Key: "zone", Value: "3"}}, 4 + 2 + 1 + 4},
			{[]taints.Toleration{{Value: "2"}}, never},
			{[]taints.Toleration{{Value: "2"}, {Operator: "In"}}, never},
			{[]taints.Toleration{{Operator: taints.OpExists, Effect: "unknown"}}, 4},
			{[]taints.Toleration{{Value: "2", Effect: effect}, exists("zone")}, never},
		}
		if repels == taints.Hard {
			cases = append(cases, struct {
				list  []taints.Toleration
				steps int
			}{[]taints.Toleration{all(effect)}, never})
		}
		for groups := len(x.model.nodes); groups < 160; groups++ {
			for _, c := range cases {
				m := taints.Compile(c.list)
				if steps, ok := x.index.searchSteps(m); ok != (c.steps <= groups/4) || ok && steps != c.steps {
					t.Fatalf("%v among %d groups: %v, %d steps, want %d", c.list, groups, ok, steps, c.steps)
				}
				x.checkQueries(t, m)
				x.checkSteps(t, m)
			}
			x.set(1000+groups, []taints.Taint{taint("filler", strconv.Itoa(groups))})
		}
	}
}

// A search recognizes a pod that tolerates all repelling taints. The nodes are
// then counted without visiting any group. Other pods are not counted this way.
func TestSearchExempts(t *testing.T) {
	all := func(effect taints.Effect) taints.Toleration {
		return taints.Toleration{Operator: taints.OpExists, Effect: effect}
	}
	wildcards := taints.Options{KeyWildcards: true}
	one := taints.Effects(taints.NoSchedule)
	sets := []taints.EffectSet{taints.Hard, taints.AllEffects, one | taints.Soft, one | taints.Effects("x")}
	for _, c := range []struct {
		m    *taints.Matcher
		want []taints.EffectSet // that repel
	}{
		{taints.Compile([]taints.Toleration{all("")}), sets},
		{wildcards.Compile([]taints.Toleration{exists("*")}), sets},
		{taints.Compile([]taints.Toleration{all(taints.NoSchedule)}), nil},
		{taints.Compile([]taints.Toleration{all(taints.NoSchedule), all(taints.NoExecute)}), []taints.EffectSet{taints.Hard}},
		{taints.Compile([]taints.Toleration{all(taints.NoSchedule), all("x")}), nil},
		{wildcards.Compile([]taints.Toleration{exists("a*"), exists("tenant")}), nil},
		{taints.Compile([]taints.Toleration{{Value: "1"}}), nil},
	} {
		for _, repels := range sets {
			x := newModeledIndex(repels)
			for i := range 100 {
				x.set(i, own(i))
			}
			x.set(100, parseTaints("a:NoSchedule", "b=1:NoExecute"))
			x.set(101, parseTaints("b=1:NoExecute"))
			x.set(102, parseTaints("b=1:PreferNoSchedule"))
			x.checkQueries(t, c.m)
			want := slices.Contains(c.want, repels)
			tallies, groups, _ := x.index.tallies(c.m, nil)
			if got := len(tallies) == 1 && tallies[0].taints == nil && groups.Len() == 0; got != want {
				t.Errorf("%v, where %v repels, is counted at once: %v, want %v",
					slices.Collect(c.m.Tolerations()), repels, got, want)
			}
		}
	}
}

// If the search does not know a kind of set, the query visits all groups. A set
// that matches nothing does not cause this.
func TestSearchKnowsTheKind(t *testing.T) {
	x := newModeledIndex(0)
	for i := range 100 {
		x.set(i, own(i))
	}
	groups := &x.index.groups
	for kind := valueset.None; kind < valueset.All+100; kind++ {
		s := search{groups: groups, left: math.MaxInt}
		s.anchorsOfKey(groups.anchors.keys.Entries["tenant"], valueset.Set{Kind: kind}, nil)
		if want := kind > valueset.All; s.broad != want {
			t.Errorf("kind %d: all groups are visited: %v, want %v", kind, s.broad, want)
		}
		if got := exemptedBy(keyset.Set{Prefix: true}, kind, ""); (got == taints.AllEffects) != (kind == valueset.All) {
			t.Errorf("kind %d exempts from %v", kind, got)
		}
	}
}

// A search ends at the toleration that takes too many steps. It does not look
// up the long key of that toleration, or more anchors than the limit allows, or
// anything after a toleration that requires a visit of all groups.
func TestSearchEnds(t *testing.T) {
	var x Index[int]
	key, few := strings.Repeat("k", 6400), 0
	spent := func(m *taints.Matcher) int {
		steps, _ := x.searchSteps(m)
		return steps
	}
	many := taints.Compile(times(1000, func(int) taints.Toleration { return exists("gpu") }))
	first := taints.Compile([]taints.Toleration{{Value: "v"}, exists("filler")})
	x.Set(-1, nil)
	for i := range 100 {
		x.Set(i, []taints.Taint{hard("filler", strconv.Itoa(i))})
		if i%10 == 0 {
			few++
			x.Set(-10-few, []taints.Taint{hard("few", strconv.Itoa(few))})
		}
		limit := len(x.groups.all.Entries) / 4
		if got := spent(many); got > limit+4 {
			t.Errorf("%d of %d steps for 1000 tolerations", got, limit)
		}
		if got := spent(first); limit >= 8 && got != 8 {
			t.Errorf("%d steps when the first toleration says it all", got)
		}
		if got := spent(compile("few op=Exists")); 4+2*few > limit && got > 4+2*few {
			t.Errorf("%d of %d steps for %d anchors", got, limit, few)
		}
		if got := spent(compile("filler=-1 op=Gt")); got > max(4, limit+3) {
			t.Errorf("%d of %d steps for numbers", got, limit)
		}
		for n := 64; n <= len(key); n += 64 {
			x.Set(-1, []taints.Taint{hard(key[:n], "")})
			m := taints.Compile([]taints.Toleration{exists(key[:n])})
			if got := spent(m); 4+n/64 > limit && got > 4+n/64 {
				t.Errorf("%d of %d steps for a key of %d bytes", got, limit, n)
			}
		}
		x.Set(-1, nil)
	}
}

// The old taint that all nodes have may come first or last in the list: a class
// is filed under the taint that is the anchor of the fewest others.
func TestAnchorsAreRare(t *testing.T) {
	m := compile("old op=Exists", "zone op=Exists")
	for _, reverse := range []bool{false, true} {
		var x Index[int]
		for i := range 1000 {
			list := []taints.Taint{hard("old", ""), hard("zone", strconv.Itoa(i%10)), hard("own", strconv.Itoa(i))}
			if reverse {
				slices.Reverse(list)
			}
			x.Set(i, list)
		}
		if s := audit(t, &x); s.anchors < 999 {
			t.Errorf("1000 classes with a taint of their own have %d anchors", s.anchors)
		}
		if steps, ok := x.searchSteps(m); !ok || steps > 100 {
			t.Errorf("%d steps to find out that nothing is tolerated", steps)
		}
	}
	// This also holds if each taint is already the anchor of some class.
	var y Index[string]
	for _, list := range [][]taints.Taint{
		parseTaints("a:NoSchedule"), parseTaints("b:NoSchedule"), parseTaints("c:NoSchedule"),
		parseTaints("a:NoSchedule", "a:NoSchedule"), parseTaints("c:NoSchedule", "c:NoSchedule"),
	} {
		y.Set(fmt.Sprint(list), list)
	}
	for i, list := range [][]taints.Taint{
		parseTaints("a:NoSchedule", "b:NoSchedule", "c:NoSchedule"),
		parseTaints("b:NoSchedule", "a:NoSchedule", "c:NoSchedule"),
		parseTaints("c:NoSchedule", "a:NoSchedule", "b:NoSchedule"),
	} {
		name := fmt.Sprint(i)
		y.Set(name, list)
		if key := y.positions.Entries[name].group.class.anchor.key; key != "b" {
			t.Errorf("%v is filed under %q", list, key)
		}
		y.Delete(name)
	}
}

// A Matcher that tolerates everything is known, if its tolerations may be read.
func TestExempts(t *testing.T) {
	for _, c := range []struct {
		list    []taints.Toleration
		options taints.Options
		groups  int // the smallest number for which it is known
	}{
		{[]taints.Toleration{exists("")}, taints.Options{}, 16},
		{[]taints.Toleration{exists("a"), {Operator: taints.OpExists, Effect: taints.NoSchedule}, exists("")}, taints.Options{}, 48},
		{[]taints.Toleration{exists("*")}, taints.Options{KeyWildcards: true}, 16},
		{[]taints.Toleration{exists("*"), exists("a*")}, taints.Options{}, math.MaxInt},
		{[]taints.Toleration{{}, {Operator: taints.OpGt, Value: "1"}, {Operator: "In"}}, taints.Options{}, math.MaxInt},
		{[]taints.Toleration{
			{Operator: taints.OpExists, Effect: taints.NoSchedule},
			{Operator: taints.OpExists, Effect: taints.PreferNoSchedule},
			{Operator: taints.OpExists, Effect: taints.NoExecute},
			{Operator: taints.OpExists, Effect: "unknown"},
		}, taints.Options{}, math.MaxInt},
		{[]taints.Toleration{exists("a*")}, taints.Options{KeyWildcards: true}, math.MaxInt},
		{nil, taints.Options{}, math.MaxInt},
	} {
		m := c.options.Compile(c.list)
		for groups := range 100 {
			if got := exempts(m, groups); got != (groups >= c.groups) {
				t.Errorf("%v among %d groups: %v, want from %d on", c.list, groups, got, c.groups)
			}
		}
	}
}

// A query that has searched copies the groups that it found, unless they are
// more than a quarter of all groups.
func TestCopiesAQuarter(t *testing.T) {
	for found := range 6 {
		x := newModeledIndex(0)
		for i := range found {
			x.set(i, []taints.Taint{soft("own", strconv.Itoa(i))})
		}
		for groups := found; groups < 40; groups++ {
			want := 0
			if found <= groups/4 {
				want = found
			}
			if _, _, copied := x.index.steps(nil); copied != want {
				t.Errorf("%d of %d groups: %d are copied, want %d", found, groups, copied, want)
			}
			x.checkQueries(t, nil)
			x.set(100+groups, own(groups))
		}
	}
}

// A query of all groups yields the nodes in the order in which they were added.
// A search yields them in the order of the taints, for any order of tolerations.
func TestSearchKeepsTheOrder(t *testing.T) {
	var x Index[int]
	for i := range 100 {
		x.Set(i, own(i))
	}
	if got := slices.Collect(x.Feasible(compile("op=Exists"))); !slices.IsSorted(got) {
		t.Errorf("all: %v", got)
	}
	for _, pod := range [][]string{{"tenant=3", "tenant=7", "tenant=9"}, {"tenant=9", "tenant=3", "tenant=7"}} {
		m := compile(pod...)
		if _, ok := x.searchSteps(m); !ok {
			t.Errorf("%q are not searched for", pod)
		}
		if got, want := x.AppendFeasible(nil, m), []int{3, 7, 9}; !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", pod, got, want)
		}
	}
}
