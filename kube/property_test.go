// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-0529bac1/taints/internal/test/draw"
	"github.com/seed-0529bac1/taints/internal/test/viewtest"
	"github.com/seed-0529bac1/taints/kube"
)

func FuzzTaints(f *testing.F) { f.Fuzz(rapid.MakeFuzz(taintViews.RoundTrip(viewtest.Taints))) }
func FuzzTolerations(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(tolerationViews.RoundTrip(draw.Toleration)))
}

func TestPatchLeadsToTheTaints(t *testing.T) { rapid.Check(t, patchLeadsToTheTaints) }
func FuzzPatch(f *testing.F)                 { f.Fuzz(rapid.MakeFuzz(patchLeadsToTheTaints)) }

// A patch gives the node the taints, and there is one unless an API server stores them
// alike.
func patchLeadsToTheTaints(t *rapid.T) {
	list := draw.Taints.Draw(t, "node")
	node := &corev1.Node{Spec: corev1.NodeSpec{Taints: taintViews.BuildAll(list)}}
	if i := rapid.IntRange(0, len(list)).Draw(t, "changed"); i < len(list) {
		other := draw.Taint.Draw(t, "other")
		for _, change := range []func(){
			func() { list[i].Key = other.Key },
			func() { list[i].Value = other.Value },
			func() { list[i].Effect = other.Effect },
			func() { list[i].TimeAdded = other.TimeAdded },
		} {
			if rapid.Bool().Draw(t, "change") {
				change()
			}
		}
	}
	after := taintViews.BuildAll(list)
	want := stored(t, after)
	same := stored(t, node.Spec.Taints) == want
	patch := kube.TaintsPatch(node.ResourceVersion, node.Spec.Taints, after)
	if (patch == nil) != same {
		t.Fatalf("from %v to %v by %s", node.Spec.Taints, after, patch)
	}
	if same {
		return
	}
	var patched corev1.Node
	if err := json.Unmarshal(patch, &patched); err != nil {
		t.Fatalf("%s: %v", patch, err)
	}
	if got := stored(t, patched.Spec.Taints); got != want {
		t.Fatalf("%s leads to %s, want %s", patch, got, want)
	}
}

// stored returns the taints as an API server stores them: read and written again.
func stored(t *rapid.T, list []corev1.Taint) string {
	read := []corev1.Taint{}
	if err := json.Unmarshal([]byte(viewtest.Encode(t, list)), &read); err != nil {
		t.Fatalf("%v: %v", list, err)
	}
	return viewtest.Encode(t, append([]corev1.Taint{}, read...))
}
