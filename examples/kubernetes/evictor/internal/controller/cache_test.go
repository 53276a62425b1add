// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/memory"
)

func TestMemory(t *testing.T) { memory.Test(t, "evictor", strip) }

// strip keeps what the controller reads, which other tests check: see [world.get]. An
// informer that fills its cache strips twice, so a copy would be a second one.
func TestStrip(t *testing.T) {
	large := metav1.ObjectMeta{
		Name:            "web",
		ResourceVersion: "7",
		Labels:          map[string]string{"app": "web"},
		Annotations:     map[string]string{"example.com/note": "a long one"},
		ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "kubelet"}},
		OwnerReferences: []metav1.OwnerReference{{Name: "web"}},
	}
	for _, obj := range []client.Object{
		&corev1.Pod{
			ObjectMeta: large,
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}},
			Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady}}},
		},
		&corev1.Node{
			ObjectMeta: large,
			Status:     corev1.NodeStatus{Images: []corev1.ContainerImage{{Names: []string{"none"}}}},
		},
	} {
		small := reflect.New(reflect.TypeOf(obj).Elem()).Interface().(client.Object)
		small.SetName("web")
		small.SetResourceVersion("7")
		if got, err := strip(obj); err != nil || got != obj || !equality.Semantic.DeepEqual(got, small) {
			t.Errorf("got  %+v, %v\nwant %+v", got, err, small)
		}
	}
}
