package kube

import (
	"time"
	"unsafe"

	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Proof of equal layouts. In each constant a ^ b is zero where a and b are
// equal; of any other unsigned number the negative is out of range, which does
// not compile. So the package does not compile with a Kubernetes that adds a
// field, until package taints has it too.

const (
	_ = -(unsafe.Sizeof(taints.Taint{}) ^ unsafe.Sizeof(corev1.Taint{}))
	_ = -(unsafe.Alignof(taints.Taint{}) ^ unsafe.Alignof(corev1.Taint{}))
	_ = -(unsafe.Offsetof(taints.Taint{}.Key) ^ unsafe.Offsetof(corev1.Taint{}.Key))
	_ = -(unsafe.Offsetof(taints.Taint{}.Value) ^ unsafe.Offsetof(corev1.Taint{}.Value))
	_ = -(unsafe.Offsetof(taints.Taint{}.Effect) ^ unsafe.Offsetof(corev1.Taint{}.Effect))
	_ = -(unsafe.Offsetof(taints.Taint{}.TimeAdded) ^ unsafe.Offsetof(corev1.Taint{}.TimeAdded))

	_ = -(unsafe.Sizeof(taints.Toleration{}) ^ unsafe.Sizeof(corev1.Toleration{}))
	_ = -(unsafe.Alignof(taints.Toleration{}) ^ unsafe.Alignof(corev1.Toleration{}))
	_ = -(unsafe.Offsetof(taints.Toleration{}.Key) ^ unsafe.Offsetof(corev1.Toleration{}.Key))
	_ = -(unsafe.Offsetof(taints.Toleration{}.Operator) ^ unsafe.Offsetof(corev1.Toleration{}.Operator))
	_ = -(unsafe.Offsetof(taints.Toleration{}.Value) ^ unsafe.Offsetof(corev1.Toleration{}.Value))
	_ = -(unsafe.Offsetof(taints.Toleration{}.Effect) ^ unsafe.Offsetof(corev1.Toleration{}.Effect))
	_ = -(unsafe.Offsetof(taints.Toleration{}.TolerationSeconds) ^ unsafe.Offsetof(corev1.Toleration{}.TolerationSeconds))

	_ = -(unsafe.Sizeof(time.Time{}) ^ unsafe.Sizeof(metav1.Time{}))
	_ = -(unsafe.Alignof(time.Time{}) ^ unsafe.Alignof(metav1.Time{}))
	_ = -unsafe.Offsetof(metav1.Time{}.Time)
)

// The fields fill the structs, so neither has one that the other lacks.
const (
	taintFields = unsafe.Sizeof(corev1.Taint{}.Key) + unsafe.Sizeof(corev1.Taint{}.Value) +
		unsafe.Sizeof(corev1.Taint{}.Effect) + unsafe.Sizeof(corev1.Taint{}.TimeAdded)
	_ = -(unsafe.Sizeof(corev1.Taint{}) ^ taintFields)

	tolerationFields = unsafe.Sizeof(corev1.Toleration{}.Key) + unsafe.Sizeof(corev1.Toleration{}.Operator) +
		unsafe.Sizeof(corev1.Toleration{}.Value) + unsafe.Sizeof(corev1.Toleration{}.Effect) +
		unsafe.Sizeof(corev1.Toleration{}.TolerationSeconds)
	_ = -(unsafe.Sizeof(corev1.Toleration{}) ^ tolerationFields)
)

// Proof that the fields are of equal kinds: pointers convert only between types
// of one underlying type.

func _(theirs *corev1.Taint, ours *taints.Taint) {
	ours.Key = theirs.Key
	ours.Value = theirs.Value
	_ = (*taints.Effect)(&theirs.Effect)
	ours.TimeAdded = &theirs.TimeAdded.Time
}

func _(theirs *corev1.Toleration, ours *taints.Toleration) {
	ours.Key = theirs.Key
	_ = (*taints.Operator)(&theirs.Operator)
	ours.Value = theirs.Value
	_ = (*taints.Effect)(&theirs.Effect)
	ours.TolerationSeconds = theirs.TolerationSeconds
}
