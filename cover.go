package taints

import (
	"math"
	"slices"
	"strings"
)

// Covers reports whether t tolerates every taint that u tolerates, at least as
// long. It is exact: where it returns false, there is a taint, perhaps an
// invalid one, that u tolerates and t does not, or not as long.
//
//   - Effects: t has none, or that of u.
//   - Keys: t has none, or that of u.
//   - Values: Exists covers all, Equal the same value, and Lt and Gt the
//     integers within: "Gt 5" covers "Gt 7" and "Equal 9". Equal covers Lt or Gt
//     where a single integer is left, the first or the last of int64.
//   - Seconds count where u may tolerate a NoExecute taint. None set is forever;
//     zero and less are the same.
//
// A toleration that tolerates nothing (its operator is unknown, or no integer is
// less or greater than its value) is covered by every other.
//
// For valid tolerations with the operators Equal and Exists, spelled out, and
// seconds that are not negative it returns what isSuperset in Kubernetes'
// pkg/util/tolerations returns. Of others isSuperset does not see that an empty
// operator is Equal, that Lt and Gt cover ranges, or that zero and negative
// seconds are the same.
func (t Toleration) Covers(u Toleration) bool { return Options{}.covers(&t, &u) }

// Covers is like [Toleration.Covers] under the options. NoComparison leaves
// nothing for Lt and Gt to tolerate, so that every toleration covers them. With
// KeyWildcards "a/*" covers "a/b", "a/b*" and itself.
func (o Options) Covers(t, u Toleration) bool { return o.covers(&t, &u) }

func (o Options) covers(t, u *Toleration) bool {
	if !o.includesTaints(t, u) || timed(u) && outlasts(u.TolerationSeconds, t.TolerationSeconds) {
		return o.toleratesNothing(u)
	}
	return o.includesValues(t, u)
}

// ValidateAllowed returns nil if each of the tolerations is covered by an entry
// of the allow-list ([Toleration.Covers]). Otherwise the error is a
// [*ValidationError] with an [ErrForbidden] for each that is not, with
// "tolerations" as its List and the printed toleration as its Value. An entry
// with seconds allows up to so many.
//
// It is the whitelist of the PodTolerationRestriction admission plugin
// (VerifyAgainstWhitelist in Kubernetes), but that an empty allow-list allows
// nothing. There it allows everything; a caller who wants that does not ask.
//
// The time grows with the product of the numbers of tolerations and of entries
// with the same key, or with no key or a wildcard.
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

// Merge adds to base, in order, those of extra that make a difference: not one
// that tolerates nothing, nor one of which every taint is tolerated by an
// earlier entry of the result, however long. So the first match of a taint is
// that of base, and otherwise that of extra, and the seconds of base count.
//
// It gives a pod the defaults of its namespace. Kubernetes' MergeTolerations,
// which the PodTolerationRestriction admission plugin calls, also drops from
// base what others cover, so that a default may lengthen what the pod limits:
// use Minimize(Merge(base, extra)) for a list without entries that are
// superfluous. It finds less that is covered, and may write to the array behind
// base.
//
// Like the Add functions it returns base itself if nothing is added, and
// otherwise a new list that shares the TolerationSeconds of base. Merging again
// adds nothing. It allocates the list and the seconds of extra.
//
// The time grows with the square of the number of tolerations that have the same
// key, or no key or a wildcard.
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

// Minimize returns the list without entries that make no difference: the first
// match of every taint tolerates it for as long as before. An entry goes
//
//   - when it tolerates nothing,
//   - when an earlier one tolerates every taint that it tolerates, so that it
//     never comes first,
//   - when a later one tolerates every taint that it tolerates, for the same
//     time, and no entry that is left between the two tolerates one of these
//     NoExecute taints for another time.
//
// What only several entries together make superfluous stays. The order stays,
// and minimizing again drops nothing. Under a [Selection] other than FirstMatch
// deadlines may change, but not what is tolerated.
//
// It returns tols itself if nothing is dropped, and otherwise a new list with
// seconds of its own, nil if it is empty. The time grows with the square of the
// length. An API server refuses that a pod loses tolerations once it exists
// ([ValidateTolerationsUpdate]).
func Minimize(tols []Toleration) []Toleration { return Options{}.Minimize(tols) }

// Minimize is like the function [Minimize] under the options.
func (o Options) Minimize(tols []Toleration) []Toleration {
	by := o.superseded(tols)
	if !slices.ContainsFunc(by, func(i int) bool { return i >= 0 }) {
		return tols
	}
	var left []Toleration
	for i := range tols {
		if by[i] < 0 {
			left = append(left, tols[i].clone())
		}
	}
	return left
}

// superseded returns for each of the tolerations the index of the one that makes
// it superfluous, its own if it tolerates nothing, and -1 if it stays. What makes
// others superfluous may itself be so, but never in a circle.
func (o Options) superseded(tols []Toleration) []int {
	return o.supersededBut(tols, func(int) bool { return false })
}

// supersededBut is superseded where an earlier toleration does not make those
// superfluous for which but returns true.
func (o Options) supersededBut(tols []Toleration, but func(i int) bool) []int {
	by := make([]int, len(tols))
	for i := range tols {
		switch {
		case o.toleratesNothing(&tols[i]):
			by[i] = i
		case but(i):
			by[i] = -1
		default:
			by[i] = o.shadow(tols[:i], &tols[i])
		}
	}
	for i := len(tols) - 1; i >= 0; i-- {
		if by[i] < 0 {
			by[i] = o.repeat(tols, by, i)
		}
	}
	return by
}

// shadow returns the index of the first of the earlier tolerations that
// tolerates every taint that t, which tolerates something, tolerates, however
// long, and -1 if there is none.
func (o Options) shadow(earlier []Toleration, t *Toleration) int {
	for i := range earlier {
		if o.includes(&earlier[i], t) {
			return i
		}
	}
	return -1
}

// repeat returns the index of a later toleration that stays and tolerates every
// taint that tols[i] tolerates, for the same time, as do those between the two
// as far as they tolerate one. It returns -1 if there is none.
func (o Options) repeat(tols []Toleration, by []int, i int) int {
	t := &tols[i]
	for j := i + 1; j < len(tols); j++ {
		u := &tols[j]
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

// includes reports whether t tolerates every taint that u, which tolerates
// something, tolerates, however long.
func (o Options) includes(t, u *Toleration) bool {
	return o.includesTaints(t, u) && o.includesValues(t, u)
}

// includesTaints is includes for the effects and keys alone.
func (o Options) includesTaints(t, u *Toleration) bool {
	if o.KeyWildcards {
		if !o.keys(t).include(o.keys(u)) {
			return false
		}
	} else if t.Key != "" && t.Key != u.Key {
		return false
	}
	return t.Effect == "" || t.Effect == u.Effect
}

// includesValues is includes for the values alone.
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

// meet reports whether there are a key and a value that t and u, which tolerate
// something, both tolerate.
func (o Options) meet(t, u *Toleration) bool {
	keys, others := o.keys(t), o.keys(u)
	return (keys.include(others) || others.include(keys)) && o.values(t).meet(o.values(u))
}

// timed reports whether the toleration may tolerate a NoExecute taint, so that
// its seconds count.
func timed(t *Toleration) bool { return t.Effect == "" || t.Effect == NoExecute }

// sameTime reports whether both tolerate a NoExecute taint equally long.
func sameTime(t, u *Toleration) bool {
	return sameSeconds(t.TolerationSeconds, u.TolerationSeconds)
}

func sameSeconds(a, b *int64) bool { return !outlasts(a, b) && !outlasts(b, a) }

// toleratesNothing reports whether the toleration tolerates no taint at all.
func (o Options) toleratesNothing(t *Toleration) bool {
	switch t.Operator {
	case OpExists, OpEqual, "":
		return false
	}
	return o.values(t).empty()
}

// A keySet is the keys that a toleration tolerates: those that begin with key,
// or that one alone.
type keySet struct {
	key    string
	prefix bool
}

func (o Options) keys(t *Toleration) keySet {
	if o.KeyWildcards {
		if prefix, ok := strings.CutSuffix(t.Key, "*"); ok {
			return keySet{prefix, true}
		}
	}
	return keySet{t.Key, t.Key == ""}
}

func (s keySet) include(u keySet) bool {
	if s.prefix {
		return strings.HasPrefix(u.key, s.key)
	}
	return !u.prefix && s.key == u.key
}

// A valueSet is the values that a toleration tolerates: all, or one that is not
// an integer, or the integers from least to most, none if least is greater.
type valueSet struct {
	kind        valueKind
	text        string // of oneText
	least, most int64  // of integers
}

type valueKind uint8

const (
	integers valueKind = iota
	oneText
	allValues
)

func (o Options) values(t *Toleration) valueSet {
	switch t.operator() {
	case OpExists:
		return valueSet{kind: allValues}
	case OpEqual:
		if n, ok := parseInteger(t.Value); ok {
			return valueSet{kind: integers, least: n, most: n}
		}
		return valueSet{kind: oneText, text: t.Value}
	case OpLt, OpGt:
		limit, ok := parseInteger(t.Value)
		switch {
		case !ok || o.NoComparison:
		case t.Operator == OpLt && limit > math.MinInt64:
			return valueSet{kind: integers, least: math.MinInt64, most: limit - 1}
		case t.Operator == OpGt && limit < math.MaxInt64:
			return valueSet{kind: integers, least: limit + 1, most: math.MaxInt64}
		}
	}
	return valueSet{kind: integers, least: 1} // none
}

func (s valueSet) empty() bool { return s.kind == integers && s.least > s.most }

// include reports whether the set has all values of u, which is not empty.
func (s valueSet) include(u valueSet) bool {
	if s.kind != u.kind {
		return s.kind == allValues
	}
	return s.text == u.text && s.least <= u.least && u.most <= s.most
}

// meet reports whether the sets, which are not empty, have a value in common.
func (s valueSet) meet(u valueSet) bool {
	if s.kind == integers && u.kind == integers {
		return s.least <= u.most && u.least <= s.most
	}
	return s.include(u) || u.include(s)
}

// A catalog finds, in a list of tolerations, those that may tolerate the key of
// another. A short list is gone through, which allocates nothing.
type catalog struct {
	options Options
	list    []Toleration
	byKey   map[string][]int // of a long list, the indexes of those for one key
	broad   []int            // and of those for more
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

// add says that the list has a further toleration, at the index.
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

// some reports whether a toleration of the list tolerates every taint that t
// tolerates, and as long if asLong is true.
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

// covering is covers, or includes where time does not count.
func (o Options) covering(t, u *Toleration, asLong bool) bool {
	if asLong {
		return o.covers(t, u)
	}
	return o.includes(t, u)
}
