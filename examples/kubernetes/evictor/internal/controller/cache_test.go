// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What the controller reads is left, or the other tests would fail: see [world.get].
func TestStrip(t *testing.T) {
	large := metav1.ObjectMeta{
		Name:            "web",
		ResourceVersion: "7",
		Labels:          map[string]string{"app": "web"},
		Annotations:     map[string]string{"example.com/note": "a long one"},
		ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "kubelet"}},
		OwnerReferences: []metav1.OwnerReference{{Name: "web"}},
	}
	small := metav1.ObjectMeta{Name: "web", ResourceVersion: "7"}
	for _, tc := range []struct{ large, small client.Object }{
		{
			&corev1.Pod{
				ObjectMeta: large,
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}},
				Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady}}},
			},
			&corev1.Pod{ObjectMeta: small},
		},
		{
			&corev1.Node{
				ObjectMeta: large,
				Spec:       corev1.NodeSpec{PodCIDR: "10.1.0.0/24"},
				Status:     corev1.NodeStatus{Images: []corev1.ContainerImage{{Names: []string{"none"}}}},
			},
			&corev1.Node{ObjectMeta: small},
		},
	} {
		if got, err := strip(tc.large); err != nil || !equality.Semantic.DeepEqual(got, tc.small) {
			t.Errorf("got  %+v, %v\nwant %+v", got, err, tc.small)
		}
	}
	if got, err := strip("other"); got != "other" || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}
