// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
	"github.com/seed-0529bac1/taints/kube"
)

// noTaintEviction disables the controller that the evictor replaces.
const noTaintEviction = "--controllers=*,-node-ipam-controller,-taint-eviction-controller"

const (
	// onTime is how long after its deadline a pod is evicted at the latest, on a
	// machine that has nothing else to do.
	onTime = 2 * time.Second
	// busy is how much longer it may take for one in ten pods.
	busy = time.Second
)

// 300 pods on 20 nodes that get, lose and change random taints. The evictor is
// killed and started again in the middle. Each pod is evicted when the library says
// so, and otherwise not.
func TestEvictor(t *testing.T) {
	c := start(t, cluster.Options{ControllerManager: []string{noTaintEviction}})
	c.Install("evictor")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	s := newScenario(rand.New(rand.NewPCG(seed, 0)), 20, 300)
	for _, name := range s.nodes {
		c.AddNodes(cluster.Node(name))
	}
	e := startEvictor(t, c, append(missedSoon, "-qps=500", "-burst=500", "-workers=16")...) // many have the same deadline
	e.waitUntilLeading()
	evicted := s.play(t, c, e.killAndStartAgain)
	s.checkTimes(t, evicted)
	e.check(len(evicted))
	e.stop()
}

// A scenario is a series of changes to the taints of nodes, which affect pods.
// Tolerations last up to two seconds, or ten or more, and nothing else happens
// shortly before or after a deadline. So it is clear which pods must be evicted,
// even if a controller counts from when it saw a taint.
type scenario struct {
	nodes []string
	pods  []*corev1.Pod
	steps []step
	begun time.Time // when it was last played
}

// A step sets the taints of some nodes at some time.
type step struct {
	after  time.Duration
	taints map[string][]taints.Taint // without times
}

// killAfter is after the evictions that are due soon, and before the later ones.
const killAfter = 5200 * time.Millisecond

func newScenario(r *rand.Rand, nodes, pods int) *scenario {
	s := &scenario{}
	first := step{taints: map[string][]taints.Taint{}}
	remove := step{after: 6 * time.Second, taints: map[string][]taints.Taint{}}
	change := step{after: 7 * time.Second, taints: map[string][]taints.Taint{}}
	for i := range nodes {
		name := fmt.Sprintf("node-%d", i)
		s.nodes = append(s.nodes, name)
		list := []taints.Taint{{Key: "a", Value: fmt.Sprint(r.IntN(2)), Effect: taints.NoExecute}}
		switch r.IntN(3) {
		case 0:
			list = append(list, taints.Taint{Key: "b", Effect: taints.NoExecute})
		case 1:
			list = append(list, taints.Taint{Key: "b", Effect: taints.NoSchedule})
		}
		third := taints.Taint{Key: "c", Effect: taints.NoExecute}
		switch i % 5 {
		case 0: // never has a taint that evicts
			list = []taints.Taint{{Key: "a", Effect: taints.PreferNoSchedule}}
		case 1: // loses its taints in time
			remove.taints[name] = nil
		case 2: // gets another taint
			change.taints[name] = append(slices.Clone(list), third)
		case 3: // has another taint instead of the first
			change.taints[name] = append(slices.Clone(list[1:]), third)
		}
		first.taints[name] = list
	}
	s.steps = []step{first, remove, change}
	for i := range pods {
		p := cluster.Pod(fmt.Sprintf("pod-%d", i))
		p.Spec.NodeName = pick(r, s.nodes...)
		for range r.IntN(5) {
			tolerates := corev1.Toleration{
				Key: pick(r, "a", "b", "c"), Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute,
			}
			if tolerates.Key == "a" && r.IntN(3) == 0 {
				tolerates.Operator, tolerates.Value = corev1.TolerationOpEqual, pick(r, "0", "1")
			}
			switch r.IntN(4) {
			case 0:
				tolerates.TolerationSeconds = new(pick[int64](r, 0, 1, 2))
			case 1, 2:
				tolerates.TolerationSeconds = new(pick[int64](r, 10, 11, 12, 13))
			}
			p.Spec.Tolerations = append(p.Spec.Tolerations, tolerates)
		}
		s.pods = append(s.pods, p)
	}
	return s
}

// deadline returns when the library says that a pod is evicted, or zero.
func (s *scenario) deadline(p *corev1.Pod) time.Time {
	policy := taints.EvictionPolicy{FromTimeAdded: true}
	var list []taints.Taint
	for i, step := range s.steps {
		next := s.begun.Add(time.Hour)
		if i+1 < len(s.steps) {
			next = s.begun.Add(s.steps[i+1].after)
		}
		if after, ok := step.taints[p.Spec.NodeName]; ok {
			list = s.withTimes(after, list, step)
		}
		e := policy.Compile(kube.Tolerations(p.Spec.Tolerations)).EvictionOf(list, s.begun.Add(step.after))
		if e.Outcome != taints.Stays && e.At.Before(next) {
			return e.At
		}
	}
	return time.Time{}
}

// withTimes returns the taints with the time of the step, or the time they had before.
func (s *scenario) withTimes(list, before []taints.Taint, step step) []taints.Taint {
	list = slices.Clone(list)
	now := s.begun.Add(step.after)
	for i := range list {
		list[i].TimeAdded = &now
		for _, b := range before {
			if b.ID() == list[i].ID() && b.Value == list[i].Value {
				list[i].TimeAdded = b.TimeAdded
			}
		}
	}
	return list
}

// play creates the pods, runs the steps, calls kill in the middle, waits until
// everything is over, and returns when each pod was evicted.
func (s *scenario) play(t *testing.T, c *cluster.Cluster, kill func()) map[string]time.Time {
	t.Helper()
	c.AddPods(s.pods...)
	watcher := watchPods(t, c)

	// A timeAdded has whole seconds.
	s.begun = time.Now().Truncate(time.Second).Add(time.Second)
	time.Sleep(time.Until(s.begun))
	before := map[string][]taints.Taint{}
	var killed sync.WaitGroup
	killed.Go(func() {
		time.Sleep(time.Until(s.begun.Add(killAfter)))
		kill()
	})
	for _, step := range s.steps {
		time.Sleep(time.Until(s.begun.Add(step.after)))
		var all sync.WaitGroup
		for node, list := range step.taints {
			timed := s.withTimes(list, before[node], step)
			before[node] = timed
			all.Go(func() { setTaints(t, c, node, timed) })
		}
		all.Wait()
	}
	killed.Wait()

	var last time.Time
	want := 0
	for _, p := range s.pods {
		if at := s.deadline(p); !at.IsZero() {
			want++
			if at.After(last) {
				last = at
			}
		}
	}
	watcher.waitUntilGone(c, time.Until(last)+30*time.Second, want)
	time.Sleep(time.Until(last.Add(onTime + busy))) // for the pods that must not be evicted
	return watcher.gone()
}

// deletePods deletes all pods in the namespace default.
func deletePods(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	pods := c.Client.CoreV1().Pods(metav1.NamespaceDefault)
	atOnce := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	check(t, pods.DeleteCollection(t.Context(), atOnce, metav1.ListOptions{}))
}

// checkTimes checks that exactly the right pods are evicted, each after its
// deadline but not long after.
func (s *scenario) checkTimes(t *testing.T, evicted map[string]time.Time) {
	t.Helper()
	var late []time.Duration
	for _, p := range s.pods {
		want := s.deadline(p)
		at, gone := evicted[p.Name]
		if gone == want.IsZero() {
			t.Fatalf("%s on %s is evicted: %v, after %v, want after %v (never, if that is negative)",
				p.Name, p.Spec.NodeName, gone, at.Sub(s.begun), want.Sub(s.begun))
		}
		if gone {
			late = append(late, at.Sub(want).Round(time.Millisecond))
		}
	}
	n := len(evicted)
	if n < 100 || n > 270 {
		t.Fatalf("%d of %d pods are evicted: the scenario tests little", n, len(s.pods))
	}
	slices.Sort(late)
	t.Logf("%d of %d pods evicted; late by %v (median), %v (90%%), %v (99%%), %v to %v (all)",
		n, len(s.pods), late[n/2], late[n*9/10], late[n*99/100], late[0], late[n-1])
	if late[0] < 0 || late[n*9/10] > onTime || late[n-1] > onTime+busy {
		t.Errorf("pods are evicted early, or too late")
	}
}

// An evictor is a running evictor.
type evictor struct {
	*cluster.Process
	t       *testing.T
	c       *cluster.Cluster
	args    []string
	metrics string
	done    float64 // evictions of the processes that were killed
}

// missedSoon are flags for a leader that is replaced soon when it is killed.
var missedSoon = []string{"-lease-duration=2s", "-renew-deadline=1500ms", "-retry-period=300ms"}

// startEvictor starts an evictor with the rights of its manifest, which must be
// installed.
func startEvictor(t *testing.T, c *cluster.Cluster, flags ...string) *evictor {
	t.Helper()
	e := &evictor{t: t, c: c}
	e.Process, e.args, e.metrics = c.RunEvictor(flags...)
	return e
}

// value returns the value of a metric, with the label if it is not empty.
func (e *evictor) value(name, label string) (float64, error) {
	families, err := e.c.Metrics(e.metrics)
	if err != nil {
		return 0, err
	}
	for _, m := range families[name].GetMetric() {
		if label != "" && (len(m.Label) == 0 || m.Label[0].GetValue() != label) {
			continue
		}
		return m.GetGauge().GetValue() + m.GetCounter().GetValue(), nil
	}
	return 0, fmt.Errorf("no metric %s %s", name, label)
}

// until waits until the value of a metric is right.
func (e *evictor) until(what, name, label string, right func(float64) bool) {
	e.t.Helper()
	e.c.Eventually(what, func() error {
		value, err := e.value(name, label)
		if err == nil && !right(value) {
			err = fmt.Errorf("%s %s is %v", name, label, value)
		}
		return err
	})
}

func (e *evictor) waitUntilLeading() {
	e.t.Helper()
	e.until("the evictor leads", "leader_election_master_status", "", func(v float64) bool { return v == 1 })
}

// killAndStartAgain kills the evictor, which cannot release its lease.
func (e *evictor) killAndStartAgain() {
	n, err := e.value("taints_evictor_evictions_total", "evicted")
	if err != nil {
		e.t.Error(err)
	}
	e.done += n
	e.Kill()
	e.startAgain()
}

func (e *evictor) startAgain() {
	e.Process = e.c.Run("evictor", cluster.Binary(e.t, "evictor"), e.args...)
}

// event waits for an event about a pod in the namespace default.
func event(c *cluster.Cluster, what string, is func(eventsv1.Event) bool) {
	c.Eventually(what, func() error {
		list, err := c.Client.EventsV1().Events(metav1.NamespaceDefault).List(c.Context(), metav1.ListOptions{})
		if err == nil && !slices.ContainsFunc(list.Items, is) {
			err = fmt.Errorf("none of %d events is that", len(list.Items))
		}
		return err
	})
}

// stop stops the evictor, and checks its log for errors, such as missing rights.
func (e *evictor) stop() {
	e.t.Helper()
	e.Stop()
	for line := range strings.Lines(e.Log()) {
		if strings.Contains(line, "leader election lost") || strings.Contains(line, "context canceled") {
			continue // the lease was released, maybe during a renewal
		}
		if strings.HasPrefix(line, "E") || strings.Contains(line, "forbidden") {
			e.t.Errorf("the evictor says: %s", line)
		}
	}
}

// check checks that the metrics count each evicted pod once.
func (e *evictor) check(evicted int) {
	e.t.Helper()
	n := must(e.value("taints_evictor_evictions_total", "evicted"))(e.t)
	if got := int(e.done + n); got != evicted || e.done == 0 || n == 0 {
		e.t.Errorf("the metrics count %v evictions before it was killed and %v after it, want %d", e.done, n, evicted)
	}
}

// podWatcher records when pods disappear.
type podWatcher struct {
	mu   sync.Mutex
	at   map[string]time.Time
	last map[string]*corev1.Pod
}

// watchPods watches the pods of the namespace default until the test ends, with an
// informer: the API server may end a watch at any time.
func watchPods(t *testing.T, c *cluster.Cluster) *podWatcher {
	t.Helper()
	w := &podWatcher{at: map[string]time.Time{}, last: map[string]*corev1.Pod{}}
	factory := informers.NewSharedInformerFactoryWithOptions(c.Client, 0,
		informers.WithNamespace(metav1.NamespaceDefault))
	must(factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: w.deleted}))(t)
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	return w
}

func (w *podWatcher) deleted(obj any) {
	if missed, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = missed.Obj
	}
	pod := obj.(*corev1.Pod)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at[pod.Name], w.last[pod.Name] = time.Now(), pod
}

// gone returns when each pod that is gone disappeared.
func (w *podWatcher) gone() map[string]time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.at)
}

// waitUntilGone waits until want pods are gone, and returns when they disappeared.
func (w *podWatcher) waitUntilGone(c *cluster.Cluster, limit time.Duration, want int) (gone map[string]time.Time) {
	c.Within(limit, fmt.Sprintf("%d pods are evicted", want), func() error {
		if gone = w.gone(); len(gone) < want {
			return fmt.Errorf("only %v", slices.Sorted(maps.Keys(gone)))
		}
		return nil
	})
	return gone
}

// target returns the reason of the condition DisruptionTarget that the pod had when
// it disappeared.
func (w *podWatcher) target(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return cluster.Condition(w.last[name], corev1.DisruptionTarget).Reason
}

func setTaints(t *testing.T, c *cluster.Cluster, node string, list []taints.Taint) {
	nodes := c.Client.CoreV1().Nodes()
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		before, err := nodes.Get(c.Context(), node, metav1.GetOptions{})
		if err != nil {
			return err
		}
		patch := kube.TaintsPatch(before, kube.CoreTaints(list))
		if patch == nil {
			return nil
		}
		_, err = nodes.Patch(c.Context(), node, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
	if err != nil {
		t.Errorf("taint %s: %v", node, err)
	}
}
