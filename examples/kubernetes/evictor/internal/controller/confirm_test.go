// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func (w *world) node(name string) *corev1.Node {
	w.t.Helper()
	obj := &corev1.Node{}
	w.must(w.api.Get(context.Background(), client.ObjectKey{Name: name}, obj))
	return obj
}

// A replica that was stopped for a while has old taints in its cache, and another
// one may lead. It evicts no pod until its cache is up to date and its lease renewed.
func TestAnOldCache(t *testing.T) {
	same, moved := taint("a:NoExecute", begin), taint("a:NoExecute", begin.Add(time.Minute))
	for name, tc := range map[string]struct {
		taints                   []corev1.Taint // of the node now
		another, keep, follows   bool
		wantStale, wantEvictions int
	}{
		"no taint":             {nil, false, false, false, 11, 0}, // twice a second
		"another effect":       {[]corev1.Taint{taint("a:NoSchedule", begin)}, false, false, false, 11, 0},
		"a later taint":        {[]corev1.Taint{moved}, false, false, false, 11, 1},
		"another node":         {[]corev1.Taint{same}, true, false, false, 11, 1},
		"another leader":       {[]corev1.Taint{same}, false, false, true, 11, 1},
		"a timer that is kept": {[]corev1.Taint{moved}, false, true, false, 0, 1},
		"the cache is not old": {[]corev1.Taint{same}, false, false, false, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			follows := tc.follows
			inWorld(t, with(func(o *Options) { o.KeepTimers, o.Leads = tc.keep, func() bool { return !follows } }), func(w *world) {
				w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s"))
				w.setNode("n", same)
				w.pass(5 * s)
				w.old = w.node("n")
				if tc.another {
					w.deleteNode("n")
				}
				w.setNode("n", tc.taints...)
				w.pass(10 * s)
				w.wantCounts(map[string]float64{stale: float64(tc.wantStale), done: float64(min(len(w.attempts), 1))})
				if early := len(w.attempts) > 0; early != (tc.wantStale == 0) || early != (len(w.events) > 0) {
					t.Errorf("attempts: %v, events: %v", w.attempts, w.events)
				}
				follows, w.old = false, nil
				w.nodeChanged("n")
				w.pass(time.Hour)
				if len(w.attempts) != tc.wantEvictions {
					t.Errorf("attempts: %v", w.attempts)
				}
			})
		})
	}
}

// A PodDisruptionBudget holds a pod back. After a time the pod is deleted all the same,
// if its node has failed and that alone would have evicted it.
func TestDeleteHeldAfter(t *testing.T) {
	const after = 5 * time.Minute
	failed := taint("node.kubernetes.io/unreachable:NoExecute", begin)
	type cluster struct {
		taints      []corev1.Taint
		ready       corev1.ConditionStatus
		tolerations string
		others      int   // nodes that failed too
		err         error // of the eviction
		after       time.Duration
		stays       bool
	}
	for name, change := range map[string]func(*cluster){
		"a failed node": func(*cluster) {},
		"not ready":     func(c *cluster) { c.taints[0].Key, c.ready = corev1.TaintNodeNotReady, corev1.ConditionFalse },
		"two budgets":   func(c *cluster) { c.err = errors.New("This pod has more than one PodDisruptionBudget, which …") },
		"some others":   func(c *cluster) { c.others = 2 },
		"most nodes":    func(c *cluster) { c.others, c.stays = 5, true },
		"it is back":    func(c *cluster) { c.ready, c.stays = corev1.ConditionTrue, true },
		"never":         func(c *cluster) { c.after, c.stays = 0, true },
		"another error": func(c *cluster) { c.err, c.stays = apierrors.NewTooManyRequests("later", 0), true },
		"maintenance":   func(c *cluster) { c.taints[0].Key, c.stays = "maintenance", true },
		"maintenance too": func(c *cluster) {
			c.taints = append(c.taints, taint("maintenance:NoExecute", begin))
			c.tolerations, c.stays = failed.Key+":NoExecute op=Exists", true
		},
	} {
		tc := cluster{[]corev1.Taint{failed}, corev1.ConditionUnknown, ":NoExecute op=Exists for 10s", 0, disrupts("no", 0), after, false}
		change(&tc)
		t.Run(name, func(t *testing.T) {
			inWorld(t, with(func(o *Options) { o.DeleteHeldAfter = tc.after }), func(w *world) {
				for i := range 4 {
					w.setNode(fmt.Sprint("ready-", i))
				}
				for i := range tc.others {
					w.setNode(fmt.Sprint("failed-", i), taint(failed.Key+":NoSchedule", begin))
				}
				uid := w.addPod("web", "n", tolerations(tc.tolerations))
				w.setNode("n")
				n := w.node("n")
				n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: tc.ready}}
				w.must(w.api.Status().Update(t.Context(), n))
				w.fail = func(name string) error {
					if len(w.pod(name).Status.Conditions) > 0 { // DisruptionTarget, so it is deleted
						return nil
					}
					return tc.err
				}
				w.setNode("n", tc.taints...)
				w.pass(10*s + after - 1)
				if len(w.evicted) > 0 {
					t.Error("the pod is deleted too early")
				}
				w.pass(lastRetry * 3 / 2)
				event := "Warning Deleting Pod default/web on a failed node, due since 2000-01-01T00:00:10Z, although a PodDisruptionBudget holds it back: "
				_, got := w.evicted[uid]
				if got == tc.stays || got != (w.events[len(w.events)-1] == event+refusal(tc.err)) {
					t.Errorf("deleted: %v, and the events are %q", got, w.events)
				}
			})
		})
	}
}
