// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/lifecycle"
)

var (
	podNames  = []string{"p0", "p1", "p2", "p3", "p4"}
	nodeNames = []string{"n0", "n1"}
	keys      = []string{"a", "b", taints.NodeUnreachable}
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

// A model says when the controller evicts each pod, if it has seen everything at once.
type model struct {
	w      *world
	mu     sync.Mutex
	timers lifecycle.Queue[types.UID]
	seen   map[any]time.Time // each pod and its tolerations, and the taints of each node
	nodes  map[string][]taints.Taint
}

func (m *model) restart() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.timers, m.seen, m.nodes = lifecycle.Queue[types.UID]{}, map[any]time.Time{}, map[string][]taints.Taint{}
}

// since returns when the model first saw what the key says.
func (m *model) since(key any) time.Time {
	if _, has := m.seen[key]; !has {
		m.seen[key] = m.w.now()
	}
	return m.seen[key]
}

// answer returns the eviction that the library computes for the pod.
func (m *model) answer(obj *corev1.Pod) taints.Eviction {
	list := kube.Taints(m.w.node(obj.Spec.NodeName).Spec.Taints)
	policy := m.w.o.Policy
	policy.Arrival = obj.CreationTimestamp.Time
	if _, c := podutil.GetPodCondition(&obj.Status, corev1.PodScheduled); c != nil && c.Status == corev1.ConditionTrue {
		policy.Arrival = c.LastTransitionTime.Time
	}
	seen := m.since(obj.UID)
	if at := m.since(fmt.Sprint(obj.UID, obj.Spec.Tolerations)); m.w.o.KeepTimers {
		seen = at
	}
	return policy.EvictionOf(taints.Compile(kube.Tolerations(obj.Spec.Tolerations)), list, later(seen, m.seen[obj.Spec.NodeName]))
}

// observe looks at everything. The caller holds the mutex.
func (m *model) observe() {
	for _, name := range nodeNames {
		list := kube.Taints(m.w.node(name).Spec.Taints)
		list = slices.DeleteFunc(slices.Clone(list), func(t taints.Taint) bool { return t.Effect != taints.NoExecute })
		if !slices.EqualFunc(list, m.nodes[name], sameTaint) {
			m.nodes[name], m.seen[name] = list, m.w.now()
		}
	}
	for _, obj := range m.w.podList() {
		due, pending := m.timers.Due(obj.UID)
		switch e := m.answer(&obj); {
		case e.Outcome == taints.Stays:
			m.timers.Delete(obj.UID)
		case !pending || due.After(m.w.now()):
			m.timers.Update(obj.UID, e)
		}
	}
}

func (m *model) look() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.observe()
}

// due looks at everything, and returns when the pod is due.
func (m *model) due(obj *corev1.Pod) (at time.Time, pending bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.observe()
	if m.w.o.KeepTimers {
		return m.timers.Due(obj.UID)
	}
	e := m.answer(obj)
	return e.At, e.Outcome != taints.Stays
}

// wantAllDue checks when all pods are due. In a dry run, some are evicted and stay. A pod
// whose eviction has failed is asked about when that is retried, and not before.
func (m *model) wantAllDue() {
	for _, obj := range m.w.podList() {
		want := time.Duration(-1)
		if at, pending := m.due(&obj); pending {
			want = at.Sub(m.w.begin)
		}
		c := m.w.c
		c.mu.Lock()
		p := c.pods[key(obj.Name)]
		unknown := p != nil && c.mustAsk(p) && (p.failures > 0 || len(c.large.places) > 0)
		c.mu.Unlock()
		if !m.w.o.DryRun && !unknown {
			m.w.wantDue(obj.Name, want)
		}
	}
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
	o := Options{
		Policy: taints.EvictionPolicy{
			FromTimeAdded: rapid.Bool().Draw(t, "fromTimeAdded"),
			ForDevices:    rapid.Bool().Draw(t, "forDevices"),
		},
		KeepTimers:      rapid.Bool().Draw(t, "keepTimers"),
		Method:          rapid.SampledFrom([]Method{Evict, Delete}).Draw(t, "method"),
		DeleteHeldAfter: time.Duration(rapid.IntRange(0, 3).Draw(t, "deleteHeldAfter")) * s,
		DryRun:          rapid.IntRange(0, 9).Draw(t, "dryRun") == 0,
		QPS:             rapid.SampledFrom([]float64{0, 10}).Draw(t, "qps"),
		Burst:           rapid.IntRange(1, 10).Draw(t, "burst"),
		Workers:         rapid.IntRange(1, 3).Draw(t, "workers"),
	}
	w := newWorld(t, o)
	defer w.close()
	w.crowd = rapid.SampledFrom([]string{"", "p0", "p"}).Draw(t, "large pods")
	m := &model{w: w}
	errs := rapid.SliceOfN(rapid.SampledFrom([]error{nil, errors.New("no"), failures["budget"]}), 0, 6).Draw(t, "failures")
	w.fail = func(name string) error {
		obj := w.pod(name)
		if at, pending := m.due(obj); !pending || at.After(time.Now()) {
			t.Errorf("%s is to be evicted after %v, but the model says after %v, %v", name, w.now().Sub(w.begin), at.Sub(w.begin), pending)
		}
		if len(errs) == 0 {
			return nil
		}
		err := errs[0]
		errs = errs[1:]
		return err
	}
	for _, n := range nodeNames {
		w.setNode(n)
	}
	m.restart()
	w.lead()
	nodeTaints := map[string][]corev1.Taint{}
	for range rapid.IntRange(1, 30).Draw(t, "steps") {
		w.pass(time.Millisecond) // the model takes what it sees in one for seen at once
		name := rapid.SampledFrom(podNames).Draw(t, "pod")
		has := slices.ContainsFunc(w.podList(), func(p corev1.Pod) bool { return p.Name == name })
		switch action := rapid.IntRange(0, 8).Draw(t, "action"); action {
		case 0, 1, 2:
			if has {
				w.deletePod(name)
			}
			if action < 2 {
				w.addPod(rapid.SampledFrom(nodeNames).Draw(t, "node")+"/"+name, drawTolerations(t), func(p *corev1.Pod) {
					at := metav1.NewTime(w.now())
					if rapid.Bool().Draw(t, "waited for the node") {
						p.CreationTimestamp = metav1.NewTime(at.Add(-20 * s))
						status := rapid.SampledFrom([]corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionFalse}).Draw(t, "scheduled")
						scheduled := corev1.PodCondition{Type: corev1.PodScheduled, Status: status, LastTransitionTime: at}
						p.Status.Conditions = append(p.Status.Conditions, scheduled)
					}
				})
			}
		case 3, 4:
			n := rapid.SampledFrom(nodeNames).Draw(t, "node")
			nodeTaints[n] = drawTaints(t, nodeTaints[n], w.now())
			w.setNode(n, nodeTaints[n]...)
		case 5:
			w.hold = o.Policy.FromTimeAdded && !o.KeepTimers // otherwise it counts when they arrive
		case 6:
			if len(w.held) > 0 {
				w.held = rapid.Permutation(w.held).Draw(t, "order")
			}
			w.release()
		case 7:
			w.held = nil
			m.restart()
			w.restart()
		case 8:
			if has {
				w.changePod(name, func(p *corev1.Pod) { p.Spec.Tolerations = drawTolerations(t) })
			}
		}
		m.look()
		if w.settle(); !w.hold {
			m.wantAllDue()
		}
		w.pass(time.Duration(rapid.IntRange(0, 4).Draw(t, "seconds")) * s)
	}
	w.release()
	m.wantAllDue()
	w.pass(2 * time.Minute)
	for _, obj := range w.podList() {
		if at, pending := m.due(&obj); pending && !o.DryRun {
			t.Errorf("%s is never evicted, but due after %v", obj.Name, at.Sub(w.begin))
		}
	}
	if n := w.metrics()["queue_length"]; n != 0 || o.DryRun && len(w.attempts) > 0 {
		t.Errorf("%v are left in the queue, and there were %d attempts", n, len(w.attempts))
	}
}
