// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/seed-0529bac1/taints"
)

// The outcomes of an eviction, in the order in which they are shown.
const (
	deleting = "deleting"
	overdue  = "overdue"
	leaves   = "leaves"
	stays    = "stays"
)

var outcomes = []string{deleting, overdue, leaves, stays}

// An eviction says what the NoExecute taints of its node do to a pod.
type eviction struct {
	Pod     string `json:"pod"`
	Node    string `json:"node"`
	Outcome string `json:"outcome"`
	// At is the deadline, empty if there is none or it is beyond the year 9999.
	At string `json:"at,omitempty"`
	// InSeconds is how far the deadline is from now, negative once it is over;
	// nil if there is none.
	InSeconds *int64 `json:"inSeconds,omitempty"`
	// From says what the deadline counts from.
	From origin `json:"from,omitempty"`
	// Because has the taint that decides, or all for a pod that stays.
	Because []pair `json:"because"`

	name     podName
	deadline time.Time
	order    string // of equal deadlines
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
	// Toleration is nil if none tolerates the taint. Why then says which one
	// comes closest.
	Toleration *taints.Toleration `json:"toleration"`
	Why        string             `json:"why,omitempty"`
}

// evictions returns an eviction for each of the pods on nodes with NoExecute
// taints: those that are over first, then in order of deadline, then those that
// stay.
func evictions(c *cluster, pods []*pod, now time.Time) []eviction {
	list := []eviction{}
	orders := make(map[string]string) // many pods share theirs
	for _, p := range pods {
		i, ok := c.nodeAt[p.node]
		if !ok || !hasNoExecute(c.nodes[i].taints) || p.isFinished() {
			continue
		}
		x := evictionOf(p, &c.nodes[i], now)
		if order, ok := orders[x.order]; ok {
			x.order = order
		} else {
			orders[x.order] = x.order
		}
		list = append(list, x)
	}
	slices.SortFunc(list, compareEvictions)
	return list
}

func compareEvictions(a, b eviction) int {
	if c := slices.Index(outcomes, a.Outcome) - slices.Index(outcomes, b.Outcome); c != 0 {
		return c
	}
	return cmp.Or(a.deadline.Compare(b.deadline), strings.Compare(a.order, b.order), comparePodNames(a.name, b.name))
}

func hasNoExecute(list []taints.Taint) bool {
	return slices.ContainsFunc(list, func(t taints.Taint) bool { return t.Effect == taints.NoExecute })
}

// evictionOf computes what becomes of the pod on the node.
func evictionOf(p *pod, n *node, now time.Time) eviction {
	r := eviction{Pod: p.String(), Node: n.Name, Outcome: stays, name: p.podName}
	if first, e := firstEviction(p, n, now); first != nil {
		r.Because = []pair{pairOf(p, *first, e.Toleration, e.Tolerated)}
		r.expire(e, first, p.arrived, now)
	} else {
		r.Because = tolerated(p, n)
	}
	if p.deleting {
		r.Outcome = deleting
	}
	for _, b := range r.Because {
		r.order += b.text() + "\n"
	}
	return r
}

// firstEviction returns the taint of the node with the earliest deadline, nil
// if the pod stays. Each taint is evaluated by itself: of all together, the
// library names the taint that evicts now, even where the time of another one
// was over before. No time begins before the pod came to the node.
func firstEviction(p *pod, n *node, now time.Time) (first *taints.Taint, e taints.Eviction) {
	policy := taints.EvictionPolicy{FromTimeAdded: true, Arrival: p.arrived}
	for i := range n.taints {
		alone := policy.EvictionOf(n.taints[i:i+1], p.tolerations, now)
		if alone.Outcome != taints.Stays && (first == nil || isSooner(alone, e)) {
			first, e = &n.taints[i], alone
		}
	}
	return first, e
}

// isSooner reports whether a has the earlier deadline, or the same one for a
// taint that is not tolerated, while that of b is.
func isSooner(a, b taints.Eviction) bool {
	if !a.At.Equal(b.At) {
		return a.At.Before(b.At)
	}
	return !a.Tolerated && b.Tolerated
}

// expire sets the deadline.
func (r *eviction) expire(e taints.Eviction, decides *taints.Taint, arrived, now time.Time) {
	r.Outcome, r.deadline, r.From = leaves, e.At, fromNow
	if !e.At.After(now) {
		r.Outcome = overdue
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

// lastSecond is the end of the year 9999 in UTC. A deadline can be hours later
// where the year ends later; beyond that the library takes it for forever.
const lastSecond = 253402300799

// tolerated returns the node's NoExecute taints with the tolerations that let
// the pod stay.
func tolerated(p *pod, n *node) []pair {
	list := []pair{}
	for _, t := range n.taints {
		if t.Effect == taints.NoExecute {
			i, ok := p.matcher.Match(t)
			list = append(list, pairOf(p, t, i, ok))
		}
	}
	return list
}

func pairOf(p *pod, t taints.Taint, toleration int, tolerated bool) pair {
	if tolerated {
		return pair{Taint: t, Toleration: &p.tolerations[toleration]}
	}
	why := reasonOf(p.profile, t)
	return pair{Taint: t, Why: why.words()}
}

// text says whether the taint is tolerated, and how.
func (p *pair) text() string {
	if p.Toleration == nil {
		return "untolerated taint " + p.Taint.String() + " (" + p.Why + ")"
	}
	return "taint " + p.Taint.String() + " is tolerated by " + p.Toleration.String()
}

// when says when the pod's time is, empty if there is none.
func (x *eviction) when() string {
	if x.InSeconds == nil {
		return ""
	}
	when := x.At
	if when == "" {
		when = "a time after the year 9999"
	}
	when += " (" + relative(*x.InSeconds)
	switch x.From {
	case fromNow:
		when += ", if the taint was added now"
	case fromArrival:
		when += ", counted from when the pod was bound"
	}
	return when + ")"
}

// relative says how far off a time is.
func relative(seconds int64) string {
	const most = math.MaxInt64 / int64(time.Second)
	text := duration.HumanDuration(time.Duration(min(max(seconds, -seconds, -(seconds+1)), most)) * time.Second)
	switch {
	case seconds == 0:
		return "now"
	case seconds < 0:
		return text + " ago"
	}
	return "in " + text
}
