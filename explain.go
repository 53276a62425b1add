// SPDX-License-Identifier: Apache-2.0

package taints

import "math"

// A Reason says why one taint lets a pod through or does not. Its JSON holds the
// fields: a decoded Reason has no index, and its texts name the first mismatch
// only.
type Reason struct {
	// Taint is the taint. It shares its TimeAdded with the list.
	Taint Taint `json:"taint"`
	// Closest is the first toleration that matches the taint. If none does, it is
	// the first of those that come closest, and zero if none comes close.
	Closest Toleration `json:"closest,omitzero"`
	// Mismatch is the first rule by which Closest does not match the taint. It is
	// MismatchNone if the taint is tolerated, and MismatchKey if no toleration
	// comes close.
	Mismatch Mismatch `json:"mismatch"`
	// Hint is a guess at the mistake in Closest.
	Hint Hint `json:"hint,omitzero"`

	closest  indexPlusOne
	differ   differences
	redacted bool
}

// Toleration returns the index of Closest, and false if no toleration comes
// close.
func (r Reason) Toleration() (i int, ok bool) { return r.closest.get() }

// Tolerated reports whether a toleration matches the taint.
func (r Reason) Tolerated() bool { return r.Mismatch == MismatchNone }

// Why returns how the closest toleration differs from the taint, in all fields,
// as in "the effect differs, the value differs only in letter case" or "40 is
// not less than 30 but 10 more". It returns "nothing comes close" if there is no
// such toleration, and "" if the taint is tolerated. Control characters are
// escaped.
func (r Reason) Why() string { return string(appendLine(nil, r.why())) }

// String returns the reason in one line, as in "dedicated=ml:NoSchedule is not
// tolerated (closest: dedicated=ML:NoSchedule, the value differs only in letter
// case)". Control characters are escaped.
func (r Reason) String() string { return string(appendLine(nil, string(r.append(nil)))) }

// Redact returns the reason with placeholders for keys and values, such as
// "<key1>" and "<value1>", so that it can be shown to those who may not know the
// names in a cluster. Equal texts have equal placeholders. Effects and operators
// that Kubernetes does not know are replaced too, and texts leave out by how
// much a number misses a threshold.
func (r Reason) Redact() Reason { return new(redactor).reason(r) }

// An Explanation holds a [Reason] for each taint of a node, in order.
type Explanation []Reason

// Schedulable reports whether the pod may be placed on the node, like
// [Verdict.Schedulable].
func (e Explanation) Schedulable() bool {
	for i := range e {
		if !e[i].Tolerated() && Hard.Has(e[i].Taint.Effect) {
			return false
		}
	}
	return true
}

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

// Redact returns the explanation with placeholders for keys and values, like
// [Reason.Redact]. Equal texts have equal placeholders in all reasons.
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
// closest and why it does not match. A toleration comes close if its key is
// empty, or the taint's up to letter case, or close to it as for [HintSpelling];
// the closest is the one that differs least in all fields. Without taints the
// result is nil. Use [Filter] for the decision and Explain for the message.
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
func (o Options) closest(taint *Taint, tolerations []Toleration) (int, differences) {
	closest, least := -1, math.MaxInt
	var differ differences
	for i := range tolerations {
		d, ok := o.differences(&tolerations[i], taint)
		if !ok {
			continue
		}
		if n := d.distance(); n < least {
			closest, least, differ = i, n, d
		}
	}
	return closest, differ
}
