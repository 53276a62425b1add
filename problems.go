// SPDX-License-Identifier: Apache-2.0

package taints

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

// problems holds the kind of each problem, and what would be right.
var problems = [...]struct {
	kind   error
	detail string
}{
	keyMissing: {
		ErrRequired,
		"a taint needs a key",
	},
	keyMalformed: {
		ErrInvalid,
		"must be a name (letters, digits, '-', '_' and '.', with a letter or digit at both ends), " +
			"optionally after a DNS subdomain and '/', as in example.com/gpu",
	},
	prefixMalformed: {
		ErrInvalid,
		"must have before the '/' a DNS subdomain: lower case letters, digits, '-' and '.', " +
			"with a letter or digit at both ends of each part",
	},
	prefixTooLong: {
		ErrTooLong,
		"must have at most 253 characters before the '/'",
	},
	nameTooLong: {
		ErrTooLong,
		"must have at most 63 characters in its name, which is all or what follows the '/'",
	},
	valueMalformed: {
		ErrInvalid,
		"must be empty, or letters, digits, '-', '_' and '.', with a letter or digit at both ends",
	},
	valueTooLong: {
		ErrTooLong,
		"must have at most 63 characters",
	},
	valueUnwanted: {
		ErrInvalid,
		"must be empty when the operator is Exists",
	},
	notInteger: {
		ErrInvalid,
		"must be a decimal integer within int64, without leading zeros or '+'",
	},
	effectMissing: {
		ErrRequired,
		effectRule,
	},
	effectUnknown: {
		ErrUnsupported,
		effectRule,
	},
	effectToRemove: {
		ErrUnsupported,
		effectRule + `; a "-" at the end asks for removal and names no taint`,
	},
	effectNotNamed: {
		ErrUnsupported,
		`must be all, none, or names of effects and "other" with "|" between them`,
	},
	effectWithSeconds: {
		ErrInvalid,
		"must be NoExecute when tolerationSeconds is set",
	},
	operatorUnknown: {
		ErrUnsupported,
		"must be Exists, Equal, Lt or Gt, or empty for Equal",
	},
	operatorOff: {
		ErrUnsupported,
		"must be Exists or Equal, or empty for Equal; Lt and Gt are switched off",
	},
	operatorWithoutKey: {
		ErrInvalid,
		"must be Exists when the key is empty, which means all keys and values",
	},
	optionsMalformed: {
		ErrInvalid,
		`after the key, value and effect come " op=OPERATOR" and " for SECONDSs", ` +
			"in this order, each at most once",
	},
	taintRepeated: {
		ErrDuplicate,
		"a node has at most one taint of a key and effect",
	},
	tolerationGone: {
		ErrForbidden,
		"an existing toleration cannot be removed or changed, except its tolerationSeconds",
	},
	tolerationNotAllowed: {
		ErrForbidden,
		"no entry of the allow-list tolerates as much for as long",
	},
	taintPresent: {
		ErrExists,
		"the node has it as it is; overwrite would leave it so",
	},
	taintOfOtherValue: {
		ErrExists,
		"the node has this key and effect under another value; overwrite would replace it",
	},
	taintAbsent: {
		ErrNotFound,
		"the node has no such taint, or an earlier removal takes it",
	},
	taintRemovedToo: {
		ErrConflict,
		"a removal names it too; to replace what is there, add with overwrite and do not remove",
	},
	removalRepeated: {
		ErrDuplicate,
		"an earlier removal names it too",
	},
}

func parseFault(kind, input string, offset int, field, value string, p problem) *ParseError {
	return &ParseError{Kind: kind, Input: input, Offset: offset, Err: newFault(field, value, p)}
}

// inList returns e as the error of an entry of the list.
func (e *ParseError) inList(list string, index int) error {
	fault := e.Err.(*FieldError)
	fault.List, fault.index = list, someIndex(index)
	return e
}

func newFault(field, value string, p problem) *FieldError {
	what := &problems[p]
	return &FieldError{Field: field, Value: value, Err: what.kind, Detail: what.detail}
}

// faults collects the faults of the elements of a list.
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
