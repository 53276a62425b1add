// SPDX-License-Identifier: Apache-2.0

package clusterapi

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/adopters/clusterapi/internal/linked"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "3000"); err != nil { // unless the flag says otherwise
		panic(err)
	}
	os.Exit(m.Run())
}

func fromTaints(list []corev1.Taint) []taints.Taint {
	var out []taints.Taint
	for _, t := range list {
		taint := taints.Taint{Key: t.Key, Value: t.Value, Effect: taints.Effect(t.Effect)}
		if t.TimeAdded != nil {
			at := t.TimeAdded.Time
			taint.TimeAdded = &at
		}
		out = append(out, taint)
	}
	return out
}

func drawTaint(t *rapid.T) corev1.Taint {
	effects := []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}
	taint := corev1.Taint{
		Key:    rapid.SampledFrom([]string{"dedicated", "example.com/gpu", "spot"}).Draw(t, "key"),
		Value:  rapid.SampledFrom([]string{"", "ml", "5"}).Draw(t, "value"),
		Effect: corev1.TaintEffect(rapid.SampledFrom(effects).Draw(t, "effect")),
	}
	if rapid.Bool().Draw(t, "stamped") {
		taint.TimeAdded = &metav1.Time{Time: metav1.Unix(rapid.Int64Range(1, 9).Draw(t, "time"), 0).Time}
	}
	return taint
}

// drawTaints returns taints as an API server stores them: one per key and effect.
func drawTaints(t *rapid.T) []corev1.Taint {
	return rapid.SliceOfNDistinct(rapid.Custom(drawTaint), 0, 5, identity).Draw(t, "taints")
}

func identity(t corev1.Taint) taints.TaintID {
	return taints.TaintID{Key: t.Key, Effect: taints.Effect(t.Effect)}
}

func drawMachineTaints(t *rapid.T) []clusterv1.MachineTaint {
	var list []clusterv1.MachineTaint
	for _, taint := range drawTaints(t) {
		propagation := clusterv1.MachineTaintPropagationAlways
		if rapid.IntRange(0, 2).Draw(t, "propagation") == 0 {
			propagation = clusterv1.MachineTaintPropagationOnInitialization
		}
		list = append(list, clusterv1.MachineTaint{
			Key:         taint.Key,
			Value:       taint.Value,
			Effect:      taint.Effect,
			Propagation: propagation,
		})
	}
	return list
}

// propagate does with the library what the Machine controller does. The
// annotation lists the taints that the controller owns. Taints for
// initialization are added once and then have no owner.
func propagate(t *rapid.T, node *corev1.Node, machine []clusterv1.MachineTaint) taints.Changes {
	annotation, initialized := node.Annotations[clusterv1.TaintsFromMachineAnnotation]
	var owned []taints.TaintID
	for id := range strings.SplitSeq(annotation, ",") {
		if id == "" {
			continue
		}
		parsed, err := taints.ParseTaintID(id)
		if err != nil {
			t.Fatal(err)
		}
		owned = append(owned, parsed)
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
	return taints.ReconcileOwned(fromTaints(node.Spec.Taints), owned, desired)
}

// The taints of a machine change several times, and another client changes those
// of its node.
func TestPropagateMachineTaints(t *testing.T) {
	t.Log("compares Machine controller: propagateMachineTaintsToNode against ReconcileOwned, Changes.Apply, ParseTaintID")
	rapid.Check(t, func(t *rapid.T) {
		node := &corev1.Node{Spec: corev1.NodeSpec{Taints: drawTaints(t)}}
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			machine := drawMachineTaints(t)
			before := fromTaints(node.Spec.Taints)
			c := propagate(t, node, machine)
			got, changed := c.Apply(before)
			annotation, initialized := node.Annotations[clusterv1.TaintsFromMachineAnnotation]
			theirs, err := linked.PropagateMachineTaints(node, machine)
			if err != nil {
				t.Fatal(err)
			}
			if want := fromTaints(node.Spec.Taints); !slices.EqualFunc(got, want, taints.Taint.Equal) {
				t.Fatalf("%v of %v makes %v, in Cluster API %v", c, before, got, want)
			}
			now := node.Annotations[clusterv1.TaintsFromMachineAnnotation]
			if changed != theirs && initialized && now == annotation {
				t.Fatalf("%v changes %v: %v, in Cluster API %v", c, before, changed, theirs)
			}
			if c.IsZero() == changed {
				t.Fatalf("%v changes %v: %v", c, before, changed)
			}
			if rapid.Bool().Draw(t, "somebody else") {
				node.Spec.Taints = drawTaints(t)
			}
		}
	})
}

func TestNodeTaintHelpers(t *testing.T) {
	t.Log("compares EnsureNodeTaint, RemoveNodeTaint, HasTaint against Changes.Ensure, Changes.Apply, FindTaint")
	rapid.Check(t, func(t *rapid.T) {
		list, taint := drawTaints(t), drawTaint(t)
		given, mark := fromTaints(list), fromTaints([]corev1.Taint{taint})[0]
		_, found := taints.FindTaint(given, mark.ID())
		if want := linked.HasTaint(list, taint); found != want {
			t.Fatalf("%v in %v: %v, in Cluster API %v", mark, given, found, want)
		}
		removed := &corev1.Node{Spec: corev1.NodeSpec{Taints: list}}
		want := linked.RemoveNodeTaint(removed, taint)
		got, changed := taints.Changes{Remove: []taints.TaintID{mark.ID()}}.Apply(given)
		if changed != want || !slices.EqualFunc(got, fromTaints(removed.Spec.Taints), taints.Taint.Equal) {
			t.Fatalf("%v without %v: %v, in Cluster API %v", given, mark, got, removed.Spec.Taints)
		}
		ensured := &corev1.Node{Spec: corev1.NodeSpec{Taints: list}}
		want = linked.EnsureNodeTaint(ensured, taint)
		got, changed = taints.Changes{Add: []taints.Taint{mark}}.Ensure(given)
		if changed != want || !slices.EqualFunc(got, fromTaints(ensured.Spec.Taints), taints.Taint.Equal) {
			t.Fatalf("%v with %v: %v, in Cluster API %v", given, mark, got, ensured.Spec.Taints)
		}
	})
}
