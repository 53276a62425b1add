// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

const (
	marking   = "Normal Marking for deletion Pod default/web"
	canceling = "Normal Cancelling deletion of Pod default/web"
)

// A taint is removed before the deadline of a pod that tolerates it for 10 s, after
// a failed attempt, or during the attempt.
func TestATaintThatGoes(t *testing.T) {
	for _, leave := range []func(*world){
		func(w *world) { w.setNode("n") },
		func(w *world) { w.setNode("n", taint("b:NoExecute", begin)) },
		func(w *world) { w.deleteNode("n"); w.nodeChanged("n") },
	} {
		for _, when := range []string{"before", "after", "during"} {
			inWorld(t, fromTimeAdded, func(w *world) {
				uid := w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s", "b:NoExecute op=Exists"))
				w.setNode("n", taint("a:NoExecute", begin))
				w.pass(9 * s)
				events := []string{marking, canceling}
				if when == "before" {
					leave(w)
					events = events[1:]
				}
				w.fail = func(string) error {
					w.fail = nil
					if when == "during" {
						leave(w)
					}
					return errors.New("no")
				}
				w.pass(s)
				if when == "after" {
					leave(w)
				}
				w.pass(time.Hour)
				if len(w.attempts) != len(events)-1 {
					t.Errorf("%s: attempts %v", when, w.attempts)
				}
				w.wantEvents(events...)
				w.wantCounts(map[string]float64{canceled: 1, failed: float64(len(w.attempts))})
				if w.c.nodes["n"] == nil {
					w.wantForgotten()
				}

				// The next eviction starts from scratch.
				w.fail = nil
				w.setNode("n", taint("a:NoExecute", w.now()))
				w.wantDue("web", time.Hour+20*s)
				w.pass(11 * s)
				w.wantEvicted(uid, time.Hour+20*s)
				w.wantEvents(append(events, marking)...)
			})
		}
	}
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
