// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"strings"

	"github.com/seed-0529bac1/taints/internal/valueset"
)

// ParseTaint parses s as "key=value:Effect" or "key:Effect". It accepts what
// "kubectl taint" accepts for a taint to add, so the taint is valid. The taint
// shares memory with s.
//
// The error is a [*FieldError] with the offset of the first fault. The taint is
// then zero.
func ParseTaint(s string) (Taint, error) {
	t, fault := parseTaint(s)
	if fault != nil {
		return Taint{}, fault
	}
	return t, nil
}

func parseTaint(s string) (Taint, *FieldError) {
	head, effect, _ := cut(s, ':')
	key, value, _ := cut(head, '=')
	if p := checkKey(key); p != noProblem {
		return Taint{}, parseFault(s, 0, "key", key, p)
	}
	if p := checkValue(value); p != noProblem {
		return Taint{}, parseFault(s, len(key)+1, "value", value, p)
	}
	if effect == "" {
		return Taint{}, parseFault(s, len(s), "effect", "", effectMissing)
	}
	if p := checkEffect(Effect(effect)); p != noProblem {
		if strings.HasSuffix(effect, "-") {
			p = effectToRemove
		}
		return Taint{}, parseFault(s, len(head)+1, "effect", effect, p)
	}
	return Taint{Key: key, Value: value, Effect: Effect(effect)}, nil
}

// ParseTaints parses taints separated by commas, the form of the kubelet's
// --register-with-taints, as in "dedicated=ml:NoSchedule,spot:PreferNoSchedule".
// It accepts what the kubelet accepts, except removals ("key-"), which the
// kubelet drops. It returns nil for an empty list.
//
// The error is an [ErrorList] with the first fault of each faulty taint, in
// order. Its List is "taints", and its Offset is the offset in list. A taint
// with the key and effect of an earlier one is an [ErrDuplicate]. The result is
// then nil.
func ParseTaints(list string) ([]Taint, error) {
	if list == "" {
		return nil, nil
	}
	specs := strings.Split(list, ",")
	taints := make([]Taint, 0, len(specs))
	seen := map[TaintID]bool{}
	f := faults{list: "taints"}
	offset := 0
	for i, spec := range specs {
		t, fault := parseTaint(spec)
		if fault == nil && seen[t.ID()] {
			fault = parseFault(spec, 0, "", spec, taintRepeated)
		}
		if fault != nil {
			fault.List, fault.Index = f.list, i
			fault.Input, fault.Offset = list, offset+fault.Offset
			f.errors = append(f.errors, fault)
		} else {
			seen[t.ID()] = true
			taints = append(taints, t)
		}
		offset += len(spec) + len(",")
	}
	if f.errors != nil {
		return nil, f.err()
	}
	return taints, nil
}

// FormatTaints returns the texts of the taints, as [Taint.String] returns them,
// joined by commas. [ParseTaints] parses the text of a list of valid taints.
func FormatTaints(taints []Taint) string {
	var buf [256]byte
	b := buf[:0]
	for i := range taints {
		if i > 0 {
			b = append(b, ',')
		}
		b = taints[i].AppendTo(b)
	}
	return string(b)
}

// ParseToleration parses the text that [Toleration.String] returns:
//
//	key[=value][:Effect][ op=OPERATOR][ for SECONDSs]
//
// or "op=Exists" for the toleration of everything. The toleration is valid and
// shares memory with s. Its operator is empty if s has none. ParseToleration
// allocates the seconds.
//
// The error is a [*FieldError] with the offset of a fault. The toleration is then
// zero.
func ParseToleration(s string) (Toleration, error) { return Options{}.ParseToleration(s) }

// ParseToleration is like the function [ParseToleration] under the options.
func (o Options) ParseToleration(s string) (Toleration, error) {
	t, fault := o.parseToleration(s)
	if fault != nil {
		return Toleration{}, fault
	}
	return t, nil
}

func (o Options) parseToleration(s string) (Toleration, *FieldError) {
	var t Toleration
	head, options, more := cut(s, ' ')
	if head == everything && !strings.HasPrefix(options, "op=") {
		t.Operator = OpExists
	} else {
		keyValue, effect, found := cut(head, ':')
		if found && effect == "" {
			return t, parseFault(s, len(head), "effect", "", effectMissing)
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
	if f.toleration(&t, o); f.errors != nil {
		first := f.errors[0]
		first.Parsed, first.Input, first.Offset = true, s, t.offset(s, first.Field)
		return t, first
	}
	return t, nil
}

// parseOptions parses what follows the first space of a toleration's text, at
// the offset: "op=OPERATOR", "for SECONDSs" or both.
func (t *Toleration) parseOptions(s string, at int) *FieldError {
	rest := s[at:]
	if op, ok := strings.CutPrefix(rest, "op="); ok {
		op, rest, ok = cut(op, ' ')
		t.Operator = Operator(op)
		if op == "" {
			return parseFault(s, at+len("op="), "operator", op, operatorUnknown)
		}
		if !ok {
			return nil
		}
		at = len(s) - len(rest)
	}
	digits, isFor := strings.CutPrefix(rest, "for ")
	digits, isSeconds := strings.CutSuffix(digits, "s")
	if !isFor || !isSeconds || strings.Contains(digits, " ") {
		return parseFault(s, at, "", rest, optionsMalformed)
	}
	seconds, ok := valueset.ParseInteger(digits)
	if !ok {
		return parseFault(s, at+len("for "), "tolerationSeconds", digits, notInteger)
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

// Must returns v, and panics if there is an error. It is for tests and variables
// with constant texts, as in
//
//	var spot = taints.Must(taints.ParseTaint("spot:NoSchedule"))
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
