// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints/internal/enum"
)

// An ErrorKind classifies a [FieldError], like the types of field.Error in
// Kubernetes; use it with [errors.Is].
type ErrorKind string

const (
	ErrRequired    ErrorKind = "required"      // the field must be set
	ErrInvalid     ErrorKind = "invalid"       // it is malformed or too long, or contradicts another
	ErrUnsupported ErrorKind = "not supported" // the effect, the operator or the name is unknown
	ErrDuplicate   ErrorKind = "duplicate"     // an earlier entry names the same taint, or the same taints
	ErrForbidden   ErrorKind = "forbidden"     // the change or the toleration is not allowed
	ErrNotFound    ErrorKind = "not found"     // the node has no taint with the key and effect, or the key
)

// Error returns the text of the kind.
func (k ErrorKind) Error() string { return string(k) }

// A FieldError is one error in a taint, toleration, change or text.
type FieldError struct {
	// List names the list, such as "taints". It is empty for a single value.
	List string `json:"list,omitempty"`
	// Index is the index in the list. It applies if List is not empty.
	Index int `json:"index,omitempty"`
	// Field is the JSON name of the field, such as "key", or empty for all of them.
	Field string `json:"field,omitempty"`
	// Value is the field's value. If Field is empty, it is the printed taint, toleration
	// or identity, or the part of a text that is wrong.
	Value string `json:"value,omitempty"`
	// Kind is the kind of error.
	Kind ErrorKind `json:"kind,omitempty"`
	// Detail says what would be right.
	Detail string `json:"detail,omitempty"`
	// Parsed is whether the error was found in a text.
	Parsed bool `json:"parsed,omitempty"`
	// Input is that text.
	Input string `json:"input,omitempty"`
	// Offset is the byte offset in Input at which the wrong part is, or is missing.
	Offset int `json:"offset,omitempty"`
}

// Error returns the error in one line: where it is, what was found, its kind, and
// what would be right. Values are quoted, and shortened if they are long.
func (e *FieldError) Error() string {
	if e == nil {
		return "<nil>"
	}
	b := make([]byte, 0, 160)
	if e.Parsed {
		b = append(b, "parse "...)
		b = enum.AppendQuoted(b, e.Input)
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
	b = enum.AppendQuoted(b, e.Value)
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

// An ErrorList is a list of errors that is an error itself: use [errors.As]. The
// functions return every error, or the first of each text that they parse, in the
// order of the input, and never an empty list.
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
