// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
)

// PodResources is podResources.
var PodResources = podResources

// CopyTaints is Taints with a later package taints.
func CopyTaints(list []corev1.Taint) []taints.Taint { return listOf(list, false, Taint) }

// CopyTolerations is Tolerations with a later package taints.
func CopyTolerations(list []corev1.Toleration) []taints.Toleration {
	return listOf(list, false, Toleration)
}
