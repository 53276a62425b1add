// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// CacheOptions returns options for a cache that is small even in a large cluster:
// it has only the pods that have a node, and only the fields of pods and nodes
// that the controller reads. Its objects are shared and must not be modified.
func CacheOptions() cache.Options {
	return cache.Options{
		ReaderFailOnMissingInformer: true,
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Pod{}: {
				Field:                 fields.OneTermNotEqualSelector("spec.nodeName", ""),
				Transform:             strip,
				UnsafeDisableDeepCopy: ptr.To(true),
			},
			&corev1.Node{}: {Transform: strip, UnsafeDisableDeepCopy: ptr.To(true)},
		},
	}
}

// strip reduces a pod or node to the parts that the controller reads.
func strip(obj any) (any, error) {
	switch obj := obj.(type) {
	case *corev1.Pod:
		other := func(c corev1.PodCondition) bool { return c.Type != corev1.PodScheduled }
		*obj = corev1.Pod{
			ObjectMeta: stripMeta(&obj.ObjectMeta),
			Spec:       corev1.PodSpec{NodeName: obj.Spec.NodeName, Tolerations: obj.Spec.Tolerations},
			Status:     corev1.PodStatus{Conditions: slices.Clone(slices.DeleteFunc(obj.Status.Conditions, other))},
		}
	case *corev1.Node:
		*obj = corev1.Node{
			ObjectMeta: stripMeta(&obj.ObjectMeta),
			Spec:       corev1.NodeSpec{Taints: obj.Spec.Taints},
		}
	}
	return obj, nil
}

func stripMeta(meta *metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace:         meta.Namespace,
		Name:              meta.Name,
		UID:               meta.UID,
		ResourceVersion:   meta.ResourceVersion,
		CreationTimestamp: meta.CreationTimestamp,
		DeletionTimestamp: meta.DeletionTimestamp,
	}
}
