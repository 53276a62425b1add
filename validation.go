// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"strings"

	"github.com/seed-0529bac1/taints/internal/valueset"
)

const (
	maxPrefix = 253 // characters before the slash of a key
	maxName   = 63  // characters after it, and of a value
)

// ValidateTaints returns nil if an API server accepts the list as a node's taints
// (validateNodeTaints in Kubernetes): each is valid, as for [Taint.Validate], and
// no two have the same key and effect. Otherwise the error is an [ErrorList] with
// every error.
func ValidateTaints(taints []Taint) error {
	v := validator{list: "taints"}
	all := byID(taints)
	for i := range taints {
		t := &taints[i]
		v.index = i
		v.taint(t)
		if all.Find(t.ID()) < i {
			v.report("", t.String(), taintRepeated)
		}
	}
	return v.errors.Err()
}

// Validate returns nil if the taint is valid by itself, and otherwise an
// [ErrorList] with every error.
//
//   - The key is required: a name of 1 to 63 letters, digits, '-', '_' and '.',
//     with a letter or digit at both ends, optionally after a DNS subdomain of at
//     most 253 characters and a '/'.
//   - The value is empty, or a name as in a key.
//   - The effect is [NoSchedule], [PreferNoSchedule] or [NoExecute].
func (t Taint) Validate() error {
	var v validator
	v.taint(&t)
	return v.errors.Err()
}

// ValidateTolerations returns nil if an API server accepts the list as a pod's
// tolerations (ValidateTolerations in Kubernetes, with the taint feature gates
// on): each is valid, as for [Toleration.Validate]. Tolerations may repeat. Otherwise
// the error is an [ErrorList] with every error. Kubernetes reports an invalid value as
// an error of the field operator; here it is one of value.
func ValidateTolerations(tolerations []Toleration) error {
	return Options{}.ValidateTolerations(tolerations)
}

// ValidateTolerations is like the function [ValidateTolerations] under the
// options. Under KeyWildcards, a key may also be "*", or end in "*" after the '/' or
// the beginning of its name, as in "example.com/*". Under NoComparison, the error of
// an unknown operator lists only Exists and Equal.
func (o Options) ValidateTolerations(tolerations []Toleration) error {
	v := validator{list: "tolerations"}
	for i := range tolerations {
		v.index = i
		v.toleration(&tolerations[i], o)
	}
	return v.errors.Err()
}

// Validate returns nil if the toleration is valid, and otherwise an
// [ErrorList] with every error.
//
//   - The key is empty or valid for a taint. An empty key requires the operator
//     Exists.
//   - The operator is Exists, Equal, Lt, Gt, or empty for Equal.
//   - The value is empty with Exists, a decimal integer in canonical form within
//     int64 with Lt and Gt, and otherwise valid for a taint.
//   - The effect is empty or valid for a taint. If tolerationSeconds is set, to
//     any number, it is NoExecute.
func (t Toleration) Validate() error {
	var v validator
	v.toleration(&t, Options{})
	return v.errors.Err()
}

func (v *validator) taint(t *Taint) {
	v.check("key", t.Key, checkKey(t.Key))
	v.check("value", t.Value, checkValue(t.Value))
	v.check("effect", string(t.Effect), checkEffect(t.Effect))
}

func (v *validator) toleration(t *Toleration, o Options) {
	if t.Key != "" {
		p := checkKey(t.Key)
		if p != noProblem && o.KeyWildcards && strings.HasSuffix(t.Key, "*") {
			p = checkKeyStart(t.Key[:len(t.Key)-1])
		}
		v.check("key", t.Key, p)
	} else if t.Operator != OpExists {
		v.report("operator", string(t.Operator), operatorWithoutKey)
	}
	if t.Operator != OpExists || t.Value != "" { // most tolerations skip this
		v.operator(t, o)
	}
	if t.Effect != "" {
		v.check("effect", string(t.Effect), checkEffect(t.Effect))
	}
	if t.TolerationSeconds != nil && t.Effect != NoExecute {
		v.report("effect", string(t.Effect), effectWithSeconds)
	}
}

// operator checks the operator of the toleration, and the form of the value that the
// operator requires.
func (v *validator) operator(t *Toleration, o Options) {
	switch op := valueset.Find(string(t.Operator)); {
	case op == nil:
		v.report("operator", string(t.Operator), o.operatorUnknown())
	case op.Comparison && o.NoComparison:
		v.report("operator", string(t.Operator), operatorOff)
	default:
		v.check("value", t.Value, checkForm(op.Form, t.Value))
	}
}

// operatorUnknown returns the problem of an operator that Kubernetes does not know.
func (o Options) operatorUnknown() problem {
	if o.NoComparison {
		return operatorUnknownOff
	}
	return operatorUnknown
}

func checkForm(form valueset.Form, value string) problem {
	switch form {
	case valueset.Empty:
		if value != "" {
			return valueUnwanted
		}
	case valueset.Label:
		return checkValue(value)
	case valueset.Integer:
		if _, ok := valueset.ParseInteger(value); !ok {
			return notInteger
		}
	}
	return noProblem
}

// checkKey is Kubernetes' IsQualifiedName.
func checkKey(key string) problem {
	if key == "" {
		return keyMissing
	}
	slash := strings.IndexByte(key, '/')
	if slash < 0 {
		return checkName(key)
	}
	if p := checkPrefix(key[:slash]); p != noProblem {
		return p
	}
	return checkName(key[slash+1:])
}

func checkPrefix(prefix string) problem {
	switch {
	case len(prefix) > maxPrefix:
		return prefixTooLong
	case !isSubdomain(prefix):
		return prefixMalformed
	}
	return noProblem
}

// checkName checks the part of a key after its '/'.
func checkName(name string) problem {
	switch {
	case !isName(name):
		return keyMalformed
	case len(name) > maxName:
		return nameTooLong
	}
	return noProblem
}

// checkKeyStart checks what precedes the "*" of a wildcard.
func checkKeyStart(start string) problem {
	slash := strings.IndexByte(start, '/')
	if slash >= 0 {
		if p := checkPrefix(start[:slash]); p != noProblem {
			return p
		}
	}
	name := start[slash+1:]
	if len(name) >= maxName {
		return checkName(name)
	}
	// The name may end in '-', '_' or '.': the wildcard stands for what follows.
	if name != "" && (!isAlphanumeric(name[0]) || !isNameBytes(name)) {
		return keyMalformed
	}
	return noProblem
}

// checkValue is Kubernetes' IsValidLabelValue.
func checkValue(value string) problem {
	switch {
	case value != "" && !isName(value):
		return valueMalformed
	case len(value) > maxName:
		return valueTooLong
	}
	return noProblem
}

func checkEffect(e Effect) problem {
	switch {
	case e == "":
		return effectMissing
	case !knownEffect(e):
		return effectUnknown
	}
	return noProblem
}

// isName reports whether s consists of letters, digits, '-', '_' and '.', with a
// letter or digit at both ends, of any length above 0.
func isName(s string) bool {
	return s != "" && isAlphanumeric(s[0]) && isAlphanumeric(s[len(s)-1]) && isNameBytes(s)
}

func isNameBytes(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// isSubdomain reports whether s consists of parts joined by '.', each of lower
// case letters, digits and '-', with a letter or digit at both ends, of any length
// above 0.
func isSubdomain(s string) bool {
	last := byte('.')
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		case c == '-' && last != '.':
		case c == '.' && last != '.' && last != '-':
		default:
			return false
		}
		last = c
	}
	return last != '.' && last != '-'
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
}
