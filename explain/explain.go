// SPDX-License-Identifier: Apache-2.0

// Package explain reports why a pod's tolerations do or do not tolerate a
// node's taints. It is for authors of messages and user interfaces. For the
// decision, use [taints.Filter] or [taints.Matcher.Filter].
//
//	m := taints.Compile(pod.Tolerations)
//	fmt.Println(explain.Node(m, node.Taints))
//	fmt.Println(explain.SummarizeGroups(m, taints.HardEffects, index.Groups(), 10)) // of a whole cluster
//
// Texts may change in a minor release. Programs read the fields instead. Functions
// and methods accept any input. They are safe for concurrent use.
package explain

import (
	"slices"

	"github.com/seed-0529bac1/taints"
)

// A Reason describes why a taint is tolerated or not.
type Reason struct {
	// Taint is the taint. It shares its TimeAdded with the list.
	Taint taints.Taint `json:"taint"`
	// Tolerated is whether a toleration tolerates the taint.
	Tolerated bool `json:"tolerated,omitempty"`
	// Closest is the first toleration that tolerates the taint. If none does, it is
	// the first of the closest ones. It is zero if HasClosest returns false.
	Closest taints.Toleration `json:"closest,omitzero"`
	// Toleration is the index of Closest in the list. It is zero if HasClosest
	// returns false.
	Toleration int `json:"toleration"`
	// Differences are the rules that keep Closest from tolerating the taint: at most
	// one each for the effect, the key and the value, in this order.
	Differences []Difference `json:"differences,omitempty"`
}

// A Difference is a rule that keeps a toleration from tolerating a taint.
type Difference struct {
	// Mismatch is the rule.
	Mismatch Mismatch `json:"mismatch"`
	// Hint is a guess at the mistake.
	Hint Hint `json:"hint,omitzero"`
	// Meant is the known effect or operator that an unknown one may mean, with
	// HintLetterCase or HintSpelling, and the other key with HintOtherKey.
	Meant string `json:"meant,omitempty"`
}

// HasClosest reports whether a toleration tolerates the taint or comes close, so
// that Closest and Toleration apply.
func (r Reason) HasClosest() bool { return r.Tolerated || len(r.Differences) > 0 }

// Mismatch returns the mismatch of the first difference, MismatchNone if the taint
// is tolerated, and MismatchKey if no toleration comes close.
func (r Reason) Mismatch() Mismatch {
	switch {
	case r.Tolerated:
		return MismatchNone
	case len(r.Differences) == 0:
		return MismatchKey
	}
	return r.Differences[0].Mismatch
}

// Hint returns the hint of the first difference, or HintNone if there is none.
func (r Reason) Hint() Hint {
	if len(r.Differences) == 0 {
		return HintNone
	}
	return r.Differences[0].Hint
}

// An Explanation holds a [Reason] for each taint of a node, in order.
type Explanation []Reason

// Schedulable reports whether the pod may be placed on the node, like
// [taints.Verdict.Schedulable].
func (e Explanation) Schedulable() bool {
	return !slices.ContainsFunc(e, func(r Reason) bool {
		return !r.Tolerated && taints.HardEffects.Has(r.Taint.Effect)
	})
}

// Node reports, for each taint of a node, which of m's tolerations tolerates it, or
// which one comes closest and why it does not. A toleration comes close if its key
// matches the taint's, equals it except for letter case, or may be a misspelling of
// it; see [HintSpelling]. The closest one differs least in all fields together.
// The closest is one of the first 1,000 tolerations. Without taints the result is nil.
// Node takes time proportional to the taints times the tolerations, and to the lengths
// of their keys.
//
// A node that was just cordoned may not have the taint of [taints.NodeUnschedulable]
// yet: look at its spec.unschedulable too.
func Node(m *taints.Matcher, list []taints.Taint) Explanation {
	if len(list) == 0 {
		return nil
	}
	x := newExplainer(m)
	e := make(Explanation, len(list))
	for i := range list {
		e[i] = x.reason(&list[i])
	}
	return e
}

// Taint reports the same for one taint. It is the only element of what [Node]
// returns for a list of this taint.
func Taint(m *taints.Matcher, taint taints.Taint) Reason {
	x := newExplainer(m)
	return x.reason(&taint)
}

// searched is how many tolerations are searched for the closest. It limits the time
// that a pod with thousands of tolerations takes.
const searched = 1000

// An explainer explains taints.
type explainer struct {
	matcher     *taints.Matcher
	tolerations []taints.Toleration
	options     taints.Options
}

func newExplainer(m *taints.Matcher) explainer {
	const usual = 8 // tolerations of a pod
	list := slices.AppendSeq(make([]taints.Toleration, 0, usual), m.Tolerations())
	return explainer{matcher: m, tolerations: list, options: m.Options()}
}

// reason explains one taint.
func (x *explainer) reason(taint *taints.Taint) Reason {
	r := Reason{Taint: *taint}
	i, ok := x.matcher.Match(*taint)
	if r.Tolerated = ok; !ok {
		i, ok = x.closest(taint)
	}
	if !ok {
		return r
	}
	r.Closest, r.Toleration = x.tolerations[i], i
	if s := r.Closest.TolerationSeconds; s != nil {
		seconds := *s // not shared with the Matcher
		r.Closest.TolerationSeconds = &seconds
	}
	r.Differences = x.differences(&r.Closest, taint)
	return r
}
