// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/nodeindex"
)

// A pod is pending because somebody wrote ML for ml.
func ExampleNode() {
	node := []taints.Taint{
		taints.MustParseTaint("nvidia.com/gpu=present:NoSchedule"),
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
	}
	pod := taints.Compile([]taints.Toleration{
		taints.MustParseToleration("nvidia.com/gpu:NoSchedule op=Exists"),
		taints.MustParseToleration("dedicated=ML:NoSchedule"),
	})
	fmt.Println(explain.Node(pod, node))
	// Output:
	// nvidia.com/gpu=present:NoSchedule is tolerated by nvidia.com/gpu:NoSchedule op=Exists
	// dedicated=ml:NoSchedule is not tolerated (closest: dedicated=ML:NoSchedule, the value differs only in letter case)
}

// A default cluster has the comparison operators off.
func ExampleNode_options() {
	cluster := taints.Options{NoComparison: true}
	pod := cluster.Compile([]taints.Toleration{taints.MustParseToleration("failure-score=6 op=Lt")})
	e := explain.Node(pod, []taints.Taint{taints.MustParseTaint("failure-score=4:NoSchedule")})
	fmt.Println(e[0].Why())
	// Output: the operator Lt is disabled
}

// A page shows what a pod tolerates on a node.
func ExampleExplanation() {
	node := []taints.Taint{
		taints.MustParseTaint("nvidia.com/gpu:NoSchedule"),
		taints.MustParseTaint("spot:PreferNoSchedule"),
	}
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("nvidia.com/gpu op=Exists")})
	for _, reason := range explain.Node(pod, node) {
		fmt.Println(reason.Taint, reason.Tolerated)
	}
	// Output:
	// nvidia.com/gpu:NoSchedule true
	// spot:PreferNoSchedule false
}

// A message is needed only if the pod cannot be placed.
func ExampleExplanation_Schedulable() {
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("dedicated=ml:NoSchedule")})
	for _, spec := range []string{"spot:PreferNoSchedule", "dedicated=db:NoSchedule"} {
		e := explain.Node(pod, []taints.Taint{taints.MustParseTaint(spec)})
		if !e.Schedulable() {
			fmt.Println(e)
		}
	}
	// Output: dedicated=db:NoSchedule is not tolerated (closest: dedicated=ml:NoSchedule, the value differs)
}

// A ticket for another company has no names of the cluster.
func ExampleExplanation_Redact() {
	node := []taints.Taint{
		taints.MustParseTaint("customer=acme:NoSchedule"),
		taints.MustParseTaint("region=acme:NoExecute"),
	}
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("customer=Acme:NoSchedule")})
	fmt.Println(explain.Node(pod, node).Redact())
	// Output:
	// <key1>=<value1>:NoSchedule is not tolerated (closest: <key1>=<value2>:NoSchedule, the value differs only in letter case)
	// <key2>=<value1>:NoExecute is not tolerated
}

// A webhook warns about a toleration that its author probably meant otherwise.
func ExampleReason() {
	pod := taints.Compile([]taints.Toleration{
		taints.MustParseToleration("spot op=Exists"),
		taints.MustParseToleration("nvidia.com/gpu:NoSchedule"),
	})
	gpuNode := []taints.Taint{taints.MustParseTaint("nvidia.com/gpu=present:NoSchedule")}
	for _, reason := range explain.Node(pod, gpuNode) {
		if reason.Hint() == explain.HintEmptyValue {
			fmt.Printf("spec.tolerations[%d]: %s; did you mean the operator Exists?\n", reason.Toleration, reason.Why())
		}
	}
	// Output: spec.tolerations[1]: its empty value matches only an empty value; did you mean the operator Exists?
}

// A table has a column for each part.
func ExampleReason_Why() {
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("dedicated=ML:NoExecute")})
	r := explain.Node(pod, []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule")})[0]
	fmt.Printf("taint:   %v\nclosest: %v\nwhy:     %s\n", r.Taint, r.Closest, r.Why())
	// Output:
	// taint:   dedicated=ml:NoSchedule
	// closest: dedicated=ML:NoExecute
	// why:     the effect differs, the value differs only in letter case
}

// One line of a log that leaves the company.
func ExampleReason_Redact() {
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("score=30 op=Lt")})
	r := explain.Node(pod, []taints.Taint{taints.MustParseTaint("score=40:NoSchedule")})[0]
	fmt.Println(r.Why())
	fmt.Println(r.Redact().Why())
	// Output:
	// 40 is too large: at most 29 is tolerated
	// <value1> is too large
}

// Metrics count the rules that pods fail.
func ExampleReason_Mismatch() {
	node := []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule"), taints.MustParseTaint("spot:NoSchedule")}
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("dedicated=db:NoSchedule")})
	for _, reason := range explain.Node(pod, node) {
		fmt.Println(reason.Mismatch())
	}
	// Output:
	// MismatchValue
	// MismatchKey
}

// A user interface has texts of its own.
func ExampleMismatch() {
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("score=60 op=Lt")})
	r := explain.Node(pod, []taints.Taint{taints.MustParseTaint("score=80:NoSchedule")})[0]
	switch r.Mismatch() {
	case explain.MismatchTooLarge, explain.MismatchTooSmall:
		fmt.Printf("%s ist nicht %s %s\n", r.Taint.Value, r.Closest.Operator, r.Closest.Value)
	default:
		fmt.Println(r.Mismatch())
	}
	// Output: 80 ist nicht Lt 60
}

// A message shows the closest toleration only if there is one.
func ExampleReason_HasClosest() {
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("dedicated=ML:NoSchedule")})
	for _, spec := range []string{"dedicated=ml:NoSchedule", "spot:NoSchedule"} {
		r := explain.Node(pod, []taints.Taint{taints.MustParseTaint(spec)})[0]
		if r.HasClosest() {
			fmt.Println(r.Taint, "is close to", r.Closest)
		}
	}
	// Output: dedicated=ml:NoSchedule is close to dedicated=ML:NoSchedule
}

// A tool says which mistakes are made most.
func ExampleReason_Hint() {
	node := []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule")}
	for _, spec := range []string{
		"dedicated=ML:NoSchedule",
		"dedicted=ml:NoSchedule",
		"dedicated:NoSchedule",
		"dedicated=db:NoSchedule",
	} {
		pod := taints.Compile([]taints.Toleration{taints.MustParseToleration(spec)})
		fmt.Println(spec, explain.Node(pod, node)[0].Hint())
	}
	// Output:
	// dedicated=ML:NoSchedule HintLetterCase
	// dedicted=ml:NoSchedule HintSpelling
	// dedicated:NoSchedule HintEmptyValue
	// dedicated=db:NoSchedule HintNone
}

// Hints are text in JSON and in configuration.
func ExampleHint() {
	var ignored []explain.Hint
	err := json.Unmarshal([]byte(`["HintOtherKey", "HintLetterCase"]`), &ignored)
	fmt.Println(ignored, err)
	// Output: [HintOtherKey HintLetterCase] <nil>
}

// An editor offers to mend an operator.
func ExampleDifference() {
	pod := taints.Compile([]taints.Toleration{{Key: "gpu", Operator: "Exist", Effect: "NoSched"}})
	r := explain.Node(pod, []taints.Taint{taints.MustParseTaint("gpu=a100:NoSchedule")})[0]
	for _, d := range r.Differences {
		fmt.Println(d.Mismatch, d.Hint, d.Meant)
	}
	// Output:
	// MismatchEffect HintSpelling NoSchedule
	// MismatchOperator HintSpelling Exists
}

// A scheduler's message for the status of a pod, over all nodes.
func ExampleGroups() {
	var cluster nodeindex.Index[string]
	cluster.Set("node-1", []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule")})
	cluster.Set("node-2", []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule")})
	cluster.Set("node-3", []taints.Taint{taints.MustParseTaint("node.kubernetes.io/unschedulable:NoSchedule")})
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("dedicated:NoSchedule")})
	fmt.Println(explain.Groups(pod, taints.Hard, cluster.Groups()))
	// Output: 0/3 nodes are available: 2 have untolerated taint dedicated=ml:NoSchedule (closest: dedicated:NoSchedule, its empty value matches only an empty value), 1 has untolerated taint node.kubernetes.io/unschedulable:NoSchedule
}

// The nodes of an autoscaler's simulation are in no index.
func ExampleNodes() {
	nodes := [][]taints.Taint{
		{taints.MustParseTaint("spot:NoSchedule")},
		{taints.MustParseTaint("spot:PreferNoSchedule")},
	}
	s := explain.Nodes(taints.Compile(), taints.Hard, slices.Values(nodes))
	fmt.Println(s.Feasible, "of", s.Nodes)
	// Output: 1 of 2
}

// The condition of a pending pod, for programs that read it.
func ExampleSummary() {
	var cluster nodeindex.Index[string]
	cluster.Set("node-1", nil)
	cluster.Set("node-2", []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule")})
	s := explain.Groups(taints.Compile(), taints.Hard, cluster.Groups())
	text, err := json.Marshal(s)
	fmt.Println(string(text), err)
	// Output: {"nodes":2,"feasible":1,"reasons":[{"reason":{"taint":{"key":"dedicated","value":"ml","effect":"NoSchedule"}},"nodes":1}]} <nil>
}

// A terminal has a line for each reason.
func ExampleSummary_Report() {
	var cluster nodeindex.Index[string]
	cluster.Set("node-1", []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule")})
	cluster.Set("node-2", []taints.Taint{
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
		taints.MustParseTaint("score=80:NoSchedule"),
	})
	pod := taints.Compile([]taints.Toleration{
		taints.MustParseToleration("dedicated=db:NoSchedule"),
		taints.MustParseToleration("team=ml:NoSchedule"),
		taints.MustParseToleration("score=60:NoSchedule op=Lt"),
	})
	fmt.Println(explain.Groups(pod, taints.Hard, cluster.Groups()).Report())
	// Output:
	// 0/2 nodes are available:
	//   2 have untolerated taint dedicated=ml:NoSchedule (closest: dedicated=db:NoSchedule, the value differs, ml is tolerated for the key team)
	//   1 has untolerated taint score=80:NoSchedule (closest: score=60:NoSchedule op=Lt, 80 is too large: at most 59 is tolerated)
}

// A bug report has no names of the cluster.
func ExampleSummary_Redact() {
	var cluster nodeindex.Index[string]
	cluster.Set("node-1", []taints.Taint{taints.MustParseTaint("project=apollo:NoSchedule")})
	pod := taints.Compile([]taints.Toleration{taints.MustParseToleration("project=Apollo:NoSchedule")})
	fmt.Println(explain.Groups(pod, taints.Hard, cluster.Groups()).Redact().Report())
	// Output:
	// 0/1 nodes are available:
	//   1 has untolerated taint <key1>=<value1>:NoSchedule (closest: <key1>=<value2>:NoSchedule, the value differs only in letter case)
}

// The taint in the way on most nodes comes first.
func ExampleSummaryReason() {
	var cluster nodeindex.Index[string]
	cluster.Set("node-1", []taints.Taint{taints.MustParseTaint("spot:NoSchedule")})
	cluster.Set("node-2", []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule")})
	cluster.Set("node-3", []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule")})
	s := explain.Groups(taints.Compile(), taints.Hard, cluster.Groups())
	worst := s.Reasons[0]
	fmt.Printf("%d nodes have %v: %s\n", worst.Nodes, worst.Reason.Taint, worst.Reason.Why())
	// Output: 2 nodes have dedicated=ml:NoSchedule: no toleration comes close
}
