// SPDX-License-Identifier: Apache-2.0

package explain

import "github.com/seed-0529bac1/taints/internal/enum"

// A Mismatch is a rule that keeps a toleration from tolerating a taint.
type Mismatch uint8

const (
	// MismatchNone: the toleration tolerates the taint.
	MismatchNone Mismatch = iota
	// MismatchEffect: the toleration's effect is not the taint's.
	MismatchEffect
	// MismatchKey: the toleration's key does not match the taint's.
	MismatchKey
	// MismatchValue: the operator is Equal and the values differ.
	MismatchValue
	// MismatchOperator: the operator is unknown, so it matches nothing.
	MismatchOperator
	// MismatchNoComparison: [taints.Options] disable the operator.
	MismatchNoComparison
	// MismatchThreshold: the operator compares integers, and the toleration's
	// value is not an integer in canonical form within int64.
	MismatchThreshold
	// MismatchNothing: the operator compares integers, and no int64 is less or
	// greater than the toleration's value.
	MismatchNothing
	// MismatchNotInteger: the operator compares integers, and the taint's value
	// is not an integer in canonical form within int64.
	MismatchNotInteger
	// MismatchTooLarge: the taint's value is an integer greater than those that
	// the toleration matches.
	MismatchTooLarge
	// MismatchTooSmall: the taint's value is an integer less than those that the
	// toleration matches.
	MismatchTooSmall
)

var mismatchNames = []string{
	"MismatchNone", "MismatchEffect", "MismatchKey", "MismatchValue", "MismatchOperator",
	"MismatchNoComparison", "MismatchThreshold", "MismatchNothing", "MismatchNotInteger",
	"MismatchTooLarge", "MismatchTooSmall",
}

// String returns the name of the constant, and "Mismatch(n)" for other numbers.
func (m Mismatch) String() string { return enum.String(m, "Mismatch", mismatchNames) }

// MarshalText returns what String returns. The error is always nil.
func (m Mismatch) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// A Hint is a guess at the mistake in a toleration that comes close to a taint
// but does not match it.
type Hint uint8

const (
	// HintNone: there is no guess.
	HintNone Hint = iota
	// HintLetterCase: the field differs only in letter case from the taint's or,
	// if it is an unknown effect or operator, from a known one.
	HintLetterCase
	// HintSpelling: the field may be misspelled. Two keys of at least three letters
	// are one edit apart, or two if both have at least five letters. An edit inserts,
	// deletes or replaces a letter, or swaps two neighbors; a letter is a byte. An
	// unknown effect or operator is equally close to a known one, or is its beginning,
	// of at least three letters.
	HintSpelling
	// HintEmptyValue: the operator is Equal and the value is empty, which
	// matches only an empty value.
	HintEmptyValue
	// HintOtherKey: the value differs, and another toleration with Equal names the
	// taint's value for another key. For example, the tolerations "dedicated=db" and
	// "team=ml" for the taint "dedicated=ml".
	HintOtherKey
)

var hintNames = []string{"HintNone", "HintLetterCase", "HintSpelling", "HintEmptyValue", "HintOtherKey"}

// String returns the name of the constant, and "Hint(n)" for other numbers.
func (h Hint) String() string { return enum.String(h, "Hint", hintNames) }

// MarshalText returns what String returns. The error is always nil.
func (h Hint) MarshalText() ([]byte, error) { return []byte(h.String()), nil }
