// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	plugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/internal/measure"
	"github.com/seed-0529bac1/taints/nodeindex"
)

// A Cluster is nodes by name, for the library in an Index.
type Cluster struct {
	Names []string
	Index *nodeindex.Index[string]

	sets [][]corev1.Taint // the ways in which nodes are tainted
}

// NewCluster returns a cluster in which 40 % of the nodes are tainted, in so many
// ways, if there are enough of them: each way has a tenant's taint, and most have
// up to two more, of GPUs, of a pool or of spot machines.
func NewCluster(nodes, ways int) *Cluster {
	c := &Cluster{Index: new(nodeindex.Index[string]), sets: tenants(ways)}
	for i := range nodes {
		c.Names = append(c.Names, fmt.Sprintf("node-%07d", i))
		c.Set(i, i)
	}
	return c
}

// of returns the taints of node i.
func (c *Cluster) of(i int) []corev1.Taint {
	if i%5 >= 2 {
		return nil
	}
	return c.sets[(i/5*2+i%5)%len(c.sets)]
}

func tenants(ways int) [][]corev1.Taint {
	gpu := corev1.Taint{Key: "nvidia.com/gpu", Value: "present", Effect: corev1.TaintEffectNoSchedule}
	pool := corev1.Taint{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule}
	spot := corev1.Taint{Key: "cloud.example.com/spot", Value: "true", Effect: corev1.TaintEffectPreferNoSchedule}
	sets := make([][]corev1.Taint, ways)
	for i := range sets {
		tenant := corev1.Taint{Key: "tenant", Value: fmt.Sprint("t", i), Effect: corev1.TaintEffectNoSchedule}
		sets[i] = [][]corev1.Taint{{tenant}, {gpu, tenant}, {gpu, pool, tenant}, {tenant, spot}}[i%4]
	}
	return sets
}

// Set gives node i the taints that node j had at first.
func (c *Cluster) Set(i, j int) { c.Index.Set(c.Names[i], convert.Each(c.of(j), convert.FromTaint)) }

// A Pod is one that asks a cluster.
type Pod struct {
	Name        string
	Tolerations []corev1.Toleration
}

// Pods are those that tolerate nothing, one tenant, eight things, everything.
func Pods() []Pod {
	tenant := func(name string) corev1.Toleration {
		return corev1.Toleration{
			Key:      "tenant",
			Operator: corev1.TolerationOpEqual,
			Value:    name,
			Effect:   corev1.TaintEffectNoSchedule,
		}
	}
	eight := append([]corev1.Toleration{tenant("t1"), tenant("t2")}, podTolerations[2:]...)
	return []Pod{
		{"nothing", nil},
		{"one tenant", []corev1.Toleration{tenant("t0")}},
		{"eight things", eight},
		{"everything", []corev1.Toleration{{Operator: corev1.TolerationOpExists}}},
	}
}

// Compile returns the pod's tolerations as the library takes them.
func (p Pod) Compile() *taints.Matcher {
	return taints.Compile(convert.Each(p.Tolerations, convert.FromToleration))
}

// Feasible calls f with each node that is feasible in Kubernetes, in a loop over
// all.
func (c *Cluster) Feasible(p Pod, f func(name string)) {
	logger := klog.Background()
	for i, name := range c.Names {
		if _, found := helper.FindMatchingUntoleratedTaint(logger, c.of(i), p.Tolerations,
			plugins.DoNotScheduleTaintsFilterFunc(), true); !found {
			f(name)
		}
	}
}

// indexRows are the rows of a cluster of 100,000 nodes, for the pod that
// tolerates eight things.
func indexRows(ways int, what string) []measure.Row {
	const nodes = 100_000
	pod := Pods()[2]
	ours := func(feasible func(x *nodeindex.Index[string], m *taints.Matcher) int) measure.Side {
		return func() func(int) {
			x, m := NewCluster(nodes, ways).Index, pod.Compile()
			return measure.Each(func() { measure.MustNot(feasible(x, m) < nodes/2) })
		}
	}
	// Kubernetes has no index of nodes, only the nodes themselves.
	loop := func() func(int) {
		c := NewCluster(nodes, ways)
		c.Index = nil
		var found []string
		return measure.Each(func() {
			found = found[:0]
			c.Feasible(pod, func(name string) { found = append(found, name) })
			measure.MustNot(len(found) < nodes/2)
		})
	}
	var found []string
	return []measure.Row{
		{
			Name: "count the feasible of 100,000 nodes, " + what, Beside: Kubernetes,
			Floor: 10000, Allocs: 4, Other: loop,
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
