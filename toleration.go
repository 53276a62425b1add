package taints

import (
	"strconv"
	"strings"
)

// An Operator says how a toleration's value relates to a taint's. The empty operator means [OpEqual]. An operator that is
// none of the four is carried and printed like the rest, matches nothing, and is refused by validation.
type Operator string

const (
	// OpEqual tolerates a taint of the same value. An empty value is a value like others: it tolerates only taints
	// without one. Some vendors' documentation says that it tolerates all; it does not, in Kubernetes or here. Use
	// [OpExists] for that.
	OpEqual Operator = "Equal"
	// OpExists tolerates a taint of any value.
	OpExists Operator = "Exists"
	// OpLt tolerates a taint whose value is an integer less than the toleration's. A valid taint has no negative value, for
	// values begin with a letter or digit; a toleration's threshold may be negative.
	OpLt Operator = "Lt"
	// OpGt tolerates a taint whose value is an integer greater than the toleration's; see [OpLt].
	OpGt Operator = "Gt"
)

// A Toleration lets its pod onto nodes with the taints that it matches; [Toleration.Tolerates] has the rules. Fields,
// their order and their JSON are those of k8s.io/api/core/v1.Toleration, so a value decodes from and encodes to a
// Kubernetes object unchanged.
//
// The zero Toleration is invalid (an empty key wants [OpExists]) and tolerates exactly the taints without a value. Fields
// hold what they were given; nothing is normalised. A Toleration is not comparable with == in a useful way, because of
// TolerationSeconds: see [Toleration.Equal].
type Toleration struct {
	// Key is the key of the taints to tolerate; empty, with [OpExists], for all keys.
	Key string `json:"key,omitempty"`
	// Operator relates Value to the taint's value; empty means [OpEqual].
	Operator Operator `json:"operator,omitempty"`
	// Value is compared with the taint's value as Operator says. [OpExists] does not look at it.
	Value string `json:"value,omitempty"`
	// Effect is the effect of the taints to tolerate; empty for all effects.
	Effect Effect `json:"effect,omitempty"`
	// TolerationSeconds is how long a running pod stays after a NoExecute taint came; nil is for ever, zero and less is
	// not at all. Only eviction looks at it, never matching.
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

// Equal reports whether the two tolerations mean the same: equal key, value and effect, equal operators where the empty
// one is [OpEqual], and seconds that are both unset or the same number.
func (t Toleration) Equal(u Toleration) bool {
	if t.Key != u.Key || t.Value != u.Value || t.Effect != u.Effect || t.operator() != u.operator() {
		return false
	}
	if t.TolerationSeconds == nil || u.TolerationSeconds == nil {
		return t.TolerationSeconds == u.TolerationSeconds
	}
	return *t.TolerationSeconds == *u.TolerationSeconds
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

// cloneAll returns the tolerations with seconds of their own.
func cloneAll(tolerations []Toleration) []Toleration {
	list := make([]Toleration, len(tolerations))
	n := 0
	for i := range tolerations {
		if list[i] = tolerations[i]; list[i].TolerationSeconds != nil {
			n++
		}
	}
	seconds := make([]int64, 0, n)
	for i := range list {
		if s := list[i].TolerationSeconds; s != nil {
			seconds = append(seconds, *s)
			list[i].TolerationSeconds = &seconds[len(seconds)-1]
		}
	}
	return list
}

// String returns the toleration as "kubectl describe pod" prints it: "key=value:Effect op=Exists for 300s", each part
// only where it is set, the operator only where it is not Equal, and "op=Exists" for the toleration of everything.
// Operators that kubectl leaves out (Lt, Gt, unknown ones, and an invalid Exists with a value) are shown too. Any
// toleration prints; a valid one is read back by [ParseToleration] as an equal one.
func (t Toleration) String() string {
	var buf [128]byte
	return string(t.AppendTo(buf[:0]))
}

// AppendTo appends the text that [Toleration.String] returns to b and returns the longer slice. It allocates only if b is
// too small.
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

// everything is how kubectl prints the toleration of everything. A toleration of the key "op" with the value "Exists" would
// read the same, so that one is written and read with its operator spelled out.
const everything = "op=Exists"

// ParseToleration reads the form that [Toleration.String] writes: "key[=value][:Effect][ op=OPERATOR][ for SECONDSs]",
// with one space before each of the last two parts, and "op=Exists" for the toleration of everything. The toleration
// it returns is valid and keeps parts of s; without an operator in the text its operator is empty, which means
// [OpEqual]. Text that names no valid toleration is refused.
//
// On failure the toleration is zero and the error a [*ParseError] with the place of the first fault, which wraps a
// [*FieldError]. Success allocates only the seconds.
func ParseToleration(s string) (Toleration, error) {
	var t Toleration
	head, options, more := cut(s, ' ')
	if head == everything && !strings.HasPrefix(options, "op=") {
		t.Operator = OpExists
	} else {
		keyValue, effect, found := cut(head, ':')
		if found && effect == "" {
			return Toleration{}, parseFault("toleration", s, len(head), "effect", "", effectMissing)
		}
		t.Key, t.Value, _ = cut(keyValue, '=')
		t.Effect = Effect(effect)
	}
	if more {
		if err := t.parseOptions(s, len(head)+1); err != nil {
			return Toleration{}, err
		}
	}
	if err := t.Validate(); err != nil {
		first := err.(*ValidationError).Fields[0]
		return Toleration{}, &ParseError{Kind: "toleration", Input: s, Offset: t.offset(s, first.Field), Err: first}
	}
	return t, nil
}

// parseOptions reads what follows the first space of a toleration's text, "op=OPERATOR", "for SECONDSs" or both, from the
// offset at.
func (t *Toleration) parseOptions(s string, at int) error {
	rest := s[at:]
	if op, ok := strings.CutPrefix(rest, "op="); ok && t.Operator == "" {
		op, rest, ok = cut(op, ' ')
		t.Operator = Operator(op)
		if t.operator() != t.Operator {
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
	switch field {
	case "value":
		if t.Value == "" {
			return len(t.Key)
		}
		return len(t.Key) + 1
	case "effect":
		head, _, _ := cut(s, ' ')
		if t.Effect == "" {
			return len(head)
		}
		return strings.IndexByte(head, ':') + 1
	case "operator":
		if t.Operator != "" {
			return strings.LastIndex(s, "op=") + len("op=")
		}
	}
	return 0
}

// MustParseToleration is like [ParseToleration] and panics where that returns an error. It is meant for tests and for
// values known at compile time.
func MustParseToleration(s string) Toleration {
	t, err := ParseToleration(s)
	if err != nil {
		panic(err)
	}
	return t
}
