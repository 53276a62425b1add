// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"time"
	"unsafe"

	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Two things can change, and only one of them may stop this package from compiling.
//
// Kubernetes adds a field to a taint or toleration. This package does not know what
// it means, and compiles no more, on purpose: these struct conversions compile only
// if the types have the fields of the types here, in this order. Then use a newer
// version of this module, or an older version of k8s.io/api; see the table in the
// package comment. The last line shows that metav1.Time is only a time.
var (
	_ = taintLayout(corev1.Taint{})
	_ = tolerationLayout(corev1.Toleration{})
	_ = struct{ time.Time }(metav1.Time{})
)

type taintLayout struct {
	Key       string
	Value     string
	Effect    corev1.TaintEffect
	TimeAdded *metav1.Time
}

type tolerationLayout struct {
	Key               string
	Operator          corev1.TolerationOperator
	Value             string
	Effect            corev1.TaintEffect
	TolerationSeconds *int64
}

// A later version of package taints adds a field to its types. The fields that this
// package knows keep their names and types there, so it compiles. These constants are
// then false, and each view is a copy, field by field.
const (
	sameTaints = unsafe.Sizeof(taints.Taint{}) == unsafe.Sizeof(corev1.Taint{}) &&
		unsafe.Offsetof(taints.Taint{}.Key) == unsafe.Offsetof(corev1.Taint{}.Key) &&
		unsafe.Offsetof(taints.Taint{}.Value) == unsafe.Offsetof(corev1.Taint{}.Value) &&
		unsafe.Offsetof(taints.Taint{}.Effect) == unsafe.Offsetof(corev1.Taint{}.Effect) &&
		unsafe.Offsetof(taints.Taint{}.TimeAdded) == unsafe.Offsetof(corev1.Taint{}.TimeAdded)
	sameTolerations = unsafe.Sizeof(taints.Toleration{}) == unsafe.Sizeof(corev1.Toleration{}) &&
		unsafe.Offsetof(taints.Toleration{}.Key) == unsafe.Offsetof(corev1.Toleration{}.Key) &&
		unsafe.Offsetof(taints.Toleration{}.Operator) == unsafe.Offsetof(corev1.Toleration{}.Operator) &&
		unsafe.Offsetof(taints.Toleration{}.Value) == unsafe.Offsetof(corev1.Toleration{}.Value) &&
		unsafe.Offsetof(taints.Toleration{}.Effect) == unsafe.Offsetof(corev1.Toleration{}.Effect) &&
		unsafe.Offsetof(taints.Toleration{}.TolerationSeconds) == unsafe.Offsetof(corev1.Toleration{}.TolerationSeconds)
)

// listOf returns the list as one of another type: a view of the same memory if the
// layouts of both types are the same, and otherwise a copy.
func listOf[To, From any](list []From, same bool, convert func(From) To) []To {
	if same {
		return unsafe.Slice((*To)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
	}
	if list == nil {
		return nil
	}
	result := make([]To, len(list))
	for i := range list {
		result[i] = convert(list[i])
	}
	return result
}
