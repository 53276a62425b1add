// SPDX-License-Identifier: Apache-2.0

package dra

import (
	"github.com/seed-0529bac1/taints"
	resourceapi "k8s.io/api/resource/v1"
)

// CopyTaints is Taints with a later package taints.
func CopyTaints(list []resourceapi.DeviceTaint) []taints.Taint { return listOf(list, false, Taint) }

// CopyTolerations is Tolerations with a later package taints.
func CopyTolerations(list []resourceapi.DeviceToleration) []taints.Toleration {
	return listOf(list, false, Toleration)
}
