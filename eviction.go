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
	EvictsAt                 // the pod is evicted at Eviction.At, which may be in the past
	EvictsNow                // the pod is evicted at once
)

var outcomeNames = []string{"Stays", "EvictsAt", "EvictsNow"}

// String returns the name of the constant, and "Outcome(n)" for other numbers.
func (o Outcome) String() string { return enum.String(o, "Outcome", outcomeNames) }

// MarshalText returns what String returns. The error is always nil.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// An EvictionPolicy says which toleration decides when a pod leaves, and from when
// its seconds run. The zero policy is that of Kubernetes for pods.
type EvictionPolicy struct {
	// ForDevices selects Kubernetes' rule for devices, in place of the first match: a
	// matching toleration without seconds wins. If there is none, the shortest wins.
	ForDevices bool `json:"forDevices,omitempty"`
	// FromTimeAdded makes the seconds run from the taint's TimeAdded, unless that is
	// nil: the zero time is set. So deadlines survive a restart of the controller, and
	// may be in the past. In Kubernetes, a restart gives every pod its full time again.
	FromTimeAdded bool `json:"fromTimeAdded,omitempty"`
	// Arrival is when the pod was placed on the node, or zero if that is not known.
	// Seconds never run from an earlier time. It is another for each pod.
	Arrival time.Time `json:"arrival,omitzero"`
}

// An Eviction says whether and when the taints of a node evict a pod that runs
// there. The zero Eviction means that the pod stays.
type Eviction struct {
	Outcome    Outcome   `json:"outcome"`
	Tolerated  bool      `json:"tolerated,omitempty"` // whether a toleration matches the taint that decided
	Taint      int       `json:"taint"`               // the index of the taint that decided
	Toleration int       `json:"toleration"`          // the index of the toleration that decided, if Tolerated
	At         time.Time `json:"at,omitzero"`         // the deadline, in the location of From
	From       time.Time `json:"from,omitzero"`       // the time from which Seconds run; At if they are not positive
	Seconds    int64     `json:"seconds,omitempty"`   // the TolerationSeconds that decided; zero and less mean at once
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

// EvictionOf returns when a pod with the tolerations leaves a node with the taints,
// as Kubernetes' taint-eviction controller computes it. Only NoExecute taints evict.
// observed is when the controller first saw the taints. With a lifecycle.Queue pass
// the time of each look: the queue keeps the first deadline.
//
//   - A taint that no toleration matches evicts the pod now.
//   - Otherwise the first toleration that matches decides. The pod stays for its
//     seconds after observed, or forever without seconds. Zero or less evict now.
//   - The taint with the earliest deadline decides. Among equal deadlines an
//     untolerated taint decides, and otherwise the first.
//
// Seconds never overflow. In Kubernetes, values above 9223372036 do. A deadline
// after the year 9999 is forever.
func EvictionOf(taints []Taint, tolerations []Toleration, observed time.Time) Eviction {
	return Options{}.On(tolerations).EvictionOf(taints, observed)
}

// EvictionOf is like the function [EvictionOf] for m's tolerations.
func (m *Matcher) EvictionOf(taints []Taint, observed time.Time) Eviction {
	return EvictionPolicy{}.EvictionOf(m, taints, observed)
}

// EvictionOf is like the function [EvictionOf] for m's tolerations, under the policy.
func (p EvictionPolicy) EvictionOf(m *Matcher, taints []Taint, observed time.Time) Eviction {
	if m == nil {
		m = new(Matcher)
	}
	var e Eviction
	for i := range taints {
		t := &taints[i]
		if t.Effect != NoExecute {
			continue
		}
		first := m.next(t, m.start(t))
		if first < 0 && !p.FromTimeAdded { // nothing is earlier
			return Eviction{Outcome: EvictsNow, Taint: i, At: observed, From: observed}
		}
		toleration, seconds := 0, int64(0)
		if first >= 0 {
			decides, s := p.choose(m, t, first)
			if s == nil {
				continue
			}
			toleration, seconds = decides, *s
		}
		if e.Outcome == EvictsAt && seconds >= e.Seconds && !p.FromTimeAdded {
			continue // no earlier, as all run from one time; halves BenchmarkEvict
		}
		outcome, from, at := p.schedule(t, seconds, observed)
		if outcome == Stays {
			continue
		}
		order := at.Compare(e.At)
		if e.Outcome == Stays || order < 0 || order == 0 && e.Tolerated && first < 0 {
			e = Eviction{Outcome: outcome, Tolerated: first >= 0, Taint: i, Toleration: toleration, At: at, From: from, Seconds: seconds}
		}
	}
	return e
}

// choose returns the index of the toleration that decides for the taint, and its
// seconds. The given one is the first that matches.
func (p EvictionPolicy) choose(m *Matcher, t *Taint, first int) (i int, seconds *int64) {
	i, seconds = first, m.tolerations[first].TolerationSeconds
	if !p.ForDevices {
		return i, seconds
	}
	for j := m.next(t, i+1); j >= 0 && seconds != nil; j = m.next(t, j+1) {
		if s := m.tolerations[j].TolerationSeconds; s == nil || max(*s, 0) < *seconds {
			i, seconds = j, s
		}
	}
	return i, seconds
}

// schedule returns the time from which the seconds of a taint run, and the deadline.
// The outcome is Stays if the deadline is after the year 9999 in its location.
func (p EvictionPolicy) schedule(t *Taint, seconds int64, observed time.Time) (o Outcome, from, at time.Time) {
	from = observed
	if p.FromTimeAdded && t.TimeAdded != nil {
		from = *t.TimeAdded
	}
	if p.Arrival.After(from) && !p.Arrival.IsZero() {
		from = p.Arrival
	}
	if seconds > 0 {
		at, o = after(from, seconds)
		return o, from, at
	}
	if from.After(observed) {
		from = observed
	}
	return EvictsNow, from, from
}

// after returns the time that many seconds after from. Unlike Time.Add, it is not
// limited to the range of time.Duration. The outcome is Stays beyond the year 9999.
func after(from time.Time, seconds int64) (at time.Time, o Outcome) {
	const (
		year1     = -62135596800 // in Unix time
		year10000 = 315537897600 // in seconds since the year 1
	)
	since := from.Unix() - year1 // wraps back if Unix wrapped
	if since > math.MaxInt64-seconds {
		return time.Time{}, Stays
	}
	at = from.Add(time.Duration(seconds) * time.Second)
	if seconds > int64(math.MaxInt64/time.Second) {
		at = time.Unix(from.Unix()+seconds, int64(from.Nanosecond())).In(from.Location())
	}
	since += seconds
	if since < year10000-182*24*60*60 { // in any zone
		return at, EvictsAt
	}
	if _, offset := at.Zone(); since >= year10000-int64(offset) { // Year is an int32 on some platforms
		return time.Time{}, Stays
	}
	return at, EvictsAt
}
