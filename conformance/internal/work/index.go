// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	plugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/measure"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/nodeindex"
)

// A cluster has 100,000 named nodes. 40 % of them are tainted.
type cluster struct {
	names []string
	sets  [][]corev1.Taint // the different taint lists of tainted nodes
}

const clusterNodes = 100_000

// newCluster returns a cluster whose nodes are tainted in the given number of ways.
// Each way has a tenant's taint, and most have up to two more: for GPUs, for a pool or
// for spot machines.
func newCluster(ways int) *cluster {
	gpu := corev1.Taint{Key: "nvidia.com/gpu", Value: "present", Effect: corev1.TaintEffectNoSchedule}
	pool := corev1.Taint{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule}
	spot := corev1.Taint{Key: "cloud.example.com/spot", Value: "true", Effect: corev1.TaintEffectPreferNoSchedule}
	return &cluster{
		names: repeated(clusterNodes, func(i int) string { return fmt.Sprintf("node-%07d", i) }),
		sets: repeated(ways, func(i int) []corev1.Taint {
			tenant := corev1.Taint{Key: "tenant", Value: fmt.Sprint("t", i), Effect: corev1.TaintEffectNoSchedule}
			return [][]corev1.Taint{{tenant}, {gpu, tenant}, {gpu, pool, tenant}, {tenant, spot}}[i%4]
		}),
	}
}

// index returns an Index with the nodes.
func (c *cluster) index() *nodeindex.Index[string] {
	x := new(nodeindex.Index[string])
	for i, name := range c.names {
		x.Set(name, kube.Taints(c.of(i)))
	}
	return x
}

// of returns the taints of node i.
func (c *cluster) of(i int) []corev1.Taint {
	if i%5 >= 2 {
		return nil
	}
	return c.sets[(i/5*2+i%5)%len(c.sets)]
}

// eightThings are the tolerations of a pod that tolerates two tenants, a GPU and more.
func eightThings() []corev1.Toleration {
	tenant := func(name string) corev1.Toleration {
		return corev1.Toleration{
			Key: "tenant", Operator: corev1.TolerationOpEqual, Value: name, Effect: corev1.TaintEffectNoSchedule,
		}
	}
	return append([]corev1.Toleration{tenant("t1"), tenant("t2")}, podTolerations[2:]...)
}

// indexRows are the rows for a cluster of 100,000 nodes and the pod that
// tolerates eight things. The floor for counting depends on the number of ways.
func indexRows(ways int, what string, count float64) []measure.Row {
	pod := eightThings()
	ours := func(feasible func(x *nodeindex.Index[string], m *taints.Matcher) int) measure.Side {
		return func() func(int) {
			x, m := newCluster(ways).index(), taints.Compile(kube.Tolerations(pod))
			return measure.Each(func() { measure.MustNot(feasible(x, m) < clusterNodes/2) })
		}
	}
	// Kubernetes has no index of nodes, only the nodes themselves.
	loop := func() func(int) {
		c, logger := newCluster(ways), klog.Background()
		var found []string
		return measure.Each(func() {
			found = found[:0]
			for i, name := range c.names {
				if _, repels := helper.FindMatchingUntoleratedTaint(logger, c.of(i), pod,
					plugins.DoNotScheduleTaintsFilterFunc(), true); !repels {
					found = append(found, name)
				}
			}
			measure.MustNot(len(found) < clusterNodes/2)
		})
	}
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
