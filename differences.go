// SPDX-License-Identifier: Apache-2.0

package taints

import "strings"

// Differences are how a toleration differs from a taint that it does not
// tolerate. Distance, mismatch, hint and words all follow from them.
type differences struct {
	key, effect, value relation
	values             Mismatch // of the operator and the values
	edits              uint8    // between the keys, where key is other
	allKeys            bool     // the toleration has no key

	// What only the words for the closest toleration need.
	ownValue      bool   // the value that is not an integer is the toleration's
	meantEffect   string // the known effect that an unknown one may stand for
	meantOperator string // the same for operators
	otherKey      string // the key that HintOtherKey found
}

// A relation says how two texts differ.
type relation uint8

const (
	same relation = iota
	otherCase
	other
)

// relate returns how two texts that are not the same differ.
func relate(a, b string) relation {
	if strings.EqualFold(a, b) {
		return otherCase
	}
	return other
}

// differences compares the toleration, which does not match, with the taint. It
// returns false if their keys are not close.
func (o Options) differences(t *Toleration, taint *Taint) (d differences, ok bool) {
	d.allKeys = t.Key == ""
	if !o.keyMatches(t, taint) {
		d.key = relate(t.Key, taint.Key)
		if d.key == other {
			d.edits = uint8(keyEdits(t.Key, taint.Key))
			if d.edits == 0 {
				return differences{}, false
			}
		}
	}
	if !effectMatches(t, taint) {
		d.effect = relate(string(t.Effect), string(taint.Effect))
	}
	d.values = o.valueMismatch(t, taint)
	if d.values == MismatchValue {
		d.value = relate(t.Value, taint.Value)
	}
	return d, true
}

// distance says how far the toleration is from the taint. Each field that
// differs adds to it: less if only letter case differs, and most if it is the
// key.
func (d *differences) distance() int {
	weights := [...]int{same: 0, otherCase: 1, other: 3}
	n := weights[d.effect] + weights[d.value]
	switch {
	case d.allKeys:
		n += 3 // not about this taint in particular
	case d.key == otherCase:
		n += 4
	default:
		n += 6 * int(d.edits)
	}
	if d.values != MismatchNone && d.values != MismatchValue {
		n += 2
	}
	return n
}

// mismatch returns the first rule that the toleration fails.
func (d *differences) mismatch() Mismatch {
	switch {
	case d.effect != same:
		return MismatchEffect
	case d.key != same:
		return MismatchKey
	}
	return d.values
}

// detail fills in what the words for the toleration need.
func (d *differences) detail(t *Toleration) {
	if !knownEffect(t.Effect) {
		d.meantEffect = meant(string(t.Effect), knownEffects)
	}
	switch d.values {
	case MismatchNotInteger:
		_, ok := parseInteger(t.Value)
		d.ownValue = !ok
	case MismatchOperator:
		d.meantOperator = meant(string(t.Operator), knownOperators)
	}
}
