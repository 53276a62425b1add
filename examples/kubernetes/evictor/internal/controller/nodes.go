// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
)

// A node is what is remembered of a node that has NoExecute taints.
type node struct {
	uid     types.UID
	taints  []taints.Taint // the NoExecute ones; each has a TimeAdded
	changed time.Time      // when this list of taints was first seen
}

// noteNode remembers the NoExecute taints of a node and reports whether they have
// changed. A taint without timeAdded, such as kubectl lays, counts as added when it
// was first seen: so its deadlines do not move on with each later check.
func (c *Controller) noteNode(obj *corev1.Node, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.nodes[obj.Name]
	var before []taints.Taint
	if old != nil && old.uid == obj.UID {
		before = old.taints
	}
	after := noExecute(obj, before, now)
	if len(after) == 0 {
		delete(c.nodes, obj.Name)
		return old != nil
	}
	if slices.EqualFunc(before, after, sameTaint) {
		return false
	}
	c.nodes[obj.Name] = &node{uid: obj.UID, taints: after, changed: now}
	return true
}

// noExecute returns a copy of the NoExecute taints of a node. Those without a time
// have that which they had before, or now.
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

// forgetNode forgets a node that is gone, and reports whether it had taints. Its
// pods are not for this controller any longer: Kubernetes' garbage collection of pods
// deletes them.
func (c *Controller) forgetNode(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.nodes[name]
	delete(c.nodes, name)
	return known
}

// requests are those for checks of pods.
type requests = workqueue.TypedRateLimitingInterface[reconcile.Request]

// nodeHandler takes note of the taints of each node, in the order in which they
// change, and then asks for a check of its pods. A pod that comes to the node
// afterwards is checked because it comes.
func (c *Controller) nodeHandler() handler.EventHandler {
	note := func(ctx context.Context, obj client.Object, queue requests) {
		if node, ok := obj.(*corev1.Node); ok && c.noteNode(node, c.clock.Now()) {
			c.checkPodsOf(ctx, node.Name, queue)
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, queue requests) { note(ctx, e.Object, queue) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, queue requests) { note(ctx, e.ObjectNew, queue) },
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, queue requests) {
			if c.forgetNode(e.Object.GetName()) {
				c.checkPodsOf(ctx, e.Object.GetName(), queue)
			}
		},
	}
}

// checkPodsOf asks for a check of the pods of a node, where this replica leads.
func (c *Controller) checkPodsOf(ctx context.Context, node string, queue requests) {
	if !c.leading.Load() {
		return
	}
	pods, err := c.podsOf(ctx, node)
	if err != nil {
		// The cache fails only where it has no such index.
		log.FromContext(ctx).Error(err, "Cannot list the pods of a node", "node", node)
		return
	}
	for _, pod := range pods {
		queue.Add(reconcile.Request{NamespacedName: pod})
	}
}

func (c *Controller) podsOf(ctx context.Context, node string) ([]types.NamespacedName, error) {
	var list corev1.PodList
	if err := c.client.List(ctx, &list, client.MatchingFields{byNode: node}); err != nil {
		return nil, err
	}
	var names []types.NamespacedName
	for i := range list.Items {
		names = append(names, client.ObjectKeyFromObject(&list.Items[i]))
	}
	return names, nil
}

// lead lets changes ask for checks of pods from now on, and then checks the pods of
// all nodes with NoExecute taints. In this order no change is missed: one that did
// not ask for a check was before, so the nodes that are remembered or the cache have
// it.
func (c *Controller) lead(ctx context.Context) error {
	c.leading.Store(true)
	c.mu.Lock()
	nodes := slices.Collect(maps.Keys(c.nodes))
	c.mu.Unlock()
	for _, node := range nodes {
		pods, err := c.podsOf(ctx, node)
		if err != nil {
			return err
		}
		for _, pod := range pods {
			if err := c.checkCached(ctx, pod); err != nil {
				return err
			}
		}
	}
	return nil
}
