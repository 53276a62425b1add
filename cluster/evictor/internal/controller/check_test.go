// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// A taint replaces another, and then the controller restarts.
func TestKeepTimers(t *testing.T) {
	for name, tc := range map[string]struct {
		o                   Options
		replaced, restarted time.Duration
	}{
		"the newest taint counts":  {fromTimeAdded, 18 * s, 18 * s},
		"the first deadline stays": {with(func(o *Options) { o.KeepTimers = true }), 10 * s, 18 * s},
		"as Kubernetes":            {Options{KeepTimers: true, Method: Evict}, 10 * s, 19 * s},
		"from each change":         {Options{Method: Evict}, 18 * s, 19 * s},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, tc.o, func(w *world) {
				uid := w.addPod("web", "n", tolerations("node.kubernetes.io/not-ready:NoExecute op=Exists for 10s",
					"node.kubernetes.io/unreachable:NoExecute op=Exists for 10s"))
				w.setNode("n", taint("node.kubernetes.io/not-ready:NoExecute", begin))
				w.pass(8 * s)
				unreachable := taint("node.kubernetes.io/unreachable:NoExecute", w.now())
				w.setNode("n", unreachable)
				w.wantDue("web", tc.replaced)
				w.pass(s)
				w.setNode("n", unreachable, taint("b:NoSchedule", w.now())) // which evicts no pod
				w.wantDue("web", tc.replaced)
				w.restart()
				w.wantDue("web", tc.restarted)
				w.pass(time.Minute)
				w.wantEvicted(uid, tc.restarted)
			})
		})
	}
}

// Pods that wait for a node are not in the cache. Finished pods are evicted as
// others, as Kubernetes' controller does.
func TestPodsThatDoNotRun(t *testing.T) {
	inWorld(t, fromTimeAdded, func(w *world) {
		w.addPod("waits", "", nil)
		if err := w.c.client.Get(t.Context(), key("waits"), &corev1.Pod{}); !apierrors.IsNotFound(err) {
			t.Errorf("a pod without a node: %v", err)
		}
		slow := func(p *corev1.Pod) { p.Finalizers = []string{"example.com/slow"} }
		w.addPod("deleted", "n", nil, slow)
		w.deletePod("deleted")
		w.addPod("ends", "n", tolerations("a:NoExecute op=Exists for 10s"))
		w.addPod("evicted", "n", nil, slow)
		w.setNode("n", taint("a:NoExecute", begin))
		w.wantDue("ends", 10*s)
		w.changePod("ends", func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded })
		w.addPod("failed", "n", nil, func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed })
		w.settle()
		w.restart()
		w.pass(time.Hour)
		w.wantAttempts("evicted failed ends")
	})
}

func TestNewTolerations(t *testing.T) {
	inWorld(t, Options{Method: Evict}, func(w *world) {
		for _, name := range []string{"stays", "more", "same"} {
			w.addPod(name, "n", tolerations("a:NoExecute op=Exists for 10s"))
		}
		w.setNode("n", taint("a:NoExecute", begin))
		w.pass(3 * s)
		for name, spec := range map[string]string{
			"stays": "a:NoExecute op=Exists",
			"more":  "a:NoExecute op=Exists for 20s",
			"same":  "a:NoExecute op=Exists for 10s",
		} {
			w.changePod(name, func(p *corev1.Pod) { p.Spec.Tolerations = tolerations(spec) })
		}
		w.wantDue("stays", -1)
		w.wantDue("more", 23*s) // from when these tolerations were seen
		w.wantDue("same", 10*s)
	})
}

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

// An operator or effect of a newer version of Kubernetes evicts no pod.
func TestNewerVersions(t *testing.T) {
	inWorld(t, fromTimeAdded, func(w *world) {
		newer := func(key string, operator corev1.TolerationOperator, effect corev1.TaintEffect) []corev1.Toleration {
			return append([]corev1.Toleration{{Key: key, Operator: operator, Value: "x", Effect: effect}}, tolerations("a:NoExecute op=Exists for 10s")...)
		}
		w.addPod("operator", "n", newer("a", "Glob", "NoExecute"))
		w.addPod("any-key", "n", newer("", "Glob", ""))
		w.addPod("effect", "n", newer("a", "Exists", "NoExecuteSoon"))
		w.addPod("other-key", "n", newer("b", "Glob", "NoExecute"))
		w.addPod("old", "m", nil)
		w.setNode("m", corev1.Taint{Key: "a", Effect: "NoExecuteSoon"})
		w.setNode("n", taint("a:NoExecute", begin))
		w.pass(time.Hour)
		w.wantAttempts("other-key")
		w.wantLog("Evicts no pod for an operator or effect that only a newer version may understand", 4) // a standby logs the node
		if got := w.c.notUnderstood(); got != 4 {                                                        // three pods are left, and a node
			t.Errorf("%v are not understood", got)
		}
		w.setNode("m")
		w.setNode("n")
		w.settle()
		if got := w.c.notUnderstood(); got != 0 {
			t.Errorf("%v are still not understood", got)
		}
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
