package taints

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// A Hint is a guess at what went wrong where a toleration comes close to a taint and does not match.
type Hint uint8

const (
	// HintLetterCase: the field that [Reason.Mismatch] names would match but for upper and lower case.
	HintLetterCase Hint = iota + 1
	// HintSpelling: the field that Mismatch names may be misspelt. That is a key one or two edits from the taint's, where an edit
	// puts in, takes out or replaces a letter, or swaps two neighbours; or an unknown effect or operator that is so near a
	// known one, or its beginning.
	HintSpelling
	// HintEmptyValue: the operator is Equal and the value empty, which tolerates only a taint without a value. Exists
	// tolerates any value.
	HintEmptyValue
	// HintOtherKey: the value is not the taint's, and another toleration has the taint's value with Equal under a key that is not
	// the taint's, as "dedicated=db" and "team=ml" for a taint "dedicated=ml".
	HintOtherKey
)

// String returns what the hint means, "no hint" for zero, and shows a number that stands for nothing as such.
func (h Hint) String() string {
	return enumName("hint", int(h),
		"no hint",
		"it differs only in letter case",
		"it may be misspelt",
		"Equal with an empty value matches only an empty value",
		"the value stands under another key",
	)
}

// A Reason says why one taint lets a pod through or does not.
type Reason struct {
	// Taint is the taint. Its TimeAdded is shared with the list it comes from.
	Taint Taint
	// Toleration is the index of the first toleration that matches the taint. Where none does, it is the index of the one
	// that comes closest, the first of several, and -1 if none comes close: none has the taint's key, or none at all, or
	// one like it.
	Toleration int
	// Closest is that toleration, with seconds of its own, and zero for -1.
	Closest Toleration
	// Mismatch is zero if the taint is tolerated, and otherwise the first rule that Closest fails ([Toleration.Check]), or
	// MismatchKey where nothing comes close.
	Mismatch Mismatch
	// Hint is a guess at a mistake in Closest, and zero where there is none to make.
	Hint Hint

	otherKey string  // the key that HintOtherKey is about
	options  Options // that were in force
}

// Tolerated reports whether a toleration matches the taint.
func (r Reason) Tolerated() bool { return r.Mismatch == 0 }

// Why says in words in what the closest toleration differs from the taint, in all fields and not only in the first, as
// in "the effect differs, the value differs only in letter case" or "40 is not less than 30 but 10 more". It is "nothing
// comes close" where there is no such toleration, and empty where the taint is tolerated. It may hold keys and values.
func (r Reason) Why() string { return r.why(nil) }

// String returns the reason in one line, as in "dedicated=ml:NoSchedule is not tolerated (closest:
// dedicated=ML:NoSchedule, the value differs only in letter case)".
func (r Reason) String() string { return string(r.append(nil, nil)) }

// Redacted returns what String returns with names in place of keys and values, <key1>, <value1> and so on; the same text
// has the same name. Effects and operators that Kubernetes does not know are replaced too, but not the known ones that may be
// meant; by how much a threshold is missed is left out.
func (r Reason) Redacted() string { return string(r.append(nil, new(redactor))) }

// An Explanation has a [Reason] for each taint of a node, in the order of its taints.
type Explanation []Reason

// Schedulable reports whether the pod may be placed on the node: every NoSchedule and NoExecute taint is tolerated. It
// is what [Verdict.Schedulable] reports.
func (e Explanation) Schedulable() bool {
	for i := range e {
		if !e[i].Tolerated() && Hard.Has(e[i].Taint.Effect) {
			return false
		}
	}
	return true
}

// String returns a line for each taint, as [Reason.String] has it, with a line feed between them; it is empty without taints.
func (e Explanation) String() string { return e.text(nil) }

// Redacted returns what String returns without keys and values, see [Reason.Redacted]; one text has one name in all of
// its lines.
func (e Explanation) Redacted() string { return e.text(new(redactor)) }

func (e Explanation) text(r *redactor) string {
	var b []byte
	for i := range e {
		if i > 0 {
			b = append(b, '\n')
		}
		b = e[i].append(b, r)
	}
	return string(b)
}

// Explain says for each taint which toleration matches it, or which one comes closest and why it fails. A toleration comes
// close when its key is the taint's, empty, the taint's in other letter case, or one or two edits away; of those the one
// that differs least wins. All input is accepted, see [Toleration.Tolerates]. Without taints the result is nil. It
// allocates; use [Filter] for the decision and Explain for the message.
func Explain(taints []Taint, tolerations []Toleration) Explanation {
	return Options{}.explain(taints, tolerations)
}

// Explain is the function [Explain] for the compiled tolerations.
func (m *Matcher) Explain(taints []Taint) Explanation {
	tolerations, options := m.list()
	return options.explain(taints, tolerations)
}

func (o Options) explain(taints []Taint, tolerations []Toleration) Explanation {
	var e Explanation
	for i := range taints {
		e = append(e, o.reason(&taints[i], tolerations))
	}
	return e
}

func (o Options) reason(taint *Taint, tolerations []Toleration) Reason {
	r := Reason{Taint: *taint, Toleration: -1, Mismatch: MismatchKey, options: o}
	least := notClose
	for i := range tolerations {
		t := &tolerations[i]
		mismatch := o.check(t, taint)
		if mismatch == 0 {
			r.Toleration, r.Mismatch = i, 0
			break
		}
		if d := o.distance(t, taint); d < least {
			least, r.Toleration, r.Mismatch = d, i, mismatch
		}
	}
	if r.Toleration >= 0 {
		r.Closest = tolerations[r.Toleration].clone()
		r.Hint = r.hint()
	}
	if r.Mismatch == MismatchValue && r.Hint == 0 {
		r.otherKey = o.otherKey(taint, tolerations)
		if r.otherKey != "" {
			r.Hint = HintOtherKey
		}
	}
	return r
}

// otherKey returns the key of the first toleration that has the taint's value, which is not empty, under a key that is not the
// taint's, and the empty string if there is none.
func (o Options) otherKey(taint *Taint, tolerations []Toleration) string {
	for i := range tolerations {
		t := &tolerations[i]
		if t.Value == taint.Value && t.Value != "" && t.operator() == OpEqual && !o.keyMatches(t, taint) {
			return t.Key
		}
	}
	return ""
}

// notClose is the distance of a toleration that has nothing to do with a taint.
const notClose = 1 << 10

// distance says how far the toleration, which does not match, is from the taint: each field that differs adds to it, less
// if it differs only in letter case, and most if it is the key.
func (o Options) distance(t *Toleration, taint *Taint) int {
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
		d += differs(string(t.Effect), string(taint.Effect))
	}
	switch o.checkValues(t, taint) {
	case 0:
	case MismatchValue:
		d += differs(t.Value, taint.Value)
	default:
		d += 2
	}
	return d
}

// differs weighs two different texts.
func differs(a, b string) int {
	if strings.EqualFold(a, b) {
		return 1
	}
	return 3
}

func (r *Reason) hint() Hint {
	t, taint := &r.Closest, &r.Taint
	switch r.Mismatch {
	case MismatchEffect:
		if strings.EqualFold(string(t.Effect), string(taint.Effect)) {
			return HintLetterCase
		}
		if !knownEffect(t.Effect) && meantEffect(t.Effect) != "" {
			return HintSpelling
		}
	case MismatchKey:
		if strings.EqualFold(t.Key, taint.Key) {
			return HintLetterCase
		}
		return HintSpelling
	case MismatchValue:
		if t.Value == "" {
			return HintEmptyValue
		}
		if strings.EqualFold(t.Value, taint.Value) {
			return HintLetterCase
		}
	case MismatchOperator:
		switch meant := meantOperator(t.Operator); {
		case meant == "":
		case strings.EqualFold(string(t.Operator), meant):
			return HintLetterCase
		default:
			return HintSpelling
		}
	}
	return 0
}

// meantEffect returns the known effect that the unknown one may stand for, and the empty string if there is none.
func meantEffect(e Effect) string {
	return meant(string(e), string(NoSchedule), string(PreferNoSchedule), string(NoExecute))
}

// meantOperator is meantEffect for operators.
func meantOperator(op Operator) string {
	return meant(string(op), string(OpExists), string(OpEqual), string(OpLt), string(OpGt))
}

// meant returns the first of the words that s is in another letter case, the beginning of, or one or two edits away from, and
// the empty string if there is none.
func meant(s string, words ...string) string {
	for _, w := range words {
		isBeginning := len(s) > 2 && len(s) < len(w) && strings.EqualFold(s, w[:len(s)])
		if isBeginning || strings.EqualFold(s, w) || keyEdits(s, w) > 0 {
			return w
		}
	}
	return ""
}

// keyEdits returns how many edits, 1 or 2, lead from one key to the other, and 0 if it takes more or the keys are too short
// for so many edits to mean anything.
func keyEdits(a, b string) int {
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	if most := min(2, (shorter-1)/2); most > 0 && longer-shorter <= most {
		if d := edits(a, b, most); d <= most {
			return d
		}
	}
	return 0
}

// edits returns the number of edits that lead from a to b, where an edit puts in, takes out or replaces a byte or swaps two
// neighbours, and a number above most if it takes more than most.
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

// A Summary folds the taints of many nodes into one line per reason.
type Summary struct {
	// Nodes is how many nodes were looked at, and Feasible how many of them have no untolerated NoSchedule or NoExecute taint.
	Nodes, Feasible int
	// Reasons has one entry for each distinct taint, by key, value and effect, that keeps the pod off a node; most frequent
	// first, then in order of key, value and effect. TimeAdded is nil in all.
	Reasons []SummaryReason
}

// A SummaryReason is one taint of a [Summary].
type SummaryReason struct {
	Reason
	// Nodes is how many nodes have the taint. A node with several untolerated taints counts under each, so the numbers may
	// add up to more than the nodes.
	Nodes int
}

// Summarize says over many nodes, given by their taints, why the pod with the tolerations can not be placed on them. It goes
// through nodes once and retains nothing of it but strings; a nil sequence is one without nodes. The order of nodes, and
// of the taints of a node, makes no difference. All input is accepted, see [Toleration.Tolerates].
func Summarize(nodes iter.Seq[[]Taint], tolerations []Toleration) Summary {
	return Options{}.summarize(nodes, tolerations)
}

// Summarize is the function [Summarize] for the compiled tolerations.
func (m *Matcher) Summarize(nodes iter.Seq[[]Taint]) Summary {
	tolerations, options := m.list()
	return options.summarize(nodes, tolerations)
}

func (o Options) summarize(nodes iter.Seq[[]Taint], tolerations []Toleration) Summary {
	var s summarizer
	if nodes != nil {
		for taints := range nodes {
			s.add(o, taints, tolerations)
		}
	}
	s.sort()
	return s.Summary
}

// sort brings the reasons in order.
func (s *Summary) sort() {
	slices.SortFunc(s.Reasons, func(a, b SummaryReason) int {
		if a.Nodes != b.Nodes {
			return b.Nodes - a.Nodes
		}
		return a.Taint.Compare(b.Taint)
	})
}

// A summarizer builds a Summary node by node.
type summarizer struct {
	Summary
	place map[Taint]int // in Reasons, or -1 for a taint that is tolerated; keys have no TimeAdded
	last  []int         // the last node that each of Reasons was counted for
}

func (s *summarizer) add(o Options, taints []Taint, tolerations []Toleration) {
	s.Nodes++
	feasible := true
	for i := range taints {
		if !Hard.Has(taints[i].Effect) {
			continue
		}
		place := s.find(o, taints[i], tolerations)
		if place < 0 {
			continue
		}
		feasible = false
		if s.last[place] != s.Nodes {
			s.last[place] = s.Nodes
			s.Reasons[place].Nodes++
		}
	}
	if feasible {
		s.Feasible++
	}
}

// find returns the place of the taint in Reasons, and -1 if it is tolerated.
func (s *summarizer) find(o Options, taint Taint, tolerations []Toleration) int {
	taint.TimeAdded = nil
	place, ok := s.place[taint]
	if ok {
		return place
	}
	place = -1
	if r := o.reason(&taint, tolerations); !r.Tolerated() {
		place = len(s.Reasons)
		s.Reasons = append(s.Reasons, SummaryReason{Reason: r})
		s.last = append(s.last, 0)
	}
	if s.place == nil {
		s.place = make(map[Taint]int)
	}
	s.place[taint] = place
	return place
}

// String returns the summary in one line in the manner of the kube-scheduler: "0/13 nodes are available: 3 have untolerated
// taint dedicated=ml:NoSchedule (closest: dedicated=ML:NoSchedule, the value differs only in letter case), 1 has …".
func (s Summary) String() string { return s.text(nil, " ", ", ") }

// Redacted returns what String returns without keys and values, see [Reason.Redacted].
func (s Summary) Redacted() string { return s.text(new(redactor), " ", ", ") }

// Report returns the summary in full, with a line for each reason below the line that counts the nodes. The lines end where the
// next begins: there is no line feed at the end.
func (s Summary) Report() string { return s.text(nil, "\n  ", "\n  ") }

// RedactedReport returns what Report returns without keys and values, see [Reason.Redacted].
func (s Summary) RedactedReport() string { return s.text(new(redactor), "\n  ", "\n  ") }

// text writes the reasons after a colon and the text first, with the text between between them.
func (s Summary) text(r *redactor, first, between string) string {
	b := make([]byte, 0, 256)
	b = strconv.AppendInt(b, int64(s.Feasible), 10)
	b = append(b, '/')
	b = strconv.AppendInt(b, int64(s.Nodes), 10)
	b = append(b, " nodes are available"...)
	for i := range s.Reasons {
		reason := &s.Reasons[i]
		if i == 0 {
			b = append(append(b, ':'), first...)
		} else {
			b = append(b, between...)
		}
		b = strconv.AppendInt(b, int64(reason.Nodes), 10)
		if reason.Nodes == 1 {
			b = append(b, " has untolerated taint "...)
		} else {
			b = append(b, " have untolerated taint "...)
		}
		taint, closest := r.pair(&reason.Reason)
		b = taint.AppendTo(b)
		b = reason.appendClosest(b, r, closest)
	}
	return string(b)
}

// append appends the line that String returns.
func (r Reason) append(b []byte, names *redactor) []byte {
	taint, closest := names.pair(&r)
	b = taint.AppendTo(b)
	if r.Tolerated() {
		b = append(b, " is tolerated by "...)
		return closest.AppendTo(b)
	}
	b = append(b, " is not tolerated"...)
	return r.appendClosest(b, names, closest)
}

// appendClosest appends in parentheses which toleration comes closest and in what it differs.
func (r Reason) appendClosest(b []byte, names *redactor, closest Toleration) []byte {
	b = append(b, " ("...)
	if r.Toleration >= 0 {
		b = append(b, "closest: "...)
		b = closest.AppendTo(b)
		b = append(b, ", "...)
	}
	b = append(b, r.why(names)...)
	return append(b, ')')
}

func (r Reason) why(names *redactor) string {
	switch {
	case r.Tolerated():
		return ""
	case r.Toleration < 0:
		return "nothing comes close"
	}
	return strings.Join(r.differences(names), ", ")
}

// differences returns every field in which the closest toleration fails, in words.
func (r Reason) differences(names *redactor) []string {
	var words []string
	t, taint := &r.Closest, &r.Taint
	if !r.options.keyMatches(t, taint) {
		words = append(words, inWords("the key differs", t.Key, taint.Key))
	}
	if !effectMatches(t, taint) {
		if knownEffect(t.Effect) {
			words = append(words, inWords("the effect differs", string(t.Effect), string(taint.Effect)))
		} else {
			words = append(words, unknown("effect", string(names.effect(t.Effect)), meantEffect(t.Effect)))
		}
	}
	switch mismatch := r.options.checkValues(t, taint); mismatch {
	case 0:
	case MismatchValue:
		if t.Value == "" {
			words = append(words, "its empty value matches only an empty value")
		} else {
			words = append(words, inWords(mismatch.String(), t.Value, taint.Value))
		}
		if r.otherKey != "" {
			words = append(words, names.value(taint.Value)+" stands under the key "+names.key(r.otherKey))
		}
	case MismatchNotInteger:
		words = append(words, r.notInteger())
	case MismatchNotLess, MismatchNotGreater:
		words = append(words, r.missed(names))
	case MismatchOperator:
		words = append(words, unknown("operator", string(names.operator(t.Operator)), meantOperator(t.Operator)))
	default:
		words = append(words, mismatch.String())
	}
	return words
}

// notInteger says whose value is no integer.
func (r Reason) notInteger() string {
	if _, ok := parseInteger(r.Closest.Value); !ok {
		return "its value is not an integer"
	}
	return "the taint's value is not an integer"
}

// missed says by how much the taint's value misses the threshold; where names are to be given, not by how much.
func (r Reason) missed(names *redactor) string {
	got, _ := parseInteger(r.Taint.Value)
	limit, _ := parseInteger(r.Closest.Value)
	relation, more := "less", "more"
	by := uint64(got) - uint64(limit) // of two's complement, which is right for any two int64
	if r.Closest.Operator == OpGt {
		relation, more, by = "greater", "less", -by
	}
	text := names.value(r.Taint.Value) + " is not " + relation + " than " + names.value(r.Closest.Value)
	switch {
	case names != nil:
		return text
	case by == 0:
		return text + " but equal"
	}
	return text + " but " + strconv.FormatUint(by, 10) + " " + more
}

// unknown says that Kubernetes does not know the effect or operator, and what may be meant.
func unknown(field, name, meant string) string {
	text := "the " + field + " " + name + " is unknown"
	if meant != "" {
		text += ", " + meant + " may be meant"
	}
	return text
}

// inWords says that a, which is not b, differs from it.
func inWords(differs, a, b string) string {
	if strings.EqualFold(a, b) {
		return differs + " only in letter case"
	}
	return differs
}

// A redactor gives names to keys and values, the same text the same name. The nil redactor leaves them as they are.
type redactor struct {
	keys, values []string
}

func (r *redactor) key(s string) string {
	if r == nil || s == "" {
		return s
	}
	return name("key", &r.keys, s)
}

func (r *redactor) value(s string) string {
	if r == nil || s == "" {
		return s
	}
	return name("value", &r.values, s)
}

// name returns the name of s among those seen.
func name(kind string, seen *[]string, s string) string {
	i := slices.Index(*seen, s)
	if i < 0 {
		i = len(*seen)
		*seen = append(*seen, s)
	}
	return "<" + kind + strconv.Itoa(i+1) + ">"
}

func (r *redactor) effect(e Effect) Effect {
	if r == nil || e == "" || knownEffect(e) {
		return e
	}
	return "<effect>"
}

func (r *redactor) operator(op Operator) Operator {
	switch op {
	case "", OpEqual, OpExists, OpLt, OpGt:
		return op
	}
	if r == nil {
		return op
	}
	return "<operator>"
}

// pair returns the taint and the closest toleration of the reason as they are to be shown.
func (r *redactor) pair(reason *Reason) (Taint, Toleration) {
	taint, t := reason.Taint, reason.Closest
	taint.Key, taint.Value, taint.Effect = r.key(taint.Key), r.value(taint.Value), r.effect(taint.Effect)
	t.Key, t.Value, t.Effect, t.Operator = r.key(t.Key), r.value(t.Value), r.effect(t.Effect), r.operator(t.Operator)
	return taint, t
}
