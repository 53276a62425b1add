// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package convert

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/kubernetes/pkg/apis/core"
	k8s "k8s.io/kubernetes/pkg/apis/core/v1"
)

// ToCoreTaint returns the taint in the API server's internal form.
func ToCoreTaint(t corev1.Taint) core.Taint {
	return inside(&t, k8s.Convert_v1_Taint_To_core_Taint)
}

// ToCoreToleration returns the toleration in the API server's internal form.
func ToCoreToleration(t corev1.Toleration) core.Toleration {
	t.TolerationSeconds = copied(t.TolerationSeconds)
	return inside(&t, k8s.Convert_v1_Toleration_To_core_Toleration)
}

// FromCoreToleration returns the toleration in the form of k8s.io/api.
func FromCoreToleration(t core.Toleration) corev1.Toleration {
	t.TolerationSeconds = copied(t.TolerationSeconds)
	return inside(&t, k8s.Convert_core_Toleration_To_v1_Toleration)
}

// inside converts as the API server does. It panics if the conversion fails.
func inside[T, U any](in *T, convert func(*T, *U, conversion.Scope) error) U {
	var out U
	if err := convert(in, &out, nil); err != nil {
		panic(err)
	}
	return out
}
