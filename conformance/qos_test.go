// SPDX-License-Identifier: Apache-2.0

//go:build !otherkubernetes

package conformance

import (
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints/kube"
)

// TestBestEffort checks the classes that the tests of the webhook expect. Kubernetes
// before 1.37 takes the class of a pod from its own resources even if they are empty.
func TestBestEffort(t *testing.T) {
	var tests []struct {
		Name       string
		Spec       corev1.PodSpec
		Class      corev1.PodQOSClass
		BestEffort bool
	}
	text, err := os.ReadFile("../cluster/webhook/internal/policy/testdata/besteffort.yaml")
	if err == nil {
		err = yaml.UnmarshalStrict(text, &tests)
	}
	if err != nil || len(tests) == 0 {
		t.Fatalf("%d tests, %v", len(tests), err)
	}
	for _, test := range tests {
		pod := &corev1.Pod{Spec: test.Spec, Status: corev1.PodStatus{QOSClass: test.Class}}
		same(t, test.Name, qos.GetPodQOS(pod) == corev1.PodQOSBestEffort, test.BestEffort)
		same(t, test.Name+", in module kube", kube.IsBestEffort(pod), test.BestEffort)
	}
}

func TestIsBestEffort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pod := &corev1.Pod{}
		pod.Spec.Containers = draws(t, "containers", 2, drawContainer)
		pod.Spec.InitContainers = draws(t, "init containers", 2, drawContainer)
		if rapid.Bool().Draw(t, "whole") {
			whole := drawContainer(t).Resources
			pod.Spec.Resources = &whole
		}
		pod.Status.QOSClass = rapid.SampledFrom([]corev1.PodQOSClass{
			"", "", corev1.PodQOSBestEffort, corev1.PodQOSBurstable, corev1.PodQOSGuaranteed,
		}).Draw(t, "class")
		same(t, "BestEffort", kube.IsBestEffort(pod), qos.GetPodQOS(pod) == corev1.PodQOSBestEffort)
	})
}

func drawContainer(t *rapid.T) corev1.Container {
	return corev1.Container{Resources: corev1.ResourceRequirements{Requests: drawResources(t), Limits: drawResources(t)}}
}

func drawResources(t *rapid.T) corev1.ResourceList {
	list := corev1.ResourceList{}
	for range rapid.IntRange(0, 2).Draw(t, "resources") {
		name := rapid.SampledFrom([]corev1.ResourceName{"cpu", "memory", "hugepages-2Mi", "example.com/gpu"}).Draw(t, "name")
		list[name] = resource.MustParse(rapid.SampledFrom([]string{"0", "0", "0Gi", "1", "500m"}).Draw(t, "quantity"))
	}
	return list
}
