// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"iter"
	"strconv"
	"strings"
)

// In this file, a small function answers for a node without taints, and calls a
// larger one for all others. The compiler inlines the small one, so most nodes of
// most clusters cost no call: without this, the rows "a node without taints" of the
// ratios take twice as long.

// FindUntolerated returns the index of the first untolerated taint with an effect in
// the set, and whether there is one (FindMatchingUntoleratedTaint in Kubernetes). To
// filter nodes, pass [HardEffects].
func FindUntolerated(taints []Taint, tolerations []Toleration, in EffectSet) (i int, found bool) {
	if len(taints) == 0 {
		return -1, false
	}
	return findUntolerated(taints, tolerations, in)
}

func findUntolerated(taints []Taint, tolerations []Toleration, in EffectSet) (i int, found bool) {
	return Options{}.On(tolerations).FindUntolerated(taints, in)
}

// FindUntolerated is like the function [FindUntolerated] for m's tolerations.
func (m *Matcher) FindUntolerated(taints []Taint, in EffectSet) (i int, found bool) {
	if len(taints) == 0 {
		return -1, false
	}
	i = m.findUntolerated(taints, in)
	return i, i >= 0
}

func (m *Matcher) findUntolerated(taints []Taint, in EffectSet) int {
	if m == nil {
		m = new(Matcher)
	}
	for i := range taints {
		if t := &taints[i]; m.next(t, m.start(t)) < 0 && in.Has(t.Effect) {
			return i
		}
	}
	return -1
}

// Untolerated returns an iterator over the indexes and addresses of the untolerated
// taints with an effect in the set, in order. It reads the lists during the loop.
func Untolerated(taints []Taint, tolerations []Toleration, in EffectSet) iter.Seq2[int, *Taint] {
	return Options{}.On(tolerations).Untolerated(taints, in)
}

// Untolerated is like the function [Untolerated] for m's tolerations.
func (m *Matcher) Untolerated(taints []Taint, in EffectSet) iter.Seq2[int, *Taint] {
	return m.each(taints, in, false)
}

// Tolerated is like [Matcher.Untolerated] for the taints that one of m's
// tolerations tolerates. To select taints by key and effect, compile
// [TolerationsFor].
func (m *Matcher) Tolerated(taints []Taint, in EffectSet) iter.Seq2[int, *Taint] {
	return m.each(taints, in, true)
}

func (m *Matcher) each(taints []Taint, in EffectSet, tolerated bool) iter.Seq2[int, *Taint] {
	return func(yield func(int, *Taint) bool) {
		m := m // several loops may run at a time
		if m == nil {
			m = new(Matcher)
		}
		for i := range taints {
			t := &taints[i]
			if (m.next(t, m.start(t)) >= 0) == tolerated && in.Has(t.Effect) && !yield(i, t) {
				return
			}
		}
	}
}

// A Verdict holds the number of untolerated taints of a node, by effect. The zero
// Verdict means that all taints are tolerated.
type Verdict struct {
	NoSchedule       int `json:"noSchedule,omitempty"`
	PreferNoSchedule int `json:"preferNoSchedule,omitempty"`
	NoExecute        int `json:"noExecute,omitempty"`
	Other            int `json:"other,omitempty"` // effects that Kubernetes does not know
}

// Schedulable reports whether the pod may be placed on the node: no NoSchedule or
// NoExecute taint is untolerated.
func (v Verdict) Schedulable() bool { return v.NoSchedule == 0 && v.NoExecute == 0 }

// AllTolerated reports whether every taint of the node is tolerated, whatever its
// effect.
func (v Verdict) AllTolerated() bool { return v == Verdict{} }

// Avoid reports whether the pod may be placed on the node but should rather be
// placed on another, because a PreferNoSchedule taint is untolerated.
func (v Verdict) Avoid() bool { return v.Schedulable() && v.PreferNoSchedule > 0 }

// String returns the numbers that are not zero, as in "untolerated: 2 NoSchedule",
// and "all tolerated" for the zero Verdict.
func (v Verdict) String() string {
	var numbers []string
	names := [...]Effect{NoSchedule, PreferNoSchedule, NoExecute, "other"}
	for i, n := range [...]int{v.NoSchedule, v.PreferNoSchedule, v.NoExecute, v.Other} {
		if n != 0 {
			numbers = append(numbers, strconv.Itoa(n)+" "+string(names[i]))
		}
	}
	if numbers == nil {
		return "all tolerated"
	}
	return "untolerated: " + strings.Join(numbers, ", ")
}

// Filter returns how many of a node's taints none of the tolerations tolerates,
// by effect.
func Filter(taints []Taint, tolerations []Toleration) Verdict {
	if len(taints) == 0 {
		return Verdict{}
	}
	return Options{}.On(tolerations).Filter(taints)
}

// Filter is like the function [Filter] for m's tolerations.
func (m *Matcher) Filter(taints []Taint) Verdict {
	if len(taints) == 0 {
		return Verdict{}
	}
	return m.filter(taints)
}

func (m *Matcher) filter(taints []Taint) Verdict {
	if m == nil {
		m = new(Matcher)
	}
	var v Verdict
	for i := range taints {
		t := &taints[i]
		if m.next(t, m.start(t)) < 0 {
			v.add(t.Effect)
		}
	}
	return v
}

// add adds an untolerated taint of the effect.
func (v *Verdict) add(effect Effect) {
	switch effect {
	case NoSchedule:
		v.NoSchedule++
	case PreferNoSchedule:
		v.PreferNoSchedule++
	case NoExecute:
		v.NoExecute++
	default:
		v.Other++
	}
}
