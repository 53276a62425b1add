// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-0529bac1/taints"
)

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
