// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"math/rand/v2"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Names are those that Kubernetes allows.
func TestIsName(t *testing.T) {
	random, valid := rand.New(rand.NewPCG(1, 2)), 0
	names := []string{"", strings.Repeat("a", 253), strings.Repeat("a", 254), "a\n", "é", "\xff"}
	for range 20000 {
		name := ""
		for range random.IntN(6) {
			name += string("aaz09..--A_/"[random.IntN(12)])
		}
		names = append(names, name)
	}
	for _, name := range names {
		want := len(validation.IsDNS1123Subdomain(name)) == 0
		if isName(name) != want {
			t.Errorf("%q: %t, want %t", name, !want, want)
		}
		if want {
			valid++
		}
	}
	if valid < 2000 || valid > 18000 {
		t.Errorf("%d names are valid", valid)
	}
}

// Objects with other names are invalid.
func TestInvalidNames(t *testing.T) {
	for _, name := range []string{"--all", "-A", "a b", "B", "a/b", ""} {
		c := New(Filter{})
		m := metav1.ObjectMeta{Name: name}
		if c.AddNode(&corev1.Node{ObjectMeta: m}) == nil || c.AddPod(&corev1.Pod{ObjectMeta: m}) == nil || c.addWorkload("Job", &object{ObjectMeta: m}, nil) == nil {
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
