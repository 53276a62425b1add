// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/sequences"
)

// An indexStep is an operation on an Index and its model.
type indexStep struct {
	name string
	run  func(t fataler, x *modeledIndex)
}

// A modeledIndex is an Index and what it should be, with loops over queries that
// have begun and not ended.
type modeledIndex struct {
	index taints.Index[int]
	model indexModel
	held  []*heldQuery
}

func newModeledIndex(repels taints.EffectSet) *modeledIndex {
	return &modeledIndex{
		index: taints.Index[int]{Repels: repels},
		model: indexModel{repels: cmp.Or(repels, taints.Hard), nodes: make(map[int][]taints.Taint)},
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

// loop is a loop over the feasible nodes whose body updates: it yields those that
// were feasible when it began.
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

// finish ends the loops that have begun.
func (x *modeledIndex) finish(t fataler) {
	for _, h := range x.held {
		h.finish(t)
	}
	x.held = nil
}

func (x *modeledIndex) check(t fataler, matchers ...*taints.Matcher) {
	if s := x.index.Audit(); s.Nodes != len(x.model.nodes) || x.index.Len() != len(x.model.nodes) {
		t.Fatalf("Len = %d, want %d", x.index.Len(), len(x.model.nodes))
	}
	for _, m := range matchers {
		checkIndex(t, &x.index, &x.model, m)
	}
}

// Taints of one key and of two, in both orders, hard and soft, and tolerations
// that find some of them.
var (
	bruteLists = map[string][]taints.Taint{
		"none": nil, "a": parseTaints("a=5:NoSchedule"), "a and b": parseTaints("a=5:NoSchedule", "b:NoExecute"),
		"b and a": parseTaints("b:NoExecute", "a=5:NoSchedule"), "soft": parseTaints("a=6:PreferNoSchedule"),
	}
	bruteMatchers = []*taints.Matcher{
		nil, taints.Compile(parseTolerations("a op=Exists")),
		taints.Compile(parseTolerations("a=6 op=Lt", "b op=Exists")),
		taints.Compile(parseTolerations("op=Exists")),
	}
)

// indexSteps returns all updates of the nodes with the lists, and queries whose
// loops update too or go on.
func indexSteps(nodes int, lists ...string) []indexStep {
	var steps []indexStep
	add := func(name string, run func(t fataler, x *modeledIndex)) { steps = append(steps, indexStep{name, run}) }
	for node := range nodes {
		for _, name := range lists {
			add("Set "+name, func(_ fataler, x *modeledIndex) { x.set(node, bruteLists[name]) })
		}
		add("Delete", func(t fataler, x *modeledIndex) { x.delete(t, node) })
	}
	some := bruteMatchers[1]
	add("hold Verdicts", func(t fataler, x *modeledIndex) { x.hold(t, some, true) })
	add("hold FeasibleVerdicts", func(t fataler, x *modeledIndex) { x.hold(t, some, false) })
	add("a loop that deletes", func(t fataler, x *modeledIndex) {
		x.loop(t, some, func(node int) { x.delete(t, node) })
	})
	add("a loop that sets", func(t fataler, x *modeledIndex) {
		x.loop(t, some, func(node int) { x.set((node+1)%nodes, bruteLists["a and b"]) })
	})
	add("a loop in a loop", func(t fataler, x *modeledIndex) {
		x.loop(t, some, func(node int) {
			x.set(node, bruteLists["b and a"])
			x.loop(t, some, func(other int) { x.set(other, bruteLists["soft"]) })
		})
	})
	return steps
}

// All short sequences of operations, on an empty index and on one with so many
// nodes and groups that pages are full and searches are worth it.
func TestBruteIndex(t *testing.T) {
	full := func(t fataler, x *modeledIndex) {
		for i := range 66 {
			x.set(100+i, bruteLists["a"])
			x.set(200+i, []taints.Taint{hard("tenant", i)})
		}
	}
	empty := func(fataler, *modeledIndex) {}
	for _, c := range []struct {
		name   string
		begin  func(fataler, *modeledIndex)
		repels taints.EffectSet
		steps  []indexStep
		length int
	}{
		{"two nodes, all lists", empty, 0, indexSteps(2, "none", "a", "a and b", "b and a", "soft"), 3},
		{"two nodes, two lists", empty, taints.AllEffects, indexSteps(2, "a", "b and a"), 4},
		{"one node", empty, taints.Soft, indexSteps(1, "a", "soft"), 5},
		{"full pages", full, 0, indexSteps(2, "a", "b and a"), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() {
				c.length--
			}
			sequences.Each(len(c.steps), c.length, func(sequence []int) {
				var names []string
				in := prefixed{t, &names}
				x := newModeledIndex(c.repels)
				c.begin(in, x)
				for _, step := range sequence {
					names = append(names, c.steps[step].name)
					c.steps[step].run(in, x)
				}
				x.check(in, bruteMatchers...)
				x.finish(in)
				for node := range x.model.nodes {
					x.index.Delete(node)
				}
				checkIndexIsEmpty(in, &x.index)
			})
		})
	}
}

// A prefixed is a test that says what came before a failure.
type prefixed struct {
	t     *testing.T
	names *[]string
}

func (p prefixed) Fatalf(format string, args ...any) {
	p.t.Helper()
	p.t.Fatalf("after %q: "+format, append([]any{*p.names}, args...)...)
}
