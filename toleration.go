package taints

import (
	"cmp"
	"strconv"
	"strings"
)

// An Operator says how a toleration's value relates to a taint's. The empty
// operator means [OpEqual]. An operator that Kubernetes does not know is carried
// and printed like the others, matches nothing, and is refused by validation.
type Operator string

const (
	// OpEqual tolerates a taint of the same value. An empty value tolerates
	// only taints without a value; use [OpExists] to tolerate any value.
	OpEqual Operator = "Equal"
	// OpExists tolerates a taint of any value.
	OpExists Operator = "Exists"
	// OpLt tolerates a taint whose value is an integer less than the
	// toleration's. No valid taint has a negative value, for values begin with
	// a letter or digit; a toleration's value may be negative.
	OpLt Operator = "Lt"
	// OpGt tolerates a taint whose value is an integer greater than the
	// toleration's.
	OpGt Operator = "Gt"
)

// knownOperators holds the operators that Kubernetes knows, by name.
var knownOperators = []string{string(OpExists), string(OpEqual), string(OpLt), string(OpGt)}

// A Toleration lets its pod onto nodes with the taints that it matches, by the
// rules of [Toleration.Tolerates]. Fields, their order and their JSON are those
// of k8s.io/api/core/v1.Toleration.
//
// The zero Toleration is invalid, for an empty key wants [OpExists], and
// tolerates exactly the taints without a value. Compare tolerations with
// [Toleration.Equal], not with ==, which compares TolerationSeconds by its
// address.
type Toleration struct {
	// Key is the key of the taints to tolerate. Empty, with [OpExists], it
	// stands for all keys.
	Key string `json:"key,omitempty"`
	// Operator relates Value to the taint's value. Empty means [OpEqual].
	Operator Operator `json:"operator,omitempty"`
	// Value is compared with the taint's value as Operator says.
	Value string `json:"value,omitempty"`
	// Effect is the effect of the taints to tolerate; empty for all effects.
	Effect Effect `json:"effect,omitempty"`
	// TolerationSeconds is how long a running pod stays after a NoExecute taint
	// came. Nil is forever; zero and less is not at all. Matching does not use
	// it.
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

// Equal reports whether the tolerations have the same key, value and effect,
// operators that mean the same, and seconds that are both unset or the same
// number.
func (t Toleration) Equal(u Toleration) bool { return t.Compare(u) == 0 }

// Compare returns -1, 0 or 1. It orders tolerations by key, operator, value and
// effect, byte for byte, where the empty operator is [OpEqual], and then by
// seconds, with unset ones first. It returns 0 exactly for tolerations that are
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

// operator returns the toleration's operator, with the empty one spelled out.
func (t *Toleration) operator() Operator {
	if t.Operator == "" {
		return OpEqual
	}
	return t.Operator
}

// clone returns the toleration with seconds of its own.
func (t Toleration) clone() Toleration {
	if t.TolerationSeconds != nil {
		seconds := *t.TolerationSeconds
		t.TolerationSeconds = &seconds
	}
	return t
}

// String returns the toleration as "kubectl describe pod" prints it,
// "key=value:Effect op=Exists for 300s", each part only where it is set, the
// operator only where it is not Equal, and "op=Exists" for the toleration of
// everything. Unlike kubectl it also shows the operators Lt, Gt, unknown ones,
// and an invalid Exists with a value. [ParseToleration] reads the text of a
// valid toleration back as an Equal one.
func (t Toleration) String() string {
	var buf [128]byte
	return string(t.AppendTo(buf[:0]))
}

// AppendTo appends the text that String returns to b and returns the extended
// slice.
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

// everything is how kubectl prints the toleration of everything. A toleration of
// the key "op" with the value "Exists" would read the same, so that one is
// written and read with its operator spelled out.
const everything = "op=Exists"

// ParseToleration reads the text that [Toleration.String] returns:
// "key[=value][:Effect][ op=OPERATOR][ for SECONDSs]", and "op=Exists" for the
// toleration of everything. A single space stands before each of the last two
// parts. The toleration is valid, keeps parts of s, and has an empty operator
// where the text has none. It allocates the seconds.
//
// The error is a [*ParseError] with the place of the first fault, which wraps a
// [*FieldError]; the toleration is then zero.
func ParseToleration(s string) (Toleration, error) { return Options{}.ParseToleration(s) }

// ParseToleration is like the function [ParseToleration] under the options,
// which decide what is valid.
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
		return t, &ParseError{Kind: "toleration", Input: s, Offset: t.offset(s, first.Field), Err: first}
	}
	return t, nil
}

// parseOptions reads what follows the first space of a toleration's text,
// "op=OPERATOR", "for SECONDSs" or both, from the offset at.
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

// offset returns where in s, the text of t, the field is, or would be.
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

// MustParseToleration is like [ParseToleration] but panics where that returns an
// error. It is for tests and for constants.
func MustParseToleration(s string) Toleration {
	t, err := ParseToleration(s)
	if err != nil {
		panic(err)
	}
	return t
}
