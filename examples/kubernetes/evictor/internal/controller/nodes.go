// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
)

// A node is a node that has NoExecute taints.
type node struct {
	uid     types.UID
	taints  []taints.Taint // the NoExecute taints; each has a TimeAdded
	changed time.Time      // when this list of taints was first seen
}

func (c *Controller) reconcileNode(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.observe(ctx, request.Name)
	return reconcile.Result{}, err
}

// observe reads the node from the cache and returns its taints, or nil if it has no
// NoExecute taints or is gone. The pods of a deleted node are left to Kubernetes'
// garbage collection. The caller holds the mutex.
func (c *Controller) observe(ctx context.Context, name string) (*node, error) {
	obj := &corev1.Node{}
	if err := c.client.Get(ctx, types.NamespacedName{Name: name}, obj); client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	var before []taints.Taint
	if old := c.nodes[name]; old != nil && old.uid == obj.UID {
		before = old.taints
	}
	now := time.Now()
	after := noExecute(obj, before, now)
	switch {
	case len(after) == 0:
		delete(c.nodes, name)
	case !slices.EqualFunc(before, after, sameTaint):
		c.nodes[name] = &node{uid: obj.UID, taints: after, changed: now}
	}
	return c.nodes[name], nil
}

// noExecute returns a copy of the node's NoExecute taints. A taint without
// timeAdded, such as one from "kubectl taint", keeps the time when it was first
// seen, so that its deadlines do not move.
func noExecute(obj *corev1.Node, before []taints.Taint, now time.Time) []taints.Taint {
	var list []taints.Taint
	for _, t := range kube.Taints(obj.Spec.Taints) {
		if t.Effect != taints.NoExecute {
			continue
		}
		if t.TimeAdded == nil || t.TimeAdded.IsZero() {
			t.TimeAdded = &now
			same := func(b taints.Taint) bool { return b.Key == t.Key && b.Value == t.Value }
			if i := slices.IndexFunc(before, same); i >= 0 {
				t.TimeAdded = before[i].TimeAdded
			}
		}
		list = append(list, t)
	}
	return list
}

func sameTaint(a, b taints.Taint) bool {
	return a.Key == b.Key && a.Value == b.Value && a.TimeAdded.Equal(*b.TimeAdded)
}

// taintsChange ignores node updates that do not change the taints.
var taintsChange = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, after := e.ObjectOld.(*corev1.Node), e.ObjectNew.(*corev1.Node)
	return before.UID != after.UID || !equality.Semantic.DeepEqual(before.Spec.Taints, after.Spec.Taints)
}}

// byNode is the index of pods by their node.
const byNode = "spec.nodeName"

func nodeOf(obj client.Object) []string { return []string{obj.(*corev1.Pod).Spec.NodeName} }

func (c *Controller) podsOf(ctx context.Context, node client.Object) []reconcile.Request {
	var list corev1.PodList
	if err := c.client.List(ctx, &list, client.MatchingFields{byNode: node.GetName()}); err != nil {
		// The cache fails only if it has no such index.
		log.FromContext(ctx).Error(err, "Cannot list the pods of a node", "node", node.GetName())
	}
	var requests []reconcile.Request
	for i := range list.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
	}
	return requests
}
