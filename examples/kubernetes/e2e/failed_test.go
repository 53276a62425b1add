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

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

// The nodes of all replicas stop their heartbeat. The budgets of the programs let their
// pods go. Those of users hold back the evictions, so the evictor deletes the pods after
// a time. All come back on other nodes. A pod of a DaemonSet stays.
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
	for _, pod := range all(t, c) {
		want := "EvictionByEvictionAPI"
		switch {
		case !slices.Contains(failed, pod.Spec.NodeName) || pod.Labels["app"] == "agent":
			want = ""
		case pod.Namespace == metav1.NamespaceDefault:
			want = "DeletionByTaintManager"
		}
		if got := cluster.Condition(&pod, corev1.DisruptionTarget).Reason; got != want {
			t.Errorf("%s/%s has the condition DisruptionTarget with reason %q, want %q", pod.Namespace, pod.Name, got, want)
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

func all(t *testing.T, c *cluster.Cluster) []corev1.Pod {
	t.Helper()
	return must(c.Client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}))(t).Items
}

// runOn waits until the replicas of all Deployments run on the nodes.
func runOn(t *testing.T, c *cluster.Cluster, nodes ...string) {
	t.Helper()
	c.Eventually(fmt.Sprintf("every replica runs on %v", nodes), func() error {
		running := 0
		for _, pod := range all(t, c) {
			if pod.Status.Phase == corev1.PodRunning && slices.Contains(nodes, pod.Spec.NodeName) && pod.Labels["app"] != "agent" {
				running++
			}
		}
		if want := 2 * (len(programs) + 2); running != want {
			return fmt.Errorf("%d do, want %d", running, want)
		}
		return nil
	})
}
