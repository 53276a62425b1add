// SPDX-License-Identifier: Apache-2.0

//go:build !kubernetes1.34

// Package gated runs the functions of Kubernetes whose signatures depend on the
// feature gate TaintTolerationComparisonOperators. Kubernetes 1.34 does not have
// the gate. The build tag kubernetes1.34 selects its older signatures.
package gated

import (
	corev1 "k8s.io/api/core/v1"
	helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
)

// Comparison reports whether this version of Kubernetes has the gate.
const Comparison = true

// quiet logs nothing.
var quiet klog.Logger

// Tolerates is Toleration.ToleratesTaint.
func Tolerates(toleration *corev1.Toleration, taint *corev1.Taint, comparison bool) bool {
	return toleration.ToleratesTaint(quiet, taint, comparison)
}

// TolerationsTolerate is the scheduler's TolerationsTolerateTaint.
func TolerationsTolerate(tolerations []corev1.Toleration, taint *corev1.Taint, comparison bool) bool {
	return helper.TolerationsTolerateTaint(quiet, tolerations, taint, comparison)
}

// FindUntolerated is the scheduler's FindMatchingUntoleratedTaint.
func FindUntolerated(taints []corev1.Taint, tolerations []corev1.Toleration,
	keep func(*corev1.Taint) bool, comparison bool,
) (corev1.Taint, bool) {
	return helper.FindMatchingUntoleratedTaint(quiet, taints, tolerations, keep, comparison)
}
