// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/jobs"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// Follow sets what happens in the cluster after all of the evictions.
func Follow(c *cluster.Cluster, list []*Eviction) {
	evicted := make(map[*cluster.Workload][]int) // for each of the pods, how often its index of a Job has failed
	for _, r := range list {
		if r.InSeconds != nil && !r.Of.IsFinished() {
			maker := c.Maker(r.Of)
			evicted[maker] = append(evicted[maker], r.Of.IndexFailures)
		}
	}
	for _, r := range list {
		p, maker := r.Of, c.Maker(r.Of)
		leaves := r.Outcome == Refused || r.InSeconds != nil && !p.Deleting && !p.IsFinished()
		switch r.changed(maker); {
		case r.Outcome == Stays && !p.IsStatic(), p.IsFinished() && r.Outcome != Refused:
		case *p.Owner == (cluster.Owner{}):
			r.Then = "nothing makes it again"
		case p.IsStatic() && slices.ContainsFunc(r.Because, func(x Pair) bool { return x.Toleration == nil }):
			r.Then = "it keeps running, and only its mirror is deleted and made again"
		case leaves && !p.IsStatic():
			r.follow(c, maker, evicted[maker])
			if p.Owner.Kind == "VirtualMachineInstance.kubevirt.io" && !r.isDrained && !r.Hangs {
				r.Then = strings.TrimSuffix("the virtual machine shuts down: taint eviction does not make KubeVirt migrate it; "+r.Then, "; ")
			}
		}
	}
}

// follow sets what happens next. Such pods of the maker are evicted.
func (r *Eviction) follow(c *cluster.Cluster, maker *cluster.Workload, evicted []int) {
	p, own, fail := r.Of, &c.Nodes[c.NodeAt[r.Of.Node]], 0
	switch {
	case maker.None != "" && maker.Kind != "CronJob":
		r.Ends, r.Then, r.Waits = true, "its "+maker.Kind+" makes no new one "+maker.None, false
		return
	case p.Owner.Kind == "Job" && r.Outcome != Refused:
		r.Job, r.Ends = maker.Job.AfterEvictions(p.IndexFailures, evicted)
		fail = len(evicted)
	}
	switch {
	case r.Ends:
		r.Then = r.Job
	case maker.Bound != nil:
		r.followBound(c, maker, fail)
	case r.isDrained && own.Matches(p.Profile) && !p.IsRejected(own.Group):
		r.Again, r.Then = true, "new ones tolerate the cordon, and may be put there again"
	case own.Matches(p.Profile) && !p.IsRejected(own.Group) && p.EvictionOf(own.Taints, r.now).Outcome != taints.Stays:
		r.Again, r.Then = true, "new ones may be put there again, and leave again"+strings.TrimPrefix(jobs.Again(maker.Kind, maker.Job, fail, true), ", again and again")
		if p.Owner.Kind == "DaemonSet" {
			r.Then = "the DaemonSet makes a new one there, which leaves again"
		}
	}
}

// changed says when the pod leaves if its seconds were changed while its timer ran. Then
// Kubernetes keeps the timer of those that it was made with: the template's, or the default.
func (r *Eviction) changed(maker *cluster.Workload) {
	if r.InSeconds == nil || r.Of.Deleting || !r.Of.Changed || r.Because == nil || r.Because[0].Toleration == nil || r.Because[0].Why != "" {
		return
	}
	pair := &r.Because[0]
	t, seconds, isKnown := *pair.Toleration, int64(300), cluster.IsDefault(*pair.Toleration)
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

// followBound says what happens to new pods whose template names the node. So many pods of
// the maker fail before.
func (r *Eviction) followBound(c *cluster.Cluster, maker *cluster.Workload, before int) {
	r.Then = "the template of " + r.Of.OwnerName() + " names node " + maker.NodeName + ", where all new ones go without the scheduler"
	fate, cause := BoundFate(c, maker.Bound, maker.NodeName, r.now)
	if fate == "" {
		return
	}
	r.Again = cause != nil && maker.NodeName == r.Node
	remedy := ": take nodeName out of the template"
	if maker.Kind == "Job" {
		remedy = ". Make the Job again without nodeName"
	}
	r.Then += fate + jobs.Again(maker.Kind, maker.Job, before, fate != Refuses) + remedy
}

// Refuses is what BoundFate says of pods that never run.
const Refuses = ", and its kubelet refuses them"

// BoundFate says what becomes of new pods that name the node, or "" if they stay there. If
// they get there for seconds, cause says why they leave.
func BoundFate(c *cluster.Cluster, p *cluster.Profile, node string, now time.Time) (text string, cause *Pair) {
	i, isKnown := c.NodeAt[node]
	if !isKnown {
		return ". Node " + node + " is not in the input. If it does not exist, they stay Pending until Kubernetes' pod garbage collector deletes them", nil
	}
	n := &c.Nodes[i]
	e := p.EvictionOf(n.Taints, now)
	if leaves := e.Outcome != taints.Stays; !n.Matches(p.Family) || leaves && !e.Tolerated && !n.IsSilent() {
		return Refuses, nil
	} else if !leaves {
		return "", nil
	}
	after := ""
	if e.Tolerated {
		cause, after = &Pair{Taint: n.Taints[e.Taint], Toleration: &p.Tolerations[e.Toleration]}, fmt.Sprintf(" after %ds", e.Seconds)
	}
	if n.IsSilent() {
		return ". Its kubelet does not answer, so that they stay Pending there until Kubernetes evicts them" + after, cause
	}
	return ", and leave" + after, cause
}
