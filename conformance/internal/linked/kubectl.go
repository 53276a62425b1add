// SPDX-License-Identifier: Apache-2.0

// Package linked runs unexported functions of Kubernetes, unchanged. It uses the
// directive go:linkname, which the linker allows for packages outside the standard
// library.
package linked

import (
	"reflect"
	"unsafe" // also for go:linkname

	corev1 "k8s.io/api/core/v1"
	_ "k8s.io/kubectl/pkg/cmd/taint"
	"k8s.io/kubectl/pkg/describe"
)

// PrintTolerations prints tolerations as "kubectl describe pod" does.
//
//go:linkname PrintTolerations k8s.io/kubectl/pkg/describe.printTolerationsMultilineWithIndent
func PrintTolerations(
	w describe.PrefixWriter, initialIndent, title, innerIndent string, tolerations []corev1.Toleration,
)

// ParseTaints parses the arguments of "kubectl taint". It returns the taints to
// add and the taints to remove.
//
//go:linkname ParseTaints k8s.io/kubectl/pkg/cmd/taint.parseTaints
func ParseTaints(spec []string) ([]corev1.Taint, []corev1.Taint, error)

// CheckIfTaintsAlreadyExists is the first check of "kubectl taint" unless it may
// overwrite. It returns the keys of the taints that already exist.
//
//go:linkname CheckIfTaintsAlreadyExists k8s.io/kubectl/pkg/cmd/taint.checkIfTaintsAlreadyExists
func CheckIfTaintsAlreadyExists(oldTaints, taints []corev1.Taint) string

// ReorganizeTaints is the change that "kubectl taint" makes to a node.
//
//go:linkname ReorganizeTaints k8s.io/kubectl/pkg/cmd/taint.reorganizeTaints
func ReorganizeTaints(node *corev1.Node, overwrite bool, taintsToAdd []corev1.Taint,
	taintsToRemove []corev1.Taint) (string, []corev1.Taint, error)

// Field returns the address of a field of a struct, exported or not.
func Field[T any](object any, name string) *T {
	field := reflect.ValueOf(object).Elem().FieldByName(name)
	return (*T)(unsafe.Pointer(field.UnsafeAddr()))
}
