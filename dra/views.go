// SPDX-License-Identifier: Apache-2.0

package dra

import (
	"unsafe"

	"github.com/seed-0529bac1/taints"
	resourceapi "k8s.io/api/resource/v1"
)

// Taints returns a view of a device's taints for package taints.
func Taints(list []resourceapi.DeviceTaint) []taints.Taint {
	return unsafe.Slice((*taints.Taint)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// DeviceTaints returns a view of taints for a device.
func DeviceTaints(list []taints.Taint) []resourceapi.DeviceTaint {
	return unsafe.Slice((*resourceapi.DeviceTaint)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// Tolerations returns a view of the tolerations of a request, or of an
// allocation result, for package taints.
func Tolerations(list []resourceapi.DeviceToleration) []taints.Toleration {
	return unsafe.Slice((*taints.Toleration)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// DeviceTolerations returns a view of tolerations for a request.
func DeviceTolerations(list []taints.Toleration) []resourceapi.DeviceToleration {
	return unsafe.Slice((*resourceapi.DeviceToleration)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// Taint returns a taint for package taints. It shares what TimeAdded points to.
func Taint(t resourceapi.DeviceTaint) taints.Taint { return *(*taints.Taint)(unsafe.Pointer(&t)) }

// DeviceTaint returns a taint for Kubernetes. It shares what TimeAdded points to.
func DeviceTaint(t taints.Taint) resourceapi.DeviceTaint {
	return *(*resourceapi.DeviceTaint)(unsafe.Pointer(&t))
}

// Toleration returns a toleration for package taints. It shares its
// TolerationSeconds.
func Toleration(t resourceapi.DeviceToleration) taints.Toleration {
	return *(*taints.Toleration)(unsafe.Pointer(&t))
}

// DeviceToleration returns a toleration for Kubernetes. It shares its
// TolerationSeconds.
func DeviceToleration(t taints.Toleration) resourceapi.DeviceToleration {
	return *(*resourceapi.DeviceToleration)(unsafe.Pointer(&t))
}
