// SPDX-License-Identifier: Apache-2.0

// Kubernetes calls the helper that corresponds to the library's function.
package main

import (
	"os"

	corev1 "k8s.io/api/core/v1"
	helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
)

func main() {
	list := []corev1.Taint{{Key: os.Args[0], Effect: corev1.TaintEffectNoSchedule}}
	isHard := func(t *corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }
	if _, found := helper.FindMatchingUntoleratedTaint(klog.Background(), list, nil, isHard, true); found {
		os.Exit(1)
	}
}
