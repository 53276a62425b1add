// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"testing"

	"github.com/seed-0529bac1/taints/kube"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"pgregory.net/rapid"
)

// An API server's code for both kinds of patch gives the node the taints of
// TaintsPatch and changes nothing else.
func TestTaintsPatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: "node", Labels: map[string]string{"a": "b"}, ResourceVersion: "7"},
			Spec:       corev1.NodeSpec{PodCIDRs: []string{"10.0.0.0/24"}, Unschedulable: rapid.Bool().Draw(t, "cordoned"), Taints: drawTaints(t)},
		}
		after := drawTaints(t)
		for i := range after { // Kubernetes' JSON has whole seconds, and null for the zero time
			after[i].TimeAdded = nil
			if rapid.Bool().Draw(t, "time") {
				at := metav1.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "added"), 0)
				after[i].TimeAdded = &at
			}
		}
		patch := kube.TaintsPatch(node.ResourceVersion, node.Spec.Taints, after)
		if patch == nil {
			same(t, "the taints without a patch", kube.Taints(node.Spec.Taints), kube.Taints(after))
			return
		}
		want := node.DeepCopy()
		want.Spec.Taints = after
		stored, err := json.Marshal(node)
		same(t, "the node has no JSON", err, nil)
		merged, err := jsonpatch.MergePatch(stored, patch)
		same(t, "the merge patch fails", err, nil)
		same(t, "the node after a merge patch", written(t, merged), written(t, marshal(t, want)))
		merged, err = strategicpatch.StrategicMergePatch(stored, patch, corev1.Node{})
		same(t, "the strategic merge patch fails", err, nil)
		same(t, "the node after a strategic merge patch", written(t, merged), written(t, marshal(t, want)))
	})
}

// written returns the node as a program reads it, with times in UTC.
func written(t *rapid.T, text []byte) corev1.Node {
	var node corev1.Node
	same(t, "the node cannot be read", json.Unmarshal(text, &node), nil)
	return node
}

func marshal(t *rapid.T, node *corev1.Node) []byte {
	text, err := json.Marshal(node)
	same(t, "the node has no JSON", err, nil)
	return text
}
