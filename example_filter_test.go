// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
)

// Nodes carry a failure score as a numeric taint, and a batch job takes any node
// whose score is below 6.
func ExampleToleration_Tolerates() {
	tolerant := taints.MustParseToleration("sla.example.com/failure-score=6:NoSchedule op=Lt")
	for _, score := range []string{"5", "6", "05", "low"} {
		taint := taints.Taint{
			Key:    "sla.example.com/failure-score",
			Value:  score,
			Effect: taints.NoSchedule,
		}
		fmt.Println(score, tolerant.Tolerates(taint))
	}
	// Output:
	// 5 true
	// 6 false
	// 05 false
	// low false
}

// GPU nodes are for pods that ask for GPUs. The pod's tolerations are compiled once
// and used against every node.
func ExampleCompile() {
	m := taints.Compile([]taints.Toleration{
		taints.MustParseToleration("team=vision:NoSchedule"),
		taints.MustParseToleration("nvidia.com/gpu:NoSchedule op=Exists"),
	})
	for _, spec := range []string{"nvidia.com/gpu=a100:NoSchedule", "team=speech:NoSchedule"} {
		taint := taints.MustParseTaint(spec)
		i, ok := m.Match(taint)
		fmt.Println(spec, i, ok)
	}
	// Output:
	// nvidia.com/gpu=a100:NoSchedule 1 true
	// team=speech:NoSchedule -1 false
}

// A platform marks nodes that are not ready for work yet with taints of one prefix,
// and its own agents tolerate them all.
func ExampleOptions_Compile() {
	agent := []taints.Toleration{{Key: "readiness.k8s.io/*", Operator: taints.OpExists}}
	taint := taints.MustParseTaint("readiness.k8s.io/network:NoSchedule")
	_, plain := taints.Compile(agent).Match(taint)
	_, wildcards := taints.Options{KeyWildcards: true}.Compile(agent).Match(taint)
	fmt.Println(plain, wildcards)
	// Output: false true
}

// The kube-scheduler's question about one node.
func ExampleFindUntolerated() {
	node := []taints.Taint{
		taints.MustParseTaint("spot:PreferNoSchedule"),
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
	}
	pod := []taints.Toleration{taints.MustParseToleration("dedicated=db:NoSchedule")}
	if i, found := taints.FindUntolerated(node, pod, taints.Hard); found {
		fmt.Println("node had untolerated taint", node[i])
	}
	// Output: node had untolerated taint dedicated=ml:NoSchedule
}

// A drain lists what will push a pod off its node.
func ExampleUntolerated() {
	node := []taints.Taint{
		taints.MustParseTaint("maintenance:NoExecute"),
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
		taints.MustParseTaint("node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"),
	}
	for i, taint := range taints.Untolerated(node, nil, taints.Evicting) {
		fmt.Println(i, taint)
	}
	// Output:
	// 0 maintenance:NoExecute
	// 2 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute
}

func ExampleMatcher_Untolerated() {
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("maintenance op=Exists")})
	node := []taints.Taint{
		taints.MustParseTaint("maintenance:NoExecute"),
		taints.MustParseTaint("spot:PreferNoSchedule"),
	}
	for _, taint := range pod.Untolerated(node, taints.AllEffects) {
		fmt.Println(taint)
	}
	// Output: spot:PreferNoSchedule
}

func ExampleFilter() {
	node := []taints.Taint{
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
		taints.MustParseTaint("spot:PreferNoSchedule"),
		taints.MustParseTaint("maintenance:NoExecute"),
	}
	v := taints.Filter(node, []taints.Toleration{taints.MustParseToleration("dedicated=ml:NoSchedule")})
	fmt.Println(v)
	fmt.Println("schedulable", v.Schedulable(), "evicts", v.Evicts())
	// Output:
	// untolerated: 1 PreferNoSchedule, 1 NoExecute
	// schedulable false evicts true
}

// A spot pool is kept for those who do not mind: PreferNoSchedule makes others go
// elsewhere while there is room.
func ExampleNormalizeScores() {
	nodes := map[string][]taints.Taint{
		"general-1": nil,
		"spot-1":    {taints.MustParseTaint("spot:PreferNoSchedule")},
		"spot-2": {
			taints.MustParseTaint("spot:PreferNoSchedule"),
			taints.MustParseTaint("old-kernel:PreferNoSchedule"),
		},
	}
	names := []string{"general-1", "spot-1", "spot-2"}
	for _, pod := range []string{"", "spot op=Exists"} {
		m := taints.Compile(nil)
		if pod != "" {
			m = taints.Compile([]taints.Toleration{taints.MustParseToleration(pod)})
		}
		var counts []int
		for _, name := range names {
			counts = append(counts, m.Filter(nodes[name]).PreferNoSchedule)
		}
		fmt.Println(names, taints.NormalizeScores(nil, counts, 100))
	}
	// Output:
	// [general-1 spot-1 spot-2] [100 50 0]
	// [general-1 spot-1 spot-2] [100 100 0]
}

// The tolerations of a pod and those of its queue count as one list.
func ExampleCompile_lists() {
	pod := []taints.Toleration{taints.MustParseToleration("team=ml:NoSchedule")}
	queue := []taints.Toleration{taints.MustParseToleration("spot:NoSchedule op=Exists")}
	m := taints.Compile(pod, queue)
	fmt.Println(m.Match(taints.MustParseTaint("spot=2h:NoSchedule")))
	// Output: 1 true
}

// A Matcher is a selector of taints: it tells those that a node has only while it
// starts from those that stay.
func ExampleMatcher_Match() {
	startup := taints.Options{KeyWildcards: true}.Compile([]taints.Toleration{
		{Key: "node.cilium.io/agent-not-ready", Operator: taints.OpExists},
		{Key: "readiness.k8s.io/*", Operator: taints.OpExists, Effect: taints.NoSchedule},
		{Key: "ebs.csi.aws.com/agent-not-ready", Value: "true"},
	})
	node := []taints.Taint{
		taints.MustParseTaint("readiness.k8s.io/network:NoSchedule"),
		taints.MustParseTaint("readiness.k8s.io/network:NoExecute"),
		taints.MustParseTaint("node.cilium.io/agent-not-ready=1:NoExecute"),
	}
	for _, taint := range node {
		_, ok := startup.Match(taint)
		fmt.Println(taint, ok)
	}
	// Output:
	// readiness.k8s.io/network:NoSchedule true
	// readiness.k8s.io/network:NoExecute false
	// node.cilium.io/agent-not-ready=1:NoExecute true
}

// A webhook asks once which toleration lets a pod onto tainted nodes.
func ExampleMatch() {
	pod := []taints.Toleration{
		taints.MustParseToleration("dedicated=ml"),
		taints.MustParseToleration("op=Exists"),
	}
	i, ok := taints.Match(taints.MustParseTaint("gpu:NoSchedule"), pod)
	fmt.Println(i, ok)
	// Output: 1 true
}

// A cluster as it is installed does not know Lt and Gt.
func ExampleOptions_FindUntolerated() {
	cluster := taints.Options{NoComparison: true}
	node := []taints.Taint{taints.MustParseTaint("sla.example.com/failure-score=40:NoSchedule")}
	pod := []taints.Toleration{taints.MustParseToleration("sla.example.com/failure-score=60:NoSchedule op=Lt")}
	fmt.Println(cluster.FindUntolerated(node, pod, taints.Hard))
	fmt.Println(taints.FindUntolerated(node, pod, taints.Hard))
	// Output:
	// 0 true
	// -1 false
}

// A dashboard keeps counts and prints them.
func ExampleVerdict() {
	v := taints.Filter([]taints.Taint{taints.MustParseTaint("spot:PreferNoSchedule")}, nil)
	text, err := json.Marshal(v)
	fmt.Println(v, string(text), err)
	fmt.Println(taints.Verdict{})
	// Output:
	// untolerated: 1 PreferNoSchedule {"preferNoSchedule":1} <nil>
	// all tolerated
}

// One Matcher answers all questions about a pod, from several goroutines if need be.
func ExampleMatcher() {
	pod := taints.Compile([]taints.Toleration{
		taints.MustParseToleration("nvidia.com/gpu op=Exists"),
		taints.MustParseToleration("maintenance:NoExecute op=Exists for 600s"),
	})
	node := []taints.Taint{
		taints.MustParseTaint("nvidia.com/gpu=present:NoSchedule"),
		taints.MustParseTaint("maintenance:NoExecute"),
	}
	fmt.Println(pod.Filter(node))
	fmt.Println(pod.EvictionOf(node, time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)))
	// Output:
	// all tolerated
	// evicts at 2026-11-21T12:10:00Z, after 600s
}

// A scheduler's loop: the nodes that are left, and how much each wants to be
// avoided.
func ExampleMatcher_Filter() {
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("dedicated=ml:NoSchedule")})
	for _, spec := range []string{
		"dedicated=ml:NoSchedule",
		"spot:PreferNoSchedule",
		"dedicated=db:NoSchedule",
	} {
		if v := pod.Filter([]taints.Taint{taints.MustParseTaint(spec)}); v.Schedulable() {
			fmt.Println(spec, v.PreferNoSchedule)
		}
	}
	// Output:
	// dedicated=ml:NoSchedule 0
	// spot:PreferNoSchedule 1
}

// A pod may be placed where nothing but PreferNoSchedule is left.
func ExampleVerdict_Schedulable() {
	spot := taints.Filter([]taints.Taint{taints.MustParseTaint("spot:PreferNoSchedule")}, nil)
	cordoned := taints.Filter([]taints.Taint{taints.MustParseTaint(taints.NodeUnschedulable + ":NoSchedule")}, nil)
	fmt.Println(spot.Schedulable(), cordoned.Schedulable())
	// Output: true false
}

// A scheduler looks for another node before it takes a spot node.
func ExampleVerdict_Avoid() {
	spot := []taints.Taint{taints.MustParseTaint("spot:PreferNoSchedule")}
	batch := []taints.Toleration{taints.MustParseToleration("spot op=Exists")}
	fmt.Println(taints.Filter(spot, nil).Avoid(), taints.Filter(spot, batch).Avoid())
	// Output: true false
}

// A descheduler asks which of two nodes a pod has to leave.
func ExampleVerdict_Evicts() {
	cordoned := taints.Filter([]taints.Taint{taints.MustParseTaint(taints.NodeUnschedulable + ":NoSchedule")}, nil)
	drained := taints.Filter([]taints.Taint{taints.MustParseTaint("maintenance:NoExecute")}, nil)
	fmt.Println(cordoned.Evicts(), drained.Evicts())
	// Output: false true
}

// A provisioner opens a node only for pods that tolerate everything there, soft
// taints included.
func ExampleVerdict_AllTolerated() {
	spot := taints.Filter([]taints.Taint{taints.MustParseTaint("spot:PreferNoSchedule")}, nil)
	fmt.Println(spot.Schedulable(), spot.AllTolerated())
	// Output: true false
}

// A node is initialized once its startup taints are gone.
func ExampleTolerationsOf() {
	startup := taints.Compile(taints.TolerationsOf([]taints.Taint{
		taints.MustParseTaint("node.cilium.io/agent-not-ready=true:NoExecute"),
		taints.MustParseTaint("example.com/starting:NoSchedule"),
	}))
	node := []taints.Taint{
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
		taints.MustParseTaint("node.cilium.io/agent-not-ready:NoExecute"),
	}
	for _, taint := range node {
		_, starting := startup.Match(taint)
		fmt.Println(taint, starting)
	}
	// Output:
	// dedicated=ml:NoSchedule false
	// node.cilium.io/agent-not-ready:NoExecute true
}

// A cache of pods keeps Matchers alone, and gets the tolerations back from them.
func ExampleMatcher_Tolerations() {
	pod := taints.Options{NoComparison: true}.Compile([]taints.Toleration{
		taints.MustParseToleration("dedicated=ml:NoSchedule"),
		taints.MustParseToleration("spot op=Exists"),
	})
	fmt.Println(slices.Collect(pod.Tolerations()), pod.Policy().Options.NoComparison)
	// Output: [dedicated=ml:NoSchedule spot op=Exists] true
}
