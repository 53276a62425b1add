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

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
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
	// The taints point to these times, which are set when it is played.
	begun, changed time.Time
}

// A step sets the taints of some nodes at some time.
type step struct {
	after  time.Duration
	taints map[string][]taints.Taint
}

const (
	// killAfter is after the evictions that are due soon, and before the later ones.
	killAfter   = 5200 * time.Millisecond
	removeAfter = 6 * time.Second
	changeAfter = 7 * time.Second
)

func newScenario(r *rand.Rand, nodes, pods int) *scenario {
	s := &scenario{}
	first := step{taints: map[string][]taints.Taint{}}
	remove := step{after: removeAfter, taints: map[string][]taints.Taint{}}
	change := step{after: changeAfter, taints: map[string][]taints.Taint{}}
	for i := range nodes {
		name := fmt.Sprintf("node-%d", i)
		s.nodes = append(s.nodes, name)
		list := []taints.Taint{{Key: "a", Value: fmt.Sprint(r.IntN(2)), Effect: taints.NoExecute, TimeAdded: &s.begun}}
		switch r.IntN(3) {
		case 0:
			list = append(list, taints.Taint{Key: "b", Effect: taints.NoExecute, TimeAdded: &s.begun})
		case 1:
			list = append(list, taints.Taint{Key: "b", Effect: taints.NoSchedule})
		}
		third := taints.Taint{Key: "c", Effect: taints.NoExecute, TimeAdded: &s.changed}
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
			list = after
		}
		e := policy.Compile(kube.Tolerations(p.Spec.Tolerations)).EvictionOf(list, s.begun.Add(step.after))
		if e.Outcome != taints.Stays && e.At.Before(next) {
			return e.At
		}
	}
	return time.Time{}
}

// play creates the pods, runs the steps, calls kill in the middle, waits until
// everything is over, and returns when each pod was evicted.
func (s *scenario) play(t *testing.T, c *cluster.Cluster, kill func()) map[string]time.Time {
	t.Helper()
	c.AddPods(s.pods...)
	watcher := watchPods(t, c)

	// A timeAdded has whole seconds.
	s.begun = time.Now().Truncate(time.Second).Add(time.Second)
	s.changed = s.begun.Add(changeAfter)
	time.Sleep(time.Until(s.begun))
	var killed sync.WaitGroup
	killed.Go(func() {
		time.Sleep(time.Until(s.begun.Add(killAfter)))
		kill()
	})
	for _, step := range s.steps {
		time.Sleep(time.Until(s.begun.Add(step.after)))
		var all sync.WaitGroup
		for node, list := range step.taints {
			all.Go(func() { setTaints(t, c, node, list) })
		}
		all.Wait()
	}
	killed.Wait()

	var due []time.Time
	for _, p := range s.pods {
		if at := s.deadline(p); !at.IsZero() {
			due = append(due, at)
		}
	}
	last := slices.MaxFunc(due, time.Time.Compare)
	watcher.waitUntilGone(c, time.Until(last)+30*time.Second, len(due))
	time.Sleep(time.Until(last.Add(onTime + busy))) // for the pods that must not be evicted
	return watcher.gone()
}

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

func (w *podWatcher) waitUntilGone(c *cluster.Cluster, limit time.Duration, want int) {
	c.Within(limit, fmt.Sprintf("%d pods are evicted", want), func() error {
		if gone := w.gone(); len(gone) < want {
			return fmt.Errorf("only %v", slices.Sorted(maps.Keys(gone)))
		}
		return nil
	})
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

// A node stops renewing its lease. The node-lifecycle controller finds it
// unreachable and taints it. Its pods have the toleration that admission gave them,
// for 5 s instead of 300 s, and the evictor evicts them after that time. A
// DaemonSet's pod stays, and so do the pods of other nodes. The evictor deletes
// pods, as Kubernetes' controller does.
func TestANodeThatFails(t *testing.T) {
	const tolerated = 5 * time.Second
	c := start(t, cluster.Options{
		APIServer: []string{fmt.Sprintf("--default-unreachable-toleration-seconds=%.0f", tolerated.Seconds())},
		ControllerManager: []string{
			noTaintEviction,
			"--node-monitor-period=1s", "--node-monitor-grace-period=6s", "--node-eviction-rate=20",
		},
	})
	c.Apply(overlay(t, "evictor", "evictor/delete")...)
	c.AddNodes(cluster.Node("node-1"), cluster.Node("node-2"), cluster.Node("node-3"))
	c.RunScheduler(cluster.Profile{Name: corev1.DefaultSchedulerName})
	agent := daemonSet("agent")
	agent.Namespace = metav1.NamespaceDefault
	c.Apply(agent)

	everything := corev1.Toleration{Operator: corev1.TolerationOpExists}
	web1, web2, lasting, elsewhere := cluster.Pod("web-1"), cluster.Pod("web-2"), cluster.Pod("lasting", everything), cluster.Pod("elsewhere")
	for _, pod := range []*corev1.Pod{web1, web2, lasting} {
		pod.Spec.NodeName = "node-1"
	}
	elsewhere.Spec.NodeName = "node-2"
	c.AddPods(web1, web2, lasting, elsewhere)
	c.Eventually("the DaemonSet has a pod on each node", func() error { return settled(c.Pods(metav1.NamespaceDefault), 7) })

	e := startEvictor(t, c, append(missedSoon, "-method=delete")...)
	e.waitUntilLeading()
	watcher := watchPods(t, c)
	c.StopHeartbeat("node-1")
	deadline := foundUnreachable(t, c, "node-1").Add(tolerated)

	watcher.waitUntilGone(c, 30*time.Second, 2)
	time.Sleep(time.Until(deadline.Add(onTime + busy))) // for the pods that must stay
	gone := watcher.gone()
	if names := slices.Sorted(maps.Keys(gone)); !slices.Equal(names, []string{"web-1", "web-2"}) {
		t.Errorf("evicted: %v, want web-1 and web-2", names)
	}
	for name, at := range gone {
		late := at.Sub(deadline)
		t.Logf("%s was evicted %v after its deadline", name, late.Round(time.Millisecond))
		if late < 0 || late > onTime+busy {
			t.Errorf("%s was evicted %v after its deadline", name, late)
		}
		if got := watcher.target(name); got != "DeletionByTaintManager" {
			t.Errorf("%s has the condition DisruptionTarget with reason %q", name, got)
		}
	}
	e.stop()
}

// foundUnreachable waits until the node-lifecycle controller taints the node, and
// returns when it did.
func foundUnreachable(t *testing.T, c *cluster.Cluster, name string) (added time.Time) {
	t.Helper()
	c.Within(time.Minute, name+" is found unreachable", func() error {
		node := must(c.Client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{}))(t)
		id := taints.TaintID{Key: corev1.TaintNodeUnreachable, Effect: taints.NoExecute}
		at, found := taints.FindTaint(kube.Taints(node.Spec.Taints), id)
		if !found {
			return fmt.Errorf("it has taints %v", node.Spec.Taints)
		}
		added = node.Spec.Taints[at].TimeAdded.Time
		return nil
	})
	return added
}

func daemonSet(name string, tolerations ...corev1.Toleration) *appsv1.DaemonSet {
	labels := map[string]string{"app": name}
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       cluster.Pod("", tolerations...).Spec,
			},
		},
	}
}

// Two evictors stand by for each other, a taint has no timeAdded, and a
// PodDisruptionBudget holds a pod back. The leader is stopped: the other keeps the
// deadline, because it has seen the taint. The budget is deleted: the pod is evicted.
func TestEvictorsInTurn(t *testing.T) {
	c := start(t, cluster.Options{ControllerManager: []string{noTaintEviction}, Kubelets: true}) // no budget guards a pod that does not run
	c.Install("evictor")
	c.AddNodes(cluster.Node("node-1"))
	const seconds = 12
	toleration := corev1.Toleration{
		Key:               "maintenance",
		Operator:          corev1.TolerationOpExists,
		TolerationSeconds: new(int64(seconds)),
		Effect:            corev1.TaintEffectNoExecute,
	}
	guarded := cluster.Pod("guarded", toleration)
	guarded.Labels = map[string]string{"app": "guarded"}
	for _, pod := range []*corev1.Pod{cluster.Pod("web", toleration), guarded} {
		pod.Spec.NodeName = "node-1"
		c.AddPods(pod)
	}
	addBudget(t, c)
	watcher := watchPods(t, c)

	first := startEvictor(t, c, missedSoon...)
	first.waitUntilLeading()
	second := startEvictor(t, c, missedSoon...)
	before := time.Now()
	setTaints(t, c, "node-1", []taints.Taint{{Key: "maintenance", Effect: taints.NoExecute}})
	first.until("both pods have a deadline", "taints_evictor_queue_length", "", func(v float64) bool { return v == 2 })
	first.stop()
	second.waitUntilLeading()
	t.Logf("the other leads after %v", time.Since(before).Round(time.Millisecond))

	deadline := before.Add(seconds * time.Second)
	watcher.waitUntilGone(c, time.Minute, 1)
	second.until("the other pod is held back", "taints_evictor_failed_attempts_total", "blocked", func(v float64) bool { return v >= 2 })
	checkHeldBack(t, second)
	if late := watcher.gone()["web"].Sub(deadline); late < 0 || late > onTime+busy {
		t.Errorf("web was evicted %v after its deadline", late)
	}
	budgets := c.Client.PolicyV1().PodDisruptionBudgets(metav1.NamespaceDefault)
	check(t, budgets.Delete(t.Context(), "guarded", metav1.DeleteOptions{}))
	watcher.waitUntilGone(c, time.Minute, 2)
	if got := watcher.target("guarded"); got != "EvictionByEvictionAPI" {
		t.Errorf("the pod has the condition DisruptionTarget with reason %q", got)
	}
	second.until("nothing is still overdue", "taints_evictor_oldest_overdue_seconds", "", func(v float64) bool { return v == 0 })
	second.stop()
}

// checkHeldBack checks what the evictor reports about a pod that a budget holds
// back, and checks the evictor's alerts and rights.
func checkHeldBack(t *testing.T, e *evictor) {
	t.Helper()
	e.until("the oldest is overdue", "taints_evictor_oldest_overdue_seconds", "", func(v float64) bool { return v > 0 })
	event(e.c, "an event says that a budget holds the pod back", func(event eventsv1.Event) bool {
		return event.Regarding.Name == "guarded" && event.Action == "WaitForDisruptionBudget" && event.Type == corev1.EventTypeWarning &&
			strings.HasSuffix(event.Note, "The disruption budget guarded needs 1 healthy pods and has 1 currently")
	})
	checkAlerts(t, "evictor", must(e.c.Metrics(e.metrics))(t))
	checkRights(t, e.c, cluster.Evictor, cluster.Evictor,
		[]string{"create pods/eviction", "watch nodes", "update leases.coordination.k8s.io taints-evictor"},
		[]string{"update leases.coordination.k8s.io other", "delete pods", "patch nodes", "get secrets"})
}

// addBudget adds a budget that allows no disruption, and waits until it is in effect.
func addBudget(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "guarded", Namespace: metav1.NamespaceDefault},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: new(intstr.FromInt32(1)),
			Selector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "guarded"}},
		},
	}
	c.Apply(budget)
	c.Eventually("the PodDisruptionBudget is in force", func() error {
		now := must(c.Client.PolicyV1().PodDisruptionBudgets(budget.Namespace).Get(t.Context(), budget.Name, metav1.GetOptions{}))(t)
		if now.Status.CurrentHealthy != 1 {
			return fmt.Errorf("its status is %+v", now.Status)
		}
		return nil
	})
}

const (
	outage = 30 * time.Second
	// lease is the default of the evictor's -lease-duration. A leader that cannot
	// renew its lease ends.
	lease = 15 * time.Second
	// slack is extra time on a busy machine: for the API server to start, and for
	// pods to disappear.
	slack = 15 * time.Second
)

// The API server is gone for 30 s. The leader of two evictors ends, because it
// cannot renew its lease, and is started again, as a kubelet would do. Pods that
// were due before are evicted. Pods that become due during the outage are evicted
// at most a lease duration after its end. The others are in time, because their
// deadlines do not change. A single evictor does the same.
func TestOutage(t *testing.T) {
	for _, replicas := range []int{1, 2} {
		t.Run(fmt.Sprintf("%d replicas", replicas), func(t *testing.T) {
			t.Parallel() // they sleep most of the time
			testOutage(t, replicas)
		})
	}
}

func testOutage(t *testing.T, replicas int) {
	// The nodes' heartbeats also stop, and the nodes must not become unreachable.
	c := start(t, cluster.Options{ControllerManager: []string{noTaintEviction, "--node-monitor-grace-period=10m"}})
	c.Install("evictor")
	c.AddNodes(cluster.Node("node-1"))
	want := map[string]time.Duration{} // after the taint
	for seconds := int64(2); seconds <= 65; seconds += 3 {
		name := fmt.Sprintf("pod-%02d", seconds)
		pod := cluster.Pod(name, corev1.Toleration{
			Key: "a", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
		})
		pod.Spec.NodeName = "node-1"
		c.AddPods(pod)
		want[name] = time.Duration(seconds) * time.Second
	}
	var evictors []*evictor
	for range replicas {
		evictors = append(evictors, startEvictor(t, c))
		evictors[0].waitUntilLeading()
	}

	tainted := time.Now().Truncate(time.Second)
	setTaints(t, c, "node-1", []taints.Taint{{Key: "a", Effect: taints.NoExecute, TimeAdded: &tainted}})
	time.Sleep(time.Until(tainted.Add(10 * time.Second)))
	c.StopAPIServer()
	begun := time.Now()
	restarts := 0
	for ; time.Since(begun) < outage; time.Sleep(100 * time.Millisecond) {
		for _, e := range evictors {
			restarts += e.startAgainWhereEnded()
		}
	}
	c.StartAPIServer()
	ended := time.Now()
	t.Logf("the API server was gone for %v, and evictors ended %d times",
		ended.Sub(begun).Round(time.Millisecond), restarts)
	if restarts == 0 {
		t.Error("the leader did not end: this is not about a lease")
	}

	gone := map[string]time.Time{}
	c.Within(time.Until(tainted.Add(time.Minute))+lease+slack+time.Minute, "all pods are evicted", func() error {
		for _, e := range evictors {
			e.startAgainWhereEnded()
		}
		left := c.Pods(metav1.NamespaceDefault)
		for name := range want {
			if _, there := left[name]; !there && gone[name].IsZero() {
				gone[name] = time.Now()
			}
		}
		if len(gone) < len(want) {
			return fmt.Errorf("%d of %d are", len(gone), len(want))
		}
		return nil
	})
	for name, after := range want {
		due, at, bound := tainted.Add(after), gone[name], ended.Add(lease)
		if due.After(bound) {
			bound = due
		}
		if at.Before(due) || at.After(bound.Add(slack)) {
			t.Errorf("%s, due %v after the outage began, is evicted %v after it ended", name, due.Sub(begun), at.Sub(ended))
		}
	}
}

// startAgainWhereEnded restarts an evictor that has ended, and returns how often.
func (e *evictor) startAgainWhereEnded() int {
	select {
	case <-e.Done():
		e.startAgain()
		return 1
	default:
		return 0
	}
}
