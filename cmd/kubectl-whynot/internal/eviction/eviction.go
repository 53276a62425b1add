// SPDX-License-Identifier: Apache-2.0

// Package eviction says when taints evict pods, and what happens then.
package eviction

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unique"

	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/jobs"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/internal/timeline"
	"github.com/seed-0529bac1/taints/cmd/internal/timer"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
)

// The outcomes of an eviction, in the order in which they are listed.
const (
	Deleting = "deleting"
	Overdue  = "overdue"
	Leaves   = "leaves"
	Refused  = "refused" // by the kubelet: it never ran
	Stays    = "stays"
)

var outcomes = []string{Deleting, Overdue, Leaves, Refused, Stays}

// An Eviction is the effect of a node's NoExecute taints on a pod.
type Eviction struct {
	Pod       string `json:"pod"`
	Node      string `json:"node"`
	Outcome   string `json:"outcome"`
	At        string `json:"at,omitempty"`        // the deadline; empty: none
	Earliest  string `json:"earliest,omitempty"`  // if it is not known when a taint was added; At is the latest
	OrAt      string `json:"orAt,omitempty"`      // the deadline if the pod's seconds were changed after the taint came
	InSeconds *int64 `json:"inSeconds,omitempty"` // until the deadline, or negative; nil: there is none
	From      origin `json:"from,omitempty"`      // what the deadline counts from
	Because   []Pair `json:"because"`             // the taint that decides, or all taints for a pod that stays
	Hangs     bool   `json:"hangs,omitzero"`      // it stays Terminating, until the node's kubelet answers
	Again     bool   `json:"madeAgain,omitzero"`  // perhaps on the node, which evicts it again
	Job       string `json:"job,omitempty"`       // what its Job does
	Ends      bool   `json:"jobEnds,omitzero"`    // its Job, or its index of that, fails for good, or its owner makes no new pods
	Then      string `json:"then,omitempty"`      // what happens next, if new pods are not better off

	Of    *cluster.Pod `json:"-"`
	Waits bool         `json:"-"` // the kubelet would refuse it again, and no scheduler chooses another node for new ones
	Order string       `json:"-"` // of equal deadlines

	earliest, deadline time.Time
	now                time.Time
	isDrained          bool
}

// Spans returns when the pods are evicted.
func Spans(list []*Eviction) (spans []timeline.Span) {
	for _, r := range list {
		s := timeline.Span{First: r.earliest.Unix() - r.now.Unix(), Last: ptr.Deref(r.InSeconds, 0)}
		if r.From == fromUnknown && r.Earliest == "" {
			s.First = timeline.Anytime
		}
		if r.InSeconds != nil && r.Outcome != Deleting {
			spans = append(spans, s)
		}
	}
	return spans
}

// spared is said of taints that evict no pods, as no node is ready.
const spared = "no node of the input is Ready: while none of the cluster is, Kubernetes evicts no pods for that. Repair the network, the nodes or the control plane"

// An origin is what a deadline counts from.
type origin string

const (
	fromTimeAdded origin = "timeAdded"
	fromArrival   origin = "arrival"
	fromNow       origin = "now"     // as the taint or the pod is from the future
	fromUnknown   origin = "unknown" // when a taint was added is not known
)

// A Pair is a taint and the toleration that counts for it.
type Pair struct {
	Taint      taints.Taint       `json:"taint"`
	Toleration *taints.Toleration `json:"toleration"`    // nil: none tolerates the taint
	Why        string             `json:"why,omitempty"` // the closest one differs, or what else counts
}

// All returns an eviction for each of the pods on nodes with NoExecute taints, sorted by
// outcome, then by deadline, reason and pod name.
func All(c *cluster.Cluster, pods []*cluster.Pod, now time.Time) []*Eviction {
	var list []*Eviction
	for _, p := range pods {
		i, ok := c.NodeAt[p.Node]
		isRefused := p.Reason == "TaintToleration"
		if !ok || !MayLeave(p, &c.Nodes[i]) || p.IsFinished() && !isRefused {
			continue
		}
		r := Of(p, now, &c.Nodes[i])
		leaves := r.Outcome != Stays
		if isRefused || p.IsStatic() && !p.Deleting { // of a static pod, its mirror alone leaves
			r = &Eviction{Pod: r.Pod, Node: r.Node, Outcome: Stays, Because: r.Because, Order: r.Order, Of: p, now: r.now}
		}
		if isRefused {
			maker := c.Maker(p)
			r.Outcome, r.Waits = Refused, leaves && (maker.Kind == "" || maker.Bound != nil)
		}
		if r.Outcome != Stays || len(r.Because) > 0 { // the taints of devices may be tolerated
			list = append(list, r)
		}
	}
	Follow(c, list)
	slices.SortFunc(list, func(x, y *Eviction) int {
		return cmp.Or(slices.Index(outcomes, x.Outcome)-slices.Index(outcomes, y.Outcome), x.deadline.Compare(y.deadline),
			strings.Compare(x.Order, y.Order), strings.Compare(x.Pod, y.Pod))
	})
	return list
}

// MayLeave reports whether the pod leaves because of taints, if it does not tolerate them,
// or stays Terminating, as its kubelet does not answer.
func MayLeave(p *cluster.Pod, n *cluster.Node) bool {
	return HasNoExecute(n.Taints) || len(p.Devices.Tainted) > 0 || p.Deleting && n.IsSilent()
}

// HasNoExecute reports whether one of the taints evicts pods.
func HasNoExecute(list []taints.Taint) bool {
	return slices.ContainsFunc(list, func(t taints.Taint) bool { return t.Effect == taints.NoExecute })
}

// Of returns the eviction of the pod by the taints that its node has had, and
// by those that it gets now, one after the other, which have the time now.
func Of(p *cluster.Pod, now time.Time, before *cluster.Node, changes ...*cluster.Node) *Eviction {
	after := before
	if last := len(changes) - 1; last >= 0 {
		after = changes[last]
	}
	if next := after.Next(now); next != nil {
		changes = slices.Concat(changes, []*cluster.Node{after}, next)
	}
	r := &Eviction{Pod: p.String(), Node: after.Name, Outcome: Stays, Of: p, now: now}
	had := lists.Each(slices.Concat([]*cluster.Node{before}, changes), (*cluster.Node).Evicting)
	timerOf := func(unknown time.Time) (*taints.Taint, taints.Eviction) { // taints whose time is not known were added at unknown
		return timer.After(p.EvictionOf, had, now, func(t taints.Taint) time.Time {
			return slices.MaxFunc([]time.Time{ptr.Deref(t.TimeAdded, unknown), p.Arrived}, time.Time.Compare)
		})
	}
	if first, e := timerOf(now); first != nil {
		r.expire(e, first, p.Arrived)
		if _, early := timerOf(p.Arrived); !p.Arrived.IsZero() && early.At.Before(e.At) {
			r.earliest, r.Earliest, r.From = early.At, early.At.UTC().Format(time.RFC3339), fromUnknown
		}
		pair := pairOf(p, *first, e.Toleration, e.Tolerated)
		if slices.Contains(after.Stale, first.ID()) && e.At.Sub(now) > timer.Briefly {
			pair.Why = "Kubernetes replaces the taint within seconds, as " + after.StateFor(first.ID()) + ", and the timer goes on"
		}
		r.Because = []Pair{pair}
	} else {
		for _, t := range after.Taints {
			if t.Effect == taints.NoExecute {
				i, ok := p.Matcher.Match(t)
				pair := pairOf(p, t, i, ok)
				if after.Spares(t) {
					pair.Why = spared
				}
				if slices.Contains(after.Stale, t.ID()) {
					pair.Why = "Kubernetes removes it within seconds: " + after.StateFor(t.ID())
				}
				r.Because = append(r.Because, pair)
			}
		}
	}
	if d, e, rule := p.Devices.First(now, r.deadline); e.Outcome != taints.Stays || rule != "" {
		pair := Pair{Taint: d.Taints[e.Taint], Why: "on device " + d.String() + rule}
		if e.Tolerated {
			pair.Toleration = &d.Tolerations[e.Toleration]
		}
		if e.Outcome == taints.Stays {
			r.Because = append(r.Because, pair)
		} else {
			r.Because, r.Earliest = []Pair{pair}, ""
			r.expire(e, &pair.Taint, time.Time{})
		}
	}
	if p.Deleting {
		r.Outcome = Deleting
	}
	r.Hangs = r.Outcome != Stays && after.IsSilent()
	r.Order = unique.Make(strings.Join(lists.Each(r.Because, Pair.Text), "\n")).Value() // few texts for many pods
	return r
}

// Drained returns the eviction of a pod that leaves now, whatever the taints.
func Drained(p *cluster.Pod, now time.Time, n *cluster.Node) *Eviction {
	return &Eviction{
		Pod: p.String(), Node: n.Name, Outcome: Leaves, InSeconds: new(int64(0)), Hangs: n.IsSilent(),
		Of: p, isDrained: true, now: now, earliest: now, deadline: now,
	}
}

func (r *Eviction) expire(e taints.Eviction, decides *taints.Taint, arrived time.Time) {
	r.Outcome, r.deadline, r.earliest, r.From = Leaves, e.At, e.At, fromNow
	if !e.At.After(r.now) {
		r.Outcome = Overdue
	}
	switch {
	case decides.TimeAdded == nil:
		r.From = fromUnknown
	case e.From.Equal(*decides.TimeAdded):
		r.From = fromTimeAdded
	case !arrived.IsZero() && e.From.Equal(arrived):
		r.From = fromArrival
	}
	r.At = e.At.UTC().Format(time.RFC3339)
	r.InSeconds = new(e.At.Unix() - r.now.Unix())
}

func pairOf(p *cluster.Pod, t taints.Taint, toleration int, tolerated bool) Pair {
	if tolerated {
		pair := Pair{Taint: t, Toleration: &p.Tolerations[toleration]}
		if ptr.Deref(pair.Toleration.TolerationSeconds, 0) > timer.MaxSeconds {
			pair.Why = timer.Overflow
		}
		return pair
	}
	return Pair{Taint: t, Why: why.Words(why.ReasonOf(p.Profile, t))}
}

// at returns the time, how far it is from now, and more.
func (r *Eviction) at(t time.Time, more string) string {
	return t.UTC().Format(time.RFC3339) + " (" + say.Relative(t.Unix()-r.now.Unix()) + more + ")"
}

// Text describes whether and how the taint is tolerated.
func (p Pair) Text() string {
	text := "untolerated taint " + say.Taint(p.Taint)
	if p.Toleration != nil {
		text = "taint " + say.Taint(p.Taint) + " is tolerated by " + say.Toleration(*p.Toleration)
	}
	if p.Why != "" {
		text += " (" + p.Why + ")"
	}
	return text
}

// Why describes the first of the taints and their tolerations.
func Why(list []Pair) string { return strings.Join(say.FirstOf(lists.Each(list, Pair.Text), 3), "; ") }

// When says when the pods, in the order of their deadlines, are evicted, or "".
func When(list ...*Eviction) string {
	first, last := list[0], list[len(list)-1]
	if last.InSeconds == nil {
		return ""
	}
	earliest := slices.MinFunc(list, func(a, b *Eviction) int { return a.earliest.Compare(b.earliest) }).earliest
	reason := map[origin]string{
		fromNow: ", counted from now, as clocks differ", fromArrival: ", counted from when the pod was bound",
		fromUnknown: ", if the taint was added now",
	}[first.From]
	if slices.ContainsFunc(list, func(x *Eviction) bool { return x.Earliest != "" }) {
		reason = ", as it is not known when the taint was added"
	}
	text := "at " + first.at(earliest, reason)
	if !earliest.Equal(last.deadline) {
		text = "between " + first.at(earliest, "") + " and " + first.at(last.deadline, reason)
	}
	if last.OrAt != "" {
		text += ", or at " + last.OrAt
	}
	return text
}

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
