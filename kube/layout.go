// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"time"

	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Proof of equal layouts. A struct conversion compiles only if both types have the
// same fields in the same order. So our types and Kubernetes' types have the
// fields of the types here, except for the names of strings and what a pointer to
// a time points to. The last line shows that metav1.Time is only a time.
//
// If one of these lines does not compile, Kubernetes added a field. Then
// use a newer version of this module, or an older version of k8s.io/api; see
// the table in the package comment.
var (
	_ = taintLayout[taints.Effect, time.Time](taints.Taint{})
	_ = taintLayout[corev1.TaintEffect, metav1.Time](corev1.Taint{})
	_ = tolerationLayout[taints.Operator, taints.Effect](taints.Toleration{})
	_ = tolerationLayout[corev1.TolerationOperator, corev1.TaintEffect](corev1.Toleration{})
	_ = struct{ time.Time }(metav1.Time{})
)

type taintLayout[Effect ~string, Time any] struct {
	Key       string
	Value     string
	Effect    Effect
	TimeAdded *Time
}

type tolerationLayout[Operator, Effect ~string] struct {
	Key               string
	Operator          Operator
	Value             string
	Effect            Effect
	TolerationSeconds *int64
}
