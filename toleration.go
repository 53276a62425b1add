// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"cmp"
	"strconv"
	"strings"
)

// An Operator says how the value of a toleration is compared with that of a
// taint. The empty operator means [OpEqual]. An operator that Kubernetes does
// not know matches nothing and is not valid.
type Operator string

const (
	// OpEqual tolerates taints with the same value. An empty value tolerates
	// only taints without a value; use [OpExists] to tolerate any value.
	OpEqual Operator = "Equal"
	// OpExists tolerates taints with any value.
	OpExists Operator = "Exists"
	// OpLt tolerates taints whose value is an integer less than the
	// toleration's. A valid taint's value is never negative, as it begins with
	// a letter or digit, but a toleration's value may be.
	OpLt Operator = "Lt"
	// OpGt tolerates taints whose value is an integer greater than the
	// toleration's.
	OpGt Operator = "Gt"
)

// knownOperators holds the names of the operators that Kubernetes knows.
var knownOperators = []string{string(OpExists), string(OpEqual), string(OpLt), string(OpGt)}

// A Toleration lets its pod onto nodes with the taints that it tolerates; see
// [Toleration.Tolerates]. Its fields and their JSON are those of
// k8s.io/api/core/v1.Toleration.
//
// The zero Toleration is not valid, as an empty key requires [OpExists]. It
// tolerates the taints without a value. Compare tolerations with
// [Toleration.Equal], not with ==, which compares pointers to
// TolerationSeconds.
type Toleration struct {
	// Key is the key of the taints to tolerate. An empty Key stands for all
	// keys, and is valid with [OpExists] only.
	Key string `json:"key,omitempty"`
	// Operator says how Value is compared with the taint's value. Empty means
	// [OpEqual].
	Operator Operator `json:"operator,omitempty"`
	// Value is compared with the taint's value.
	Value string `json:"value,omitempty"`
	// Effect is the effect of the taints to tolerate. Empty stands for all
	// effects.
	Effect Effect `json:"effect,omitempty"`
	// TolerationSeconds is how long a running pod stays on a node with a
	// NoExecute taint. Nil means forever; zero and less mean not at all.
	// Matching ignores it.
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

// Equal reports whether t and u have the same key, value and effect, the same
// operator, where empty is [OpEqual], and equal TolerationSeconds or none in
// both.
func (t Toleration) Equal(u Toleration) bool { return t.Compare(u) == 0 }

// Compare returns -1, 0 or 1 as t sorts before, with or after u: by key,
// operator, where empty is [OpEqual], value and effect, byte by byte, and then by
// TolerationSeconds, with unset ones first. It returns 0 exactly if t and u are
// Equal.
func (t Toleration) Compare(u Toleration) int {
	return cmp.Or(
		strings.Compare(t.Key, u.Key),
		strings.Compare(string(t.operator()), string(u.operator())),
		strings.Compare(t.Value, u.Value),
		strings.Compare(string(t.Effect), string(u.Effect)),
		compareSeconds(t.TolerationSeconds, u.TolerationSeconds),
	)
}

func compareSeconds(a, b *int64) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Compare(*a, *b)
}

// operator returns the toleration's operator, with OpEqual for the empty one.
func (t *Toleration) operator() Operator {
	if t.Operator == "" {
		return OpEqual
	}
	return t.Operator
}

// clone returns the toleration with TolerationSeconds of its own.
func (t Toleration) clone() Toleration {
	if t.TolerationSeconds != nil {
		seconds := *t.TolerationSeconds
		t.TolerationSeconds = &seconds
	}
	return t
}

// String returns the toleration as "kubectl describe pod" prints it:
// "key=value:Effect op=Exists for 300s", without the parts that are not set and
// without an operator that is Equal. The toleration of everything is
// "op=Exists". Unlike kubectl, it shows the operators Lt and Gt, unknown ones,
// and an invalid Exists with a value. [ParseToleration] parses the text of a
// valid toleration, to one that is Equal.
func (t Toleration) String() string {
	var buf [128]byte
	return string(t.AppendTo(buf[:0]))
}

// AppendTo appends the text that [Toleration.String] returns to b and returns
// the extended slice.
func (t Toleration) AppendTo(b []byte) []byte {
	start := len(b)
	b = appendKeyValue(b, t.Key, t.Value)
	if t.Effect != "" {
		b = append(b, ':')
		b = append(b, t.Effect...)
	}
	switch op := t.operator(); {
	case op == OpExists && len(b) == start:
		b = append(b, everything...)
	case op != OpEqual || string(b[start:]) == everything:
		b = append(b, " op="...)
		b = append(b, op...)
	}
	if t.TolerationSeconds != nil {
		b = append(b, " for "...)
		b = strconv.AppendInt(b, *t.TolerationSeconds, 10)
		b = append(b, 's')
	}
	return b
}

// everything is how kubectl prints the toleration of everything. A toleration
// with the key "op" and the value "Exists" would look the same, so that one is
// written with its operator.
const everything = "op=Exists"

// ParseToleration parses the text that [Toleration.String] returns:
//
//	key[=value][:Effect][ op=OPERATOR][ for SECONDSs]
//
// or "op=Exists" for the toleration of everything. The toleration is valid and
// shares memory with s. Its operator is empty if s has none. ParseToleration
// allocates the seconds.
//
// The error is a [*ParseError] with the offset of a fault, and wraps a
// [*FieldError]. The toleration is then zero.
func ParseToleration(s string) (Toleration, error) { return Options{}.ParseToleration(s) }

// ParseToleration is like the function [ParseToleration] under the options.
func (o Options) ParseToleration(s string) (Toleration, error) {
	t, fault := o.parseToleration(s)
	if fault != nil {
		return Toleration{}, fault
	}
	return t, nil
}

func (o Options) parseToleration(s string) (Toleration, *ParseError) {
	var t Toleration
	head, options, more := cut(s, ' ')
	if head == everything && !strings.HasPrefix(options, "op=") {
		t.Operator = OpExists
	} else {
		keyValue, effect, found := cut(head, ':')
		if found && effect == "" {
			return t, parseFault("toleration", s, len(head), "effect", "", effectMissing)
		}
		t.Key, t.Value, _ = cut(keyValue, '=')
		t.Effect = Effect(effect)
	}
	if more {
		if fault := t.parseOptions(s, len(head)+1); fault != nil {
			return t, fault
		}
	}
	var f faults
	if f.toleration(&t, o); f.fields != nil {
		first := f.fields[0]
		at := t.offset(s, first.Field)
		return t, &ParseError{Kind: "toleration", Input: s, Offset: at, Err: first}
	}
	return t, nil
}

// parseOptions parses what follows the first space of a toleration's text, at
// the offset: "op=OPERATOR", "for SECONDSs" or both.
func (t *Toleration) parseOptions(s string, at int) *ParseError {
	rest := s[at:]
	if op, ok := strings.CutPrefix(rest, "op="); ok {
		op, rest, ok = cut(op, ' ')
		t.Operator = Operator(op)
		if op == "" {
			return parseFault("toleration", s, at+len("op="), "operator", op, operatorUnknown)
		}
		if !ok {
			return nil
		}
		at = len(s) - len(rest)
	}
	digits, isFor := strings.CutPrefix(rest, "for ")
	digits, isSeconds := strings.CutSuffix(digits, "s")
	if !isFor || !isSeconds || strings.Contains(digits, " ") {
		return parseFault("toleration", s, at, "", rest, optionsMalformed)
	}
	seconds, ok := parseInteger(digits)
	if !ok {
		return parseFault("toleration", s, at+len("for "), "tolerationSeconds", digits, notInteger)
	}
	t.TolerationSeconds = &seconds
	return nil
}

// offset returns where the field is, or would be, in s, the text of t.
func (t *Toleration) offset(s, field string) int {
	head, _, _ := cut(s, ' ')
	switch field {
	case "value":
		if t.Value == "" {
			return len(t.Key)
		}
		return len(t.Key) + len("=")
	case "effect":
		if t.Effect == "" {
			return len(head)
		}
		return strings.IndexByte(head, ':') + len(":")
	case "operator":
		if t.Operator != "" {
			return len(head) + len(" op=")
		}
	}
	return 0
}

// MustParseToleration calls [ParseToleration] and panics on error. It is intended
// for use in tests with constant strings.
func MustParseToleration(s string) Toleration {
	t, err := ParseToleration(s)
	if err != nil {
		panic(err)
	}
	return t
}
