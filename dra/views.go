// SPDX-License-Identifier: Apache-2.0

package dra

import (
	"time"
	"unsafe"

	"github.com/seed-0529bac1/taints"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Taints returns a view of a device's taints for package taints.
func Taints(list []resourceapi.DeviceTaint) []taints.Taint { return listOf(list, sameTaints, Taint) }

// DeviceTaints returns a view of taints for a device.
func DeviceTaints(list []taints.Taint) []resourceapi.DeviceTaint {
	return listOf(list, sameTaints, DeviceTaint)
}

// Tolerations returns a view of the tolerations of a request, or of an
// allocation result, for package taints.
func Tolerations(list []resourceapi.DeviceToleration) []taints.Toleration {
	return listOf(list, sameTolerations, Toleration)
}

// DeviceTolerations returns a view of tolerations for a request.
func DeviceTolerations(list []taints.Toleration) []resourceapi.DeviceToleration {
	return listOf(list, sameTolerations, DeviceToleration)
}

// Taint returns a taint for package taints. It shares what TimeAdded points to.
func Taint(t resourceapi.DeviceTaint) taints.Taint {
	return taints.Taint{
		Key: t.Key, Value: t.Value, Effect: taints.Effect(t.Effect), TimeAdded: (*time.Time)(unsafe.Pointer(t.TimeAdded)),
	}
}

// DeviceTaint returns a taint for Kubernetes. It shares what TimeAdded points to.
func DeviceTaint(t taints.Taint) resourceapi.DeviceTaint {
	return resourceapi.DeviceTaint{
		Key: t.Key, Value: t.Value, Effect: resourceapi.DeviceTaintEffect(t.Effect), TimeAdded: (*metav1.Time)(unsafe.Pointer(t.TimeAdded)),
	}
}

// Toleration returns a toleration for package taints. It shares its
// TolerationSeconds.
func Toleration(t resourceapi.DeviceToleration) taints.Toleration {
	return taints.Toleration{
		Key: t.Key, Operator: taints.Operator(t.Operator), Value: t.Value, Effect: taints.Effect(t.Effect),
		TolerationSeconds: t.TolerationSeconds,
	}
}

// DeviceToleration returns a toleration for Kubernetes. It shares its
// TolerationSeconds.
func DeviceToleration(t taints.Toleration) resourceapi.DeviceToleration {
	return resourceapi.DeviceToleration{
		Key: t.Key, Operator: resourceapi.DeviceTolerationOperator(t.Operator), Value: t.Value,
		Effect: resourceapi.DeviceTaintEffect(t.Effect), TolerationSeconds: t.TolerationSeconds,
	}
}
