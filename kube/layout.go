// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"time"
	"unsafe"

	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Proof of equal layouts. In each constant a ^ b is zero if a and b are equal;
// the negative of any other unsigned number is out of range and does not compile.
// So the package does not compile with a Kubernetes that adds a field, until
// package taints has it too. That the sizes of the fields add up proves that there
// is no other field, and that pointers to fields convert proves that they have the
// same underlying types.

func _(ours *taints.Taint, theirs *corev1.Taint) {
	const (
		_ = -(unsafe.Sizeof(*ours) ^ unsafe.Sizeof(*theirs))
		_ = -(unsafe.Alignof(*ours) ^ unsafe.Alignof(*theirs))
		_ = -(unsafe.Offsetof(ours.Key) ^ unsafe.Offsetof(theirs.Key))
		_ = -(unsafe.Offsetof(ours.Value) ^ unsafe.Offsetof(theirs.Value))
		_ = -(unsafe.Offsetof(ours.Effect) ^ unsafe.Offsetof(theirs.Effect))
		_ = -(unsafe.Offsetof(ours.TimeAdded) ^ unsafe.Offsetof(theirs.TimeAdded))

		fields = unsafe.Sizeof(theirs.Key) + unsafe.Sizeof(theirs.Value) +
			unsafe.Sizeof(theirs.Effect) + unsafe.Sizeof(theirs.TimeAdded)
		_ = -(unsafe.Sizeof(*theirs) ^ fields)
	)
	ours.Key = theirs.Key
	ours.Value = theirs.Value
	_ = (*taints.Effect)(&theirs.Effect)
	ours.TimeAdded = &theirs.TimeAdded.Time
}

func _(ours *taints.Toleration, theirs *corev1.Toleration) {
	const (
		_ = -(unsafe.Sizeof(*ours) ^ unsafe.Sizeof(*theirs))
		_ = -(unsafe.Alignof(*ours) ^ unsafe.Alignof(*theirs))
		_ = -(unsafe.Offsetof(ours.Key) ^ unsafe.Offsetof(theirs.Key))
		_ = -(unsafe.Offsetof(ours.Operator) ^ unsafe.Offsetof(theirs.Operator))
		_ = -(unsafe.Offsetof(ours.Value) ^ unsafe.Offsetof(theirs.Value))
		_ = -(unsafe.Offsetof(ours.Effect) ^ unsafe.Offsetof(theirs.Effect))
		_ = -(unsafe.Offsetof(ours.TolerationSeconds) ^
			unsafe.Offsetof(theirs.TolerationSeconds))

		fields = unsafe.Sizeof(theirs.Key) + unsafe.Sizeof(theirs.Operator) +
			unsafe.Sizeof(theirs.Value) + unsafe.Sizeof(theirs.Effect) +
			unsafe.Sizeof(theirs.TolerationSeconds)
		_ = -(unsafe.Sizeof(*theirs) ^ fields)
	)
	ours.Key = theirs.Key
	_ = (*taints.Operator)(&theirs.Operator)
	ours.Value = theirs.Value
	_ = (*taints.Effect)(&theirs.Effect)
	ours.TolerationSeconds = theirs.TolerationSeconds
}

func _(ours *time.Time, theirs *metav1.Time) {
	const (
		_ = -(unsafe.Sizeof(*ours) ^ unsafe.Sizeof(*theirs))
		_ = -(unsafe.Alignof(*ours) ^ unsafe.Alignof(*theirs))
		_ = -unsafe.Offsetof(theirs.Time)
	)
}
