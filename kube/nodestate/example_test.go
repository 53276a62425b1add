// SPDX-License-Identifier: Apache-2.0

package nodestate_test

import (
	"fmt"
	"time"

	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/kube/nodestate"
	"github.com/seed-0529bac1/taints/lifecycle"
	corev1 "k8s.io/api/core/v1"
)

// A node whose kubelet has stopped reporting is tainted as unreachable.
func ExampleOf() {
	node := corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
		{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, Reason: "NodeStatusUnknown"},
	}}}

	now := time.Date(2026, 11, 21, 1, 24, 15, 0, time.UTC)
	changes := lifecycle.DefaultConditionRules().Reconcile(kube.Taints(node.Spec.Taints), nodestate.Of(&node), now)
	list, _ := changes.Apply(kube.Taints(node.Spec.Taints))
	node.Spec.Taints = kube.CoreTaints(list)

	for _, taint := range node.Spec.Taints {
		fmt.Println(taint.ToString(), taint.TimeAdded)
	}
	// Output:
	// node.kubernetes.io/unreachable:NoSchedule 2026-11-21 01:24:15 +0000 UTC
	// node.kubernetes.io/unreachable:NoExecute 2026-11-21 01:24:15 +0000 UTC
}
