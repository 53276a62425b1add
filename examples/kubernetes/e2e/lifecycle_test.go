// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

// A node stops to renew its lease. The node-lifecycle controller finds it
// unreachable and taints it; its pods have the toleration that admission gave them,
// for 5 s instead of 300 s; the evictor evicts them when that is over. A DaemonSet's
// pod stays, and so do the pods of other nodes. The evictor deletes, as Kubernetes'
// controller does.
func TestANodeThatFails(t *testing.T) {
	const tolerated = 5 * time.Second
	c := start(t, cluster.Options{
		APIServer: []string{fmt.Sprintf("--default-unreachable-toleration-seconds=%.0f", tolerated.Seconds())},
		ControllerManager: []string{
			noTaintEviction,
			"--node-monitor-period=1s", "--node-monitor-grace-period=6s", "--node-eviction-rate=20",
		},
		Heartbeat: time.Second,
	})
	c.Install("evictor")
	c.Apply(rightsToDelete(t)...)
	c.AddNodes(cluster.Node("node-1"), cluster.Node("node-2"), cluster.Node("node-3"))
	startScheduler(t, c, nil, profile{Name: corev1.DefaultSchedulerName})
	agent := daemonSet("agent")
	agent.Namespace = metav1.NamespaceDefault
	c.Apply(agent)
	c.Eventually("the DaemonSet has a pod on each node", func() error {
		if n := len(daemons(t, c)); n != 3 {
			return fmt.Errorf("it has %d", n)
		}
		return nil
	})

	lasting := cluster.Pod("lasting", corev1.Toleration{
		Operator: corev1.TolerationOpExists,
		Effect:   corev1.TaintEffectNoExecute,
	})
	for _, pod := range []*corev1.Pod{cluster.Pod("web-1"), cluster.Pod("web-2"), lasting} {
		pod.Spec.NodeName = "node-1"
		c.AddPods(pod)
	}
	elsewhere := cluster.Pod("elsewhere")
	elsewhere.Spec.NodeName = "node-2"
	c.AddPods(elsewhere)
	checkDefaultTolerations(t, c.Pods(metav1.NamespaceDefault)["web-1"], tolerated)

	e := startEvictor(t, c, append(missedSoon, "-method=delete")...)
	e.waitUntilLeading()
	watcher := watchPods(t, c)
	c.StopHeartbeat("node-1")
	silent := time.Now()
	var taint *corev1.Taint
	c.Within(time.Minute, "node-1 is found unreachable", func() (err error) {
		taint, err = unreachable(t, c, "node-1")
		return err
	})
	t.Logf("unreachable:NoExecute came %v after the last heartbeat", time.Since(silent).Round(time.Millisecond))
	if taint.TimeAdded == nil {
		t.Fatal("the taint has no timeAdded")
	}
	deadline := taint.TimeAdded.Add(tolerated)

	c.Within(30*time.Second, "the pods are evicted", func() error {
		if gone := watcher.gone(); len(gone) < 2 {
			return fmt.Errorf("%d are", len(gone))
		}
		return nil
	})
	sleepUntil(c, deadline.Add(onTime+busy)) // for those that are to stay
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
	if n := len(daemons(t, c)); n != 3 {
		t.Errorf("%d pods of the DaemonSet are left, want 3", n)
	}

	e.stop()
}

// checkDefaultTolerations checks what admission gave a pod that asks for nothing.
func checkDefaultTolerations(t *testing.T, pod *corev1.Pod, forUnreachable time.Duration) {
	t.Helper()
	var want []corev1.Toleration
	for key, seconds := range map[string]int64{
		corev1.TaintNodeNotReady: 300, corev1.TaintNodeUnreachable: int64(forUnreachable.Seconds()),
	} {
		want = append(want, corev1.Toleration{
			Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
		})
	}
	slices.SortFunc(want, func(a, b corev1.Toleration) int { return strings.Compare(a.Key, b.Key) })
	if !equality.Semantic.DeepEqual(pod.Spec.Tolerations, want) {
		t.Errorf("admission gave tolerations %v, want %v", pod.Spec.Tolerations, want)
	}
}

// unreachable returns the taint that evicts pods of a node that is silent, or an
// error if it is not there.
func unreachable(t *testing.T, c *cluster.Cluster, name string) (*corev1.Taint, error) {
	node, err := c.Client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	for i := range node.Spec.Taints {
		taint := &node.Spec.Taints[i]
		if taint.Key == corev1.TaintNodeUnreachable && taint.Effect == corev1.TaintEffectNoExecute {
			return taint, nil
		}
	}
	return nil, fmt.Errorf("it has taints %v", node.Spec.Taints)
}

// daemonSet returns a DaemonSet whose pods tolerate that.
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

// daemons are the pods of the DaemonSet that are on nodes, and not being deleted.
func daemons(t *testing.T, c *cluster.Cluster) []string {
	t.Helper()
	var names []string
	for name, pod := range c.Pods(metav1.NamespaceDefault) {
		if pod.Labels["app"] == "agent" && pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil {
			names = append(names, name)
		}
	}
	return names
}

// rightsToDelete are those that the component for -method=delete adds to the manifest.
func rightsToDelete(t *testing.T) []client.Object {
	t.Helper()
	return slices.DeleteFunc(overlay(t, "evictor", "evictor/delete"), func(object client.Object) bool {
		return object.GetName() != "taints-evictor-delete"
	})
}

// Two evictors stand by for each other, a taint has no timeAdded, and a
// PodDisruptionBudget holds a pod back. The leader is stopped: the other keeps the
// deadline, because it has seen the taint. The budget is lifted: the pod goes.
func TestEvictorsInTurn(t *testing.T) {
	c := start(t, cluster.Options{ControllerManager: []string{noTaintEviction}, Kubelets: true}) // no budget guards a pod that does not run
	c.Install("evictor")
	c.AddNodes(cluster.Node("node-1"))
	seconds := int64(12)
	toleration := corev1.Toleration{
		Key:               "maintenance",
		Operator:          corev1.TolerationOpExists,
		TolerationSeconds: &seconds,
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
	patch := []byte(`{"spec":{"taints":[{"key":"maintenance","effect":"NoExecute"}]}}`)
	nodes := c.Client.CoreV1().Nodes()
	must(nodes.Patch(t.Context(), "node-1", types.MergePatchType, patch, metav1.PatchOptions{}))(t)
	c.Eventually("both pods have a deadline", func() error {
		if n, err := first.value("taints_evictor_queue_length", ""); err != nil || n != 2 {
			return fmt.Errorf("%v have, %v", n, err)
		}
		return nil
	})
	first.stop()
	second.waitUntilLeading()
	t.Logf("the other leads after %v", time.Since(before).Round(time.Millisecond))

	deadline := before.Add(time.Duration(seconds) * time.Second)
	c.Within(time.Minute, "a pod is evicted, and one is held back", func() error {
		n, err := second.value("taints_evictor_evictions_total", "blocked")
		if gone := watcher.gone(); err != nil || n < 2 || len(gone) != 1 {
			return fmt.Errorf("%v are gone, %v attempts were blocked, %v", gone, n, err)
		}
		return nil
	})
	checkHeldBack(t, second)
	if late := watcher.gone()["web"].Sub(deadline); late < 0 || late > onTime+busy {
		t.Errorf("web was evicted %v after its deadline", late)
	}
	budgets := c.Client.PolicyV1().PodDisruptionBudgets(metav1.NamespaceDefault)
	check(t, budgets.Delete(t.Context(), "guarded", metav1.DeleteOptions{}))
	c.Within(time.Minute, "the other pod is evicted", func() error {
		if _, ok := watcher.gone()["guarded"]; !ok {
			return fmt.Errorf("it is not")
		}
		return nil
	})
	if got := watcher.target("guarded"); got != "EvictionByEvictionAPI" {
		t.Errorf("the pod has the condition DisruptionTarget with reason %q", got)
	}
	c.Within(time.Minute, "nothing is still overdue", func() error {
		if overdue, err := second.value("taints_evictor_oldest_overdue_seconds", ""); err != nil || overdue != 0 {
			return fmt.Errorf("%v s, %v", overdue, err)
		}
		return nil
	})
	second.stop()
}

// checkHeldBack checks what the evictor tells of a pod that a budget holds back, and
// that alerts look at what it tells.
func checkHeldBack(t *testing.T, e *evictor) {
	t.Helper()
	if overdue, err := e.value("taints_evictor_oldest_overdue_seconds", ""); err != nil || overdue <= 0 {
		t.Errorf("the oldest is overdue for %v s, %v", overdue, err)
	}
	event(e.c, "an event says that a budget holds the pod back", func(event *eventsv1.Event) bool {
		return event.Regarding.Name == "guarded" && event.Action == "WaitForDisruptionBudget" && event.Type == corev1.EventTypeWarning &&
			strings.HasSuffix(event.Note, "The disruption budget guarded needs 1 healthy pods and has 1 currently")
	})
	families := must(e.c.Metrics(e.metrics))(t)
	checkAlerts(t, "evictor", families)
	checkRights(t, e.c, cluster.Evictor, cluster.Evictor,
		right{"create", "", "pods/eviction", "", true},
		right{"watch", "", "nodes", "", true},
		right{"update", "coordination.k8s.io", "leases", cluster.Evictor, true},
		right{"update", "coordination.k8s.io", "leases", "other", false},
		right{"delete", "", "pods", "", false},
		right{"patch", "", "nodes", "", false},
		right{"get", "", "secrets", "", false},
	)
}

// addBudget adds a budget that allows no disruption, and waits until it is in force.
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
		budget, err := c.Client.PolicyV1().PodDisruptionBudgets(budget.Namespace).Get(t.Context(), budget.Name, metav1.GetOptions{})
		if err == nil && (budget.Status.ObservedGeneration < budget.Generation || budget.Status.CurrentHealthy != 1) {
			err = fmt.Errorf("its status is %+v", budget.Status)
		}
		return err
	})
}
