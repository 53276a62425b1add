// SPDX-License-Identifier: Apache-2.0

package controller

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// byNode is the index of pods by their node.
const byNode = "spec.nodeName"

func nodeOf(obj client.Object) []string {
	if p, ok := obj.(*corev1.Pod); ok && p.Spec.NodeName != "" {
		return []string{p.Spec.NodeName}
	}
	return nil
}

// CacheOptions returns options for a cache that is small also in a large cluster: it
// has only the pods that run on nodes, and of pods and nodes only what the
// controller checks. Objects come out of it as they are in it, not to be written
// to.
func CacheOptions() cache.Options {
	return cache.Options{
		ReaderFailOnMissingInformer: true,
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Pod{}: {
				Field: fields.AndSelectors(
					fields.OneTermNotEqualSelector("spec.nodeName", ""),
					fields.OneTermNotEqualSelector("status.phase", string(corev1.PodSucceeded)),
					fields.OneTermNotEqualSelector("status.phase", string(corev1.PodFailed)),
				),
				Transform:             strip,
				UnsafeDisableDeepCopy: ptr.To(true),
			},
			&corev1.Node{}: {Transform: strip, UnsafeDisableDeepCopy: ptr.To(true)},
		},
	}
}

// strip leaves of a pod or node what the controller checks.
func strip(obj any) (any, error) {
	switch obj := obj.(type) {
	case *corev1.Pod:
		return stripPod(obj), nil
	case *corev1.Node:
		return stripNode(obj), nil
	}
	return obj, nil
}

func stripPod(obj *corev1.Pod) *corev1.Pod {
	small := &corev1.Pod{ObjectMeta: stripMeta(&obj.ObjectMeta)}
	small.Spec.NodeName = obj.Spec.NodeName
	small.Spec.Tolerations = obj.Spec.Tolerations
	small.Status.Phase = obj.Status.Phase
	for i := range obj.Status.Conditions {
		if c := &obj.Status.Conditions[i]; c.Type == corev1.PodScheduled {
			small.Status.Conditions = []corev1.PodCondition{{
				Type:               c.Type,
				Status:             c.Status,
				LastTransitionTime: c.LastTransitionTime,
			}}
		}
	}
	return small
}

func stripNode(obj *corev1.Node) *corev1.Node {
	small := &corev1.Node{ObjectMeta: stripMeta(&obj.ObjectMeta)}
	for i := range obj.Spec.Taints {
		if obj.Spec.Taints[i].Effect == corev1.TaintEffectNoExecute {
			small.Spec.Taints = append(small.Spec.Taints, obj.Spec.Taints[i])
		}
	}
	return small
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

// podChanges passes over all that happens to pods until this replica leads: nobody
// would take the requests out of the queue, and those for pods that are gone would
// stay in it. See [Controller.lead].
func (c *Controller) podChanges() predicate.Predicate {
	leads := predicate.NewPredicateFuncs(func(client.Object) bool { return c.leading.Load() })
	return predicate.And(leads, relevantChange)
}

// relevantChange passes over those changes of a pod that cannot change its eviction.
var relevantChange = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, ok1 := e.ObjectOld.(*corev1.Pod)
		after, ok2 := e.ObjectNew.(*corev1.Pod)
		return !ok1 || !ok2 || before.UID != after.UID || before.Spec.NodeName != after.Spec.NodeName ||
			leaving(before) != leaving(after) ||
			!equality.Semantic.DeepEqual(before.Spec.Tolerations, after.Spec.Tolerations)
	},
}
