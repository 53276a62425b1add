// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
)

// Apply returns a node's taints with the changes made, and whether they differ
// from before; see [taints.Changes.Apply]. It returns the list itself if nothing
// changes, and otherwise a new list.
func Apply(list []corev1.Taint, c taints.Changes) (result []corev1.Taint, changed bool) {
	after, changed := c.Apply(Taints(list))
	return CoreTaints(after), changed
}

// Ensure is like [Apply], except that an existing taint with another value
// keeps that value; see [taints.Changes.Ensure].
func Ensure(list []corev1.Taint, c taints.Changes) (result []corev1.Taint, changed bool) {
	after, changed := c.Ensure(Taints(list))
	return CoreTaints(after), changed
}

// ApplyStrict returns a node's taints with the changes made like "kubectl
// taint", with or without --overwrite; see [taints.Changes.ApplyStrict].
func ApplyStrict(list []corev1.Taint, c taints.Changes, overwrite bool) ([]corev1.Taint, error) {
	after, err := c.ApplyStrict(Taints(list), overwrite)
	return CoreTaints(after), err
}

// Find returns the index of the first taint with the identity, and whether there
// is one; see [taints.FindTaint].
func Find(list []corev1.Taint, id taints.TaintID) (i int, found bool) {
	return taints.FindTaint(Taints(list), id)
}
