// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"math/bits"
	"strings"
)

// A Matcher is a compiled list of tolerations. It is immutable and safe for
// concurrent use. The zero Matcher, or a nil one, tolerates nothing.
//
// A Matcher can also select taints, such as startup taints, ignored taints or
// excluded keys: compile it from tolerations of these, such as
// "node.cilium.io/agent-not-ready op=Exists", and call [Matcher.Match].
type Matcher struct {
	policy    EvictionPolicy
	rules     []rule             // a rule for each toleration, in list order
	exempt    EffectSet          // effects of which every taint is tolerated
	wildcards link               // the first rule that matches more than one key
	exact     [fingerprints]link // the first of the other rules, by fingerprint of the key
}

// A rule is a toleration as the Matcher applies it. It has 64 bytes, so that the
// rules of most pods stay below the size above which the runtime takes much longer
// to allocate. That saves a quarter of BenchmarkCompile.
type rule struct {
	Key      string
	Value    string
	seconds  int64     // if timed
	limit    int64     // for opLess and opGreater
	text     *ruleText // what op and effects do not say
	next     link      // the next wildcard, or the next rule with the same fingerprint
	op       ruleOp
	effects  uint8 // the bits of the effects that it may match
	wildcard bool  // matches more than one key
	timed    bool  // has seconds
}

// A ruleText holds the operator and effect as written, of a rule whose operator
// matches nothing or whose effect is unknown.
type ruleText struct {
	operator Operator
	effect   Effect
}

// anyEffect is the effects of a rule for all effects.
const anyEffect = 1<<len(effectNames) - 1

// tolerationSeconds returns the seconds of the toleration.
func (r *rule) tolerationSeconds() *int64 {
	if !r.timed {
		return nil
	}
	return &r.seconds
}

// toleration returns the toleration. Its seconds are the rule's.
func (r *rule) toleration() Toleration {
	t := Toleration{
		Key:               r.Key,
		Operator:          ruleOperators[r.op],
		Value:             r.Value,
		TolerationSeconds: r.tolerationSeconds(),
	}
	switch {
	case r.text != nil:
		t.Operator, t.Effect = r.text.operator, r.text.effect
	case r.effects != anyEffect:
		t.Effect = Effect(effectNames[bits.TrailingZeros8(r.effects)])
	}
	return t
}

// A link is the index of a rule plus one, or zero for none.
type link uint32

type ruleOp uint8

const (
	opNever   ruleOp = iota
	opEqual          // Equal as written
	opNoneSet        // Equal as the empty operator
	opExists
	opLess
	opGreater
)

var ruleOperators = [...]Operator{opEqual: OpEqual, opExists: OpExists, opLess: OpLt, opGreater: OpGt}

// isEqual reports whether the rule compares values for equality.
func (op ruleOp) isEqual() bool { return op == opEqual || op == opNoneSet }

// fingerprints is the number of fingerprints. A pod has few tolerations, and a
// larger table takes longer to allocate.
const fingerprints = 32

// fingerprint maps equal keys to equal numbers below fingerprints, and different
// keys mostly to different numbers. It uses the length and the last byte, as the
// usual keys often begin alike.
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

// compile makes the rules of the list, of which the first is that at start. It
// begins with the last, so that each chain of rules is in list order.
func (m *Matcher) compile(list []Toleration, start int) {
	for i := len(list) - 1; i >= 0; i-- {
		r, t := &m.rules[start+i], &list[i]
		r.Key, r.Value = t.Key, t.Value
		if t.TolerationSeconds != nil {
			r.seconds, r.timed = *t.TolerationSeconds, true
		}
		r.effects = anyEffect
		if t.Effect != "" {
			r.effects = uint8(effectBit(t.Effect))
		}
		r.wildcard = t.Key == "" || m.policy.Options.KeyWildcards && strings.HasSuffix(t.Key, "*")
		r.prepare(t, m.policy.Options)
		if r.op == opNever || r.effects == 1<<indexOther {
			r.text = &ruleText{t.Operator, t.Effect}
		}
		if r.op == opNever {
			continue
		}
		if r.wildcard {
			m.exempt |= r.exempts()
		}
		first := &m.wildcards
		if !r.wildcard {
			first = &m.exact[fingerprint(r.Key)]
		}
		r.next, *first = *first, link(start+i+1)
	}
}

// prepare sets how the rule compares values.
func (r *rule) prepare(t *Toleration, o Options) {
	switch {
	case t.Operator == OpExists:
		r.op = opExists
	case t.Operator == OpEqual:
		r.op = opEqual
	case t.Operator == "":
		r.op = opNoneSet
	case t.Operator == OpLt && !o.NoComparison:
		r.prepareLimit(opLess)
	case t.Operator == OpGt && !o.NoComparison:
		r.prepareLimit(opGreater)
	}
}

// prepareLimit sets the limit. A rule whose value is not an integer remains at
// opNever.
func (r *rule) prepareLimit(op ruleOp) {
	if limit, ok := parseInteger(r.Value); ok {
		r.limit, r.op = limit, op
	}
}

// prefix returns the common prefix of the keys that a wildcard matches.
func (r *rule) prefix() string { return strings.TrimSuffix(r.Key, "*") }

// exempts returns the effects of which the rule, a wildcard, matches every taint.
func (r *rule) exempts() EffectSet {
	switch {
	case r.op != opExists || r.prefix() != "":
		return 0
	case r.effects == anyEffect:
		return AllEffects
	}
	return EffectSet(r.effects) &^ (1 << indexOther) // one of the other effects is not all of them
}

func (r *rule) keyMatches(key string) bool {
	return r.Key == key || r.wildcard && strings.HasPrefix(key, r.prefix())
}

// effectMatches reports whether the rule matches the effect, whose bit is given
// too.
func (r *rule) effectMatches(effect Effect, bit EffectSet) bool {
	return EffectSet(r.effects)&bit != 0 &&
		(bit != 1<<indexOther || r.effects == anyEffect || r.text.effect == effect)
}

// valueMatches is for the operators that compare values.
func (r *rule) valueMatches(value string) bool {
	if r.op.isEqual() {
		return r.Value == value
	}
	return r.limitMatches(value)
}

// limitMatches is for opLess and opGreater.
func (r *rule) limitMatches(value string) bool {
	n, ok := parseInteger(value)
	if r.op == opLess {
		return ok && n < r.limit
	}
	return ok && n > r.limit
}

// Match is like the function [Match] for m's tolerations.
func (m *Matcher) Match(taint Taint) (toleration int, ok bool) {
	i := m.first(&taint)
	return i, i >= 0
}

// first returns the index of the first toleration that tolerates the taint, or
// -1.
func (m *Matcher) first(taint *Taint) int {
	s := m.matches(taint)
	return s.next()
}

// Matches iterates over the tolerations that tolerate a taint, in list order.
type matches struct {
	rules           []rule
	taint           *Taint
	effect          EffectSet // the bit of the taint's effect
	exact, wildcard link      // the rules to try next
}

func (m *Matcher) matches(taint *Taint) matches {
	if m == nil {
		return matches{}
	}
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
			(r.op == opExists || r.valueMatches(s.taint.Value)) {
			return int(i)
		}
	}
	return -1
}

// nextUntolerated returns the index, not below from, of the first taint with an
// effect in the set that no toleration tolerates, or -1. Without wildcards it has
// the loop of matches inline, which saves a fifth of
// BenchmarkMatcherFindUntolerated.
func (m *Matcher) nextUntolerated(taints []Taint, in EffectSet, from int) int {
	if m == nil || m.wildcards != 0 {
		return m.nextUntoleratedByAny(taints, in, from)
	}
	rules := m.rules
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
				(r.op == opExists || r.valueMatches(t.Value)) {
				continue next
			}
			exact = r.next
		}
		return i
	}
	return -1
}

// nextUntoleratedByAny is nextUntolerated for a Matcher with wildcards or a nil
// one.
func (m *Matcher) nextUntoleratedByAny(taints []Taint, in EffectSet, from int) int {
	in = m.toLookAt(in)
	if in == 0 {
		return -1
	}
	for i := from; i < len(taints); i++ {
		if t := &taints[i]; in.Has(t.Effect) && m.first(t) < 0 {
			return i
		}
	}
	return -1
}

// toLookAt returns the set without the effects of which every taint is tolerated.
func (m *Matcher) toLookAt(in EffectSet) EffectSet {
	if m == nil {
		return in
	}
	return in &^ m.exempt
}

// list returns the tolerations and options that were compiled.
func (m *Matcher) list() ([]Toleration, Options) {
	if m == nil {
		return nil, Options{}
	}
	list := make([]Toleration, len(m.rules))
	for i := range m.rules {
		list[i] = m.rules[i].toleration()
	}
	return list, m.policy.Options
}
