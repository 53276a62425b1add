package taints

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-0529bac1/taints/internal/enum"
)

// A Hint is a guess at the mistake in a toleration that comes close to a taint
// and does not match it.
type Hint uint8

const (
	// HintNone: there is nothing to guess.
	HintNone Hint = iota
	// HintLetterCase: the field that [Reason.Mismatch] names would match but
	// for upper and lower case.
	HintLetterCase
	// HintSpelling: the field that Mismatch names may be misspelled. A key is
	// one or two edits from the taint's, where an edit puts in, takes out or
	// replaces a letter, or swaps two neighbors. An unknown effect or operator
	// is as near to a known one, or its beginning.
	HintSpelling
	// HintEmptyValue: the operator is Equal and the value empty, which
	// tolerates only a taint without a value.
	HintEmptyValue
	// HintOtherKey: the value differs, and another toleration has the taint's
	// value with Equal under another key, as "dedicated=db" and "team=ml" for a
	// taint "dedicated=ml".
	HintOtherKey
)

var hintNames = []string{"HintNone", "HintLetterCase", "HintSpelling", "HintEmptyValue", "HintOtherKey"}

// String returns the name of the constant, and "Hint(n)" for other numbers.
func (h Hint) String() string { return enum.Name("Hint", int(h), hintNames) }

// MarshalText returns what String returns. The error is always nil.
func (h Hint) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads the name of a constant. The error is a [*ParseError].
func (h *Hint) UnmarshalText(text []byte) error { return unmarshalName(h, "Hint", hintNames, text) }

// A Reason says why one taint lets a pod through or does not.
type Reason struct {
	// Taint is the taint. It shares TimeAdded with the list that it is from.
	Taint Taint `json:"taint"`
	// Closest is the first toleration that matches the taint. Where none does it
	// is the one that comes closest, the first of several, and zero if none
	// comes close. It has seconds of its own.
	Closest Toleration `json:"closest,omitzero"`
	// Mismatch is the first rule that Closest fails, or [MismatchKey] where
	// nothing comes close. It is MismatchNone for a taint that is tolerated.
	Mismatch Mismatch `json:"mismatch"`
	// Hint is a guess at a mistake in Closest.
	Hint Hint `json:"hint,omitzero"`

	closest  indexPlusOne
	differ   differences
	redacted bool
}

// Differences say in what the closest toleration differs from a taint, beside
// the fields of a Reason.
type differences struct {
	key, effect, value relation
	values             Mismatch // of the operator and the values
	otherKey           string   // that HintOtherKey found
	meantEffect        string   // the known effect that an unknown one may stand for
	meantOperator      string   // the same of operators
	ownValue           bool     // the toleration's own value is not an integer
	emptyValue         bool     // the toleration has none
}

// A relation says how two texts differ.
type relation uint8

const (
	same relation = iota
	otherCase
	other
)

func relate(a, b string) relation {
	switch {
	case a == b:
		return same
	case strings.EqualFold(a, b):
		return otherCase
	}
	return other
}

// Toleration returns the index of Closest, and false where nothing comes close.
func (r Reason) Toleration() (i int, ok bool) { return r.closest.get() }

// Tolerated reports whether a toleration matches the taint.
func (r Reason) Tolerated() bool { return r.Mismatch == MismatchNone }

// Why returns in what the closest toleration differs from the taint, in all
// fields, as in "the effect differs, the value differs only in letter case" or
// "40 is not less than 30 but 10 more". It returns "nothing comes close" where
// there is no such toleration, and "" where the taint is tolerated. Control
// characters are escaped.
func (r Reason) Why() string { return string(appendLine(nil, r.why())) }

// String returns the reason in one line, as in "dedicated=ml:NoSchedule is not
// tolerated (closest: dedicated=ML:NoSchedule, the value differs only in letter
// case)". Control characters are escaped.
func (r Reason) String() string { return string(appendLine(nil, string(r.append(nil)))) }

// Redact returns the reason with names in place of keys and values, <key1>,
// <value1> and so on, in its fields and texts. Equal texts have equal names.
// Effects and operators that Kubernetes does not know are replaced too. By how
// much a threshold is missed is left out. So the result is safe to show to
// those who may not know the names.
func (r Reason) Redact() Reason { return new(redactor).reason(r) }

// An Explanation has a [Reason] for each taint of a node, in order.
type Explanation []Reason

// Schedulable reports whether the pod may be placed on the node, as
// [Verdict.Schedulable] does.
func (e Explanation) Schedulable() bool {
	for i := range e {
		if !e[i].Tolerated() && Hard.Has(e[i].Taint.Effect) {
			return false
		}
	}
	return true
}

// String returns a line for each taint, as [Reason.String] has it, separated by
// line feeds.
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

// Redact returns the explanation with names in place of keys and values, as
// [Reason.Redact] has it, with equal names for equal texts throughout.
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

// Explain returns for each taint which toleration matches it, or which one comes
// closest and why it fails. A toleration comes close if its key is the taint's,
// empty, the taint's in other letter case, or one or two edits away; of those the
// one that differs least does. Without taints the result is nil. It allocates:
// use [Filter] for the decision and Explain for the message.
func Explain(taints []Taint, tolerations []Toleration) Explanation {
	return Options{}.Explain(taints, tolerations)
}

// Explain is like the function [Explain] under the options.
func (o Options) Explain(taints []Taint, tolerations []Toleration) Explanation {
	var e Explanation
	for i := range taints {
		e = append(e, o.reason(&taints[i], tolerations))
	}
	return e
}

// Explain is like the function [Explain] for m's tolerations.
func (m *Matcher) Explain(taints []Taint) Explanation {
	tolerations, options := m.list()
	return options.Explain(taints, tolerations)
}

func (o Options) reason(taint *Taint, tolerations []Toleration) Reason {
	r := Reason{Taint: *taint, Mismatch: MismatchKey}
	if i := o.next(tolerations, taint, -1); i >= 0 {
		r.Mismatch, r.Closest, r.closest = MismatchNone, tolerations[i].clone(), someIndex(i)
		return r
	}
	i := o.closest(taint, tolerations)
	if i < 0 {
		return r
	}
	t := &tolerations[i]
	r.Mismatch, r.Closest, r.closest = o.mismatch(t, taint), t.clone(), someIndex(i)
	r.differ = o.differences(t, taint)
	r.Hint = r.hint()
	if r.Mismatch == MismatchValue && r.Hint == HintNone {
		if key, ok := o.otherKey(taint, tolerations); ok {
			r.differ.otherKey, r.Hint = key, HintOtherKey
		}
	}
	return r
}

// closest returns the index of the toleration, none of which matches, that
// differs least from the taint, and -1 if none comes close.
func (o Options) closest(taint *Taint, tolerations []Toleration) int {
	closest, least := -1, notClose
	for i := range tolerations {
		if d := o.distance(&tolerations[i], taint); d < least {
			closest, least = i, d
		}
	}
	return closest
}

// otherKey returns the key of the first toleration that has the taint's value,
// which is not empty, under a key that is not the taint's.
func (o Options) otherKey(taint *Taint, tolerations []Toleration) (key string, ok bool) {
	for i := range tolerations {
		t := &tolerations[i]
		if t.Value == taint.Value && t.Value != "" && t.operator() == OpEqual && !o.keyMatches(t, taint) {
			return t.Key, true
		}
	}
	return "", false
}

// notClose is the distance of a toleration that has nothing to do with a taint.
const notClose = 1 << 10

// distance says how far the toleration, which does not match, is from the taint:
// each field that differs adds to it, less if it differs only in letter case, and
// most if it is the key.
func (o Options) distance(t *Toleration, taint *Taint) int {
	weights := [...]int{same: 0, otherCase: 1, other: 3}
	d := 0
	switch {
	case t.Key == "":
		d += 3 // for all keys: not about this taint
	case o.keyMatches(t, taint):
	case strings.EqualFold(t.Key, taint.Key):
		d += 4
	default:
		edits := keyEdits(t.Key, taint.Key)
		if edits == 0 {
			return notClose
		}
		d += 6 * edits
	}
	if !effectMatches(t, taint) {
		d += weights[relate(string(t.Effect), string(taint.Effect))]
	}
	switch o.valueMismatch(t, taint) {
	case MismatchNone:
	case MismatchValue:
		d += weights[relate(t.Value, taint.Value)]
	default:
		d += 2
	}
	return d
}

func (o Options) differences(t *Toleration, taint *Taint) differences {
	d := differences{values: o.valueMismatch(t, taint), emptyValue: t.Value == ""}
	if !o.keyMatches(t, taint) {
		d.key = relate(t.Key, taint.Key)
	}
	if !effectMatches(t, taint) {
		d.effect = relate(string(t.Effect), string(taint.Effect))
		if !knownEffect(t.Effect) {
			d.meantEffect = meant(string(t.Effect), knownEffects)
		}
	}
	switch d.values {
	case MismatchValue:
		d.value = relate(t.Value, taint.Value)
	case MismatchNotInteger:
		_, ok := parseInteger(t.Value)
		d.ownValue = !ok
	case MismatchOperator:
		d.meantOperator = meant(string(t.Operator), knownOperators)
	}
	return d
}

// hint guesses at the mistake in the field that Mismatch names.
func (r *Reason) hint() Hint {
	switch r.Mismatch {
	case MismatchEffect:
		if r.differ.effect == otherCase {
			return HintLetterCase
		}
		return hintOfMeaning(string(r.Closest.Effect), r.differ.meantEffect)
	case MismatchKey:
		if r.differ.key == otherCase {
			return HintLetterCase
		}
		return HintSpelling
	case MismatchValue:
		switch {
		case r.differ.emptyValue:
			return HintEmptyValue
		case r.differ.value == otherCase:
			return HintLetterCase
		}
	case MismatchOperator:
		return hintOfMeaning(string(r.Closest.Operator), r.differ.meantOperator)
	}
	return HintNone
}

// hintOfMeaning returns the hint for a word that Kubernetes does not know and the
// known one that may be meant, if any.
func hintOfMeaning(word, meant string) Hint {
	switch {
	case meant == "":
		return HintNone
	case strings.EqualFold(word, meant):
		return HintLetterCase
	}
	return HintSpelling
}

var (
	knownEffects   = []string{string(NoSchedule), string(PreferNoSchedule), string(NoExecute)}
	knownOperators = []string{string(OpExists), string(OpEqual), string(OpLt), string(OpGt)}
)

// meant returns the first of the words that s is in another letter case, the
// beginning of, or one or two edits away from, and "" if there is none.
func meant(s string, words []string) string {
	for _, w := range words {
		isBeginning := len(s) > 2 && len(s) < len(w) && strings.EqualFold(s, w[:len(s)])
		if isBeginning || strings.EqualFold(s, w) || keyEdits(s, w) > 0 {
			return w
		}
	}
	return ""
}

// keyEdits returns how many edits, 1 or 2, lead from one key to the other, and 0
// if it takes more or the keys are too short for so many edits to mean anything.
func keyEdits(a, b string) int {
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	if most := min(2, (shorter-1)/2); most > 0 && longer-shorter <= most {
		if d := edits(a, b, most); d <= most {
			return d
		}
	}
	return 0
}

// edits returns the number of edits that lead from a to b, where an edit puts in,
// takes out or replaces a byte or swaps two neighbors, and a number above most if
// it takes more than most.
func edits(a, b string, most int) int {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	if a == "" || b == "" || most == 0 {
		return max(len(a), len(b))
	}
	least := edits(a[1:], b[1:], most-1)
	least = min(least, edits(a[1:], b, most-1))
	least = min(least, edits(a, b[1:], most-1))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		least = min(least, edits(a[2:], b[2:], most-1))
	}
	return least + 1
}

// append appends the line that String returns, without escapes.
func (r *Reason) append(b []byte) []byte {
	b = r.Taint.AppendTo(b)
	if r.Tolerated() {
		b = append(b, " is tolerated by "...)
		return r.Closest.AppendTo(b)
	}
	b = append(b, " is not tolerated"...)
	return r.appendClosest(b)
}

// appendClosest appends in parentheses which toleration comes closest and in what
// it differs.
func (r *Reason) appendClosest(b []byte) []byte {
	b = append(b, " ("...)
	if r.closest != 0 {
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
	case r.closest == 0:
		return "nothing comes close"
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
		if r.differ.emptyValue {
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
		words = append(words, unknown("operator", string(r.Closest.Operator), r.differ.meantOperator))
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
	by := uint64(got) - uint64(limit) // in two's complement, right for any two int64
	if r.differ.values == MismatchNotGreater {
		by = -by
	}
	if by == 0 {
		return text + " but equal"
	}
	return text + " but " + strconv.FormatUint(by, 10) + " " + more
}

// unknown says that Kubernetes does not know the effect or operator, and what may
// be meant.
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

// appendLine appends the text with everything escaped that does not print, so
// that it stays one line.
func appendLine(b []byte, text string) []byte {
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		if strconv.IsPrint(c) && (c != utf8.RuneError || size > 1) {
			b = append(b, text[i:i+size]...)
		} else {
			quoted := strconv.Quote(text[i : i+size])
			b = append(b, quoted[1:len(quoted)-1]...)
		}
		i += size
	}
	return b
}
