// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/say"
)

// The outcomes of an eviction, in the order in which they are listed.
const (
	deleting = "deleting"
	Overdue  = "overdue"
	Leaves   = "leaves"
	Stays    = "stays"
)

var outcomes = []string{deleting, Overdue, Leaves, Stays}

// An Eviction is the effect of a node's NoExecute taints on a pod.
type Eviction struct {
	Pod     string `json:"pod"`
	Node    string `json:"node"`
	Outcome string `json:"outcome"`
	// At is the deadline, empty if there is none or it is beyond the year 9999.
	At string `json:"at,omitempty"`
	// InSeconds is the time until the deadline. It is negative after the deadline,
	// and nil if there is none.
	InSeconds *int64 `json:"inSeconds,omitempty"`
	// From is what the deadline counts from.
	From origin `json:"from,omitempty"`
	// Because has the taint that decides, or all taints for a pod that stays.
	Because []pair `json:"because"`

	name     cluster.PodName
	deadline time.Time
	Order    string `json:"-"` // of equal deadlines
}

// An origin is what a deadline counts from.
type origin string

// The origins.
const (
	fromTimeAdded origin = "timeAdded"
	fromArrival   origin = "arrival"
	fromNow       origin = "now"
)

// A pair is a taint and the toleration that counts for it.
type pair struct {
	Taint taints.Taint `json:"taint"`
	// Toleration is nil if no toleration tolerates the taint. Why then names the
	// closest one.
	Toleration *taints.Toleration `json:"toleration"`
	Why        string             `json:"why,omitempty"`
}

// evictions returns an eviction for each of the pods on nodes with NoExecute
// taints, sorted by outcome, then by deadline, reason and pod name.
func (a *analyst) evictions(pods []*cluster.Pod) []Eviction {
	c := a.cluster
	list := []Eviction{}
	orders := make(map[string]string) // many pods share one
	for _, p := range pods {
		i, ok := c.NodeAt[p.Node]
		if !ok || !hasNoExecute(c.Nodes[i].Taints) || p.IsFinished() {
			continue
		}
		x := a.evictionOf(p, &c.Nodes[i])
		if order, ok := orders[x.Order]; ok {
			x.Order = order
		} else {
			orders[x.Order] = x.Order
		}
		list = append(list, x)
	}
	slices.SortFunc(list, compareEvictions)
	return list
}

func compareEvictions(a, b Eviction) int {
	if c := slices.Index(outcomes, a.Outcome) - slices.Index(outcomes, b.Outcome); c != 0 {
		return c
	}
	return cmp.Or(a.deadline.Compare(b.deadline), strings.Compare(a.Order, b.Order), cluster.ComparePodNames(a.name, b.name))
}

func hasNoExecute(list []taints.Taint) bool {
	return slices.ContainsFunc(list, func(t taints.Taint) bool { return t.Effect == taints.NoExecute })
}

// evictionOf returns the eviction of the pod on the node.
func (a *analyst) evictionOf(p *cluster.Pod, n *cluster.Node) Eviction {
	r := Eviction{Pod: p.String(), Node: n.Name, Outcome: Stays, name: p.PodName}
	if first, e := firstEviction(p, n, a.now); first != nil {
		r.Because = []pair{a.pairOf(p, *first, e.Toleration, e.Tolerated)}
		r.expire(e, first, p.Arrived, a.now)
	} else {
		r.Because = a.tolerated(p, n)
	}
	if p.Deleting {
		r.Outcome = deleting
	}
	for _, b := range r.Because {
		r.Order += b.Text() + "\n"
	}
	return r
}

// firstEviction returns the taint of the node with the earliest deadline, or nil
// if the pod stays. It evaluates each taint by itself: for all taints together,
// the library returns the taint that evicts now, even if the time of another
// taint ended before. No time starts before the pod was assigned to the node.
func firstEviction(p *cluster.Pod, n *cluster.Node, now time.Time) (first *taints.Taint, e taints.Eviction) {
	policy := taints.EvictionPolicy{FromTimeAdded: true, Arrival: p.Arrived}
	for i := range n.Taints {
		alone := policy.Compile(p.Tolerations).EvictionOf(n.Taints[i:i+1], now)
		if alone.Outcome != taints.Stays && (first == nil || isSooner(alone, e)) {
			first, e = &n.Taints[i], alone
		}
	}
	return first, e
}

// isSooner reports whether a has an earlier deadline than b, or the same
// deadline and a is for an untolerated taint and b for a tolerated one.
func isSooner(a, b taints.Eviction) bool {
	if !a.At.Equal(b.At) {
		return a.At.Before(b.At)
	}
	return !a.Tolerated && b.Tolerated
}

// expire sets the deadline.
func (r *Eviction) expire(e taints.Eviction, decides *taints.Taint, arrived, now time.Time) {
	r.Outcome, r.deadline, r.From = Leaves, e.At, fromNow
	if !e.At.After(now) {
		r.Outcome = Overdue
	}
	switch {
	case decides.TimeAdded != nil && e.From.Equal(*decides.TimeAdded):
		r.From = fromTimeAdded
	case !arrived.IsZero() && e.From.Equal(arrived):
		r.From = fromArrival
	}
	if e.At.Unix() <= lastSecond {
		r.At = e.At.UTC().Format(time.RFC3339)
	}
	seconds := e.At.Unix() - now.Unix()
	r.InSeconds = &seconds
}

// lastSecond is the end of the year 9999 in UTC. A deadline can be hours later in a
// time zone in which the year ends later. The library treats later ones as forever.
const lastSecond = 253402300799

// tolerated returns the node's NoExecute taints with the tolerations for which
// the pod stays.
func (a *analyst) tolerated(p *cluster.Pod, n *cluster.Node) []pair {
	list := []pair{}
	for _, t := range n.Taints {
		if t.Effect == taints.NoExecute {
			i, ok := p.Matcher.Match(t)
			list = append(list, a.pairOf(p, t, i, ok))
		}
	}
	return list
}

func (a *analyst) pairOf(p *cluster.Pod, t taints.Taint, toleration int, tolerated bool) pair {
	if tolerated {
		return pair{Taint: t, Toleration: &p.Tolerations[toleration]}
	}
	why := a.reasonOf(p.Profile, t)
	return pair{Taint: t, Why: why.words()}
}

// Text describes whether and how the taint is tolerated.
func (p *pair) Text() string {
	if p.Toleration == nil {
		return "untolerated taint " + p.Taint.String() + " (" + p.Why + ")"
	}
	return "taint " + p.Taint.String() + " is tolerated by " + p.Toleration.String()
}

// When returns the deadline as text, or "" if there is none.
func (x *Eviction) When() string {
	if x.InSeconds == nil {
		return ""
	}
	when := x.At
	if when == "" {
		when = "a time after the year 9999"
	}
	when += " (" + say.Relative(*x.InSeconds)
	switch x.From {
	case fromNow:
		when += ", if the taint was added now"
	case fromArrival:
		when += ", counted from when the pod was bound"
	}
	return when + ")"
}

// Suffix returns the pod's deadline as the end of a sentence.
func (x *Eviction) Suffix() string {
	if when := x.When(); when != "" {
		return ", at " + when
	}
	return ""
}
