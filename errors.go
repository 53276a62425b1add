// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints/internal/valueset"
	"github.com/seed-0529bac1/taints/internal/words"
)

// An ErrorKind classifies a [FieldError], like the types of field.Error in
// Kubernetes; use it with [errors.Is].
type ErrorKind string

const (
	ErrRequired     ErrorKind = "required"      // the field must be set
	ErrInvalid      ErrorKind = "invalid"       // it is malformed or too long, or contradicts another
	ErrNotSupported ErrorKind = "not supported" // the effect, the operator or the name is unknown
	ErrDuplicate    ErrorKind = "duplicate"     // an earlier entry names the same taint, or the same taints
	ErrForbidden    ErrorKind = "forbidden"     // the change or the toleration is not allowed
	ErrNotFound     ErrorKind = "not found"     // no taint of the node is identified by the entry
)

// Error returns the text of the kind.
func (k ErrorKind) Error() string { return string(k) }

// A FieldError is one error in a taint, toleration, change or text. Its words may
// change in a minor release.
type FieldError struct {
	List  string `json:"list,omitempty"`  // the name of the list, such as "taints", or empty for a single value
	Index int    `json:"index"`           // in the list, if there is one
	Field string `json:"field,omitempty"` // its JSON name, such as "key", or empty for all fields
	// Value is the field's value. If Field is empty, it is the printed taint, toleration
	// or identity, or the part of a text that is wrong.
	Value  string    `json:"value,omitempty"`
	Kind   ErrorKind `json:"kind,omitempty"`
	Detail string    `json:"detail,omitempty"` // what is allowed
	Parsed bool      `json:"parsed,omitempty"` // whether the error was found in a text
	Input  string    `json:"input,omitempty"`  // the text, for a list the text of the element
	Offset int       `json:"offset,omitempty"` // in bytes, where the wrong part of Input is, or is missing
}

// Error returns the error in one line: where it is, what was found, its kind, and
// what is allowed. Values are quoted, and shortened if they are long.
func (e *FieldError) Error() string {
	if e == nil {
		return "<nil>"
	}
	b := make([]byte, 0, 160)
	if e.Parsed {
		b = append(b, "parse "...)
		b = words.AppendQuoted(b, e.Input)
		b = append(b, " at offset "...)
		b = strconv.AppendInt(b, int64(e.Offset), 10)
		b = append(b, ": "...)
	}
	b = e.appendKind(b)
	if e.Detail != "" {
		b = append(b, ": "...)
		b = append(b, e.Detail...)
	}
	return string(b)
}

// appendKind appends where the error is, what was found, and its kind.
func (e *FieldError) appendKind(b []byte) []byte {
	path := e.Path()
	b = append(b, path...)
	if e.Kind == ErrRequired {
		if path != "" {
			b = append(b, " is "...)
		}
		return append(b, e.Kind...)
	}
	if path != "" {
		b = append(b, ": "...)
	}
	b = words.AppendQuoted(b, e.Value)
	switch e.Kind {
	case "":
		return append(b, " is wrong"...)
	case ErrNotFound:
		return append(b, " not found"...)
	case ErrDuplicate:
		return append(b, " is a duplicate"...)
	}
	b = append(b, " is "...)
	return append(b, e.Kind...)
}

// Path returns where the error is, as in "taints[2].key" or "key". It is empty if
// List and Field are.
func (e *FieldError) Path() string {
	if e == nil {
		return ""
	}
	if e.List == "" {
		return e.Field
	}
	path := e.List + "[" + strconv.Itoa(e.Index) + "]"
	if e.Field == "" {
		return path
	}
	return path + "." + e.Field
}

// Unwrap returns Kind, or nil if that is empty.
func (e *FieldError) Unwrap() error {
	if e == nil || e.Kind == "" {
		return nil
	}
	return e.Kind
}

// An ErrorList is a list of errors. Get it from an error with [errors.As]. Errors are
// in input order; parsers report one error for each text.
type ErrorList []*FieldError

// Err returns l as an error, or nil if l is empty.
func (l ErrorList) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// Error returns the first few errors joined by "; ", and the number of the others,
// as in "… (and 12 more errors)".
func (l ErrorList) Error() string {
	const limit = 5
	if len(l) == 0 {
		return "no errors"
	}
	var texts []string
	for _, e := range l[:min(len(l), limit)] {
		texts = append(texts, e.Error())
	}
	text := strings.Join(texts, "; ")
	switch more := len(l) - limit; {
	case more == 1:
		text += " (and 1 more error)"
	case more > 1:
		text += " (and " + strconv.Itoa(more) + " more errors)"
	}
	return text
}

// Unwrap returns the errors that are not nil, for [errors.Is] and [errors.As].
func (l ErrorList) Unwrap() []error {
	errs := make([]error, 0, len(l))
	for _, e := range l {
		if e != nil {
			errs = append(errs, e)
		}
	}
	return errs
}

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
	effectOfSet
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

// problems holds the kind and the detail of each problem. For an effect
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
	effectUnknown:      {ErrNotSupported, ""},
	effectToRemove:     {ErrNotSupported, `; a "-" at the end means removal, which is not allowed here`},
	effectOfSet:        {ErrNotSupported, `, "other" for unknown ones, "all" or "none"; "|" joins names`},
	effectWithSeconds:  {ErrInvalid, "must be NoExecute when tolerationSeconds is set"},
	operatorUnknown:    {ErrNotSupported, ""},
	operatorUnknownOff: {ErrNotSupported, ""},
	operatorOff:        {ErrNotSupported, "; the comparison operators are disabled"},
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
	case effectMissing, effectUnknown, effectToRemove, effectOfSet:
		detail = "must be " + words.Join(knownEffects[:], " or ") + detail
	case operatorUnknown, operatorUnknownOff, operatorOff:
		detail = "must be " + words.Join(valueset.Names(p == operatorUnknown), " or ") + ", or empty for " + valueset.Equal + detail
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
