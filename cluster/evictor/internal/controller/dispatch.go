// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// A lane is a queue of nodes that have pods to evict. There is one for first attempts,
// one for retries, which has few places, and one for large pods, which has one place:
// first attempts wait for no others.
type lane struct {
	nodes  workqueue.TypedDelayingInterface[string]
	places chan struct{} // one for each pod that waits for an answer or for its turn
}

func newLane(name string, places int) *lane {
	config := workqueue.TypedDelayingQueueConfig[string]{Name: name}
	return &lane{workqueue.NewTypedDelayingQueueWithConfig(config), make(chan struct{}, places)}
}

// lane returns the lane of a pod. The caller holds the mutex.
func (c *Controller) lane(p *pod) *lane {
	switch {
	case p.large:
		return c.large
	case p.failures > 0:
		return c.retries
	}
	return c.first
}

func (c *Controller) lanes() []*lane { return []*lane{c.first, c.retries, c.large} }

// wake wakes the pod's lane when the pod is to be evicted. The caller holds the mutex.
func (c *Controller) wake(p *pod) {
	c.lane(p).nodes.AddAfter(p.node, min(time.Until(c.next(p)), maxSleep))
}

// pending reports whether the pod is to be evicted, or may be. The caller holds the mutex.
func (c *Controller) pending(p *pod) bool {
	_, pending := c.queue.Due(p)
	return pending || c.mustAsk(p)
}

// maxSleep bounds how long a jump of the wall clock goes unnoticed.
const maxSleep = time.Minute

// next returns when to evict a pending pod, or to ask about it. The caller holds the
// mutex.
func (c *Controller) next(p *pod) time.Time {
	at, _ := c.queue.Due(p)
	if c.mustAsk(p) {
		at = time.Time{}
	}
	if p.failures > 0 {
		at = later(at, p.retry)
	}
	if v := c.views[p.node]; v != nil {
		at = later(at, v.retry)
	}
	return at
}

// Start evicts pods that are due until the context ends, and returns when the
// evictions that have begun are over.
func (c *Controller) Start(ctx context.Context) error {
	var running sync.WaitGroup
	for _, l := range c.lanes() {
		context.AfterFunc(ctx, l.nodes.ShutDown)
		running.Go(func() { c.run(ctx, l, &running) })
	}
	running.Wait()
	return nil
}

func (c *Controller) run(ctx context.Context, l *lane, running *sync.WaitGroup) {
	for {
		node, end := l.nodes.Get()
		if end {
			return
		}
		for _, p := range c.pick(l, node) {
			select {
			case l.places <- struct{}{}:
				running.Go(func() { c.evict(ctx, l, p) })
			case <-ctx.Done():
			}
		}
		l.nodes.Done(node)
	}
}

// pick returns the pods of the node that are due in the lane, and wakes it for others.
// While the cache of the node is old, one pod tries for all of them.
func (c *Controller) pick(l *lane, node string) (due []*pod) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.views[node]
	if v != nil && time.Until(v.retry) > 0 {
		l.nodes.AddAfter(node, time.Until(v.retry))
		return nil
	}
	for p := range c.placed[node] {
		switch {
		case !c.pending(p) || p.state != waits || c.lane(p) != l:
		case time.Until(c.next(p)) > 0:
			c.wake(p)
		default:
			p.state = picked
			if due = append(due, p); v != nil && v.err == errStale {
				return due
			}
		}
	}
	slices.SortFunc(due, func(a, b *pod) int {
		return cmp.Or(c.next(a).Compare(c.next(b)), cmp.Compare(a.String(), b.String()))
	})
	return due
}

// takeTurn waits until the rate limit allows an attempt, and reports whether the pod is
// to be evicted, or why that is not sure. A pod that is not evicted takes no token.
func (c *Controller) takeTurn(ctx context.Context, p *pod, v *view) (bool, error) {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	select {
	case <-ctx.Done():
	case <-time.After(c.delay()):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.check(ctx, p.NamespacedName) // the view confirms the result
	_, pending := c.queue.Due(p)
	switch {
	case ctx.Err() != nil || !pending || time.Until(c.next(p)) > 0 || v.age() > valid:
		return false, nil
	case !c.confirms(v, p):
		return false, errStale
	case c.options.Leads != nil && !c.options.Leads():
		return false, errNotLeads
	}
	p.state = inFlight
	c.limiter.ReserveN(time.Now(), 1)
	return true, nil
}

// delay returns how long the rate limit delays the next eviction.
func (c *Controller) delay() time.Duration {
	now := time.Now()
	reservation := c.limiter.ReserveN(now, 1)
	defer reservation.CancelAt(now)
	return reservation.DelayFrom(now)
}
