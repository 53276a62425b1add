// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/measure"
	"github.com/seed-0529bac1/taints/nodeindex"
)

const hostileNodes = 20_000

// A hostileScene is input that a stranger could write to slow an Index down.
type hostileScene struct {
	name   string
	nodes  int
	taints func(node int) []taints.Taint
	pod    []taints.Toleration
	ask    question
}

// A question is asked of an Index and of a plain loop. Both return a number that
// is not above that of the nodes.
type question struct {
	index func(*nodeindex.Index[int], *taints.Matcher) int
	loop  func(nodes [][]taints.Taint, m *taints.Matcher) int
}

var (
	counted  = question{(*nodeindex.Index[int]).CountFeasible, countEach}
	appended = question{
		func(x *nodeindex.Index[int], m *taints.Matcher) int {
			found = x.AppendFeasible(found[:0], m)
			return len(found)
		},
		func(nodes [][]taints.Taint, m *taints.Matcher) int {
			found = found[:0]
			for node, list := range nodes {
				if _, untolerated := m.FindUntolerated(list, taints.HardEffects); !untolerated {
					found = append(found, node)
				}
			}
			return len(found)
		},
	}
	ranged = question{func(x *nodeindex.Index[int], m *taints.Matcher) int {
		n := 0
		for range x.Feasible(m) {
			n++
		}
		return n
	}, countEach}
	verdicts = question{func(x *nodeindex.Index[int], m *taints.Matcher) int {
		n := 0
		for _, v := range x.FeasibleVerdicts(m) {
			n += 1 + v.PreferNoSchedule
		}
		return n
	}, filterEach}

	found []int
)

func countEach(nodes [][]taints.Taint, m *taints.Matcher) int {
	n := 0
	for _, list := range nodes {
		if _, untolerated := m.FindUntolerated(list, taints.HardEffects); !untolerated {
			n++
		}
	}
	return n
}

func filterEach(nodes [][]taints.Taint, m *taints.Matcher) int {
	n := 0
	for _, list := range nodes {
		if v := m.Filter(list); v.Schedulable() {
			n += 1 + v.PreferNoSchedule
		}
	}
	return n
}

func hostileScenes() []hostileScene {
	return []hostileScene{
		{
			"1,000 tolerations of a key in another effect", hostileNodes, tenant(taints.NoExecute),
			repeated(1000, func(int) taints.Toleration { return exists("tenant", taints.NoSchedule) }), counted,
		},
		{
			"10,000 tolerations of one key, by value", 1000, tenant(taints.NoSchedule),
			repeated(10_000, func(i int) taints.Toleration {
				return taints.Toleration{Key: "tenant", Value: fmt.Sprint(i + 900)}
			}), counted,
		},
		{
			"long lists with only the last taint untolerated", hostileNodes / 10, func(node int) []taints.Taint {
				shared := repeated(39, func(i int) taints.Taint { return hostileTaint("shared", i) })
				return append(shared, hostileTaint("own", node))
			}, []taints.Toleration{exists("shared", "")}, counted,
		},
		{
			"every subset of 14 tolerated taints below an old one", 1 << 14, subset,
			repeated(14, func(i int) taints.Toleration { return exists("k"+fmt.Sprint(i), "") }), counted,
		},
		{
			"a keyless toleration of one value", hostileNodes, tenant(taints.NoSchedule),
			[]taints.Toleration{{Value: "7"}},
			counted,
		},
		{
			"half of the numbers", hostileNodes, func(node int) []taints.Taint {
				return []taints.Taint{hostileTaint("score", hostileNodes-node)}
			}, []taints.Toleration{{Key: "score", Operator: taints.OpLt, Value: fmt.Sprint(hostileNodes / 2)}}, counted,
		},
		{
			"1,000 tolerations of other keys", hostileNodes, tenant(taints.NoSchedule),
			repeated(1000, func(i int) taints.Toleration { return exists("other-"+fmt.Sprint(i), "") }), counted,
		},
		{
			"the verdicts of a pod that tolerates everything, a list for each node",
			hostileNodes, tenant(taints.NoSchedule, spot), everything, verdicts,
		},
		{"append 30,000 nodes, all tolerated, a list for each", 30_000, tenant(taints.NoSchedule), everything, appended},
		{"append 100,000 nodes, all tolerated, a list for each", 100_000, tenant(taints.NoSchedule), everything, appended},
		{"range over 50,000 nodes, all tolerated, a list for each", 50_000, tenant(taints.NoSchedule), everything, ranged},
		{
			"count 10,000 nodes, all tolerated after 10,000 values of a key", 10_000, tenant(taints.NoSchedule),
			append(tenants(10_000), everything...), counted,
		},
		{
			"append 50,000 nodes, all tolerated after 10,000 values of a key", 50_000, tenant(taints.NoSchedule),
			append(tenants(10_000), everything...), appended,
		},
		{
			"count 50,000 nodes with a key that is tolerated", 50_000, tenant(taints.NoSchedule),
			[]taints.Toleration{exists("tenant", "")},
			counted,
		},
		{
			"the verdicts of 50,000 nodes with five taints each, all tolerated", 50_000,
			tenant(taints.NoSchedule, spot, spot, spot, spot), everything, verdicts,
		},
		{
			"the verdicts of 100,000 nodes, all tolerated, a list for each", 100_000,
			tenant(taints.NoSchedule), everything, verdicts,
		},
	}
}

var everything = []taints.Toleration{exists("", "")}

// tenants tolerates n tenants, each by value.
func tenants(n int) []taints.Toleration {
	return repeated(n, func(i int) taints.Toleration {
		return taints.Toleration{Key: "tenant", Value: fmt.Sprint(i * 5)}
	})
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
	return measure.Each(func() { measure.MustNot(s.ask.index(&x, m) > x.Len()) })
}

// loop asks about each node.
func (s hostileScene) loop() func(int) {
	nodes, m := repeated(s.nodes, s.taints), taints.Compile(s.pod)
	return measure.Each(func() { measure.MustNot(s.ask.loop(nodes, m) > len(nodes)) })
}
