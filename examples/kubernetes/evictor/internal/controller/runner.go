// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// Start evicts what is due until the context ends, as it does when the lease is lost.
func (c *Controller) Start(ctx context.Context) error {
	ctx = log.IntoContext(ctx, log.FromContext(ctx).WithName(name))
	if err := c.lead(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("check the pods of tainted nodes: %w", err)
	}
	var workers sync.WaitGroup
	for range max(c.options.Workers, 1) {
		workers.Go(func() { c.work(ctx) })
	}
	workers.Wait()
	return nil
}

// work evicts one pod after the other. Of all workers that have nothing to do, one
// waits for the next pod.
func (c *Controller) work(ctx context.Context) {
	for {
		select {
		case c.turn <- struct{}{}:
		case <-ctx.Done():
			return
		}
		p := c.next(ctx)
		<-c.turn
		if p == nil {
			return
		}
		c.attempt(ctx, p)
	}
}

// next waits until a pod is due, and as the rate limit wants, and takes the pod. It
// returns nil when the context ends.
func (c *Controller) next(ctx context.Context) *pod {
	for {
		if !c.waitUntilDue(ctx) || !c.sleep(ctx, c.delay(), nil) {
			return nil
		}
		if p := c.pop(ctx); p != nil {
			return p
		}
	}
}

// maxSleep bounds how long a jump of the wall clock goes unnoticed.
const maxSleep = time.Minute

// waitUntilDue reports whether it came to that before the context ended.
func (c *Controller) waitUntilDue(ctx context.Context) bool {
	for {
		wait := maxSleep
		c.mu.Lock()
		if at, ok := c.nextTry(); ok {
			wait = min(wait, at.Sub(c.clock.Now()))
		}
		c.mu.Unlock()
		if wait <= 0 {
			return ctx.Err() == nil
		}
		if !c.sleep(ctx, wait, c.wake) {
			return false
		}
	}
}

// nextTry is when the first pod of both queues is due. The mutex is held.
func (c *Controller) nextTry() (time.Time, bool) {
	first, ok := c.queue.Next()
	retry, again := c.retries.Next()
	if !ok || again && retry.Before(first) {
		return retry, again
	}
	return first, ok
}

// delay is how long the rate limit delays the next eviction.
func (c *Controller) delay() time.Duration {
	now := c.clock.Now()
	return c.limiter.ReserveN(now, 1).DelayFrom(now)
}

// sleep sleeps until the time is over or wake has something, and reports false if
// the context ended first.
func (c *Controller) sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := c.clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-wake:
	case <-timer.C():
	}
	return true
}

// pop takes the first pod out of its queue that is due and, as the newest state of
// the cache has it, still to be evicted. It returns nil where there is none. Retries
// come last: pods that budgets hold back may be more than the rate limit lets be
// tried again, and others would be late for them.
func (c *Controller) pop(ctx context.Context) *pod {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	for _, queue := range []*lifecycle.Queue[*pod]{&c.queue, &c.retries} {
		for p := range queue.PopDue(now) {
			if c.confirm(ctx, p, now) {
				p.state = evicting
				return p
			}
		}
	}
	return nil
}

// confirm checks once more a pod that was due and is out of the queue, and reports
// whether it is to be evicted. If not, it is where it belongs. A pod that keeps its
// timer is to be evicted even where it would have more time by now. The mutex is
// held.
func (c *Controller) confirm(ctx context.Context, p *pod, now time.Time) bool {
	obj, err := c.cached(ctx, p.NamespacedName)
	if err != nil {
		c.putOff(p, now, err)
		c.schedule(ctx, p, c.evict(p))
		return false
	}
	if other := c.track(ctx, p.NamespacedName, obj, now); other != p {
		if other != nil {
			c.schedule(ctx, other, c.evict(other))
		}
		return false
	}
	e := c.evict(p)
	if e.Outcome == taints.Stays || e.At.After(now) && !c.queue.KeepTimers {
		c.schedule(ctx, p, e)
		return false
	}
	return true
}

// attempt evicts the pod, and settles what becomes of it.
func (c *Controller) attempt(ctx context.Context, p *pod) {
	if p.failures == 0 {
		c.emit(p, corev1.EventTypeNormal, actionEvict, "Marking for deletion Pod %s")
	}
	err := c.remove(ctx, p)
	now, result := c.clock.Now(), outcome(err)
	if c.options.DryRun {
		result = dryRun
	}
	c.metrics.evictions.WithLabelValues(result).Inc()
	logger := log.FromContext(ctx).WithValues("pod", p.NamespacedName, "uid", p.uid,
		"node", p.node, "deadline", p.due, "outcome", result)

	c.mu.Lock()
	defer c.mu.Unlock()
	if result == done || result == dryRun {
		c.metrics.lateness.Observe(now.Sub(p.due).Seconds())
	}
	if result == done || result == dryRun || result == gone {
		logger.Info("Evicted a pod", "late", now.Sub(p.due))
		p.state = evicted
		return
	}
	c.emitFailure(p, result, err)
	c.putOff(p, now, err)
	logger.Info("Cannot evict a pod, and will try again", "at", p.retry, "failures", p.failures, "error", err.Error())
	if c.pods[p.NamespacedName] != p {
		return // it is gone
	}
	p.state = waiting
	obj, err := c.cached(ctx, p.NamespacedName)
	if err != nil {
		c.schedule(ctx, p, c.evict(p))
		return
	}
	c.check(ctx, p.NamespacedName, obj, now)
}

const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 30 * time.Second
	// outageRetry bounds the pause while the API server cannot be reached: what is
	// due then goes when it is back.
	outageRetry = 2 * time.Second
)

// putOff says when to try again what has failed: after twice the time of the failure
// before, and up to half of it more, so that those which failed together do not come
// together again; no sooner than the API server suggests, where there is one.
func (c *Controller) putOff(p *pod, now time.Time, err error) {
	wait := min(firstRetry<<min(p.failures, 10), lastRetry)
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		wait = max(wait, min(time.Duration(seconds)*time.Second, lastRetry))
	}
	if unreachable(err) {
		wait = min(wait, outageRetry)
	}
	p.failures++
	p.retry = now.Add(wait + rand.N(wait/2))
}
