// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"time"

	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Proof of equal layouts. A conversion of a struct compiles only if both types have
// the same fields in the same order, so both of ours and Kubernetes' have those of
// one type here, up to the names of strings and to what a pointer to a time points
// to, which a field of the time alone is.
//
// If one of these lines does not compile, Kubernetes has added a field. Then use a
// newer version of this module, or an older one of k8s.io/api; see the table in the
// package comment.
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
