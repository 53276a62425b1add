// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"iter"
	"math"
	"slices"

	"github.com/seed-0529bac1/taints/internal/valueset"
)

// Options change the rules of matching. The zero Options are the rules of Kubernetes
// with its taint feature gates on. A cluster has them off by default: a scheduler for
// such a cluster uses Options{NoComparison: true}.
type Options struct {
	// NoComparison makes [OpLt] and [OpGt] match nothing and invalid, as without the
	// feature gate TaintTolerationComparisonOperators.
	NoComparison bool `json:"noComparison,omitempty"`
	// KeyWildcards makes a toleration key that ends in "*" match every key that
	// begins with the text before the "*": "readiness.k8s.io/*" matches
	// "readiness.k8s.io/network". A "*" elsewhere is an ordinary character.
	// It follows the proposal KEP-5869, and stays as it is if Kubernetes gets another rule.
	KeyWildcards bool `json:"keyWildcards,omitempty"`
}

// Tolerates reports whether the toleration tolerates the taint (ToleratesTaint in
// Kubernetes), by the rules of the package comment. An integer is "0", or decimal
// digits without a leading zero after an optional "-", within int64. The zero
// Toleration matches the taints without a value.
func (t Toleration) Tolerates(taint Taint) bool {
	return Options{}.tolerates(&t, &taint)
}

func (o Options) tolerates(t *Toleration, taint *Taint) bool {
	return effectMatches(t, taint) && o.keyMatches(t, taint) && o.valueMatches(t, taint)
}

func effectMatches(t *Toleration, taint *Taint) bool {
	return t.Effect == taint.Effect || t.Effect == ""
}

func (o Options) keyMatches(t *Toleration, taint *Taint) bool {
	return t.Key == taint.Key || t.Key == "" || o.KeyWildcards && wildcardMatches(t.Key, taint.Key)
}

// wildcardMatches reports whether the wildcard ends in "*" and the text before that
// begins the key.
func wildcardMatches(wildcard, key string) bool {
	last := len(wildcard) - 1
	return wildcard[last] == '*' && len(key) >= last && key[:last] == wildcard[:last]
}

func (o Options) valueMatches(t *Toleration, taint *Taint) bool {
	return t.Operator == OpExists || // most of them
		valueset.Match(string(t.Operator), t.Value, !o.NoComparison, taint.Value)
}

// Match returns the index of the first toleration that tolerates the taint, and
// whether there is one (TolerationsTolerateTaint in Kubernetes).
func Match(taint Taint, tolerations []Toleration) (i int, ok bool) {
	r := rules{tolerations: tolerations}
	i = r.next(&taint, 0)
	return i, i >= 0
}

// A Matcher answers questions about a list of tolerations. [Compile] and
// [Options.Compile] make one for many questions, and [Options.On] for a few.
// The zero Matcher, or a nil one, tolerates nothing.
type Matcher struct {
	rules
	first table
}

// rules decide about a taint.
type rules struct {
	options     Options
	tolerations []Toleration
}

// A table holds, for each fingerprint of a key, the index of the first
// toleration that may match such a key, or the number of tolerations. Larger
// numbers are stored as 255. The zero table is right, but slow: with it,
// BenchmarkMatcherFindUntolerated takes half as long again.
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

// Compile returns a [Matcher] for the concatenation of the lists. It copies the
// tolerations and prepares them for many questions.
func Compile(lists ...[]Toleration) *Matcher { return Options{}.Compile(lists...) }

// Compile is like the function [Compile] under the options.
func (o Options) Compile(lists ...[]Toleration) *Matcher {
	m := &Matcher{rules: rules{o, slices.Concat(lists...)}}
	seconds := make([]int64, len(m.tolerations))
	m.enterAll(len(m.tolerations))
	for i := range slices.Backward(m.tolerations) {
		t := &m.tolerations[i]
		m.enter(t, i)
		if t.TolerationSeconds != nil {
			seconds[i] = *t.TolerationSeconds
			t.TolerationSeconds = &seconds[i]
		}
	}
	return m
}

// On returns a [Matcher] that is made in no time, for one or a few questions. It does
// not copy the tolerations, so do not change them while you use the Matcher.
func (o Options) On(tolerations []Toleration) *Matcher {
	return &Matcher{rules: rules{o, tolerations}}
}

// enter adds the toleration at the index to the table, which already holds all later
// tolerations.
func (m *Matcher) enter(t *Toleration, index int) {
	if valueset.KeysOf(t.Key, m.options.KeyWildcards).Prefix {
		m.enterAll(index)
	} else {
		m.first[fingerprint(t.Key)] = entry(index)
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

// Match is like the function [Match] for m's tolerations.
func (m *Matcher) Match(taint Taint) (i int, ok bool) {
	if m == nil {
		return -1, false
	}
	i = m.next(&taint, m.start(&taint))
	return i, i >= 0
}

// start returns an index. No toleration before it matches the taint.
func (m *Matcher) start(taint *Taint) int { return int(m.first[fingerprint(taint.Key)]) }

// next returns the index, not below from, of the first toleration that tolerates
// the taint, or -1. It compares lengths first because most keys differ in length.
// Without this, BenchmarkFindUntolerated takes twice as long.
func (r *rules) next(taint *Taint, from int) int {
	for i := from; i < len(r.tolerations); i++ {
		t, o := &r.tolerations[i], &r.options
		if len(t.Key) != len(taint.Key) && t.Key != "" {
			if !o.KeyWildcards || !wildcardMatches(t.Key, taint.Key) {
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

// Tolerations returns an iterator over m's tolerations, in order. Do not change what
// their TolerationSeconds point to.
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

// Options returns the options of m, and the zero Options for a nil Matcher.
func (m *Matcher) Options() Options {
	if m == nil {
		return Options{}
	}
	return m.options
}
