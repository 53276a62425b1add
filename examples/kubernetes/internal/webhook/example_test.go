// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
	"fmt"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/webhook"
)

// Which of the pods that run already would not be let in again?
func ExamplePolicy_Audit() {
	rules, err := webhook.ParseRules([]byte(`{
		"cluster":    {"allowedTolerations": []},
		"namespaces": {"ml": {"allowedTolerations": [{"key": "dedicated", "value": "ml"}]}},
		"dedications": [{
			"name":         "ml-nodes",
			"namespaces":   ["ml"],
			"tolerations":  [{"key": "dedicated", "value": "ml"}],
			"nodeSelector": {"pool": "ml"}
		}]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	policy := &webhook.Policy{Rules: rules}

	pod := []byte(`{
		"apiVersion": "v1",
		"kind":       "Pod",
		"metadata":   {"name": "train"},
		"spec": {
			"nodeSelector": {"pool": "cpu"},
			"tolerations":  [{"key": "dedicated", "value": "ml"}]
		}
	}`)
	for _, namespace := range []string{"ml", "web"} {
		for _, why := range policy.Audit(namespace, pod) {
			fmt.Println(namespace, why)
		}
	}
	// Output:
	// ml would be refused: dedication "ml-nodes" sends the pod to nodes with pool=ml, but its nodeSelector has pool=cpu (dedication)
	// web tolerations[0]: dedicated=ml would be refused (not-allowed)
}
