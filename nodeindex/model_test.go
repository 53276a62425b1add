// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/seed-0529bac1/taints"
)

// A model is the reference for an Index: a map, and loops over it.
type model struct {
	repels taints.EffectSet
	nodes  map[int][]taints.Taint
}

func (x *model) feasible(m *taints.Matcher) []int {
	var found []int
	for node, list := range x.nodes {
		if _, untolerated := m.FindUntolerated(list, x.repels); !untolerated {
			found = append(found, node)
		}
	}
	slices.Sort(found)
	return found
}

func (x *model) verdicts(m *taints.Matcher, nodes iter.Seq[int]) map[int]taints.Verdict {
	found := make(map[int]taints.Verdict)
	for node := range nodes {
		found[node] = m.Filter(x.nodes[node])
	}
	return found
}

// groups returns the number of nodes with each list, keyed by its text.
func (x *model) groups() map[string]int {
	counts := make(map[string]int)
	for _, list := range x.nodes {
		counts[string(appendText(nil, list))]++
	}
	return counts
}

// A modeledIndex is an Index and its model, with loops over queries that have
// begun but not ended.
type modeledIndex struct {
	index Index[int]
	model model
	held  []*heldQuery
}

func newModeledIndex(repels taints.EffectSet) *modeledIndex {
	return &modeledIndex{
		index: Index[int]{Repels: repels},
		model: model{repels: cmp.Or(repels, taints.Hard), nodes: make(map[int][]taints.Taint)},
	}
}

func (x *modeledIndex) set(node int, list []taints.Taint) {
	x.index.Set(node, list)
	x.model.nodes[node] = list
}

func (x *modeledIndex) delete(t fataler, node int) {
	_, want := x.model.nodes[node]
	if x.index.Delete(node) != want {
		t.Fatalf("Delete(%d) is not %v", node, want)
	}
	delete(x.model.nodes, node)
}

// loop loops over the feasible nodes with a body that updates the index. It
// checks that the loop yields the nodes that were feasible when it began.
func (x *modeledIndex) loop(t fataler, m *taints.Matcher, body func(node int)) {
	want := x.model.feasible(m)
	var got []int
	for node := range x.index.Feasible(m) {
		got = append(got, node)
		body(node)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Fatalf("a loop that updates yielded %v, want %v", got, want)
	}
}

// check checks the index itself, and all queries for the matchers.
func (x *modeledIndex) check(t fataler, matchers ...*taints.Matcher) {
	audit(t, &x.index)
	if x.index.Len() != len(x.model.nodes) {
		t.Fatalf("Len = %d, want %d", x.index.Len(), len(x.model.nodes))
	}
	groups := make(map[string]int)
	for list, nodes := range x.index.Groups() {
		groups[string(appendText(nil, list))] += nodes
	}
	if want := x.model.groups(); !maps.Equal(groups, want) {
		t.Fatalf("Groups = %q, want %q", groups, want)
	}
	for _, m := range matchers {
		x.checkQueries(t, m)
		x.checkSteps(t, m)
	}
}

func (x *modeledIndex) checkQueries(t fataler, m *taints.Matcher) {
	want := x.model.feasible(m)
	order := slices.Collect(x.index.Feasible(m))
	if got := slices.Sorted(slices.Values(order)); !slices.Equal(got, want) {
		t.Fatalf("Feasible = %v, want %v", got, want)
	}
	if got := x.index.AppendFeasible([]int{-1}, m); got[0] != -1 || !slices.Equal(got[1:], order) {
		t.Fatalf("AppendFeasible = %v, want %v", got, order)
	}
	if got := x.index.CountFeasible(m); got != len(want) {
		t.Fatalf("CountFeasible = %d, want %d", got, len(want))
	}
	verdicts := x.model.verdicts(m, slices.Values(want))
	if got := verdictsOf(t, x.index.FeasibleVerdicts(m)); !maps.Equal(got, verdicts) {
		t.Fatalf("FeasibleVerdicts = %v, want %v", got, verdicts)
	}
	verdicts = x.model.verdicts(m, maps.Keys(x.model.nodes))
	if got := verdictsOf(t, x.index.Verdicts(m)); !maps.Equal(got, verdicts) {
		t.Fatalf("Verdicts = %v, want %v", got, verdicts)
	}
}

// verdictsOf returns what a query yields, and fails if a node is yielded twice.
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

// empty deletes all nodes and checks that nothing is left.
func (x *modeledIndex) empty(t fataler) {
	for node := range x.model.nodes {
		x.index.Delete(node)
	}
	checkEmpty(t, &x.index)
}

func checkEmpty[N comparable](t fataler, x *Index[N]) {
	if s := audit(t, x); s != (sizes{}) || x.Len() != 0 {
		t.Fatalf("an empty index keeps %+v", s)
	}
}

// A heldQuery is a loop over a query that continues while the index changes.
type heldQuery struct {
	next      func() (int, taints.Verdict, bool)
	stop      func()
	got, want map[int]taints.Verdict
}

// hold begins a loop over a query and takes its first node.
func (x *modeledIndex) hold(t fataler, m *taints.Matcher, all bool) {
	h := &heldQuery{got: make(map[int]taints.Verdict)}
	if all {
		h.want = x.model.verdicts(m, maps.Keys(x.model.nodes))
		h.next, h.stop = iter.Pull2(x.index.Verdicts(m))
	} else {
		h.want = x.model.verdicts(m, slices.Values(x.model.feasible(m)))
		h.next, h.stop = iter.Pull2(x.index.FeasibleVerdicts(m))
	}
	h.take(t)
	x.held = append(x.held, h)
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

// finish runs the loops that have begun to their end.
func (x *modeledIndex) finish(t fataler) {
	for _, h := range x.held {
		for h.take(t) {
		}
		h.stop()
		if !maps.Equal(h.got, h.want) {
			t.Fatalf("a query that was held yielded %v, want %v", h.got, h.want)
		}
	}
	x.held = nil
}

type fataler interface {
	Fatalf(format string, args ...any)
}

func parseTaints(specs ...string) []taints.Taint {
	return times(len(specs), func(i int) taints.Taint { return taints.MustParseTaint(specs[i]) })
}

func compile(specs ...string) *taints.Matcher {
	return taints.Compile(times(len(specs), func(i int) taints.Toleration {
		return taints.MustParseToleration(specs[i])
	}))
}

func times[T any](n int, f func(i int) T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = f(i)
	}
	return all
}

func hard(key, value string) taints.Taint {
	return taints.Taint{Key: key, Value: value, Effect: taints.NoSchedule}
}

func soft(key, value string) taints.Taint {
	return taints.Taint{Key: key, Value: value, Effect: taints.PreferNoSchedule}
}

// own returns a list with a taint that no other node has.
func own(i int) []taints.Taint { return []taints.Taint{hard("tenant", strconv.Itoa(i))} }

func exists(key string) taints.Toleration {
	return taints.Toleration{Key: key, Operator: taints.OpExists}
}
