// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// A pod is a pod on a node that has NoExecute taints, finished or not.
type pod struct {
	types.NamespacedName
	uid         types.UID
	node        string
	tolerations []corev1.Toleration // shared with the cache
	arrived     time.Time           // at the node
	seen        time.Time           // when the pod was first seen on the node
	changed     time.Time           // when it was first seen with these tolerations
	understood  []taints.Toleration // see understand
	asked       *node               // for whose taints they hold, if the cache has too many
	large       bool                // it takes the API server long

	due      time.Time // the deadline
	state    state
	stale    bool      // the cache was behind last time
	marked   bool      // an event says that it is evicted
	failures int       // how often its eviction has failed
	retry    time.Time // when to retry it
	held     bool      // a PodDisruptionBudget refused it last time
	evicted  bool      // the pod is evicted, but not gone yet
}

// A state says who decides about a pod.
type state uint8

const (
	waits    state = iota // nobody, until it is due
	picked                // it is due, and waits for its turn
	inFlight              // a request evicts it, and checks have to wait
)

// Reconcile checks a pod that has changed, or all pods of a node that has. A node has no
// namespace.
func (c *Controller) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	names := []types.NamespacedName{request.NamespacedName}
	if request.Namespace == "" {
		names = nil
		for _, obj := range c.podsOf(ctx, request.Name) {
			names = append(names, client.ObjectKeyFromObject(&obj))
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.check(ctx, names...)
	return reconcile.Result{}, nil
}

// check brings the queue up to date with the cache for pods of a node. The caller holds
// the mutex, so the later of two checks has the newer state.
func (c *Controller) check(ctx context.Context, names ...types.NamespacedName) {
	c.canceled = nil
	for _, name := range names {
		c.checkPod(ctx, name)
	}
	if n := len(c.canceled); n > 0 {
		log.FromContext(ctx).Info("Canceled evictions", "node", c.canceled[0].node, "pods", n, "first", c.canceled[0].NamespacedName)
	}
}

// checkPod checks one of them. The caller holds the mutex.
func (c *Controller) checkPod(ctx context.Context, name types.NamespacedName) {
	p := c.pods[name]
	if p != nil && p.state == inFlight {
		return
	}
	obj := &corev1.Pod{}
	_ = c.client.Get(ctx, name, obj) // which fails only if it is gone
	if p != nil && (p.uid != obj.UID || obj.DeletionTimestamp != nil) {
		c.forget(p)
		p = nil
	}
	n := c.observe(ctx, obj.Spec.NodeName) // which no pod has that is gone
	if obj.DeletionTimestamp != nil || p == nil && n == nil {
		return
	}
	if p == nil {
		now := time.Now()
		p = c.remember(&pod{NamespacedName: name, uid: obj.UID, node: obj.Spec.NodeName, seen: now, changed: now})
	}
	if !equality.Semantic.DeepEqual(p.tolerations, obj.Spec.Tolerations) {
		c.tolerate(ctx, p, obj.Spec.Tolerations)
	}
	p.arrived, p.large = arrival(obj), sizeOf(obj) > largePod || hasTooMany(p.tolerations)
	if c.mustAsk(p) {
		if _, pending := c.queue.Due(p); !pending {
			p.due = later(n.changed, p.changed) // at the earliest
		}
		c.wake(p)
		return
	}
	c.schedule(ctx, p, c.eviction(p, n))
}

// tolerate notes the pod's tolerations as the cache has them. The caller holds the mutex.
func (c *Controller) tolerate(ctx context.Context, p *pod, list []corev1.Toleration) {
	had := hasTooMany(p.tolerations)
	p.tolerations, p.changed, p.asked = list, time.Now(), nil
	if p.stale {
		p.retry = p.changed
	}
	if !hasTooMany(list) {
		var unknown bool
		p.understood, unknown = understand(kube.Tolerations(list))
		c.understands(ctx, p.NamespacedName, !unknown, list)
	} else if !had {
		log.FromContext(ctx).Info("A pod has more tolerations than the cache keeps, and the API server is asked for it",
			"pod", p.NamespacedName, "most", maxTolerations)
	}
}

// eviction returns what the node's taints do to the pod. A nil node has no taints.
func (c *Controller) eviction(p *pod, n *node) taints.Eviction {
	if n == nil {
		return taints.Eviction{}
	}
	policy, seen := c.options.Policy, p.seen
	policy.Arrival = p.arrived
	if c.options.KeepTimers {
		seen = p.changed // so that new tolerations do not move a timer, as in Kubernetes
	}
	return policy.EvictionOf(taints.Options{}.On(p.understood), n.taints, later(n.changed, seen))
}

// understand returns the tolerations by which a pod is evicted. One with an operator or
// an effect of a newer version of Kubernetes tolerates every taint with its key: what
// is not understood evicts no pod.
func understand(list []taints.Toleration) (understood []taints.Toleration, unknown bool) {
	for i := range list {
		if errors.Is(list[i].Validate(), taints.ErrNotSupported) {
			list, unknown = slices.Clone(list), true
			list[i] = taints.Toleration{Key: list[i].Key, Operator: taints.OpExists}
		}
	}
	return list, unknown
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

// understands logs and counts the node or the pod if it is not understood. The caller
// holds the mutex.
func (c *Controller) understands(ctx context.Context, name types.NamespacedName, all bool, list any) {
	if all {
		c.unknown.Delete(name)
	} else if !c.unknown.Has(name) {
		c.unknown.Insert(name)
		log.FromContext(ctx).Info("Evicts no pod for an operator or effect that only a newer version may understand", "of", name, "list", list)
	}
}

// schedule updates the pod's pending eviction. The caller holds the mutex.
func (c *Controller) schedule(ctx context.Context, p *pod, e taints.Eviction) {
	switch {
	case p.evicted && (!c.options.DryRun || e.Outcome != taints.Stays):
		return
	case e.Outcome == taints.Stays:
		c.cancel(p)
		return
	}
	if !c.begun(p) {
		change := c.queue.Update(p, e)
		p.due, _ = c.queue.Due(p)
		if change != lifecycle.QueueUnchanged {
			log.FromContext(ctx).V(1).Info("Eviction "+change.String(), "node", p.node, "deadline", p.due)
		}
	}
	c.wake(p)
}

// begun reports whether the pod's eviction is due and the queue keeps timers: nothing
// postpones such an eviction. The caller holds the mutex.
func (c *Controller) begun(p *pod) bool {
	due, pending := c.queue.Due(p)
	return c.options.KeepTimers && pending && time.Until(due) <= 0
}

// cancel cancels the eviction of a pod that stays. The caller holds the mutex.
func (c *Controller) cancel(p *pod) {
	pending := c.queue.Delete(p)
	if c.nodes[p.node] == nil {
		c.forget(p)
	}
	p.marked, p.failures, p.held, p.evicted = false, 0, false, false
	if !pending {
		return
	}
	c.metrics.evictions.WithLabelValues(canceled).Inc()
	c.canceled = append(c.canceled, p)
	if c.cancels.Allow() {
		c.emit(p, corev1.EventTypeNormal, actionCancel, "Cancelling deletion of Pod %s")
	}
}

// remember remembers the pod until forget. The caller holds the mutex.
func (c *Controller) remember(p *pod) *pod {
	if c.placed[p.node] == nil {
		c.placed[p.node] = sets.New[*pod]()
	}
	c.pods[p.NamespacedName] = p
	c.placed[p.node].Insert(p)
	return p
}

func (c *Controller) forget(p *pod) {
	c.queue.Delete(p)
	c.unknown.Delete(p.NamespacedName)
	delete(c.pods, p.NamespacedName)
	if delete(c.placed[p.node], p); len(c.placed[p.node]) == 0 {
		delete(c.placed, p.node)
		delete(c.views, p.node)
	}
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
	out     bool           // see outOfService
	logged  bool           // see logOnce
}

func (c *Controller) reconcileNode(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observe(ctx, request.Name)
	return reconcile.Result{}, nil
}

// observe reads the node from the cache and returns its taints, or nil if it has no
// NoExecute taints or is gone. The pods of a deleted node are left to Kubernetes'
// garbage collection. The caller holds the mutex.
func (c *Controller) observe(ctx context.Context, name string) *node {
	obj := &corev1.Node{}
	_ = c.client.Get(ctx, types.NamespacedName{Name: name}, obj) // which fails only if it is gone
	var before []taints.Taint
	if old := c.nodes[name]; old != nil && old.uid == obj.UID {
		before = old.taints
	}
	now := time.Now()
	after := noExecute(obj, before, now)
	unknown := func(t taints.Taint) bool { return errors.Is(t.Validate(), taints.ErrNotSupported) }
	c.understands(ctx, types.NamespacedName{Name: name}, !slices.ContainsFunc(kube.Taints(obj.Spec.Taints), unknown), obj.Spec.Taints)
	if len(after) == 0 {
		delete(c.nodes, name)
		return nil
	}
	if !slices.EqualFunc(before, after, sameTaint) {
		c.nodes[name] = &node{uid: obj.UID, taints: after, changed: now}
		delete(c.views, name)
	}
	n := c.nodes[name]
	if out := outOfService(obj); out != n.out {
		n.out = out
		delete(c.views, name)
		for p := range c.placed[name] {
			p.retry = now // now a PodDisruptionBudget may no longer matter
		}
	}
	return n
}

// outOfService reports whether somebody says that the node has failed.
func outOfService(obj *corev1.Node) bool {
	return slices.ContainsFunc(obj.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeOutOfService })
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

// taintsChange ignores nodes that do not change their taints, and those that were there
// at the start, when all pods are checked.
var taintsChange = predicate.Funcs{
	CreateFunc: func(e event.CreateEvent) bool { return !e.IsInInitialList },
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*corev1.Node), e.ObjectNew.(*corev1.Node)
		return before.UID != after.UID || !equality.Semantic.DeepEqual(before.Spec.Taints, after.Spec.Taints)
	},
}

// byNode is the index of pods by their node.
const byNode = "spec.nodeName"

func nodeOf(obj client.Object) []string { return []string{obj.(*corev1.Pod).Spec.NodeName} }

// podsOf returns the pods of the node in the cache, which fails only if it has no index.
func (c *Controller) podsOf(ctx context.Context, node string) []corev1.Pod {
	var list corev1.PodList
	_ = c.client.List(ctx, &list, client.MatchingFields{byNode: node})
	return list.Items
}
