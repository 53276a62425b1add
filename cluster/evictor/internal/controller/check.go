// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// A pod is a pod on a node that has NoExecute taints, finished or not. The queue of requests
// never gives a pod to two workers at once.
type pod struct {
	types.NamespacedName
	uid         types.UID
	node        string
	tolerations []corev1.Toleration // shared with the cache
	arrived     time.Time           // at the node
	seen        time.Time           // when the pod was first seen on the node with these tolerations

	due      time.Time // the deadline
	marked   bool      // an event says that it is evicted
	failures int       // how often its eviction has failed
	retry    time.Time // when to retry it
	held     bool      // a PodDisruptionBudget refused it last time
	evicted  bool      // the pod is evicted, but not gone yet
}

// check brings the queue up to date with the cache. It returns the pod if it is
// due, and otherwise when to check it again, if at all. It reads the cache while it
// holds the mutex, so the later of two checks has the newer state.
func (c *Controller) check(ctx context.Context, name types.NamespacedName) (*pod, reconcile.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	obj := &corev1.Pod{}
	if err := c.client.Get(ctx, name, obj); client.IgnoreNotFound(err) != nil {
		return nil, reconcile.Result{}, err
	}
	p := c.pods[name]
	if p != nil && (p.uid != obj.UID || !exists(obj)) {
		c.forget(p)
		p = nil
	}
	if !exists(obj) {
		return nil, reconcile.Result{}, nil
	}
	n, err := c.observe(ctx, obj.Spec.NodeName)
	if err != nil || p == nil && n == nil {
		return nil, reconcile.Result{}, err
	}
	if p == nil {
		p = &pod{NamespacedName: name, uid: obj.UID, node: obj.Spec.NodeName}
		c.pods[name] = p
	}
	if p.seen.IsZero() || !equality.Semantic.DeepEqual(p.tolerations, obj.Spec.Tolerations) {
		p.tolerations, p.seen = obj.Spec.Tolerations, time.Now()
	}
	p.arrived = arrival(obj)
	p, result := c.schedule(ctx, p, c.eviction(p, n))
	return p, result, nil
}

// exists reports whether the cache has the pod and it is not being deleted.
func exists(obj *corev1.Pod) bool { return obj.UID != "" && obj.DeletionTimestamp == nil }

// eviction returns what the node's taints do to the pod. A nil node has no taints.
func (c *Controller) eviction(p *pod, n *node) taints.Eviction {
	if n == nil {
		return taints.Eviction{}
	}
	policy := c.options.Policy
	policy.Arrival = p.arrived
	return policy.EvictionOf(taints.Options{}.On(kube.Tolerations(p.tolerations)), n.taints, later(n.changed, p.seen))
}

// arrival returns when the pod arrived at its node: when it was bound, or created
// for the node.
func arrival(obj *corev1.Pod) time.Time {
	_, scheduled := podutil.GetPodCondition(&obj.Status, corev1.PodScheduled)
	if scheduled != nil && scheduled.Status == corev1.ConditionTrue {
		return scheduled.LastTransitionTime.Time
	}
	return obj.CreationTimestamp.Time
}

// schedule updates the pod's pending eviction, and returns the results of check.
// The caller holds the mutex.
func (c *Controller) schedule(ctx context.Context, p *pod, e taints.Eviction) (*pod, reconcile.Result) {
	switch {
	case p.evicted && (!c.options.DryRun || e.Outcome != taints.Stays):
		return nil, reconcile.Result{}
	case e.Outcome == taints.Stays:
		c.cancel(ctx, p)
		return nil, reconcile.Result{}
	}
	change := lifecycle.QueueUnchanged
	if !c.begun(p) {
		change = c.queue.Update(p, e)
	}
	p.due, _ = c.queue.Due(p)
	if change != lifecycle.QueueUnchanged {
		log.FromContext(ctx).V(1).Info("Eviction "+change.String(), "node", p.node, "deadline", p.due)
	}
	wait := time.Until(p.next())
	if wait <= 0 && change == lifecycle.QueueUnchanged {
		return p, reconcile.Result{}
	}
	return nil, p.wakeUp(wait)
}

// begun reports whether the pod's eviction is due and the queue keeps timers: nothing
// postpones such an eviction. The caller holds the mutex.
func (c *Controller) begun(p *pod) bool {
	due, pending := c.queue.Due(p)
	return !c.queue.NewestWins && pending && time.Until(due) <= 0
}

// Evictions come after all checks, so that mass evictions do not delay new
// deadlines. Retries come after first attempts.
var (
	priorityOfEvictions = handler.LowPriority - 1
	priorityOfRetries   = handler.LowPriority - 2
)

// maxSleep bounds how long a jump of the wall clock goes unnoticed.
const maxSleep = time.Minute

func (p *pod) next() time.Time {
	if p.failures > 0 {
		return later(p.due, p.retry)
	}
	return p.due
}

func (p *pod) wakeUp(wait time.Duration) reconcile.Result {
	priority := &priorityOfEvictions
	if p.failures > 0 {
		priority = &priorityOfRetries
	}
	return reconcile.Result{RequeueAfter: min(max(wait, 1), maxSleep), Priority: priority}
}

// cancel cancels the eviction of a pod that stays. The caller holds the mutex.
func (c *Controller) cancel(ctx context.Context, p *pod) {
	pending := c.queue.Delete(p)
	if c.nodes[p.node] == nil {
		c.forget(p)
	}
	p.marked, p.failures, p.held, p.evicted = false, 0, false, false
	if !pending {
		return
	}
	c.metrics.evictions.WithLabelValues(canceled).Inc()
	log.FromContext(ctx).Info("Canceled the eviction of a pod", "node", p.node)
	c.emit(p, corev1.EventTypeNormal, actionCancel, "Cancelling deletion of Pod %s")
}

// forget forgets the pod. The caller holds the mutex.
func (c *Controller) forget(p *pod) {
	delete(c.pods, p.NamespacedName)
	c.queue.Delete(p)
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

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
