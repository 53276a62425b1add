// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
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

// 300 pods on 20 nodes that get a taint, which two of the nodes lose again. The evictor
// is killed and started again in the middle. Each pod is evicted when its toleration
// ends, and the others stay.
func TestEvictor(t *testing.T) {
	c := start(t, controlplane.Options{ControllerManager: []string{noTaintEviction}})
	c.Install("../manifests/evictor")
	tolerated := []int64{0, 1, 2, 10, 11, 12, forever}
	after := map[string]int64{} // how many seconds after the taint each pod is evicted
	var begun time.Time         // set when the taint is added
	tainted, freed := map[string]taints.Taint{}, []string{}
	for i := range 20 {
		node := controlplane.Node(fmt.Sprintf("node-%d", i))
		c.AddNodes(node)
		var stayFrom int64 = forever // who tolerates the taint for so long stays
		tainted[node.Name] = taints.Taint{Key: "a", Effect: taints.NoExecute, TimeAdded: &begun}
		switch i % 10 {
		case 0:
			tainted[node.Name], stayFrom = taints.Taint{Key: "a", Effect: taints.PreferNoSchedule}, 0
		case 1:
			freed, stayFrom = append(freed, node.Name), 10
		}
		for j := range 15 {
			seconds := tolerated[j%len(tolerated)]
			pod := podOn(node.Name, fmt.Sprintf("pod-%d-%d", i, j), tolerates("a", seconds))
			c.Apply(pod)
			if seconds < stayFrom {
				after[pod.Name] = seconds
			}
		}
	}
	e := startLeader(t, c, "-qps=500", "-burst=500", "-workers=16") // many have the same deadline
	seen := c.WatchPods()

	begun = time.Now().Truncate(time.Second).Add(time.Second) // a timeAdded has whole seconds
	time.Sleep(time.Until(begun))
	for node, taint := range tainted {
		c.SetTaints(node, taint)
	}
	time.Sleep(time.Until(begun.Add(5 * time.Second)))
	e.Kill() // it cannot release its lease
	e.Process = c.Restart(e.Process)
	time.Sleep(time.Until(begun.Add(7 * time.Second)))
	for _, node := range freed {
		c.SetTaints(node)
	}
	last := begun.Add(12 * time.Second)
	evicted(t, time.Until(last)+30*time.Second, len(after), seen)
	time.Sleep(time.Until(last.Add(onTime + busy))) // for the pods that must not be evicted
	checkTimes(t, begun, after, evicted(t, time.Second, len(after), seen))
	e.stop()
}

// forever is longer than any toleration that ends.
const forever = math.MaxInt64

// tolerates returns a toleration of the NoExecute taint with the key.
func tolerates(key string, seconds int64) corev1.Toleration {
	t := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}
	if seconds != forever {
		t.TolerationSeconds = &seconds
	}
	return t
}

// checkTimes checks that exactly the pods that are due are evicted, each after its
// deadline but not long after.
func checkTimes(t *testing.T, begun time.Time, after map[string]int64, gone map[string]controlplane.Sighting) {
	t.Helper()
	if len(gone) != len(after) {
		t.Fatalf("%d pods are evicted, want %d", len(gone), len(after))
	}
	var late []time.Duration
	for name, seconds := range after {
		pod, ok := gone[name]
		if !ok {
			t.Fatalf("%s is not evicted, want after %d s", name, seconds)
		}
		late = append(late, pod.Gone.Sub(begun.Add(time.Duration(seconds)*time.Second)).Round(time.Millisecond))
	}
	slices.Sort(late)
	n := len(late)
	t.Logf("%d pods evicted; late by %v (median), %v (90%%), %v (99%%), %v to %v (all)",
		n, late[n/2], late[n*9/10], late[n*99/100], late[0], late[n-1])
	if late[0] < 0 || late[n*9/10] > onTime || late[n-1] > onTime+busy {
		t.Errorf("pods are evicted early, or too late")
	}
}

func deletePods(t *testing.T, c *controlplane.Cluster) {
	t.Helper()
	pods := c.Client.CoreV1().Pods(metav1.NamespaceDefault)
	atOnce := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	check(t, pods.DeleteCollection(t.Context(), atOnce, metav1.ListOptions{}))
}

// An evictor is a running evictor.
type evictor struct {
	*controlplane.Process
	t *testing.T
	c *controlplane.Cluster
}

// missedSoon are flags for a leader that is replaced soon when it is killed.
var missedSoon = []string{"-lease-duration=2s", "-renew-deadline=1500ms", "-retry-period=300ms"}

// startEvictor starts an evictor with the rights of its manifest, which must be
// installed.
func startEvictor(t *testing.T, c *controlplane.Cluster, flags ...string) *evictor {
	t.Helper()
	return &evictor{c.RunEvictor(flags...), t, c}
}

// startLeader starts an evictor that leads soon, and is replaced soon when it is killed.
func startLeader(t *testing.T, c *controlplane.Cluster, flags ...string) *evictor {
	t.Helper()
	e := startEvictor(t, c, append(missedSoon, flags...)...)
	e.waitUntilLeading()
	return e
}

// until waits until a metric with labels, as Prometheus writes it, has a right value.
func (e *evictor) until(what, metric string, right func(float64) bool) {
	e.t.Helper()
	name, _, _ := strings.Cut(metric, "{")
	e.c.Eventually(what, func() error {
		metrics, err := e.c.Metrics(e.Metrics)
		for _, sample := range metrics[name] {
			if sample.Metric.String() == metric && right(float64(sample.Value)) {
				return nil
			}
		}
		return fmt.Errorf("%v: %v", err, metrics[name])
	})
}

func (e *evictor) waitUntilLeading() {
	e.t.Helper()
	e.until("the evictor leads", `leader_election_master_status{name="taints-evictor"}`, func(v float64) bool { return v == 1 })
}

func event(c *controlplane.Cluster, what string, is func(eventsv1.Event) bool) {
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
		released := strings.Contains(line, "leader election lost") || strings.Contains(line, "context canceled")
		if !released && (strings.HasPrefix(line, "E") || strings.Contains(line, "forbidden")) {
			e.t.Errorf("the evictor says: %s", line)
		}
	}
}

// evicted waits until so many pods are gone, and returns them.
func evicted(t *testing.T, limit time.Duration, want int, seen func() map[string]controlplane.Sighting) (gone map[string]controlplane.Sighting) {
	t.Helper()
	controlplane.Within(t, limit, fmt.Sprintf("%d pods are evicted", want), func() error {
		gone = seen()
		maps.DeleteFunc(gone, func(_ string, s controlplane.Sighting) bool { return s.Gone.IsZero() })
		return unless(len(gone) >= want, "only %v", slices.Sorted(maps.Keys(gone)))
	})
	return gone
}

// Two evictors stand by for each other, a taint has no timeAdded, and a
// PodDisruptionBudget holds a pod back. The leader is stopped: the other keeps the
// deadline, because it has seen the taint. The budget is deleted: the pod is evicted.
func TestEvictorsInTurn(t *testing.T) {
	c := start(t, controlplane.Options{ControllerManager: []string{noTaintEviction}, Kubelets: true}) // no budget guards a pod that does not run
	c.Install("../manifests/evictor")
	c.AddNodes(controlplane.Node("node-1"))
	const seconds = 12
	c.Apply(podOn("node-1", "web", tolerates("maintenance", seconds)))
	addGuarded(t, c)
	seen := c.WatchPods()

	first := startLeader(t, c)
	second := startEvictor(t, c, missedSoon...)
	before := time.Now()
	c.SetTaints("node-1", taints.Taint{Key: "maintenance", Effect: taints.NoExecute})
	first.until("both pods have a deadline", "taints_evictor_queue_length", func(v float64) bool { return v == 2 })
	first.stop()
	second.waitUntilLeading()
	t.Logf("the other leads after %v", time.Since(before).Round(time.Millisecond))

	deadline := before.Add(seconds * time.Second)
	web := evicted(t, time.Minute, 1, seen)["web"]
	second.until("the other pod is held back", `taints_evictor_failed_attempts_total{reason="blocked"}`, func(v float64) bool { return v >= 2 })
	second.until("the oldest is overdue", `taints_evictor_oldest_overdue_seconds{cause="budget"}`, func(v float64) bool { return v > 0 })
	event(c, "an event says that a budget holds the pod back", func(event eventsv1.Event) bool {
		return event.Regarding.Name == "guarded" && event.Action == "WaitForDisruptionBudget" && event.Type == corev1.EventTypeWarning &&
			strings.HasSuffix(event.Note, "The disruption budget guarded needs 1 healthy pods and has 1 currently")
	})
	checkAlerts(t, "evictor", must(c.Metrics(second.Metrics))(t))
	checkRights(t, c, controlplane.Evictor+":"+controlplane.Evictor,
		[]string{"create pods/eviction", "delete pods", "watch nodes", "get nodes", "update leases.coordination.k8s.io taints-evictor"},
		[]string{"update leases.coordination.k8s.io other", "patch pods", "patch nodes", "get secrets"})
	if late := web.Gone.Sub(deadline); late < 0 || late > onTime+busy {
		t.Errorf("web was evicted %v after its deadline", late)
	}
	budgets := c.Client.PolicyV1().PodDisruptionBudgets(metav1.NamespaceDefault)
	check(t, budgets.Delete(t.Context(), "guarded", metav1.DeleteOptions{}))
	if got := evicted(t, time.Minute, 2, seen)["guarded"].Reason; got != "EvictionByEvictionAPI" {
		t.Errorf("the pod has the condition DisruptionTarget with reason %q", got)
	}
	second.until("nothing is still overdue", `taints_evictor_oldest_overdue_seconds{cause="budget"}`, func(v float64) bool { return v == 0 })
	second.stop()
}

// addGuarded adds the pod guarded on node-1, and a budget that allows no disruption, and
// waits until the budget is in effect.
func addGuarded(t *testing.T, c *controlplane.Cluster) {
	t.Helper()
	c.Install("testdata/budget")
	c.Eventually("the PodDisruptionBudget is in force", func() error {
		now := must(c.Client.PolicyV1().PodDisruptionBudgets(metav1.NamespaceDefault).Get(t.Context(), "guarded", metav1.GetOptions{}))(t)
		return unless(now.Status.CurrentHealthy == 1, "its status is %+v", now.Status)
	})
}

const (
	outage = 30 * time.Second
	lease  = 15 * time.Second // the default of -lease-duration; a leader that cannot renew it ends
	slack  = 15 * time.Second // on a busy machine, for the API server to start and pods to disappear
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
	c := start(t, controlplane.Options{ControllerManager: []string{noTaintEviction, "--node-monitor-grace-period=10m"}})
	c.Install("../manifests/evictor")
	c.AddNodes(controlplane.Node("node-1"))
	want := map[string]time.Duration{} // after the taint
	for seconds := int64(2); seconds <= 65; seconds += 3 {
		name := fmt.Sprintf("pod-%02d", seconds)
		c.Apply(podOn("node-1", name, tolerates("a", seconds)))
		want[name] = time.Duration(seconds) * time.Second
	}
	var evictors []*evictor
	for range replicas {
		evictors = append(evictors, startEvictor(t, c))
		evictors[0].waitUntilLeading()
	}

	tainted := time.Now().Truncate(time.Second)
	c.SetTaints("node-1", taints.Taint{Key: "a", Effect: taints.NoExecute, TimeAdded: &tainted})
	time.Sleep(time.Until(tainted.Add(10 * time.Second)))
	c.StopAPIServer()
	begun := time.Now()
	restarts := 0
	startEnded := func() {
		for _, e := range evictors {
			if e.Ended() {
				e.Process = c.Restart(e.Process)
				restarts++
			}
		}
	}
	for ; time.Since(begun) < outage; time.Sleep(100 * time.Millisecond) {
		startEnded()
	}
	c.StartAPIServer()
	ended := time.Now()
	t.Logf("the API server was gone for %v, and evictors ended %d times", ended.Sub(begun).Round(time.Millisecond), restarts)
	if restarts == 0 {
		t.Error("the leader did not end: this is not about a lease")
	}

	gone := map[string]time.Time{}
	controlplane.Within(t, time.Until(tainted.Add(time.Minute))+lease+slack+time.Minute, "all pods are evicted", func() error {
		startEnded()
		left := c.Pods(metav1.NamespaceDefault)
		for name := range want {
			if _, there := left[name]; !there && gone[name].IsZero() {
				gone[name] = time.Now()
			}
		}
		return unless(len(gone) == len(want), "%d of %d are", len(gone), len(want))
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
