// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// append appends the text that String returns, without escapes.
func (r *Reason) append(b []byte) []byte {
	b = r.Taint.AppendTo(b)
	if r.Tolerated() {
		b = append(b, " is tolerated by "...)
		return r.Closest.AppendTo(b)
	}
	b = append(b, " is not tolerated"...)
	return r.appendClosest(b)
}

// appendClosest appends in parentheses which toleration comes closest and how it
// differs.
func (r *Reason) appendClosest(b []byte) []byte {
	b = append(b, " ("...)
	if r.comesClose() {
		b = append(b, "closest: "...)
		b = r.Closest.AppendTo(b)
		b = append(b, ", "...)
	}
	b = append(b, r.why()...)
	return append(b, ')')
}

// why returns what Why returns, without escapes.
func (r *Reason) why() string {
	switch {
	case r.Tolerated():
		return ""
	case !r.comesClose():
		return "nothing comes close"
	case r.closest == 0:
		return r.Mismatch.Why() // from JSON, without differences
	}
	words := make([]string, 0, 4)
	if r.differ.key != same {
		words = append(words, r.differ.key.words("the key differs"))
	}
	if r.differ.effect != same {
		words = append(words, r.whyEffect())
	}
	words = r.appendWhyValue(words)
	return strings.Join(words, ", ")
}

// comesClose reports whether there is a closest toleration. One from JSON has no
// index.
func (r *Reason) comesClose() bool { return r.closest != 0 || r.Closest != (Toleration{}) }

func (r *Reason) whyEffect() string {
	if knownEffect(r.Closest.Effect) {
		return r.differ.effect.words("the effect differs")
	}
	return unknown("effect", string(r.Closest.Effect), r.differ.meantEffect)
}

func (r *Reason) appendWhyValue(words []string) []string {
	switch r.differ.values {
	case MismatchNone:
	case MismatchValue:
		if r.Closest.Value == "" {
			words = append(words, "its empty value matches only an empty value")
		} else {
			words = append(words, r.differ.value.words("the value differs"))
		}
		if r.differ.otherKey != "" {
			words = append(words, r.Taint.Value+" stands under the key "+r.differ.otherKey)
		}
	case MismatchNotInteger:
		if r.differ.ownValue {
			words = append(words, "its value is not an integer")
		} else {
			words = append(words, "the taint's value is not an integer")
		}
	case MismatchNotLess, MismatchNotGreater:
		words = append(words, r.missed())
	case MismatchOperator:
		operator := string(r.Closest.Operator)
		words = append(words, unknown("operator", operator, r.differ.meantOperator))
	default:
		words = append(words, r.differ.values.Why())
	}
	return words
}

// missed says by how much the taint's value misses the threshold.
func (r *Reason) missed() string {
	relation, more := "less", "more"
	if r.differ.values == MismatchNotGreater {
		relation, more = "greater", "less"
	}
	text := r.Taint.Value + " is not " + relation + " than " + r.Closest.Value
	if r.redacted {
		return text
	}
	got, _ := parseInteger(r.Taint.Value)
	limit, _ := parseInteger(r.Closest.Value)
	by := uint64(got) - uint64(limit) // does not overflow for any two int64
	if r.differ.values == MismatchNotGreater {
		by = -by
	}
	if by == 0 {
		return text + " but equal"
	}
	return text + " but " + strconv.FormatUint(by, 10) + " " + more
}

// unknown says that Kubernetes does not know the effect or operator, and which
// one may be meant.
func unknown(field, name, meant string) string {
	text := "the " + field + " " + name + " is unknown"
	if meant != "" {
		text += ", " + meant + " may be meant"
	}
	return text
}

// words says that two texts differ.
func (r relation) words(differs string) string {
	if r == otherCase {
		return differs + " only in letter case"
	}
	return differs
}

// appendLine appends the text as one line: what is not printable is escaped.
func appendLine(b []byte, text string) []byte {
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		if strconv.IsPrint(c) && c != utf8.RuneError {
			b = append(b, text[i:i+size]...)
		} else {
			quoted := strconv.Quote(text[i : i+size])
			b = append(b, quoted[1:len(quoted)-1]...)
		}
		i += size
	}
	return b
}
