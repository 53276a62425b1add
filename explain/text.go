// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/seed-0529bac1/taints/internal/known"
	"github.com/seed-0529bac1/taints/internal/valueset"
	"github.com/seed-0529bac1/taints/internal/words"
)

// Why describes how the closest toleration differs from the taint, as in "the effect
// and value differ" or "40 is too large; at most 29 is tolerated". It returns "no
// toleration comes close" if there is none, and "" if the taint is tolerated.
// Control characters are escaped.
func (r Reason) Why() string { return string(appendLine(nil, r.why())) }

// String returns the reason in one line, as in "dedicated=ml:NoSchedule is not
// tolerated (closest: dedicated=ML:NoSchedule, the value differs only in letter
// case)". Control characters are escaped.
func (r Reason) String() string { return string(appendLine(nil, string(r.append(nil)))) }

// String returns the text of [Reason.String] for each taint, separated by
// newlines.
func (e Explanation) String() string {
	var b []byte
	for i := range e {
		if i > 0 {
			b = append(b, '\n')
		}
		b = appendLine(b, string(e[i].append(nil)))
	}
	return string(b)
}

// append appends the text that String returns, without escapes.
func (r *Reason) append(b []byte) []byte {
	b = r.Taint.AppendTo(b)
	if r.Tolerated {
		b = append(b, " is tolerated by "...)
		return r.Closest.AppendTo(b)
	}
	b = append(b, " is not tolerated"...)
	return r.appendClosest(b)
}

// appendClosest appends, in parentheses, the closest toleration and how it
// differs, if there is one.
func (r *Reason) appendClosest(b []byte) []byte {
	if !r.HasClosest() {
		return b
	}
	b = append(b, " (closest: "...)
	b = r.Closest.AppendTo(b)
	b = append(b, ", "...)
	b = append(b, r.why()...)
	return append(b, ')')
}

// why returns what Why returns, without escapes.
func (r *Reason) why() string {
	if !r.HasClosest() {
		return "no toleration comes close"
	}
	var clauses, differ, inCase []string
	for i := range r.Differences {
		d := &r.Differences[i]
		switch field := r.differingField(d); {
		case field == "":
			clauses = append(clauses, r.clause(d))
		case d.Hint == HintLetterCase:
			inCase = append(inCase, field)
		default:
			differ = append(differ, field)
		}
	}
	if len(inCase) > 0 {
		clauses = slices.Insert(clauses, 0, differText(inCase)+" only in letter case")
	}
	if len(differ) > 0 {
		clauses = slices.Insert(clauses, 0, differText(differ))
	}
	return words.Join(clauses, ", and ")
}

// differingField returns the field of a difference that says no more than that
// the field differs, perhaps only in letter case.
func (r *Reason) differingField(d *Difference) string {
	switch {
	case d.Mismatch == MismatchEffect && known.IsEffect(r.Closest.Effect):
		return "effect"
	case d.Mismatch == MismatchKey:
		return "key"
	case d.Mismatch == MismatchValue && d.Hint != HintEmptyValue && d.Hint != HintOtherKey:
		return "value"
	}
	return ""
}

// differText returns a text such as "the key and value differ".
func differText(fields []string) string {
	if len(fields) == 1 {
		return "the " + fields[0] + " differs"
	}
	return "the " + words.Join(fields, " and ") + " differ"
}

// clause describes a difference that says more than that a field differs.
func (r *Reason) clause(d *Difference) string {
	switch d.Mismatch {
	case MismatchEffect:
		return unknownText("effect", string(r.Closest.Effect), d.Meant)
	case MismatchOperator:
		return unknownText("operator", string(r.Closest.Operator), d.Meant)
	case MismatchNoComparison:
		return "the operator " + string(r.Closest.Operator) + " is disabled"
	case MismatchThreshold:
		return "its value is not an integer"
	case MismatchNothing:
		return "no integer matches it"
	case MismatchNotInteger:
		return "the taint's value is not an integer"
	case MismatchTooLarge, MismatchTooSmall:
		return r.limitText(d.Mismatch)
	case MismatchValue:
		if d.Hint == HintOtherKey {
			return "the value differs; " + r.Taint.Value + " is tolerated for the key " + d.Meant
		}
		return "its empty value matches only an empty value"
	}
	return d.Mismatch.String()
}

// unknownText returns the text for an effect or operator that Kubernetes does
// not know, with the known one that may be meant.
func unknownText(field, name, meant string) string {
	text := "the " + field + " " + name + " is unknown"
	if meant != "" {
		text += " (did you mean " + meant + "?)"
	}
	return text
}

// limitText reports which integers are tolerated, unless the values are redacted.
func (r *Reason) limitText(m Mismatch) string {
	values := valueset.Of(string(r.Closest.Operator), r.Closest.Value, true)
	text, bound, limit := r.Taint.Value+" is too large", "at most ", values.Most
	if m == MismatchTooSmall {
		text, bound, limit = r.Taint.Value+" is too small", "at least ", values.Least
	}
	if values.Kind != valueset.Integers {
		return text
	}
	return text + "; " + bound + strconv.FormatInt(limit, 10) + " is tolerated"
}

// appendLine appends the text as one line. Unprintable characters are escaped.
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
