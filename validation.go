package taints

import (
	"strconv"
	"strings"
)

// A sentinel is an error that is a constant, so that nobody can assign to it.
type sentinel string

func (s sentinel) Error() string { return string(s) }

// The kinds of fault that validation, parsing and [Changes.Apply] find, for errors.Is.
const (
	// ErrRequired: the field must be set.
	ErrRequired = sentinel("required")
	// ErrInvalid: the field is not of the required form, or does not go with the others.
	ErrInvalid = sentinel("invalid")
	// ErrTooLong: the field is longer than its limit of 63 or 253 characters.
	ErrTooLong = sentinel("too long")
	// ErrUnsupported: the effect or operator is none of those that Kubernetes knows.
	ErrUnsupported = sentinel("not supported")
	// ErrDuplicate: a taint of the same key and effect stands earlier in the list.
	ErrDuplicate = sentinel("a duplicate")
	// ErrForbidden: the change is not allowed.
	ErrForbidden = sentinel("forbidden")
	// ErrExists: a taint of the key and effect is on the node, and is not to be overwritten.
	ErrExists = sentinel("already there")
	// ErrNotFound: the node has no taint of the key and effect, or of the key.
	ErrNotFound = sentinel("not found")
	// ErrConflict: a taint is both to be added and to be removed.
	ErrConflict = sentinel("in conflict")
)

const (
	maxPrefix = 253 // characters before the slash of a key
	maxName   = 63  // characters after it, and of a value
)

// A problem is what can be wrong with a field, or with a taint or toleration as a whole.
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
	operatorOff
	operatorWithoutKey
	taintRepeated
	tolerationGone
	optionsMalformed
	taintPresent
	taintOfOtherValue
	taintAbsent
	taintRemovedToo
)

// describe returns the kind of the problem and what is allowed.
func (p problem) describe() (kind sentinel, detail string) {
	switch p {
	case keyMissing:
		return ErrRequired, "a taint needs a key"
	case keyMalformed:
		return ErrInvalid, "must be a name (letters, digits, '-', '_' and '.', with a letter or digit at both ends), optionally after a DNS subdomain and '/', as in example.com/gpu"
	case prefixMalformed:
		return ErrInvalid, "must have before the '/' a DNS subdomain: lower case letters, digits, '-' and '.', with a letter or digit at both ends of each part"
	case prefixTooLong:
		return ErrTooLong, "must have at most 253 characters before the '/'"
	case nameTooLong:
		return ErrTooLong, "must have at most 63 characters in its name, which is all or what follows the '/'"
	case valueMalformed:
		return ErrInvalid, "must be empty, or letters, digits, '-', '_' and '.', with a letter or digit at both ends"
	case valueTooLong:
		return ErrTooLong, "must have at most 63 characters"
	case valueUnwanted:
		return ErrInvalid, "must be empty when the operator is Exists"
	case notInteger:
		return ErrInvalid, "must be a decimal integer within int64, without leading zeros or '+'"
	case effectMissing:
		return ErrRequired, "must be NoSchedule, PreferNoSchedule or NoExecute"
	case effectUnknown:
		return ErrUnsupported, "must be NoSchedule, PreferNoSchedule or NoExecute"
	case effectToRemove:
		return ErrUnsupported, "must be NoSchedule, PreferNoSchedule or NoExecute; a \"-\" at the end asks for removal and names no taint"
	case effectWithSeconds:
		return ErrInvalid, "must be NoExecute when tolerationSeconds is set"
	case operatorUnknown:
		return ErrUnsupported, "must be Exists, Equal, Lt or Gt, or empty for Equal"
	case operatorOff:
		return ErrUnsupported, "must be Exists or Equal, or empty for Equal; Lt and Gt are switched off"
	case operatorWithoutKey:
		return ErrInvalid, "must be Exists when the key is empty, which means all keys and values"
	case taintRepeated:
		return ErrDuplicate, "a node has at most one taint of a key and effect"
	case tolerationGone:
		return ErrForbidden, "an existing toleration can not be removed or changed, except its tolerationSeconds"
	case optionsMalformed:
		return ErrInvalid, "after the key, value and effect come \" op=OPERATOR\" and \" for SECONDSs\", in this order, each at most once"
	case taintPresent:
		return ErrExists, "the node has it as it is; overwrite would leave it so"
	case taintOfOtherValue:
		return ErrExists, "the node has this key and effect under another value; overwrite would replace it"
	case taintAbsent:
		return ErrNotFound, "the node has no such taint, or an earlier removal takes it"
	case taintRemovedToo:
		return ErrConflict, "a removal names it too; to replace what is there, add with overwrite and do not remove"
	}
	return "", ""
}

// A FieldError is one fault of a taint, toleration or change. It is comparable.
type FieldError struct {
	// List is "taints" or "tolerations"; "specs" for those of [ParseChanges]; "add" or "remove" for [Changes]; and empty
	// where a single one was looked at.
	List string
	// Index is the place in the list, and -1 where a single one, or the list as a whole, is at fault.
	Index int
	// Field is the JSON name of the field at fault: "key", "value", "effect", "operator" or "tolerationSeconds"; empty
	// where the whole taint or toleration is at fault.
	Field string
	// Value is what was found there, as it is; the whole taint or toleration, printed, where Field is empty.
	Value string
	// Err is the kind of fault: [ErrRequired], [ErrInvalid], [ErrTooLong], [ErrUnsupported], [ErrDuplicate],
	// [ErrForbidden], [ErrExists], [ErrNotFound] or [ErrConflict].
	Err error
	// Detail says what is allowed, as in "must be empty when the operator is Exists".
	Detail string
}

// Error returns the fault in one line: where, what was found (quoted, and cut when it is long), the kind of fault and
// what would be right.
func (e *FieldError) Error() string {
	b := make([]byte, 0, 160)
	b = append(b, e.List...)
	if e.Index >= 0 {
		b = append(b, '[')
		b = strconv.AppendInt(b, int64(e.Index), 10)
		b = append(b, ']')
	}
	if e.Field != "" {
		if len(b) > 0 {
			b = append(b, '.')
		}
		b = append(b, e.Field...)
	}
	if len(b) > 0 {
		b = append(b, ": "...)
	}
	if e.Err != ErrRequired {
		b = appendQuoted(b, e.Value)
		b = append(b, " is "...)
	}
	if e.Err != nil {
		b = append(b, e.Err.Error()...)
		b = append(b, ": "...)
	}
	return string(append(b, e.Detail...))
}

// Unwrap returns Err.
func (e *FieldError) Unwrap() error { return e.Err }

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

// A ValidationError holds every fault that a validation or [Changes.Apply] found, at least one, in order of the list. It unwraps to each, so
// that errors.Is finds their kinds and errors.As the first.
type ValidationError struct {
	Fields []*FieldError
}

// Error returns the faults, joined by "; ".
func (e *ValidationError) Error() string {
	var b strings.Builder
	for i, f := range e.Fields {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(f.Error())
	}
	return b.String()
}

// Unwrap returns the faults as errors.
func (e *ValidationError) Unwrap() []error {
	errs := make([]error, len(e.Fields))
	for i, f := range e.Fields {
		errs[i] = f
	}
	return errs
}

// A ParseError is a text that is no taint, toleration or change.
type ParseError struct {
	// Kind is what was to be read: "taint", "toleration" or "change".
	Kind string
	// Input is the whole text.
	Input string
	// Offset is where in Input the fault begins, in bytes; len(Input) where something is missing at the end.
	Offset int
	// Err says what is wrong; it is a [*FieldError], with Index -1 except in a change.
	Err error
}

// Error returns in one line what was to be read, the place of the fault, and the fault.
func (e *ParseError) Error() string {
	b := make([]byte, 0, 160)
	b = append(b, "parse "...)
	b = append(b, e.Kind...)
	b = append(b, ' ')
	b = appendQuoted(b, e.Input)
	b = append(b, " at offset "...)
	b = strconv.AppendInt(b, int64(e.Offset), 10)
	b = append(b, ": "...)
	return string(append(b, e.Err.Error()...))
}

// Unwrap returns Err.
func (e *ParseError) Unwrap() error { return e.Err }

func parseFault(what, input string, offset int, field, value string, p problem) error {
	kind, detail := p.describe()
	return &ParseError{Kind: what, Input: input, Offset: offset, Err: &FieldError{Index: -1, Field: field, Value: value, Err: kind, Detail: detail}}
}

// ValidateTaints returns nil if an API server accepts the list as a node's taints, and otherwise a [*ValidationError] with
// every fault (validateNodeTaints in Kubernetes). Each taint must be valid, see [Taint.Validate], and no two may have
// the same key and effect. A nil list is valid. Success allocates nothing for lists of up to 64 taints.
//
// The kinds of fault say more than those of Kubernetes, which calls a missing key and a name that is too long invalid.
func ValidateTaints(taints []Taint) error {
	f := faults{list: "taints"}
	seen := newTaintIDs(len(taints))
	for i := range taints {
		f.index = i
		f.taint(&taints[i])
		if seen.before(taints, i) {
			f.add("", taints[i].String(), taintRepeated)
		}
	}
	return f.err()
}

// taintIDs finds repeated identities. Up to 64 taints it looks through the list, which allocates nothing; above, where
// the square of the length would be felt, it keeps a map.
type taintIDs map[TaintID]struct{}

func newTaintIDs(n int) taintIDs {
	if n <= 64 {
		return nil
	}
	return make(taintIDs, n)
}

// before reports whether an earlier taint has the identity of taints[i].
func (ids taintIDs) before(taints []Taint, i int) bool {
	id := taints[i].ID()
	if ids != nil {
		_, ok := ids[id]
		ids[id] = struct{}{}
		return ok
	}
	for j := range taints[:i] {
		if taints[j].Key == id.Key && taints[j].Effect == id.Effect {
			return true
		}
	}
	return false
}

// Validate returns nil if the taint is valid on its own, and otherwise a [*ValidationError] with every fault.
//
//   - The key is required: a name of 1 to 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends,
//     optionally after a DNS subdomain of at most 253 characters and a '/'.
//   - The value is empty, or a name like that of at most 63 characters.
//   - The effect is required: [NoSchedule], [PreferNoSchedule] or [NoExecute].
//
// Success allocates nothing.
func (t Taint) Validate() error {
	f := faults{index: -1}
	f.taint(&t)
	return f.err()
}

// ValidateTolerations returns nil if an API server with its taint feature gates on accepts the list as a pod's tolerations,
// and otherwise a [*ValidationError] with every fault (ValidateTolerations in Kubernetes). Each toleration must be valid,
// see [Toleration.Validate]; repetitions are allowed. A nil list is valid. Success allocates nothing.
//
// For a bad value the error names the field value, where Kubernetes names operator.
func ValidateTolerations(tolerations []Toleration) error {
	return Options{}.ValidateTolerations(tolerations)
}

// ValidateTolerations is [ValidateTolerations] under the options: NoComparison refuses Lt and Gt, and KeyWildcards
// allows the keys "*", "prefix/*", and the beginning of a name, with or without a prefix, followed by "*".
func (o Options) ValidateTolerations(tolerations []Toleration) error {
	f := faults{list: "tolerations"}
	for i := range tolerations {
		f.index = i
		f.toleration(&tolerations[i], o)
	}
	return f.err()
}

// Validate returns nil if the toleration is valid, and otherwise a [*ValidationError] with every fault.
//
//   - The key is empty or valid for a taint; an empty key wants the operator Exists.
//   - The operator is Exists, Equal, Lt, Gt, or empty for Equal.
//   - The value is valid for a taint with Equal, empty with Exists, and a decimal integer in canonical form within int64
//     with Lt and Gt.
//   - The effect is empty or valid for a taint; with tolerationSeconds, which may be any number, it is NoExecute.
//
// Success allocates nothing.
func (t Toleration) Validate() error {
	f := faults{index: -1}
	f.toleration(&t, Options{})
	return f.err()
}

// ValidateTolerationsUpdate returns nil if an API server accepts that a pod's tolerations change from old to new, and
// otherwise a [*ValidationError] with every fault: each toleration of old must be in new, with the same key, operator
// as written, value and effect; only its seconds may have changed. Order does not count, others may be added, and new
// must be valid. A toleration that is gone is [ErrForbidden] at Index -1, with its text as Value. Success allocates
// nothing.
func ValidateTolerationsUpdate(old, new []Toleration) error {
	return Options{}.ValidateTolerationsUpdate(old, new)
}

// ValidateTolerationsUpdate is [ValidateTolerationsUpdate] under the options.
func (o Options) ValidateTolerationsUpdate(old, new []Toleration) error {
	f := faults{list: "tolerations", index: -1}
	for i := range old {
		if !keeps(new, &old[i]) {
			f.add("", old[i].String(), tolerationGone)
		}
	}
	for i := range new {
		f.index = i
		f.toleration(&new[i], o)
	}
	return f.err()
}

// keeps reports whether the list has the toleration, with any seconds.
func keeps(list []Toleration, t *Toleration) bool {
	for i := range list {
		if u := &list[i]; u.Key == t.Key && u.Operator == t.Operator && u.Value == t.Value && u.Effect == t.Effect {
			return true
		}
	}
	return false
}

// faults collects what is wrong with the elements of a list.
type faults struct {
	list   string
	index  int // of the element being looked at
	fields []*FieldError
}

func (f *faults) add(field, value string, p problem) {
	kind, detail := p.describe()
	f.fields = append(f.fields, &FieldError{List: f.list, Index: f.index, Field: field, Value: value, Err: kind, Detail: detail})
}

func (f *faults) err() error {
	if f.fields == nil {
		return nil
	}
	return &ValidationError{f.fields}
}

func (f *faults) taint(t *Taint) {
	if p := checkKey(t.Key); p != noProblem {
		f.add("key", t.Key, p)
	}
	if p := checkValue(t.Value); p != noProblem {
		f.add("value", t.Value, p)
	}
	if p := checkEffect(t.Effect); p != noProblem {
		f.add("effect", string(t.Effect), p)
	}
}

func (f *faults) toleration(t *Toleration, o Options) {
	if t.Key != "" {
		if p := o.checkTolerationKey(t.Key); p != noProblem {
			f.add("key", t.Key, p)
		}
	} else if t.Operator != OpExists {
		f.add("operator", string(t.Operator), operatorWithoutKey)
	}
	switch t.Operator {
	case OpEqual, "":
		if p := checkValue(t.Value); p != noProblem {
			f.add("value", t.Value, p)
		}
	case OpExists:
		if t.Value != "" {
			f.add("value", t.Value, valueUnwanted)
		}
	case OpLt, OpGt:
		if o.NoComparison {
			f.add("operator", string(t.Operator), operatorOff)
		} else if _, ok := parseInteger(t.Value); !ok {
			f.add("value", t.Value, notInteger)
		}
	default:
		f.add("operator", string(t.Operator), operatorUnknown)
	}
	if t.Effect != "" {
		if p := checkEffect(t.Effect); p != noProblem {
			f.add("effect", string(t.Effect), p)
		}
	}
	if t.TolerationSeconds != nil && t.Effect != NoExecute {
		f.add("effect", string(t.Effect), effectWithSeconds)
	}
}

// The check functions return what is wrong with a field.

// checkKey is Kubernetes' IsQualifiedName.
func checkKey(key string) problem {
	switch key {
	case "":
		return keyMissing
	case NodeNotReady, NodeUnreachable, NodeMemoryPressure, NodeDiskPressure, NodePIDPressure, NodeUnschedulable, NodeNetworkUnavailable:
		return noProblem // of most pods; spares a quarter of BenchmarkValidateTolerations
	}
	prefix, name, qualified := cut(key, '/')
	if !qualified {
		return checkName(key)
	}
	if p := checkPrefix(prefix); p != noProblem {
		return p
	}
	return checkName(name)
}

// cut is strings.Cut for a separator of one byte, which takes a tenth off BenchmarkValidateTolerations.
func cut(s string, separator byte) (before, after string, found bool) {
	if i := strings.IndexByte(s, separator); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

func checkPrefix(prefix string) problem {
	if len(prefix) > maxPrefix {
		return prefixTooLong
	}
	if !isSubdomain(prefix) {
		return prefixMalformed
	}
	return noProblem
}

// checkName checks the part of a key after its '/'.
func checkName(name string) problem {
	if !isName(name) {
		return keyMalformed
	}
	if len(name) > maxName {
		return nameTooLong
	}
	return noProblem
}

// checkTolerationKey is checkKey that allows wildcards where the options do.
func (o Options) checkTolerationKey(key string) problem {
	start, wildcard := key, false
	if o.KeyWildcards {
		start, wildcard = strings.CutSuffix(key, "*")
	}
	if !wildcard {
		return checkKey(key)
	}
	prefix, name, qualified := cut(start, '/')
	if !qualified {
		name = prefix
	} else if p := checkPrefix(prefix); p != noProblem {
		return p
	}
	if len(name) >= maxName {
		return checkName(name)
	}
	// A shorter name may end in any of its characters here, for a letter may follow.
	if name != "" && (!isAlphanumeric(name[0]) || !isNameBytes(name)) {
		return keyMalformed
	}
	return noProblem
}

// checkValue is Kubernetes' IsValidLabelValue.
func checkValue(value string) problem {
	if value == "" {
		return noProblem
	}
	if !isName(value) {
		return valueMalformed
	}
	if len(value) > maxName {
		return valueTooLong
	}
	return noProblem
}

func checkEffect(e Effect) problem {
	if e == "" {
		return effectMissing
	}
	if !knownEffect(e) {
		return effectUnknown
	}
	return noProblem
}

func knownEffect(e Effect) bool { return effectIndex(e) != indexOther }

// isName reports whether s is letters, digits, '-', '_' and '.', with a letter or digit at both ends, of any length
// above 0.
func isName(s string) bool {
	return s != "" && isAlphanumeric(s[0]) && isAlphanumeric(s[len(s)-1]) && isNameBytes(s)
}

func isNameBytes(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// isSubdomain reports whether s is parts joined by '.', each of lower case letters, digits and '-' with a letter or digit at
// both ends, of any length above 0.
func isSubdomain(s string) bool {
	last := byte('.')
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		case c == '-' && last != '.':
		case c == '.' && last != '.' && last != '-':
		default:
			return false
		}
		last = c
	}
	return last != '.' && last != '-'
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
}
