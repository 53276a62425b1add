// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"cmp"
	"strconv"
	"strings"
)

// A Toleration lets its pod onto nodes with the taints that it tolerates; see
// [Toleration.Tolerates]. It has the fields and the JSON of
// k8s.io/api/core/v1.Toleration. Compare tolerations with [Toleration.Equal] or
// [Toleration.ID].
type Toleration struct {
	// Key is the key of the taints to tolerate. Empty, with [OpExists], means all.
	Key string `json:"key,omitempty"`
	// Operator says how Value is compared with the taint's. Empty means [OpEqual].
	Operator Operator `json:"operator,omitempty"`
	// Value is compared with the taint's value.
	Value string `json:"value,omitempty"`
	// Effect is the effect of the taints to tolerate. Empty means all effects.
	Effect Effect `json:"effect,omitempty"`
	// TolerationSeconds is how long a running pod stays on a node with a NoExecute
	// taint. Nil means forever, and zero or less not at all. Matching ignores it.
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

// TolerationsFor returns, for each taint, a toleration of its key and effect with any
// value. Use it to select taints: compile the result and call [Matcher.Tolerated]. An
// empty effect selects every effect. A taint with an empty key or the key "*" is left
// out: under KeyWildcards it would select every taint.
func TolerationsFor(taints ...Taint) []Toleration {
	var tolerations []Toleration
	for i := range taints {
		if t := &taints[i]; t.Key != "" && t.Key != "*" {
			tolerations = append(tolerations, Toleration{Key: t.Key, Operator: OpExists, Effect: t.Effect})
		}
	}
	return tolerations
}

// ID returns the identity of the toleration within its pod: all but its seconds
// (MatchToleration in Kubernetes, except that an empty operator is [OpEqual]).
func (t Toleration) ID() TolerationID {
	return TolerationID{t.Key, t.operator(), t.Value, t.Effect}
}

// Equal reports whether t and u have the same [TolerationID], and equal
// TolerationSeconds or none in both.
func (t Toleration) Equal(u Toleration) bool { return t.Compare(u) == 0 }

// Compare returns -1, 0 or 1 as t sorts before, with or after u: by key,
// operator, where empty is [OpEqual], value and effect, byte by byte, and then by
// TolerationSeconds, with unset ones first.
func (t Toleration) Compare(u Toleration) int {
	return cmp.Or(
		strings.Compare(t.Key, u.Key),
		strings.Compare(string(t.operator()), string(u.operator())),
		strings.Compare(t.Value, u.Value),
		strings.Compare(string(t.Effect), string(u.Effect)),
		compareOptional(t.TolerationSeconds, u.TolerationSeconds, cmp.Compare),
	)
}

// operator returns the toleration's operator, with OpEqual for the empty one.
func (t *Toleration) operator() Operator {
	if t.Operator == "" {
		return OpEqual
	}
	return t.Operator
}

// String returns the toleration as "kubectl describe pod" prints it, but with every
// operator except Equal: "key=value:Effect op=Exists for 300s", without empty parts.
// [ParseToleration] parses the text of a valid toleration.
func (t Toleration) String() string {
	var buf [128]byte
	return string(t.AppendTo(buf[:0]))
}

// AppendTo appends what [Toleration.String] returns to b and returns the extended
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

// everything is how kubectl prints the toleration of everything. A toleration
// with the key "op" and the value "Exists" would look the same, so its text
// includes the operator.
const everything = "op=Exists"

// A TolerationID identifies a toleration within its pod, whatever its seconds. It is
// comparable and can be a map key.
type TolerationID struct {
	Key      string   `json:"key,omitempty"`
	Operator Operator `json:"operator,omitempty"` // OpEqual and not empty, from Toleration.ID
	Value    string   `json:"value,omitempty"`
	Effect   Effect   `json:"effect,omitempty"`
}

// String returns what [Toleration.String] does, without seconds.
func (id TolerationID) String() string {
	return Toleration{Key: id.Key, Operator: id.Operator, Value: id.Value, Effect: id.Effect}.String()
}

// An Operator says how the value of a toleration is compared with a taint's. The
// empty operator means [OpEqual]. An unknown operator matches nothing and is not
// valid.
type Operator string

const (
	OpEqual  Operator = "Equal"  // the same value; an empty one matches only taints without a value
	OpExists Operator = "Exists" // any value
	OpLt     Operator = "Lt"     // an integer less than the toleration's
	OpGt     Operator = "Gt"     // an integer greater than the toleration's
)
