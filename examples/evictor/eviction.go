// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// An evictionController evicts pods that do not tolerate their nodes' NoExecute
// taints, or do so no longer, as Kubernetes' taint-eviction controller does.
type evictionController struct {
	*cluster
	report *report
	queue  lifecycle.Queue[*pod]
}

// evictionPolicy says from when deadlines count: from when the taints came, or,
// as in Kubernetes, from when the controller saw them.
func (o *options) evictionPolicy() taints.EvictionPolicy {
	return taints.EvictionPolicy{FromTimeAdded: o.fromTimeAdded}
}

// newEvictionController returns a controller for pods whose tolerations are
// compiled under the policy. Unless deadlines count from when the taints came,
// pending evictions keep their timers: otherwise each look at a pod would put its
// eviction off.
func newEvictionController(c *cluster, policy taints.EvictionPolicy, r *report) *evictionController {
	return &evictionController{
		cluster: c,
		queue:   lifecycle.Queue[*pod]{KeepTimers: !policy.FromTimeAdded},
		report:  r,
	}
}

// nodeChanged looks again at the pods of a node whose taints have changed.
func (c *evictionController) nodeChanged(n *node, now time.Time) {
	for _, p := range n.pods {
		e := p.kind.matcher.EvictionOf(n.taints, now)
		c.report.looked(p, e, c.queue.Update(p, e), now)
	}
}

// next returns when the next eviction is due, and whether there is one.
func (c *evictionController) next() (time.Time, bool) { return c.queue.Next() }

// wake evicts the pods whose time has come. They leave their nodes together, as each
// for itself would have to be looked for among all the others.
func (c *evictionController) wake(now time.Time) {
	from := map[*node]bool{}
	for p := range c.queue.PopDue(now) {
		p.evicted, from[p.node] = true, true
		c.report.evicted(p, now)
	}
	for n := range from {
		n.removeEvicted()
	}
}

// restart forgets all deadlines and computes them again from what the API server
// has. It returns how many there were, and by how much one is put off at most.
func (c *evictionController) restart(now time.Time) (pending int, gained time.Duration) {
	before := maps.Collect(c.queue.All())
	c.queue = lifecycle.Queue[*pod]{KeepTimers: c.queue.KeepTimers}
	for _, n := range c.nodes {
		for _, p := range n.pods {
			c.queue.Update(p, p.kind.matcher.EvictionOf(n.taints, now))
		}
	}
	for p, due := range before {
		if again, ok := c.queue.Due(p); ok {
			gained = max(gained, again.Sub(due))
		}
	}
	return len(before), gained
}
