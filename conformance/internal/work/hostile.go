// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"
	"iter"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/measure"
	"github.com/seed-0529bac1/taints/nodeindex"
)

const hostileNodes = 20_000

func hostileTaint(key string, value any, effect taints.Effect) taints.Taint {
	return taints.Taint{Key: key, Value: fmt.Sprint(value), Effect: effect}
}

func repeated[T any](n int, of func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = of(i)
	}
	return list
}

// tenantNodes returns nodes with a taint of their own each, and the others.
func tenantNodes(n int, effect taints.Effect, others ...taints.Taint) [][]taints.Taint {
	return repeated(n, func(i int) []taints.Taint {
		return append([]taints.Taint{hostileTaint("tenant", i, effect)}, others...)
	})
}

func exists(key string, effect taints.Effect) taints.Toleration {
	return taints.Toleration{Key: key, Operator: taints.OpExists, Effect: effect}
}

// hostileScenes are inputs that a stranger could write to slow an Index down.
var hostileScenes = []struct {
	name  string
	nodes func() [][]taints.Taint
	pod   func() []taints.Toleration
}{
	{
		"1,000 tolerations of a key in another effect",
		func() [][]taints.Taint { return tenantNodes(hostileNodes, taints.NoExecute) },
		func() []taints.Toleration {
			return repeated(1000, func(int) taints.Toleration { return exists("tenant", taints.NoSchedule) })
		},
	},
	{
		"10,000 tolerations of one key, by value",
		func() [][]taints.Taint { return tenantNodes(1000, taints.NoSchedule) },
		func() []taints.Toleration {
			return repeated(10_000, func(i int) taints.Toleration {
				return taints.Toleration{Key: "tenant", Value: fmt.Sprint(i + 900)}
			})
		},
	},
	{
		"long lists with only the last taint untolerated",
		func() [][]taints.Taint {
			shared := repeated(39, func(i int) taints.Taint { return hostileTaint("shared", i, taints.NoSchedule) })
			return repeated(hostileNodes/10, func(i int) []taints.Taint {
				return append(slices.Clone(shared), hostileTaint("own", i, taints.NoSchedule))
			})
		},
		func() []taints.Toleration { return []taints.Toleration{exists("shared", "")} },
	},
	{
		"every subset of 14 tolerated taints below an old one",
		func() [][]taints.Taint { return subsets(14) },
		func() []taints.Toleration {
			return repeated(14, func(i int) taints.Toleration { return exists("k"+fmt.Sprint(i), "") })
		},
	},
	{
		"a keyless toleration of one value",
		func() [][]taints.Taint { return tenantNodes(hostileNodes, taints.NoSchedule) },
		func() []taints.Toleration { return []taints.Toleration{{Value: "7"}} },
	},
	{
		"half of the numbers",
		func() [][]taints.Taint {
			return repeated(hostileNodes, func(i int) []taints.Taint {
				return []taints.Taint{hostileTaint("score", hostileNodes-i, taints.NoSchedule)}
			})
		},
		func() []taints.Toleration {
			return []taints.Toleration{{Key: "score", Operator: taints.OpLt, Value: fmt.Sprint(hostileNodes / 2)}}
		},
	},
	{
		"1,000 tolerations of other keys",
		func() [][]taints.Taint { return tenantNodes(hostileNodes, taints.NoSchedule) },
		func() []taints.Toleration {
			return repeated(1000, func(i int) taints.Toleration { return exists("other-"+fmt.Sprint(i), "") })
		},
	},
}

func subsets(bits int) [][]taints.Taint {
	return repeated(1<<bits, func(i int) []taints.Taint {
		list := []taints.Taint{hostileTaint("old", "", taints.NoSchedule)}
		for b := range bits {
			if i>>b&1 == 1 {
				list = append(list, hostileTaint("k"+fmt.Sprint(b), "", taints.NoSchedule))
			}
		}
		return list
	})
}

// hostileRows compare an Index with a loop over the nodes with the same Matcher:
// over FindUntolerated, and for the verdicts over Filter.
func hostileRows() []measure.Row {
	var rows []measure.Row
	for _, scene := range hostileScenes {
		rows = append(rows, hostileRow(scene.name, scene.nodes, scene.pod,
			func(x *nodeindex.Index[int], m *taints.Matcher) bool { return x.CountFeasible(m) <= x.Len() },
			func(nodes [][]taints.Taint, m *taints.Matcher) bool {
				n := 0
				for _, list := range nodes {
					if _, found := m.FindUntolerated(list, taints.Hard); !found {
						n++
					}
				}
				return n <= len(nodes)
			}))
	}
	for _, of := range []struct {
		name     string
		verdicts func(*nodeindex.Index[int], *taints.Matcher) iter.Seq2[int, taints.Verdict]
	}{
		{"the verdicts", (*nodeindex.Index[int]).Verdicts},
		{"the feasible verdicts", (*nodeindex.Index[int]).FeasibleVerdicts},
	} {
		rows = append(rows, hostileRow(of.name+" of a pod that tolerates everything, a list for each node",
			func() [][]taints.Taint {
				return tenantNodes(hostileNodes, taints.NoSchedule, hostileTaint("spot", "", taints.PreferNoSchedule))
			},
			func() []taints.Toleration { return []taints.Toleration{exists("", "")} },
			func(x *nodeindex.Index[int], m *taints.Matcher) bool {
				n := 0
				for _, v := range of.verdicts(x, m) {
					n += v.NoSchedule
				}
				return n == 0
			},
			func(nodes [][]taints.Taint, m *taints.Matcher) bool {
				n := 0
				for _, list := range nodes {
					n += m.Filter(list).NoSchedule
				}
				return n == 0
			}))
	}
	return rows
}

// hostileRow is a row whose sides report whether their results are right.
func hostileRow(
	name string, nodes func() [][]taints.Taint, pod func() []taints.Toleration,
	index func(*nodeindex.Index[int], *taints.Matcher) bool,
	loop func([][]taints.Taint, *taints.Matcher) bool,
) measure.Row {
	return measure.Row{
		Name: "hostile: " + name, Beside: PlainLoop, Floor: 0.5, Allocs: 16,
		Ours: func() func(int) {
			var x nodeindex.Index[int]
			for i, list := range nodes() {
				x.Set(i, list)
			}
			m := taints.Compile(pod())
			return measure.Each(func() { measure.MustNot(!index(&x, m)) })
		},
		Other: func() func(int) {
			nodes, m := nodes(), taints.Compile(pod())
			return measure.Each(func() { measure.MustNot(!loop(nodes, m)) })
		},
	}
}
