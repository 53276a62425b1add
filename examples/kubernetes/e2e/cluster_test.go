// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"

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
