// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// monitorPeriod is how often the node-lifecycle controller checks the nodes
// (--node-monitor-period).
const monitorPeriod = 5 * time.Second

// A lifecycleController keeps the taints of the nodes in step with their
// conditions, as Kubernetes' node-lifecycle controller does. A node is tainted
// with NoExecute, which evicts its pods, no faster than the disruption of its
// zone allows.
type lifecycleController struct {
	*cluster
	policy lifecycle.DisruptionPolicy
	limits bool // whether the policy is in force
	grace  time.Duration
	report *report

	nextPass time.Time
	work     []zoneWork // by zone
}

func newLifecycleController(c *cluster, o options, r *report) *lifecycleController {
	l := &lifecycleController{
		cluster: c,
		policy:  lifecycle.DefaultDisruptionPolicy(),
		limits:  o.limits,
		grace:   o.grace,
		report:  r,
		work:    make([]zoneWork, len(c.zones)),
	}
	for i := range l.work {
		l.work[i].limiter.rate = l.policy.Rate
	}
	return l
}

// A zoneWork is the work of the controller in a zone.
type zoneWork struct {
	state   lifecycle.ZoneState
	limiter limiter
	waiting []*node // for their first NoExecute taint
}

// A limiter is a token bucket that holds one token, like
// flowcontrol.NewTokenBucketRateLimiter with a burst of 1.
type limiter struct {
	rate float64   // tokens in a second
	next time.Time // when the next token is there
}

// take takes a token if there is one.
func (l *limiter) take(now time.Time) bool {
	if l.rate <= 0 || now.Before(l.next) {
		return false
	}
	l.next = now.Add(period(l.rate))
	return true
}

// setRate changes the rate. A node that waits for a token then waits for a whole
// period of the new rate, as in Kubernetes (RateLimitedTimedQueue.SwapLimiter).
func (l *limiter) setRate(rate float64, now time.Time) {
	if rate == l.rate {
		return
	}
	full := l.take(now)
	l.rate, l.next = rate, now
	if !full {
		l.take(now)
	}
}

// unlimited is the rate of a limiter that always has a token.
var unlimited = math.Inf(1)

// period returns the time from one token to the next, to the millisecond.
func period(rate float64) time.Duration {
	return time.Duration(math.Round(1000/rate)) * time.Millisecond
}

// next returns when the controller next has something to do.
func (c *lifecycleController) next() time.Time {
	next := c.nextPass
	for _, w := range c.work {
		if len(w.waiting) > 0 && w.limiter.rate > 0 {
			next = earlier(next, w.limiter.next)
		}
	}
	return next
}

// wake does what is due.
func (c *lifecycleController) wake(now time.Time) {
	if !now.Before(c.nextPass) {
		c.monitor(now)
		c.nextPass = now.Add(monitorPeriod)
	}
	for i := range c.work {
		w := &c.work[i]
		for len(w.waiting) > 0 && w.limiter.take(now) {
			n := w.waiting[0]
			w.waiting = w.waiting[1:]
			c.patch(n, lifecycle.ReconcileConditions(n.taints, n.state, now))
		}
	}
}

// monitor checks all nodes (monitorNodeHealth in Kubernetes).
func (c *lifecycleController) monitor(now time.Time) {
	for _, n := range c.nodes {
		if now.Sub(n.lastBeat) > c.grace {
			n.state = isReady("Unknown")
		}
		c.report.seen(n, now)
	}
	cutOff := c.setRates(now)
	for _, n := range c.nodes {
		if cutOff {
			c.patch(n, withoutEvictions)
		}
		c.reconcile(n, now)
	}
}

// setRates sets the rates of the zones by their disruption, and reports whether
// no node of any zone is ready: then the control plane is likely to be cut off,
// and no pod is to be evicted (handleDisruption in Kubernetes).
func (c *lifecycleController) setRates(now time.Time) bool {
	zones := c.zoneCounts()
	rates := c.policy.Rates(nil, zones)
	var news []zoneState
	for i, z := range zones {
		w, state := &c.work[i], c.policy.State(z)
		if !c.limits {
			rates[i] = unlimited
		}
		if state != w.state || rates[i] != w.limiter.rate {
			news = append(news, zoneState{c.zones[i], state, rates[i]})
		}
		w.state = state
		w.limiter.setRate(rates[i], now)
		w.waiting = w.waiting[:0]
	}
	c.report.zonesChanged(news, now)
	return c.limits && lifecycle.FullyDisrupted(zones)
}

// reconcile makes the node's taints follow its conditions. A first taint that
// evicts has to wait its turn; one that takes the place of another does not.
func (c *lifecycleController) reconcile(n *node, now time.Time) {
	changes := lifecycle.ReconcileConditions(n.taints, n.state, now)
	if evicting := changes.Only(taints.Evicting); len(evicting.Add) > 0 && len(evicting.Remove) == 0 {
		changes = changes.Only(^taints.Evicting)
		w := &c.work[n.zone]
		w.waiting = append(w.waiting, n)
	}
	c.patch(n, changes)
}

// withoutEvictions removes the taints that evict because of conditions.
var withoutEvictions = taints.Changes{Remove: []taints.TaintID{
	{Key: taints.NodeNotReady, Effect: taints.NoExecute},
	{Key: taints.NodeUnreachable, Effect: taints.NoExecute},
}}
