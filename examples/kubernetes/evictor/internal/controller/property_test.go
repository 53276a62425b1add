// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

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
	return list
}

// drawTaints returns other taints for a node; those that stay keep their time.
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

// answer is what the library says about the pod, as the API server has it now.
func (w *world) answer(obj *corev1.Pod) taints.Eviction {
	var n corev1.Node
	w.must(w.client.Get(context.Background(), types.NamespacedName{Name: obj.Spec.NodeName}, &n))
	policy := w.o.Policy
	policy.Arrival = obj.CreationTimestamp.Time
	return policy.EvictionOf(kube.Taints(n.Spec.Taints), kube.Tolerations(obj.Spec.Tolerations), w.now())
}

func (w *world) podList() []corev1.Pod {
	var list corev1.PodList
	w.must(w.client.List(context.Background(), &list))
	return list.Items
}

// Whatever happens, and in whatever order the controller checks the pods, with an
// API server that fails now and then and a controller that is started anew: no pod
// is evicted that the library would not evict, none before its time, none twice, and
// in the end nobody is forgotten.
func TestEvictionsAreTheLibrarys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, Options{
			Policy: taints.EvictionPolicy{
				FromTimeAdded: true,
				Select: rapid.SampledFrom([]taints.Selection{
					taints.FirstMatch,
					taints.LongestMatch, taints.ShortestMatch,
				}).Draw(t, "select"),
			},
			Method: rapid.SampledFrom([]Method{Evict, Delete}).Draw(t, "method"),
		})
		nodeTaints := map[string][]corev1.Taint{}
		for _, n := range nodeNames {
			w.setNode(n)
		}
		failures := false
		w.fail = func(name string) error {
			for _, obj := range w.podList() {
				if e := w.answer(&obj); obj.Name == name && (e.Outcome == taints.Stays || e.At.After(w.now())) {
					t.Fatalf("%s is to be evicted after %v, but the library says %+v", name, w.now().Sub(begin), e)
				}
			}
			if failures && rapid.IntRange(0, 2).Draw(t, "fails") == 0 {
				return errors.New("no")
			}
			return nil
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			name := rapid.SampledFrom(podNames).Draw(t, "pod")
			exists := slices.ContainsFunc(w.podList(), func(p corev1.Pod) bool { return p.Name == name })
			switch rapid.IntRange(0, 8).Draw(t, "action") {
			case 0, 1:
				if exists {
					w.deletePod(name)
				}
				w.newPod(name, rapid.SampledFrom(nodeNames).Draw(t, "node"), drawTolerations(t))
				w.requests.Add(reconcile.Request{NamespacedName: key(name)})
			case 2:
				if exists {
					w.deletePod(name)
					w.requests.Add(reconcile.Request{NamespacedName: key(name)})
				}
			case 3, 4:
				n := rapid.SampledFrom(nodeNames).Draw(t, "node")
				nodeTaints[n] = drawTaints(t, nodeTaints[n], w.now())
				w.noteNode(n, nodeTaints[n]...)
			case 5:
				w.someRequests(t)
			case 6:
				w.restart()
			case 7:
				w.requests.list = nil
				w.standBy(w.clock)
				w.tellNodes()
				w.must(w.c.lead(context.Background()))
			case 8:
				failures = rapid.Bool().Draw(t, "failures")
			}
			// Time passes, and what is due is evicted, but not every request is met.
			w.passWithoutChecks(time.Duration(rapid.IntRange(0, 4).Draw(t, "seconds")) * s)
		}

		w.reconcile()
		w.runDue()
		for _, obj := range w.podList() {
			p, e := w.c.pods[key(obj.Name)], w.answer(&obj)
			switch due := w.due(obj.Name); {
			case e.Outcome == taints.Stays:
				w.wantDue(obj.Name, -1)
			case p == nil || due < 0:
				t.Fatalf("%s is forgotten: %+v", obj.Name, e)
			case p.failures > 0:
				if due != p.retry.Sub(begin) && due != e.At.Sub(begin) {
					t.Fatalf("%s, which failed, is due after %v: %+v", obj.Name, due, p)
				}
			case due != e.At.Sub(begin):
				t.Fatalf("%s is due after %v, the library says %v", obj.Name, due, e.At.Sub(begin))
			}
		}
		failures = false
		w.pass(time.Hour)
		for _, obj := range w.podList() {
			if e := w.answer(&obj); e.Outcome != taints.Stays {
				t.Fatalf("%s is never evicted: %+v", obj.Name, e)
			}
		}
		if n := w.c.queueLength(); n != 0 {
			t.Fatalf("%v are left in the queue", n)
		}
	})
}

// someRequests meets some of the requests, in some order.
func (w *world) someRequests(t *rapid.T) {
	all := rapid.Permutation(w.requests.list).Draw(t, "order")
	if len(all) == 0 {
		return
	}
	n := rapid.IntRange(0, len(all)).Draw(t, "met")
	w.requests.list = all[:n]
	w.reconcile()
	w.requests.list = all[n:]
}

// passWithoutChecks is pass with a controller that is too busy to check pods,
// except at those that are due.
func (w *world) passWithoutChecks(d time.Duration) {
	for end := w.now().Add(d); ; {
		for p := w.c.pop(context.Background()); p != nil; p = w.c.pop(context.Background()) {
			w.c.attempt(context.Background(), p)
			w.requests.Add(reconcile.Request{NamespacedName: p.NamespacedName})
		}
		if at, ok := w.c.nextTry(); ok && !at.After(end) {
			w.clock.SetTime(at)
			continue
		}
		w.clock.SetTime(end)
		return
	}
}

// stock is what Kubernetes' taint-eviction controller remembers (processPodOnNode
// and what it calls, in plain words): since when each eviction is pending, and when
// it is due.
type stock struct {
	pending map[string]timer
	nodes   map[string][]corev1.Taint
}

type timer struct{ created, fires time.Time }

func (m *stock) process(obj *corev1.Pod, now time.Time) {
	name, list := obj.Name, m.nodes[obj.Spec.NodeName]
	least, forever := int64(0), true
	for i := range list {
		if list[i].Effect != corev1.TaintEffectNoExecute {
			continue
		}
		tolerates := func(t taints.Toleration) bool { return t.Tolerates(kube.Taints(list)[i]) }
		first := slices.IndexFunc(kube.Tolerations(obj.Spec.Tolerations), tolerates)
		if first < 0 {
			m.pending[name] = timer{now, now}
			return
		}
		if seconds := obj.Spec.Tolerations[first].TolerationSeconds; seconds != nil && (forever || *seconds < least) {
			least, forever = *seconds, false
		}
	}
	if forever {
		delete(m.pending, name)
		return
	}
	fires := now.Add(time.Duration(least) * s)
	if old, ok := m.pending[name]; ok && old.created.Before(now) {
		return
	}
	m.pending[name] = timer{now, fires}
}

// With -from-time-added=false and -keep-timers the controller does what Kubernetes' does.
func TestAsKubernetes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, Options{KeepTimers: true, Method: Evict})
		m := &stock{pending: map[string]timer{}, nodes: map[string][]corev1.Taint{}}
		for _, n := range nodeNames {
			w.setNode(n)
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			name := rapid.SampledFrom(podNames).Draw(t, "pod")
			exists := slices.ContainsFunc(w.podList(), func(p corev1.Pod) bool { return p.Name == name })
			switch rapid.IntRange(0, 3).Draw(t, "action") {
			case 0:
				if exists {
					w.deletePod(name)
					w.check(name)
					delete(m.pending, name)
				}
				w.addPod(name, rapid.SampledFrom(nodeNames).Draw(t, "node"), drawTolerations(t))
				for _, obj := range w.podList() {
					if obj.Name == name {
						m.process(&obj, w.now())
					}
				}
			default:
				n := rapid.SampledFrom(nodeNames).Draw(t, "node")
				changed := drawTaints(t, m.nodes[n], w.now())
				if sameNoExecute(m.nodes[n], changed) {
					break
				}
				m.nodes[n] = changed
				w.setNode(n, changed...)
				for _, obj := range w.podList() {
					if obj.Spec.NodeName == n {
						m.process(&obj, w.now())
					}
				}
			}
			end := w.now().Add(time.Duration(rapid.IntRange(0, 4).Draw(t, "seconds")) * s)
			w.pass(end.Sub(w.now()))
			maps.DeleteFunc(m.pending, func(_ string, timer timer) bool { return !timer.fires.After(end) })
			for _, name := range podNames {
				want := time.Duration(-1)
				if timer, ok := m.pending[name]; ok {
					want = timer.fires.Sub(begin)
				}
				if got := w.due(name); got != want {
					t.Fatalf("after %v: %s is due after %v, want %v", w.now().Sub(begin), name, got, want)
				}
			}
		}
	})
}

func sameNoExecute(a, b []corev1.Taint) bool {
	evicts := func(list []corev1.Taint) (out []corev1.Taint) {
		for _, t := range list {
			if t.Effect == corev1.TaintEffectNoExecute {
				out = append(out, t)
			}
		}
		return out
	}
	return slices.EqualFunc(evicts(a), evicts(b), func(x, y corev1.Taint) bool {
		return x.Key == y.Key && x.Value == y.Value && x.TimeAdded.Equal(y.TimeAdded)
	})
}
