// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

// A time of zero is none: protobuf may have it, and JSON has not.
func TestZeroTimeAdded(t *testing.T) {
	zero := corev1.Taint{Key: "a", Effect: corev1.TaintEffectNoExecute, TimeAdded: &metav1.Time{}}
	list := noExecute(&corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{zero}}}, nil, begin)
	if !list[0].TimeAdded.Equal(begin) {
		t.Errorf("it was added at %v", list[0].TimeAdded)
	}
}

func TestTaintsChange(t *testing.T) {
	old := &corev1.Node{ObjectMeta: metav1.ObjectMeta{UID: "1"}}
	heartbeat, tainted, another := old.DeepCopy(), old.DeepCopy(), old.DeepCopy()
	heartbeat.Status.Phase = corev1.NodeRunning
	tainted.Spec.Taints = []corev1.Taint{taint("a:NoExecute", begin)}
	another.UID = "2"
	for _, isInitial := range []bool{false, true} {
		if taintsChange.Create(event.CreateEvent{Object: old, IsInInitialList: isInitial}) == isInitial {
			t.Errorf("a new node, in the initial list %v", isInitial)
		}
	}
	for changed, want := range map[*corev1.Node]bool{heartbeat: false, tainted: true, another: true} {
		if got := taintsChange.Update(event.UpdateEvent{ObjectOld: old, ObjectNew: changed}); got != want {
			t.Errorf("%+v: got %v", changed, got)
		}
	}
}
