// SPDX-License-Identifier: Apache-2.0

package dra

import (
	"time"
	"unsafe"

	"github.com/seed-0529bac1/taints"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Layouts, as in layout.go of package kube, which says which changes this package does
// not compile with, and with which its views are copies. The code stands here too,
// because a version of this module works with later versions of the library, which may
// have other internal packages.
var (
	_ = taintLayout(resourceapi.DeviceTaint{})
	_ = tolerationLayout(resourceapi.DeviceToleration{})
	_ = struct{ time.Time }(metav1.Time{})
)

type taintLayout struct {
	Key       string
	Value     string
	Effect    resourceapi.DeviceTaintEffect
	TimeAdded *metav1.Time
}

type tolerationLayout struct {
	Key               string
	Operator          resourceapi.DeviceTolerationOperator
	Value             string
	Effect            resourceapi.DeviceTaintEffect
	TolerationSeconds *int64
}

const (
	sameTaints = unsafe.Sizeof(taints.Taint{}) == unsafe.Sizeof(resourceapi.DeviceTaint{}) &&
		unsafe.Offsetof(taints.Taint{}.Key) == unsafe.Offsetof(resourceapi.DeviceTaint{}.Key) &&
		unsafe.Offsetof(taints.Taint{}.Value) == unsafe.Offsetof(resourceapi.DeviceTaint{}.Value) &&
		unsafe.Offsetof(taints.Taint{}.Effect) == unsafe.Offsetof(resourceapi.DeviceTaint{}.Effect) &&
		unsafe.Offsetof(taints.Taint{}.TimeAdded) == unsafe.Offsetof(resourceapi.DeviceTaint{}.TimeAdded)
	sameTolerations = unsafe.Sizeof(taints.Toleration{}) == unsafe.Sizeof(resourceapi.DeviceToleration{}) &&
		unsafe.Offsetof(taints.Toleration{}.Key) == unsafe.Offsetof(resourceapi.DeviceToleration{}.Key) &&
		unsafe.Offsetof(taints.Toleration{}.Operator) == unsafe.Offsetof(resourceapi.DeviceToleration{}.Operator) &&
		unsafe.Offsetof(taints.Toleration{}.Value) == unsafe.Offsetof(resourceapi.DeviceToleration{}.Value) &&
		unsafe.Offsetof(taints.Toleration{}.Effect) == unsafe.Offsetof(resourceapi.DeviceToleration{}.Effect) &&
		unsafe.Offsetof(taints.Toleration{}.TolerationSeconds) == unsafe.Offsetof(resourceapi.DeviceToleration{}.TolerationSeconds)
)

// listOf returns a view of the list if the layouts are the same, and otherwise a copy.
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
