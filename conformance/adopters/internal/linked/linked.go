// SPDX-License-Identifier: Apache-2.0

// Package linked runs unexported functions of Cluster API, unchanged. It uses the
// directive go:linkname, which the linker allows for packages outside the standard
// library.
package linked

import (
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	_ "sigs.k8s.io/cluster-api/core/reconcilers/machine"
)

// PropagateMachineTaints makes the Machine controller's changes to the taints
// and the tracking annotation of a node. It reports whether the node changed.
//
//go:linkname PropagateMachineTaints sigs.k8s.io/cluster-api/core/reconcilers/machine.propagateMachineTaintsToNode
func PropagateMachineTaints(node *corev1.Node, machineTaints []clusterv1.MachineTaint) (bool, error)

// EnsureNodeTaint adds a taint to the node unless the node has one with the same
// key and effect.
//
//go:linkname EnsureNodeTaint sigs.k8s.io/cluster-api/internal/util/taints.EnsureNodeTaint
func EnsureNodeTaint(node *corev1.Node, taint corev1.Taint) bool

// RemoveNodeTaint removes a taint from the node, by key and effect.
//
//go:linkname RemoveNodeTaint sigs.k8s.io/cluster-api/internal/util/taints.RemoveNodeTaint
func RemoveNodeTaint(node *corev1.Node, drop corev1.Taint) bool

// HasTaint reports whether the list has a taint with the same key and effect.
//
//go:linkname HasTaint sigs.k8s.io/cluster-api/internal/util/taints.HasTaint
func HasTaint(taints []corev1.Taint, targetTaint corev1.Taint) bool
