// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/names"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/internal/visible"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/internal/known"
)

// The reasons of a profile describe why taints reject its pods.
type reasons map[[3]string]explain.Reason

// of returns the reason why the taint rejects the pods.
func (r reasons) of(t taints.Taint) explain.Reason { return r[cluster.KeyOf(t)] }

// reasonsOf returns the reasons why the hard taints of the shares reject the pods.
func (a *analyst) reasonsOf(p *cluster.Profile, shares []cluster.Share) reasons {
	list := cluster.Distinct(slices.Concat(say.Each(shares, func(s cluster.Share) []taints.Taint { return s.Group.Taints })...))
	m := make(reasons)
	for _, t := range p.Matcher.Untolerated(list, taints.HardEffects) {
		m[cluster.KeyOf(*t)] = reasonOf(p, *t)
	}
	return m
}

// reasonOf says why no toleration is for the taint. What every pod gets is not close.
func reasonOf(p *cluster.Profile, t taints.Taint) explain.Reason {
	r := explain.Taint(p.Family.Matcher, t)
	if cluster.IsDefault(r.Closest) {
		return explain.Reason{Taint: t}
	}
	return r
}

// wordsOf names the toleration that is closest to the taint, and says how it differs.
func wordsOf(r explain.Reason) string {
	if !r.HasClosest() {
		return "no toleration has this key"
	}
	text := "closest toleration " + visible.Toleration(r.Closest) + ", " + r.Why()
	isValue := func(d explain.Difference) bool { return d.Mismatch == explain.MismatchValue }
	if r.Taint.Value == "" && slices.ContainsFunc(r.Differences, isValue) {
		text += " as the taint has no value"
	}
	return text
}

// reasonsText names the taints, together if their closest tolerations differ alike.
func reasonsText(why reasons, list []taints.Taint) string {
	words := func(t taints.Taint) string {
		if r := why.of(t); r.HasClosest() {
			return " (" + wordsOf(r) + ")"
		}
		return ""
	}
	clauses := say.Grouped(list, words)
	slices.SortStableFunc(clauses, func(a, b []taints.Taint) int { // those without a close toleration last
		return order(words(a[0]) == "", words(b[0]) == "")
	})
	return strings.Join(say.FirstOf(say.Each(clauses, func(list []taints.Taint) string {
		return "untolerated " + say.Noun(len(list), "taint") + " " + say.TaintsText(list) + words(list[0])
	}), 3), "; ")
}

func taintsOf(why reasons) []taints.Taint {
	list := say.Each(slices.Collect(maps.Values(why)), func(r explain.Reason) taints.Taint { return r.Taint })
	slices.SortFunc(list, taints.Taint.Compare)
	return list
}

// valuesOf counts the values of each key and effect among distinct taints.
func valuesOf(distinct []taints.Taint) map[taints.TaintID]int {
	values := make(map[taints.TaintID]int)
	for _, t := range distinct {
		values[t.ID()]++
	}
	return values
}

// order compares for sorting. False comes before true, as in the alphabet.
func order(a, b bool) int { return strings.Compare(strconv.FormatBool(a), strconv.FormatBool(b)) }

// isMistake reports whether the closest toleration was meant for the taint. If only a
// value or key differs, the taint may exist to keep exactly this pod off the node. A
// toleration is intended if it tolerates a taint of some node, evicts pods at once, or
// lets them stay for a time and is not for this effect.
func (a *adviser) isMistake(r explain.Reason) bool {
	t := r.Closest
	switch {
	case t.Key == "",
		t.Key != r.Taint.Key && !names.IsSameWord(t.Key, r.Taint.Key),
		!isEffect(t.Effect) && !strings.EqualFold(string(t.Effect), string(r.Taint.Effect)),
		t.TolerationSeconds != nil && (*t.TolerationSeconds <= 0 || t.Effect != r.Taint.Effect):
		return false
	}
	switch operator := knownOperator(t.Operator); {
	case operator == taints.OpLt || operator == taints.OpGt: // a limit is rarely a mistake
		return false
	case operator == taints.OpExists:
	case t.Value == "" && r.Taint.Value != "":
		hasValue := func(o taints.Toleration) bool { return o.Value != "" && strings.EqualFold(o.Key, t.Key) }
		if !strings.EqualFold(t.Key, r.Taint.Key) || a.rejecting[r.Taint.ID()] > 1 || slices.ContainsFunc(a.Tolerations, hasValue) {
			return false
		}
	case !strings.EqualFold(strings.TrimSpace(t.Value), r.Taint.Value):
		return false
	}
	return !slices.ContainsFunc(a.taints, t.Tolerates) // the slowest question comes last
}

// isEffect reports whether a toleration may have the effect. Empty means all.
func isEffect(e taints.Effect) bool { return e == "" || known.IsEffect(e) }

// corrected returns the mistaken toleration with the fewest changes that make it
// tolerate the taint, and forever: otherwise the pod would be evicted from each node.
func corrected(r explain.Reason) taints.Toleration {
	t := r.Closest
	t.Key, t.TolerationSeconds = r.Taint.Key, nil
	if t.Effect != "" {
		t.Effect = r.Taint.Effect
	}
	if t.Tolerates(r.Taint) {
		return t
	}
	if knownOperator(t.Operator) == taints.OpExists {
		t.Operator, t.Value = taints.OpExists, ""
		return t
	}
	t.Value = r.Taint.Value
	if t.Operator != "" {
		t.Operator = taints.OpEqual
	}
	return t
}

// knownOperator returns the operator, in the right letter case, or else Equal.
func knownOperator(op taints.Operator) taints.Operator {
	for _, known := range []taints.Operator{taints.OpExists, taints.OpLt, taints.OpGt} {
		if strings.EqualFold(string(op), string(known)) {
			return known
		}
	}
	return taints.OpEqual
}

// tolerationOf returns a toleration of just this taint. Without a value the usual
// form is Exists, unless it would also tolerate taints of nodes with a value.
func (a *analyst) tolerationOf(t taints.Taint) taints.Toleration {
	added := t.Toleration()
	if t.Value == "" && a.values[t.ID()] == 1 {
		added.Operator = taints.OpExists
	}
	return added
}
