// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
	"fmt"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/internal/webhook"
)

// Which of the pods that run already would not be let in again?
func ExamplePolicy_Allowed() {
	rules, err := webhook.ParseRules([]byte(`{
		"cluster":    {"allowedTolerations": []},
		"namespaces": {"ml": {"allowedTolerations": [{"key": "dedicated", "value": "ml"}]}}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	policy := &webhook.Policy{Rules: rules}

	pod := []taints.Toleration{
		taints.MustParseToleration("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"),
		taints.MustParseToleration("nvidia.com/gpu:NoSchedule op=Exists"),
		taints.MustParseToleration("dedicated=ml:NoSchedule"),
	}
	for _, namespace := range []string{"ml", "web"} {
		if err := taints.ValidateAllowed(pod, policy.Allowed(namespace, true, "nvidia.com/gpu")); err != nil {
			fmt.Println(namespace, err)
		}
	}
	// Output:
	// web tolerations[2]: "dedicated=ml:NoSchedule" is forbidden: no entry of the allow-list tolerates as much for as long
}
