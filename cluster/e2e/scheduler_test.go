// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
		Add      *corev1.Node
	}
	Placed []string // it is placed on one of these nodes
	Gone   string   // that pod is gone
}

// A field is a cluster in which a scheduler with the plugin places pods.
type field struct{ *controlplane.Cluster }

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
	f := field{start(t, controlplane.Options{})}
	f.AddNodes(plan.Nodes...)
	f.Eventually("a cordoned node has a taint", func() error {
		nodes := must(f.Client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}))(t)
		for _, node := range nodes.Items {
			if node.Spec.Unschedulable && len(node.Spec.Taints) == 0 {
				return fmt.Errorf("%s has none", node.Name)
			}
		}
		return nil
	})
	f.Apply(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000})
	f.RunScheduler(string(must(os.ReadFile("testdata/profiles.yaml"))(t)))
	for _, test := range plan.Trials {
		t.Run(test.Name, func(t *testing.T) {
			for _, trial := range test.Pods {
				f.run(t, trial)
			}
		})
	}
}

// pod returns the pod, or nil if there is none. It does not read the API server's
// cache, which may be behind.
func (f field) pod(t *testing.T, name string) *corev1.Pod {
	t.Helper()
	pod, err := f.Client.CoreV1().Pods(metav1.NamespaceDefault).Get(t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	check(t, err)
	return pod
}

func (f field) run(t *testing.T, trial trial) {
	t.Helper()
	if f.pod(t, trial.Pod) == nil {
		f.add(trial)
	}
	if trial.Waits != nil {
		f.Eventually(trial.Pod+" is pending", func() error {
			message := controlplane.Pending(f.pod(t, trial.Pod))
			missing := func(words string) bool { return !strings.Contains(message, words) }
			return unless(message != "" && !slices.ContainsFunc(trial.Waits, missing), "the message is %q, want %q in it", message, trial.Waits)
		})
	}
	f.then(t, trial)
	if trial.Placed != nil {
		f.Eventually(trial.Pod+" is placed", func() error {
			pod := f.pod(t, trial.Pod)
			on := pod.Spec.NodeName
			return unless(slices.Contains(trial.Placed, on), "it is on %q, want %v: %s", on, trial.Placed, controlplane.Pending(pod))
		})
	}
	if trial.Gone != "" && f.pod(t, trial.Gone) != nil {
		t.Errorf("%s is still there", trial.Gone)
	}
}

func (f field) add(trial trial) {
	pod := controlplane.Pod(trial.Pod)
	trial.Spec.Containers, trial.Spec.TerminationGracePeriodSeconds = pod.Spec.Containers, new(int64)
	pod.Labels, pod.Spec = trial.Labels, trial.Spec
	if trial.CPU != nil {
		pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: *trial.CPU}
	}
	f.AddPods(pod)
}

// then makes the changes that let the pod be placed.
func (f field) then(t *testing.T, trial trial) {
	t.Helper()
	change := trial.Then
	if change.Free != "" {
		patch := []byte(`{"spec":{"unschedulable":null,"taints":null}}`)
		must(f.Client.CoreV1().Nodes().Patch(t.Context(), change.Free, types.StrategicMergePatchType, patch, metav1.PatchOptions{}))(t)
	}
	if change.Tolerate != nil {
		pod := f.pod(t, trial.Pod)
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, *change.Tolerate)
		must(f.Client.CoreV1().Pods(pod.Namespace).Update(t.Context(), pod, metav1.UpdateOptions{}))(t)
	}
	if change.Add != nil {
		f.AddNodes(change.Add)
	}
}
