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

// A hostileScene is input that a stranger could write to slow an Index down.
type hostileScene struct {
	name  string
	nodes func() [][]taints.Taint
	pod   func() []taints.Toleration
}

const hostileNodes = 20_000

func hostileTaint(key string, value any, effect taints.Effect) []taints.Taint {
	return []taints.Taint{{Key: key, Value: fmt.Sprint(value), Effect: effect}}
}

func repeated[T any](n int, of func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = of(i)
	}
	return list
}

func exists(key string, effect taints.Effect) taints.Toleration {
	return taints.Toleration{Key: key, Operator: taints.OpExists, Effect: effect}
}

var hostileScenes = []hostileScene{
	{
		"1,000 tolerations of a key in another effect",
		func() [][]taints.Taint {
			return repeated(hostileNodes, func(i int) []taints.Taint {
				return hostileTaint("tenant", i, taints.NoExecute)
			})
		},
		func() []taints.Toleration {
			return repeated(1000, func(int) taints.Toleration { return exists("tenant", taints.NoSchedule) })
		},
	},
	{
		"10,000 tolerations of one key, by value",
		func() [][]taints.Taint {
			return repeated(1000, func(i int) []taints.Taint {
				return hostileTaint("tenant", i, taints.NoSchedule)
			})
		},
		func() []taints.Toleration {
			return repeated(10_000, func(i int) taints.Toleration {
				return taints.Toleration{Key: "tenant", Value: fmt.Sprint(i + 900)}
			})
		},
	},
	{
		"long lists with only the last taint untolerated",
		func() [][]taints.Taint {
			shared := repeated(39, func(i int) taints.Taint { return hostileTaint("shared", i, taints.NoSchedule)[0] })
			return repeated(hostileNodes/10, func(i int) []taints.Taint {
				return append(slices.Clone(shared), hostileTaint("own", i, taints.NoSchedule)...)
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
		func() [][]taints.Taint {
			return repeated(hostileNodes, func(i int) []taints.Taint {
				return hostileTaint("tenant", i, taints.NoSchedule)
			})
		},
		func() []taints.Toleration { return []taints.Toleration{{Value: "7"}} },
	},
	{
		"half of the numbers",
		func() [][]taints.Taint {
			return repeated(hostileNodes, func(i int) []taints.Taint {
				return hostileTaint("score", hostileNodes-i, taints.NoSchedule)
			})
		},
		func() []taints.Toleration {
			return []taints.Toleration{{Key: "score", Operator: taints.OpLt, Value: fmt.Sprint(hostileNodes / 2)}}
		},
	},
	{
		"1,000 tolerations of other keys",
		func() [][]taints.Taint {
			return repeated(hostileNodes, func(i int) []taints.Taint {
				return hostileTaint("tenant", i, taints.NoSchedule)
			})
		},
		func() []taints.Toleration {
			return repeated(1000, func(i int) taints.Toleration { return exists("other-"+fmt.Sprint(i), "") })
		},
	},
}

func subsets(bits int) [][]taints.Taint {
	return repeated(1<<bits, func(i int) []taints.Taint {
		list := hostileTaint("old", "", taints.NoSchedule)
		for b := range bits {
			if i>>b&1 == 1 {
				list = append(list, hostileTaint("k"+fmt.Sprint(b), "", taints.NoSchedule)...)
			}
		}
		return list
	})
}

// hostileRows compare an Index with a loop over FindUntolerated of the
// same Matcher.
func hostileRows() []measure.Row {
	var rows []measure.Row
	for _, scene := range hostileScenes {
		rows = append(rows, measure.Row{
			Name: "hostile: " + scene.name, Beside: PlainLoop, Floor: 0.5, Allocs: 16,
			Ours: func() func(int) {
				var x nodeindex.Index[int]
				for i, list := range scene.nodes() {
					x.Set(i, list)
				}
				m := taints.Compile(scene.pod())
				return measure.Each(func() { measure.MustNot(x.CountFeasible(m) > x.Len()) })
			},
			Other: func() func(int) {
				nodes, m := scene.nodes(), taints.Compile(scene.pod())
				return measure.Each(func() {
					n := 0
					for _, list := range nodes {
						if _, found := m.FindUntolerated(list, taints.Hard); !found {
							n++
						}
					}
					measure.MustNot(n > len(nodes))
				})
			},
		})
	}
	return append(rows, hostileVerdicts()...)
}

// hostileVerdicts compare the verdicts of an Index in which each node has its
// own list with a loop over Filter of the same Matcher.
func hostileVerdicts() []measure.Row {
	nodes := func() [][]taints.Taint {
		return repeated(hostileNodes, func(i int) []taints.Taint {
			return append(hostileTaint("tenant", i, taints.NoSchedule), hostileTaint("spot", "", taints.PreferNoSchedule)...)
		})
	}
	everything := taints.Compile([]taints.Toleration{exists("", "")})
	row := func(name string, verdicts func(*nodeindex.Index[int]) iter.Seq2[int, taints.Verdict]) measure.Row {
		return measure.Row{
			Name:   "hostile: " + name + " of a pod that tolerates everything, a list for each node",
			Beside: PlainLoop, Floor: 0.5, Allocs: 16,
			Ours: func() func(int) {
				var x nodeindex.Index[int]
				for i, list := range nodes() {
					x.Set(i, list)
				}
				return measure.Each(func() {
					n := 0
					for _, v := range verdicts(&x) {
						n += v.NoSchedule
					}
					measure.MustNot(n > 0)
				})
			},
			Other: func() func(int) {
				nodes := nodes()
				return measure.Each(func() {
					n := 0
					for _, list := range nodes {
						n += everything.Filter(list).NoSchedule
					}
					measure.MustNot(n > 0)
				})
			},
		}
	}
	return []measure.Row{
		row("the verdicts", func(x *nodeindex.Index[int]) iter.Seq2[int, taints.Verdict] { return x.Verdicts(everything) }),
		row("the feasible verdicts", func(x *nodeindex.Index[int]) iter.Seq2[int, taints.Verdict] {
			return x.FeasibleVerdicts(everything)
		}),
	}
}
