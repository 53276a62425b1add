// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"fmt"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/nodeindex"
)

// A pod is pending because its author wrote ML instead of ml.
func ExampleNode() {
	node := []taints.Taint{
		taints.Must(taints.ParseTaint("nvidia.com/gpu=present:NoSchedule")),
		taints.Must(taints.ParseTaint("dedicated=ml:NoSchedule")),
	}
	pod := taints.Compile([]taints.Toleration{
		taints.Must(taints.ParseToleration("nvidia.com/gpu:NoSchedule op=Exists")),
		taints.Must(taints.ParseToleration("dedicated=ML:NoSchedule")),
	})
	fmt.Println(explain.Node(pod, node))
	// Output:
	// nvidia.com/gpu=present:NoSchedule is tolerated by nvidia.com/gpu:NoSchedule op=Exists
	// dedicated=ml:NoSchedule is not tolerated (closest: dedicated=ML:NoSchedule, the value differs only in letter case)
}

// A webhook warns about a toleration that is probably not what its author meant.
func ExampleReason() {
	pod := taints.Compile([]taints.Toleration{
		taints.Must(taints.ParseToleration("spot op=Exists")),
		taints.Must(taints.ParseToleration("nvidia.com/gpu:NoSchedule")),
	})
	gpuNode := []taints.Taint{taints.Must(taints.ParseTaint("nvidia.com/gpu=present:NoSchedule"))}
	for _, reason := range explain.Node(pod, gpuNode) {
		if reason.Hint() == explain.HintEmptyValue {
			fmt.Printf("spec.tolerations[%d]: %s; did you mean the operator Exists?\n", reason.Toleration, reason.Why())
		}
	}
	// Output: spec.tolerations[1]: its empty value matches only an empty value; did you mean the operator Exists?
}

// A ticket for another company contains no names from the cluster.
func ExampleExplanation_Redact() {
	node := []taints.Taint{
		taints.Must(taints.ParseTaint("customer=acme:NoSchedule")),
		taints.Must(taints.ParseTaint("region=acme:NoExecute")),
	}
	pod := taints.Compile([]taints.Toleration{taints.Must(taints.ParseToleration("customer=Acme:NoSchedule"))})
	fmt.Println(explain.Node(pod, node).Redact())
	// Output:
	// <key1>=<value1>:NoSchedule is not tolerated (closest: <key1>=<value2>:NoSchedule, the value differs only in letter case)
	// <key2>=<value1>:NoExecute is not tolerated
}

// A scheduler writes a message about all nodes to the status of a pod.
func ExampleSummarizeGroups() {
	var cluster nodeindex.Index[string]
	cluster.Set("node-1", []taints.Taint{taints.Must(taints.ParseTaint("dedicated=ml:NoSchedule"))})
	cluster.Set("node-2", []taints.Taint{taints.Must(taints.ParseTaint("dedicated=ml:NoSchedule"))})
	cluster.Set("node-3", []taints.Taint{taints.Must(taints.ParseTaint("node.kubernetes.io/unschedulable:NoSchedule"))})
	pod := taints.Compile([]taints.Toleration{taints.Must(taints.ParseToleration("dedicated:NoSchedule"))})
	fmt.Println(explain.SummarizeGroups(pod, taints.HardEffects, cluster.Groups(), 10))
	// Output: 0/3 nodes are available: 2 have untolerated taint dedicated=ml:NoSchedule (closest: dedicated:NoSchedule, its empty value matches only an empty value), 1 has untolerated taint node.kubernetes.io/unschedulable:NoSchedule
}
