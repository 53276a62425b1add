// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/measure"
	"github.com/seed-0529bac1/taints/nodeindex"
)

// A Cluster has 100,000 named nodes. 40 % of them are tainted.
type Cluster struct {
	Names []string
	Sets  [][]taints.Taint // the different taint lists of tainted nodes
}

const clusterNodes = 100_000

// newCluster returns a cluster whose nodes are tainted in the given number of ways.
// Each way has a tenant's taint, and most have up to two more: for GPUs, for a pool or
// for spot machines.
func newCluster(ways int) *Cluster {
	gpu := taints.Taint{Key: "nvidia.com/gpu", Value: "present", Effect: taints.NoSchedule}
	pool := taints.Taint{Key: "dedicated", Value: "ml", Effect: taints.NoSchedule}
	spot := taints.Taint{Key: "cloud.example.com/spot", Value: "true", Effect: taints.PreferNoSchedule}
	return &Cluster{
		Names: repeated(clusterNodes, func(i int) string { return fmt.Sprintf("node-%07d", i) }),
		Sets: repeated(ways, func(i int) []taints.Taint {
			tenant := taints.Taint{Key: "tenant", Value: fmt.Sprint("t", i), Effect: taints.NoSchedule}
			return [][]taints.Taint{{tenant}, {gpu, tenant}, {gpu, pool, tenant}, {tenant, spot}}[i%4]
		}),
	}
}

// index returns an Index with the nodes.
func (c *Cluster) index() *nodeindex.Index[string] {
	x := new(nodeindex.Index[string])
	for i, name := range c.Names {
		x.Set(name, Of(c.Sets, i))
	}
	return x
}

// Of returns the taints of node i of a cluster with the sets.
func Of[T any](sets [][]T, i int) []T {
	if i%5 >= 2 {
		return nil
	}
	return sets[(i/5*2+i%5)%len(sets)]
}

// EightThings are the tolerations of a pod that tolerates two tenants, a GPU and more.
var EightThings = append([]taints.Toleration{
	{Key: "tenant", Operator: taints.OpEqual, Value: "t1", Effect: taints.NoSchedule},
	{Key: "tenant", Operator: taints.OpEqual, Value: "t2", Effect: taints.NoSchedule},
}, PodTolerations[2:]...)

// indexRows are the rows for a cluster of 100,000 nodes and the pod that
// tolerates eight things. The floor for counting depends on the number of ways.
func indexRows(ways int, what string, count float64, others Others) []measure.Row {
	ours := func(feasible func(x *nodeindex.Index[string], m *taints.Matcher) int) measure.Side {
		return func() func(int) {
			x, m := newCluster(ways).index(), taints.Compile(EightThings)
			return measure.Each(func() { measure.MustNot(feasible(x, m) < clusterNodes/2) })
		}
	}
	// Kubernetes has no index of nodes, only the nodes themselves.
	loop := func() func(int) { return others.Feasible(newCluster(ways)) }
	var found []string
	return []measure.Row{
		{
			Name: "count the feasible of 100,000 nodes, " + what, Beside: Kubernetes,
			Floor: count, Allocs: 4, Other: loop,
			Ours: ours((*nodeindex.Index[string]).CountFeasible),
		},
		{
			Name: "append them, " + what, Beside: Kubernetes,
			Floor: 200, Allocs: 16, Other: loop,
			Ours: ours(func(x *nodeindex.Index[string], m *taints.Matcher) int {
				found = x.AppendFeasible(found[:0], m)
				return len(found)
			}),
		},
		{
			Name: "range over them, " + what, Beside: Kubernetes, Floor: 80, Allocs: 16, Other: loop,
			Ours: ours(func(x *nodeindex.Index[string], m *taints.Matcher) int {
				n := 0
				for range x.Feasible(m) {
					n++
				}
				return n
			}),
		},
	}
}
