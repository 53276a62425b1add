// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
)

// A program for clusters that it does not know takes the rules from a flag: the
// threshold counts only where the cluster has the comparison operators on.
func ExampleOptions() {
	node := []taints.Taint{taints.MustParseTaint("failure-score=4:NoSchedule")}
	pod := []taints.Toleration{taints.MustParseToleration("failure-score=6 op=Lt")}
	for _, gate := range []bool{true, false} {
		cluster := taints.Options{NoComparison: !gate}
		fmt.Println(cluster.Compile(pod).Filter(node))
	}
	// Output:
	// all tolerated
	// untolerated: 1 NoSchedule
}

// A platform's own agents run on nodes that are not ready for anything else.
func ExampleOptions_Tolerates() {
	platform := taints.Options{KeyWildcards: true}
	agent := taints.Toleration{Key: "readiness.k8s.io/*", Operator: taints.OpExists}
	network := taints.MustParseTaint("readiness.k8s.io/network:NoSchedule")
	fmt.Println(platform.Tolerates(agent, network), agent.Tolerates(network))
	// Output: true false
}

// Support asks why a toleration that works in the laboratory does not in
// production.
func ExampleOptions_Mismatch() {
	production := taints.Options{NoComparison: true}
	toleration := taints.MustParseToleration("failure-score=6 op=Lt")
	mismatch := production.Mismatch(toleration, taints.MustParseTaint("failure-score=4:NoSchedule"))
	fmt.Printf("%v: %s\n", mismatch, mismatch.Why())
	// Output: MismatchNoComparison: Lt and Gt are switched off
}

// A list of startup taints has a prefix in it.
func ExampleOptions_Match() {
	startup := []taints.Toleration{
		{Key: "node.cilium.io/agent-not-ready", Operator: taints.OpExists},
		{Key: "readiness.k8s.io/*", Operator: taints.OpExists},
	}
	taint := taints.MustParseTaint("readiness.k8s.io/storage:NoSchedule")
	fmt.Println(taints.Options{KeyWildcards: true}.Match(taint, startup))
	// Output: 1 true
}

// A batch queue sees a node once and does not compile anything for it.
func ExampleOptions_Filter() {
	queue := []taints.Toleration{{Key: "batch.example.com/*", Operator: taints.OpExists}}
	node := []taints.Taint{
		taints.MustParseTaint("batch.example.com/night:NoSchedule"),
		taints.MustParseTaint("spot:PreferNoSchedule"),
	}
	fmt.Println(taints.Options{KeyWildcards: true}.Filter(node, queue))
	// Output: untolerated: 1 PreferNoSchedule
}

// What still keeps the platform's agents off a new node.
func ExampleOptions_Untolerated() {
	agent := []taints.Toleration{{Key: "readiness.k8s.io/*", Operator: taints.OpExists}}
	node := []taints.Taint{
		taints.MustParseTaint("readiness.k8s.io/network:NoSchedule"),
		taints.MustParseTaint("node.kubernetes.io/disk-pressure:NoSchedule"),
	}
	for _, taint := range (taints.Options{KeyWildcards: true}).Untolerated(node, agent, taints.Hard) {
		fmt.Println(taint)
	}
	// Output: node.kubernetes.io/disk-pressure:NoSchedule
}

// A pod that trusts a threshold leaves at once where the cluster does not know it.
func ExampleOptions_EvictionOf() {
	node := []taints.Taint{taints.MustParseTaint("failure-score=4:NoExecute")}
	pod := []taints.Toleration{taints.MustParseToleration("failure-score=6:NoExecute op=Lt")}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	fmt.Println(taints.EvictionOf(node, pod, now))
	fmt.Println(taints.Options{NoComparison: true}.EvictionOf(node, pod, now))
	// Output:
	// stays
	// evicts now
}

// The answer says what the cluster would have to switch on.
func ExampleOptions_Explain() {
	node := []taints.Taint{taints.MustParseTaint("failure-score=4:NoSchedule")}
	pod := []taints.Toleration{taints.MustParseToleration("failure-score=6 op=Lt")}
	fmt.Println(taints.Options{NoComparison: true}.Explain(node, pod)[0].Why())
	// Output: Lt and Gt are switched off
}

// A batch queue says how many nodes are left to it.
func ExampleOptions_Summarize() {
	nodes := [][]taints.Taint{
		{taints.MustParseTaint("batch.example.com/night:NoSchedule")},
		{taints.MustParseTaint("batch.example.com/weekend:NoSchedule")},
		{taints.MustParseTaint("dedicated=db:NoSchedule")},
	}
	queue := []taints.Toleration{{Key: "batch.example.com/*", Operator: taints.OpExists}}
	summary := taints.Options{KeyWildcards: true}.Summarize(slices.Values(nodes), queue)
	fmt.Println(summary.Feasible, "of", summary.Nodes)
	// Output: 2 of 3
}

// A chart repeats what a prefix says already.
func ExampleOptions_Lint() {
	chart := []taints.Toleration{
		{Key: "readiness.k8s.io/*", Operator: taints.OpExists},
		{Key: "readiness.k8s.io/network", Operator: taints.OpExists},
	}
	for _, finding := range (taints.Options{KeyWildcards: true}).Lint(chart) {
		fmt.Println(finding)
	}
	// Output: tolerations[1]: tolerations[0] tolerates all that it tolerates: leave it out (covered)
}

// A namespace lets its pods onto all nodes of a tenant; a pod that asks for one of
// them gets nothing that it has not said.
func ExampleOptions_Merge() {
	pod := []taints.Toleration{{Key: "tenant.example.com/*", Operator: taints.OpExists}}
	namespace := []taints.Toleration{{Key: "tenant.example.com/blue", Operator: taints.OpExists}}
	fmt.Println(taints.Options{KeyWildcards: true}.Merge(pod, namespace))
	// Output: [tenant.example.com/* op=Exists]
}

// What is left of a chart after a platform has one prefix for all of its taints.
func ExampleOptions_Minimize() {
	chart := []taints.Toleration{
		{Key: "readiness.k8s.io/network", Operator: taints.OpExists},
		{Key: "readiness.k8s.io/storage", Operator: taints.OpExists},
		{Key: "readiness.k8s.io/*", Operator: taints.OpExists},
	}
	fmt.Println(taints.Options{KeyWildcards: true}.Minimize(chart))
	// Output: [readiness.k8s.io/* op=Exists]
}

// A template loses a threshold, which makes no difference where the cluster does
// not know thresholds.
func ExampleOptions_SameTolerations() {
	before := []taints.Toleration{
		taints.MustParseToleration("dedicated=ml:NoSchedule"),
		taints.MustParseToleration("failure-score=6 op=Lt"),
	}
	after := before[:1]
	fmt.Println(taints.Options{NoComparison: true}.SameTolerations(before, after))
	fmt.Println(taints.SameTolerations(before, after))
	// Output:
	// true
	// false
}

// A tenant may use every node of its own.
func ExampleOptions_ValidateAllowed() {
	allow := []taints.Toleration{{Key: "blue.example.com/*", Operator: taints.OpExists}}
	pod := []taints.Toleration{
		taints.MustParseToleration("blue.example.com/gpu=a100:NoSchedule"),
		taints.MustParseToleration("green.example.com/gpu=a100:NoSchedule"),
	}
	fmt.Println(taints.Options{KeyWildcards: true}.ValidateAllowed(pod, allow))
	// Output: tolerations[1]: "green.example.com/gpu=a100:NoSchedule" is forbidden: no entry of the allow-list tolerates as much for as long
}

// A cluster has switched its comparison operators off. The pods that use them may
// still be updated.
func ExampleOptions_ValidateTolerationsUpdate() {
	cluster := taints.Options{NoComparison: true}
	old := []taints.Toleration{taints.MustParseToleration("failure-score=6 op=Lt")}
	longer := append(old, taints.MustParseToleration("maintenance:NoExecute op=Exists for 60s"))
	fmt.Println(cluster.ValidateTolerationsUpdate(old, longer))
	fmt.Println(cluster.ValidateTolerationsUpdate(nil, old) != nil)
	// Output:
	// <nil>
	// true
}
