package taints

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// An Operator says how a toleration's value relates to a taint's. The empty operator means [OpEqual]. An operator that is
// none of the four is carried and printed like the rest, matches nothing, and is refused by validation.
type Operator string

const (
	// OpEqual tolerates a taint of the same value. An empty value is a value like others: it tolerates only taints
	// without one. Some vendors' documentation says that it tolerates all; it does not, in Kubernetes or here. Use
	// [OpExists] for that.
	OpEqual Operator = "Equal"
	// OpExists tolerates a taint of any value.
	OpExists Operator = "Exists"
	// OpLt tolerates a taint whose value is an integer less than the toleration's. A valid taint has no negative value, for
	// values begin with a letter or digit; a toleration's threshold may be negative.
	OpLt Operator = "Lt"
	// OpGt tolerates a taint whose value is an integer greater than the toleration's; see [OpLt].
	OpGt Operator = "Gt"
)

// A Toleration lets its pod onto nodes with the taints that it matches; [Toleration.Tolerates] has the rules. Fields,
// their order and their JSON are those of k8s.io/api/core/v1.Toleration, so a value decodes from and encodes to a
// Kubernetes object unchanged.
//
// The zero Toleration is invalid (an empty key wants [OpExists]) and tolerates exactly the taints without a value. Fields
// hold what they were given; nothing is normalised. A Toleration is not comparable with == in a useful way, because of
// TolerationSeconds: see [Toleration.Equal].
type Toleration struct {
	// Key is the key of the taints to tolerate; empty, with [OpExists], for all keys.
	Key string `json:"key,omitempty"`
	// Operator relates Value to the taint's value; empty means [OpEqual].
	Operator Operator `json:"operator,omitempty"`
	// Value is compared with the taint's value as Operator says. [OpExists] does not look at it.
	Value string `json:"value,omitempty"`
	// Effect is the effect of the taints to tolerate; empty for all effects.
	Effect Effect `json:"effect,omitempty"`
	// TolerationSeconds is how long a running pod stays after a NoExecute taint came; nil is for ever, zero and less is
	// not at all. Only eviction looks at it, never matching.
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

// Equal reports whether the two tolerations mean the same: equal key, value and effect, equal operators where the empty
// one is [OpEqual], and seconds that are both unset or the same number.
func (t Toleration) Equal(u Toleration) bool {
	if t.Key != u.Key || t.Value != u.Value || t.Effect != u.Effect || t.operator() != u.operator() {
		return false
	}
	if t.TolerationSeconds == nil || u.TolerationSeconds == nil {
		return t.TolerationSeconds == u.TolerationSeconds
	}
	return *t.TolerationSeconds == *u.TolerationSeconds
}

// operator returns the toleration's operator, with the empty one spelled out.
func (t *Toleration) operator() Operator {
	if t.Operator == "" {
		return OpEqual
	}
	return t.Operator
}

// clone returns the toleration with seconds of its own.
func (t Toleration) clone() Toleration {
	if t.TolerationSeconds != nil {
		seconds := *t.TolerationSeconds
		t.TolerationSeconds = &seconds
	}
	return t
}

// String returns the toleration as "kubectl describe pod" prints it: "key=value:Effect op=Exists for 300s", each part
// only where it is set, the operator only where it is not Equal, and "op=Exists" for the toleration of everything.
// Operators that kubectl leaves out (Lt, Gt, unknown ones, and an invalid Exists with a value) are shown too. Any
// toleration prints; a valid one is read back by [ParseToleration] as an equal one.
func (t Toleration) String() string {
	var buf [128]byte
	return string(t.AppendTo(buf[:0]))
}

// AppendTo appends the text that [Toleration.String] returns to b and returns the longer slice. It allocates only if b is
// too small.
func (t Toleration) AppendTo(b []byte) []byte {
	start := len(b)
	b = appendKeyValue(b, t.Key, t.Value)
	if t.Effect != "" {
		b = append(b, ':')
		b = append(b, t.Effect...)
	}
	switch op := t.operator(); {
	case op == OpExists && len(b) == start:
		b = append(b, everything...)
	case op != OpEqual || string(b[start:]) == everything:
		b = append(b, " op="...)
		b = append(b, op...)
	}
	if t.TolerationSeconds != nil {
		b = append(b, " for "...)
		b = strconv.AppendInt(b, *t.TolerationSeconds, 10)
		b = append(b, 's')
	}
	return b
}

// everything is how kubectl prints the toleration of everything. A toleration of the key "op" with the value "Exists" would
// read the same, so that one is written and read with its operator spelled out.
const everything = "op=Exists"

// ParseToleration reads the form that [Toleration.String] writes: "key[=value][:Effect][ op=OPERATOR][ for SECONDSs]",
// with one space before each of the last two parts, and "op=Exists" for the toleration of everything. The toleration
// it returns is valid and keeps parts of s; without an operator in the text its operator is empty, which means
// [OpEqual]. Text that names no valid toleration is refused.
//
// On failure the toleration is zero and the error a [*ParseError] with the place of the first fault, which wraps a
// [*FieldError]. Success allocates only the seconds.
func ParseToleration(s string) (Toleration, error) {
	var t Toleration
	head, options, more := cut(s, ' ')
	if head == everything && !strings.HasPrefix(options, "op=") {
		t.Operator = OpExists
	} else {
		keyValue, effect, found := cut(head, ':')
		if found && effect == "" {
			return Toleration{}, parseFault("toleration", s, len(head), "effect", "", effectMissing)
		}
		t.Key, t.Value, _ = cut(keyValue, '=')
		t.Effect = Effect(effect)
	}
	if more {
		if err := t.parseOptions(s, len(head)+1); err != nil {
			return Toleration{}, err
		}
	}
	if err := t.Validate(); err != nil {
		first := err.(*ValidationError).Fields[0]
		return Toleration{}, &ParseError{Kind: "toleration", Input: s, Offset: t.offset(s, first.Field), Err: first}
	}
	return t, nil
}

// parseOptions reads what follows the first space of a toleration's text, "op=OPERATOR", "for SECONDSs" or both, from the
// offset at.
func (t *Toleration) parseOptions(s string, at int) error {
	rest := s[at:]
	if op, ok := strings.CutPrefix(rest, "op="); ok && t.Operator == "" {
		op, rest, ok = cut(op, ' ')
		t.Operator = Operator(op)
		if t.operator() != t.Operator {
			return parseFault("toleration", s, at+len("op="), "operator", op, operatorUnknown)
		}
		if !ok {
			return nil
		}
		at = len(s) - len(rest)
	}
	digits, isFor := strings.CutPrefix(rest, "for ")
	digits, isSeconds := strings.CutSuffix(digits, "s")
	if !isFor || !isSeconds || strings.Contains(digits, " ") {
		return parseFault("toleration", s, at, "", rest, optionsMalformed)
	}
	seconds, ok := parseInteger(digits)
	if !ok {
		return parseFault("toleration", s, at+len("for "), "tolerationSeconds", digits, notInteger)
	}
	t.TolerationSeconds = &seconds
	return nil
}

// offset returns where in s, the text of t, the field is, or would be.
func (t *Toleration) offset(s, field string) int {
	switch field {
	case "value":
		if t.Value == "" {
			return len(t.Key)
		}
		return len(t.Key) + 1
	case "effect":
		head, _, _ := cut(s, ' ')
		if t.Effect == "" {
			return len(head)
		}
		return strings.IndexByte(head, ':') + 1
	case "operator":
		if t.Operator != "" {
			return strings.LastIndex(s, "op=") + len("op=")
		}
	}
	return 0
}

// MustParseToleration is like [ParseToleration] and panics where that returns an error. It is meant for tests and for
// values known at compile time.
func MustParseToleration(s string) Toleration {
	t, err := ParseToleration(s)
	if err != nil {
		panic(err)
	}
	return t
}

// Covers reports whether every taint that u tolerates, t tolerates at least as long. It is exact: where it is false, there
// is a taint, perhaps an invalid one, that u tolerates and t does not, or not as long.
//
//   - Effects: t has none, or the same as u.
//   - Keys: t has none, or the same as u.
//   - Values: Exists covers all, Equal the same value, and Lt and Gt the integers within: "Gt 5" covers "Gt 7" and
//     "Equal 9". The other way round Equal covers Lt or Gt where one integer is left, the first or the last of int64.
//   - Seconds count where u may tolerate a NoExecute taint, with that effect or none: none set is for ever, which is more
//     than any number, and zero and less are all the same.
//
// A toleration that tolerates nothing at all (an unknown operator, a threshold that is no integer, less than the least
// or greater than the greatest int64) is covered by every other. Nothing is allocated or retained.
//
// Kubernetes has isSuperset in pkg/util/tolerations, and says the same of tolerations that are valid, have their operator
// spelled out as Equal or Exists and no negative seconds. Of others it does not see that an empty operator is Equal, that
// Lt and Gt cover anything but themselves, or that zero and negative seconds are one.
func (t Toleration) Covers(u Toleration) bool { return Options{}.covers(&t, &u) }

// Covers is [Toleration.Covers] under the options: it reports whether t covers u. NoComparison leaves nothing for Lt and Gt
// to tolerate, so that every toleration covers them; with KeyWildcards "a/*" covers "a/b", "a/b*" and itself, and "*" and
// the empty key cover every key.
func (o Options) Covers(t, u Toleration) bool { return o.covers(&t, &u) }

func (o Options) covers(t, u *Toleration) bool {
	if o.values(u).empty() {
		return true
	}
	return o.includes(t, u) && !(timed(u) && outlasts(u.TolerationSeconds, t.TolerationSeconds))
}

// Allowed returns the index of the first of the tolerations that no entry of the allow-list covers ([Toleration.Covers]), so
// that it tolerates more, or for longer, than any entry; the index is -1, and allowed true, where there is none. An entry
// with seconds allows up to so many. Nothing is allocated or retained.
//
// It is the whitelist of the PodTolerationRestriction admission plugin, but that an empty allow-list allows nothing. There, an
// empty whitelist, in the namespace's annotation too, is none at all and allows everything (VerifyAgainstWhitelist); a
// caller who means that does not ask. The plugin looks at the list after it merged what it adds: see [Merge].
func Allowed(tols, allow []Toleration) (forbidden int, allowed bool) {
	return Options{}.Allowed(tols, allow)
}

// Allowed is the function [Allowed] under the options, see [Options.Covers].
func (o Options) Allowed(tols, allow []Toleration) (forbidden int, allowed bool) {
	for i := range tols {
		if !o.coveredIn(allow, &tols[i]) {
			return i, false
		}
	}
	return -1, true
}

// coveredIn reports whether one of the tolerations in the list covers u.
func (o Options) coveredIn(list []Toleration, u *Toleration) bool {
	for i := range list {
		if o.covers(&list[i], u) {
			return true
		}
	}
	return false
}

// Merge adds to base, in order, those of extra that add something: one is left out when it tolerates nothing, or an earlier
// entry of the result tolerates every taint that it tolerates, however long. What base has stays as it is, so for every taint
// the first match of the result is that of base, and otherwise that of extra, and seconds that base sets are never made
// longer. Tolerations of one key and different values are all kept. [Minimize] drops what is superfluous in base.
//
// It gives a pod the defaults of its namespace, as the PodTolerationRestriction admission plugin does, or of anything else.
// The plugin's MergeTolerations also drops from base what others cover, so that for a taint that two entries match another
// one may come first. It finds less that is covered, see [Toleration.Covers], and may write to the array behind base.
//
// Like the Add functions ([AddDefaults]) it returns base itself when nothing is added, and otherwise a new list, and never
// writes to the array behind base; the TolerationSeconds of base are carried over, those of extra copied. Merging twice adds
// nothing. It allocates the list once, and the seconds. Any lists are accepted, nil too; what is invalid in extra may
// tolerate nothing and so be left out, so see [ValidateTolerations] first.
func Merge(base, extra []Toleration) []Toleration { return Options{}.Merge(base, extra) }

// Merge is the function [Merge] under the options, see [Options.Covers].
func (o Options) Merge(base, extra []Toleration) []Toleration {
	merged := base
	for i := range extra {
		if o.values(&extra[i]).empty() || o.shadow(merged, &extra[i]) >= 0 {
			continue
		}
		if len(merged) == len(base) {
			merged = slices.Grow(slices.Clip(base), len(extra)-i)
		}
		merged = append(merged, extra[i].clone())
	}
	return merged
}

// Minimize returns the list without entries that make no difference: with what is left, the first match of every taint
// tolerates it for as long as before. An entry goes
//
//   - when it tolerates nothing,
//   - when an earlier one tolerates every taint that it tolerates, so that it never comes first, whatever its seconds are,
//   - when a later one tolerates every taint that it tolerates, for the same time, and no entry that is left between the
//     two tolerates one of these NoExecute taints for another time.
//
// What only several entries together make superfluous stays. Order is kept, and minimizing twice drops nothing more. Where
// other than the first match counts ([LongestMatch], [ShortestMatch]) deadlines may change, but what is tolerated does not.
//
// It returns tols itself when nothing is dropped, and otherwise a new list with seconds of its own, nil if it is empty. Any
// list is accepted, nil too. The time it takes grows with the square of the length. An API server refuses that an existing
// pod loses tolerations ([ValidateTolerationsUpdate]), so minimize before the pod is created.
func Minimize(tols []Toleration) []Toleration { return Options{}.Minimize(tols) }

// Minimize is the function [Minimize] under the options, see [Options.Covers].
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

// superseded returns for each of the tolerations the index of the one that makes it superfluous, its own if it tolerates
// nothing, and -1 if it stays. What makes others superfluous may itself be so, but never in a circle.
func (o Options) superseded(tols []Toleration) []int {
	by := make([]int, len(tols))
	for i := range tols {
		by[i] = i
		if !o.values(&tols[i]).empty() {
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

// shadow returns the index of the first of the earlier tolerations that tolerates every taint that t, which tolerates
// something, tolerates, however long, and -1 if there is none.
func (o Options) shadow(earlier []Toleration, t *Toleration) int {
	for i := range earlier {
		if o.includes(&earlier[i], t) {
			return i
		}
	}
	return -1
}

// repeat returns the index of a later toleration that stays and tolerates every taint that tols[i] tolerates, for the same
// time, as do those between the two as far as they tolerate one. It returns -1 if there is none.
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

// includes reports whether t tolerates every taint that u, which tolerates something, tolerates, however long.
func (o Options) includes(t, u *Toleration) bool {
	return (t.Effect == "" || t.Effect == u.Effect) && o.keys(t).include(o.keys(u)) && o.values(t).include(o.values(u))
}

// meet reports whether there are a key and a value that t and u, which tolerate something, both tolerate.
func (o Options) meet(t, u *Toleration) bool {
	keys, others := o.keys(t), o.keys(u)
	return (keys.include(others) || others.include(keys)) && o.values(t).meet(o.values(u))
}

// timed reports whether the toleration may tolerate a NoExecute taint, so that its seconds count.
func timed(t *Toleration) bool { return t.Effect == "" || t.Effect == NoExecute }

// sameTime reports whether both tolerate a NoExecute taint equally long.
func sameTime(t, u *Toleration) bool {
	return !outlasts(t.TolerationSeconds, u.TolerationSeconds) && !outlasts(u.TolerationSeconds, t.TolerationSeconds)
}

// A keySet is the keys that a toleration tolerates: those that begin with key, or that one alone.
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

// A valueSet is the values that a toleration tolerates: all, or one that is no integer, or the integers from least to
// most, which are none if least is greater.
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
	none := valueSet{kind: integers, least: 1}
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
	return none
}

func (s valueSet) empty() bool { return s.kind == integers && s.least > s.most }

// include reports whether the set has all values of u, which is not empty.
func (s valueSet) include(u valueSet) bool {
	if s.kind == allValues || s.kind != u.kind {
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
