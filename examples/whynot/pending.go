// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// A pending is why pods wait for the scheduler: equal pods of one owner.
type pending struct {
	// Cause is the text of one of the report's causes.
	Cause        string              `json:"cause"`
	Namespace    string              `json:"namespace"`
	Pods         []string            `json:"pods"`
	Owner        *owner              `json:"owner,omitempty"`
	NodeSelector map[string]string   `json:"nodeSelector"`
	NodeAffinity string              `json:"nodeAffinity,omitempty"`
	Tolerations  []taints.Toleration `json:"tolerations"`
	// Selected counts the nodes that the node selector and the required node
	// affinity leave, and Feasible those of them whose taints let the pods in.
	Selected int `json:"selectedNodes"`
	Feasible int `json:"feasibleNodes"`
	// FeasibleNames are the names of feasible nodes, no more than maxNames.
	FeasibleNames []string `json:"feasibleNodeNames"`
	// MissingLabels are those of the node selector that no node has.
	MissingLabels []string `json:"missingLabels"`
	// Rejections are no more than maxListed; RejectionsTotal counts all.
	Rejections      []rejection `json:"rejections"`
	RejectionsTotal int         `json:"rejectionsTotal"`
	// Change corrects mistakes in the tolerations, or says which nodes are out
	// of order; nil where there is nothing to correct.
	Change *change `json:"change"`
	// Alternatives are nodes that reject the pods, and nothing says whether
	// they are meant for them, no more than maxListed; AlternativesTotal counts all.
	Alternatives      []alternative `json:"alternatives"`
	AlternativesTotal int           `json:"alternativesTotal"`
	// Findings are about the tolerations, whatever keeps the pods off nodes.
	Findings []finding `json:"findings"`
	Gated    bool      `json:"gated"`
	// NotEvaluated is what else the pods ask for, which is not looked at.
	NotEvaluated []string `json:"notEvaluated"`
	// Message is the scheduler's own.
	Message string `json:"schedulerMessage,omitempty"`

	kind causeKind
}

// The limits of the lists of names of nodes, and of taints that reject pods and
// of alternatives: of each there can be as many as nodes, for as many pods.
const (
	maxNames  = 100
	maxListed = 50
)

// A rejection is a taint that keeps the pods off selected nodes.
type rejection struct {
	Taint taints.Taint `json:"taint"`
	Nodes int          `json:"nodes"`
	// Closest is the toleration that comes closest, nil if none does, and Why
	// says in what it differs.
	Closest *taints.Toleration `json:"closest"`
	Why     string             `json:"why"`
	// Mismatch and Hint are the library's.
	Mismatch explain.Mismatch `json:"mismatch"`
	Hint     explain.Hint     `json:"hint"`
}

// A finding is something in the tolerations of a pod that is valid but probably
// not what its author meant.
type finding struct {
	// Field is the toleration's, as in tolerations[0].
	Field      string             `json:"field"`
	Toleration taints.Toleration  `json:"toleration"`
	Code       tolerationset.Code `json:"code"`
	Advice     string             `json:"advice"`
}

func findings(tolerations []taints.Toleration) []finding {
	list := []finding{}
	for _, f := range tolerationset.Lint(tolerations, taints.Options{}) {
		list = append(list, finding{fieldAt(f.Toleration), tolerations[f.Toleration], f.Code, f.Advice})
	}
	return list
}

// A placement is where the pods of a profile can go.
type placement struct {
	selected          int
	feasible          int      // nodes
	feasibleNames     []string // of some of them
	missing           []string // labels that no node has
	absent            []string // nodes that the affinity names
	rejections        []rejection
	rejectionsTotal   int
	change            *change
	alternatives      []alternative
	alternativesTotal int
	kind              causeKind
	cause             string
}

// An analyst answers the first question, once for each profile.
type analyst struct {
	cluster    *cluster
	chooser    *chooser
	known      *known
	placements map[*profile]*placement
	findings   map[*taints.Matcher][]finding // nil where nobody reads them
}

// count counts for each group how many of the pods it keeps away.
func (a *analyst) count(pods []*pod) {
	number := make(map[*profile]int)
	for _, p := range pods {
		number[p.profile]++
	}
	for p, n := range number {
		for _, s := range a.chooser.choose(p) {
			if p.isRejected(s.group) {
				s.group.keeps += n
			}
		}
	}
}

// isRejected reports whether taints of the group keep the pods off.
func (p *profile) isRejected(g *nodeGroup) bool {
	_, found := p.matcher.FindUntolerated(g.taints, taints.Hard)
	return found
}

// pending returns the paragraphs for the pods, in order of name.
func (a *analyst) pending(pods []*pod) []pending {
	type group struct {
		namespace string
		owner     *owner
		name      string // of a pod without owner
		profile   *profile
		waiting   string
	}
	list := []pending{}
	at := make(map[group]int)
	for _, p := range sortedPods(pods) {
		key := group{p.namespace, p.owner, "", p.profile, keyOf(p.gated, p.unseen, p.message)}
		if p.owner == nil {
			key.name = p.name
		}
		if i, ok := at[key]; ok {
			list[i].Pods = append(list[i].Pods, p.name)
			continue
		}
		at[key] = len(list)
		list = append(list, a.paragraph(p))
	}
	return list
}

func sortedPods(pods []*pod) []*pod {
	return slices.SortedFunc(slices.Values(pods), func(a, b *pod) int { return compareNames(a.podName, b.podName) })
}

func compareNames(a, b podName) int {
	return cmp.Or(strings.Compare(a.namespace, b.namespace), strings.Compare(a.name, b.name))
}

func (a *analyst) paragraph(p *pod) pending {
	where := a.placement(p.profile)
	r := pending{
		Namespace:         p.namespace,
		Pods:              []string{p.name},
		Owner:             p.owner,
		NodeSelector:      p.selector,
		Tolerations:       append([]taints.Toleration{}, p.tolerations...),
		Selected:          where.selected,
		Feasible:          where.feasible,
		FeasibleNames:     where.feasibleNames,
		MissingLabels:     where.missing,
		Rejections:        where.rejections,
		RejectionsTotal:   where.rejectionsTotal,
		Change:            where.change,
		Alternatives:      where.alternatives,
		AlternativesTotal: where.alternativesTotal,
		Findings:          a.findingsOf(p),
		Gated:             p.gated,
		NotEvaluated:      p.unseen,
		Message:           p.message,
	}
	if p.affinity != nil {
		r.NodeAffinity = affinityText(p.affinity)
	}
	if r.NodeSelector == nil {
		r.NodeSelector = map[string]string{}
	}
	r.kind, r.Cause = where.causeOf(p)
	return r
}

// findingsOf returns what is odd about the tolerations, which pods share. In a
// long list it takes as long to find as all else.
func (a *analyst) findingsOf(p *pod) []finding {
	if a.findings == nil {
		return nil
	}
	list, ok := a.findings[p.matcher]
	if !ok {
		list = findings(p.tolerations)
		a.findings[p.matcher] = list
	}
	return list
}

// names returns the names of nodes, in order, at most maxNames.
func (a *analyst) names(nodes []int) []string {
	nodes = slices.Clone(nodes)
	slices.Sort(nodes) // which is the order of names
	list := []string{}
	for _, i := range nodes[:min(len(nodes), maxNames)] {
		list = append(list, a.cluster.nodes[i].name)
	}
	return list
}

func (a *analyst) placement(p *profile) *placement {
	r, ok := a.placements[p]
	if !ok {
		r = a.place(p)
		a.placements[p] = r
	}
	return r
}

func (a *analyst) place(p *profile) *placement {
	shares := a.chooser.choose(p)
	r := &placement{missing: []string{}, alternatives: []alternative{}}
	var feasible []int
	for _, s := range shares {
		r.selected += len(s.nodes)
		if !p.isRejected(s.group) {
			feasible = append(feasible, s.nodes...)
		}
	}
	r.feasible, r.feasibleNames = len(feasible), a.names(feasible)
	if r.selected == 0 {
		r.missing, r.absent = a.chooser.missing(p.selector), a.chooser.absent(p)
	}
	why := reasonsOf(p, shares)
	r.rejections, r.rejectionsTotal = rejections(why, shares), len(why)
	if r.feasible == 0 && r.selected > 0 {
		adviser := adviser{known: a.known, profile: p, reasons: why, shares: shares}
		var open []*remedy
		r.change, open = adviser.advise()
		r.alternativesTotal = len(open)
		for _, x := range open[:min(len(open), maxListed)] {
			r.alternatives = append(r.alternatives, a.alternative(x))
		}
	}
	r.kind, r.cause = causeOfProfile(p, r, why)
	return r
}

func (a *analyst) alternative(r *remedy) alternative {
	x := alternative{
		Taints:      append([]taints.Taint{}, r.needs...),
		Additions:   []taints.Toleration{},
		Corrections: r.Entries,
		NodeTaints:  r.NodeTaints,
		Nodes:       len(r.nodes),
		NodeNames:   a.names(r.nodes),
		rest:        r.rest,
	}
	for _, t := range r.needs {
		x.Additions = append(x.Additions, a.known.tolerationOf(t))
	}
	return x
}

// rejections returns the reasons with the number of nodes each is for, those for
// most nodes, which are first.
func rejections(why reasons, shares []share) []rejection {
	nodes := make(map[taints.Taint]int)
	for _, s := range shares {
		for _, t := range s.group.taints {
			nodes[t] += len(s.nodes)
		}
	}
	list := taintsOf(why)
	slices.SortStableFunc(list, func(a, b taints.Taint) int { return nodes[b] - nodes[a] })
	first := []rejection{}
	for _, t := range list[:min(len(list), maxListed)] {
		r := why[t]
		first = append(first, rejection{t, nodes[t], r.closest(), r.Why(), r.Mismatch(), r.Hint()})
	}
	return first
}
