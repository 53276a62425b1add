// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

// The nodes of all replicas fail: those of the programs, and those of users. The
// programs' budgets let their pods go. Those of the users hold back the evictions, so
// the evictor deletes the pods after a time. All come back on other nodes.
func TestNodesOfAllReplicasFail(t *testing.T) {
	c := start(t, cluster.Options{
		ControllerManager: []string{noTaintEviction, "--node-monitor-period=1s", "--node-monitor-grace-period=6s", "--node-eviction-rate=20"},
		Kubelets:          true,
	})
	objects := must(cluster.Manifest(must(filepath.Abs("testdata/failed"))(t)))(t)
	for _, program := range programs {
		objects = append(objects, must(cluster.Manifest(program))(t)...)
	}
	for _, object := range objects {
		switch o := object.(type) {
		case *admissionregistrationv1.MutatingWebhookConfiguration, *admissionregistrationv1.ValidatingWebhookConfiguration:
			continue // its pods only report that they run
		case *appsv1.Deployment:
			for i := range o.Spec.Template.Spec.Tolerations {
				if seconds := o.Spec.Template.Spec.Tolerations[i].TolerationSeconds; seconds != nil {
					*seconds /= 60
				}
			}
		}
		c.Apply(object)
	}
	failed := []string{"node-1", "node-2"}
	c.AddNodes(linux("node-1"), linux("node-2"))
	c.RunScheduler(cluster.Profile{Name: corev1.DefaultSchedulerName})
	runOn(t, c, failed...)
	c.AddNodes(linux("node-3"), linux("node-4"), linux("node-5"))
	e := startEvictor(t, c, append(missedSoon, "-delete-held-after=5s")...)
	e.waitUntilLeading()

	c.StopHeartbeat(failed...)
	runOn(t, c, "node-3", "node-4", "node-5")
	for namespace, want := range map[string]string{
		metav1.NamespaceDefault: "DeletionByTaintManager", metav1.NamespaceSystem: "EvictionByEvictionAPI",
		cluster.WebhookNamespace: "EvictionByEvictionAPI", cluster.Evictor: "EvictionByEvictionAPI",
	} {
		for name, pod := range c.Pods(namespace) {
			if got := cluster.Condition(pod, corev1.DisruptionTarget).Reason; pod.DeletionTimestamp != nil && got != want {
				t.Errorf("%s/%s has the condition DisruptionTarget with reason %q, want %q", namespace, name, got, want)
			}
		}
	}
	event(c, "an event says that a pod is deleted", func(event eventsv1.Event) bool { return event.Action == "DeleteDespiteDisruptionBudget" })
	e.stop()
}

// linux returns a node for the programs.
func linux(name string) *corev1.Node {
	node := cluster.Node(name)
	node.Labels[corev1.LabelOSStable] = "linux"
	return node
}

// runOn waits until the pods of all Deployments run on the nodes, except for those that
// are being deleted.
func runOn(t *testing.T, c *cluster.Cluster, nodes ...string) {
	t.Helper()
	c.Eventually(fmt.Sprintf("every pod runs on %v", nodes), func() error {
		list := must(c.Client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}))(t).Items
		list = slices.DeleteFunc(list, func(pod corev1.Pod) bool { return pod.DeletionTimestamp != nil })
		for _, pod := range list {
			if pod.Status.Phase != corev1.PodRunning || !slices.Contains(nodes, pod.Spec.NodeName) {
				return fmt.Errorf("%s is %s on %q: %s", client.ObjectKeyFromObject(&pod), pod.Status.Phase, pod.Spec.NodeName, pending(&pod))
			}
		}
		if want := 2 * (len(programs) + 2); len(list) != want {
			return fmt.Errorf("there are %d, want %d", len(list), want)
		}
		return nil
	})
}
