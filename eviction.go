package taints

import "time"

// A Selection says which of several tolerations that match a NoExecute taint counts for it.
type Selection uint8

const (
	// FirstMatch takes the first in list order, as Kubernetes does.
	FirstMatch Selection = iota
	// LongestMatch takes the one that tolerates longest, the first of several such.
	LongestMatch
	// ShortestMatch takes the one that tolerates shortest, the first of several such.
	ShortestMatch
)

// String returns the name of the constant, and shows a number that stands for nothing as such.
func (s Selection) String() string {
	return enumName("selection", int(s), "FirstMatch", "LongestMatch", "ShortestMatch")
}

// An Outcome says what becomes of a running pod.
type Outcome uint8

const (
	// Stays: nothing evicts the pod.
	Stays Outcome = iota
	// EvictsAt: the pod is evicted when its tolerationSeconds are over.
	EvictsAt
	// EvictsNow: the pod is evicted at once.
	EvictsNow
)

// String returns the name of the constant, and shows a number that stands for nothing as such.
func (o Outcome) String() string {
	return enumName("outcome", int(o), "Stays", "EvictsAt", "EvictsNow")
}

// An EvictionPolicy says how evictions are computed. The zero policy is what Kubernetes' taint-eviction controller does. It
// is comparable.
type EvictionPolicy struct {
	// Select says which matching toleration counts for a taint. A value that is none of the three counts as FirstMatch.
	Select Selection
	// FromTimeAdded counts a taint's seconds from its TimeAdded, where that is set, instead of from the time of
	// observation. A controller that restarts then finds the same deadlines again, while Kubernetes' gives every pod its
	// full time anew.
	FromTimeAdded bool
}

// An Eviction is what the NoExecute taints of a node do to a pod that runs there. The zero Eviction is a pod that stays,
// except that its Taint and Toleration are 0.
type Eviction struct {
	// Outcome says whether the pod stays, or leaves at a time or at once.
	Outcome Outcome
	// At is the earliest deadline that a taint sets, and the zero time for Stays. For EvictsNow it is the time of
	// observation, or earlier where the policy counts from TimeAdded: the pod is overdue since then. It keeps the
	// location, and within reach the monotonic clock reading, of the time it counts from.
	At time.Time
	// Seconds is the tolerationSeconds that decided, as written: zero or negative ones mean at once. It is 0 for Stays and
	// for a taint that is not tolerated.
	Seconds int64
	// Taint and Toleration are the indexes of the pair that decided: a taint without toleration has Toleration -1, and for
	// Stays both are -1.
	Taint, Toleration int
}

// Evict computes when a pod with the tolerations leaves a node with the taints, under the zero [EvictionPolicy], that
// is, as Kubernetes' taint-eviction controller does. Only NoExecute taints count.
//
//   - A NoExecute taint that no toleration matches evicts now; the first such taint decides.
//   - Otherwise each NoExecute taint has the seconds of the first toleration that matches it. None set is for ever; zero
//     or less is now, and the first such taint decides.
//   - Otherwise the taint with the earliest deadline decides, the first of several, and the pod leaves seconds after
//     observed, which is when the controller saw the taints.
//
// A later toleration of the same taint does not count, even if it tolerates longer, and neither does the effect of a
// toleration with seconds, as long as it matches. Seconds may be any int64. In Kubernetes, more than 9223372036 of them
// overflow time.Duration: 9223372037 are for ever and 18446744074 less than a second. Here nothing overflows; a deadline
// that no time.Time can hold is for ever.
//
// All input is accepted, see [Toleration.Tolerates]. Nothing is allocated or retained.
func Evict(taints []Taint, tolerations []Toleration, observed time.Time) Eviction {
	return EvictionPolicy{}.evict(taints, tolerations, observed, func(t *Taint, after int) int {
		return next(tolerations, t, after)
	})
}

// Evict is the function [Evict] for the compiled tolerations and under the policy, which see. A nil Matcher tolerates
// nothing.
func (p EvictionPolicy) Evict(m *Matcher, taints []Taint, observed time.Time) Eviction {
	tolerations, _ := m.list()
	return p.evict(taints, tolerations, observed, m.next)
}

// evict implements Evict. The function next returns the index of the first toleration behind the index after that matches
// the taint, or -1.
func (p EvictionPolicy) evict(taints []Taint, tolerations []Toleration, observed time.Time, next func(t *Taint, after int) int) Eviction {
	e := Eviction{Taint: -1, Toleration: -1}
	for i := range taints {
		t := &taints[i]
		if t.Effect != NoExecute {
			continue
		}
		toleration, seconds := p.choose(tolerations, t, next), int64(0)
		if toleration >= 0 {
			s := tolerations[toleration].TolerationSeconds
			if s == nil {
				continue
			}
			seconds = *s
		}
		if e.Outcome == EvictsAt && seconds >= e.Seconds && !p.FromTimeAdded {
			continue // no earlier, as both count from observed; spares half of the work for two taints
		}
		from := observed
		if p.FromTimeAdded && t.TimeAdded != nil {
			from = *t.TimeAdded
		}
		if seconds <= 0 {
			if from.After(observed) {
				from = observed
			}
			e.combine(Eviction{EvictsNow, from, seconds, i, toleration})
		} else if at, ok := addSeconds(from, seconds); ok {
			e.combine(Eviction{EvictsAt, at, seconds, i, toleration})
		}
	}
	return e
}

// combine makes e what it and f, which a later taint leads to, lead to together. Now decides over later, an untolerated
// taint over one tolerated for no time, an earlier deadline over a later one, and otherwise the earlier taint. The
// earlier deadline holds in any case.
func (e *Eviction) combine(f Eviction) {
	if e.Outcome == Stays {
		*e = f
		return
	}
	decides, earlier := false, f.At.Before(e.At)
	switch {
	case f.Outcome != e.Outcome:
		decides = f.Outcome == EvictsNow
	case f.Outcome == EvictsNow:
		decides = f.Toleration < 0 && e.Toleration >= 0
	default:
		decides = earlier
	}
	at := e.At
	if earlier {
		at = f.At
	}
	if decides {
		*e = f
	}
	e.At = at
}

// choose returns the index of the toleration that counts for the taint, -1 if none matches.
func (p EvictionPolicy) choose(tolerations []Toleration, t *Taint, next func(t *Taint, after int) int) int {
	chosen := next(t, -1)
	if chosen < 0 || p.Select != LongestMatch && p.Select != ShortestMatch {
		return chosen
	}
	for i := next(t, chosen); i >= 0; i = next(t, i) {
		a, b := tolerations[i].TolerationSeconds, tolerations[chosen].TolerationSeconds
		if p.Select == ShortestMatch {
			a, b = b, a
		}
		if outlasts(a, b) {
			chosen = i
		}
	}
	return chosen
}

// outlasts reports whether tolerating for a seconds is longer than for b seconds.
func outlasts(a, b *int64) bool {
	if a == nil || b == nil {
		return a == nil && b != nil
	}
	return max(*a, 0) > max(*b, 0)
}

// maxUnix is the last second that a time.Time can hold: it counts seconds from year 1 in an int64.
const maxUnix = 1<<63 - 1 - 62135596800

// addSeconds returns t and the seconds, which are positive, and whether a time.Time can hold that. Unlike time.Time.Add
// it is not limited to the range of time.Duration.
func addSeconds(t time.Time, seconds int64) (sum time.Time, ok bool) {
	if t.Unix() > maxUnix-seconds {
		return time.Time{}, false
	}
	if seconds <= int64(1<<63-1)/int64(time.Second) {
		return t.Add(time.Duration(seconds) * time.Second), true
	}
	return time.Unix(t.Unix()+seconds, int64(t.Nanosecond())).In(t.Location()), true
}
