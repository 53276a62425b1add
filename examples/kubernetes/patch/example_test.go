// SPDX-License-Identifier: Apache-2.0

// Package patch_test shows how a client writes the taints of a node, so that it
// overwrites nothing that somebody else wrote since it read the node.
package patch_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
)

var started = taints.Changes{Remove: []taints.TaintID{{Key: "example.com/starting", Effect: taints.NoSchedule}}}

func newNode() *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "gpu-1", ResourceVersion: "7"},
		Spec: corev1.NodeSpec{Taints: []corev1.Taint{
			{Key: "example.com/starting", Effect: corev1.TaintEffectNoSchedule},
		}},
	}
}

// A JSON patch replaces the list if the node is still the one that was read. "add"
// also works where a node has no list yet, and "replace" does not.
func Example_jsonPatch() {
	ctx, client := context.Background(), fake.NewClientset(newNode())
	remove := func(node *corev1.Node) error {
		list, changed := kube.Apply(node.Spec.Taints, started)
		if !changed {
			return nil // write nothing
		}
		patch, err := json.Marshal([]map[string]any{
			{"op": "test", "path": "/metadata/resourceVersion", "value": node.ResourceVersion},
			{"op": "add", "path": "/spec/taints", "value": list},
		})
		if err != nil {
			return err
		}
		fmt.Println(string(patch))
		_, err = client.CoreV1().Nodes().Patch(ctx, node.Name, types.JSONPatchType, patch, metav1.PatchOptions{})
		return err
	}

	stale := newNode()
	stale.ResourceVersion = "6"
	if err := remove(stale); err != nil {
		fmt.Println("read the node again and retry")
	}
	fmt.Println(remove(newNode()))
	node, err := client.CoreV1().Nodes().Get(ctx, "gpu-1", metav1.GetOptions{})
	fmt.Println(len(node.Spec.Taints), err)
	// Output:
	// [{"op":"test","path":"/metadata/resourceVersion","value":"6"},{"op":"add","path":"/spec/taints","value":[]}]
	// read the node again and retry
	// [{"op":"test","path":"/metadata/resourceVersion","value":"7"},{"op":"add","path":"/spec/taints","value":[]}]
	// <nil>
	// 0 <nil>
}

// A strategic merge patch replaces the list too, as taints are not merged. The API
// server refuses it with a conflict if the node has another resource version by
// now. Marshal a map and not a NodeSpec, which leaves out an empty list, so that the
// last taint would stay.
func Example_strategicMergePatch() {
	ctx, client := context.Background(), fake.NewClientset(newNode())
	node := newNode()
	list, _ := kube.Apply(node.Spec.Taints, started)
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": node.ResourceVersion},
		"spec":     map[string]any{"taints": list},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(patch))
	after, err := client.CoreV1().Nodes().Patch(ctx, node.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	fmt.Println(len(after.Spec.Taints), err)
	// Output:
	// {"metadata":{"resourceVersion":"7"},"spec":{"taints":[]}}
	// 0 <nil>
}
