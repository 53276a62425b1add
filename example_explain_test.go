// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-0529bac1/taints"
)

// Why is this pod pending? Because somebody wrote ML for ml.
func ExampleExplain() {
	node := []taints.Taint{
		taints.MustParseTaint("nvidia.com/gpu=present:NoSchedule"),
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
	}
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
	pod := taints.Compile([]taints.Toleration{
		taints.MustParseToleration("sla.example.com/failure-score=30:NoSchedule op=Lt"),
	})
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
		{
			taints.MustParseTaint("dedicated=ml:NoSchedule"),
			taints.MustParseTaint("score=80:NoSchedule"),
		},
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

// A page shows for each taint of a node whether a pod gets past it.
func ExampleExplanation() {
	node := []taints.Taint{
		taints.MustParseTaint("nvidia.com/gpu:NoSchedule"),
		taints.MustParseTaint("spot:PreferNoSchedule"),
	}
	pod := []taints.Toleration{taints.MustParseToleration("nvidia.com/gpu op=Exists")}
	for _, reason := range taints.Explain(node, pod) {
		fmt.Println(reason.Taint, reason.Tolerated())
	}
	// Output:
	// nvidia.com/gpu:NoSchedule true
	// spot:PreferNoSchedule false
}

// The message is for those who cannot place their pod.
func ExampleExplanation_Schedulable() {
	pod := []taints.Toleration{taints.MustParseToleration("dedicated=ml:NoSchedule")}
	for _, spec := range []string{"spot:PreferNoSchedule", "dedicated=db:NoSchedule"} {
		if e := taints.Explain([]taints.Taint{taints.MustParseTaint(spec)}, pod); !e.Schedulable() {
			fmt.Println(e)
		}
	}
	// Output: dedicated=db:NoSchedule is not tolerated (closest: dedicated=ml:NoSchedule, the value differs)
}

// A tool offers the toleration that was probably meant.
func ExampleReason() {
	node := []taints.Taint{taints.MustParseTaint("nvidia.com/gpu=present:NoSchedule")}
	pod := []taints.Toleration{taints.MustParseToleration("nvidia.com/gpu:NoSchedule")}
	r := taints.Explain(node, pod)[0]
	if r.Hint == taints.HintEmptyValue {
		meant := taints.Toleration{
			Key:      r.Closest.Key,
			Operator: taints.OpExists,
			Effect:   r.Closest.Effect,
		}
		fmt.Printf("%v would be tolerated by %v: %v\n", r.Taint, meant, meant.Tolerates(r.Taint))
	}
	// Output: nvidia.com/gpu=present:NoSchedule would be tolerated by nvidia.com/gpu:NoSchedule op=Exists: true
}

// An editor underlines the line of the toleration that is nearly right.
func ExampleReason_Toleration() {
	node := []taints.Taint{
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
		taints.MustParseTaint("spot:NoSchedule"),
	}
	pod := []taints.Toleration{
		taints.MustParseToleration("nvidia.com/gpu op=Exists"),
		taints.MustParseToleration("dedicated=ML:NoSchedule"),
	}
	for _, reason := range taints.Explain(node, pod) {
		fmt.Println(reason.Toleration())
	}
	// Output:
	// 1 true
	// -1 false
}

// An alert counts the taints in the way.
func ExampleReason_Tolerated() {
	node := []taints.Taint{
		taints.MustParseTaint("maintenance:NoExecute"),
		taints.MustParseTaint("spot:NoSchedule"),
	}
	inTheWay := 0
	for _, reason := range taints.Explain(node, nil) {
		if !reason.Tolerated() {
			inTheWay++
		}
	}
	fmt.Println(inTheWay)
	// Output: 2
}

// One line of a log that leaves the house.
func ExampleReason_Redact() {
	node := []taints.Taint{taints.MustParseTaint("customer=acme:NoSchedule")}
	pod := []taints.Toleration{taints.MustParseToleration("customer=apex:NoSchedule")}
	fmt.Println(taints.Explain(node, pod)[0].Redact())
	// Output: <key1>=<value1>:NoSchedule is not tolerated (closest: <key1>=<value2>:NoSchedule, the value differs)
}

// A tool groups mistakes to see which are made most.
func ExampleHint() {
	node := []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule")}
	for _, text := range []string{
		"dedicated=ML:NoSchedule",
		"dedicted=ml:NoSchedule",
		"dedicated:NoSchedule",
		"team=ml:NoSchedule",
	} {
		pod := []taints.Toleration{taints.MustParseToleration(text)}
		fmt.Println(text, taints.Explain(node, pod)[0].Hint)
	}
	// Output:
	// dedicated=ML:NoSchedule HintLetterCase
	// dedicted=ml:NoSchedule HintSpelling
	// dedicated:NoSchedule HintEmptyValue
	// team=ml:NoSchedule HintNone
}

// The condition of a pending pod, for programs that read it.
func ExampleSummary() {
	nodes := [][]taints.Taint{nil, {taints.MustParseTaint("dedicated=ml:NoSchedule")}}
	text, err := json.Marshal(taints.Summarize(slices.Values(nodes), nil))
	fmt.Println(string(text), err)
	// Output: {"nodes":2,"feasible":1,"reasons":[{"reason":{"taint":{"key":"dedicated","value":"ml","effect":"NoSchedule"},"mismatch":"MismatchKey"},"nodes":1}]} <nil>
}

// The reason that keeps most nodes away comes first.
func ExampleSummaryReason() {
	nodes := [][]taints.Taint{
		{taints.MustParseTaint("spot:NoSchedule")},
		{taints.MustParseTaint("dedicated=ml:NoSchedule")},
		{taints.MustParseTaint("dedicated=ml:NoSchedule")},
	}
	if s := taints.Summarize(slices.Values(nodes), nil); s.Feasible == 0 {
		worst := s.Reasons[0]
		fmt.Printf("%d nodes have %v: %s\n", worst.Nodes, worst.Reason.Taint, worst.Reason.Why())
	}
	// Output: 2 nodes have dedicated=ml:NoSchedule: nothing comes close
}
