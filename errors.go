package taints

import (
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints/internal/enum"
)

// A sentinel is an error that is its own text.
type sentinel string

func (s sentinel) Error() string { return string(s) }

// The kinds of fault that validation, parsing and changes find, for
// [errors.Is].
var (
	// ErrRequired: the field must be set.
	ErrRequired error = sentinel("required")
	// ErrInvalid: the field has the wrong form, or does not go with the others.
	ErrInvalid error = sentinel("invalid")
	// ErrTooLong: the field is longer than 63 or 253 characters.
	ErrTooLong error = sentinel("too long")
	// ErrUnsupported: the effect, the operator or the name is unknown.
	ErrUnsupported error = sentinel("not supported")
	// ErrDuplicate: an earlier entry has the same key and effect.
	ErrDuplicate error = sentinel("a duplicate")
	// ErrForbidden: the change, or the toleration, is not allowed.
	ErrForbidden error = sentinel("forbidden")
	// ErrExists: the node has a taint of the key and effect, and it is not to
	// be overwritten.
	ErrExists error = sentinel("already there")
	// ErrNotFound: the node has no taint of the key and effect, or of the key.
	ErrNotFound error = sentinel("not found")
	// ErrConflict: a taint is both to be added and to be removed.
	ErrConflict error = sentinel("in conflict")
)

// A problem is what can be wrong with a field, or with a taint or toleration
// as a whole.
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
	effectNotNamed
	effectWithSeconds
	operatorUnknown
	operatorOff
	operatorWithoutKey
	optionsMalformed
	taintRepeated
	tolerationGone
	tolerationNotAllowed
	taintPresent
	taintOfOtherValue
	taintAbsent
	taintRemovedToo
	removalRepeated
)

const effectRule = "must be NoSchedule, PreferNoSchedule or NoExecute"

// problems holds the kind of each problem and what would be right.
var problems = [...]struct {
	kind   error
	detail string
}{
	keyMissing: {ErrRequired, "a taint needs a key"},
	keyMalformed: {ErrInvalid, "must be a name (letters, digits, '-', '_' and '.', with a letter or digit at both ends), " +
		"optionally after a DNS subdomain and '/', as in example.com/gpu"},
	prefixMalformed: {ErrInvalid, "must have before the '/' a DNS subdomain: lower case letters, digits, '-' and '.', " +
		"with a letter or digit at both ends of each part"},
	prefixTooLong:      {ErrTooLong, "must have at most 253 characters before the '/'"},
	nameTooLong:        {ErrTooLong, "must have at most 63 characters in its name, which is all or what follows the '/'"},
	valueMalformed:     {ErrInvalid, "must be empty, or letters, digits, '-', '_' and '.', with a letter or digit at both ends"},
	valueTooLong:       {ErrTooLong, "must have at most 63 characters"},
	valueUnwanted:      {ErrInvalid, "must be empty when the operator is Exists"},
	notInteger:         {ErrInvalid, "must be a decimal integer within int64, without leading zeros or '+'"},
	effectMissing:      {ErrRequired, effectRule},
	effectUnknown:      {ErrUnsupported, effectRule},
	effectToRemove:     {ErrUnsupported, effectRule + `; a "-" at the end asks for removal and names no taint`},
	effectNotNamed:     {ErrUnsupported, "must be all, none, or names of effects and \"other\" with \"|\" between them"},
	effectWithSeconds:  {ErrInvalid, "must be NoExecute when tolerationSeconds is set"},
	operatorUnknown:    {ErrUnsupported, "must be Exists, Equal, Lt or Gt, or empty for Equal"},
	operatorOff:        {ErrUnsupported, "must be Exists or Equal, or empty for Equal; Lt and Gt are switched off"},
	operatorWithoutKey: {ErrInvalid, "must be Exists when the key is empty, which means all keys and values"},
	optionsMalformed: {ErrInvalid, `after the key, value and effect come " op=OPERATOR" and " for SECONDSs", ` +
		"in this order, each at most once"},
	taintRepeated:        {ErrDuplicate, "a node has at most one taint of a key and effect"},
	tolerationGone:       {ErrForbidden, "an existing toleration cannot be removed or changed, except its tolerationSeconds"},
	tolerationNotAllowed: {ErrForbidden, "no entry of the allow-list tolerates as much for as long"},
	taintPresent:         {ErrExists, "the node has it as it is; overwrite would leave it so"},
	taintOfOtherValue:    {ErrExists, "the node has this key and effect under another value; overwrite would replace it"},
	taintAbsent:          {ErrNotFound, "the node has no such taint, or an earlier removal takes it"},
	taintRemovedToo:      {ErrConflict, "a removal names it too; to replace what is there, add with overwrite and do not remove"},
	removalRepeated:      {ErrDuplicate, "an earlier removal names it too"},
}

// A FieldError is one fault of a taint, toleration or change.
type FieldError struct {
	// List is "taints" or "tolerations"; "specs" for [ParseChanges]; "add" or
	// "remove" for [Changes]; empty for a single taint or toleration.
	List string
	// Field is the JSON name of the field at fault: "key", "value", "effect",
	// "operator" or "tolerationSeconds". It is empty where the whole taint or
	// toleration is at fault.
	Field string
	// Value is what was found there; the whole taint or toleration, printed,
	// where Field is empty.
	Value string
	// Err is the kind of fault, one of the Err variables of this package.
	Err error
	// Detail says what would be right.
	Detail string

	index indexPlusOne
}

// Index returns the index in the list of the taint or toleration at fault. It
// returns false where a single one, or the list as a whole, is at fault.
func (e *FieldError) Index() (i int, ok bool) {
	if e == nil {
		return -1, false
	}
	return e.index.get()
}

// An indexPlusOne is an index, or zero for none.
type indexPlusOne int

func someIndex(i int) indexPlusOne { return indexPlusOne(i + 1) }

func (p indexPlusOne) get() (i int, ok bool) { return int(p) - 1, p > 0 }

// Error returns the fault in one line: where it is, what was found there, the
// kind of fault, and what would be right. A value is quoted, and cut where it
// is long.
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

// appendQuoted appends s in quotes, cut to a length that fits a line.
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

// A ValidationError holds every fault that was found, in order. Those of this
// package hold at least one.
type ValidationError struct {
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

// Unwrap returns the faults as errors, without those that are nil. So
// [errors.Is] finds their kinds, and [errors.As] the first.
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

// A ParseError is a text that cannot be read.
type ParseError struct {
	// Kind is what was to be read: "taint", "taint identity", "toleration",
	// "change", or the name of an enumeration.
	Kind string
	// Input is the whole text.
	Input string
	// Offset is where in Input the fault begins, in bytes. It is len(Input)
	// where something is missing at the end.
	Offset int
	// Err says what is wrong. It is a [*FieldError].
	Err error
}

// Error returns in one line what was to be read, the offset, and the fault.
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

func parseFault(kind, input string, offset int, field, value string, p problem) *ParseError {
	return &ParseError{Kind: kind, Input: input, Offset: offset, Err: newFault(field, value, p)}
}

func newFault(field, value string, p problem) *FieldError {
	return &FieldError{Field: field, Value: value, Err: problems[p].kind, Detail: problems[p].detail}
}

// faults collects what is wrong with the elements of a list.
type faults struct {
	list   string
	index  indexPlusOne // of the element at hand
	fields []*FieldError
}

func (f *faults) add(field, value string, p problem) {
	fault := newFault(field, value, p)
	fault.List, fault.index = f.list, f.index
	f.fields = append(f.fields, fault)
}

func (f *faults) err() error {
	if f.fields == nil {
		return nil
	}
	return &ValidationError{f.fields}
}

// unmarshalName sets e to the value of the enumeration that the text names.
func unmarshalName[E ~uint8](e *E, kind string, names []string, text []byte) error {
	i, ok := enum.Index(names, text)
	if !ok {
		fault := &FieldError{Value: string(text), Err: ErrUnsupported, Detail: "must be one of " + strings.Join(names, ", ")}
		return &ParseError{Kind: kind, Input: string(text), Err: fault}
	}
	*e = E(i)
	return nil
}
