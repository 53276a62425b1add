// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"iter"
	"math"
	"math/bits"
	"strings"

	"github.com/seed-0529bac1/taints/internal/keyset"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// A Matcher is a compiled list of tolerations. It is immutable and safe for
// concurrent use. The zero Matcher, or a nil one, tolerates nothing.
//
// A Matcher can also select taints, such as startup taints or ignored taints:
// compile it from [TolerationsOf] a list of them, or from tolerations of their
// keys, such as "node.cilium.io/agent-not-ready op=Exists", and call
// [Matcher.Match].
type Matcher struct {
	policy    EvictionPolicy
	rules     []rule             // a rule for each toleration, in list order
	exempt    EffectSet          // effects whose taints are all tolerated
	wildcards link               // the first rule that matches more than one key
	exact     [fingerprints]link // the first of the other rules, by fingerprint of the key
}

// A rule is a toleration as the Matcher applies it. It has 64 bytes, so that the
// rules of most pods stay below the size from which the runtime takes much
// longer to allocate. That saves a quarter of BenchmarkCompile.
type rule struct {
	Key      string
	Value    string
	seconds  int64      // if timed
	limit    int64      // of atMost and atLeast
	extra    *ruleExtra // fields that few rules need, or nil
	next     link       // the next wildcard, or the next rule with the same fingerprint
	matches  ruleValues
	operator uint8 // its number in package valueset, unless extra has an operator
	effects  uint8 // the bits of the effects that it may match
	flags    ruleFlags
}

// ruleValues describes which values a rule matches.
type ruleValues uint8

const (
	noValue  ruleValues = iota
	oneValue            // Value
	anyValue
	atMost  // the integers up to limit
	atLeast // the integers from limit on
	ofExtra // those that extra has
)

type ruleFlags uint8

const (
	wildcard ruleFlags = 1 << iota // matches more than one key
	timed                          // has seconds
)

func (f ruleFlags) has(flag ruleFlags) bool { return f&flag != 0 }

// A ruleExtra holds the fields that few tolerations need.
type ruleExtra struct {
	operator Operator     // if unknown
	effect   Effect       // if unknown
	values   valueset.Set // if matches is ofExtra
}

// anyEffect is the value of rule.effects for all effects.
const anyEffect = 1<<len(effectNames) - 1

// tolerationSeconds returns the seconds of the toleration.
func (r *rule) tolerationSeconds() *int64 {
	if !r.flags.has(timed) {
		return nil
	}
	return &r.seconds
}

// toleration returns the toleration. Its seconds are the rule's.
func (r *rule) toleration() (t Toleration) {
	t.Key, t.Value, t.TolerationSeconds = r.Key, r.Value, r.tolerationSeconds()
	if r.extra != nil && r.extra.operator != "" {
		t.Operator = r.extra.operator
	} else {
		t.Operator = Operator(valueset.At(int(r.operator)).Name)
	}
	switch r.effects {
	case anyEffect:
	case 1 << indexOther:
		t.Effect = r.extra.effect
	default:
		t.Effect = Effect(effectNames[bits.TrailingZeros8(r.effects)])
	}
	return t
}

// A link is the index of a rule plus one, or zero for none.
type link uint32

// fingerprints is the number of fingerprints. A pod has few tolerations, and a
// larger table takes longer to allocate.
const fingerprints = 32

// fingerprint maps equal keys to equal numbers below fingerprints, and different
// keys mostly to different numbers. It uses the length and the last byte,
// because common keys often have the same beginning.
func fingerprint(key string) uint8 {
	n := len(key)
	if n == 0 {
		return 0
	}
	return (uint8(n) + key[n-1]<<1) % fingerprints
}

// Compile returns a [Matcher] for the tolerations of all lists, such as a pod's
// and its template's. Its methods return what the functions of the same names
// return for the concatenation of the lists. It shares no memory with them.
func Compile(lists ...[]Toleration) *Matcher { return EvictionPolicy{}.Compile(lists...) }

// Compile is like the function [Compile] under the options.
func (o Options) Compile(lists ...[]Toleration) *Matcher {
	return EvictionPolicy{Options: o}.Compile(lists...)
}

// Compile is like the function [Compile] under the policy and its options: the
// Matcher's EvictionOf and Choose follow the policy.
func (p EvictionPolicy) Compile(lists ...[]Toleration) *Matcher {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	m := &Matcher{policy: p, rules: make([]rule, n)}
	for i := len(lists) - 1; i >= 0; i-- {
		n -= len(lists[i])
		m.compile(lists[i], n)
	}
	return m
}

// compile sets the rules of the list. The first rule has index start. It begins
// with the last, so that each chain of rules is in list order.
func (m *Matcher) compile(list []Toleration, start int) {
	for i := len(list) - 1; i >= 0; i-- {
		r := &m.rules[start+i]
		r.compile(&list[i], m.policy.Options)
		if r.matches == noValue {
			continue
		}
		chain := &m.wildcards
		if r.flags.has(wildcard) {
			m.exempt |= r.exempts()
		} else {
			chain = &m.exact[fingerprint(r.Key)]
		}
		r.next, *chain = *chain, link(start+i+1)
	}
}

// compile sets all but next.
func (r *rule) compile(t *Toleration, o Options) {
	r.Key, r.Value = t.Key, t.Value
	if keyset.Of(t.Key, o.KeyWildcards).Prefix {
		r.flags |= wildcard
	}
	if t.TolerationSeconds != nil {
		r.seconds = *t.TolerationSeconds
		r.flags |= timed
	}
	r.effects = anyEffect
	if t.Effect != "" {
		r.effects = uint8(effectBit(t.Effect))
	}
	if r.effects == 1<<indexOther {
		r.needExtra().effect = t.Effect
	}
	number := valueset.Find(string(t.Operator))
	if number < 0 {
		r.needExtra().operator = t.Operator
		return
	}
	r.operator = uint8(number)
	switch op := valueset.At(number); {
	case op.Comparison && o.NoComparison: // matches nothing
	case op.Kind == valueset.All: // no Set: BenchmarkCompile is faster without
		r.matches = anyValue
	case op.Kind == valueset.One:
		r.matches = oneValue
	default:
		r.setValues(op.Of(t.Value, true))
	}
}

func (r *rule) needExtra() *ruleExtra {
	if r.extra == nil {
		r.extra = new(ruleExtra)
	}
	return r.extra
}

// setValues sets which values the rule matches.
func (r *rule) setValues(set valueset.Set) {
	switch {
	case set.Kind == valueset.None:
	case set.Kind == valueset.Integers && set.Least == math.MinInt64:
		r.matches, r.limit = atMost, set.Most
	case set.Kind == valueset.Integers && set.Most == math.MaxInt64:
		r.matches, r.limit = atLeast, set.Least
	default:
		r.matches, r.needExtra().values = ofExtra, set
	}
}

// prefix returns the common prefix of the keys that a wildcard matches. The key
// of a wildcard is empty or ends in "*".
func (r *rule) prefix() string { return r.Key[:max(len(r.Key)-1, 0)] }

// exempts returns the effects for which the rule, a wildcard, matches every
// taint.
func (r *rule) exempts() EffectSet {
	switch {
	case r.matches != anyValue || r.prefix() != "":
		return 0
	case r.effects == anyEffect:
		return AllEffects
	}
	return EffectSet(r.effects) &^ (1 << indexOther) // one of the other effects is not all of them
}

func (r *rule) keyMatches(key string) bool {
	return r.Key == key || r.flags.has(wildcard) && strings.HasPrefix(key, r.prefix())
}

// effectMatches reports whether the rule matches the effect with this bit.
func (r *rule) effectMatches(effect Effect, bit EffectSet) bool {
	return EffectSet(r.effects)&bit != 0 &&
		(bit != 1<<indexOther || r.effects == anyEffect || r.extra.effect == effect)
}

// valueMatches reports whether the rule, which matches neither every value nor
// no value, matches the value.
func (r *rule) valueMatches(value string) bool {
	if r.matches == oneValue {
		return r.Value == value
	}
	return r.limitMatches(value)
}

// limitMatches is valueMatches for a rule that matches more than one value. It
// is a separate function so that valueMatches can be inlined.
func (r *rule) limitMatches(value string) bool {
	if r.matches == ofExtra {
		return r.extra.values.Contains(value)
	}
	n, ok := valueset.ParseInteger(value)
	if r.matches == atMost {
		return ok && n <= r.limit
	}
	return ok && n >= r.limit
}

// Match is like the function [Match] for m's tolerations.
func (m *Matcher) Match(taint Taint) (toleration int, ok bool) {
	i := m.firstMatch(&taint)
	return i, i >= 0
}

// firstMatch returns the index of the first toleration that tolerates the taint,
// or -1. It follows one chain after the other, not both in list order as matches
// does, which halves BenchmarkMatcherMatch.
func (m *Matcher) firstMatch(taint *Taint) int {
	if m == nil {
		return -1
	}
	exact, wildcard := m.exact[fingerprint(taint.Key)], m.wildcards
	if exact|wildcard == 0 {
		return -1
	}
	effect := effectBit(taint.Effect)
	for exact != 0 {
		r := &m.rules[exact-1]
		if r.Key == taint.Key && r.effectMatches(taint.Effect, effect) &&
			(r.matches == anyValue || r.valueMatches(taint.Value)) {
			break
		}
		exact = r.next
	}
	for wildcard != 0 && (exact == 0 || wildcard < exact) {
		r := &m.rules[wildcard-1]
		if strings.HasPrefix(taint.Key, r.prefix()) && r.effectMatches(taint.Effect, effect) &&
			(r.matches == anyValue || r.valueMatches(taint.Value)) {
			return int(wildcard) - 1
		}
		wildcard = r.next
	}
	return int(exact) - 1
}

// matches iterates over the tolerations that tolerate a taint, in list order.
type matches struct {
	rules           []rule
	taint           *Taint
	effect          EffectSet // the bit of the taint's effect
	exact, wildcard link      // the rules to try next
}

func (m *Matcher) matches(taint *Taint) matches {
	return matches{m.rules, taint, effectBit(taint.Effect), m.exact[fingerprint(taint.Key)], m.wildcards}
}

// next returns the index of the next toleration that tolerates the taint, or -1.
func (s *matches) next() int {
	for s.exact != 0 || s.wildcard != 0 {
		first := &s.exact
		if s.exact == 0 || s.wildcard != 0 && s.wildcard < s.exact {
			first = &s.wildcard
		}
		i := *first - 1
		r := &s.rules[i]
		*first = r.next
		if r.keyMatches(s.taint.Key) && r.effectMatches(s.taint.Effect, s.effect) &&
			(r.matches == anyValue || r.valueMatches(s.taint.Value)) {
			return int(i)
		}
	}
	return -1
}

// nextUntolerated returns the index, not below from, of the first taint with an
// effect in the set that no toleration tolerates, or -1. It has the loops of
// firstMatch inline, in any order, which saves a fifth of
// BenchmarkMatcherFindUntolerated.
func (m *Matcher) nextUntolerated(taints []Taint, in EffectSet, from int) int {
	if m == nil {
		m = new(Matcher)
	}
	rules, in := m.rules, m.notExempt(in)
	if in == 0 {
		return -1
	}
next:
	for i := from; i < len(taints); i++ {
		t := &taints[i]
		effect := effectBit(t.Effect)
		if in&effect == 0 {
			continue
		}
		for exact := m.exact[fingerprint(t.Key)]; exact != 0; {
			r := &rules[exact-1]
			if r.Key == t.Key && r.effectMatches(t.Effect, effect) &&
				(r.matches == anyValue || r.valueMatches(t.Value)) {
				continue next
			}
			exact = r.next
		}
		for wildcard := m.wildcards; wildcard != 0; {
			r := &rules[wildcard-1]
			if strings.HasPrefix(t.Key, r.prefix()) && r.effectMatches(t.Effect, effect) &&
				(r.matches == anyValue || r.valueMatches(t.Value)) {
				continue next
			}
			wildcard = r.next
		}
		return i
	}
	return -1
}

// notExempt returns the set without the effects whose taints are all tolerated.
func (m *Matcher) notExempt(in EffectSet) EffectSet {
	return in &^ m.exempt
}

// Tolerations returns an iterator over the tolerations that were compiled, in list
// order. Their TolerationSeconds must not be written to.
func (m *Matcher) Tolerations() iter.Seq[Toleration] {
	return func(yield func(Toleration) bool) {
		if m == nil {
			return
		}
		for i := range m.rules {
			if !yield(m.rules[i].toleration()) {
				return
			}
		}
	}
}

// Policy returns the policy that m was compiled under, with its options. It is
// the zero policy for a nil Matcher.
func (m *Matcher) Policy() EvictionPolicy {
	if m == nil {
		return EvictionPolicy{}
	}
	return m.policy
}
