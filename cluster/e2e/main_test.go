// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
)

// root is the folder in which the commands of the READMEs are run.
const root = "../.."

var logs = flag.String("logs", "", "keep the output of the programs in this `folder`")

func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the programs: leave out -short")
	}
}

func start(t *testing.T, options controlplane.Options) *controlplane.Cluster {
	t.Helper()
	skipShort(t)
	options.Logs = *logs
	return controlplane.Start(t, options)
}

// unless returns an error with the text unless something is right.
func unless(right bool, format string, args ...any) error {
	if right {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// settled returns an error until schedulers have looked at all of the wanted pods.
func settled(pods map[string]*corev1.Pod, want int) error {
	unseen := slices.DeleteFunc(slices.Collect(maps.Values(pods)), controlplane.Settled)
	return unless(len(pods) == want && len(unseen) == 0, "of %d pods, want %d, %d are waiting", len(pods), want, len(unseen))
}

// podOn returns a pod on a node.
func podOn(node, name string, tolerations ...corev1.Toleration) *corev1.Pod {
	pod := controlplane.Pod(name, tolerations...)
	pod.Spec.NodeName = node
	return pod
}

// inPath returns the variable PATH with a folder before all others.
func inPath(t *testing.T, folder string) string {
	t.Helper()
	return "PATH=" + must(filepath.Abs(folder))(t) + ":" + os.Getenv("PATH")
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
