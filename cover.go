// SPDX-License-Identifier: Apache-2.0

package taints

import "slices"

// Covers reports whether t tolerates every taint that u tolerates, for at least
// as long. It is exact: if it returns false, there is a taint, perhaps an invalid
// one, that u tolerates and that t does not tolerate, or not as long.
//
//   - The effect of t must be empty or equal to u's.
//   - The key of t must be empty or equal to u's.
//   - Exists covers all values, Equal the same value, and Lt and Gt the integers
//     in their range: "Gt 5" covers "Gt 7" and "Equal 9". Equal covers an Lt or Gt
//     for which only one integer is left, the first or the last of int64.
//   - If u may tolerate a NoExecute taint, t's seconds must last as long as u's.
//     Unset seconds last forever; zero and less are equal.
//
// A toleration that tolerates nothing, as its operator is unknown or no integer
// is less or greater than its value, is covered by every other.
//
// For valid tolerations with a nonempty operator, Equal or Exists, and seconds
// that are not negative, it returns what isSuperset in Kubernetes'
// pkg/util/tolerations returns. That does not see that an empty operator is
// Equal, that Lt and Gt cover ranges, and that zero and negative seconds are
// equal.
func (t Toleration) Covers(u Toleration) bool { return Options{}.covers(&t, &u) }

// Covers is like [Toleration.Covers] under the options. Under NoComparison, Lt and
// Gt tolerate nothing and are covered by every toleration. Under KeyWildcards,
// "a/*" covers "a/b", "a/b*" and itself.
func (o Options) Covers(t, u Toleration) bool { return o.covers(&t, &u) }

func (o Options) covers(t, u *Toleration) bool {
	if !o.includesTaints(t, u) || timed(u) && outlasts(u.TolerationSeconds, t.TolerationSeconds) {
		return o.toleratesNothing(u)
	}
	return o.includesValues(t, u)
}

// ValidateAllowed returns nil if the allow-list has, for each of the tolerations,
// an entry that covers it ([Toleration.Covers]). Otherwise the error is a
// [*ValidationError] with an [ErrForbidden] for each toleration that is not
// covered, whose List is "tolerations" and whose Value is the printed toleration.
//
// This is the whitelist of the PodTolerationRestriction admission plugin
// (VerifyAgainstWhitelist in Kubernetes), except that an empty allow-list allows
// nothing. In Kubernetes it allows everything, for which a caller need not call
// ValidateAllowed.
//
// The time it takes grows with the product of the number of tolerations and that
// of entries with the same key, without a key, or with a wildcard.
func ValidateAllowed(tolerations, allow []Toleration) error {
	return Options{}.ValidateAllowed(tolerations, allow)
}

// ValidateAllowed is like the function [ValidateAllowed] under the options.
func (o Options) ValidateAllowed(tolerations, allow []Toleration) error {
	f := faults{list: "tolerations"}
	entries := o.newCatalog(allow, len(tolerations))
	for i := range tolerations {
		t := &tolerations[i]
		covered := entries.some(t, true) || len(allow) > 0 && o.toleratesNothing(t)
		if !covered {
			f.index = someIndex(i)
			f.add("", t.String(), tolerationNotAllowed)
		}
	}
	return f.err()
}

// Merge adds to base, in order, the tolerations of extra that make a difference.
// It omits one that tolerates nothing, and one whose taints a single earlier
// entry of the result all tolerates, for any time. So a taint that base tolerates
// is tolerated for the time that base says.
//
// Merge gives a pod the defaults of its namespace, like MergeTolerations in
// Kubernetes, which the PodTolerationRestriction admission plugin calls.
// MergeTolerations also removes tolerations of base that others cover, so that a
// default may extend a time that the pod limits. It detects fewer covered
// tolerations, and may write to the array behind base. For a list without
// superfluous entries, use Minimize(Merge(base, extra)).
//
// Like the Add functions, it returns base itself if nothing is added, and
// otherwise a new list that shares the TolerationSeconds of base. Merging again
// changes nothing.
//
// The time it takes grows with the square of the number of tolerations with the
// same key, without a key, or with a wildcard.
func Merge(base, extra []Toleration) []Toleration { return Options{}.Merge(base, extra) }

// Merge is like the function [Merge] under the options.
func (o Options) Merge(base, extra []Toleration) []Toleration {
	merged := base
	entries := o.newCatalog(base, len(extra))
	for i := range extra {
		t := &extra[i]
		if o.toleratesNothing(t) || entries.some(t, false) {
			continue
		}
		if len(merged) == len(base) {
			merged = slices.Grow(slices.Clip(base), len(extra)-i)
		}
		merged = append(merged, t.clone())
		entries.list = merged
		entries.add(len(merged) - 1)
	}
	return merged
}

// Minimize returns the list without entries that make no difference, so that the
// first match of every taint tolerates it for the same time. It drops an entry if
//
//   - it tolerates nothing, or
//   - an earlier entry tolerates every taint that it tolerates, so that it is
//     never the first match, or
//   - a later entry tolerates every taint that it tolerates, for the same time,
//     and no remaining entry between the two tolerates one of these taints, if it
//     is a NoExecute taint, for another time.
//
// It keeps an entry that only several others together make superfluous. It keeps
// the order, and minimizing again changes nothing. Under a [Selection] other than
// FirstMatch, deadlines may change, but not what is tolerated.
//
// It returns tolerations itself if nothing is dropped, and otherwise a new list
// that shares no memory with tolerations, or nil if that is empty. The time it
// takes grows with the square of the length. An API server does not let a pod
// lose tolerations once it exists; see [ValidateTolerationsUpdate].
func Minimize(tolerations []Toleration) []Toleration { return Options{}.Minimize(tolerations) }

// Minimize is like the function [Minimize] under the options.
func (o Options) Minimize(tolerations []Toleration) []Toleration {
	by := o.superseded(tolerations)
	if !slices.ContainsFunc(by, func(i int) bool { return i >= 0 }) {
		return tolerations
	}
	var left []Toleration
	for i := range tolerations {
		if by[i] < 0 {
			left = append(left, tolerations[i].clone())
		}
	}
	return left
}

// superseded returns for each toleration the index of the one that makes it
// superfluous: its own index if it tolerates nothing, and -1 if it is not
// superfluous. The other one may be superfluous itself, but never in a circle.
func (o Options) superseded(tolerations []Toleration) []int {
	return o.supersededBut(tolerations, func(int) bool { return false })
}

// supersededBut is like superseded, except that where but returns true only a
// later toleration counts.
func (o Options) supersededBut(tolerations []Toleration, but func(i int) bool) []int {
	by := make([]int, len(tolerations))
	for i := range tolerations {
		switch {
		case o.toleratesNothing(&tolerations[i]):
			by[i] = i
		case but(i):
			by[i] = -1
		default:
			by[i] = o.shadow(tolerations[:i], &tolerations[i])
		}
	}
	for i := len(tolerations) - 1; i >= 0; i-- {
		if by[i] < 0 {
			by[i] = o.repeat(tolerations, by, i)
		}
	}
	return by
}

// shadow returns the index of the first of the earlier tolerations that includes
// t, or -1.
func (o Options) shadow(earlier []Toleration, t *Toleration) int {
	for i := range earlier {
		if o.includes(&earlier[i], t) {
			return i
		}
	}
	return -1
}

// repeat returns the index of a later toleration that is not superfluous and
// includes tolerations[i] for the same time, if no other between the two
// tolerates a taint of tolerations[i] for another time. It returns -1 if there
// is none.
func (o Options) repeat(tolerations []Toleration, by []int, i int) int {
	t := &tolerations[i]
	for j := i + 1; j < len(tolerations); j++ {
		u := &tolerations[j]
		switch {
		case by[j] >= 0:
		case timed(t) && timed(u) && !sameTime(t, u) && o.meet(t, u):
			return -1
		case o.includes(u, t):
			return j
		}
	}
	return -1
}

// includes reports whether t tolerates every taint that u tolerates, for whatever
// time. u must tolerate something.
func (o Options) includes(t, u *Toleration) bool {
	return o.includesTaints(t, u) && o.includesValues(t, u)
}

// includesTaints is like includes for the effects and keys only.
func (o Options) includesTaints(t, u *Toleration) bool {
	if t.Effect != "" && t.Effect != u.Effect {
		return false
	}
	if o.KeyWildcards {
		return o.keys(t).include(o.keys(u))
	}
	return t.Key == "" || t.Key == u.Key
}

// includesValues is like includes for the values only.
func (o Options) includesValues(t, u *Toleration) bool {
	switch {
	case t.Operator == OpExists:
		return true
	case t.operator() == OpEqual && u.operator() == OpEqual:
		return t.Value == u.Value
	}
	values := o.values(u)
	return values.empty() || o.values(t).include(values)
}

// meet reports whether t and u both tolerate some key and value. Both must
// tolerate something.
func (o Options) meet(t, u *Toleration) bool {
	keys, others := o.keys(t), o.keys(u)
	return (keys.include(others) || others.include(keys)) && o.values(t).meet(o.values(u))
}

// timed reports whether the toleration may tolerate a NoExecute taint, so that its
// seconds count.
func timed(t *Toleration) bool { return t.Effect == "" || t.Effect == NoExecute }

// sameTime reports whether both tolerate a NoExecute taint for the same time.
func sameTime(t, u *Toleration) bool {
	return sameSeconds(t.TolerationSeconds, u.TolerationSeconds)
}

func sameSeconds(a, b *int64) bool { return !outlasts(a, b) && !outlasts(b, a) }

// toleratesNothing reports whether there is no taint that the toleration
// tolerates.
func (o Options) toleratesNothing(t *Toleration) bool {
	switch t.Operator {
	case OpExists, OpEqual, "":
		return false
	}
	return o.values(t).empty()
}

// A catalog finds, in a list of tolerations, those that may match the key of
// another. It allocates nothing for a short list, where a loop finds them.
type catalog struct {
	options Options
	list    []Toleration
	byKey   map[string][]int // the indexes of those with one key, of a long list
	broad   []int            // the indexes of the others, of a long list
}

// newCatalog returns a catalog of the list, to which more may be added.
func (o Options) newCatalog(list []Toleration, more int) catalog {
	const short = 64
	c := catalog{options: o, list: list}
	if len(list)+more <= short {
		return c
	}
	c.byKey = make(map[string][]int, len(list))
	for i := range list {
		c.add(i)
	}
	return c
}

// add adds the toleration at index i of the list.
func (c *catalog) add(i int) {
	if c.byKey == nil {
		return
	}
	t := &c.list[i]
	if c.options.keys(t).prefix {
		c.broad = append(c.broad, i)
	} else {
		c.byKey[t.Key] = append(c.byKey[t.Key], i)
	}
}

// some reports whether a toleration of the list includes t or, if asLong is set,
// covers it.
func (c *catalog) some(t *Toleration, asLong bool) bool {
	if c.byKey == nil {
		wildcards := c.options.KeyWildcards
		for i := range c.list {
			u := &c.list[i]
			if (wildcards || u.Key == "" || u.Key == t.Key) && c.options.covering(u, t, asLong) {
				return true
			}
		}
		return false
	}
	for _, indexes := range [...][]int{c.byKey[t.Key], c.broad} {
		for _, i := range indexes {
			if c.options.covering(&c.list[i], t, asLong) {
				return true
			}
		}
	}
	return false
}

// covering is covers if asLong is set, and includes otherwise.
func (o Options) covering(t, u *Toleration, asLong bool) bool {
	if asLong {
		return o.covers(t, u)
	}
	return o.includes(t, u)
}
