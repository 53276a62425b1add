// SPDX-License-Identifier: Apache-2.0

//go:build kubernetes1.34

// Package gated runs the functions of Kubernetes whose signatures depend on the
// feature gate TaintTolerationComparisonOperators. This form is for Kubernetes
// 1.34, which does not have the gate. Callers pass only false.
package gated

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/apis/core"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
)

// Comparison reports whether this version of Kubernetes has the gate.
const Comparison = false

// Kubernetes 1.35 has the score types of the scheduler's plugins in a new package.
type (
	NodeScore     = framework.NodeScore
	NodeScoreList = framework.NodeScoreList
)

// Set does nothing.
func Set(testing.TB, bool) {}

// Default reports whether the gate is on by default.
func Default() bool { return false }

// Tolerates is Toleration.ToleratesTaint.
func Tolerates(toleration *corev1.Toleration, taint *corev1.Taint, _ bool) bool {
	return toleration.ToleratesTaint(taint)
}

// TolerationsTolerate is the scheduler's TolerationsTolerateTaint.
func TolerationsTolerate(tolerations []corev1.Toleration, taint *corev1.Taint, _ bool) bool {
	return helper.TolerationsTolerateTaint(tolerations, taint)
}

// FindUntolerated is the scheduler's FindMatchingUntoleratedTaint.
func FindUntolerated(taints []corev1.Taint, tolerations []corev1.Toleration,
	keep func(*corev1.Taint) bool, _ bool,
) (corev1.Taint, bool) {
	return helper.FindMatchingUntoleratedTaint(taints, tolerations, keep)
}

// GetMatchingTolerations is the taint-eviction controller's, under the gate.
func GetMatchingTolerations(taints []corev1.Taint, tolerations []corev1.Toleration) (bool, []corev1.Toleration) {
	return v1helper.GetMatchingTolerations(taints, tolerations)
}

// ValidateTolerations is the API server's function.
func ValidateTolerations(
	tolerations []core.Toleration, path *field.Path, _ validation.PodValidationOptions,
) field.ErrorList {
	return validation.ValidateTolerations(tolerations, path)
}

// PluginFeatures returns the gate as the scheduler passes it to its plugins.
func PluginFeatures(bool) feature.Features { return feature.Features{} }
