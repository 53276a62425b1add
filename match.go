// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"iter"
	"math"
	"slices"

	"github.com/seed-0529bac1/taints/internal/valueset"
)

// Tolerates reports whether the toleration tolerates the taint (ToleratesTaint in
// Kubernetes), by the rules of the package comment. Strings are compared byte by byte.
// An integer is "0", or decimal digits without a leading zero after an optional "-",
// within int64. An unknown operator matches nothing, and an unknown effect matches
// itself. The zero Toleration matches the taints without a value.
func (t Toleration) Tolerates(taint Taint) bool {
	return Options{}.tolerates(&t, &taint)
}

// Match returns the index of the first toleration that tolerates the taint, and
// whether there is one (TolerationsTolerateTaint in Kubernetes).
func Match(taint Taint, tolerations []Toleration) (toleration int, ok bool) {
	r := rules{tolerations: tolerations}
	i := r.next(&taint, 0)
	return i, i >= 0
}

func (o Options) tolerates(t *Toleration, taint *Taint) bool {
	return effectMatches(t, taint) && o.keyMatches(t, taint) && o.valueMatches(t, taint)
}

func effectMatches(t *Toleration, taint *Taint) bool {
	return t.Effect == "" || t.Effect == taint.Effect
}

func (o Options) keyMatches(t *Toleration, taint *Taint) bool {
	return t.Key == taint.Key || t.Key == "" || o.KeyWildcards && wildcardMatches(t.Key, taint.Key)
}

// wildcardMatches reports whether the key ends in "*" and what precedes that is a
// prefix of the other key.
func wildcardMatches(wildcard, key string) bool {
	last := len(wildcard) - 1
	return wildcard[last] == '*' && len(key) >= last && key[:last] == wildcard[:last]
}

func (o Options) valueMatches(t *Toleration, taint *Taint) bool {
	return t.Operator == OpExists || // most of them
		valueset.Match(string(t.Operator), t.Value, !o.NoComparison, taint.Value)
}

// Options change the rules of matching. The zero Options are those of Kubernetes
// with its taint feature gates on. Use [Options.On] for one question under them, and
// [Options.Compile] for many.
type Options struct {
	// NoComparison makes [OpLt] and [OpGt] match nothing and invalid, as without the
	// feature gate TaintTolerationComparisonOperators, which is off by default.
	NoComparison bool `json:"noComparison,omitempty"`
	// KeyWildcards makes a toleration key that ends in "*" match all keys that
	// begin with what precedes the "*": "readiness.k8s.io/*" matches
	// "readiness.k8s.io/network". A "*" elsewhere is an ordinary character.
	// Kubernetes does not have this yet (KEP-5869).
	KeyWildcards bool `json:"keyWildcards,omitempty"`
}

// A Matcher answers questions about a list of tolerations. The zero Matcher, or a nil
// one, tolerates nothing. To select taints, compile [TolerationsOfIDs] or
// [TolerationsOfKeys], and call [Matcher.Tolerated].
type Matcher struct {
	rules
	exempt  EffectSet // effects whose taints are all tolerated
	first   table
	seconds [2]int64 // of the tolerations, as long as there is room
}

// rules are what decides about a taint. The rest of a Matcher saves time.
type rules struct {
	policy      EvictionPolicy
	tolerations []Toleration
}

// A table holds, for each fingerprint of a key, the index of the first
// toleration that may match such a key, or the number of tolerations. Larger
// numbers are stored as 255. The zero table is always right, but slow: without
// one, BenchmarkMatcherFindUntolerated takes half as long again.
type table [32]uint8

// fingerprint maps a key to a number below 32. It uses the length and the last
// byte, because common keys often have the same beginning.
func fingerprint(key string) uint {
	n := uint(len(key))
	if n > 0 {
		n = 5*n + 2*uint(key[n-1])
	}
	return n % uint(len(table{}))
}

// Compile returns a [Matcher] for the concatenation of the lists, for many questions.
// It shares no memory with them.
func Compile(lists ...[]Toleration) *Matcher { return EvictionPolicy{}.Compile(lists...) }

// Compile is like the function [Compile] under the options.
func (o Options) Compile(lists ...[]Toleration) *Matcher {
	return EvictionPolicy{Options: o}.Compile(lists...)
}

// Compile is like the function [Compile] under the policy and its options.
func (p EvictionPolicy) Compile(lists ...[]Toleration) *Matcher {
	m := &Matcher{rules: rules{p, slices.Concat(lists...)}}
	m.enterAll(len(m.tolerations))
	seconds := m.seconds[:0]
	for i := len(m.tolerations) - 1; i >= 0; i-- {
		t := &m.tolerations[i]
		m.enter(t, i)
		if t.TolerationSeconds != nil {
			seconds = append(seconds, *t.TolerationSeconds)
			t.TolerationSeconds = &seconds[len(seconds)-1]
		}
	}
	return m
}

// On returns a [Matcher] for one question, as in options.On(tolerations).Filter(taints).
// It reads the list when it is asked. Unlike [Options.Compile], On neither copies nor
// prepares anything, and the Matcher does not allocate unless it is stored.
func (o Options) On(tolerations []Toleration) *Matcher {
	return EvictionPolicy{Options: o}.On(tolerations)
}

// On is like [Options.On] under the policy and its options.
func (p EvictionPolicy) On(tolerations []Toleration) *Matcher {
	return &Matcher{rules: rules{p, tolerations}}
}

// enter adds the toleration at the index to the table, which has all later ones.
func (m *Matcher) enter(t *Toleration, index int) {
	keys := valueset.KeysOf(t.Key, m.policy.Options.KeyWildcards)
	if !keys.Prefix {
		m.first[fingerprint(t.Key)] = entry(index)
		return
	}
	m.enterAll(index)
	if keys.Key == "" && t.Operator == OpExists {
		m.exempt |= exempted(t.Effect)
	}
}

// enterAll sets the index for all keys.
func (m *Matcher) enterAll(index int) {
	e := entry(index)
	for i := range m.first {
		m.first[i] = e
	}
}

func entry(index int) uint8 { return uint8(min(index, math.MaxUint8)) }

// exempted returns the effects whose taints a toleration without any other
// condition than this effect tolerates.
func exempted(effect Effect) EffectSet {
	if effect == "" {
		return AllEffects
	}
	return effectBit(effect) &^ otherEffects // one of the other effects is not all of them
}

// Match is like the function [Match] for m's tolerations.
func (m *Matcher) Match(taint Taint) (toleration int, ok bool) {
	if m == nil {
		return -1, false
	}
	i := m.next(&taint, m.start(&taint))
	return i, i >= 0
}

// start returns the index of a toleration that no match of the taint precedes.
func (m *Matcher) start(taint *Taint) int { return int(m.first[fingerprint(taint.Key)]) }

// next returns the index, not below from, of the first toleration that tolerates
// the taint, or -1. Most tolerations have a key of another length, and only a
// wildcard may match then; BenchmarkFindUntolerated pays for the early looks.
func (r *rules) next(taint *Taint, from int) int {
	for i := from; i < len(r.tolerations); i++ {
		t, o := &r.tolerations[i], &r.policy.Options
		if len(t.Key) != len(taint.Key) && t.Key != "" {
			if !o.KeyWildcards {
				continue
			}
			if !wildcardMatches(t.Key, taint.Key) {
				continue
			}
		} else if !o.keyMatches(t, taint) {
			continue
		}
		if effectMatches(t, taint) && o.valueMatches(t, taint) {
			return i
		}
	}
	return -1
}

// Tolerations returns an iterator over m's tolerations, in order. What their
// TolerationSeconds point to must not be changed.
func (m *Matcher) Tolerations() iter.Seq[Toleration] {
	return func(yield func(Toleration) bool) {
		if m == nil {
			return
		}
		for _, t := range m.tolerations {
			if !yield(t) {
				return
			}
		}
	}
}

// Policy returns m's policy: the zero one if m is nil.
func (m *Matcher) Policy() EvictionPolicy {
	if m == nil {
		return EvictionPolicy{}
	}
	return m.policy
}
