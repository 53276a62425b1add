// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"encoding/json"
	"slices"

	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
)

// Apply returns a node's taints with the changes made, and whether they differ
// from before; see [taints.Changes.Apply]. It returns the list itself if nothing
// changes, and otherwise a new list.
func Apply(list []corev1.Taint, c taints.Changes) (result []corev1.Taint, changed bool) {
	return changedFrom(list, c.Apply)
}

// Ensure is like [Apply], except that an existing taint with another value
// keeps that value; see [taints.Changes.Ensure].
func Ensure(list []corev1.Taint, c taints.Changes) (result []corev1.Taint, changed bool) {
	return changedFrom(list, c.Ensure)
}

// changedFrom returns the list with changes made, or itself if nothing changes.
func changedFrom(list []corev1.Taint, change func([]taints.Taint) ([]taints.Taint, bool)) (result []corev1.Taint, changed bool) {
	after, changed := change(Taints(list))
	if !changed {
		return list, false
	}
	return CoreTaints(after), true
}

// ApplyStrict returns a node's taints with the changes made like "kubectl
// taint", with or without --overwrite; see [taints.Changes.ApplyStrict].
func ApplyStrict(list []corev1.Taint, c taints.Changes, overwrite bool) ([]corev1.Taint, error) {
	after, err := c.ApplyStrict(Taints(list), overwrite)
	return CoreTaints(after), err
}

// FindTaint returns the index of the first taint with the identity, and whether there
// is one; see [taints.FindTaint].
func FindTaint(list []corev1.Taint, id taints.TaintID) (i int, found bool) {
	return taints.FindTaint(Taints(list), id)
}

// TaintsPatch returns the patch that changes spec.taints of a node from one list to
// another. It is a merge patch, and also a strategic merge patch
// (types.MergePatchType and types.StrategicMergePatchType in apimachinery). It
// returns nil if both lists are equal, so that there is nothing to write.
//
// The patch names the node's resource version. An API server rejects it with a
// conflict if the node changed since it was read, so no taint of another client is
// lost. On a conflict read the node and compute the taints again:
//
//	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
//		node, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
//		if err != nil {
//			return err
//		}
//		after, _ := kube.Apply(node.Spec.Taints, changes)
//		patch := kube.TaintsPatch(node.ResourceVersion, node.Spec.Taints, after)
//		if patch == nil {
//			return nil
//		}
//		_, err = client.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
//		return err
//	})
//
// A controller that is called again for each change of a node may return the conflict
// instead. With controller-runtime, send the patch by
// client.RawPatch(types.MergePatchType, patch). A client that so far updated nodes
// needs the RBAC verb patch in place of update.
//
// The patch sets only the taints. To change annotations, such as a record of applied
// taints, or labels in the same request, use client.MergeFromWithOptions with
// MergeFromWithOptimisticLock, or an update. The patch also fits other objects with a
// spec.taints, such as the clusters of a fleet. Without a resource version it never
// conflicts.
func TaintsPatch(resourceVersion string, before, after []corev1.Taint) []byte {
	if slices.EqualFunc(before, after, sameJSON) {
		return nil
	}
	var patch struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion,omitempty"`
		} `json:"metadata"`
		Spec struct {
			Taints []corev1.Taint `json:"taints"`
		} `json:"spec"`
	}
	patch.Metadata.ResourceVersion = resourceVersion
	patch.Spec.Taints = append([]corev1.Taint{}, after...) // null would be none in a merge patch only
	b, _ := json.Marshal(patch)                            // strings and times always have JSON
	return b
}

// sameJSON reports whether an API server stores both taints alike, without fractions
// of a second and without the zero time.
func sameJSON(a, b corev1.Taint) bool {
	return a.Key == b.Key && a.Value == b.Value && a.Effect == b.Effect &&
		a.TimeAdded.IsZero() == b.TimeAdded.IsZero() &&
		(a.TimeAdded.IsZero() || a.TimeAdded.Unix() == b.TimeAdded.Unix())
}
