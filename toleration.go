// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"cmp"
	"strconv"
	"strings"
)

// A Toleration lets its pod onto nodes with the taints that it tolerates; see
// [Toleration.Tolerates]. Its fields and their JSON are those of
// k8s.io/api/core/v1.Toleration.
//
// The zero Toleration is not valid, as an empty key requires [OpExists]. It
// tolerates all taints without a value. Compare tolerations with
// [Toleration.Equal], not with ==, which compares pointers to TolerationSeconds.
type Toleration struct {
	// Key is the key of the taints to tolerate. An empty Key means all keys and is
	// valid only with [OpExists].
	Key string `json:"key,omitempty"`
	// Operator says how Value is compared with the taint's value. Empty means
	// [OpEqual].
	Operator Operator `json:"operator,omitempty"`
	// Value is compared with the taint's value.
	Value string `json:"value,omitempty"`
	// Effect is the effect of the taints to tolerate. Empty means all effects.
	Effect Effect `json:"effect,omitempty"`
	// TolerationSeconds is how long a running pod stays on a node with a
	// NoExecute taint. Nil means forever; zero and less mean not at all.
	// Matching ignores it.
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

// TolerationsOf returns a toleration for each of the taints: of its key and
// effect with any value, forever. Compiled, they select startup taints or
// ignored taints; see [Matcher]. A taint without a key or an effect is left out,
// because no toleration matches only that key or effect.
func TolerationsOf(taints []Taint) []Toleration {
	var tolerations []Toleration
	for i := range taints {
		if t := &taints[i]; t.Key != "" && t.Effect != "" {
			tolerations = append(tolerations, Toleration{Key: t.Key, Operator: OpExists, Effect: t.Effect})
		}
	}
	return tolerations
}

// TolerationsOfKeys returns a toleration for each of the keys: of the key with
// any value and effect, forever. Compiled, they select the taints with these
// keys; see [Matcher]. Empty keys are left out, because a toleration without a
// key matches every key.
func TolerationsOfKeys(keys ...string) []Toleration { return tolerationsOf(keys, "") }

// TolerationsOfPrefixes is like [TolerationsOfKeys] for all keys that begin with
// one of the prefixes. It appends "*" to each, so compile the tolerations with
// the option KeyWildcards, alone or with others. Empty prefixes are left out.
func TolerationsOfPrefixes(prefixes ...string) []Toleration { return tolerationsOf(prefixes, "*") }

func tolerationsOf(keys []string, suffix string) []Toleration {
	var tolerations []Toleration
	for _, key := range keys {
		if key != "" {
			tolerations = append(tolerations, Toleration{Key: key + suffix, Operator: OpExists})
		}
	}
	return tolerations
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

// String returns the toleration as "kubectl describe pod" prints it:
// "key=value:Effect op=Exists for 300s", without the parts that are not set and
// without an operator that is Equal. The toleration of everything is "op=Exists".
// Unlike kubectl, it shows every other operator. [ParseToleration] parses the text
// of a valid toleration, to one that is Equal.
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
// with the key "op" and the value "Exists" would look the same, so its text
// includes the operator.
const everything = "op=Exists"
