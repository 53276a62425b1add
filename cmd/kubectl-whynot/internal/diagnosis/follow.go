// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// Follow sets what happens in the cluster after all of the evictions.
func Follow(c *cluster.Cluster, list []*Eviction) {
	evicted := make(map[*cluster.Workload]int)
	for _, r := range list {
		if r.InSeconds != nil && !r.pod.IsFinished() {
			evicted[c.Maker(r.pod)]++
		}
	}
	for _, r := range list {
		p, maker := r.pod, c.Maker(r.pod)
		leaves := r.Outcome == Refused || r.InSeconds != nil && !p.Deleting && !p.IsFinished()
		if r.changed(maker); leaves && p.Owner != (cluster.Owner{}) && !p.IsStatic() {
			r.follow(c, maker, evicted[maker])
		}
	}
}

// follow sets what happens next. So many pods of the maker are evicted.
func (r *Eviction) follow(c *cluster.Cluster, maker *cluster.Workload, evicted int) {
	p, own := r.pod, &c.Nodes[c.NodeAt[r.pod.Node]]
	if p.Owner.Kind == "Job" && r.Outcome != Refused {
		r.Job, r.Ends = maker.Job.AfterEvictions(evicted)
	}
	switch {
	case r.Ends:
		r.Then = r.Job
	case maker.Bound != nil:
		r.followBound(c, maker.NodeName)
	case own.Matches(p.Profile) && !p.IsRejected(own.Group) && p.EvictionOf(own.Taints, r.now).Outcome != taints.Stays:
		r.Again, r.Then = true, "new ones may be put there again, and leave again"
		if p.Owner.Kind == "DaemonSet" {
			r.Then = "the DaemonSet makes a new one there, which leaves again"
		}
	}
}

// changed says when the pod leaves if its seconds were changed while its timer ran. Then
// Kubernetes keeps the timer of those that it was made with: the template's, or the default.
func (r *Eviction) changed(maker *cluster.Workload) {
	if r.InSeconds == nil || r.pod.Deleting || !r.pod.Changed || r.Because[0].Toleration == nil || r.Because[0].Why != "" {
		return
	}
	pair := &r.Because[0]
	t, seconds, isKnown := *pair.Toleration, int64(300), isEverybodys(*pair.Toleration)
	for _, o := range maker.Effective {
		made := o.TolerationSeconds
		if o.TolerationSeconds = t.TolerationSeconds; made != nil && o.Equal(t) {
			seconds, isKnown = *made, true
		}
	}
	at := r.deadline.Add(time.Duration(seconds-*t.TolerationSeconds) * time.Second)
	isNew := pair.Taint.TimeAdded != nil && !pair.Taint.TimeAdded.Before(r.now)
	if isNew || isKnown && (seconds == *t.TolerationSeconds || !at.After(r.now)) {
		return
	}
	pair.Why = "if its seconds were changed after the taint came, Kubernetes keeps the timer of the earlier ones"
	if isKnown && r.From != fromUnknown {
		r.OrAt = r.at(at, "")
		pair.Why += ", until " + r.OrAt
	}
	r.Order = pair.Text()
}

// followBound says what happens to new pods whose template names the node.
func (r *Eviction) followBound(c *cluster.Cluster, node string) {
	r.Then = "its template names node " + node + ", where all new ones go without the scheduler"
	i, isKnown := c.NodeAt[node]
	switch e := r.pod.EvictionOf(c.Nodes[i].Taints, r.now); {
	case !isKnown:
	case e.Outcome != taints.Stays && !e.Tolerated:
		r.Then += ", and its kubelet refuses them, again and again: take nodeName out of the template"
	case e.Outcome != taints.Stays:
		r.Again = node == r.Node
		r.Then += ", and leave again: take nodeName out of the template"
	}
}

// explainBound explains pods whose template names the node.
func (x *Pending) explainBound(node string) {
	text := "the template names node " + node + ", where the pods go without the scheduler"
	switch {
	case x.Kind == causeFailure, x.Kind == causeInvalid:
	case x.Feasible > 0:
		x.Kind, x.Text, x.Fix = causeSchedulable, text, nil
	default:
		x.Text = text + ", and its kubelet refuses them, again and again: " + x.Text
		x.Fix = slices.Concat([]Step{{Text: "take nodeName out of the template, so that the scheduler chooses a node"}}, x.Fix)
	}
}
