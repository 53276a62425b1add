// SPDX-License-Identifier: Apache-2.0

// Package convert converts taints and tolerations between k8s.io/api, Kubernetes'
// internal API and the library. Conversions from and to the library's types copy
// each field, so they depend only on field names. Nil stays nil.
package convert

import (
	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FromTaint returns the taint of k8s.io/api as one of the library.
func FromTaint(t corev1.Taint) taints.Taint {
	out := taints.Taint{Key: t.Key, Value: t.Value, Effect: taints.Effect(t.Effect)}
	if t.TimeAdded != nil {
		at := t.TimeAdded.Time
		out.TimeAdded = &at
	}
	return out
}

// ToTaint returns the taint of the library as one of k8s.io/api.
func ToTaint(t taints.Taint) corev1.Taint {
	out := corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)}
	if t.TimeAdded != nil {
		out.TimeAdded = &metav1.Time{Time: *t.TimeAdded}
	}
	return out
}

// FromToleration returns the toleration of k8s.io/api as one of the library.
func FromToleration(t corev1.Toleration) taints.Toleration {
	return taints.Toleration{
		Key:               t.Key,
		Operator:          taints.Operator(t.Operator),
		Value:             t.Value,
		Effect:            taints.Effect(t.Effect),
		TolerationSeconds: copied(t.TolerationSeconds),
	}
}

// ToToleration returns the toleration of the library as one of k8s.io/api.
func ToToleration(t taints.Toleration) corev1.Toleration {
	return corev1.Toleration{
		Key:               t.Key,
		Operator:          corev1.TolerationOperator(t.Operator),
		Value:             t.Value,
		Effect:            corev1.TaintEffect(t.Effect),
		TolerationSeconds: copied(t.TolerationSeconds),
	}
}

// Each converts each element of a list.
func Each[T, U any](list []T, convert func(T) U) []U {
	if list == nil {
		return nil
	}
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = convert(x)
	}
	return out
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
