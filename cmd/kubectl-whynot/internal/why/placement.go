// SPDX-License-Identifier: Apache-2.0

package why

import (
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/fiterror"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
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
