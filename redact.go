// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"slices"
	"strconv"
)

// A redactor replaces keys, values, and unknown effects and operators by names,
// equal texts by equal names.
type redactor struct {
	keys, values, effects, operators map[string]string
}

// reason returns the reason with names in place of its texts.
func (r *redactor) reason(reason Reason) Reason {
	reason.redacted = true
	taint, closest := &reason.Taint, &reason.Closest
	taint.Key, taint.Value = r.key(taint.Key), r.value(taint.Value)
	taint.Effect = r.effect(taint.Effect)
	closest.Key, closest.Value = r.key(closest.Key), r.value(closest.Value)
	closest.Effect, closest.Operator = r.effect(closest.Effect), r.operator(closest.Operator)
	reason.differ.otherKey = r.key(reason.differ.otherKey)
	return reason
}

func (r *redactor) key(s string) string { return name("key", &r.keys, s) }

func (r *redactor) value(s string) string { return name("value", &r.values, s) }

func (r *redactor) effect(e Effect) Effect {
	if knownEffect(e) {
		return e
	}
	return Effect(name("effect", &r.effects, string(e)))
}

func (r *redactor) operator(op Operator) Operator {
	if slices.Contains(knownOperators, string(op)) {
		return op
	}
	return Operator(name("operator", &r.operators, string(op)))
}

// name returns the name for s, such as "<key2>", and "" for "".
func name(kind string, names *map[string]string, s string) string {
	if s == "" {
		return ""
	}
	if known, ok := (*names)[s]; ok {
		return known
	}
	if *names == nil {
		*names = make(map[string]string)
	}
	given := "<" + kind + strconv.Itoa(len(*names)+1) + ">"
	(*names)[s] = given
	return given
}
