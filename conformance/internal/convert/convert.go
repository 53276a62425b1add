// SPDX-License-Identifier: Apache-2.0

//go:build !staging

// Package convert converts taints and tolerations between k8s.io/api and
// Kubernetes' internal API, as the API server does. Nil stays nil.
package convert

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/kubernetes/pkg/apis/core"
	k8s "k8s.io/kubernetes/pkg/apis/core/v1"
)

// ToCoreTaints returns the taints in the API server's internal form.
func ToCoreTaints(list []corev1.Taint) []core.Taint {
	return each(list, k8s.Convert_v1_Taint_To_core_Taint)
}

// ToCoreTolerations returns the tolerations in the API server's internal form.
func ToCoreTolerations(list []corev1.Toleration) []core.Toleration {
	return each(list, k8s.Convert_v1_Toleration_To_core_Toleration)
}

// FromCoreTolerations returns the tolerations in the form of k8s.io/api.
func FromCoreTolerations(list []core.Toleration) []corev1.Toleration {
	return each(list, k8s.Convert_core_Toleration_To_v1_Toleration)
}

// each converts each element of a list. It panics if a conversion fails.
func each[T, U any](list []T, convert func(*T, *U, conversion.Scope) error) []U {
	if list == nil {
		return nil
	}
	out := make([]U, len(list))
	for i := range list {
		if err := convert(&list[i], &out[i], nil); err != nil {
			panic(err)
		}
	}
	return out
}
