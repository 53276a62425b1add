// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"strconv"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/known"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// Redact returns the reason with placeholders for keys and values, such as "<key1>"
// and "<value1>", for people who may not know the names in a cluster. Equal texts
// have equal placeholders. Unknown effects and operators are also replaced, and
// texts omit which integers a toleration matches. The keys that Kubernetes itself
// sets, such as [taints.NodeUnschedulable], tell nothing about a cluster and stay, as
// do times and seconds. The result shares TimeAdded and TolerationSeconds with r.
func (r Reason) Redact() Reason { return new(redactor).reason(r) }

// Redact is like [Reason.Redact], with equal placeholders for equal texts in all
// reasons.
func (e Explanation) Redact() Explanation {
	if e == nil {
		return nil
	}
	var names redactor
	redacted := make(Explanation, len(e))
	for i := range e {
		redacted[i] = names.reason(e[i])
	}
	return redacted
}

// Redact is like [Reason.Redact], with equal placeholders for equal texts in all
// reasons.
func (s Summary) Redact() Summary {
	var names redactor
	s.Reasons = slices.Clone(s.Reasons)
	for i := range s.Reasons {
		r := &s.Reasons[i].Reason
		*r = names.reason(*r)
	}
	return s
}

// A redactor replaces keys, values, and unknown effects and operators with
// names. Equal texts have equal names.
type redactor struct {
	keys, values, effects, operators map[string]string
}

// reason returns the reason with names in place of its texts.
func (r *redactor) reason(reason Reason) Reason {
	taint, closest := &reason.Taint, &reason.Closest
	taint.Key, taint.Value = r.key(taint.Key), r.value(taint.Value)
	taint.Effect = r.effect(taint.Effect)
	closest.Key, closest.Value = r.key(closest.Key), r.value(closest.Value)
	closest.Effect, closest.Operator = r.effect(closest.Effect), r.operator(closest.Operator)
	reason.Differences = slices.Clone(reason.Differences)
	for i := range reason.Differences {
		if d := &reason.Differences[i]; d.Hint == HintOtherKey {
			d.Meant = r.key(d.Meant)
		}
	}
	return reason
}

func (r *redactor) key(s string) string {
	if known.IsNodeKey(s) {
		return s
	}
	return name("key", &r.keys, s)
}

func (r *redactor) value(s string) string { return name("value", &r.values, s) }

func (r *redactor) effect(e taints.Effect) taints.Effect {
	if known.IsEffect(e) {
		return e
	}
	return taints.Effect(name("effect", &r.effects, string(e)))
}

func (r *redactor) operator(op taints.Operator) taints.Operator {
	if valueset.Find(string(op)) != nil {
		return op
	}
	return taints.Operator(name("operator", &r.operators, string(op)))
}

// name returns the name for s, such as "<key2>", and "" for "".
func name(kind string, names *map[string]string, s string) string {
	if s == "" {
		return ""
	}
	if given, ok := (*names)[s]; ok {
		return given
	}
	if *names == nil {
		*names = make(map[string]string)
	}
	given := "<" + kind + strconv.Itoa(len(*names)+1) + ">"
	(*names)[s] = given
	return given
}
