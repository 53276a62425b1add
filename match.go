package taints

import (
	"strconv"
	"strings"
)

// A Mismatch says why a toleration does not tolerate a taint. Zero means that it does.
type Mismatch uint8

const (
	// MismatchEffect: the toleration names an effect, and it is not the taint's.
	MismatchEffect Mismatch = iota + 1
	// MismatchKey: the toleration names a key, and it is not the taint's.
	MismatchKey
	// MismatchValue: the operator is Equal and the values differ.
	MismatchValue
	// MismatchOperator: the operator is none of the four, so it matches nothing.
	MismatchOperator
	// MismatchNoComparison: the operator is Lt or Gt, and [Options] switch these off.
	MismatchNoComparison
	// MismatchNotInteger: the operator is Lt or Gt, and one of the values is not an integer in canonical form within int64.
	MismatchNotInteger
	// MismatchNotLess: the operator is Lt, and the taint's value is not less than the toleration's.
	MismatchNotLess
	// MismatchNotGreater: the operator is Gt, and the taint's value is not greater than the toleration's.
	MismatchNotGreater
)

// String returns the mismatch as words that follow a taint and a toleration: "the value differs". It is "tolerated" for
// zero, and shows a number that stands for nothing as such.
func (m Mismatch) String() string {
	return enumName("mismatch", int(m),
		"tolerated",
		"the effect differs",
		"the key differs",
		"the value differs",
		"the operator is unknown",
		"Lt and Gt are switched off",
		"a value is not an integer",
		"the taint's value is not less",
		"the taint's value is not greater",
	)
}

// Tolerates reports whether the toleration lets its pod onto a node with the taint (ToleratesTaint in Kubernetes, with
// comparison operators on). That is so when
//
//  1. its effect is empty or equal to the taint's, and
//  2. its key is empty or equal to the taint's, and
//  3. its operator says so: [OpExists] always; [OpEqual] or none when the values are equal, two empty ones included;
//     [OpLt] or [OpGt] when both values are integers and the taint's is less, or greater, than the toleration's. An
//     integer is decimal, in canonical form ("0", or digits without a leading zero and an optional "-" before them)
//     and within int64.
//
// Anything else does not match. The answer is defined for every input, valid or not: an unknown operator matches
// nothing, an unknown effect matches only itself, and the zero Toleration matches the taints without a value. An empty
// key does not ask for [OpExists] here, only in validation; a value beside [OpExists] is not looked at. Strings are
// compared byte for byte. TolerationSeconds and TimeAdded play no part. Nothing is allocated or retained.
func (t Toleration) Tolerates(taint Taint) bool { return Options{}.check(&t, &taint) == 0 }

// Check is [Toleration.Tolerates] with the reason: zero when the toleration tolerates the taint, and otherwise the first
// rule that fails, in the order effect, key, operator and value. Nothing is allocated or retained.
func (t Toleration) Check(taint Taint) Mismatch { return Options{}.check(&t, &taint) }

// Options vary the rules of matching. The zero Options are those of a Kubernetes cluster with its taint feature gates on.
// They are comparable.
type Options struct {
	// NoComparison makes [OpLt] and [OpGt] match nothing and fail validation: a cluster with the feature gate
	// TaintTolerationComparisonOperators off, which is where Kubernetes 1.36 has it unless told otherwise.
	NoComparison bool
	// KeyWildcards makes a toleration's key that ends in "*" match every key that begins with what is before the "*",
	// so "readiness.k8s.io/*" matches "readiness.k8s.io/network" and "*" matches every key. A "*" elsewhere stands for
	// itself. It is an extension, proposed as KEP-5869; no Kubernetes has it.
	KeyWildcards bool
}

// check is the plain form of the rules: whatever is compiled must agree with it.
func (o Options) check(t *Toleration, taint *Taint) Mismatch {
	if !effectMatches(t, taint) {
		return MismatchEffect
	}
	if !o.keyMatches(t, taint) {
		return MismatchKey
	}
	return o.checkValues(t, taint)
}

// next returns the index of the first toleration behind the index after that tolerates the taint under the zero Options, or
// -1. It says what check says, in the order that costs least: most tolerations are for other keys, and of those for the key
// most say Exists.
func next(tolerations []Toleration, taint *Taint, after int) int {
	for i := after + 1; i < len(tolerations); i++ {
		t := &tolerations[i]
		if t.Key != "" && t.Key != taint.Key {
			continue
		}
		if effectMatches(t, taint) && (t.Operator == OpExists || (Options{}).checkValues(t, taint) == 0) {
			return i
		}
	}
	return -1
}

func effectMatches(t *Toleration, taint *Taint) bool {
	return t.Effect == "" || t.Effect == taint.Effect
}

func (o Options) keyMatches(t *Toleration, taint *Taint) bool {
	return o.keys(t).include(keySet{key: taint.Key})
}

// checkValues is check for the operator and the values alone.
func (o Options) checkValues(t *Toleration, taint *Taint) Mismatch {
	switch t.Operator {
	case OpExists:
		return 0
	case OpEqual, "":
		if t.Value != taint.Value {
			return MismatchValue
		}
		return 0
	case OpLt, OpGt:
		if o.NoComparison {
			return MismatchNoComparison
		}
		return compareIntegers(t, taint)
	}
	return MismatchOperator
}

func compareIntegers(t *Toleration, taint *Taint) Mismatch {
	limit, ok := parseInteger(t.Value)
	if !ok {
		return MismatchNotInteger
	}
	n, ok := parseInteger(taint.Value)
	switch {
	case !ok:
		return MismatchNotInteger
	case t.Operator == OpLt && n >= limit:
		return MismatchNotLess
	case t.Operator == OpGt && n <= limit:
		return MismatchNotGreater
	}
	return 0
}

// parseInteger reads a decimal integer in canonical form within int64: "0", or digits without a leading zero and an
// optional "-" before them. Unlike strconv.ParseInt it refuses "+1", "-0" and "007", as Kubernetes does, and allocates
// nothing on failure.
func parseInteger(s string) (n int64, ok bool) {
	if s == "0" {
		return 0, true
	}
	digits, negative := strings.CutPrefix(s, "-")
	if len(digits) == 0 || len(digits) > 19 || digits[0] == '0' {
		return 0, false
	}
	var magnitude uint64 // 19 digits stay below 1<<64
	for i := range len(digits) {
		d := digits[i] - '0'
		if d > 9 {
			return 0, false
		}
		magnitude = magnitude*10 + uint64(d)
	}
	if negative {
		return -int64(magnitude), magnitude <= 1<<63
	}
	return int64(magnitude), magnitude < 1<<63
}

// A Matcher is a list of tolerations prepared for matching against many taints. It is immutable and safe for concurrent
// use. The zero Matcher, and a nil one, tolerates nothing.
type Matcher struct {
	options   Options
	rules     []rule             // a rule for each toleration, in list order
	exempt    EffectSet          // effects of which every taint is tolerated
	wildcards link               // the first rule that matches more than one key
	exact     [fingerprints]link // the first of the other rules, by fingerprint of the key
}

// A rule is a toleration and how the Matcher applies it.
type rule struct {
	Toleration       // with seconds of its own
	limit      int64 // for opLess and opGreater
	next       link  // the next rule that matches more than one key too, or whose key has the same fingerprint
	effects    EffectSet
	op         ruleOp
	wildcard   bool // matches more than one key
}

// A link leads to a rule: it is the rule's index and 1, so that 0 leads nowhere.
type link uint32

type ruleOp uint8

const (
	opNever ruleOp = iota
	opEqual
	opExists
	opLess
	opGreater
)

// fingerprint maps equal keys to equal numbers below fingerprints, and different ones mostly to different numbers. The length
// and two bytes tell the usual keys apart, whose beginnings are often alike.
func fingerprint(key string) uint8 {
	n := len(key)
	if n == 0 {
		return 0
	}
	return (uint8(n) ^ key[n-1] ^ key[n/2]<<2) % fingerprints
}

const fingerprints = 64

// Compile returns a [Matcher] for the tolerations under the zero [Options]. It copies the list, TolerationSeconds included,
// so later writes to the list do not reach the Matcher. Any list compiles, a nil or invalid one too, and the Matcher
// answers exactly as the functions of the same name that take the list.
func Compile(tolerations []Toleration) *Matcher { return Options{}.Compile(tolerations) }

// Compile is [Compile] under the options.
func (o Options) Compile(tolerations []Toleration) *Matcher {
	m := &Matcher{options: o, rules: make([]rule, len(tolerations))}
	timed := 0
	for i := len(m.rules) - 1; i >= 0; i-- { // so that rules come in list order behind a first
		r := &m.rules[i]
		r.Toleration = tolerations[i]
		if r.TolerationSeconds != nil {
			timed++
		}
		o.prepare(r)
		if r.op == opNever {
			continue
		}
		m.exempt |= r.exempts()
		first := &m.wildcards
		if !r.wildcard {
			first = &m.exact[fingerprint(r.Key)]
		}
		r.next, *first = *first, link(i+1)
	}
	m.copySeconds(timed)
	return m
}

// copySeconds gives the rules seconds of their own; so many have some.
func (m *Matcher) copySeconds(timed int) {
	seconds := make([]int64, 0, timed)
	for i := range m.rules {
		if r := &m.rules[i]; r.TolerationSeconds != nil {
			seconds = append(seconds, *r.TolerationSeconds)
			r.TolerationSeconds = &seconds[len(seconds)-1]
		}
	}
}

// prepare fills in how the rule's toleration is applied.
func (o Options) prepare(r *rule) {
	r.wildcard, r.effects = o.keys(&r.Toleration).prefix, AnyEffect
	if r.Effect != "" {
		r.effects = effectBit(r.Effect)
	}
	switch r.Operator {
	case OpExists:
		r.op = opExists
	case OpEqual, "":
		r.op = opEqual
	case OpLt, OpGt:
		limit, ok := parseInteger(r.Value)
		r.limit = limit
		switch {
		case !ok || o.NoComparison:
		case r.Operator == OpLt:
			r.op = opLess
		default:
			r.op = opGreater
		}
	}
}

// prefix returns what all keys begin with that a rule of more than one key matches.
func (r *rule) prefix() string { return strings.TrimSuffix(r.Key, "*") }

// exempts returns the effects of which the rule matches every taint.
func (r *rule) exempts() EffectSet {
	switch {
	case r.op != opExists || !r.wildcard || r.prefix() != "":
		return 0
	case r.Effect == "":
		return AnyEffect
	}
	return r.effects &^ (1 << indexOther) // one of the other effects is not all of them
}

func (r *rule) keyMatches(key string) bool {
	return r.Key == key || r.wildcard && strings.HasPrefix(key, r.prefix())
}

// effectMatches is for an effect whose bit is given too.
func (r *rule) effectMatches(effect Effect, bit EffectSet) bool {
	return r.effects&bit != 0 && (bit != 1<<indexOther || r.Effect == "" || r.Effect == effect)
}

// valueMatches is for the operators that look at the value, that is, not for opExists.
func (r *rule) valueMatches(value string) bool {
	return r.op == opEqual && r.Value == value || r.op >= opLess && r.limitMatches(value)
}

// limitMatches is for opLess and opGreater.
func (r *rule) limitMatches(value string) bool {
	n, ok := parseInteger(value)
	if r.op == opLess {
		return ok && n < r.limit
	}
	return ok && n > r.limit
}

// Match returns the index of the first toleration, in the order of the list that was compiled, that tolerates the taint,
// and whether there is one; the index is -1 where there is none, as it is for a nil taint. Nothing is allocated or retained.
func (m *Matcher) Match(taint *Taint) (toleration int, ok bool) {
	if taint == nil {
		return -1, false
	}
	i := m.next(taint, -1)
	return i, i >= 0
}

// next returns the index of the first toleration behind the index after, which must be -1 or that of one that tolerates the
// taint, that tolerates it, or -1.
func (m *Matcher) next(taint *Taint, after int) int {
	if m == nil {
		return -1
	}
	effect, exact := effectBit(taint.Effect), m.exact[fingerprint(taint.Key)]
	if m.wildcards != 0 {
		return m.merge(taint, effect, exact, after)
	}
	if after >= 0 {
		exact = m.rules[after].next
	}
	for exact != 0 {
		r := &m.rules[exact-1]
		if r.effectMatches(taint.Effect, effect) && r.Key == taint.Key && (r.op == opExists || r.valueMatches(taint.Value)) {
			return int(exact - 1)
		}
		exact = r.next
	}
	return -1
}

// merge is next where there are rules that match more than one key: it takes these and the others as the list has them.
func (m *Matcher) merge(taint *Taint, effect EffectSet, exact link, after int) int {
	wildcard := m.wildcards
	for exact != 0 || wildcard != 0 {
		first := &exact
		if exact == 0 || wildcard != 0 && wildcard < exact {
			first = &wildcard
		}
		i := int(*first - 1)
		r := &m.rules[i]
		*first = r.next
		if i > after && r.effectMatches(taint.Effect, effect) && r.keyMatches(taint.Key) && (r.op == opExists || r.valueMatches(taint.Value)) {
			return i
		}
	}
	return -1
}

// nextUntolerated returns the index, not below from, of the first taint that has an effect of the set and that no toleration
// tolerates, or -1. Without wildcards it has the loop of next in line, which takes a seventh off
// BenchmarkMatcherFindUntolerated.
func (m *Matcher) nextUntolerated(taints []Taint, in EffectSet, from int) int {
	in = m.toLookAt(in)
	if m == nil || m.wildcards != 0 {
		for i := from; i < len(taints); i++ {
			if t := &taints[i]; in.Has(t.Effect) && m.next(t, -1) < 0 {
				return i
			}
		}
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
			r := &m.rules[exact-1]
			if r.effectMatches(t.Effect, effect) && r.Key == t.Key && (r.op == opExists || r.valueMatches(t.Value)) {
				continue next
			}
			exact = r.next
		}
		return i
	}
	return -1
}

// toLookAt returns the effects of the set without those of which every taint is tolerated.
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
		list[i] = m.rules[i].Toleration
	}
	return list, m.options
}

// enumName returns names[i], or kind and the number where there is no such name.
func enumName(kind string, i int, names ...string) string {
	if i < len(names) {
		return names[i]
	}
	return kind + "(" + strconv.Itoa(i) + ")"
}
