// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"strings"

	"github.com/seed-0529bac1/taints/internal/enum"
)

// A Hint is a guess at the mistake in a toleration that comes close to a taint
// but does not match it.
type Hint uint8

const (
	// HintNone: there is no guess.
	HintNone Hint = iota
	// HintLetterCase: the field that [Reason.Mismatch] is about differs only in
	// letter case from the taint's or, if it is an unknown effect or operator,
	// from a known one.
	HintLetterCase
	// HintSpelling: the field that Mismatch is about may be misspelled. A key is
	// one edit from the taint's, or two if both have at least five letters; keys
	// of fewer than three letters are not compared. An edit inserts, deletes or
	// replaces a letter, which means a byte, or swaps two neighbors. An unknown
	// effect or operator is as close to a known one, or is its beginning and has
	// at least three letters.
	HintSpelling
	// HintEmptyValue: the operator is Equal and the value is empty, which
	// matches only an empty value.
	HintEmptyValue
	// HintOtherKey: the value differs, and another toleration has the taint's
	// value with Equal and another key, as "dedicated=db" and "team=ml" do for
	// the taint "dedicated=ml".
	HintOtherKey
)

var hintNames = []string{
	"HintNone", "HintLetterCase", "HintSpelling", "HintEmptyValue", "HintOtherKey",
}

// String returns the name of the constant, and "Hint(n)" for other numbers.
func (h Hint) String() string { return enum.Name("Hint", int(h), hintNames) }

// MarshalText returns what String returns. The error is always nil.
func (h Hint) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText parses the name of a constant. The error is a [*ParseError],
// and h is then unchanged.
func (h *Hint) UnmarshalText(text []byte) error {
	return unmarshalName(h, "Hint", hintNames, text)
}

// hint guesses at the mistake in the field that Mismatch is about.
func (r *Reason) hint() Hint {
	switch r.Mismatch {
	case MismatchEffect:
		if r.differ.effect == otherCase {
			return HintLetterCase
		}
		return hintOfMeaning(string(r.Closest.Effect), r.differ.meantEffect)
	case MismatchKey:
		if r.differ.key == otherCase {
			return HintLetterCase
		}
		return HintSpelling
	case MismatchValue:
		switch {
		case r.Closest.Value == "":
			return HintEmptyValue
		case r.differ.value == otherCase:
			return HintLetterCase
		}
	case MismatchOperator:
		return hintOfMeaning(string(r.Closest.Operator), r.differ.meantOperator)
	}
	return HintNone
}

// hintOfMeaning returns the hint for a word that Kubernetes does not know, given
// the known word that may be meant, if any.
func hintOfMeaning(word, meant string) Hint {
	switch {
	case meant == "":
		return HintNone
	case strings.EqualFold(word, meant):
		return HintLetterCase
	}
	return HintSpelling
}

// otherKey returns the key of the first toleration with the taint's value, which
// must not be empty, and a key that is not the taint's.
func (o Options) otherKey(taint *Taint, tolerations []Toleration) (key string, ok bool) {
	for i := range tolerations {
		t := &tolerations[i]
		sameValue := t.Value == taint.Value && t.Value != "" && t.operator() == OpEqual
		if sameValue && !o.keyMatches(t, taint) {
			return t.Key, true
		}
	}
	return "", false
}
