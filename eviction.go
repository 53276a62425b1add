// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"strconv"
	"time"

	"github.com/seed-0529bac1/taints/internal/enum"
	"github.com/seed-0529bac1/taints/internal/yearone"
)

// A Selection says which toleration counts for a taint that several tolerations
// match.
type Selection uint8

const (
	// FirstMatch selects the first in the list, as Kubernetes does for nodes.
	FirstMatch Selection = iota
	// LongestMatch selects the one that tolerates the taint for the longest
	// time, and the first of equals. One without seconds tolerates it forever.
	LongestMatch
	// ShortestMatch selects the one that tolerates the taint for the shortest
	// time, and the first of equals.
	ShortestMatch
	// ForeverElseShortest selects the first without seconds or, if all have
	// seconds, acts like ShortestMatch, as Kubernetes does for devices.
	ForeverElseShortest
)

var selectionNames = []string{"FirstMatch", "LongestMatch", "ShortestMatch", "ForeverElseShortest"}

// String returns the name of the constant, and "Selection(n)" for other numbers.
func (s Selection) String() string { return enum.String(s, "Selection", selectionNames) }

// MarshalText returns what String returns. The error is always nil.
func (s Selection) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses the name of a constant. The error is a [*FieldError],
// and s is then unchanged.
func (s *Selection) UnmarshalText(text []byte) error {
	return enum.Unmarshal(s, selectionNames, text, unknownName)
}

// An Outcome says what happens to a running pod.
type Outcome uint8

const (
	// Stays: nothing evicts the pod.
	Stays Outcome = iota
	// EvictsAt: the pod is evicted when its tolerationSeconds are over.
	EvictsAt
	// EvictsNow: the pod is evicted at once.
	EvictsNow
)

var outcomeNames = []string{"Stays", "EvictsAt", "EvictsNow"}

// String returns the name of the constant, and "Outcome(n)" for other numbers.
func (o Outcome) String() string { return enum.String(o, "Outcome", outcomeNames) }

// MarshalText returns what String returns. The error is always nil.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText parses the name of a constant. The error is a [*FieldError],
// and o is then unchanged.
func (o *Outcome) UnmarshalText(text []byte) error {
	return enum.Unmarshal(o, outcomeNames, text, unknownName)
}

// An EvictionPolicy says which taints and tolerations count for an eviction, and
// from when. The zero policy is that of Kubernetes' taint-eviction controller.
type EvictionPolicy struct {
	// Options are the rules of matching.
	Options Options `json:"options,omitzero"`
	// Select says which of the tolerations that match a taint counts for it. An
	// unknown number means FirstMatch.
	Select Selection `json:"select,omitzero"`
	// Effects holds the effects of the taints that evict. Empty means
	// [Evicting].
	Effects EffectSet `json:"effects,omitzero"`
	// FromTimeAdded counts the seconds from the taint's TimeAdded, if that is set,
	// and not from the time of observation. A controller that restarts then finds
	// the same deadlines again, whereas Kubernetes' controller gives every pod its
	// full time again. Deadlines may be in the past. "kubectl taint" sets no
	// TimeAdded.
	FromTimeAdded bool `json:"fromTimeAdded,omitempty"`
	// Arrival is when the pod was placed on the node, such as the time of its
	// PodScheduled condition, or zero if that is not known. Seconds never count
	// from an earlier time, so a pod that was placed after the taint was added has
	// its full time. Set it in a copy of the policy for each pod.
	Arrival time.Time `json:"arrival,omitzero"`
}

// An Eviction says whether and when the taints of a node evict a pod that runs
// there. The zero Eviction is that of a pod that stays.
type Eviction struct {
	// Outcome says whether the pod stays, or leaves at a time or at once.
	Outcome Outcome `json:"outcome"`
	// Tolerated is whether a toleration matches the taint that decided. It is
	// false for Stays.
	Tolerated bool `json:"tolerated,omitempty"`
	// Taint is the index of the taint that decided. It is zero for Stays.
	Taint int `json:"taint,omitempty"`
	// Toleration is the index of the toleration that counts for that taint. It is
	// zero if Tolerated is false.
	Toleration int `json:"toleration,omitempty"`
	// At is the earliest deadline of all taints. It is zero for Stays, and not
	// after the time of observation for EvictsNow. If the policy counts from
	// TimeAdded, it may be the deadline of a taint other than the one that decided.
	// It has the location of the time it counts from.
	At time.Time `json:"at,omitzero"`
	// From is the time from which the seconds of the deciding taint count. It is
	// zero for Stays, and not after the time of observation for EvictsNow.
	From time.Time `json:"from,omitzero"`
	// Seconds is the TolerationSeconds that decided. Zero and less mean at once. It
	// is zero for Stays and for a taint that is not tolerated.
	Seconds int64 `json:"seconds,omitempty"`
}

// Wait returns how long after now the pod leaves, and whether it leaves at all.
// The duration is never negative, and is capped at the largest time.Duration.
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
//   - Otherwise the first toleration that matches the taint counts, even if a
//     later one has other seconds. It tolerates the taint until its seconds
//     after observed, or forever if it has none. Seconds of zero or less evict
//     now.
//   - The earliest deadline of all taints counts.
//
// The taint that decides is the first with that deadline. A taint that evicts
// now decides over one that evicts later. Among the taints that evict now, an
// untolerated one decides over one that is tolerated for no time, even if the
// policy counts the latter from an earlier time.
//
// In Kubernetes, seconds above 9223372036 overflow: 9223372037 is forever, and
// 18446744074 is less than a second. Here nothing overflows, and a deadline after
// the year 9999, which has no JSON, is forever.
func EvictionOf(taints []Taint, tolerations []Toleration, observed time.Time) Eviction {
	return EvictionPolicy{}.EvictionOf(taints, tolerations, observed)
}

// EvictionOf is like the function [EvictionOf] under the options.
func (o Options) EvictionOf(taints []Taint, tolerations []Toleration, observed time.Time) Eviction {
	return EvictionPolicy{Options: o}.EvictionOf(taints, tolerations, observed)
}

// EvictionOf is like the function [EvictionOf] under the policy.
func (p EvictionPolicy) EvictionOf(taints []Taint, tolerations []Toleration, observed time.Time) Eviction {
	return p.eviction(taints, chooser{list: tolerations}, observed)
}

// EvictionOf is like the function [EvictionOf] for m's tolerations, under the
// policy that m was compiled under.
func (m *Matcher) EvictionOf(taints []Taint, observed time.Time) Eviction {
	p := m.Policy()
	return p.eviction(taints, chooser{m: m}, observed)
}

// Choose returns the index of the toleration that counts for the taint, whatever
// the taint's effect, and whether there is one. Under FirstMatch it is [Match].
func (p EvictionPolicy) Choose(taint Taint, tolerations []Toleration) (toleration int, ok bool) {
	i, _ := p.choose(&taint, chooser{list: tolerations})
	return i, i >= 0
}

// Choose is like [EvictionPolicy.Choose] for m's tolerations, under the policy
// that m was compiled under.
func (m *Matcher) Choose(taint Taint) (toleration int, ok bool) {
	p := m.Policy()
	i, _ := p.choose(&taint, chooser{m: m})
	return i, i >= 0
}

// A chooser holds the tolerations to choose from: those of m, or else the list.
type chooser struct {
	m    *Matcher
	list []Toleration
}

// eviction implements EvictionOf.
func (p *EvictionPolicy) eviction(taints []Taint, tolerations chooser, observed time.Time) Eviction {
	in := p.Effects
	if in == 0 {
		in = Evicting
	}
	var e Eviction
	for i := range taints {
		t := &taints[i]
		if !in.Has(t.Effect) {
			continue
		}
		toleration, seconds := p.choose(t, tolerations)
		if toleration >= 0 && seconds == nil {
			continue
		}
		f := Eviction{Tolerated: toleration >= 0, Taint: i, Toleration: max(toleration, 0)}
		if seconds != nil {
			f.Seconds = *seconds
		}
		if e.Outcome == EvictsAt && f.Seconds >= e.Seconds && !p.FromTimeAdded {
			continue // not earlier, as all count from observed
		}
		f.From = p.from(t, observed)
		if f.schedule(observed) {
			e.combine(f)
		}
	}
	return e
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

// combine adds the eviction f by a later taint to e. The result always has the
// earlier deadline, so that more seconds never lead to an earlier one.
func (e *Eviction) combine(f Eviction) {
	if e.Outcome == Stays {
		*e = f
		return
	}
	at := e.At
	if f.At.Before(at) {
		at = f.At
	}
	if f.decidesOver(e) {
		*e = f
	}
	e.At = at
}

// decidesOver reports whether f, by a later taint, decides over e: now decides
// over later, an untolerated taint over a tolerated one, and an earlier deadline
// over a later one.
func (f *Eviction) decidesOver(e *Eviction) bool {
	switch {
	case f.Outcome != e.Outcome:
		return f.Outcome == EvictsNow
	case f.Outcome == EvictsAt:
		return f.At.Before(e.At)
	case f.Tolerated != e.Tolerated:
		return e.Tolerated
	}
	return f.From.Before(e.From) // the deadline, which e.At need not be
}

// choose returns the index of the toleration that counts for the taint, and its
// seconds, or -1 if none matches. It has a loop for the list and one for a
// Matcher, as a loop for both takes a twentieth longer in BenchmarkEvict.
func (p *EvictionPolicy) choose(t *Taint, from chooser) (toleration int, seconds *int64) {
	if from.m != nil {
		return p.chooseCompiled(t, from.m)
	}
	toleration = p.Options.next(from.list, t, -1)
	if toleration < 0 {
		return -1, nil
	}
	seconds = from.list[toleration].TolerationSeconds
	if !p.Select.comparesAll() {
		return toleration, seconds
	}
	for i := p.Options.next(from.list, t, toleration); i >= 0; i = p.Options.next(from.list, t, i) {
		if s := from.list[i].TolerationSeconds; p.Select.prefers(s, seconds) {
			toleration, seconds = i, s
		}
	}
	return toleration, seconds
}

// chooseCompiled is choose for the tolerations of m.
func (p *EvictionPolicy) chooseCompiled(t *Taint, m *Matcher) (toleration int, seconds *int64) {
	s := m.matches(t)
	toleration = s.next()
	if toleration < 0 {
		return -1, nil
	}
	seconds = m.rules[toleration].tolerationSeconds()
	if !p.Select.comparesAll() {
		return toleration, seconds
	}
	for i := s.next(); i >= 0; i = s.next() {
		if s := m.rules[i].tolerationSeconds(); p.Select.prefers(s, seconds) {
			toleration, seconds = i, s
		}
	}
	return toleration, seconds
}

// comparesAll reports whether more than the first match counts.
func (s Selection) comparesAll() bool { return s != FirstMatch && int(s) < len(selectionNames) }

// prefers reports whether the selection, which compares all matches, prefers a
// toleration with the seconds a to an earlier one with the seconds b.
func (s Selection) prefers(a, b *int64) bool {
	switch {
	case s == LongestMatch, s == ForeverElseShortest && (a == nil || b == nil):
		return outlasts(a, b)
	}
	return outlasts(b, a)
}

// outlasts reports whether a toleration with the seconds a tolerates a taint
// longer than one with the seconds b.
func outlasts(a, b *int64) bool {
	if a == nil || b == nil {
		return b != nil
	}
	return *a > max(*b, 0)
}

const (
	// in9999 is a time in the year 9999 of every zone, in seconds since the year 1.
	in9999 = 315506448000

	maxInt64 = 1<<63 - 1
)

// addSeconds returns the time the seconds, which are positive, after t, and
// whether it is in the year 9999 or before. Unlike Time.Add, it is not limited to
// the range of time.Duration.
func addSeconds(t time.Time, seconds int64) (sum time.Time, ok bool) {
	if yearone.Seconds(t) > maxInt64-seconds {
		return time.Time{}, false
	}
	if seconds <= int64(maxInt64/time.Second) {
		sum = t.Add(time.Duration(seconds) * time.Second)
	} else {
		sum = time.Unix(t.Unix()+seconds, int64(t.Nanosecond())).In(t.Location())
	}
	return sum, yearone.Seconds(sum) < in9999 || sum.Year() <= 9999
}
