// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
)

var (
	podNames  = []string{"p0", "p1", "p2", "p3", "p4"}
	nodeNames = []string{"n0", "n1"}
	keys      = []string{"a", "b", "c"}
)

func drawTolerations(t *rapid.T) []corev1.Toleration {
	var list []corev1.Toleration
	for range rapid.IntRange(0, 4).Draw(t, "tolerations") {
		spec := rapid.SampledFrom(keys).Draw(t, "key") + ":NoExecute op=Exists"
		if rapid.IntRange(0, 3).Draw(t, "forever") > 0 {
			spec += fmt.Sprintf(" for %ds", rapid.SampledFrom([]int{0, 1, 3, 5, 10}).Draw(t, "seconds"))
		}
		list = append(list, tolerations(spec)...)
	}
	if rapid.IntRange(0, 3).Draw(t, "too many") == 0 {
		list = append(fillers(), list...)
	}
	return list
}

// drawTaints returns new taints for a node. Taints that stay keep their time.
func drawTaints(t *rapid.T, before []corev1.Taint, now time.Time) []corev1.Taint {
	var list []corev1.Taint
	for _, key := range keys {
		switch rapid.IntRange(0, 4).Draw(t, key) {
		case 0:
			list = append(list, taint(key+":NoExecute", now))
		case 1:
			if i := slices.IndexFunc(before, func(b corev1.Taint) bool { return b.Key == key }); i >= 0 {
				list = append(list, before[i])
			}
		case 2:
			list = append(list, taint(key+":NoSchedule", now))
		}
	}
	return list
}

// answer returns the eviction that the library computes for the pod.
func (w *world) answer(obj *corev1.Pod) taints.Eviction {
	var n corev1.Node
	w.must(w.api.Get(context.Background(), types.NamespacedName{Name: obj.Spec.NodeName}, &n))
	policy := w.o.Policy
	policy.Arrival = obj.CreationTimestamp.Time
	for _, c := range obj.Status.Conditions {
		if c.Type == corev1.PodScheduled {
			policy.Arrival = c.LastTransitionTime.Time
		}
	}
	return policy.EvictionOf(taints.Compile(kube.Tolerations(obj.Spec.Tolerations)), kube.Taints(n.Spec.Taints), w.now())
}

// Pods and taints change at random, requests for checks arrive in any order, the API
// server sometimes fails, and the controller restarts. The controller evicts only
// pods that the library would evict. It evicts none early or twice, and forgets none.
func TestEvictionsAreTheLibrarys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// In simulated time, rapid must not ask a *testing.T for its deadline.
		rapid.Check(struct{ rapid.TB }{t}, testEvictions)
	})
}

func testEvictions(t *rapid.T) {
	w := newWorld(t, Options{
		Policy: taints.EvictionPolicy{
			FromTimeAdded: true,
			ForDevices:    rapid.Bool().Draw(t, "forDevices"),
		},
		Method:  rapid.SampledFrom([]Method{Evict, Delete}).Draw(t, "method"),
		Workers: rapid.IntRange(1, 3).Draw(t, "workers"),
	})
	defer w.close()
	failures := rapid.SliceOfN(rapid.SampledFrom([]error{nil, errors.New("no")}), 0, 6).Draw(t, "failures")
	w.fail = func(name string) error {
		obj := w.pod(name)
		if e := w.answer(obj); e.Outcome == taints.Stays || e.At.After(time.Now()) {
			t.Errorf("%s is to be evicted after %v, but the library says %+v", name, w.now().Sub(w.begin), e)
		}
		if len(failures) == 0 {
			return nil
		}
		err := failures[0]
		failures = failures[1:]
		return err
	}
	for _, n := range nodeNames {
		w.setNode(n)
	}
	w.lead()
	nodeTaints := map[string][]corev1.Taint{}
	for range rapid.IntRange(1, 30).Draw(t, "steps") {
		name := rapid.SampledFrom(podNames).Draw(t, "pod")
		switch action := rapid.IntRange(0, 7).Draw(t, "action"); action {
		case 0, 1, 2:
			if slices.ContainsFunc(w.podList(), func(p corev1.Pod) bool { return p.Name == name }) {
				w.deletePod(name)
			}
			if action < 2 {
				w.addPod(name, rapid.SampledFrom(nodeNames).Draw(t, "node"), drawTolerations(t), func(p *corev1.Pod) {
					at := metav1.NewTime(w.now())
					if rapid.Bool().Draw(t, "waited for the node") {
						p.CreationTimestamp = metav1.NewTime(at.Add(-20 * s))
						scheduled := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: at}
						p.Status.Conditions = append(p.Status.Conditions, scheduled)
					}
				})
			}
		case 3, 4:
			n := rapid.SampledFrom(nodeNames).Draw(t, "node")
			nodeTaints[n] = drawTaints(t, nodeTaints[n], w.now())
			w.setNode(n, nodeTaints[n]...)
		case 5:
			w.hold = true
		case 6:
			if len(w.held) > 0 {
				w.held = rapid.Permutation(w.held).Draw(t, "order")
			}
			w.release()
		case 7:
			w.held = nil
			w.restart()
		}
		w.pass(time.Duration(rapid.IntRange(0, 4).Draw(t, "seconds")) * s)
	}
	w.release()
	for _, obj := range w.podList() {
		want, e := time.Duration(-1), w.answer(&obj)
		if e.Outcome != taints.Stays {
			want = e.At.Sub(w.begin)
		}
		w.wantDue(obj.Name, want)
	}
	w.pass(2 * time.Minute)
	for _, obj := range w.podList() {
		if e := w.answer(&obj); e.Outcome != taints.Stays {
			t.Errorf("%s is never evicted: %+v", obj.Name, e)
		}
	}
	if n := w.c.queueLength(); n != 0 {
		t.Errorf("%v are left in the queue", n)
	}
}
