// SPDX-License-Identifier: Apache-2.0

//go:build !kubernetes1.34 && !staging

package gated

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/apis/core"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
)

// Kubernetes 1.35 has the score types of the scheduler's plugins in a new package.
type (
	NodeScore     = fwk.NodeScore
	NodeScoreList = fwk.NodeScoreList
)

// Set sets the gate until the test ends.
func Set(t testing.TB, comparison bool) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate,
		features.TaintTolerationComparisonOperators, comparison)
}

// Default reports whether the gate is on by default.
func Default() bool {
	return utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators)
}

// GetMatchingTolerations is the taint-eviction controller's, under the gate.
func GetMatchingTolerations(taints []corev1.Taint, tolerations []corev1.Toleration) (bool, []corev1.Toleration) {
	return v1helper.GetMatchingTolerations(quiet, taints, tolerations)
}

// ValidateTolerations is the API server's function.
func ValidateTolerations(
	tolerations []core.Toleration, path *field.Path, options validation.PodValidationOptions,
) field.ErrorList {
	return validation.ValidateTolerations(tolerations, path, options)
}

// PluginFeatures returns the gate as the scheduler passes it to its plugins.
func PluginFeatures(comparison bool) feature.Features {
	return feature.Features{EnableTaintTolerationComparisonOperators: comparison}
}
