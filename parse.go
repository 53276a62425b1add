// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"strings"

	"github.com/seed-0529bac1/taints/internal/valueset"
)

// ParseTaint parses s as "key=value:Effect" or "key:Effect". It accepts what
// "kubectl taint" accepts for a taint to add, so the taint is valid. The error is a
// [*FieldError] with the offset of the first error in s.
func ParseTaint(s string) (Taint, error) { return parsed(parseTaint(s)) }

// parsed returns the value, or the zero value and the error if there is one.
func parsed[T any](v T, err *FieldError) (T, error) {
	if err != nil {
		return *new(T), err
	}
	return v, nil
}

func parseTaint(s string) (Taint, *FieldError) {
	head, effect, _ := strings.Cut(s, ":")
	key, value, _ := strings.Cut(head, "=")
	if p := checkKey(key); p != noProblem {
		return Taint{}, parseError(s, 0, "key", key, p)
	}
	if p := checkValue(value); p != noProblem {
		return Taint{}, parseError(s, len(key)+1, "value", value, p)
	}
	if effect == "" {
		return Taint{}, parseError(s, len(s), "effect", "", effectMissing)
	}
	if p := checkEffect(Effect(effect)); p != noProblem {
		if strings.HasSuffix(effect, "-") {
			p = effectToRemove
		}
		return Taint{}, parseError(s, len(head)+1, "effect", effect, p)
	}
	return Taint{Key: key, Value: value, Effect: Effect(effect)}, nil
}

// ParseTaints parses taints separated by commas, the form of the kubelet's
// --register-with-taints. It accepts what the kubelet accepts, except removals
// ("key-"), which the kubelet drops. It returns nil for an empty list.
//
// The error is an [ErrorList] with the first error of each invalid taint. A taint that
// repeats the key and effect of an earlier one is an [ErrDuplicate].
func ParseTaints(list string) ([]Taint, error) {
	if list == "" {
		return nil, nil
	}
	specs := strings.Split(list, ",")
	taints := make([]Taint, 0, len(specs))
	seen := map[TaintID]bool{}
	v := validator{list: "taints"}
	for i, spec := range specs {
		t, err := parseTaint(spec)
		if err == nil && seen[t.ID()] {
			err = parseError(spec, 0, "", spec, taintRepeated)
		}
		if err != nil {
			err.List, err.Index = v.list, i
			v.errors = append(v.errors, err)
		}
		seen[t.ID()] = true
		taints = append(taints, t)
	}
	if v.errors != nil {
		return nil, v.errors
	}
	return taints, nil
}

// ParseToleration parses the text that [Toleration.String] returns:
//
//	key[=value][:Effect][ op=OPERATOR][ for SECONDSs]
//
// or "op=Exists" for the toleration of everything. The toleration is valid. Its
// operator is empty if the text names none. The error is a [*FieldError] with the
// offset of an error in s.
func ParseToleration(s string) (Toleration, error) { return Options{}.ParseToleration(s) }

// ParseToleration is like the function [ParseToleration] under the options.
func (o Options) ParseToleration(s string) (Toleration, error) { return parsed(o.parseToleration(s)) }

func (o Options) parseToleration(s string) (Toleration, *FieldError) {
	var t Toleration
	head, options, more := strings.Cut(s, " ")
	if head == everything && !strings.HasPrefix(options, "op=") {
		t.Operator = OpExists
	} else {
		keyValue, effect, found := strings.Cut(head, ":")
		if found && effect == "" {
			return t, parseError(s, len(head), "effect", "", effectMissing)
		}
		t.Key, t.Value, _ = strings.Cut(keyValue, "=")
		t.Effect = Effect(effect)
	}
	if more {
		if err := o.parseOptions(&t, s, len(head)+1); err != nil {
			return t, err
		}
	}
	var v validator
	if v.toleration(&t, o); v.errors != nil {
		first := v.errors[0]
		first.Parsed, first.Input, first.Offset = true, s, t.offset(s, first.Field)
		return t, first
	}
	return t, nil
}

// parseOptions parses what follows the first space of a toleration's text, at
// the offset: "op=OPERATOR", "for SECONDSs" or both.
func (o Options) parseOptions(t *Toleration, s string, at int) *FieldError {
	rest := s[at:]
	if op, ok := strings.CutPrefix(rest, "op="); ok {
		op, rest, ok = strings.Cut(op, " ")
		t.Operator = Operator(op)
		if op == "" {
			return parseError(s, at+len("op="), "operator", op, o.operatorUnknown())
		}
		if !ok {
			return nil
		}
		at = len(s) - len(rest)
	}
	digits, isFor := strings.CutPrefix(rest, "for ")
	digits, isSeconds := strings.CutSuffix(digits, "s")
	if !isFor || !isSeconds || strings.Contains(digits, " ") {
		return parseError(s, at, "", rest, optionsMalformed)
	}
	seconds, ok := valueset.ParseInteger(digits)
	if !ok {
		return parseError(s, at+len("for "), "tolerationSeconds", digits, notInteger)
	}
	t.TolerationSeconds = &seconds
	return nil
}

// offset returns where the field is, or would be, in s, the text of t.
func (t *Toleration) offset(s, field string) int {
	head, _, _ := strings.Cut(s, " ")
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

// Must returns v, and panics if there is an error. It is for tests and constant
// texts, as in Must(ParseTaint("spot:NoSchedule")).
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
