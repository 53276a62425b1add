// Package kube lets package taints work on Kubernetes objects as they are: it views the taints of a node and the tolerations
// of a pod as those of package taints and the other way round, without copying, and turns validation errors into
// Kubernetes' field errors.
//
//	verdict := taints.Filter(kube.Taints(node.Spec.Taints), kube.Tolerations(pod.Spec.Tolerations))
//
// # Views
//
// [Taints], [Tolerations], [CoreTaints] and [CoreTolerations] return a slice of another type over the same memory. They take
// any input, valid or not, copy and allocate nothing, and cost the same for every length.
//
//   - Length and order are kept. Nil stays nil, and an empty list that is not nil stays so.
//   - The view's capacity is its length. An append to it makes a new array and never writes behind the end of the original,
//     even where that has room. The new array's elements still share what TimeAdded and TolerationSeconds point to.
//   - A write to an element through one is a write to the other, and so is one through TimeAdded or TolerationSeconds. A
//     list that is shared, such as one from an informer's cache, must not be written to through its view either.
//   - The view keeps the memory alive; it stays good for as long as somebody holds it. Where the original is appended to,
//     resliced or assigned anew, the view keeps what it had.
//   - Both are one memory for concurrent use: reads may go on at the same time, and a write must not go on beside anything
//     else.
//
// A view has the JSON of its own type. The two differ in TimeAdded alone: Kubernetes writes whole seconds in UTC, and null
// for the zero time, and reads into local time; [time.Time] writes what it holds, and reads the zone that is written.
//
// [NodeConditions] copies, for a condition has more fields than package taints looks at.
//
// The views rest on equal memory layouts. The package does not compile where these differ.
package kube

import (
	"unsafe"

	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
)

// Taints returns a view of a node's taints for package taints. It shares memory with the list, see the package
// comment. Nothing is allocated.
func Taints(list []corev1.Taint) []taints.Taint {
	return unsafe.Slice((*taints.Taint)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// CoreTaints returns a view of taints for a node's spec. It shares memory with the list, see the package comment. Nothing
// is allocated.
func CoreTaints(list []taints.Taint) []corev1.Taint {
	return unsafe.Slice((*corev1.Taint)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// Tolerations returns a view of a pod's tolerations for package taints. It shares memory with the list, see the package
// comment. Nothing is allocated.
func Tolerations(list []corev1.Toleration) []taints.Toleration {
	return unsafe.Slice((*taints.Toleration)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// CoreTolerations returns a view of tolerations for a pod's spec. It shares memory with the list, see the package comment.
// Nothing is allocated.
func CoreTolerations(list []taints.Toleration) []corev1.Toleration {
	return unsafe.Slice((*corev1.Toleration)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// NodeConditions returns the types and statuses of a node's conditions, for [taints.ConditionTaints] and
// [taints.ReconcileConditions]. It is a copy in the same order and shares no memory with the list; nil stays nil.
func NodeConditions(list []corev1.NodeCondition) []taints.Condition {
	if list == nil {
		return nil
	}
	conditions := make([]taints.Condition, len(list))
	for i := range list {
		conditions[i] = taints.Condition{Type: string(list[i].Type), Status: string(list[i].Status)}
	}
	return conditions
}
