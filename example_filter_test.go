package taints_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-0529bac1/taints"
)

// Nodes carry a failure score as a numeric taint, and a batch job takes any node whose score is below 6.
func ExampleToleration_Tolerates() {
	tolerant := taints.MustParseToleration("sla.example.com/failure-score=6:NoSchedule op=Lt")
	for _, score := range []string{"5", "6", "05", "low"} {
		taint := taints.Taint{Key: "sla.example.com/failure-score", Value: score, Effect: taints.NoSchedule}
		fmt.Println(score, tolerant.Tolerates(taint))
	}
	// Output:
	// 5 true
	// 6 false
	// 05 false
	// low false
}

func ExampleToleration_Mismatch() {
	gpu := taints.MustParseTaint("nvidia.com/gpu=present:NoSchedule")
	for _, text := range []string{"nvidia.com/gpu op=Exists", "nvidia.com/gpu=true:NoSchedule", "nvidia.com/gpu", "nvidia.com/gpu:NoExecute op=Exists"} {
		mismatch := taints.MustParseToleration(text).Mismatch(gpu)
		fmt.Printf("%s: %v, %q\n", text, mismatch, mismatch.Why())
	}
	// Output:
	// nvidia.com/gpu op=Exists: MismatchNone, ""
	// nvidia.com/gpu=true:NoSchedule: MismatchValue, "the value differs"
	// nvidia.com/gpu: MismatchValue, "the value differs"
	// nvidia.com/gpu:NoExecute op=Exists: MismatchEffect, "the effect differs"
}

// GPU nodes are for pods that ask for GPUs. The pod's tolerations are compiled once and used against every node.
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

// A platform marks nodes that are not ready for work yet with taints of one prefix, and its own agents tolerate them all.
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

func ExampleMatcher_FindUntolerated() {
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("dedicated=ml:NoSchedule")})
	_, found := pod.FindUntolerated([]taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule")}, taints.Hard)
	fmt.Println(found)
	// Output: false
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
	node := []taints.Taint{taints.MustParseTaint("maintenance:NoExecute"), taints.MustParseTaint("spot:PreferNoSchedule")}
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

// A spot pool is kept for those who do not mind: PreferNoSchedule makes others go elsewhere while there is room.
func ExampleNormalizeScores() {
	nodes := map[string][]taints.Taint{
		"general-1": nil,
		"spot-1":    {taints.MustParseTaint("spot:PreferNoSchedule")},
		"spot-2":    {taints.MustParseTaint("spot:PreferNoSchedule"), taints.MustParseTaint("old-kernel:PreferNoSchedule")},
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

// Why is this pod pending? Because somebody wrote ML for ml.
func ExampleExplain() {
	node := []taints.Taint{taints.MustParseTaint("nvidia.com/gpu=present:NoSchedule"), taints.MustParseTaint("dedicated=ml:NoSchedule")}
	pod := []taints.Toleration{
		taints.MustParseToleration("nvidia.com/gpu:NoSchedule op=Exists"),
		taints.MustParseToleration("dedicated=ML:NoSchedule"),
	}
	e := taints.Explain(node, pod)
	fmt.Println(e)
	fmt.Println(e[1].Mismatch, e[1].Hint)
	fmt.Println(e.Redact().String())
	// Output:
	// nvidia.com/gpu=present:NoSchedule is tolerated by nvidia.com/gpu:NoSchedule op=Exists
	// dedicated=ml:NoSchedule is not tolerated (closest: dedicated=ML:NoSchedule, the value differs only in letter case)
	// MismatchValue HintLetterCase
	// <key1>=<value1>:NoSchedule is tolerated by <key1>:NoSchedule op=Exists
	// <key2>=<value2>:NoSchedule is not tolerated (closest: <key2>=<value3>:NoSchedule, the value differs only in letter case)
}

func ExampleMatcher_Explain() {
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("sla.example.com/failure-score=30:NoSchedule op=Lt")})
	fmt.Println(pod.Explain([]taints.Taint{taints.MustParseTaint("sla.example.com/failure-score=40:NoSchedule")}))
	// Output: sla.example.com/failure-score=40:NoSchedule is not tolerated (closest: sla.example.com/failure-score=30:NoSchedule op=Lt, 40 is not less than 30 but 10 more)
}

// A form with a field of its own for each part.
func ExampleReason_Why() {
	pod := []taints.Toleration{taints.MustParseToleration("dedicated=ML:NoExecute")}
	r := taints.Explain([]taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule")}, pod)[0]
	fmt.Printf("taint:   %v\nclosest: %v\nwhy:     %s\n", r.Taint, r.Closest, r.Why())
	// Output:
	// taint:   dedicated=ml:NoSchedule
	// closest: dedicated=ML:NoExecute
	// why:     the effect differs, the value differs only in letter case
}

// The message for a pod's status, over all nodes.
func ExampleSummarize() {
	nodes := [][]taints.Taint{
		{taints.MustParseTaint("dedicated=ml:NoSchedule")},
		{taints.MustParseTaint("dedicated=ml:NoSchedule")},
		{taints.MustParseTaint("node.kubernetes.io/unschedulable:NoSchedule")},
	}
	pod := []taints.Toleration{taints.MustParseToleration("dedicated:NoSchedule")}
	fmt.Println(taints.Summarize(slices.Values(nodes), pod))
	// Output: 0/3 nodes are available: 2 have untolerated taint dedicated=ml:NoSchedule (closest: dedicated:NoSchedule, its empty value matches only an empty value), 1 has untolerated taint node.kubernetes.io/unschedulable:NoSchedule (nothing comes close)
}

func ExampleMatcher_Summarize() {
	pod := taints.Compile(nil)
	nodes := [][]taints.Taint{nil, {taints.MustParseTaint("dedicated=ml:NoSchedule")}}
	s := pod.Summarize(slices.Values(nodes))
	fmt.Println(s.Feasible, "of", s.Nodes)
	fmt.Println(s.Redact().String())
	// Output:
	// 1 of 2
	// 1/2 nodes are available: 1 has untolerated taint <key1>=<value1>:NoSchedule (nothing comes close)
}

// For a terminal: a line for each reason.
func ExampleSummary_Report() {
	nodes := [][]taints.Taint{
		{taints.MustParseTaint("dedicated=ml:NoSchedule"), taints.MustParseTaint("score=80:NoSchedule")},
		{taints.MustParseTaint("dedicated=ml:NoSchedule")},
		{taints.MustParseTaint("node.kubernetes.io/unschedulable:NoSchedule")},
	}
	pod := []taints.Toleration{
		taints.MustParseToleration("dedicated=db:NoSchedule"),
		taints.MustParseToleration("team=ml:NoSchedule"),
		taints.MustParseToleration("score=60:NoSchedule op=Lt"),
	}
	fmt.Println(taints.Summarize(slices.Values(nodes), pod).Report())
	// Output:
	// 0/3 nodes are available:
	//   2 have untolerated taint dedicated=ml:NoSchedule (closest: dedicated=db:NoSchedule, the value differs, ml stands under the key team)
	//   1 has untolerated taint node.kubernetes.io/unschedulable:NoSchedule (nothing comes close)
	//   1 has untolerated taint score=80:NoSchedule (closest: score=60:NoSchedule op=Lt, 80 is not less than 60 but 20 more)
}

// For a bug report: no names of the cluster.
func ExampleSummary_Redact() {
	nodes := [][]taints.Taint{{taints.MustParseTaint("secret-project=apollo:NoSchedule")}}
	pod := []taints.Toleration{taints.MustParseToleration("secret-project=Apollo:NoSchedule")}
	fmt.Println(taints.Summarize(slices.Values(nodes), pod).Redact().Report())
	// Output:
	// 0/1 nodes are available:
	//   1 has untolerated taint <key1>=<value1>:NoSchedule (closest: <key1>=<value2>:NoSchedule, the value differs only in letter case)
}

// Effects and operators are written by hand, too.
func ExampleReason_Why_unknown() {
	node := []taints.Taint{taints.MustParseTaint("gpu=a100:NoSchedule")}
	pod := []taints.Toleration{{Key: "gpu", Operator: "Exist", Effect: "NoSched"}}
	r := taints.Explain(node, pod)[0]
	fmt.Println(r.Why())
	fmt.Println(r.Hint)
	// Output:
	// the effect NoSched is unknown, NoSchedule may be meant, the operator Exist is unknown, Exists may be meant
	// HintSpelling
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
	pod := []taints.Toleration{taints.MustParseToleration("dedicated=ml"), taints.MustParseToleration("op=Exists")}
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

// An explanation in JSON, safe for a ticket.
func ExampleExplanation_Redact() {
	node := []taints.Taint{taints.MustParseTaint("customer=acme:NoSchedule")}
	pod := []taints.Toleration{taints.MustParseToleration("customer=Acme:NoSchedule")}
	text, err := json.Marshal(taints.Explain(node, pod).Redact()[0].Mismatch)
	fmt.Println(string(text), err)
	fmt.Println(taints.Explain(node, pod).Redact())
	// Output:
	// "MismatchValue" <nil>
	// <key1>=<value1>:NoSchedule is not tolerated (closest: <key1>=<value2>:NoSchedule, the value differs only in letter case)
}
