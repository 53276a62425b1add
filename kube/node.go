package kube

import (
	"github.com/seed-0529bac1/taints/lifecycle"
	corev1 "k8s.io/api/core/v1"
)

// NodeState returns what a node's taints follow from, for package lifecycle: its
// conditions and whether it is cordoned. It is a copy. Nil gives the zero state.
func NodeState(node *corev1.Node) lifecycle.NodeState {
	if node == nil {
		return lifecycle.NodeState{}
	}
	return lifecycle.NodeState{
		Conditions:    NodeConditions(node.Status.Conditions),
		Unschedulable: node.Spec.Unschedulable,
	}
}

// NodeConditions returns the types and statuses of a node's conditions, for
// package lifecycle. It is a copy in the same order; nil stays nil.
func NodeConditions(list []corev1.NodeCondition) []lifecycle.Condition {
	if list == nil {
		return nil
	}
	conditions := make([]lifecycle.Condition, len(list))
	for i := range list {
		conditions[i] = lifecycle.Condition{Type: string(list[i].Type), Status: string(list[i].Status)}
	}
	return conditions
}
