// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"math"
	"strconv"
	"time"

	"github.com/seed-0529bac1/taints/internal/enum"
)

// An Outcome says what happens to a running pod.
type Outcome uint8

const (
	Stays     Outcome = iota // nothing evicts the pod
	EvictsAt                 // it is evicted at a time, which may be past if TimeAdded counts
	EvictsNow                // it is evicted at once
)

var outcomeNames = []string{"Stays", "EvictsAt", "EvictsNow"}

// String returns the name of the constant, and "Outcome(n)" for other numbers.
func (o Outcome) String() string { return enum.String(o, "Outcome", outcomeNames) }

// MarshalText returns what String returns. The error is always nil.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText parses the name of a constant. If there is an error, o is
// unchanged.
func (o *Outcome) UnmarshalText(text []byte) error {
	return enum.Parse(o, "Outcome", outcomeNames, text)
}

// An EvictionPolicy says which tolerations count for an eviction, and from when.
// The zero policy is that of Kubernetes' taint-eviction controller.
type EvictionPolicy struct {
	// Options are the rules of matching.
	Options Options `json:"options,omitzero"`
	// ForeverElseShortest counts, among the tolerations that match a taint, the
	// first without seconds or, if all have seconds, the first with the least, where
	// zero and negative seconds are equal: Kubernetes' rule for devices.
	ForeverElseShortest bool `json:"foreverElseShortest,omitempty"`
	// FromTimeAdded counts the seconds from the taint's TimeAdded, if that is set. A
	// controller that restarts then finds the same deadlines, some of them past, where
	// Kubernetes' gives every pod its full time again.
	FromTimeAdded bool `json:"fromTimeAdded,omitempty"`
	// Arrival is when the pod was placed on the node, or zero if that is not known. No
	// seconds count from before that. It differs by pod, so use [EvictionPolicy.On].
	Arrival time.Time `json:"arrival,omitzero"`
}

// An Eviction says whether and when the taints of a node evict a pod that runs
// there. The zero Eviction is that of a pod that stays. At and From are not after
// the time of observation for EvictsNow.
type Eviction struct {
	// Outcome says whether the pod stays, or leaves at a time or at once.
	Outcome Outcome `json:"outcome"`
	// Tolerated is whether a toleration matches the taint that decided.
	Tolerated bool `json:"tolerated,omitempty"`
	// Taint is the index of the taint that decided.
	Taint int `json:"taint,omitempty"`
	// Toleration is the index of the toleration that counts, if Tolerated is true.
	Toleration int `json:"toleration,omitempty"`
	// At is the deadline of the taint that decided, in the location of From.
	At time.Time `json:"at,omitzero"`
	// From is the time from which the seconds of that taint count.
	From time.Time `json:"from,omitzero"`
	// Seconds is the TolerationSeconds that decided. Zero and less mean at once.
	Seconds int64 `json:"seconds,omitempty"`
}

// Wait returns how long after now the pod leaves, from zero to the largest
// Duration, and whether it leaves at all.
func (e Eviction) Wait(now time.Time) (d time.Duration, evicts bool) {
	if e.Outcome != EvictsAt && e.Outcome != EvictsNow {
		return 0, false
	}
	return max(e.At.Sub(now), 0), true
}

// String returns the eviction in one line, as in "stays", "evicts now" or
// "evicts at 2026-11-21T12:05:00Z, after 300s".
func (e Eviction) String() string {
	switch e.Outcome {
	case Stays:
		return "stays"
	case EvictsNow:
		return "evicts now"
	case EvictsAt:
		at, seconds := e.At.Format(time.RFC3339Nano), strconv.FormatInt(e.Seconds, 10)
		return "evicts at " + at + ", after " + seconds + "s"
	}
	return e.Outcome.String()
}

// EvictionOf returns when a pod with the tolerations leaves a node with the
// taints, as Kubernetes' taint-eviction controller computes it. Only NoExecute
// taints count, and observed is when the controller saw them.
//
//   - A taint that no toleration matches evicts the pod now.
//   - Otherwise the first toleration that matches the taint counts. It tolerates the
//     taint until its seconds after observed, or forever if it has none. Zero seconds
//     or less evict now.
//   - The taint with the earliest deadline decides. Among equal deadlines an
//     untolerated taint decides, and otherwise the first.
//
// Seconds do not overflow, as those above 9223372036 do in Kubernetes. A deadline
// after the year 9999, which has no JSON, is forever.
func EvictionOf(taints []Taint, tolerations []Toleration, observed time.Time) Eviction {
	return Options{}.On(tolerations).EvictionOf(taints, observed)
}

// EvictionOf is like the function [EvictionOf] for m's tolerations and policy.
func (m *Matcher) EvictionOf(taints []Taint, observed time.Time) Eviction {
	if m == nil {
		m = new(Matcher)
	}
	var e Eviction
	for i := range taints {
		t := &taints[i]
		if t.Effect != NoExecute {
			continue
		}
		toleration, seconds := m.choose(t)
		if toleration >= 0 && seconds == nil {
			continue
		}
		f := Eviction{Taint: i}
		if toleration >= 0 {
			f.Tolerated, f.Toleration, f.Seconds = true, toleration, *seconds
		}
		if e.Outcome == EvictsAt && f.Seconds >= e.Seconds && !m.policy.FromTimeAdded {
			continue // no earlier, as all count from one time; halves BenchmarkEvict
		}
		f.From = m.policy.from(t, observed)
		if f.schedule(observed) && f.precedes(&e) {
			e = f
		}
	}
	return e
}

// choose returns the index of the toleration that counts for the taint, and its
// seconds, or -1 if none matches.
func (m *Matcher) choose(t *Taint) (toleration int, seconds *int64) {
	i := m.next(t, m.start(t))
	if i < 0 {
		return -1, nil
	}
	toleration, seconds = i, m.tolerations[i].TolerationSeconds
	if !m.policy.ForeverElseShortest {
		return toleration, seconds
	}
	for i = m.next(t, i+1); i >= 0 && seconds != nil; i = m.next(t, i+1) {
		if s := m.tolerations[i].TolerationSeconds; s == nil || max(*s, 0) < *seconds {
			toleration, seconds = i, s
		}
	}
	return toleration, seconds
}

// from returns the time from which the seconds of a toleration of the taint count.
func (p *EvictionPolicy) from(t *Taint, observed time.Time) time.Time {
	from := observed
	if p.FromTimeAdded && t.TimeAdded != nil {
		from = *t.TimeAdded
	}
	if !p.Arrival.IsZero() && p.Arrival.After(from) {
		return p.Arrival
	}
	return from
}

// schedule sets Outcome and At from Seconds and From, and reports false if the
// deadline is forever.
func (e *Eviction) schedule(observed time.Time) bool {
	if e.Seconds > 0 {
		at, ok := addSeconds(e.From, e.Seconds)
		e.Outcome, e.At = EvictsAt, at
		return ok
	}
	if e.From.After(observed) {
		e.From = observed
	}
	e.Outcome, e.At = EvictsNow, e.From
	return true
}

// precedes reports whether e, by a later taint, takes precedence over f.
func (e *Eviction) precedes(f *Eviction) bool {
	if order := e.At.Compare(f.At); f.Outcome != Stays && order != 0 {
		return order < 0
	}
	return f.Outcome == Stays || f.Tolerated && !e.Tolerated
}

// addSeconds returns the time the seconds, which are positive, after t, and
// whether it is in the year 9999 or before, in its location. Unlike Time.Add, it
// is not limited to the range of time.Duration.
func addSeconds(t time.Time, seconds int64) (sum time.Time, ok bool) {
	const (
		year1     = -62135596800 // in Unix time
		year10000 = 315537897600 // in seconds since the year 1
		in9999    = year10000 - 365*24*60*60/2
	)
	since := t.Unix() - year1 // wraps back if Unix has wrapped
	if since > math.MaxInt64-seconds {
		return time.Time{}, false
	}
	since += seconds
	if seconds <= int64(math.MaxInt64/time.Second) {
		sum = t.Add(time.Duration(seconds) * time.Second)
	} else {
		sum = time.Unix(t.Unix()+seconds, int64(t.Nanosecond())).In(t.Location())
	}
	if since < in9999 {
		return sum, true
	}
	_, offset := sum.Zone() // Year is an int32 on some platforms
	return sum, since < year10000-int64(offset)
}
