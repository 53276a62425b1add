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
