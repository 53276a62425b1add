// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-0529bac1/taints/cmd/internal/workload"
)

// Objects with other names are invalid.
func TestInvalidNames(t *testing.T) {
	for _, name := range []string{"--all", "-A", "a b", "B", "a/b", ""} {
		c := New(Filter{})
		m := metav1.ObjectMeta{Name: name}
		if c.AddNode(&corev1.Node{ObjectMeta: m}) == nil || c.AddPod(&corev1.Pod{ObjectMeta: m}) == nil || c.addWorkload("Job", &workload.Object{ObjectMeta: m}, nil) == nil {
			t.Errorf("%q is a name", name)
		}
		isController := true
		owned := metav1.ObjectMeta{Name: "p", OwnerReferences: []metav1.OwnerReference{{Kind: "Job", Name: name, Controller: &isController}}}
		other := metav1.ObjectMeta{Name: "p", Namespace: name}
		if name != "" && c.AddPod(&corev1.Pod{ObjectMeta: other}) == nil {
			t.Errorf("%q is the name of a namespace", name)
		}
		if err := c.AddPod(&corev1.Pod{ObjectMeta: owned}); (err == nil) != (name != "") || err == nil && c.Pods[0].Owner.Kind == "Job" {
			t.Errorf("%q is the name of a Job, or not of an owner: %v", name, err)
		}
	}
}
