// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"fmt"
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
