package main

import (
	"math"
	"time"

	"github.com/seed-0529bac1/taints"
)

// An evictionController evicts the pods that do not tolerate their nodes' NoExecute taints, or no longer, as Kubernetes'
// taint-eviction controller does.
type evictionController struct {
	*cluster
	report *report
	policy taints.EvictionPolicy
	queue  taints.EvictionQueue[*pod]
}

// newEvictionController returns one that counts deadlines from when the taints came, or, as Kubernetes' does, from when it
// saw them first. Then a pending eviction has to keep its timer: each look would put it off.
func newEvictionController(c *cluster, fromTimeAdded bool, r *report) *evictionController {
	return &evictionController{
		cluster: c,
		policy:  taints.EvictionPolicy{FromTimeAdded: fromTimeAdded},
		queue:   taints.EvictionQueue[*pod]{KeepTimers: !fromTimeAdded},
		report:  r,
	}
}

// nodeChanged looks again at the pods of a node whose taints have changed.
func (c *evictionController) nodeChanged(n *node, now time.Time) {
	for _, p := range n.pods {
		e := c.policy.Evict(p.matcher, n.taints, now)
		c.report.looked(p, e, c.queue.Update(p, e), now)
	}
}

// next returns when the next eviction is due, and whether there is one.
func (c *evictionController) next() (time.Time, bool) { return c.queue.Next() }

// wake evicts the pods whose time has come.
func (c *evictionController) wake(now time.Time) {
	for p := range c.queue.PopDue(now) {
		p.remove()
		c.report.evicted(p, now)
	}
}

// restart forgets all deadlines and computes them again from what the API server has. It returns how many there were, and by
// how much the pod that gains most is put off.
func (c *evictionController) restart(now time.Time) (pending int, gained time.Duration) {
	before := make(map[*pod]time.Time)
	for p, due := range c.queue.PopDue(now.Add(math.MaxInt64)) {
		before[p] = due
	}
	for _, n := range c.nodes {
		for _, p := range n.pods {
			e := c.policy.Evict(p.matcher, n.taints, now)
			c.queue.Update(p, e)
			if due, ok := before[p]; ok {
				gained = max(gained, e.At.Sub(due))
			}
		}
	}
	return len(before), gained
}
