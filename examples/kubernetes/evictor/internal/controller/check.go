// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// A pod is what is remembered of a pod on a node that has NoExecute taints.
type pod struct {
	types.NamespacedName
	uid         types.UID
	node        string
	tolerations []corev1.Toleration // those of the cache, not to be written to
	matcher     *taints.Matcher     // compiled from the tolerations, with the policy
	arrived     time.Time           // when it came to the node, as the API server says
	seen        time.Time           // when it was first seen there with these tolerations

	state    state
	due      time.Time // the deadline, also while the queue has the time of another try
	failures int       // how often it has failed
	retry    time.Time // not to be tried again before
}

// A state says how far the eviction of a pod is.
type state uint8

const (
	idle     state = iota // the taints do not evict it
	waiting               // in the queue
	evicting              // in the hands of a worker
	evicted               // done; the pod is yet to disappear
)

// check brings the queue up to date with what is known of a pod; obj is nil if it
// does not exist. The mutex is held.
func (c *Controller) check(ctx context.Context, name types.NamespacedName, obj *corev1.Pod, now time.Time) {
	if p := c.track(ctx, name, obj, now); p != nil && !c.decided(p) {
		c.schedule(ctx, p, c.evict(p))
	}
}

// decided reports whether the taints do not matter to the pod any longer, at least
// until a worker is done with it.
func (c *Controller) decided(p *pod) bool {
	return p.state == evicting || p.state == evicted && !c.options.DryRun
}

// track brings up to date what is remembered of a pod, and returns it, or nil for a
// pod on a node without NoExecute taints, or that is gone, has ended or is about to.
// The mutex is held.
func (c *Controller) track(ctx context.Context, name types.NamespacedName, obj *corev1.Pod, now time.Time) *pod {
	p := c.pods[name]
	if p != nil && (obj == nil || obj.UID != p.uid || obj.Spec.NodeName != p.node || leaving(obj)) {
		c.forget(p)
		p = nil
	}
	if obj == nil || leaving(obj) {
		return nil
	}
	if c.nodes[obj.Spec.NodeName] == nil {
		if p != nil && !c.decided(p) {
			c.cancel(ctx, p)
			c.forget(p)
		}
		return nil
	}
	if p == nil {
		p = &pod{NamespacedName: name, uid: obj.UID, node: obj.Spec.NodeName, arrived: arrival(obj)}
		c.pods[name] = p
	}
	if p.matcher == nil || !equality.Semantic.DeepEqual(p.tolerations, obj.Spec.Tolerations) {
		policy := c.options.Policy
		if policy.FromTimeAdded {
			policy.Arrival = p.arrived
		}
		p.matcher, p.seen = policy.Compile(kube.Tolerations(obj.Spec.Tolerations)), now
	}
	p.tolerations = obj.Spec.Tolerations
	return p
}

// leaving reports whether the pod has ended or is being deleted.
func leaving(obj *corev1.Pod) bool {
	return obj.DeletionTimestamp != nil || obj.Status.Phase == corev1.PodSucceeded ||
		obj.Status.Phase == corev1.PodFailed
}

// arrival is when the pod came to its node: when it was bound, or created for it.
func arrival(obj *corev1.Pod) time.Time {
	for i := range obj.Status.Conditions {
		condition := &obj.Status.Conditions[i]
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionTrue {
			return condition.LastTransitionTime.Time
		}
	}
	return obj.CreationTimestamp.Time
}

// evict says what the taints do to a pod. A taint that was there before the pod
// counts from when the pod came: it has its whole time on each node. The answer
// depends on what was seen, not on when it is asked for. The mutex is held.
func (c *Controller) evict(p *pod) taints.Eviction {
	n := c.nodes[p.node]
	if n == nil {
		return taints.Eviction{}
	}
	return p.matcher.EvictionOf(n.taints, later(n.changed, p.seen))
}

// schedule puts the pod into its queue, moves it there, or takes it out. One whose
// eviction has failed is not due before it may be tried again, and one that keeps
// its timer then. The mutex is held.
func (c *Controller) schedule(ctx context.Context, p *pod, e taints.Eviction) {
	switch {
	case e.Outcome == taints.Stays:
		c.cancel(ctx, p)
		return
	case p.state == evicted:
		return
	}
	deadline := e.At
	if p.failures > 0 && (c.queue.KeepTimers || e.At.Before(p.retry)) {
		e = taints.Eviction{Outcome: taints.EvictsAt, At: p.retry}
	}
	p.state = waiting
	change := c.queueOf(p).Update(p, e)
	switch {
	case p.failures == 0:
		p.due, _ = c.queue.Due(p)
	case !c.queue.KeepTimers:
		p.due = deadline
	}
	if change != lifecycle.Unchanged {
		log.FromContext(ctx).V(1).Info("Eviction "+change.String(),
			"pod", p.NamespacedName, "node", p.node, "deadline", e.At)
		c.wakeWorker()
	}
}

// queueOf returns the queue for a pod, which is another one once it has failed. The
// mutex is held.
func (c *Controller) queueOf(p *pod) *lifecycle.Queue[*pod] {
	if p.failures > 0 {
		return &c.retries
	}
	return &c.queue
}

// cancel takes note that the taints do not evict the pod, and cancels the eviction if
// it was to come. The mutex is held.
func (c *Controller) cancel(ctx context.Context, p *pod) {
	pending := p.state == waiting
	c.queueOf(p).Delete(p)
	p.state, p.failures, p.retry = idle, 0, time.Time{}
	if !pending {
		return
	}
	c.metrics.evictions.WithLabelValues(canceled).Inc()
	log.FromContext(ctx).Info("Canceled the eviction of a pod", "pod", p.NamespacedName, "node", p.node)
	c.emit(p, corev1.EventTypeNormal, actionCancel, "Cancelling deletion of Pod %s")
	c.wakeWorker()
}

// forget forgets the pod. The mutex is held.
func (c *Controller) forget(p *pod) {
	delete(c.pods, p.NamespacedName)
	if c.queueOf(p).Delete(p) {
		c.wakeWorker()
	}
}

// wakeWorker wakes the worker that waits for the next pod.
func (c *Controller) wakeWorker() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}
