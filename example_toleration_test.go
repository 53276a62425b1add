// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-0529bac1/taints"
)

func ExampleToleration_Covers() {
	gpu := taints.MustParseToleration("nvidia.com/gpu:NoSchedule op=Exists")
	fmt.Println(gpu.Covers(taints.MustParseToleration("nvidia.com/gpu=a100:NoSchedule")))
	fmt.Println(gpu.Covers(taints.MustParseToleration("nvidia.com/gpu=a100:NoExecute")))

	score := taints.MustParseToleration("score=60 op=Gt")
	fmt.Println(score.Covers(taints.MustParseToleration("score=75 op=Gt")))

	short := taints.MustParseToleration("maintenance:NoExecute op=Exists for 60s")
	fmt.Println(short.Covers(taints.MustParseToleration("maintenance:NoExecute op=Exists for 600s")))
	// Output:
	// true
	// false
	// true
	// false
}

func ExampleOptions_Covers() {
	readiness := taints.Toleration{Key: "readiness.k8s.io/*", Operator: taints.OpExists}
	network := taints.Toleration{Key: "readiness.k8s.io/network", Operator: taints.OpExists}
	fmt.Println(taints.Options{KeyWildcards: true}.Covers(readiness, network))
	fmt.Println(taints.Options{}.Covers(readiness, network))
	// Output:
	// true
	// false
}

// A pod that says how long it stays keeps that; what it says nothing about comes
// from its namespace.
func ExampleMerge() {
	pod := []taints.Toleration{
		taints.MustParseToleration("tenant=a:NoSchedule"),
		taints.MustParseToleration("node.kubernetes.io/unreachable:NoExecute op=Exists for 20s"),
	}
	namespace := []taints.Toleration{
		taints.MustParseToleration("tenant=shared:NoSchedule"),
		taints.MustParseToleration("node.kubernetes.io/unreachable:NoExecute op=Exists for 600s"),
	}
	for _, t := range taints.Merge(pod, namespace) {
		fmt.Println(t)
	}
	// Output:
	// tenant=a:NoSchedule
	// node.kubernetes.io/unreachable:NoExecute op=Exists for 20s
	// tenant=shared:NoSchedule
}

// A chart has collected tolerations over the years.
func ExampleMinimize() {
	for _, t := range taints.Minimize([]taints.Toleration{
		taints.MustParseToleration("nvidia.com/gpu=a100:NoSchedule"),
		taints.MustParseToleration("nvidia.com/gpu=h100:NoSchedule"),
		taints.MustParseToleration("dedicated=ml:NoSchedule"),
		taints.MustParseToleration("nvidia.com/gpu op=Exists"),
	}) {
		fmt.Println(t)
	}
	// Output:
	// dedicated=ml:NoSchedule
	// nvidia.com/gpu op=Exists
}

// A namespace may use the GPU nodes, and stay on a failed node for ten minutes.
func ExampleValidateAllowed() {
	allow := []taints.Toleration{
		taints.MustParseToleration("nvidia.com/gpu:NoSchedule op=Exists"),
		taints.MustParseToleration("node.kubernetes.io/unreachable:NoExecute op=Exists for 600s"),
	}
	pod := []taints.Toleration{
		taints.MustParseToleration("nvidia.com/gpu=a100:NoSchedule"),
		taints.MustParseToleration("node.kubernetes.io/unreachable:NoExecute op=Exists"),
	}
	fmt.Println(taints.ValidateAllowed(pod, allow))
	// Output: tolerations[1]: "node.kubernetes.io/unreachable:NoExecute op=Exists" is forbidden: no entry of the allow-list tolerates as much for as long
}

// An admission webhook in place of the PodTolerationRestriction plugin: a pod that
// is created gets the defaults of its namespace; every pod gets what its QoS class
// brings; an update takes nothing away; and the outcome must be allowed.
func Example_admission() {
	namespace := struct{ defaults, allow []taints.Toleration }{
		defaults: []taints.Toleration{taints.MustParseToleration("tenant=blue:NoSchedule")},
		allow: []taints.Toleration{
			taints.MustParseToleration("tenant=blue:NoSchedule"),
			taints.MustParseToleration("node.kubernetes.io/memory-pressure op=Exists"),
			taints.MustParseToleration("maintenance:NoExecute op=Exists for 3600s"),
		},
	}
	admit := func(old, pod []taints.Toleration, create, bestEffort bool) ([]taints.Toleration, error) {
		if err := taints.ValidateTolerations(pod); err != nil {
			return nil, err
		}
		if create {
			pod = taints.Merge(pod, namespace.defaults)
		}
		if !bestEffort {
			pod = taints.AddMemoryPressure(pod)
		}
		if !create {
			if err := taints.ValidateTolerationsUpdate(old, pod); err != nil {
				return nil, err
			}
		}
		return pod, taints.ValidateAllowed(pod, namespace.allow)
	}

	pod, err := admit(nil, []taints.Toleration{
		taints.MustParseToleration("maintenance:NoExecute op=Exists for 600s"),
	}, true, false)
	for _, t := range pod {
		fmt.Println(t)
	}
	fmt.Println(err)
	longer := append([]taints.Toleration{
		taints.MustParseToleration("maintenance:NoExecute op=Exists for 7200s"),
	}, pod[1:]...)
	_, err = admit(pod, longer, false, false)
	fmt.Println(err)
	_, err = admit(pod, pod[:2], false, true)
	fmt.Println(err)
	// Output:
	// maintenance:NoExecute op=Exists for 600s
	// tenant=blue:NoSchedule
	// node.kubernetes.io/memory-pressure:NoSchedule op=Exists
	// <nil>
	// tolerations[0]: "maintenance:NoExecute op=Exists for 7200s" is forbidden: no entry of the allow-list tolerates as much for as long
	// tolerations: "node.kubernetes.io/memory-pressure:NoSchedule op=Exists" is forbidden: an existing toleration cannot be removed or changed, except its tolerationSeconds
}

// A pod's list and its namespace's become the shortest list that means the same
// as both: what MergeTolerations in Kubernetes is for.
func ExampleMinimize_merge() {
	pod := []taints.Toleration{
		taints.MustParseToleration("gpu=a100:NoSchedule"),
		taints.MustParseToleration("tenant=blue:NoSchedule"),
	}
	namespace := []taints.Toleration{
		taints.MustParseToleration("gpu op=Exists"),
		taints.MustParseToleration("tenant=blue:NoSchedule"),
	}
	fmt.Println(taints.Minimize(taints.Merge(pod, namespace)))
	// Output: [tenant=blue:NoSchedule gpu op=Exists]
}

// A controller does not roll out a template whose tolerations were only sorted.
func ExampleSameTolerations() {
	before := []taints.Toleration{
		taints.MustParseToleration("gpu op=Exists"),
		taints.MustParseToleration("gpu=a100:NoSchedule"),
		taints.MustParseToleration("tenant=blue:NoSchedule"),
	}
	after := []taints.Toleration{
		{Key: "tenant", Operator: taints.OpEqual, Value: "blue", Effect: taints.NoSchedule},
		taints.MustParseToleration("gpu op=Exists"),
	}
	fmt.Println(taints.SameTolerations(before, after))
	fmt.Println(taints.SameTolerations(before, after[1:]))
	// Output:
	// true
	// false
}

func ExampleOptions_ParseToleration() {
	wildcards := taints.Options{KeyWildcards: true}
	t, err := wildcards.ParseToleration("readiness.k8s.io/*:NoSchedule op=Exists")
	fmt.Println(t, err)
	// Output: readiness.k8s.io/*:NoSchedule op=Exists <nil>
}

// A list of strangers is sorted before it is compared or stored.
func ExampleToleration_Compare() {
	list := []taints.Toleration{
		taints.MustParseToleration("spot op=Exists"),
		taints.MustParseToleration("dedicated=ml:NoSchedule"),
		taints.MustParseToleration("op=Exists"),
	}
	slices.SortFunc(list, taints.Toleration.Compare)
	fmt.Println(list)
	// Output: [op=Exists dedicated=ml:NoSchedule spot op=Exists]
}

// A pod of Kubernetes decodes as it is.
func ExampleToleration() {
	var pod struct {
		Spec struct {
			Tolerations []taints.Toleration `json:"tolerations"`
		} `json:"spec"`
	}
	err := json.Unmarshal([]byte(`{"spec": {"tolerations": [
		{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
		{"key": "maintenance", "operator": "Exists", "tolerationSeconds": 600}]}}`), &pod)
	fmt.Println(err)
	for _, toleration := range pod.Spec.Tolerations {
		fmt.Println(toleration)
	}
	// Output:
	// <nil>
	// nvidia.com/gpu:NoSchedule op=Exists
	// maintenance op=Exists for 600s
}

// Four ways to tolerate a node by its failure score.
func ExampleOperator() {
	node := taints.MustParseTaint("failure-score=5:NoSchedule")
	for _, operator := range []taints.Operator{
		taints.OpEqual,
		taints.OpExists,
		taints.OpLt,
		taints.OpGt,
	} {
		toleration := taints.Toleration{Key: "failure-score", Operator: operator}
		if operator != taints.OpExists {
			toleration.Value = "6"
		}
		fmt.Println(operator, toleration.Tolerates(node))
	}
	// Output:
	// Equal false
	// Exists true
	// Lt true
	// Gt false
}
