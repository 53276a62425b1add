// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
)

// TestTogether installs all manifests, with the registration of the webhook last and
// first. Every pod that they ask for is created, and created again while the webhook
// is down: the evictor must come back then.
func TestTogether(t *testing.T) {
	t.Run("registered last", func(t *testing.T) {
		c := installed(t, must(controlplane.Manifest("../manifests/example"))(t))
		rules := must(c.Client.CoreV1().ConfigMaps(controlplane.WebhookNamespace).Get(t.Context(), "admission-rules", metav1.GetOptions{}))(t)
		webhook := c.RunWebhook(controlplane.FreeAddress(t), "-rules="+c.WriteFile("rules.json", rules.Data["rules.json"]))
		again(t, c)
		c.AddNodes(controlplane.Node("node-1"), controlplane.Node("node-2"))
		c.Apply(must(controlplane.Manifest("../play/workloads"))(t)...)
		created(t, c)
		webhook.Kill()
		again(t, c)
	})
	t.Run("registered first", func(t *testing.T) {
		objects := kustomize(t, "resources: [cluster/manifests/example]\ncomponents: ["+
			"cluster/manifests/evictor/delete, cluster/manifests/webhook/cert-manager]")
		rank := func(o client.Object) int {
			kind := o.GetObjectKind().GroupVersionKind().Kind
			return slices.Index([]string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "Namespace"}, kind)
		}
		slices.SortStableFunc(objects, func(a, b client.Object) int { return rank(b) - rank(a) })
		c := installed(t, objects)
		again(t, c)
		check(t, c.TryPod(in("cert-manager", controlplane.Pod("cert-manager")))) // it comes before the certificate
	})
}

// installed starts a cluster of a cloud with the objects, which include the
// registration of a webhook that does not run, and waits for the pods.
func installed(t *testing.T, objects []client.Object) *controlplane.Cluster {
	t.Helper()
	c := start(t, controlplane.Options{
		APIServer:         []string{"--admission-control-config-file=" + must(filepath.Abs("testdata/cloud/admission.yaml"))(t)},
		ControllerManager: []string{noTaintEviction},
	})
	c.Install("testdata/cloud")
	c.Apply(objects...)
	created(t, c)
	c.Eventually("the webhook is called, and does not answer", func() error {
		err := c.TryPod(controlplane.Pod("refused"))
		return unless(apierrors.IsInternalError(err) && strings.Contains(err.Error(), "dial unix no-services: "), "got %v", err) // not 10.0.0.x
	})
	return c
}

// created waits until there are the pods that Deployments and DaemonSets ask for.
func created(t *testing.T, c *controlplane.Cluster) {
	t.Helper()
	all := metav1.ListOptions{}
	c.Eventually("every pod is created", func() error {
		nodes := must(c.Client.CoreV1().Nodes().List(t.Context(), all))(t).Items
		want, got := map[string]int{}, map[string]int{}
		for _, d := range must(c.Client.AppsV1().Deployments("").List(t.Context(), all))(t).Items {
			want[d.Namespace+"/"+d.Name] = int(*d.Spec.Replicas)
		}
		for _, d := range must(c.Client.AppsV1().DaemonSets("").List(t.Context(), all))(t).Items {
			want[d.Namespace+"/"+d.Name] = len(nodes)
		}
		for _, pod := range c.Pods(metav1.NamespaceAll) {
			got[pod.Namespace+"/"+pod.Labels["app"]+pod.Labels["app.kubernetes.io/name"]]++
		}
		return unless(maps.Equal(got, want), "there are %v, want %v", got, want)
	})
}

// again deletes the pods of the programs, and waits until there are others.
func again(t *testing.T, c *controlplane.Cluster) {
	t.Helper()
	for _, namespace := range []string{controlplane.Evictor, controlplane.WebhookNamespace, metav1.NamespaceSystem} {
		check(t, c.Client.CoreV1().Pods(namespace).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	}
	created(t, c)
}

// The nodes of all replicas stop their heartbeat. The budgets of the programs let their
// pods go. Those of users hold back the evictions, so the evictor deletes the pods after
// a time. All come back on other nodes. A pod of a DaemonSet stays.
func TestNodesOfAllReplicasFail(t *testing.T) {
	c := start(t, controlplane.Options{
		ControllerManager: []string{noTaintEviction, "--node-monitor-period=1s", "--node-monitor-grace-period=6s", "--node-eviction-rate=20"},
		Kubelets:          true,
	})
	c.Install("testdata/failed")
	failed := []string{"node-1", "node-2"}
	c.AddNodes(controlplane.Node("node-1"), controlplane.Node("node-2"))
	c.RunScheduler("kube-scheduler", "")
	runOn(c, failed...)
	c.AddNodes(controlplane.Node("node-3"), controlplane.Node("node-4"), controlplane.Node("node-5"))
	e := startLeader(t, c, "-delete-held-after=5s")

	c.StopHeartbeat(failed...)
	runOn(c, "node-3", "node-4", "node-5")
	for _, pod := range c.Pods(metav1.NamespaceAll) {
		want := "EvictionByEvictionAPI"
		switch {
		case !slices.Contains(failed, pod.Spec.NodeName) || pod.Labels["app"] == "agent":
			want = ""
		case pod.Namespace == metav1.NamespaceDefault:
			want = "DeletionByTaintManager"
		}
		if got := controlplane.Condition(pod, corev1.DisruptionTarget).Reason; got != want {
			t.Errorf("%s/%s has the condition DisruptionTarget with reason %q, want %q", pod.Namespace, pod.Name, got, want)
		}
	}
	event(c, "an event says that a pod is deleted", func(event eventsv1.Event) bool { return event.Action == "DeleteDespiteDisruptionBudget" })
	e.stop()
}

// runOn waits until the replicas of all Deployments run on the nodes.
func runOn(c *controlplane.Cluster, nodes ...string) {
	c.Eventually(fmt.Sprintf("every replica runs on %v", nodes), func() error {
		running := 0
		for _, pod := range c.Pods(metav1.NamespaceAll) {
			if pod.Status.Phase == corev1.PodRunning && slices.Contains(nodes, pod.Spec.NodeName) && pod.Labels["app"] != "agent" {
				running++
			}
		}
		want := 2 * (len(programs) + 2)
		return unless(running == want, "%d do, want %d", running, want)
	})
}
