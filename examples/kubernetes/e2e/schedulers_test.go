// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"testing"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
	corev1 "k8s.io/api/core/v1"
)

type profile = cluster.Profile

// startScheduler starts a scheduler with the profiles, waits until it is ready, and
// returns the address of its pages.
func startScheduler(t *testing.T, c *cluster.Cluster, flags []string, profiles ...profile) (*cluster.Process, string) {
	t.Helper()
	return c.RunScheduler(flags, profiles...)
}

// pending is the message of the scheduler about a pod that it did not place, and
// empty for a pod that is placed or that no scheduler has looked at.
func pending(pod *corev1.Pod) string {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return condition.Message
		}
	}
	return ""
}

// settled returns an error as long as there is a pod that no scheduler has looked at.
func settled(pods map[string]*corev1.Pod, want int) error {
	if len(pods) != want {
		return fmt.Errorf("%d pods, want %d", len(pods), want)
	}
	done := 0
	for _, pod := range pods {
		if pod.Spec.NodeName != "" || pending(pod) != "" {
			done++
		}
	}
	if done < want {
		return fmt.Errorf("%d of %d pods have been looked at", done, want)
	}
	return nil
}
