// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

// A taint from kubectl has no timeAdded. It counts from when it was first seen.
func TestATaintWithoutTime(t *testing.T) {
	inWorld(t, fromTimeAdded, func(w *world) {
		w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s", "b:NoExecute op=Exists"))
		none := time.Time{}
		zero := taint("a:NoExecute", none)
		zero.TimeAdded = &metav1.Time{} // as decoded from protobuf
		for _, step := range []struct {
			taints []corev1.Taint
			want   time.Duration
		}{
			{nil, -1},
			{[]corev1.Taint{taint("a:NoExecute", none)}, 11 * s},
			{[]corev1.Taint{taint("a:NoExecute", none), taint("b:NoExecute", begin)}, 11 * s},
			{[]corev1.Taint{zero}, 11 * s},
			{nil, -1},
			{[]corev1.Taint{zero}, 15 * s},
			{[]corev1.Taint{taint("a=other:NoExecute", none)}, 16 * s},
			{[]corev1.Taint{taint("a=other:NoExecute", begin.Add(2*s))}, 12 * s},
		} {
			w.setNode("n", step.taints...)
			w.wantDue("web", step.want)
			w.request(key("web"))
			w.wantDue("web", step.want)
			w.pass(s)
		}
		// A new node of the same name is a different node.
		w.setNode("n", taint("a:NoExecute", none))
		w.pass(s)
		w.deleteNode("n")
		w.setNode("n", taint("a:NoExecute", none))
		w.wantDue("web", 19*s)
	})
}

// A standby replica observes taints. When it leads, it counts from when it first
// saw them.
func TestAStandby(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, fromTimeAdded)
		defer w.close()
		w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s"))
		w.addPod("spared", "m", tolerations("a:NoExecute op=Exists for 10s"))
		w.setNode("n", taint("a:NoExecute", time.Time{}))
		w.setNode("m", taint("a:NoExecute", time.Time{}))
		w.pass(4 * s)
		w.setNode("m")
		w.wantForgotten()
		w.lead()
		w.wantDue("web", 10*s)
		w.wantDue("spared", -1)
	})
}

func TestTaintsChange(t *testing.T) {
	old := &corev1.Node{ObjectMeta: metav1.ObjectMeta{UID: "1"}}
	heartbeat, tainted, another := old.DeepCopy(), old.DeepCopy(), old.DeepCopy()
	heartbeat.Status.Phase = corev1.NodeRunning
	tainted.Spec.Taints = []corev1.Taint{taint("a:NoExecute", begin)}
	another.UID = "2"
	for changed, want := range map[*corev1.Node]bool{heartbeat: false, tainted: true, another: true} {
		if got := taintsChange.Update(event.UpdateEvent{ObjectOld: old, ObjectNew: changed}); got != want {
			t.Errorf("%+v: got %v", changed, got)
		}
	}
}
