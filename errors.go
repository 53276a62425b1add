// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints/internal/enum"
)

// A sentinel is an error that is only a text.
type sentinel string

func (s sentinel) Error() string { return string(s) }

// The kinds of fault that validation, parsing and changes report, for use with
// [errors.Is].
var (
	// ErrRequired: the field must be set.
	ErrRequired error = sentinel("required")
	// ErrInvalid: the field is malformed, or does not fit the other fields.
	ErrInvalid error = sentinel("invalid")
	// ErrTooLong: the field, or a part of it, is longer than 63 or 253
	// characters.
	ErrTooLong error = sentinel("too long")
	// ErrUnsupported: the effect, the operator or the name is unknown.
	ErrUnsupported error = sentinel("not supported")
	// ErrDuplicate: an earlier entry has the same key and effect, or includes
	// this one.
	ErrDuplicate error = sentinel("a duplicate")
	// ErrForbidden: the change, or the toleration, is not allowed.
	ErrForbidden error = sentinel("forbidden")
	// ErrExists: the node has a taint with the key and effect, which is not to
	// be overwritten.
	ErrExists error = sentinel("already there")
	// ErrNotFound: the node has no taint with the key and effect, or the key.
	ErrNotFound error = sentinel("not found")
	// ErrConflict: a taint is both to be added and to be removed.
	ErrConflict error = sentinel("in conflict")
)

// A FieldError is one fault of a taint, toleration or change. Like the other errors
// of this package it is not made for JSON: send its text, or its fields and Index.
type FieldError struct {
	// List is the list with the fault: "taints" or "tolerations", "specs" for
	// [ParseChanges], "add" or "remove" for [Changes]. It is empty for a single
	// taint or toleration.
	List string
	// Field is the JSON name of the field at fault: "key", "value", "effect",
	// "operator" or "tolerationSeconds". It is empty if the whole taint or
	// toleration is at fault.
	Field string
	// Value is what the field holds. If Field is empty, it is the printed taint
	// or toleration, or the text that was parsed or the part of it at fault.
	Value string
	// Err is the kind of fault: one of the Err variables of this package.
	Err error
	// Detail says what would be right.
	Detail string

	index indexPlusOne
}

// Index returns the index of the taint or toleration at fault in its list. It
// returns false if a single one, or the list as a whole, is at fault.
func (e *FieldError) Index() (i int, ok bool) {
	if e == nil {
		return -1, false
	}
	return e.index.get()
}

// An indexPlusOne is an index plus one, or zero for none.
type indexPlusOne int

func someIndex(i int) indexPlusOne { return indexPlusOne(i + 1) }

func (p indexPlusOne) get() (i int, ok bool) { return int(p) - 1, p > 0 }

// Error returns the fault in one line: where it is, what was found, the kind of
// fault, and what would be right. The value is quoted, and shortened if it is
// long.
func (e *FieldError) Error() string {
	if e == nil {
		return "<nil>"
	}
	b := e.appendPlace(make([]byte, 0, 160))
	if len(b) > 0 {
		b = append(b, ": "...)
	}
	if e.Err != ErrRequired {
		b = appendQuoted(b, e.Value)
		b = append(b, " is "...)
	}
	kind := "at fault"
	if e.Err != nil {
		kind = e.Err.Error()
	}
	b = append(b, kind...)
	if e.Detail != "" {
		b = append(b, ": "...)
		b = append(b, e.Detail...)
	}
	return string(b)
}

// appendPlace appends where the fault is, as in "taints[2].key".
func (e *FieldError) appendPlace(b []byte) []byte {
	b = append(b, e.List...)
	if i, ok := e.Index(); ok {
		b = append(b, '[')
		b = strconv.AppendInt(b, int64(i), 10)
		b = append(b, ']')
	}
	if e.Field != "" {
		if len(b) > 0 {
			b = append(b, '.')
		}
		b = append(b, e.Field...)
	}
	return b
}

// Unwrap returns Err.
func (e *FieldError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
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

// A ValidationError holds every fault that was found.
type ValidationError struct {
	// Fields holds the faults in the order of the list, and at least one in an
	// error that this package returns.
	Fields []*FieldError
}

// Error returns the faults, joined by "; ".
func (e *ValidationError) Error() string {
	if e == nil {
		return "<nil>"
	}
	if len(e.Fields) == 0 {
		return "no faults"
	}
	var b strings.Builder
	for i, f := range e.Fields {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(f.Error())
	}
	return b.String()
}

// Unwrap returns the faults that are not nil, so that [errors.Is] finds their
// kinds, and [errors.As] the first of them.
func (e *ValidationError) Unwrap() []error {
	if e == nil {
		return nil
	}
	errs := make([]error, 0, len(e.Fields))
	for _, f := range e.Fields {
		if f != nil {
			errs = append(errs, f)
		}
	}
	return errs
}

// A ParseError is the error of a text that cannot be parsed.
type ParseError struct {
	// Kind is what was expected: "taint", "taint identity", "toleration",
	// "change", "effect set", or the name of an enumeration.
	Kind string
	// Input is the whole text.
	Input string
	// Offset is the byte offset in Input at which the fault begins. It is
	// len(Input) if something is missing at the end.
	Offset int
	// Err says what is wrong. It is a [*FieldError] in an error that this package
	// returns.
	Err error
}

// Error returns the error in one line: what was expected, the text, the offset,
// and the fault.
func (e *ParseError) Error() string {
	if e == nil {
		return "<nil>"
	}
	b := make([]byte, 0, 160)
	b = append(b, "parse "...)
	if e.Kind != "" {
		b = append(b, e.Kind...)
		b = append(b, ' ')
	}
	b = appendQuoted(b, e.Input)
	b = append(b, " at offset "...)
	b = strconv.AppendInt(b, int64(e.Offset), 10)
	if e.Err != nil {
		b = append(b, ": "...)
		b = append(b, e.Err.Error()...)
	}
	return string(b)
}

// Unwrap returns Err.
func (e *ParseError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// unmarshalName sets e to the constant that the text names.
func unmarshalName[E ~uint8](e *E, kind string, names []string, text []byte) error {
	i, ok := enum.Index(names, text)
	if !ok {
		input, detail := string(text), "must be one of "+strings.Join(names, ", ")
		fault := &FieldError{Value: input, Err: ErrUnsupported, Detail: detail}
		return &ParseError{Kind: kind, Input: input, Err: fault}
	}
	*e = E(i)
	return nil
}
