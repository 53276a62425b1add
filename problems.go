// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"github.com/seed-0529bac1/taints/internal/enum"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// A problem is something that can be wrong with a field, or with a whole taint
// or toleration.
type problem uint8

const (
	noProblem problem = iota
	keyMissing
	keyMalformed
	prefixMalformed
	prefixTooLong
	nameTooLong
	valueMalformed
	valueTooLong
	valueUnwanted
	notInteger
	effectMissing
	effectUnknown
	effectToRemove
	effectWithSeconds
	operatorUnknown
	operatorUnknownOff // without the comparison operators
	operatorOff
	operatorWithoutKey
	optionsMalformed
	taintRepeated
	taintPresent
	taintOfOtherValue
	taintAbsent
	taintRemovedToo
	removalRepeated
)

// problems holds the kind of each problem, and what would be right. For an effect
// or operator, newError puts the choice in front.
var problems = [...]struct {
	kind   ErrorKind
	detail string
}{
	keyMissing: {ErrRequired, "a taint needs a key"},
	keyMalformed: {
		ErrInvalid,
		"must be a name (letters, digits, '-', '_' and '.', with a letter or digit at both ends), " +
			"optionally after a DNS subdomain and '/', as in example.com/gpu",
	},
	prefixMalformed: {
		ErrInvalid,
		"must have a DNS subdomain before the '/': lowercase letters, digits, '-' and '.', " +
			"with a letter or digit at both ends of each part",
	},
	prefixTooLong:      {ErrInvalid, "must have at most 253 characters before the '/'"},
	nameTooLong:        {ErrInvalid, "must have at most 63 characters in its name, the part after the '/' if it has one"},
	valueMalformed:     {ErrInvalid, "must be empty, or letters, digits, '-', '_' and '.', with a letter or digit at both ends"},
	valueTooLong:       {ErrInvalid, "must have at most 63 characters"},
	valueUnwanted:      {ErrInvalid, "must be empty, as the operator matches every value"},
	notInteger:         {ErrInvalid, "must be a decimal integer within int64, without leading zeros or '+'"},
	effectMissing:      {ErrRequired, ""},
	effectUnknown:      {ErrUnsupported, ""},
	effectToRemove:     {ErrUnsupported, `; a "-" at the end means removal, which is not allowed here`},
	effectWithSeconds:  {ErrInvalid, "must be NoExecute when tolerationSeconds is set"},
	operatorUnknown:    {ErrUnsupported, ""},
	operatorUnknownOff: {ErrUnsupported, ""},
	operatorOff:        {ErrUnsupported, "; the comparison operators are disabled"},
	operatorWithoutKey: {ErrInvalid, "must be Exists when the key is empty, which means all keys and values"},
	optionsMalformed: {
		ErrInvalid,
		`must be " op=OPERATOR", " for 300s" (any number of seconds), or both in this order`,
	},
	taintRepeated:     {ErrDuplicate, "a node has at most one taint with a given key and effect"},
	taintPresent:      {ErrForbidden, "the node already has this taint; overwriting would not change it"},
	taintOfOtherValue: {ErrForbidden, "the node has another value for this key and effect; overwriting would replace it"},
	taintAbsent:       {ErrNotFound, "the node has no such taint, or an earlier entry removes it"},
	taintRemovedToo:   {ErrInvalid, "it is also to be removed; to replace a taint, add it with overwrite and do not remove it"},
	removalRepeated:   {ErrDuplicate, "earlier entries remove the same taints"},
}

func newError(field, value string, p problem) *FieldError {
	what := &problems[p]
	detail := what.detail
	switch p {
	case effectMissing, effectUnknown, effectToRemove:
		detail = "must be " + enum.Join(knownEffects[:], " or ") + detail
	case operatorUnknown, operatorUnknownOff, operatorOff:
		detail = "must be " + enum.Join(valueset.Names(p == operatorUnknown), " or ") + ", or empty for " + valueset.Equal + detail
	}
	return &FieldError{Field: field, Value: value, Kind: what.kind, Detail: detail}
}

func parseError(input string, offset int, field, value string, p problem) *FieldError {
	err := newError(field, value, p)
	err.Parsed, err.Input, err.Offset = true, input, offset
	return err
}

// A validator collects the errors of the elements of a list.
type validator struct {
	list   string
	index  int // of the element at hand
	errors ErrorList
}

func (v *validator) report(field, value string, p problem) {
	err := newError(field, value, p)
	err.List, err.Index = v.list, v.index
	v.errors = append(v.errors, err)
}

// check reports the problem, if there is one.
func (v *validator) check(field, value string, p problem) {
	if p != noProblem {
		v.report(field, value, p)
	}
}
