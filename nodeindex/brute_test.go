// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/sequences"
)

// A step is an operation on an Index and its model.
type step struct {
	name string
	run  func(t fataler, x *modeledIndex)
}

// Taints of one key and of two, in both orders, hard and soft, and tolerations
// that find some of them.
var (
	bruteLists = map[string][]taints.Taint{
		"none": nil, "a": parseTaints("a=5:NoSchedule"), "a and b": parseTaints("a=5:NoSchedule", "b:NoExecute"),
		"b and a": parseTaints("b:NoExecute", "a=5:NoSchedule"), "soft": parseTaints("a=6:PreferNoSchedule"),
	}
	bruteMatchers = []*taints.Matcher{
		nil, compile("a op=Exists"), compile("a=6 op=Lt", "b op=Exists"), compile("op=Exists"),
	}
)

// steps returns all updates of the nodes with the lists, and queries whose loops
// update too or go on.
func steps(nodes int, lists ...string) []step {
	var steps []step
	add := func(name string, run func(t fataler, x *modeledIndex)) { steps = append(steps, step{name, run}) }
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
func TestBrute(t *testing.T) {
	full := func(x *modeledIndex) {
		for i := range 66 {
			x.set(100+i, bruteLists["a"])
			x.set(200+i, own(i))
		}
	}
	for _, c := range []struct {
		name   string
		begin  func(*modeledIndex)
		repels taints.EffectSet
		steps  []step
		length int
	}{
		{"two nodes, all lists", nil, 0, steps(2, "none", "a", "a and b", "b and a", "soft"), 3},
		{"two nodes, two lists", nil, taints.AllEffects, steps(2, "a", "b and a"), 4},
		{"one node", nil, taints.Soft, steps(1, "a", "soft"), 5},
		{"full pages", full, 0, steps(2, "a", "b and a"), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() {
				c.length--
			}
			sequences.Each(len(c.steps), c.length, func(sequence []int) {
				var names []string
				in := prefixed{t, &names}
				x := newModeledIndex(c.repels)
				if c.begin != nil {
					c.begin(x)
				}
				for _, step := range sequence {
					names = append(names, c.steps[step].name)
					c.steps[step].run(in, x)
				}
				x.check(in, bruteMatchers...)
				x.finish(in)
				x.empty(in)
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
