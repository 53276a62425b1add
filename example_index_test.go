// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"fmt"
	"slices"

	"github.com/seed-0529bac1/taints"
)

// A scheduler keeps its nodes in an index, fed by the events of the cluster, and
// asks it for each pod.
func ExampleIndex() {
	var nodes taints.Index[string]
	nodes.Set("general-1", nil)
	nodes.Set("general-2", nil)
	nodes.Set("gpu-1", []taints.Taint{taints.MustParseTaint("nvidia.com/gpu=present:NoSchedule")})
	nodes.Set("gpu-2", []taints.Taint{taints.MustParseTaint("nvidia.com/gpu=present:NoSchedule")})

	training := taints.Compile([]taints.Toleration{{Key: "nvidia.com/gpu", Operator: taints.OpExists}})
	fmt.Println(slices.Sorted(nodes.Feasible(training)))

	// A node is cordoned, another one is taken away.
	nodes.Set("gpu-2", []taints.Taint{
		taints.MustParseTaint("nvidia.com/gpu=present:NoSchedule"),
		taints.MustParseTaint(taints.NodeUnschedulable + ":NoSchedule"),
	})
	nodes.Delete("general-1")
	fmt.Println(slices.Sorted(nodes.Feasible(training)))
	// Output:
	// [general-1 general-2 gpu-1 gpu-2]
	// [general-2 gpu-1]
}

// A pod is pending, and its owner asks why.
func ExampleIndex_Summarize() {
	var nodes taints.Index[int]
	for i := range 10 {
		switch {
		case i < 6:
			nodes.Set(i, []taints.Taint{taints.MustParseTaint("team=search:NoSchedule")})
		case i < 9:
			nodes.Set(i, []taints.Taint{
				taints.MustParseTaint("team=search:NoSchedule"),
				taints.MustParseTaint("spot:NoSchedule"),
			})
		default:
			nodes.Set(i, nil)
		}
	}
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("team=Search:NoSchedule")})
	fmt.Println(nodes.Summarize(pod))
	// Output:
	// 1/10 nodes are available: 9 have untolerated taint team=search:NoSchedule (closest: team=Search:NoSchedule, the value differs only in letter case), 3 have untolerated taint spot:NoSchedule (nothing comes close)
}

// A scheduler scores the nodes that are feasible: the fewest PreferNoSchedule taints
// are best.
func ExampleIndex_FeasibleVerdicts() {
	var nodes taints.Index[string]
	nodes.Set("new", nil)
	nodes.Set("old", []taints.Taint{taints.MustParseTaint("hardware=old:PreferNoSchedule")})
	nodes.Set("broken", []taints.Taint{taints.MustParseTaint("disk:NoSchedule")})

	var names []string
	var counts []int
	for node, verdict := range nodes.FeasibleVerdicts(nil) {
		names, counts = append(names, node), append(counts, verdict.PreferNoSchedule)
	}
	for i, score := range taints.NormalizeScores(nil, counts, 100) {
		fmt.Println(names[i], score)
	}
	// Unordered output:
	// new 100
	// old 0
}

// A scheduler that asks often keeps the memory of its list.
func ExampleIndex_AppendFeasible() {
	var nodes taints.Index[int]
	for i := range 6 {
		nodes.Set(i, []taints.Taint{{Key: "tenant", Value: fmt.Sprint(i % 3), Effect: taints.NoSchedule}})
	}
	var list []int
	for _, tenant := range []string{"0", "1"} {
		pod := taints.Compile([]taints.Toleration{{Key: "tenant", Value: tenant}})
		list = nodes.AppendFeasible(list[:0], pod)
		slices.Sort(list)
		fmt.Println(list)
	}
	// Output:
	// [0 3]
	// [1 4]
}

// A dashboard shows for each node what a pod would find there.
func ExampleIndex_Verdicts() {
	var nodes taints.Index[string]
	nodes.Set("new", nil)
	nodes.Set("old", []taints.Taint{taints.MustParseTaint("hardware=old:PreferNoSchedule")})
	nodes.Set("broken", []taints.Taint{taints.MustParseTaint("disk:NoSchedule")})

	for node, verdict := range nodes.Verdicts(nil) {
		switch {
		case !verdict.Schedulable():
			fmt.Println(node, "is out")
		case verdict.Avoid():
			fmt.Println(node, "if there is no better one")
		default:
			fmt.Println(node, "is fine")
		}
	}
	// Unordered output:
	// new is fine
	// old if there is no better one
	// broken is out
}

// A descheduler asks which nodes a running pod may stay on: there only NoExecute
// taints count.
func ExampleIndex_repels() {
	nodes := taints.Index[string]{Repels: taints.Evicting}
	nodes.Set("full", []taints.Taint{taints.MustParseTaint("disk:NoSchedule")})
	nodes.Set("gone", []taints.Taint{taints.MustParseTaint("node.kubernetes.io/unreachable:NoExecute")})

	for node := range nodes.Feasible(nil) {
		fmt.Println(node)
	}
	// Output:
	// full
}

// An autoscaler asks how many nodes would take the pod before it adds one.
func ExampleIndex_CountFeasible() {
	var nodes taints.Index[int]
	for i := range 1000 {
		nodes.Set(i, []taints.Taint{{Key: "tenant", Value: fmt.Sprint(i % 10), Effect: taints.NoSchedule}})
	}
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("tenant=3:NoSchedule")})
	fmt.Println(nodes.CountFeasible(pod), "of", nodes.Len())
	// Output:
	// 100 of 1000
}

// An event handler gives the index what the event says, and the index notices what
// is new.
func ExampleIndex_Set() {
	var nodes taints.Index[string]
	nodes.Set("gpu-1", nil)
	nodes.Set("gpu-1", []taints.Taint{taints.MustParseTaint("maintenance:NoExecute")})
	fmt.Println(nodes.Len(), nodes.CountFeasible(nil))
	// Output: 1 0
}

// A node is deleted; an event that comes twice does no harm.
func ExampleIndex_Delete() {
	var nodes taints.Index[string]
	nodes.Set("gpu-1", nil)
	fmt.Println(nodes.Delete("gpu-1"), nodes.Delete("gpu-1"))
	// Output: true false
}

// A scheduler looks for any node with room, and stops at the first.
func ExampleIndex_Feasible() {
	var nodes taints.Index[string]
	nodes.Set("full", nil)
	nodes.Set("roomy", nil)
	nodes.Set("cordoned", []taints.Taint{taints.MustParseTaint(taints.NodeUnschedulable + ":NoSchedule")})
	hasRoom := map[string]bool{"roomy": true, "cordoned": true}
	for node := range nodes.Feasible(nil) {
		if hasRoom[node] {
			fmt.Println(node)
			break
		}
	}
	// Output: roomy
}

// A metric of a scheduler's cache.
func ExampleIndex_Len() {
	var nodes taints.Index[string]
	for _, node := range []string{"gpu-1", "gpu-2", "gpu-2"} {
		nodes.Set(node, []taints.Taint{taints.MustParseTaint("nvidia.com/gpu:NoSchedule")})
	}
	fmt.Println("nodes", nodes.Len())
	// Output: nodes 2
}
