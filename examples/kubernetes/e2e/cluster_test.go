// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

// TestControlPlane starts and stops the control plane, and nothing else.
func TestControlPlane(t *testing.T) {
	c := start(t, cluster.Options{})
	version, err := c.Client.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if want := "v1.36.3"; version.GitVersion != want {
		t.Errorf("the API server is %s, want %s", version.GitVersion, want)
	}
	c.AddNodes(cluster.Node("node-1"), cluster.Node("node-2"))
	c.AddPods(cluster.Pod("pod-1"))
	if pods := c.Pods("default"); pods["pod-1"] == nil {
		t.Errorf("the pod is not there: %v", pods)
	}
}

// eventuallyPods returns the pods of the namespace default when there are so many.
func eventuallyPods(c *cluster.Cluster, n int) (pods map[string]*corev1.Pod) {
	c.Eventually(fmt.Sprintf("there are %d pods", n), func() error {
		if pods = c.Pods(metav1.NamespaceDefault); len(pods) != n {
			return fmt.Errorf("there are %d", len(pods))
		}
		return nil
	})
	return pods
}
