// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"
	"iter"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/measure"
	"github.com/seed-0529bac1/taints/nodeindex"
)

const hostileNodes = 20_000

// A hostileScene is input that a stranger could write to slow an Index down.
type hostileScene struct {
	name   string
	nodes  int
	taints func(node int) []taints.Taint
	pod    []taints.Toleration
	// verdicts are what is asked for, or nil to count the feasible nodes.
	verdicts func(*nodeindex.Index[int], *taints.Matcher) iter.Seq2[int, taints.Verdict]
}

func hostileScenes() []hostileScene {
	return []hostileScene{
		{
			"1,000 tolerations of a key in another effect", hostileNodes, tenant(taints.NoExecute),
			repeated(1000, func(int) taints.Toleration { return exists("tenant", taints.NoSchedule) }), nil,
		},
		{
			"10,000 tolerations of one key, by value", 1000, tenant(taints.NoSchedule),
			repeated(10_000, func(i int) taints.Toleration {
				return taints.Toleration{Key: "tenant", Value: fmt.Sprint(i + 900)}
			}), nil,
		},
		{
			"long lists with only the last taint untolerated", hostileNodes / 10, func(node int) []taints.Taint {
				shared := repeated(39, func(i int) taints.Taint { return hostileTaint("shared", i) })
				return append(shared, hostileTaint("own", node))
			}, []taints.Toleration{exists("shared", "")}, nil,
		},
		{
			"every subset of 14 tolerated taints below an old one", 1 << 14, subset,
			repeated(14, func(i int) taints.Toleration { return exists("k"+fmt.Sprint(i), "") }), nil,
		},
		{
			"a keyless toleration of one value", hostileNodes, tenant(taints.NoSchedule),
			[]taints.Toleration{{Value: "7"}},
			nil,
		},
		{
			"half of the numbers", hostileNodes, func(node int) []taints.Taint {
				return []taints.Taint{hostileTaint("score", hostileNodes-node)}
			}, []taints.Toleration{{Key: "score", Operator: taints.OpLt, Value: fmt.Sprint(hostileNodes / 2)}}, nil,
		},
		{
			"1,000 tolerations of other keys", hostileNodes, tenant(taints.NoSchedule),
			repeated(1000, func(i int) taints.Toleration { return exists("other-"+fmt.Sprint(i), "") }), nil,
		},
		{
			"the verdicts of a pod that tolerates everything, a list for each node",
			hostileNodes, tenant(taints.NoSchedule, spot),
			[]taints.Toleration{exists("", "")},
			(*nodeindex.Index[int]).Verdicts,
		},
		{
			"the feasible verdicts of a pod that tolerates everything, a list for each node",
			hostileNodes, tenant(taints.NoSchedule, spot),
			[]taints.Toleration{exists("", "")},
			(*nodeindex.Index[int]).FeasibleVerdicts,
		},
	}
}

var spot = taints.Taint{Key: "spot", Effect: taints.PreferNoSchedule}

func hostileTaint(key string, value any) taints.Taint {
	return taints.Taint{Key: key, Value: fmt.Sprint(value), Effect: taints.NoSchedule}
}

// tenant gives each node a taint of its own, and the others.
func tenant(effect taints.Effect, others ...taints.Taint) func(node int) []taints.Taint {
	return func(node int) []taints.Taint {
		return append([]taints.Taint{{Key: "tenant", Value: fmt.Sprint(node), Effect: effect}}, others...)
	}
}

// subset has a taint for each bit of the node's number.
func subset(node int) []taints.Taint {
	list := []taints.Taint{hostileTaint("old", "")}
	for bit := range 14 {
		if node>>bit&1 == 1 {
			list = append(list, hostileTaint("k"+fmt.Sprint(bit), ""))
		}
	}
	return list
}

func exists(key string, effect taints.Effect) taints.Toleration {
	return taints.Toleration{Key: key, Operator: taints.OpExists, Effect: effect}
}

func repeated[T any](n int, of func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = of(i)
	}
	return list
}

// hostileRows compare an Index with a loop over the nodes with the same Matcher:
// over FindUntolerated, and for the verdicts over Filter.
func hostileRows() []measure.Row {
	var rows []measure.Row
	for _, scene := range hostileScenes() {
		rows = append(rows, measure.Row{
			Name: "hostile: " + scene.name, Beside: plainLoop, Floor: 0.5, Allocs: 16,
			Ours: scene.index, Other: scene.loop,
		})
	}
	return rows
}

// index asks an Index.
func (s hostileScene) index() func(int) {
	var x nodeindex.Index[int]
	for i, list := range repeated(s.nodes, s.taints) {
		x.Set(i, list)
	}
	m := taints.Compile(s.pod)
	if s.verdicts == nil {
		return measure.Each(func() { measure.MustNot(x.CountFeasible(m) > x.Len()) })
	}
	return measure.Each(func() {
		n := 0
		for _, v := range s.verdicts(&x, m) {
			n += v.NoSchedule
		}
		measure.MustNot(n > 0)
	})
}

// loop asks about each node.
func (s hostileScene) loop() func(int) {
	nodes, m := repeated(s.nodes, s.taints), taints.Compile(s.pod)
	return measure.Each(func() {
		feasible, untolerated := 0, 0
		for _, list := range nodes {
			if s.verdicts != nil {
				untolerated += m.Filter(list).NoSchedule
			} else if _, found := m.FindUntolerated(list, taints.Hard); !found {
				feasible++
			}
		}
		measure.MustNot(feasible > len(nodes) || untolerated > 0)
	})
}
