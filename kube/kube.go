// Package kube lets package taints work on Kubernetes objects as they are. It
// views the taints of a node and the tolerations of a pod as those of package
// taints, and the other way round, without copying, and turns errors of package
// taints into Kubernetes' field errors.
//
//	verdict := taints.Filter(
//		kube.Taints(node.Spec.Taints), kube.Tolerations(pod.Spec.Tolerations))
//
// # Views
//
// [Taints], [Tolerations], [CoreTaints] and [CoreTolerations] return a slice of
// another type over the same memory. [Taint], [Toleration], [CoreTaint] and
// [CoreToleration] do the same for the pointer to a single one. They take any
// input, valid or not, and allocate nothing.
//
//   - Length and order are kept. Nil stays nil, and an empty list that is not
//     nil stays so.
//   - The capacity of a slice is its length. An append to it makes a new array
//     and never writes behind the end of the original, even where that has room.
//     The elements of the new array still share what TimeAdded and
//     TolerationSeconds point to.
//   - A write through one is a write to the other, what TimeAdded and
//     TolerationSeconds point to included. So a list that others read, such as
//     one from an informer's cache, must not be written to through its view
//     either.
//   - The view keeps the memory alive. Where the original is appended to,
//     resliced or assigned anew, the view keeps what it had.
//   - For concurrent use both are one memory: any number of readers, or one
//     writer.
//
// A view has the JSON of its own type. The two differ in TimeAdded alone.
// Kubernetes writes whole seconds in UTC, and null for the zero time, and reads
// into local time. A [time.Time] writes what it holds, and reads the zone that is
// written.
//
// [NodeState] and [NodeConditions] copy, for a condition has more fields than
// package lifecycle looks at.
//
// # Versions
//
// The views rest on equal memory layouts, and the package does not compile where
// these differ. So a version of this module goes with a range of versions of
// k8s.io/api. It requires the first of them, and leaves a project that uses a
// later one, and its client-go, where they are.
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

// Taint returns a view of one taint for package taints. Nil stays nil.
func Taint(t *corev1.Taint) *taints.Taint {
	return (*taints.Taint)(unsafe.Pointer(t))
}

// CoreTaint returns a view of one taint for Kubernetes. Nil stays nil.
func CoreTaint(t *taints.Taint) *corev1.Taint {
	return (*corev1.Taint)(unsafe.Pointer(t))
}

// Toleration returns a view of one toleration for package taints. Nil stays nil.
func Toleration(t *corev1.Toleration) *taints.Toleration {
	return (*taints.Toleration)(unsafe.Pointer(t))
}

// CoreToleration returns a view of one toleration for Kubernetes. Nil stays nil.
func CoreToleration(t *taints.Toleration) *corev1.Toleration {
	return (*corev1.Toleration)(unsafe.Pointer(t))
}
