// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/fiterror"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// A Pending is a set of equal pods of one owner that wait for a node.
type Pending struct {
	Cause        int                 `json:"cause"` // the index in the report
	Kind         causeKind           `json:"kind"`
	Text         string              `json:"text"`
	Fix          []Step              `json:"fix"`
	Notes        []string            `json:"notes"`
	Namespace    string              `json:"namespace"`
	Pods         []string            `json:"pods"`
	Owner        cluster.Owner       `json:"owner,omitzero"`
	NodeSelector map[string]string   `json:"nodeSelector"`
	NodeAffinity string              `json:"nodeAffinity,omitempty"`
	Tolerations  []taints.Toleration `json:"tolerations"`
	placement
	Gated          bool     `json:"gated"`
	Message        string   `json:"schedulerMessage,omitempty"` // the scheduler's
	NominatedNodes []string `json:"nominatedNodes,omitempty"`   // that the scheduler intends for some of the pods

	First        *cluster.Pod `json:"-"` // of the pods
	question     *Question
	profile      *cluster.Profile  // of all pods, also where each is for another node
	workload     *cluster.Workload // that has the template, if the input has it
	running      int               // pods of the workload that run
	provisioners *cluster.Provisioners
	nodes        []cluster.Node // of the input
	beside       []string       // what to do about the states of nodes, where the scheduler names another reason first

	isKeptOff  bool    // an entry about a DaemonSet that makes no pods on some nodes
	missed     []int   // these nodes
	misplaced  []int   // and those where it has pods that stay
	podsDiffer bool    // the advice is for the template, and the pods have other tolerations
	podEntries []Entry // then those that the pods alone need, if that is clear
}

// Limits for lists that could be as long as the number of nodes, for as many pods.
const (
	maxNames  = 100
	maxListed = 50
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

// A placement describes where the pods of a profile can run.
type placement struct {
	Matching          int           `json:"matchingNodes"`     // by node selector and required node affinity
	Feasible          int           `json:"feasibleNodes"`     // of these, without an untolerated taint
	FeasibleNames     []string      `json:"feasibleNodeNames"` // up to maxNames
	MissingLabels     []string      `json:"missingLabels"`     // required labels that no node has
	Rejections        []Rejection   `json:"rejections"`        // up to maxListed; RejectionsTotal counts all
	RejectionsTotal   int           `json:"rejectionsTotal"`
	Change            *change       `json:"change"`            // nil: there are no mistakes, and no states of nodes
	Alternatives      []alternative `json:"alternatives"`      // nodes that may be intended, up to maxListed
	AlternativesTotal int           `json:"alternativesTotal"` // of all such nodes

	Nodes       int             `json:"-"` // of the input
	kept        map[string]int  // nodes that keep the pods off
	lacks       []string        // says which of the requested resources no node has enough of
	rejecting   []cluster.Share // nodes that match and have an untolerated taint
	meant       string          // says which nodes have the requested resources, to begin a text; empty: all, or some are feasible
	unmatched   string          // says why no node matches; empty: some do
	untolerated string          // describes the taints of the change or of the alternatives
	stays       []*stay         // of taints that must go
}

// An analyst finds the reasons why pods are pending, once for each profile.
type analyst struct {
	*cluster.Cluster
	taints     []taints.Taint         // of all nodes
	values     map[taints.TaintID]int // how many values a key and effect has there
	question   Question
	kept       []*Pending // DaemonSets that make no pods on some nodes
	placements map[*cluster.Profile]*placement
	stayed     map[string][]*stay // by nodes and taints
	ended      map[int][]ending   // by node
}

func newAnalyst(c *cluster.Cluster, q Question) *analyst {
	all := cluster.Distinct(slices.Concat(say.Each(c.Groups, func(g *cluster.Group) []taints.Taint { return g.Taints })...))
	return &analyst{
		Cluster: c, taints: all, values: valuesOf(all), question: q, placements: make(map[*cluster.Profile]*placement), stayed: make(map[string][]*stay),
		ended: make(map[int][]ending),
	}
}

// pending returns the entries for the pods, sorted by name. The pods of a
// DaemonSet are equal if their nodes have the same untolerated taints.
func (a *analyst) pending(pods []*cluster.Pod) []*Pending {
	type key struct {
		namespace string
		owner     cluster.Owner
		name      string // of a pod without owner
		profile   *cluster.Profile
		waiting   string
	}
	slices.SortFunc(pods, func(a, b *cluster.Pod) int { return cluster.ComparePodNames(a.PodName, b.PodName) })
	groups := say.Grouped(pods, func(p *cluster.Pod) key {
		k := key{p.Namespace, *p.Owner, "", p.Profile, fmt.Sprint(p.Gates, p.Message)}
		if *p.Owner == (cluster.Owner{}) {
			k.name = p.Name
		} else if p.Owner.Kind == "DaemonSet" && p.NamesNodes() {
			k.profile = p.Family
			k.waiting += a.placement(p.Profile).shape(p.Profile)
		}
		return k
	})
	return say.Each(groups, a.pendingOf)
}

// shape is equal for the pods of a DaemonSet that the same change lets in.
func (r *placement) shape(p *cluster.Profile) string {
	lacks := func(s cluster.Share) string { return cluster.TextOf(untoleratedOf(p.Matcher, s.Group)) }
	return fmt.Sprint(r.Matching > 0, say.Each(r.rejecting, lacks))
}

// entry returns an entry with what is known of its first pod.
func (a *analyst) entry(p *cluster.Pod) *Pending {
	return &Pending{
		Namespace: p.Namespace, Owner: *p.Owner, First: p, Gated: len(p.Gates) > 0, Message: p.Message,
		NodeSelector: p.Selector, Tolerations: p.Tolerations, profile: p.Profile,
		question: &a.question, workload: a.Workloads[p.OwnerName()], running: a.Running[p.OwnerName()], provisioners: &a.Provisioners, nodes: a.Nodes,
	}
}

func (a *analyst) pendingOf(pods []*cluster.Pod) *Pending {
	p := pods[0]
	x := a.entry(p)
	var profiles []*cluster.Profile
	for _, p := range pods {
		x.Pods = append(x.Pods, p.Name)
		if p.Nominated != "" && !slices.Contains(x.NominatedNodes, p.Nominated) {
			x.NominatedNodes = append(x.NominatedNodes, p.Nominated)
		}
		if !slices.Contains(profiles, p.Profile) {
			profiles = append(profiles, p.Profile)
		}
	}
	x.profile = a.Union(profiles)
	x.NodeAffinity, x.placement = cluster.AffinityText(x.profile.Required), *a.placement(x.profile)
	x.kept = a.placement(p.Profile).kept // as the scheduler counts for each pod
	if x.isOpen() && x.Message != "" && !p.Template {
		x.beside = a.besideTexts(x)
	}
	x.explain()
	switch {
	case p.NodeName != "":
		a.explainBound(x)
	case x.workload != nil && !p.Template && !strings.HasSuffix(x.workload.Kind, "Job"): // whose template is fixed
		a.adviseTemplate(x, x.workload)
	}
	a.notePlugins(x)
	return x
}

// besideTexts returns what to do about the states of the nodes that reject the pods.
func (a *analyst) besideTexts(x *Pending) (texts []string) {
	var nodes []int
	var list []taints.Taint
	for _, s := range x.placement.rejecting {
		for _, t := range untoleratedOf(x.profile.Matcher, s.Group) {
			if purpose.StateOf(t) == purpose.None {
				continue
			}
			list = append(list, t)
			if !slices.Contains(nodes, s.Nodes[0]) {
				nodes = append(nodes, s.Nodes...)
			}
		}
	}
	for _, s := range a.stays(nodes, cluster.Distinct(list)) {
		steps := x.stepsFor(s)
		if i := slices.IndexFunc(steps, func(s Step) bool { return !strings.HasPrefix(s.Text, "if the pod ") }); i >= 0 && len(texts) < 5 {
			texts = append(texts, strings.TrimPrefix(steps[i].Text, "or, "))
		}
	}
	return texts
}

// names returns the sorted names of up to maxNames nodes.
func (a *analyst) names(nodes []int) []string {
	nodes = slices.Sorted(slices.Values(nodes)) // this is the order of names
	return say.Each(nodes[:min(len(nodes), maxNames)], func(i int) string { return a.Nodes[i].Name })
}

func (a *analyst) placement(p *cluster.Profile) *placement {
	if a.placements[p] == nil {
		a.placements[p] = a.place(p, a.Choose(p))
	}
	return a.placements[p]
}

// place describes where pods of the profile can run on these nodes that it matches.
func (a *analyst) place(p *cluster.Profile, shares []cluster.Share) *placement {
	r := &placement{Nodes: len(a.Nodes)}
	var feasible []int
	for _, s := range shares {
		r.Matching += len(s.Nodes)
		if p.IsRejected(s.Group) {
			r.rejecting = append(r.rejecting, s)
		} else {
			feasible = append(feasible, s.Nodes...)
		}
	}
	r.Feasible, r.FeasibleNames, r.kept = len(feasible), a.names(feasible), a.countKept(p, len(feasible))
	if r.Matching == 0 {
		r.MissingLabels, r.unmatched = a.unmatched(p)
	}
	why := a.reasonsOf(p, shares)
	r.Rejections, r.RejectionsTotal = rejections(why, shares), len(why)
	rejecting := r.rejecting
	if meant := r.withResources(a, p, shares); meant != nil {
		rejecting, why = meant, a.reasonsOf(p, meant)
	}
	if len(rejecting) > 0 {
		r.advise(&adviser{a, p, why, valuesOf(taintsOf(why)), rejecting})
	}
	return r
}

// withResources returns the nodes that have what the pods request if all of them reject the
// pods, and otherwise nil.
func (r *placement) withResources(a *analyst, p *cluster.Profile, shares []cluster.Share) []cluster.Share {
	having, text, lacks := a.WithResources(p, shares)
	r.lacks = lacks
	accepts := func(s cluster.Share) bool { return !p.IsRejected(s.Group) }
	switch {
	case slices.ContainsFunc(having, accepts):
		return nil
	case len(having) > 0 && r.Feasible > 0:
		r.meant = text + "; "
	}
	return having
}

// isOpen reports whether the pods are allowed on nodes that have what they request.
func (r *placement) isOpen() bool { return r.Feasible > 0 && r.meant == "" }

// rejections returns the reasons. Those for the most nodes come first.
func rejections(why reasons, shares []cluster.Share) []Rejection {
	nodes := make(map[[3]string]int)
	for _, s := range shares {
		for _, t := range s.Group.Taints {
			nodes[cluster.KeyOf(t)] += len(s.Nodes)
		}
	}
	all := taintsOf(why)
	slices.SortStableFunc(all, func(a, b taints.Taint) int { return nodes[cluster.KeyOf(b)] - nodes[cluster.KeyOf(a)] })
	return say.Each(all[:min(len(all), maxListed)], func(t taints.Taint) Rejection {
		r := why.of(t)
		x := Rejection{t, nodes[cluster.KeyOf(t)], nil, wordsOf(r), r.Mismatch().String(), r.Hint().String()}
		if r.HasClosest() {
			x.Closest = &r.Closest
		}
		return x
	})
}

// countKept counts the nodes that keep a pod off by the reason that Kubernetes'
// scheduler finds first: the affinity does not name the node, the node is cordoned,
// has another untolerated taint, or does not match.
func (a *analyst) countKept(p *cluster.Profile, feasible int) map[string]int {
	nodes := a.Candidates(p)
	kept := map[string]int{fiterror.Unnamed: len(a.Nodes) - len(nodes)}
	_, toleratesCordon := p.Matcher.Match(cluster.Cordon)
	for _, i := range nodes {
		switch n := &a.Nodes[i]; {
		case n.Cordoned && !toleratesCordon:
			kept[fiterror.Cordoned]++
		case p.IsRejected(n.Group):
			kept[fiterror.Taints]++
		}
	}
	kept[fiterror.Affinity] = len(nodes) - feasible - kept[fiterror.Cordoned] - kept[fiterror.Taints]
	return kept
}

// Kept counts the nodes that keep the pods off by the reason, as the scheduler does.
func (r *placement) Kept() string {
	var words []string
	for reason, n := range r.kept {
		if n > 0 {
			words = append(words, fmt.Sprint(n, " ", reason))
		}
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// daemonSets returns an entry for each DaemonSet that makes no pods on some nodes
// because of their taints. Its status does not show that: it counts the other nodes.
func (a *analyst) daemonSets() []*Pending {
	var list []*Pending
	nodes := make(map[string]map[int]bool) // of pods, by DaemonSet; true: they run there
	for _, p := range a.DaemonSets() {
		if len(a.placement(p.Profile).rejecting) > 0 {
			nodes[p.OwnerName()] = make(map[int]bool)
		}
	}
	for _, p := range a.All() {
		if p.Owner.Kind != "DaemonSet" || nodes[p.OwnerName()] == nil || p.Template || p.IsFinished() {
			continue
		}
		if i, ok := a.NodeAt[p.Node]; ok {
			nodes[p.OwnerName()][i] = true
		} else if p.Profile != nil && p.NamesNodes() {
			for _, i := range a.Candidates(p.Profile) {
				nodes[p.OwnerName()][i] = false
			}
		}
	}
	for _, p := range a.DaemonSets() {
		r, on := a.placement(p.Profile), nodes[p.OwnerName()]
		if r.Feasible == 0 && slices.Contains(a.Pods, p) { // it is pending
			continue
		}
		x := cmp.Or(a.keptOff(p, r.rejecting, on, purpose.None), a.keptOff(p, r.rejecting, on, purpose.Starting),
			a.keptOff(p, r.rejecting, on, purpose.Unhealthy), a.keptOff(p, r.rejecting, on, purpose.Leaving))
		list = append(list, x, a.keptOff(p, r.rejecting, on, purpose.Virtual))
	}
	return slices.DeleteFunc(list, func(x *Pending) bool { return x == nil })
}

// keptOff returns the entry for the DaemonSet, or nil if it makes pods on all of the
// nodes without states, or with this one. What it is not made for, and what repairs or
// removes a node in time, is no matter.
func (a *analyst) keptOff(p *cluster.Pod, rejecting []cluster.Share, on map[int]bool, state purpose.State) *Pending {
	x := a.entry(p)
	var shares []cluster.Share
	for _, s := range rejecting {
		untolerated := untoleratedOf(p.Matcher, s.Group)
		isOther := func(t taints.Taint) bool { return purpose.StateOf(t) != purpose.None && purpose.StateOf(t) != state }
		if slices.ContainsFunc(untolerated, isOther) || state == purpose.Virtual && !purpose.HaveFinal(untolerated) {
			continue
		}
		kept := cluster.Share{Group: s.Group}
		for _, i := range a.ofThese(s.Nodes, false) {
			isRunning, has := on[i]
			if a.Nodes[i].IsForeign(x.workload.ForWindows) || !a.concerns(p, i, untolerated, state) {
				continue
			}
			if isRunning && !hasNoExecute(untolerated) {
				x.misplaced = append(x.misplaced, i)
			} else if !has {
				x.missed = append(x.missed, i)
			} else {
				continue
			}
			kept.Nodes = append(kept.Nodes, i)
		}
		if len(kept.Nodes) > 0 {
			shares = append(shares, kept)
		}
	}
	if len(shares) == 0 {
		return nil
	}
	x.isKeptOff, x.Pods, x.placement = true, []string{p.Name}, *a.place(p.Profile, shares)
	x.explain()
	x.Kind, x.Text = causeKeptOff, a.keptOffText(x)+": "+x.Text
	return x
}

// concerns reports whether a DaemonSet has to do with the state that keeps it off the node:
// it may be what makes the node ready, or what removes the node may have given up.
func (a *analyst) concerns(p *cluster.Pod, node int, untolerated []taints.Taint, state purpose.State) bool {
	isOfStart := func(t taints.Taint) bool { return purpose.StateOf(t) == purpose.None || purpose.IsOfStart(t) }
	switch state {
	case purpose.Unhealthy:
		return p.HostNetwork && !slices.ContainsFunc(untolerated, func(t taints.Taint) bool { return !isOfStart(t) })
	case purpose.Leaving:
		return slices.ContainsFunc(a.endings(node), func(e ending) bool { return e.IsLate })
	}
	return true
}

func (a *analyst) keptOffText(x *Pending) string {
	named := func(nodes []int) string { return say.NamesOf(a.names(nodes), len(nodes)) }
	text, n := "does not run", len(x.misplaced)
	if len(x.missed) > 0 {
		text += " on " + named(x.missed)
	}
	switch m := x.workload.Misplaced; {
	case n == 0 && m > 0: // the input lacks the pods
		return text + " (by its status, " + say.CountOf(m, "older pod does", "older pods do") + " until the next deletion or roll-out)"
	case n == 0:
		return text
	case len(x.missed) > 0:
		text += ", and not"
	}
	return text + " again on " + named(x.misplaced) + " after the next deletion or roll-out of its " + say.Noun(n, "pod") + ", which " +
		say.For(n, "stays", "stay") + " until then"
}

// notePlugins names the device plugins that taints keep off nodes where the pods lack a
// resource.
func (a *analyst) notePlugins(x *Pending) {
	for _, d := range a.kept {
		if resource := a.Lacks(x.profile, d.missed); d.workload.IsPlugin && resource != "" {
			x.Notes = append(x.Notes, "nodes lack "+resource+", which a device plugin brings; "+d.First.OwnerName()+" "+d.Text)
		}
	}
}
