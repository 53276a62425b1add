package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// A pending is why pods wait for the scheduler: equal pods of one owner.
type pending struct {
	Namespace    string              `json:"namespace"`
	Pods         []string            `json:"pods"`
	Owner        *owner              `json:"owner,omitempty"`
	NodeSelector map[string]string   `json:"nodeSelector"`
	Tolerations  []taints.Toleration `json:"tolerations"`
	// Selected counts the nodes that the selector leaves, and Feasible those of them that the tolerations let the pods
	// onto.
	Selected int `json:"selectedNodes"`
	Feasible int `json:"feasibleNodes"`
	// FeasibleNames are the names of the feasible nodes.
	FeasibleNames []string `json:"feasibleNodeNames"`
	// MissingLabels are those of the selector that no node has.
	MissingLabels []string    `json:"missingLabels"`
	Rejections    []rejection `json:"rejections"`
	// Change is the smallest one that lets the pods in, nil where taints are not the reason or none helps.
	Change *change `json:"change"`
	// Findings are about the tolerations, whatever keeps the pods off nodes.
	Findings []finding `json:"findings"`
	// Unseen is what else the pods ask for, which is not looked at.
	Unseen []string `json:"unseen"`
	// Message is the scheduler's own.
	Message string `json:"schedulerMessage,omitempty"`
}

// A rejection is a taint that keeps the pods off selected nodes.
type rejection struct {
	Taint taints.Taint `json:"taint"`
	Nodes int          `json:"nodes"`
	// Closest is the toleration that comes closest, nil if none does, and Why says in what it differs.
	Closest *taints.Toleration `json:"closest"`
	Why     string             `json:"why"`
}

// A finding is something in the tolerations of a pod that is valid and does hardly what its author wants.
type finding struct {
	// Index is the place of the toleration in the pod's list.
	Index      int               `json:"index"`
	Toleration taints.Toleration `json:"toleration"`
	Code       taints.Code       `json:"code"`
	Advice     string            `json:"advice"`
}

func findings(tolerations []taints.Toleration) []finding {
	list := []finding{}
	for _, f := range taints.Lint(tolerations) {
		list = append(list, finding{f.Toleration, tolerations[f.Toleration], f.Code, f.Advice})
	}
	return list
}

// A placement is where the pods of a profile can go.
type placement struct {
	selected   int
	feasible   []int // nodes
	missing    []string
	rejections []rejection
	change     *change
	kept       []*nodeGroup // whose taints reject the pods
	pods       int          // how many
}

// An analyst answers the first question, once for each profile.
type analyst struct {
	cluster    *cluster
	chooser    *chooser
	placements map[*profile]*placement
}

// count counts for each group how many of the pods it keeps away.
func (a *analyst) count(pods []*pod) {
	for _, p := range pods {
		a.placement(p.profile).pods++
	}
	for _, where := range a.placements {
		for _, g := range where.kept {
			g.keeps += where.pods
		}
	}
}

// pending returns the paragraphs for the pods, in order of name.
func (a *analyst) pending(pods []*pod) []pending {
	type group struct {
		namespace string
		owner     owner
		name      string // of a pod without owner
		profile   *profile
		unseen    string
	}
	list := []pending{}
	at := make(map[group]int)
	for _, p := range sortedPods(pods) {
		key := group{p.namespace, p.owner, "", p.profile, strings.Join(p.unseen, ",")}
		if p.owner == (owner{}) {
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
		Namespace:     p.namespace,
		Pods:          []string{p.name},
		NodeSelector:  p.selector,
		Tolerations:   append([]taints.Toleration{}, p.tolerations...),
		Selected:      where.selected,
		Feasible:      len(where.feasible),
		FeasibleNames: a.names(where.feasible),
		MissingLabels: where.missing,
		Rejections:    where.rejections,
		Change:        where.change,
		Findings:      findings(p.tolerations),
		Unseen:        p.unseen,
		Message:       p.message,
	}
	if p.owner != (owner{}) {
		r.Owner = &p.owner
	}
	if r.NodeSelector == nil {
		r.NodeSelector = map[string]string{}
	}
	return r
}

func (a *analyst) names(nodes []int) []string {
	list := []string{}
	for _, i := range nodes {
		list = append(list, a.cluster.nodes[i].name)
	}
	slices.Sort(list)
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
	shares := a.chooser.choose(p.selector)
	r := &placement{missing: []string{}, rejections: []rejection{}}
	for _, s := range shares {
		r.selected += len(s.nodes)
		if _, found := p.matcher.FindUntolerated(s.group.taints, taints.Hard); found {
			r.kept = append(r.kept, s.group)
		} else {
			r.feasible = append(r.feasible, s.nodes...)
		}
	}
	if r.selected == 0 {
		r.missing = a.chooser.missing(p.selector)
	}
	reasons := reasonsOf(p, shares)
	r.rejections = rejections(reasons, shares)
	if len(r.feasible) == 0 && r.selected > 0 {
		r.change = smallestChange(p, shares, reasons)
	}
	return r
}

// reasonsOf returns why the hard taints of the shares reject the pods.
func reasonsOf(p *profile, shares []share) map[taints.Taint]taints.Reason {
	lists := func(yield func([]taints.Taint) bool) {
		for _, s := range shares {
			if !yield(s.group.taints) {
				return
			}
		}
	}
	reasons := make(map[taints.Taint]taints.Reason)
	for _, r := range p.matcher.Summarize(lists).Reasons {
		reasons[r.Taint] = r.Reason
	}
	return reasons
}

// rejections returns the reasons with the number of nodes each is for, most nodes first.
func rejections(reasons map[taints.Taint]taints.Reason, shares []share) []rejection {
	nodes := make(map[taints.Taint]int)
	for _, s := range shares {
		for _, t := range s.group.taints {
			nodes[t] += len(s.nodes)
		}
	}
	list := []rejection{}
	for t, r := range reasons {
		x := rejection{Taint: t, Nodes: nodes[t], Why: r.Why()}
		if r.Toleration >= 0 {
			x.Closest = &r.Closest
		}
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b rejection) int { return cmp.Or(b.Nodes-a.Nodes, a.Taint.Compare(b.Taint)) })
	return list
}
