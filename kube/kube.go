// SPDX-License-Identifier: Apache-2.0

// Package kube lets package taints work on Kubernetes objects. It converts the
// taints of nodes and the tolerations of pods to the types of package taints and
// back without copying them, and errors of package taints to Kubernetes' field
// errors.
//
//	verdict := taints.Filter(
//		kube.Taints(node.Spec.Taints), kube.Tolerations(pod.Spec.Tolerations))
//
// # Changes
//
// [Apply], [Ensure] and [ApplyStrict] change a node's taints as the methods of
// [taints.Changes] do:
//
//	changes := taints.Changes{Remove: []taints.TaintID{startup}}
//	node.Spec.Taints, changed = kube.Apply(node.Spec.Taints, changes)
//
// # Views
//
// [Taints], [Tolerations], [CoreTaints] and [CoreTolerations] return a view: a
// slice of another type over the same memory. [Taint], [Toleration], [CoreTaint]
// and [CoreToleration] convert a single value. They accept any input and do not
// allocate. Where a later version of package taints has more fields, a view is a
// copy; see Versions.
//
//   - Length and order are the same. The view of nil is nil, and the view of an
//     empty list is empty and not nil.
//   - The capacity of a view is its length, so an append to it allocates a new
//     array.
//   - A write to a view is a write to the original, and vice versa, as is a write
//     to what TimeAdded and TolerationSeconds point to. So the view of a shared
//     list, such as one from an informer's cache, must not be modified. Any number
//     of goroutines may read both, or one may write.
//   - A view does not change when the variable with the original is appended to,
//     resliced or assigned.
//
// The JSON of a view is the one of its own type, which differs only in TimeAdded:
// Kubernetes writes whole seconds in UTC, and null for the zero time, and converts to
// local time when it reads. A [time.Time] writes and reads its own precision and
// zone.
//
// Convert each element of other types, such as Cilium's slim types or Cluster API's
// MachineTaint, field by field. A view of your own, by package unsafe, would be wrong
// as soon as package taints has one more field.
//
// A nil view is JSON null. A clone of it is null too, not [], so a hash over the JSON
// of cloned lists may change once.
//
// Package nodestate provides what package lifecycle needs from a node.
//
// # Versions
//
// Each version of this module works with package taints from one version on, and with
// a range of versions of k8s.io/api. It requires the first of both, so that it does
// not change the versions of k8s.io/api and client-go in a project that uses a later
// one.
//
//	kube    taints           k8s.io/api            Kubernetes
//	v1.0    v1.0 and later   v0.25.0 to v0.37.2    1.25 to 1.37
//
// With a version of package taints that has more fields in a taint or toleration than
// the version of this module knows, views of that type are copies: they allocate, and
// a write to one is not a write to the other. Answers stay the same. The field is left
// out of taints and tolerations for Kubernetes. A newer version of this module has
// views again.
//
// With a version of k8s.io/api that has a field that this module does not know, the
// package does not compile.
package kube

import (
	"time"
	"unsafe"

	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Taints returns a view of a node's taints for package taints.
func Taints(list []corev1.Taint) []taints.Taint { return listOf(list, sameTaints, Taint) }

// CoreTaints returns a view of taints for a node's spec.
func CoreTaints(list []taints.Taint) []corev1.Taint { return listOf(list, sameTaints, CoreTaint) }

// Tolerations returns a view of a pod's tolerations for package taints.
func Tolerations(list []corev1.Toleration) []taints.Toleration {
	return listOf(list, sameTolerations, Toleration)
}

// CoreTolerations returns a view of tolerations for a pod's spec.
func CoreTolerations(list []taints.Toleration) []corev1.Toleration {
	return listOf(list, sameTolerations, CoreToleration)
}

// Taint returns a taint for package taints. It shares what TimeAdded points to.
func Taint(t corev1.Taint) taints.Taint {
	return taints.Taint{
		Key: t.Key, Value: t.Value, Effect: taints.Effect(t.Effect), TimeAdded: (*time.Time)(unsafe.Pointer(t.TimeAdded)),
	}
}

// CoreTaint returns a taint for Kubernetes. It shares what TimeAdded points to.
func CoreTaint(t taints.Taint) corev1.Taint {
	return corev1.Taint{
		Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect), TimeAdded: (*metav1.Time)(unsafe.Pointer(t.TimeAdded)),
	}
}

// Toleration returns a toleration for package taints. It shares its
// TolerationSeconds.
func Toleration(t corev1.Toleration) taints.Toleration {
	return taints.Toleration{
		Key: t.Key, Operator: taints.Operator(t.Operator), Value: t.Value, Effect: taints.Effect(t.Effect),
		TolerationSeconds: t.TolerationSeconds,
	}
}

// CoreToleration returns a toleration for Kubernetes. It shares its
// TolerationSeconds.
func CoreToleration(t taints.Toleration) corev1.Toleration {
	return corev1.Toleration{
		Key: t.Key, Operator: corev1.TolerationOperator(t.Operator), Value: t.Value, Effect: corev1.TaintEffect(t.Effect),
		TolerationSeconds: t.TolerationSeconds,
	}
}
