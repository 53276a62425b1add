// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"flag"
	"fmt"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

var logs = flag.String("logs", "", "keep the output of the programs in this `folder`")

func TestMain(m *testing.M) {
	cluster.KillOnSignal()
	os.Exit(m.Run())
}

// start starts a control plane that ends with the test. A test with -short is skipped.
func start(t *testing.T, options cluster.Options) *cluster.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a control plane: leave out -short")
	}
	options.Logs = *logs
	return cluster.Start(t, options)
}

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

// must returns a function that returns the value, or fails the test with the error.
func must[V any](value V, err error) func(*testing.T) V {
	return func(t *testing.T) V {
		t.Helper()
		check(t, err)
		return value
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
