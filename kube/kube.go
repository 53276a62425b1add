// SPDX-License-Identifier: Apache-2.0

// Package kube lets package taints work on Kubernetes objects. It converts the
// taints of nodes and the tolerations of pods to the types of package taints and
// back without copying them, and errors of package taints to Kubernetes' field
// errors.
//
//	verdict := taints.Filter(
//		kube.Taints(node.Spec.Taints), kube.Tolerations(pod.Spec.Tolerations))
//
// # Views
//
// [Taints], [Tolerations], [CoreTaints] and [CoreTolerations] return a view: a
// slice of another type over the same memory. [Taint], [Toleration], [CoreTaint]
// and [CoreToleration] do the same for a pointer to a single one. They accept any
// input and do not allocate.
//
//   - Length and order are the same. The view of nil is nil, and that of an
//     empty list is empty and not nil.
//   - The capacity of a view is its length, so an append to it allocates a new
//     array. The elements of that still share what TimeAdded and
//     TolerationSeconds point to.
//   - A write to one is a write to the other, as is a write to what TimeAdded and
//     TolerationSeconds point to. So the view of a shared list, such as one from
//     an informer's cache, must not be written to.
//   - A view keeps the memory alive, and does not change when the variable with
//     the original is appended to, resliced or assigned.
//   - For concurrent use, a view and its original are the same memory: any number
//     of readers, or one writer.
//
// A view has the JSON of its own type, which differs in TimeAdded only: Kubernetes
// writes whole seconds in UTC, and null for the zero time, and converts to local
// time when it reads. A [time.Time] writes and reads its own precision and zone.
//
// [NodeState] and [NodeConditions] copy, as package lifecycle uses only some
// fields of a condition.
//
// # Versions
//
// The views require equal memory layouts, and the package does not compile if they
// differ. So each version of this module goes with a range of versions of
// k8s.io/api. It requires the first of these, so that it does not change the
// versions of k8s.io/api and client-go in a project that uses a later one.
//
//	kube    k8s.io/api            Kubernetes
//	v0.1    v0.25.0 to v0.37.2    1.25 to 1.37
package kube

import (
	"unsafe"

	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
)

// Taints returns a view of a node's taints for package taints.
func Taints(list []corev1.Taint) []taints.Taint {
	return unsafe.Slice(Taint(unsafe.SliceData(list)), len(list))
}

// CoreTaints returns a view of taints for a node's spec.
func CoreTaints(list []taints.Taint) []corev1.Taint {
	return unsafe.Slice(CoreTaint(unsafe.SliceData(list)), len(list))
}

// Tolerations returns a view of a pod's tolerations for package taints.
func Tolerations(list []corev1.Toleration) []taints.Toleration {
	return unsafe.Slice(Toleration(unsafe.SliceData(list)), len(list))
}

// CoreTolerations returns a view of tolerations for a pod's spec.
func CoreTolerations(list []taints.Toleration) []corev1.Toleration {
	return unsafe.Slice(CoreToleration(unsafe.SliceData(list)), len(list))
}

// Taint returns a view of a taint for package taints. The view of nil is nil.
func Taint(t *corev1.Taint) *taints.Taint {
	return (*taints.Taint)(unsafe.Pointer(t))
}

// CoreTaint returns a view of a taint for Kubernetes. The view of nil is nil.
func CoreTaint(t *taints.Taint) *corev1.Taint {
	return (*corev1.Taint)(unsafe.Pointer(t))
}

// Toleration returns a view of a toleration for package taints. The view of nil
// is nil.
func Toleration(t *corev1.Toleration) *taints.Toleration {
	return (*taints.Toleration)(unsafe.Pointer(t))
}

// CoreToleration returns a view of a toleration for Kubernetes. The view of nil is
// nil.
func CoreToleration(t *taints.Toleration) *corev1.Toleration {
	return (*corev1.Toleration)(unsafe.Pointer(t))
}
