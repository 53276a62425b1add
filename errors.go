// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"strconv"
	"strings"
)

// An ErrorKind classifies a [FieldError]; use it with [errors.Is].
type ErrorKind string

// The kinds of fault that validation, parsing and changes report. Kubernetes'
// field.Error has a type for each.
const (
	// ErrRequired: the field must be set.
	ErrRequired ErrorKind = "required"
	// ErrInvalid: the field is malformed or too long, or does not fit another. A
	// taint to add that is also to be removed is invalid.
	ErrInvalid ErrorKind = "invalid"
	// ErrUnsupported: the effect, the operator or the name is unknown.
	ErrUnsupported ErrorKind = "not supported"
	// ErrDuplicate: an earlier entry has the same key and effect, or includes
	// this one.
	ErrDuplicate ErrorKind = "a duplicate"
	// ErrForbidden: the change or the toleration is not allowed. To add a taint
	// that the node has is forbidden while overwriting is off.
	ErrForbidden ErrorKind = "forbidden"
	// ErrNotFound: the node has no taint with the key and effect, or the key.
	ErrNotFound ErrorKind = "not found"
)

// Error returns the text of the kind.
func (k ErrorKind) Error() string { return string(k) }

// A FieldError is one fault of a taint, toleration, change or text. The zero
// FieldError describes an unknown fault.
type FieldError struct {
	// List names the list with the fault, such as "taints" or "tolerations". It
	// is empty for a single taint, toleration or text.
	List string `json:"list,omitempty"`
	// Index is the index in the list. It applies if List is not empty.
	Index int `json:"index,omitempty"`
	// Field is the JSON name of the field at fault, such as "key". It is empty
	// if the whole taint, toleration or text is at fault.
	Field string `json:"field,omitempty"`
	// Value is the value of the field. If Field is empty, it is the printed taint
	// or toleration, or the part of the text at fault.
	Value string `json:"value,omitempty"`
	// Kind is the kind of fault.
	Kind ErrorKind `json:"kind,omitempty"`
	// Detail says what would be right.
	Detail string `json:"detail,omitempty"`
	// Parsed is whether the fault was found in a text. If it is false, Input and
	// Offset do not apply.
	Parsed bool `json:"parsed,omitempty"`
	// Input is the text.
	Input string `json:"input,omitempty"`
	// Offset is the byte offset in Input at which the fault begins. It is
	// len(Input) if something is missing at the end.
	Offset int `json:"offset,omitempty"`
}

// Error returns the fault in one line: where it is, what was found, its kind,
// and what would be right. Values are quoted, and shortened if they are long.
func (e *FieldError) Error() string {
	if e == nil {
		return "<nil>"
	}
	b := make([]byte, 0, 160)
	if e.Parsed {
		b = append(b, "parse "...)
		b = appendQuoted(b, e.Input)
		b = append(b, " at offset "...)
		b = strconv.AppendInt(b, int64(e.Offset), 10)
		b = append(b, ": "...)
	}
	if path := e.Path(); path != "" {
		b = append(b, path...)
		b = append(b, ": "...)
	}
	if e.Kind != ErrRequired {
		b = appendQuoted(b, e.Value)
		b = append(b, " is "...)
	}
	if e.Kind == "" {
		b = append(b, "at fault"...)
	}
	b = append(b, e.Kind...)
	if e.Detail != "" {
		b = append(b, ": "...)
		b = append(b, e.Detail...)
	}
	return string(b)
}

// Path returns where the fault is, as in "taints[2].key" or "key". It is empty if
// List and Field are.
func (e *FieldError) Path() string {
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

// appendQuoted appends s in quotes, shortened if it is long.
func appendQuoted(b []byte, s string) []byte {
	const most = 80
	if len(s) <= most {
		return strconv.AppendQuote(b, s)
	}
	b = strconv.AppendQuote(b, strings.ToValidUTF8(s[:most], ""))
	b = append(b, " ("...)
	b = strconv.AppendInt(b, int64(len(s)), 10)
	return append(b, " bytes)"...)
}

// An ErrorList is a list of faults that is an error, as in Kubernetes'
// field.ErrorList. The functions of this package return every fault, in the order
// of the lists, and never an empty list. Use [errors.As] for the list:
//
//	var list taints.ErrorList
//	if errors.As(err, &list) {
//		for _, fault := range list { ... }
//	}
type ErrorList []*FieldError

// Error returns the faults, joined by "; ".
func (l ErrorList) Error() string {
	if len(l) == 0 {
		return "no faults"
	}
	texts := make([]string, len(l))
	for i, f := range l {
		texts[i] = f.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the faults that are not nil, so that [errors.Is] finds their
// kinds, and [errors.As] the first of them.
func (l ErrorList) Unwrap() []error {
	errs := make([]error, 0, len(l))
	for _, f := range l {
		if f != nil {
			errs = append(errs, f)
		}
	}
	return errs
}
