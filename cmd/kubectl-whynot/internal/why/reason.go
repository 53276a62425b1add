// SPDX-License-Identifier: Apache-2.0

// Package why says why nodes keep pods off: which taints do, which toleration is closest to
// each, and what else does.
package why

import (
	"maps"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/explain"
)

// Reasons describe why taints reject the pods of a profile.
type Reasons map[[3]string]explain.Reason

// Of returns the reason why the taint rejects the pods.
func (r Reasons) Of(t taints.Taint) explain.Reason { return r[cluster.KeyOf(t)] }

// ReasonsOf returns the reasons why the hard taints of the shares reject the pods.
func ReasonsOf(p *cluster.Profile, shares []cluster.Share) Reasons {
	list := cluster.Distinct(slices.Concat(lists.Each(shares, func(s cluster.Share) []taints.Taint { return s.Group.Taints })...))
	m := make(Reasons)
	for _, t := range p.Matcher.Untolerated(list, taints.HardEffects) {
		m[cluster.KeyOf(*t)] = ReasonOf(p, *t)
	}
	return m
}

// ReasonOf says why no toleration is for the taint. What every pod gets is not close.
func ReasonOf(p *cluster.Profile, t taints.Taint) explain.Reason {
	r := explain.Taint(p.Family.Matcher, t)
	if cluster.IsDefault(r.Closest) {
		return explain.Reason{Taint: t}
	}
	return r
}

// Words names the toleration that is closest to the taint, and says how it differs.
func Words(r explain.Reason) string {
	if !r.HasClosest() {
		return "no toleration has this key"
	}
	text := "closest toleration " + say.Toleration(r.Closest) + ", " + r.Why()
	isValue := func(d explain.Difference) bool { return d.Mismatch == explain.MismatchValue }
	if r.Taint.Value == "" && slices.ContainsFunc(r.Differences, isValue) {
		text += " as the taint has no value"
	}
	return text
}

// Text names the taints, together if their closest tolerations differ alike.
func (r Reasons) Text(list []taints.Taint) string {
	words := func(t taints.Taint) string {
		if r := r.Of(t); r.HasClosest() {
			return " (" + Words(r) + ")"
		}
		return ""
	}
	clauses := lists.Grouped(list, words)
	slices.SortStableFunc(clauses, func(a, b []taints.Taint) int { // those without a close toleration last
		return lists.CompareBools(words(a[0]) == "", words(b[0]) == "")
	})
	return strings.Join(say.FirstOf(lists.Each(clauses, func(list []taints.Taint) string {
		return "untolerated " + say.Noun(len(list), "taint") + " " + say.TaintsText(list) + words(list[0])
	}), 3), "; ")
}

// Taints returns the taints that reject the pods, sorted.
func (r Reasons) Taints() []taints.Taint {
	list := lists.Each(slices.Collect(maps.Values(r)), func(r explain.Reason) taints.Taint { return r.Taint })
	slices.SortFunc(list, taints.Taint.Compare)
	return list
}

// Untolerated returns the untolerated hard taints, sorted and without times.
func Untolerated(m *taints.Matcher, g *cluster.Group) []taints.Taint {
	var list []taints.Taint
	for _, t := range m.Untolerated(g.Taints, taints.HardEffects) {
		list = append(list, purpose.WithoutTime(*t))
	}
	return list
}
