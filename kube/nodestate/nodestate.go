// SPDX-License-Identifier: Apache-2.0

// Package nodestate provides what package lifecycle needs from a node.
package nodestate

import (
	"github.com/seed-0529bac1/taints/lifecycle"
	corev1 "k8s.io/api/core/v1"
)

// Of returns a copy of a node's conditions, and whether the node is cordoned,
// for package lifecycle. The state of nil is the zero state.
func Of(node *corev1.Node) lifecycle.NodeState {
	if node == nil {
		return lifecycle.NodeState{}
	}
	return lifecycle.NodeState{
		Conditions:    Conditions(node.Status.Conditions),
		Unschedulable: node.Spec.Unschedulable,
	}
}

// Conditions returns a copy of the types and statuses of a node's conditions,
// in the same order, for package lifecycle. The copy of nil is nil.
func Conditions(list []corev1.NodeCondition) []lifecycle.Condition {
	if list == nil {
		return nil
	}
	conditions := make([]lifecycle.Condition, len(list))
	for i := range list {
		conditions[i] = lifecycle.Condition{Type: string(list[i].Type), Status: string(list[i].Status)}
	}
	return conditions
}
