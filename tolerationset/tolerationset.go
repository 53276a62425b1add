// SPDX-License-Identifier: Apache-2.0

// Package tolerationset compares the tolerations of pods with each other, merges
// them and checks them. It is for admission webhooks, policies and linters.
//
// Every function but Reconcile takes the options that apply to the tolerations.
// They are zero for Kubernetes with its taint feature gates on. Functions accept
// any input, never panic and never modify their arguments. Results share strings
// with arguments, and other memory only if the function's comment says so. All
// functions are safe for concurrent use.
package tolerationset

import (
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/keyset"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// Covers reports whether t tolerates every taint that u tolerates, for at least
// as long. It is exact: if it returns false, there is a taint, perhaps an invalid
// one, that u tolerates and that t does not tolerate, or not for as long.
//
//   - The effect of t must be empty or equal to u's.
//   - The key of t must be empty or equal to u's.
//   - Exists covers all values, Equal the same value, and Lt and Gt the integers
//     in their range: "Gt 5" covers "Gt 7" and "Equal 9". Equal covers an Lt or Gt
//     that only one integer satisfies, the first or the last of int64.
//   - If u may tolerate a NoExecute taint, t's seconds must last as long as u's.
//     Unset seconds last forever; zero and negative seconds are equivalent.
//
// A toleration that tolerates nothing, because its operator is unknown or no
// integer is less or greater than its value, is covered by every other toleration.
//
// Under NoComparison, Lt and Gt tolerate nothing and are covered by every
// toleration. Under KeyWildcards, "a/*" covers "a/b", "a/b*" and itself.
//
// For valid tolerations with a nonempty operator, Equal or Exists, and seconds
// that are not negative, it returns what isSuperset in Kubernetes'
// pkg/util/tolerations returns. isSuperset does not recognize that an empty
// operator means Equal, that Lt and Gt cover ranges, or that zero and negative
// seconds are equivalent.
func Covers(t, u taints.Toleration, o taints.Options) bool {
	return rules{o}.covers(&t, &u)
}

// Rules compare tolerations under options.
type rules struct{ taints.Options }

// ValidateAllowed returns nil if each of the tolerations is covered by an entry
// of the allow-list, as defined by [Covers]. Otherwise the error is a
// [taints.ErrorList] with a [taints.ErrForbidden] for each toleration that is
// not covered. Its List is "tolerations" and its Value is the printed toleration.
//
// This is the whitelist of the PodTolerationRestriction admission plugin
// (VerifyAgainstWhitelist in Kubernetes), except that an empty allow-list
// allows nothing. In Kubernetes it allows everything. A caller that wants this
// need not call ValidateAllowed.
//
// Its time grows with the lengths of the lists, up to a logarithm, but with their
// product if many entries have wildcards, or Lt or Gt and different seconds.
func ValidateAllowed(tolerations, allow []taints.Toleration, o taints.Options) error {
	var faults []*taints.FieldError
	entries := newCatalog(allow, 0, rules.covers, o)
	for i := range tolerations {
		t := &tolerations[i]
		if entries.toleratesNothing(t) && len(allow) > 0 || entries.first(t) >= 0 {
			continue
		}
		faults = append(faults, &taints.FieldError{
			List:   "tolerations",
			Index:  i,
			Value:  t.String(),
			Kind:   taints.ErrForbidden,
			Detail: "no entry of the allow-list tolerates as much for as long",
		})
	}
	if faults == nil {
		return nil
	}
	return taints.ErrorList(faults)
}

// Merge adds to base, in order, the tolerations of extra that make a difference.
// It omits a toleration that tolerates nothing, and one whose taints are all
// tolerated by a single earlier entry of the result, for any time. So a taint
// that base tolerates is tolerated for the time that base specifies.
//
// Merge adds the defaults of a namespace to a pod, like MergeTolerations in
// Kubernetes, which the PodTolerationRestriction admission plugin calls.
// MergeTolerations also removes tolerations of base that others cover, so that
// a default may extend a time that the pod limits. It detects fewer covered
// tolerations, and may write to the array behind base. To remove superfluous
// entries, call [Minimize] with the result.
//
// Like the Add functions, it returns base itself if nothing is added, and
// otherwise a new list that shares the TolerationSeconds of base. Merging again
// changes nothing.
//
// Its time grows with the lengths of the lists, up to a logarithm, but with their
// product if many tolerations have wildcards.
func Merge(base, extra []taints.Toleration, o taints.Options) []taints.Toleration {
	merged := base
	entries := newCatalog(base, len(extra), rules.includes, o)
	for i := range extra {
		t := &extra[i]
		if entries.toleratesNothing(t) || entries.first(t) >= 0 {
			continue
		}
		if len(merged) == len(base) {
			merged = slices.Grow(slices.Clip(base), len(extra)-i)
		}
		merged = append(merged, clone(*t))
		entries.list = merged
		entries.file(len(merged) - 1)
	}
	return merged
}

// Minimize returns the list without the entries that make no difference: the
// first match of every taint tolerates it for the same time. It drops an entry if
//
//   - it tolerates nothing, or
//   - an earlier entry tolerates every taint that it tolerates, so that it is
//     never the first match, or
//   - a later entry tolerates every taint that it tolerates, for the same time,
//     and no remaining entry between the two tolerates a NoExecute taint among
//     these for another time.
//
// It keeps an entry that only several others together make superfluous. It keeps
// the order, and minimizing again changes nothing. Under the policy
// ForeverElseShortest, deadlines may change, but not which taints are tolerated.
//
// It returns tolerations itself if nothing is dropped, and otherwise a new list
// that shares no memory with tolerations, or nil if the new list is empty. An API
// server does not allow an existing pod to lose tolerations; see
// [ValidateUpdate].
//
// Its time grows with the length, up to a logarithm, but with its square if many
// entries have wildcards, or precede other entries that remain and then one that
// includes them. Limit the length of lists that come from others.
func Minimize(tolerations []taints.Toleration, o taints.Options) []taints.Toleration {
	c := newCatalog(tolerations, 0, rules.includes, o)
	by := c.superfluous(nil)
	if !slices.ContainsFunc(by, func(i int) bool { return i >= 0 }) {
		return tolerations
	}
	var left []taints.Toleration
	for i := range tolerations {
		if by[i] < 0 {
			left = append(left, clone(tolerations[i]))
		}
	}
	return left
}

// superfluous returns, for each toleration of a catalog of inclusion, the index of
// the one that makes it superfluous: its own if it tolerates nothing, and -1 if it
// is not superfluous. That one may be superfluous itself, but there are no cycles.
// Only a later one makes a toleration with a shadow superfluous; see
// [catalog.shadows].
func (c *catalog) superfluous(shadows []int) []int {
	by := make([]int, len(c.list))
	for i := range c.list {
		t := &c.list[i]
		by[i] = -1
		switch {
		case c.toleratesNothing(t):
			by[i] = i
		case shadows == nil || shadows[i] < 0:
			if j := c.first(t); j < i {
				by[i] = j
			}
		}
	}
	later := *c // the later ones that are not superfluous, if the list is long
	if later.chains != nil {
		later.chains, later.loose = make(map[drawer][]int, len(c.list)), nil
	}
	var left []int
	for i := len(by) - 1; i >= 0; i-- {
		if by[i] < 0 && later.first(&c.list[i]) >= 0 {
			by[i] = c.includedBy(left, &c.list[i])
		}
		if by[i] < 0 {
			left = append(left, i)
			later.file(i)
		}
	}
	return by
}

// includedBy returns the last of the indexes whose toleration includes t, unless
// one behind it disagrees with t. It returns -1 if there is none.
func (c *catalog) includedBy(indexes []int, t *taints.Toleration) int {
	for _, i := range slices.Backward(indexes) {
		switch u := &c.list[i]; {
		case c.disagree(t, u):
			return -1
		case c.relation(c.rules, u, t):
			return i
		}
	}
	return -1
}

// includes reports whether t tolerates every taint that u tolerates, regardless
// of time. u must tolerate something.
func (r rules) includes(t, u *taints.Toleration) bool {
	return r.includesTaints(t, u) && r.includesValues(t, u)
}

// covers is [Covers].
func (r rules) covers(t, u *taints.Toleration) bool {
	if !r.includesTaints(t, u) || evicting(u) && outlasts(u.TolerationSeconds, t.TolerationSeconds) {
		return r.toleratesNothing(u)
	}
	return r.includesValues(t, u)
}

// includesTaints is like includes for the effects and keys only.
func (r rules) includesTaints(t, u *taints.Toleration) bool {
	if t.Effect != "" && t.Effect != u.Effect {
		return false
	}
	if r.KeyWildcards {
		return r.keys(t).Includes(r.keys(u))
	}
	return t.Key == "" || t.Key == u.Key
}

// includesValues is like includes for the values only.
func (r rules) includesValues(t, u *taints.Toleration) bool {
	if t.Operator == taints.OpExists || t.Operator == u.Operator && t.Value == u.Value {
		return true // the usual cases, without sets
	}
	values, others := r.values(t), r.values(u)
	return values.Includes(&others)
}

// disagree reports whether t and u tolerate a common NoExecute taint for different
// times.
func (r rules) disagree(t, u *taints.Toleration) bool {
	if !evicting(t) || !evicting(u) || sameTime(t, u) || !r.keys(t).Meets(r.keys(u)) {
		return false
	}
	values, others := r.values(t), r.values(u)
	return values.Meets(&others)
}

func (r rules) keys(t *taints.Toleration) keyset.Set { return keyset.Of(t.Key, r.KeyWildcards) }

func (r rules) values(t *taints.Toleration) valueset.Set {
	return valueset.Of(string(t.Operator), t.Value, !r.NoComparison)
}

// toleratesNothing reports whether the toleration tolerates no taint.
func (r rules) toleratesNothing(t *taints.Toleration) bool {
	return t.Operator != taints.OpExists && r.values(t).Kind == valueset.None
}

// evicting reports whether the toleration may tolerate a NoExecute taint, so
// that its seconds matter.
func evicting(t *taints.Toleration) bool { return t.Effect == "" || t.Effect == taints.NoExecute }

// sameTime reports whether both tolerate a NoExecute taint for the same time.
func sameTime(t, u *taints.Toleration) bool {
	return sameSeconds(t.TolerationSeconds, u.TolerationSeconds)
}

func sameSeconds(a, b *int64) bool { return !outlasts(a, b) && !outlasts(b, a) }

// outlasts reports whether a toleration with the seconds a tolerates a taint
// longer than one with the seconds b. Nil means forever.
func outlasts(a, b *int64) bool {
	if a == nil || b == nil {
		return b != nil
	}
	return *a > max(*b, 0)
}

// clone returns the toleration with its own TolerationSeconds.
func clone(t taints.Toleration) taints.Toleration {
	if t.TolerationSeconds != nil {
		seconds := *t.TolerationSeconds
		t.TolerationSeconds = &seconds
	}
	return t
}
