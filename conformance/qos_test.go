// SPDX-License-Identifier: Apache-2.0

//go:build !otherkubernetes

package conformance

import (
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
	"sigs.k8s.io/yaml"
)

// TestBestEffort checks the classes that the tests of the example's webhook expect.
// Kubernetes before 1.37 takes the class of a pod from its own resources even if they
// are empty.
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
	}
}
