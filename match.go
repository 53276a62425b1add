// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"strings"

	"github.com/seed-0529bac1/taints/internal/enum"
)

// A Mismatch is the first rule that keeps a toleration from tolerating a taint.
type Mismatch uint8

const (
	// MismatchNone: the toleration tolerates the taint.
	MismatchNone Mismatch = iota
	// MismatchEffect: the toleration has an effect that is not the taint's.
	MismatchEffect
	// MismatchKey: the toleration has a key that is not the taint's.
	MismatchKey
	// MismatchValue: the operator is Equal and the values differ.
	MismatchValue
	// MismatchOperator: the operator is unknown, so it matches nothing.
	MismatchOperator
	// MismatchNoComparison: the operator is Lt or Gt, which [Options] turn off.
	MismatchNoComparison
	// MismatchNotInteger: the operator is Lt or Gt, and one of the values is
	// not an integer in canonical form within int64.
	MismatchNotInteger
	// MismatchNotLess: the operator is Lt, and the taint's value is not less
	// than the toleration's.
	MismatchNotLess
	// MismatchNotGreater: the operator is Gt, and the taint's value is not
	// greater than the toleration's.
	MismatchNotGreater
)

var mismatchNames = []string{
	"MismatchNone", "MismatchEffect", "MismatchKey", "MismatchValue", "MismatchOperator",
	"MismatchNoComparison", "MismatchNotInteger", "MismatchNotLess", "MismatchNotGreater",
}

// String returns the name of the constant, and "Mismatch(n)" for other numbers.
func (m Mismatch) String() string { return enum.Name("Mismatch", int(m), mismatchNames) }

// MarshalText returns what String returns. The error is always nil.
func (m Mismatch) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText parses the name of a constant. The error is a [*ParseError],
// and m is then unchanged.
func (m *Mismatch) UnmarshalText(text []byte) error {
	return unmarshalName(m, "Mismatch", mismatchNames, text)
}

// Why returns the mismatch in words, as in "the value differs". It returns "" for
// MismatchNone, and "mismatch(n)" for other numbers.
func (m Mismatch) Why() string {
	return enum.Name("mismatch", int(m), []string{
		MismatchNone:         "",
		MismatchEffect:       "the effect differs",
		MismatchKey:          "the key differs",
		MismatchValue:        "the value differs",
		MismatchOperator:     "the operator is unknown",
		MismatchNoComparison: "Lt and Gt are switched off",
		MismatchNotInteger:   "a value is not an integer",
		MismatchNotLess:      "the taint's value is not less",
		MismatchNotGreater:   "the taint's value is not greater",
	})
}

// Options change the rules of matching. The zero Options are the rules of the
// newest Kubernetes with its taint feature gates on. A default cluster has these
// off, which is Options{NoComparison: true}.
type Options struct {
	// NoComparison makes [OpLt] and [OpGt] match nothing, and validation refuse
	// them, as in a cluster whose feature gate
	// TaintTolerationComparisonOperators is off, which is its default so far.
	NoComparison bool `json:"noComparison,omitempty"`
	// KeyWildcards makes a toleration key that ends in "*" match all keys that
	// begin with what precedes the "*": "readiness.k8s.io/*" matches
	// "readiness.k8s.io/network", and "*" matches every key. A "*" elsewhere is
	// an ordinary character. This is an extension, proposed for Kubernetes as
	// KEP-5869.
	KeyWildcards bool `json:"keyWildcards,omitempty"`
}

// Tolerates reports whether the toleration lets its pod onto a node with the
// taint (ToleratesTaint in Kubernetes, with comparison operators on). It does if
//
//  1. its effect is empty or equal to the taint's, and
//  2. its key is empty or equal to the taint's, and
//  3. its operator is [OpExists]; or [OpEqual], or empty, and the values are
//     equal; or [OpLt] or [OpGt], both values are integers, and the taint's is
//     less or greater than the toleration's.
//
// An integer is decimal, in canonical form ("0", or digits without a leading zero
// after an optional "-"), and within int64. Strings are compared byte by byte.
//
// An unknown operator matches nothing, and an unknown effect matches itself. The
// zero Toleration matches the taints without a value, as an empty key requires
// OpExists only in validation.
func (t Toleration) Tolerates(taint Taint) bool {
	return Options{}.mismatch(&t, &taint) == MismatchNone
}

// Tolerates is like [Toleration.Tolerates] under the options.
func (o Options) Tolerates(t Toleration, taint Taint) bool {
	return o.mismatch(&t, &taint) == MismatchNone
}

// Mismatch returns the first rule that keeps the toleration from tolerating the
// taint, in the order effect, key, operator and values. It returns [MismatchNone]
// if the toleration tolerates the taint.
func (t Toleration) Mismatch(taint Taint) Mismatch { return Options{}.mismatch(&t, &taint) }

// Mismatch is like [Toleration.Mismatch] under the options.
func (o Options) Mismatch(t Toleration, taint Taint) Mismatch { return o.mismatch(&t, &taint) }

// Match returns the index of the first toleration that tolerates the taint, and
// whether there is one (TolerationsTolerateTaint in Kubernetes).
func Match(taint Taint, tolerations []Toleration) (toleration int, ok bool) {
	return Options{}.Match(taint, tolerations)
}

// Match is like the function [Match] under the options.
func (o Options) Match(taint Taint, tolerations []Toleration) (toleration int, ok bool) {
	i := o.next(tolerations, &taint, -1)
	return i, i >= 0
}

// mismatch is the plain form of the rules, with which all other forms agree.
func (o Options) mismatch(t *Toleration, taint *Taint) Mismatch {
	if !effectMatches(t, taint) {
		return MismatchEffect
	}
	if !o.keyMatches(t, taint) {
		return MismatchKey
	}
	return o.valueMismatch(t, taint)
}

// next returns the index of the first toleration after the given index that
// tolerates the taint, or -1. Most tolerations have another key, and most of
// those with the key have Exists, so it checks in this order.
func (o Options) next(tolerations []Toleration, taint *Taint, after int) int {
	key := taint.Key
	for i := after + 1; i < len(tolerations); i++ {
		t := &tolerations[i]
		if len(t.Key) != len(key) && t.Key != "" && !o.KeyWildcards {
			continue // most of them
		}
		if o.keyMatches(t, taint) && effectMatches(t, taint) &&
			(t.Operator == OpExists || o.valueMismatch(t, taint) == MismatchNone) {
			return i
		}
	}
	return -1
}

func effectMatches(t *Toleration, taint *Taint) bool {
	return t.Effect == "" || t.Effect == taint.Effect
}

func (o Options) keyMatches(t *Toleration, taint *Taint) bool {
	if t.Key == taint.Key || t.Key == "" {
		return true
	}
	return o.KeyWildcards && o.keys(t).include(keySet{key: taint.Key})
}

// valueMismatch is like mismatch for the operator and the values only.
func (o Options) valueMismatch(t *Toleration, taint *Taint) Mismatch {
	switch t.Operator {
	case OpExists:
		return MismatchNone
	case OpEqual, "":
		if t.Value != taint.Value {
			return MismatchValue
		}
		return MismatchNone
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
	return MismatchNone
}

// parseInteger parses a decimal integer in canonical form within int64. Unlike
// strconv.ParseInt it refuses "+1", "-0" and "007", as Kubernetes does, and does
// not allocate if it fails.
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
