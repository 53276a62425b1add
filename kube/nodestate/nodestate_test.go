// SPDX-License-Identifier: Apache-2.0

package nodestate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints/kube/nodestate"
	"github.com/seed-0529bac1/taints/lifecycle"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestConditions(t *testing.T) {
	if got := nodestate.Conditions(nil); got != nil {
		t.Errorf("nil gives %v", got)
	}
	if got := nodestate.Conditions([]corev1.NodeCondition{}); got == nil || len(got) != 0 {
		t.Errorf("an empty list gives %#v", got)
	}
	node := []corev1.NodeCondition{
		{
			Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: "KubeletNotReady",
			LastHeartbeatTime: metav1.Unix(1, 0),
		},
		{Type: "", Status: "\xff"},
	}
	got := nodestate.Conditions(node)
	node[0].Type = corev1.NodeMemoryPressure
	want := []lifecycle.Condition{{Type: "Ready", Status: "False"}, {Status: "\xff"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOf(t *testing.T) {
	ready := corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}
	for _, test := range []struct {
		node *corev1.Node
		want lifecycle.NodeState
	}{
		{nil, lifecycle.NodeState{}},
		{&corev1.Node{}, lifecycle.NodeState{}},
		{&corev1.Node{Status: ready}, lifecycle.NodeState{Conditions: []lifecycle.Condition{{Type: "Ready", Status: "True"}}}},
		{&corev1.Node{Spec: corev1.NodeSpec{Unschedulable: true}}, lifecycle.NodeState{Unschedulable: true}},
	} {
		if diff := cmp.Diff(test.want, nodestate.Of(test.node)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.node, diff)
		}
	}
	if allocs := testing.AllocsPerRun(100, func() { nodestate.Of(&corev1.Node{Status: ready}) }); allocs > 1 {
		t.Errorf("%v allocations, want one for the conditions", allocs)
	}
}

// Package lifecycle uses the names that Kubernetes has for conditions and
// taints.
func TestConditionNames(t *testing.T) {
	for _, test := range []struct {
		condition corev1.NodeConditionType
		status    corev1.ConditionStatus
		key       string
	}{
		{corev1.NodeReady, corev1.ConditionFalse, corev1.TaintNodeNotReady},
		{corev1.NodeReady, corev1.ConditionUnknown, corev1.TaintNodeUnreachable},
		{corev1.NodeMemoryPressure, corev1.ConditionTrue, corev1.TaintNodeMemoryPressure},
		{corev1.NodeDiskPressure, corev1.ConditionTrue, corev1.TaintNodeDiskPressure},
		{corev1.NodePIDPressure, corev1.ConditionTrue, corev1.TaintNodePIDPressure},
		{corev1.NodeNetworkUnavailable, corev1.ConditionTrue, corev1.TaintNodeNetworkUnavailable},
	} {
		node := corev1.Node{Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{{Type: test.condition, Status: test.status}},
		}}
		if got := lifecycle.ConditionTaints(nodestate.Of(&node)); len(got) == 0 || got[0].Key != test.key {
			t.Errorf("%s %s gives %v, want %s", test.condition, test.status, got, test.key)
		}
	}
	cordoned := corev1.Node{Spec: corev1.NodeSpec{Unschedulable: true}}
	if got := lifecycle.ConditionTaints(nodestate.Of(&cordoned)); len(got) != 1 ||
		got[0].Key != corev1.TaintNodeUnschedulable {
		t.Errorf("a cordoned node has %v", got)
	}
}
