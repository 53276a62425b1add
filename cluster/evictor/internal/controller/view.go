// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"slices"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	nodeutil "k8s.io/kubernetes/pkg/util/node"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// A view is what the API server says about a node and its pods, in two reads that
// all pods of the node share. The cache decides which pods are due. A view says
// whether the cache is up to date: this process may have been stopped, or its watches
// may be late.
type view struct {
	requested time.Time
	done      chan struct{} // closed when the following fields are set
	answered  moment
	node      corev1.Node
	pods      map[types.UID]*corev1.Pod // what the controller reads of them, if they are not being deleted
	crowded   bool                      // the pods are too large for a list, and each is read by itself
	err       error

	failures int       // how many reads in a row failed
	retry    time.Time // when to read again, if this one failed
}

const (
	// reuse is how long after the answer pods may join a view, and valid how long
	// they may use it, since they may have to wait for the rate limit.
	reuse = time.Second
	valid = 5 * time.Second
)

func (v *view) age() time.Duration { return now().since(v.answered) }

// viewOf returns a view that was requested since the given time. The caller waits
// until it is done, and holds the mutex.
func (c *Controller) viewOf(ctx context.Context, node string, since time.Time) *view {
	v := &view{requested: time.Now(), done: make(chan struct{})}
	if before := c.views[node]; before != nil {
		pending := before.answered.wall.IsZero()
		if !before.requested.Before(since) && (pending || before.err == nil && before.age() < reuse) {
			return before
		}
		v.failures, v.retry = before.failures, before.retry
	}
	c.views[node] = v
	go c.read(ctx, node, v)
	return v
}

// crowded reports whether the node's pods are too large for a list, as the cache has
// them. An API server takes long to send large pods, and others must not wait for them.
func (c *Controller) crowded(ctx context.Context, node string) bool {
	const most = 4 << 20
	sum := int64(0)
	for _, obj := range c.podsOf(ctx, node) {
		sum += sizeOf(&obj)
	}
	return sum > most
}

func (c *Controller) read(ctx context.Context, node string, v *view) {
	reading, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	var pods corev1.PodList
	err := client.IgnoreNotFound(c.live.Get(reading, types.NamespacedName{Name: node}, &v.node))
	c.mu.Lock()
	if err == nil && !c.nodes[node].is(&v.node) {
		err = errStale // and its pods do not matter
	}
	c.mu.Unlock()
	crowded := err == nil && c.crowded(ctx, node)
	if err == nil && !crowded {
		err = c.live.List(reading, &pods, client.MatchingFields{byNode: node})
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(v.done)
	v.answered, v.crowded, v.err = now(), crowded, err
	v.pods = map[types.UID]*corev1.Pod{}
	for i := range pods.Items {
		if obj := &pods.Items[i]; obj.DeletionTimestamp == nil {
			_, _ = strip(obj)
			v.pods[obj.UID] = obj.DeepCopy() // without the list
		}
	}
	if err == nil || ctx.Err() != nil {
		v.failures, v.retry = 0, time.Time{}
		time.AfterFunc(valid, func() { // it is large, and too old then
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.views[node] == v {
				delete(c.views, node)
			}
		})
		return
	}
	v.failures++
	failures, logger := min(v.failures, 3), log.FromContext(ctx) // soon, for all pods of the node
	if err == errStale {
		failures, logger = v.failures, c.logOnce(logger, node) // [Controller.observe] ends the wait when the cache is up to date
	}
	v.retry = time.Now().Add(backoff(failures, err))
	c.metrics.failures.WithLabelValues(outcome(err)).Inc()
	logger.Info("Cannot read a node and its pods, and will retry", "node", node, "at", v.retry, "error", err.Error())
}

// withPod returns a view that has the pod: v, or one of its own if the node is crowded.
func (c *Controller) withPod(ctx context.Context, v *view, p *pod) (*view, error) {
	if !v.crowded {
		return v, nil
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	obj := &corev1.Pod{}
	err := client.IgnoreNotFound(c.live.Get(ctx, p.NamespacedName, obj))
	own := &view{answered: v.answered, node: v.node, pods: map[types.UID]*corev1.Pod{}}
	if obj.DeletionTimestamp == nil {
		_, _ = strip(obj)
		own.pods[obj.UID] = obj
	}
	return own, err
}

// logOnce returns a logger that logs once for each node and its taints that the cache is
// old. The caller holds the mutex.
func (c *Controller) logOnce(logger logr.Logger, node string) logr.Logger {
	n := c.nodes[node]
	if n == nil || n.logged {
		return logger.V(1)
	}
	n.logged = true
	return logger
}

// confirms reports whether the view and the cache agree about the pod and its node.
// The caller holds the mutex.
func (c *Controller) confirms(v *view, p *pod) bool {
	obj := v.pods[p.uid]
	return obj != nil && !c.mustAsk(p) && equality.Semantic.DeepEqual(obj.Spec.Tolerations, p.tolerations) && c.nodes[p.node].is(&v.node)
}

// is reports whether the API server says the same about the node as the cache.
func (n *node) is(obj *corev1.Node) bool {
	return n != nil && n.uid == obj.UID && slices.EqualFunc(noExecute(obj, n.taints, time.Now()), n.taints, sameTaint)
}

// mayDelete reports whether the pod may be deleted although a PodDisruptionBudget
// holds it back: its node has failed, and that alone would have evicted the pod long
// ago. The pod does not come back then, and it keeps its controller from making
// another one. Somebody who knows that the node has failed says so by the taint
// out-of-service, and need not wait.
func (c *Controller) mayDelete(ctx context.Context, v *view, p *pod) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.options.DeleteHeldAfter == 0 || !c.confirms(v, p) || nodeutil.IsNodeReady(&v.node) {
		return false
	}
	e := c.failed(p)
	if outOfService(&v.node) {
		return e.Outcome != taints.Stays && time.Since(e.At) >= 0
	}
	return e.Outcome != taints.Stays && time.Since(e.At) >= c.options.DeleteHeldAfter && !c.cutOff(ctx)
}

// failed returns what the taints of a failed node alone do to the pod. The caller holds
// the mutex.
func (c *Controller) failed(p *pod) taints.Eviction {
	if c.nodes[p.node] == nil {
		return taints.Eviction{}
	}
	other := func(t taints.Taint) bool { return !isNotReady(t.Key) && t.Key != corev1.TaintNodeOutOfService }
	n := *c.nodes[p.node]
	n.taints = slices.DeleteFunc(slices.Clone(n.taints), other)
	return c.eviction(p, &n)
}

func isNotReady(key string) bool { return key == taints.NodeNotReady || key == taints.NodeUnreachable }

// cutOff reports whether so many nodes are not ready that they have probably not
// failed: the control plane may be cut off from them. Kubernetes' node-lifecycle
// controller stops evictions from a zone with so many.
func (c *Controller) cutOff(ctx context.Context) bool {
	var all corev1.NodeList
	if err := c.client.List(ctx, &all); err != nil {
		return true
	}
	var cluster lifecycle.Zone
	for i := range all.Items {
		if slices.ContainsFunc(all.Items[i].Spec.Taints, func(t corev1.Taint) bool { return isNotReady(t.Key) }) {
			cluster.NotReady++
		} else {
			cluster.Ready++
		}
	}
	return lifecycle.DefaultDisruptionPolicy().State(cluster) != lifecycle.ZoneNormal
}
