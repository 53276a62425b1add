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

// The outcomes of an eviction, in the order in which they are listed.
const (
	deleting = "deleting"
	overdue  = "overdue"
	leaves   = "leaves"
	stays    = "stays"
)

var outcomes = []string{deleting, overdue, leaves, stays}

// An eviction is the effect of a node's NoExecute taints on a pod.
type eviction struct {
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
	// Toleration is nil if no toleration tolerates the taint. Why then names the
	// closest one.
	Toleration *taints.Toleration `json:"toleration"`
	Why        string             `json:"why,omitempty"`
}

// evictions returns an eviction for each of the pods on nodes with NoExecute
// taints, sorted by outcome, then by deadline, reason and pod name.
func evictions(c *cluster, pods []*pod, now time.Time) []eviction {
	list := []eviction{}
	orders := make(map[string]string) // many pods share one
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

// evictionOf returns the eviction of the pod on the node.
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

// firstEviction returns the taint of the node with the earliest deadline, or nil
// if the pod stays. It evaluates each taint by itself: for all taints together,
// the library returns the taint that evicts now, even if the time of another
// taint ended before. No time starts before the pod was assigned to the node.
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

// isSooner reports whether a has an earlier deadline than b, or the same
// deadline and a is for an untolerated taint and b for a tolerated one.
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

// lastSecond is the end of the year 9999 in UTC. A deadline can be hours later in a
// time zone in which the year ends later. The library treats later ones as forever.
const lastSecond = 253402300799

// tolerated returns the node's NoExecute taints with the tolerations for which
// the pod stays.
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

// text describes whether and how the taint is tolerated.
func (p *pair) text() string {
	if p.Toleration == nil {
		return "untolerated taint " + p.Taint.String() + " (" + p.Why + ")"
	}
	return "taint " + p.Taint.String() + " is tolerated by " + p.Toleration.String()
}

// when returns the deadline as text, or "" if there is none.
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

// relative describes how far away a time is.
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
