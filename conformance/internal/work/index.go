// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/measure"
	"github.com/seed-0529bac1/taints/nodeindex"
)

// Nodes returns the names of 100,000 nodes, and the lists of taints of those that
// have some. These are tainted in the given number of ways: each way has the taint of
// a tenant, and most have up to two more, for GPUs, for a pool or for spot machines.
func Nodes(ways int) (names []string, lists [][]taints.Taint) {
	others := parsed(taints.ParseTaint, "nvidia.com/gpu=present:NoSchedule", "dedicated=ml:NoSchedule",
		"cloud.example.com/spot=true:PreferNoSchedule")
	gpu, pool, spot := others[0], others[1], others[2]
	names = repeated(100_000, func(i int) string { return fmt.Sprintf("node-%07d", i) })
	lists = repeated(ways, func(i int) []taints.Taint {
		tenant := taints.Taint{Key: "tenant", Value: fmt.Sprint("t", i), Effect: taints.NoSchedule}
		return [][]taints.Taint{{tenant}, {gpu, tenant}, {gpu, pool, tenant}, {tenant, spot}}[i%4]
	})
	return names, lists
}

// Of returns the taints of node i. Two of five nodes have some.
func Of[T any](lists [][]T, i int) []T {
	if i%5 >= 2 {
		return nil
	}
	return lists[(i/5*2+i%5)%len(lists)]
}

// Tenants tolerate two tenants, a GPU and more.
var Tenants = append(parsed(taints.ParseToleration, "tenant=t1:NoSchedule", "tenant=t2:NoSchedule"), PodTolerations[2:]...)

// feasible asks an Index of the nodes, which has more than half of them feasible.
func feasible(ways int, ask func(x *nodeindex.Index[string], m *taints.Matcher) int) measure.Side {
	return func(b *testing.B) {
		var x nodeindex.Index[string]
		names, lists := Nodes(ways)
		for i, name := range names {
			x.Set(name, Of(lists, i))
		}
		m := taints.Compile(Tenants)
		measure.Loop(b, func() { measure.Must(ask(&x, m) > len(names)/2) })
	}
}

func countIn(ways int) measure.Side { return feasible(ways, (*nodeindex.Index[string]).CountFeasible) }

func appendIn(ways int) measure.Side {
	var found []string
	return feasible(ways, func(x *nodeindex.Index[string], m *taints.Matcher) int {
		found = x.AppendFeasible(found[:0], m)
		return len(found)
	})
}

func rangeIn(ways int) measure.Side { return feasible(ways, iterate[string]) }

func iterate[N comparable](x *nodeindex.Index[N], m *taints.Matcher) (n int) {
	for range x.Feasible(m) {
		n++
	}
	return n
}
