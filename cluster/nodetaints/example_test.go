// SPDX-License-Identifier: Apache-2.0

// Package nodetaints_test shows how an operator writes the taints of a node without
// losing those of others.
package nodetaints_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/util/retry"
)

// patchTaints changes the taints of a node by a patch. It needs only the verbs get
// and patch. If another client changes the node meanwhile, the API server refuses
// the patch and the taints are computed again, so no taint is lost. An update
// would work the same way, but it sends the whole node: an operator built with an
// older API drops the fields that it does not know. Server-side apply is no
// substitute: all taints of a node are one field, so it is refused while another
// manager owns them, and with force it removes the taints of every other client.
func patchTaints(ctx context.Context, client kubernetes.Interface, name string, changes taints.Changes) error {
	nodes := client.CoreV1().Nodes()
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node, err := nodes.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		after, _ := kube.Apply(node.Spec.Taints, changes)
		patch := kube.TaintsPatch(node.ResourceVersion, node.Spec.Taints, after)
		if patch == nil {
			return nil
		}
		_, err = nodes.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
}

// An operator removes its startup taint, and gives the node its pool's taint. Another
// client adds a taint between the first read and the first write. It stays.
func Example() {
	startup := corev1.Taint{Key: "example.com/starting", Effect: corev1.TaintEffectNoSchedule}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}, Spec: corev1.NodeSpec{Taints: []corev1.Taint{startup}}}
	ctx, client, writes := context.Background(), fake.NewClientset(node), 0
	client.PrependReactor("patch", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
		if writes++; writes > 1 {
			return false, nil, nil
		}
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: "other", Effect: corev1.TaintEffectNoExecute})
		err := client.Tracker().Update(corev1.SchemeGroupVersion.WithResource("nodes"), node, "")
		return true, nil, errors.Join(err, apierrors.NewConflict(corev1.Resource("nodes"), "node-1", errors.New("changed")))
	})
	changes := taints.Changes{
		Add:    []taints.Taint{taints.Must(taints.ParseTaint("pool=gpu:NoSchedule"))},
		Remove: []taints.TaintID{kube.Taint(startup).ID()},
	}
	for range 2 { // the second call finds nothing to do
		fmt.Println(patchTaints(ctx, client, "node-1", changes), writes)
	}
	node, err := client.CoreV1().Nodes().Get(ctx, "node-1", metav1.GetOptions{})
	fmt.Println(kube.Taints(node.Spec.Taints), err)
	// Output:
	// <nil> 2
	// <nil> 2
	// [other:NoExecute pool=gpu:NoSchedule] <nil>
}
