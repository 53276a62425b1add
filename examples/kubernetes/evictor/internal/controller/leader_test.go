// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
)

// A replica that stands by asks for nothing, however much happens, and when it leads
// it knows of all that is pending.
func TestAStandby(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	w.standBy(w.clock)
	for _, n := range []string{"n", "was-tainted", "gone"} {
		w.noteNode(n, taint("a:NoExecute", begin))
	}
	for i := range 1000 {
		obj := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprint("pod-", i)},
			Spec:       corev1.PodSpec{NodeName: "n"},
		}
		w.podEvents().created(obj)
		w.podEvents().deleted(obj)
	}
	ten := tolerations("a:NoExecute op=Exists for 10s")
	for pod, node := range map[string]string{"early": "n", "changed": "n", "spared": "was-tainted", "left": "gone"} {
		w.newPod(pod, node, ten)
		w.podEvents().created(w.pod(pod))
	}
	before := w.pod("changed")
	after := before.DeepCopy()
	after.Spec.Tolerations = tolerations("a:NoExecute op=Exists for 20s")
	w.must(w.client.Update(context.Background(), after))
	w.podEvents().updated(before, after)
	w.noteNode("was-tainted")
	w.dropNode("gone")
	if n := len(w.requests.list); n != 0 {
		t.Fatalf("it asks for %d checks", n)
	}

	w.must(w.c.lead(context.Background()))
	w.wantDue("early", 10*s)
	w.wantDue("changed", 20*s)
	w.wantDue("spared", -1)
	w.wantDue("left", -1)
	w.newPod("next", "n", tolerations("a:NoExecute op=Exists for 30s"))
	w.podEvents().created(w.pod("next"))
	w.reconcile()
	w.wantDue("next", 30*s)
	if n := w.c.queueLength(); n != 3 {
		t.Errorf("%v evictions are pending, want 3", n)
	}
}

// What happens while a replica begins to lead is either seen by it or asked for.
func TestChangesWhileAReplicaBeginsToLead(t *testing.T) {
	ten := tolerations("a:NoExecute op=Exists for 10s")
	for name, change := range map[string]func(*world){
		"a pod comes": func(w *world) {
			w.newPod("web", "n", ten)
			w.podEvents().created(w.pod("web"))
		},
		"a node is tainted": func(w *world) { w.noteNode("m", taint("a:NoExecute", begin)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, fromTimeAdded)
			w.standBy(w.clock)
			w.noteNode("n", taint("a:NoExecute", begin))
			if name != "a pod comes" {
				w.newPod("web", "m", ten)
			}
			w.afterList = func() {
				w.afterList = nil
				change(w)
			}
			w.must(w.c.lead(context.Background()))
			if w.afterList != nil {
				t.Fatal("nothing has changed yet")
			}
			w.reconcile()
			w.wantDue("web", 10*s)
		})
	}
}

// A replica that cannot know what is pending does not lead.
func TestALeaderThatCannotReadItsCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, fromTimeAdded)
		w.standBy(clock.RealClock{})
		w.newPod("web", "n", nil)
		w.noteNode("n", taint("a:NoExecute", begin))
		w.unreadable = errors.New("not started")
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := w.c.Start(ctx); !errors.Is(err, w.unreadable) {
			t.Errorf("it ends with %v", err)
		}
	})
}
