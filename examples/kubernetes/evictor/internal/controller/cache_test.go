// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestStripLeavesWhatIsChecked(t *testing.T) {
	now := metav1.NewTime(begin)
	meta := metav1.ObjectMeta{
		Namespace:         "default",
		Name:              "web",
		UID:               "uid",
		ResourceVersion:   "7",
		CreationTimestamp: now,
		DeletionTimestamp: &now,
	}
	large := meta
	large.Labels = map[string]string{"app": "web"}
	large.Annotations = map[string]string{"example.com/note": "a long one"}
	large.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubelet"}}
	large.OwnerReferences = []metav1.OwnerReference{{Name: "web"}}

	scheduled := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: now}
	tols := tolerations("a:NoExecute op=Exists for 10s", "b:NoSchedule")
	for _, tc := range []struct{ large, small client.Object }{
		{
			&corev1.Pod{
				ObjectMeta: large,
				Spec: corev1.PodSpec{
					NodeName:    "n",
					Tolerations: tols,
					Containers:  []corev1.Container{{Name: "main"}},
				},
				Status: corev1.PodStatus{
					Phase:      corev1.PodRunning,
					PodIP:      "10.0.0.7",
					Conditions: []corev1.PodCondition{{Type: corev1.PodReady}, scheduled},
				},
			},
			&corev1.Pod{
				ObjectMeta: meta,
				Spec:       corev1.PodSpec{NodeName: "n", Tolerations: tols},
				Status:     corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{scheduled}},
			},
		},
		{
			&corev1.Node{
				ObjectMeta: large,
				Spec:       corev1.NodeSpec{PodCIDR: "10.1.0.0/24", Taints: []corev1.Taint{taint("a:NoExecute", begin)}},
				Status:     corev1.NodeStatus{Images: []corev1.ContainerImage{{Names: []string{"none"}}}},
			},
			&corev1.Node{ObjectMeta: meta, Spec: corev1.NodeSpec{Taints: []corev1.Taint{taint("a:NoExecute", begin)}}},
		},
	} {
		for range 2 { // once more changes nothing
			got, err := strip(tc.large)
			if err != nil || !reflect.DeepEqual(got, tc.small) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, tc.small)
			}
			tc.large = got.(client.Object)
		}
	}
	if got, err := strip("other"); got != "other" || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestCacheHasOnlyPodsThatRunOnNodes(t *testing.T) {
	for obj, o := range CacheOptions().ByObject {
		if _, ok := obj.(*corev1.Pod); !ok {
			continue
		}
		for _, tc := range []struct {
			node, phase string
			want        bool
		}{
			{"n", "Running", true},
			{"n", "Pending", true},
			{"", "Pending", false},
			{"n", "Succeeded", false},
			{"n", "Failed", false},
		} {
			if got := o.Field.Matches(fields.Set{"spec.nodeName": tc.node, "status.phase": tc.phase}); got != tc.want {
				t.Errorf("%+v: got %v", tc, got)
			}
		}
	}
}
