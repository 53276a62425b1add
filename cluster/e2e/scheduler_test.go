// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
)

var (
	mlTaint      = corev1.Taint{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule}
	mlToleration = corev1.Toleration{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule}
)

// TestPlacement and TestTaintedEverywhere use the scheduler with the plugin as the
// only scheduler. Its second profile does not redact keys and values in messages.
func TestPlacement(t *testing.T) { testPlacement(t, "testdata/placement.yaml") }

func TestTaintedEverywhere(t *testing.T) { testPlacement(t, "testdata/tainted-everywhere.yaml") }

// A trial is a pod, and what happens to it.
type trial struct {
	Pod    string // a name; an existing pod is not created again
	Labels map[string]string
	CPU    *resource.Quantity // that it requests
	Spec   corev1.PodSpec     // without containers
	Waits  []string           // it waits, with a message that has these words
	Then   struct {
		Free     string // this node loses its taints and is uncordoned
		Tolerate *corev1.Toleration
		Add      []*corev1.Node
	}
	Placed []string // it is placed on one of these nodes
	Gone   string   // that pod is gone
}

// testPlacement starts the scheduler when the nodes are as in the file: the
// scheduler watches nodes and pods over two connections, and could place a pod
// before it knows of a taint that was added first.
func testPlacement(t *testing.T, file string) {
	var plan struct {
		Nodes  []*corev1.Node
		Trials []struct {
			Name string
			Pods []trial
		}
	}
	check(t, yaml.UnmarshalStrict(must(os.ReadFile(file))(t), &plan))
	c := start(t, controlplane.Options{})
	c.AddNodes(plan.Nodes...)
	for _, node := range plan.Nodes {
		c.UntilTainted("a cordoned node has a taint", node.Name, func(list []corev1.Taint) bool {
			return !node.Spec.Unschedulable || len(list) > 0
		})
	}
	c.Apply(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000})
	c.RunScheduler("scheduler", string(must(os.ReadFile("testdata/profiles.yaml"))(t)))
	for _, test := range plan.Trials {
		t.Run(test.Name, func(t *testing.T) {
			for _, trial := range test.Pods {
				try(t, c, trial)
			}
		})
	}
}

func try(t *testing.T, c *controlplane.Cluster, trial trial) {
	t.Helper()
	find := func(name string) *corev1.Pod { return c.Pods(metav1.NamespaceDefault)[name] }
	if find(trial.Pod) == nil {
		pod := controlplane.Pod(trial.Pod)
		trial.Spec.Containers, trial.Spec.TerminationGracePeriodSeconds = pod.Spec.Containers, new(int64)
		pod.Labels, pod.Spec = trial.Labels, trial.Spec
		if trial.CPU != nil {
			pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: *trial.CPU}
		}
		c.Apply(pod)
	}
	if trial.Waits != nil {
		c.Eventually(trial.Pod+" is pending", func() error {
			message := controlplane.Pending(find(trial.Pod))
			missing := func(words string) bool { return !strings.Contains(message, words) }
			return unless(message != "" && !slices.ContainsFunc(trial.Waits, missing), "the message is %q, want %q in it", message, trial.Waits)
		})
	}
	if node := trial.Then.Free; node != "" {
		patch := []byte(`{"spec":{"unschedulable":null,"taints":null}}`)
		must(c.Client.CoreV1().Nodes().Patch(t.Context(), node, types.StrategicMergePatchType, patch, metav1.PatchOptions{}))(t)
	}
	if toleration := trial.Then.Tolerate; toleration != nil {
		pod := find(trial.Pod)
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, *toleration)
		must(c.Client.CoreV1().Pods(pod.Namespace).Update(t.Context(), pod, metav1.UpdateOptions{}))(t)
	}
	c.AddNodes(trial.Then.Add...)
	if trial.Placed != nil {
		c.Eventually(trial.Pod+" is placed", func() error {
			pod := find(trial.Pod)
			on := pod.Spec.NodeName
			return unless(slices.Contains(trial.Placed, on), "it is on %q, want %v: %s", on, trial.Placed, controlplane.Pending(pod))
		})
	}
	if trial.Gone != "" && find(trial.Gone) != nil {
		t.Errorf("%s is still there", trial.Gone)
	}
}
