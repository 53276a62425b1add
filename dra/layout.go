package dra

import (
	"time"
	"unsafe"

	"github.com/seed-0529bac1/taints"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Proof of equal layouts. In each constant a ^ b is zero where a and b are
// equal; of any other unsigned number the negative is out of range, which does
// not compile. So the package does not compile with a Kubernetes that adds a
// field, until package taints has it too.

const (
	_ = -(unsafe.Sizeof(taints.Taint{}) ^ unsafe.Sizeof(resourceapi.DeviceTaint{}))
	_ = -(unsafe.Alignof(taints.Taint{}) ^ unsafe.Alignof(resourceapi.DeviceTaint{}))
	_ = -(unsafe.Offsetof(taints.Taint{}.Key) ^ unsafe.Offsetof(resourceapi.DeviceTaint{}.Key))
	_ = -(unsafe.Offsetof(taints.Taint{}.Value) ^ unsafe.Offsetof(resourceapi.DeviceTaint{}.Value))
	_ = -(unsafe.Offsetof(taints.Taint{}.Effect) ^ unsafe.Offsetof(resourceapi.DeviceTaint{}.Effect))
	_ = -(unsafe.Offsetof(taints.Taint{}.TimeAdded) ^ unsafe.Offsetof(resourceapi.DeviceTaint{}.TimeAdded))

	_ = -(unsafe.Sizeof(taints.Toleration{}) ^ unsafe.Sizeof(resourceapi.DeviceToleration{}))
	_ = -(unsafe.Alignof(taints.Toleration{}) ^ unsafe.Alignof(resourceapi.DeviceToleration{}))
	_ = -(unsafe.Offsetof(taints.Toleration{}.Key) ^ unsafe.Offsetof(resourceapi.DeviceToleration{}.Key))
	_ = -(unsafe.Offsetof(taints.Toleration{}.Operator) ^ unsafe.Offsetof(resourceapi.DeviceToleration{}.Operator))
	_ = -(unsafe.Offsetof(taints.Toleration{}.Value) ^ unsafe.Offsetof(resourceapi.DeviceToleration{}.Value))
	_ = -(unsafe.Offsetof(taints.Toleration{}.Effect) ^ unsafe.Offsetof(resourceapi.DeviceToleration{}.Effect))
	_ = -(unsafe.Offsetof(taints.Toleration{}.TolerationSeconds) ^ unsafe.Offsetof(resourceapi.DeviceToleration{}.TolerationSeconds))

	_ = -(unsafe.Sizeof(time.Time{}) ^ unsafe.Sizeof(metav1.Time{}))
	_ = -(unsafe.Alignof(time.Time{}) ^ unsafe.Alignof(metav1.Time{}))
	_ = -unsafe.Offsetof(metav1.Time{}.Time)
)

// The fields fill the structs, so neither has one that the other lacks.
const (
	taintFields = unsafe.Sizeof(resourceapi.DeviceTaint{}.Key) + unsafe.Sizeof(resourceapi.DeviceTaint{}.Value) +
		unsafe.Sizeof(resourceapi.DeviceTaint{}.Effect) + unsafe.Sizeof(resourceapi.DeviceTaint{}.TimeAdded)
	_ = -(unsafe.Sizeof(resourceapi.DeviceTaint{}) ^ taintFields)

	tolerationFields = unsafe.Sizeof(resourceapi.DeviceToleration{}.Key) + unsafe.Sizeof(resourceapi.DeviceToleration{}.Operator) +
		unsafe.Sizeof(resourceapi.DeviceToleration{}.Value) + unsafe.Sizeof(resourceapi.DeviceToleration{}.Effect) +
		unsafe.Sizeof(resourceapi.DeviceToleration{}.TolerationSeconds)
	_ = -(unsafe.Sizeof(resourceapi.DeviceToleration{}) ^ tolerationFields)
)

// Proof that the fields are of equal kinds: pointers convert only between types
// of one underlying type.

func _(theirs *resourceapi.DeviceTaint, ours *taints.Taint) {
	ours.Key = theirs.Key
	ours.Value = theirs.Value
	_ = (*taints.Effect)(&theirs.Effect)
	ours.TimeAdded = &theirs.TimeAdded.Time
}

func _(theirs *resourceapi.DeviceToleration, ours *taints.Toleration) {
	ours.Key = theirs.Key
	_ = (*taints.Operator)(&theirs.Operator)
	ours.Value = theirs.Value
	_ = (*taints.Effect)(&theirs.Effect)
	ours.TolerationSeconds = theirs.TolerationSeconds
}
