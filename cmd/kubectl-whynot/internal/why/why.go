// SPDX-License-Identifier: Apache-2.0

// Package why says why nodes keep pods off: which taints do, which toleration is closest to
// each, and what else does.
package why

import (
	"maps"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/fiterror"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/explain"
)

// A Placement describes where the pods of a profile can run.
type Placement struct {
	Matching        int         `json:"matchingNodes"`     // by node selector and required node affinity
	Feasible        int         `json:"feasibleNodes"`     // of these, without an untolerated taint
	FeasibleNames   []string    `json:"feasibleNodeNames"` // up to MaxNames
	MissingLabels   []string    `json:"missingLabels"`     // required labels that no node has
	Rejections      []Rejection `json:"rejections"`        // up to MaxListed; RejectionsTotal counts all
	RejectionsTotal int         `json:"rejectionsTotal"`

	Nodes     int             `json:"-"` // of the input
	Kept      map[string]int  `json:"-"` // nodes that keep a pod off, by the reason of the scheduler
	Rejecting []cluster.Share `json:"-"` // nodes that match and have an untolerated taint
	Meant     []cluster.Share `json:"-"` // of these, those that have the requested resources, if some have
	Only      string          `json:"-"` // says which nodes have these, to begin a text; empty: all, or some are feasible
	Reasons   Reasons         `json:"-"` // why the taints of Meant reject the pods
	Lacks     []string        `json:"-"` // says which of the requested resources no node has enough of
	Unmatched string          `json:"-"` // says why no node matches; empty: some do
}

// Limits for lists that could be as long as the number of nodes, for as many pods.
const (
	MaxNames  = 100
	MaxListed = 50
)

// A Rejection is a taint that keeps the pods off matching nodes.
type Rejection struct {
	Taint    taints.Taint       `json:"taint"`
	Nodes    int                `json:"nodes"`
	Closest  *taints.Toleration `json:"closest"` // nil: none; Why describes how it differs
	Why      string             `json:"why"`
	Mismatch string             `json:"mismatch"` // of the library, as Hint
	Hint     string             `json:"hint"`
}

// Place describes where pods of the profile can run on these nodes that it matches.
func Place(c *cluster.Cluster, p *cluster.Profile, shares []cluster.Share) *Placement {
	r := &Placement{Nodes: len(c.Nodes)}
	var feasible []int
	for _, s := range shares {
		r.Matching += len(s.Nodes)
		if p.IsRejected(s.Group) {
			r.Rejecting = append(r.Rejecting, s)
		} else {
			feasible = append(feasible, s.Nodes...)
		}
	}
	r.Feasible, r.FeasibleNames, r.Kept = len(feasible), Names(c, feasible), countKept(c, p, len(feasible))
	if r.Matching == 0 {
		r.MissingLabels, r.Unmatched = unmatched(c, p)
	}
	r.Reasons, r.Meant = ReasonsOf(p, shares), r.Rejecting
	r.Rejections, r.RejectionsTotal = rejections(r.Reasons, shares), len(r.Reasons)
	having, text, lacks := c.WithResources(p, shares)
	accepts := func(s cluster.Share) bool { return !p.IsRejected(s.Group) }
	if r.Lacks = lacks; len(having) == 0 || slices.ContainsFunc(having, accepts) {
		return r
	}
	if r.Meant, r.Reasons = having, ReasonsOf(p, having); r.Feasible > 0 {
		r.Only = text + "; "
	}
	return r
}

// IsOpen reports whether the pods are allowed on nodes that have what they request.
func (r *Placement) IsOpen() bool { return r.Feasible > 0 && r.Only == "" }

// Names returns the sorted names of up to MaxNames nodes.
func Names(c *cluster.Cluster, nodes []int) []string {
	nodes = slices.Sorted(slices.Values(nodes)) // this is the order of names
	return lists.Each(nodes[:min(len(nodes), MaxNames)], func(i int) string { return c.Nodes[i].Name })
}

// rejections returns the reasons. Those for the most nodes come first.
func rejections(why Reasons, shares []cluster.Share) []Rejection {
	nodes := make(map[[3]string]int)
	for _, s := range shares {
		for _, t := range s.Group.Taints {
			nodes[cluster.KeyOf(t)] += len(s.Nodes)
		}
	}
	all := why.Taints()
	slices.SortStableFunc(all, func(a, b taints.Taint) int { return nodes[cluster.KeyOf(b)] - nodes[cluster.KeyOf(a)] })
	return lists.Each(all[:min(len(all), MaxListed)], func(t taints.Taint) Rejection {
		r := why.Of(t)
		x := Rejection{t, nodes[cluster.KeyOf(t)], nil, Words(r), r.Mismatch().String(), r.Hint().String()}
		if r.HasClosest() {
			x.Closest = &r.Closest
		}
		return x
	})
}

// unmatched says why no node matches, and returns required labels that no node has.
func unmatched(c *cluster.Cluster, p *cluster.Profile) (missing []string, text string) {
	missing, similar := c.Missing(p)
	switch {
	case p.Invalid != nil:
		text = "required node affinity is invalid (" + p.Invalid.Error() + ")"
	case len(c.Nodes) == 0:
		text = "there are no nodes"
	case p.NamesNodes() && len(c.Candidates(p)) == 0:
		text = "the nodes that the required node affinity names do not exist"
	case len(missing) == 0:
		text = "no node matches " + p.Requirements()
	default:
		text = "no node has the label " + say.Enumerate(missing, "or")
		if len(similar) > 0 {
			text += "; did you mean " + say.Enumerate(say.FirstOf(similar, 3), "or") + "?"
		}
	}
	return missing, text
}

// countKept counts the nodes that keep a pod off by the reason that Kubernetes' scheduler
// finds first: the affinity does not name the node, the node is cordoned, has another
// untolerated taint, or does not match. So many others are feasible.
func countKept(c *cluster.Cluster, p *cluster.Profile, feasible int) map[string]int {
	nodes := c.Candidates(p)
	kept := map[string]int{fiterror.Unnamed: len(c.Nodes) - len(nodes)}
	_, toleratesCordon := p.Matcher.Match(cluster.Cordon)
	for _, i := range nodes {
		switch n := &c.Nodes[i]; {
		case n.IsCordoned && !toleratesCordon:
			kept[fiterror.Cordoned]++
		case p.IsRejected(n.Group):
			kept[fiterror.Taints]++
		}
	}
	kept[fiterror.Affinity] = len(nodes) - feasible - kept[fiterror.Cordoned] - kept[fiterror.Taints]
	return kept
}

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
