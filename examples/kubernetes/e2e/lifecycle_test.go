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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
	"github.com/seed-0529bac1/taints/kube"
)

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
	var taint *corev1.Taint
	c.Within(time.Minute, "node-1 is found unreachable", func() error {
		node := must(c.Client.CoreV1().Nodes().Get(t.Context(), "node-1", metav1.GetOptions{}))(t)
		id := taints.TaintID{Key: corev1.TaintNodeUnreachable, Effect: taints.NoExecute}
		at, found := taints.FindTaint(kube.Taints(node.Spec.Taints), id)
		if !found {
			return fmt.Errorf("it has taints %v", node.Spec.Taints)
		}
		taint = &node.Spec.Taints[at]
		return nil
	})
	deadline := taint.TimeAdded.Add(tolerated)

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

// daemonSet returns a DaemonSet whose pods have the tolerations.
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
