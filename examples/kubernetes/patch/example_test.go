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

// A strategic merge patch replaces the list, as taints are not merged. The API
// server refuses it with a conflict if the node has another resource version by
// now. Marshal a map and not a NodeSpec, which leaves out an empty list, so that the
// last taint would stay.
func Example() {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "gpu-1", ResourceVersion: "7"},
		Spec: corev1.NodeSpec{Taints: []corev1.Taint{
			{Key: "example.com/starting", Effect: corev1.TaintEffectNoSchedule},
		}},
	}
	ctx, client := context.Background(), fake.NewClientset(node)
	started := taints.Changes{Remove: []taints.TaintID{{Key: "example.com/starting", Effect: taints.NoSchedule}}}
	list, changed := kube.Apply(node.Spec.Taints, started)
	if !changed {
		return // write nothing
	}
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
