// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-0529bac1/taints/kube"
)

// Names come from the requests of containers and init containers, not from limits.
func TestRequestedResources(t *testing.T) {
	with := func(requests, limits corev1.ResourceName) corev1.Container {
		one := resource.MustParse("1")
		return corev1.Container{Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{requests: one}, Limits: corev1.ResourceList{limits: one},
		}}
	}
	spec := &corev1.PodSpec{
		Containers:     []corev1.Container{with("example.com/gpu", "example.com/limit"), {}},
		InitContainers: []corev1.Container{with("cpu", "cpu")},
	}
	spec.InitContainers[0].Resources.Requests["cpu"] = resource.Quantity{} // zero is requested too
	if got := kube.RequestedResources(spec); !slices.Equal(got, []string{"example.com/gpu", "cpu"}) {
		t.Errorf("got %q", got)
	}
	for _, spec := range []*corev1.PodSpec{nil, {}} {
		if got := kube.RequestedResources(spec); got != nil {
			t.Errorf("of no container: %q", got)
		}
	}
}

// Resources of the whole pod: TestPodResources, and module conformance.
func TestIsExtendedResource(t *testing.T) {
	for name, want := range map[corev1.ResourceName]bool{
		"nvidia.com/gpu": true, "cpu": false, "hugepages-2Mi": false, "example.kubernetes.io/gpu": false, "requests.nvidia.com/gpu": false,
	} {
		if got := kube.IsExtendedResource(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestIsBestEffort(t *testing.T) {
	requests := func(name corev1.ResourceName, quantity string) corev1.ResourceRequirements {
		return corev1.ResourceRequirements{Requests: corev1.ResourceList{name: resource.MustParse(quantity)}}
	}
	limits := func(name corev1.ResourceName, quantity string) corev1.ResourceRequirements {
		return corev1.ResourceRequirements{Limits: corev1.ResourceList{name: resource.MustParse(quantity)}}
	}
	for _, tc := range []struct {
		name   string
		class  corev1.PodQOSClass
		main   corev1.ResourceRequirements
		before corev1.ResourceRequirements // of an init container
		want   bool
	}{
		{name: "nothing", want: true},
		{name: "zero", main: requests("cpu", "0"), before: limits("memory", "0Gi"), want: true},
		{name: "another resource", main: requests("example.com/gpu", "1"), want: true},
		{name: "cpu", main: requests("cpu", "1m")},
		{name: "a limit of memory", main: limits("memory", "1")},
		{name: "an init container", before: requests("memory", "1Gi")},
		{name: "the class of the status", class: corev1.PodQOSBestEffort, main: requests("cpu", "1"), want: true},
		{name: "another class of the status", class: corev1.PodQOSBurstable},
	} {
		pod := &corev1.Pod{
			Spec: corev1.PodSpec{
				Containers:     []corev1.Container{{Resources: tc.main}},
				InitContainers: []corev1.Container{{Resources: tc.before}},
			},
			Status: corev1.PodStatus{QOSClass: tc.class},
		}
		if got := kube.IsBestEffort(pod); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

// The oldest k8s.io/api that the module works with has no resources of a whole pod, so
// the test has a spec of its own.
func TestPodResources(t *testing.T) {
	if got := kube.IsBestEffort(nil); !got {
		t.Error("a nil pod needs something")
	}
	type spec struct{ Resources *corev1.ResourceRequirements }
	one := func(name corev1.ResourceName) corev1.ResourceList {
		return corev1.ResourceList{name: resource.MustParse("1")}
	}
	for _, tc := range []struct {
		name string
		spec any
		set  bool
	}{
		{"an older version", &struct{ Resources string }{}, false},
		{"no such field", &struct{}{}, false},
		{"nil", &spec{}, false},
		{"nothing", &spec{&corev1.ResourceRequirements{}}, false},
		{"cpu", &spec{&corev1.ResourceRequirements{Requests: one("cpu")}}, true},
		{"a limit of memory", &spec{&corev1.ResourceRequirements{Limits: one("memory")}}, true},
		{"huge pages", &spec{&corev1.ResourceRequirements{Requests: one("hugepages-2Mi")}}, true},
		{"what a pod cannot have as a whole", &spec{&corev1.ResourceRequirements{Requests: one("example.com/gpu")}}, false},
	} {
		if got := kube.PodResources(tc.spec); (got != nil) != tc.set {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}
