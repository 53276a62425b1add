// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"math"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/known"
	"github.com/seed-0529bac1/taints/internal/similar"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// closest returns the index of the toleration that differs least from the
// taint, if no toleration tolerates it. It returns false if none comes close.
func (x *explainer) closest(taint *taints.Taint) (toleration int, ok bool) {
	least := math.MaxInt
	for i := range min(len(x.tolerations), searched) {
		if d, close := x.distance(&x.tolerations[i], taint); close && d < least {
			toleration, least, ok = i, d, true
		}
	}
	return toleration, ok
}

// distance returns how far the toleration is from the taint. Each field that
// differs adds to the distance: less if only letter case differs, and most for
// the key. It returns false if the keys are not close.
func (x *explainer) distance(t *taints.Toleration, taint *taints.Taint) (distance int, close bool) {
	switch {
	case t.Key == "":
		distance += 3 // not about this taint in particular
	case x.keyMatches(t, taint):
	case strings.EqualFold(t.Key, taint.Key):
		distance += 4
	default:
		edits := similar.Edits(t.Key, taint.Key)
		if edits == 0 {
			return 0, false
		}
		distance += 6 * edits
	}
	if !effectMatches(t, taint) {
		distance += textDistance(string(t.Effect), string(taint.Effect))
	}
	switch x.valueMismatch(t, taint) {
	case MismatchNone:
	case MismatchValue:
		distance += textDistance(t.Value, taint.Value)
	default:
		distance += 2
	}
	return distance, true
}

// textDistance returns the distance between two different effects or values.
func textDistance(a, b string) int {
	if strings.EqualFold(a, b) {
		return 1
	}
	return 3
}

// differences returns the differences between the taint and a toleration that
// comes close but does not tolerate it.
func (x *explainer) differences(t *taints.Toleration, taint *taints.Taint) []Difference {
	var list []Difference
	if !effectMatches(t, taint) {
		list = append(list, effectDifference(string(t.Effect), string(taint.Effect)))
	}
	if !x.keyMatches(t, taint) {
		list = append(list, Difference{MismatchKey, hintFor(t.Key, taint.Key, HintSpelling), ""})
	}
	if d, differs := x.valueDifference(t, taint); differs {
		if d.Mismatch == MismatchValue && d.Hint == HintNone && len(list) == 0 {
			d = x.otherKey(d, taint)
		}
		list = append(list, d)
	}
	return list
}

func effectMatches(t *taints.Toleration, taint *taints.Taint) bool {
	return taints.Toleration{Effect: t.Effect}.Tolerates(taints.Taint{Effect: taint.Effect})
}

func (x *explainer) keyMatches(t *taints.Toleration, taint *taints.Taint) bool {
	return valueset.KeysOf(t.Key, x.options.KeyWildcards).Contains(taint.Key)
}

// hintFor returns HintLetterCase if the texts differ only in letter case.
// Otherwise it returns the other hint.
func hintFor(a, b string, otherwise Hint) Hint {
	if strings.EqualFold(a, b) {
		return HintLetterCase
	}
	return otherwise
}

// effectDifference returns the difference between two effects.
func effectDifference(effect, wanted string) Difference {
	d := Difference{Mismatch: MismatchEffect, Hint: hintFor(effect, wanted, HintNone)}
	if !known.IsEffect(taints.Effect(effect)) {
		d = d.meaning(effect, known.Effects())
	}
	return d
}

// meaning returns the difference with the known word that the unknown word may
// mean, if there is one.
func (d Difference) meaning(unknown string, words []string) Difference {
	if meant := similar.Meant(unknown, words); meant != "" {
		d.Meant, d.Hint = meant, hintFor(unknown, meant, HintSpelling)
	}
	return d
}

// valueMismatch returns the first rule about the operator and the values that the
// toleration fails.
func (x *explainer) valueMismatch(t *taints.Toleration, taint *taints.Taint) Mismatch {
	op := valueset.Find(string(t.Operator))
	if op == nil {
		return MismatchOperator
	}
	if op.Comparison && x.options.NoComparison {
		return MismatchNoComparison
	}
	values := valueset.Of(string(t.Operator), t.Value, true)
	if values.Contains(taint.Value) {
		return MismatchNone
	}
	switch values.Kind {
	case valueset.None:
		if _, ok := valueset.ParseInteger(t.Value); ok {
			return MismatchNothing
		}
		return MismatchThreshold
	case valueset.Integers:
		n, ok := valueset.ParseInteger(taint.Value)
		switch {
		case !ok:
			return MismatchNotInteger
		case n > values.Most:
			return MismatchTooLarge
		}
		return MismatchTooSmall
	}
	return MismatchValue
}

// valueDifference returns the difference between the values, and whether there is
// one.
func (x *explainer) valueDifference(t *taints.Toleration, taint *taints.Taint) (d Difference, differs bool) {
	d.Mismatch = x.valueMismatch(t, taint)
	switch {
	case d.Mismatch == MismatchOperator:
		d = d.meaning(string(t.Operator), valueset.Names(true))
	case d.Mismatch != MismatchValue:
	case t.Value == "":
		d.Hint = HintEmptyValue
	default:
		d.Hint = hintFor(t.Value, taint.Value, HintNone)
	}
	return d, d.Mismatch != MismatchNone
}

// otherKey returns the difference with the key of the first toleration of another key
// and the taint's value, unless that value is empty.
func (x *explainer) otherKey(d Difference, taint *taints.Taint) Difference {
	for i := range min(len(x.tolerations), searched) {
		t := &x.tolerations[i]
		values := valueset.Of(string(t.Operator), t.Value, true)
		if taint.Value != "" && values.Text == taint.Value && !x.keyMatches(t, taint) {
			d.Hint, d.Meant = HintOtherKey, t.Key
			return d
		}
	}
	return d
}
