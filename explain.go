package taints

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

// reason explains one taint.
func (o Options) reason(taint *Taint, tolerations []Toleration) Reason {
	r := Reason{Taint: *taint, Mismatch: MismatchKey}
	if i := o.next(tolerations, taint, -1); i >= 0 {
		r.Mismatch, r.Closest, r.closest = MismatchNone, tolerations[i].clone(), someIndex(i)
		return r
	}
	i, differ := o.closest(taint, tolerations)
	if i < 0 {
		return r
	}
	r.Closest, r.closest, r.differ = tolerations[i].clone(), someIndex(i), differ
	r.differ.detail(&r.Closest)
	r.Mismatch = r.differ.mismatch()
	r.Hint = r.hint()
	if r.Mismatch == MismatchValue && r.Hint == HintNone {
		if key, ok := o.otherKey(taint, tolerations); ok {
			r.differ.otherKey, r.Hint = key, HintOtherKey
		}
	}
	return r
}

// closest returns the index of the toleration, none of which matches, that
// differs least from the taint, and how it differs. The index is -1 if none
// comes close.
func (o Options) closest(taint *Taint, tolerations []Toleration) (closest int, differ differences) {
	closest, least := -1, 0
	for i := range tolerations {
		d, ok := o.differences(&tolerations[i], taint)
		if !ok {
			continue
		}
		if n := d.distance(); closest < 0 || n < least {
			closest, least, differ = i, n, d
		}
	}
	return closest, differ
}
