// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/adopters/internal/linked"
	"github.com/seed-0529bac1/taints/kube"
)

// drawValid returns the taints of a node that are valid, some with the time they were
// added.
func drawValid(t *rapid.T) []corev1.Taint {
	list := slices.DeleteFunc(drawNode(t, "taints"), func(t corev1.Taint) bool { return kube.Taint(t).Validate() != nil })
	for i := range list {
		if rapid.Bool().Draw(t, "stamped") {
			at := metav1.Unix(rapid.Int64Range(1, 9).Draw(t, "time"), 0)
			list[i].TimeAdded = &at
		}
	}
	return list
}

func drawMachineTaints(t *rapid.T) []clusterv1.MachineTaint {
	var list []clusterv1.MachineTaint
	for _, taint := range drawValid(t) {
		propagation := clusterv1.MachineTaintPropagationAlways
		if rapid.IntRange(0, 2).Draw(t, "propagation") == 0 {
			propagation = clusterv1.MachineTaintPropagationOnInitialization
		}
		list = append(list, clusterv1.MachineTaint{
			Key: taint.Key, Value: taint.Value, Effect: taint.Effect, Propagation: propagation,
		})
	}
	return list
}

// propagate does with the library what the Machine controller does. The
// annotation lists the taints that the controller owns. Taints for
// initialization are added once and then have no owner.
func propagate(node *corev1.Node, machine []clusterv1.MachineTaint) taints.Changes {
	annotation, initialized := node.Annotations[clusterv1.TaintsFromMachineAnnotation]
	var owned []taints.TaintID
	for id := range strings.SplitSeq(annotation, ",") {
		if id != "" {
			owned = append(owned, taints.Must(taints.ParseTaint(id)).ID())
		}
	}
	var desired []taints.Taint
	for _, m := range machine {
		taint := taints.Taint{Key: m.Key, Value: m.Value, Effect: taints.Effect(m.Effect)}
		if m.Propagation == clusterv1.MachineTaintPropagationAlways || !initialized {
			desired = append(desired, taint)
			continue
		}
		owned = slices.DeleteFunc(owned, func(id taints.TaintID) bool { return id == taint.ID() })
	}
	return taints.ReconcileOwned(kube.Taints(node.Spec.Taints), owned, desired)
}

// The taints of a machine change several times, and another client changes those
// of its node.
func TestPropagateMachineTaints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node := &corev1.Node{Spec: corev1.NodeSpec{Taints: drawValid(t)}}
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			machine := drawMachineTaints(t)
			before := slices.Clone(kube.Taints(node.Spec.Taints)) // Cluster API writes to the list
			c := propagate(node, machine)
			got, changed := c.Apply(before)
			annotation, initialized := node.Annotations[clusterv1.TaintsFromMachineAnnotation]
			theirs, err := linked.PropagateMachineTaints(node, machine)
			if err != nil {
				t.Fatal(err)
			}
			if want := kube.Taints(node.Spec.Taints); !slices.EqualFunc(got, want, taints.Taint.Equal) {
				t.Fatalf("%v of %v makes %v, in Cluster API %v", c, before, got, want)
			}
			if changed != theirs && initialized && node.Annotations[clusterv1.TaintsFromMachineAnnotation] == annotation {
				t.Fatalf("%v changes %v: %v, in Cluster API %v", c, before, changed, theirs)
			}
			if c.IsZero() == changed {
				t.Fatalf("%v changes %v: %v", c, before, changed)
			}
			if rapid.Bool().Draw(t, "somebody else") {
				node.Spec.Taints = drawValid(t)
			}
		}
	})
}

func TestNodeTaintHelpers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, taint := drawValid(t), drawTaint(t)
		mark := kube.Taint(taint)
		if _, found := kube.FindTaint(list, mark.ID()); found != linked.HasTaint(list, taint) {
			t.Fatalf("%v in %v: %v, in Cluster API %v", mark, list, found, !found)
		}
		for name, test := range map[string]struct {
			theirs func(*corev1.Node, corev1.Taint) bool
			ours   func([]taints.Taint) ([]taints.Taint, bool)
		}{
			"without": {linked.RemoveNodeTaint, taints.Changes{Remove: []taints.TaintID{mark.ID()}}.Apply},
			"with":    {linked.EnsureNodeTaint, taints.Changes{Add: []taints.Taint{mark}}.Ensure},
		} {
			node := &corev1.Node{Spec: corev1.NodeSpec{Taints: slices.Clone(list)}}
			want := test.theirs(node, taint)
			got, changed := test.ours(kube.Taints(list))
			if changed != want || !slices.EqualFunc(got, kube.Taints(node.Spec.Taints), taints.Taint.Equal) {
				t.Fatalf("%v %s %v: %v, in Cluster API %v", list, name, mark, got, node.Spec.Taints)
			}
		}
	})
}
