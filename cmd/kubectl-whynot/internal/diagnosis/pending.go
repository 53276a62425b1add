// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/jobs"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/eviction"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/fix"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/remedy"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
)

// A Pending is a set of equal pods of one owner that wait for a node.
type Pending struct {
	Cause        int                 `json:"cause"` // the index in the report
	Kind         causeKind           `json:"kind"`
	Text         string              `json:"text"`
	Fix          []fix.Step          `json:"fix"`
	Notes        []string            `json:"notes"`
	Namespace    string              `json:"namespace"`
	Pods         []string            `json:"pods"`
	Owner        cluster.Owner       `json:"owner,omitzero"`
	NodeSelector map[string]string   `json:"nodeSelector"`
	NodeAffinity string              `json:"nodeAffinity,omitempty"`
	Tolerations  []taints.Toleration `json:"tolerations"`
	verdict
	Gated          bool     `json:"gated"`
	Message        string   `json:"schedulerMessage,omitempty"` // the scheduler's
	NominatedNodes []string `json:"nominatedNodes,omitempty"`   // that the scheduler intends for some of the pods

	First  *cluster.Pod   `json:"-"` // of the pods
	target fix.Pods       // the pods, as steps need them
	kept   map[string]int // nodes that keep the first of the pods off
	beside []string       // what to do about the states of nodes, where the scheduler names another reason first
	isWide bool           // the report has all details

	missed    []int // nodes that a DaemonSet makes no pods on
	misplaced []int // and those where it has pods that stay
}

// A verdict is why nodes reject the pods of a profile, and what lets them in.
type verdict struct {
	*why.Placement
	remedy.Advice
	untolerated string      // describes the taints of the advice
	stays       []*fix.Stay // of taints that must go
}

// An analyst finds the reasons why pods are pending, once for each profile.
type analyst struct {
	*cluster.Cluster
	adviser  *remedy.Adviser
	guide    *fix.Guide
	isWide   bool
	kept     []*Pending // DaemonSets that make no pods on some nodes
	verdicts map[*cluster.Profile]*verdict
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
	groups := lists.Grouped(pods, func(p *cluster.Pod) key {
		k := key{p.Namespace, *p.Owner, "", p.Profile, fmt.Sprint(p.Gates, p.Message)}
		if *p.Owner == (cluster.Owner{}) {
			k.name = p.Name
		} else if p.Owner.Kind == "DaemonSet" && p.NamesNodes() {
			k.profile = p.Family
			k.waiting += a.verdict(p.Profile).shape(p.Profile)
		}
		return k
	})
	return lists.Each(groups, a.pendingOf)
}

// shape is equal for the pods of a DaemonSet that the same change lets in.
func (v *verdict) shape(p *cluster.Profile) string {
	lacks := func(s cluster.Share) string { return cluster.TextOf(why.Untolerated(p.Matcher, s.Group)) }
	return fmt.Sprint(v.Matching > 0, lists.Each(v.Rejecting, lacks))
}

func (a *analyst) entry(p *cluster.Pod) *Pending {
	return &Pending{
		Namespace: p.Namespace, Owner: *p.Owner, First: p, Gated: len(p.Gates) > 0, Message: p.Message,
		NodeSelector: p.Selector, Tolerations: p.Tolerations, target: a.guide.Pods(p), isWide: a.isWide,
	}
}

func (a *analyst) pendingOf(pods []*cluster.Pod) *Pending {
	p := pods[0]
	x := a.entry(p)
	x.Pods = lists.Each(pods, func(p *cluster.Pod) string { return p.Name })
	x.NominatedNodes = sets.List(sets.New(lists.Each(pods, func(p *cluster.Pod) string { return p.Nominated })...).Delete(""))
	same := lists.Grouped(pods, func(p *cluster.Pod) *cluster.Profile { return p.Profile })
	profiles := lists.Each(same, func(pods []*cluster.Pod) *cluster.Profile { return pods[0].Profile })
	x.target.Names, x.target.Profile = x.Pods, a.Union(profiles)
	x.NodeAffinity, x.verdict = cluster.AffinityText(x.target.Profile.Required), *a.verdict(x.target.Profile)
	x.kept = a.verdict(p.Profile).Placement.Kept // as the scheduler counts for each pod
	if x.IsOpen() && x.Message != "" && !p.Template {
		x.beside = a.besideTexts(x)
	}
	x.explain()
	switch {
	case p.NodeName != "":
		a.explainBound(x)
	case x.target.Workload != nil && !p.Template && !strings.HasSuffix(x.target.Workload.Kind, "Job"): // whose template is fixed
		a.adviseTemplate(x, x.target.Workload)
	}
	a.notePlugins(x)
	return x
}

// aboutOne turns words about the pods of a template into those about one pod.
var aboutOne = strings.NewReplacer("the template names", "it names", "the pods go", "it goes", "refuses them", "refuses it, once", "they stay", "it stays",
	"deletes them", "deletes it", "evicts them", "evicts it", "and leave", "and leaves", "out of the template", "out of its spec")

// explainBound explains pods that do not exist, and whose template or spec names their node.
func (a *analyst) explainBound(x *Pending) {
	fate, cause := eviction.BoundFate(a.Cluster, x.target.Profile, x.First.NodeName, a.guide.Now)
	text := "the template names node " + x.First.NodeName + ", where the pods go without the scheduler" + fate
	out := fix.Step{Text: "take nodeName out of the template, so that the scheduler chooses a node"}
	switch {
	case x.Kind == causeFailure, x.Kind == causeInvalid:
		return
	case !x.First.Template:
		text, out.Text = aboutOne.Replace(text), aboutOne.Replace(out.Text)
	case fate != "":
		maker := a.Maker(x.First)
		text += jobs.Again(maker.Kind, maker.Job, 0, fate != eviction.Refuses)
	}
	if x.Owner.Kind == "Job" && !x.First.IsNew { // whose template is fixed
		out.Text = "make the Job again without nodeName, so that the scheduler chooses a node"
	}
	i, isKnown := a.NodeAt[x.First.NodeName]
	switch {
	case fate == "" && x.First.Template:
		x.Kind = causeSchedulable
	case fate == "":
		x.Kind = causeOther
	case cause != nil:
		x.Kind, text = causeTaints, text+": "+cause.Text()
		if t := purpose.WithoutTime(cause.Taint); a.StateOf(t, []int{i}) != purpose.None {
			x.stays = a.guide.Stays([]int{i}, []taints.Taint{t})
			x.Fix = x.target.NodeSteps(x.stays)
		}
	case isKnown && x.Feasible > 0:
		x.Kind, text = causeAffinity, text+": the node does not match "+x.target.Profile.Family.Requirements()
	case isKnown:
		text += ": " + x.Text
	}
	x.NodeAffinity = cluster.AffinityText(x.target.Profile.Family.Required)
	if x.Text = text; fate == "" {
		x.Fix = nil
	} else if len(x.Fix) == 0 || a.verdict(x.target.Profile.Family).IsOpen() {
		x.Fix = fix.OneOf([]fix.Step{out}, x.Fix)
	}
}

// besideTexts returns what to do about the states of the nodes that reject the pods, and
// about the pool of some.
func (a *analyst) besideTexts(x *Pending) (texts []string) {
	var nodes []int
	var list []taints.Taint
	for _, s := range x.Rejecting {
		isAsked := func(t taints.Taint) bool {
			return slices.ContainsFunc(x.Unknown, func(r remedy.Alternative) bool { return slices.ContainsFunc(r.Unknown, t.Equal) })
		}
		isPool := func(t taints.Taint) bool { return a.StateOf(t, s.Nodes) == purpose.None && !isAsked(t) }
		states := why.Untolerated(x.target.Profile.Matcher, s.Group)
		if slices.ContainsFunc(states, isPool) { // which keeps them off when the states have ended
			continue
		}
		if states = slices.DeleteFunc(states, isAsked); len(states) > 0 {
			nodes, list = append(nodes, s.Nodes...), append(list, states...)
		}
	}
	stays := a.guide.Stays(nodes, cluster.Distinct(list))
	for _, s := range stays {
		steps := x.target.StepsFor(s, stays)
		if i := slices.IndexFunc(steps, func(s fix.Step) bool { return !strings.HasPrefix(s.Text, "if the pod ") }); i >= 0 && len(texts) < 5 {
			texts = append(texts, strings.TrimPrefix(steps[i].Text, "or, "))
		}
	}
	if x.Pool != nil && !strings.Contains(x.Message, "topology spread") {
		texts = append(texts, "if the pod belongs on "+say.NamesOf(x.Pool.NodeNames, x.Pool.Nodes)+" too, it must tolerate "+say.TaintsText(x.Pool.Taints))
	}
	return texts
}

func (a *analyst) verdict(p *cluster.Profile) *verdict {
	if a.verdicts[p] == nil {
		a.verdicts[p] = a.judge(p, a.Choose(p))
	}
	return a.verdicts[p]
}

// judge returns the verdict of the profile on these nodes that it matches.
func (a *analyst) judge(p *cluster.Profile, shares []cluster.Share) *verdict {
	v := &verdict{Placement: why.Place(a.Cluster, p, shares)}
	v.Advice = a.adviser.Advise(p, v.Placement)
	v.untolerated = a.taintsText(v)
	v.stays = a.guide.Stays(v.ToEnd())
	return v
}

// Kept counts the nodes that keep the pods off by the reason, as the scheduler does.
func (x *Pending) Kept() string {
	reasons := slices.DeleteFunc(slices.Collect(maps.Keys(x.kept)), func(reason string) bool { return x.kept[reason] == 0 })
	words := lists.Each(reasons, func(reason string) string { return fmt.Sprint(x.kept[reason], " ", reason) })
	return strings.Join(slices.Sorted(slices.Values(words)), ", ")
}

// daemonSets returns an entry for each DaemonSet that makes no pods on some nodes
// because of their taints. Its status does not show that: it counts the other nodes.
func (a *analyst) daemonSets() []*Pending {
	var list []*Pending
	nodes := make(map[cluster.PodName]map[int]bool) // of pods, by DaemonSet; true: they run there
	nameOf := func(p *cluster.Pod) cluster.PodName {
		return cluster.PodName{Namespace: p.Namespace, Name: p.Owner.Name}
	}
	for _, p := range a.DaemonSets() {
		if len(a.verdict(p.Profile).Rejecting) > 0 {
			nodes[nameOf(p)] = make(map[int]bool)
		}
	}
	for _, p := range a.All() {
		if p.Owner.Kind != "DaemonSet" || nodes[nameOf(p)] == nil || p.Template || p.IsFinished() {
			continue
		}
		if i, ok := a.NodeAt[p.Node]; ok {
			nodes[nameOf(p)][i] = true
		} else if p.Profile != nil && p.NamesNodes() {
			for _, i := range a.Candidates(p.Profile) {
				nodes[nameOf(p)][i] = false
			}
		}
	}
	for _, p := range a.DaemonSets() {
		v, on := a.verdict(p.Profile), nodes[nameOf(p)]
		if v.Feasible == 0 && slices.Contains(a.Pods, p) { // it is pending
			continue
		}
		states := []purpose.State{purpose.Unhealthy, purpose.None, purpose.Starting, purpose.Leaving}
		if a.isAsked(p) {
			states = append(states, purpose.Maintained, purpose.Fenced)
		}
		for _, state := range states {
			if x := a.keptOff(p, v.Rejecting, on, state); x != nil {
				list = append(list, x)
				if state != purpose.Unhealthy && !a.isAsked(p) { // what the DaemonSet may make ready does not wait for the others
					break
				}
			}
		}
	}
	return list
}

// isAsked reports whether the pod's DaemonSet is asked for by name.
func (a *analyst) isAsked(p *cluster.Pod) bool {
	return a.Asked == "daemonset/"+p.Owner.Name && p.Namespace == cmp.Or(a.Only.Namespace, p.Namespace)
}

// keptOff returns the entry for the DaemonSet, or nil if it makes pods on all of the
// nodes without states, or with this one. What it is not made for, and what repairs or
// removes a node in time, is no matter.
func (a *analyst) keptOff(p *cluster.Pod, rejecting []cluster.Share, on map[int]bool, state purpose.State) *Pending {
	x := a.entry(p)
	var shares []cluster.Share
	for _, s := range rejecting {
		untolerated := why.Untolerated(p.Matcher, s.Group)
		is := lists.Each(untolerated, func(t taints.Taint) purpose.State { return a.StateOf(t, s.Nodes) })
		isOther := func(is purpose.State) bool { return is != purpose.None && is != state }
		if slices.ContainsFunc(is, isOther) || !slices.Contains(is, state) {
			continue
		}
		kept := cluster.Share{Group: s.Group}
		for _, i := range a.Deleted(s.Nodes, false) {
			isRunning, has := on[i]
			if a.Nodes[i].IsForeign(x.target.Workload.ForWindows) || !a.concerns(p, i, untolerated, state) {
				continue
			}
			if isRunning && !eviction.HasNoExecute(untolerated) {
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
	x.target.IsKeptOff, x.Pods, x.verdict = true, []string{p.Name}, *a.judge(p.Profile, shares)
	x.target.Names = x.Pods
	x.explain()
	x.Kind, x.Text = causeKeptOff, a.keptOffText(x)+": "+x.Text+a.othersText(x, shares)
	return x
}

// othersText names the taints of the nodes that the advice is not for.
func (a *analyst) othersText(x *Pending, shares []cluster.Share) (text string) {
	meant := slices.Concat(lists.Each(x.Alternatives, func(r remedy.Alternative) []int { return r.At })...)
	if x.Change != nil && len(x.Change.Entries) > 0 {
		meant = x.Change.Opened
	}
	for i := 0; i < len(shares) && len(meant) > 0 && x.AlternativesTotal < why.MaxListed; i++ {
		if on := shares[i].Nodes; !slices.Contains(meant, on[0]) {
			text += "; " + say.NamesOf(why.Names(a.Cluster, on), len(on)) + say.For(len(on), " has ", " have ") + x.Advice.Reasons.Text(why.Untolerated(x.First.Matcher, shares[i].Group))
		}
	}
	return text
}

// concerns reports whether a DaemonSet has to do with the state that keeps it off the node:
// it may be what makes the node ready, or what removes the node may have given up.
func (a *analyst) concerns(p *cluster.Pod, node int, untolerated []taints.Taint, state purpose.State) bool {
	isOfStart := func(t taints.Taint) bool { return a.StateOf(t, []int{node}) == purpose.None || purpose.IsOfStart(t) }
	switch {
	case a.isAsked(p):
	case state == purpose.Unhealthy:
		return p.HostNetwork && !slices.ContainsFunc(untolerated, func(t taints.Taint) bool { return !isOfStart(t) })
	case state == purpose.Leaving:
		return a.guide.IsLate(node)
	}
	return true
}

func (a *analyst) keptOffText(x *Pending) string {
	named := func(nodes []int) string { return say.NamesOf(why.Names(a.Cluster, nodes), len(nodes)) }
	text, n := "does not run", len(x.misplaced)
	if len(x.missed) > 0 {
		text += " on " + named(x.missed)
	}
	switch m := x.target.Workload.Misplaced; {
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
		if resource := a.Lacks(x.target.Profile, d.missed); d.target.Workload.IsPlugin && resource != "" {
			x.Notes = append(x.Notes, "nodes lack "+resource+", which a device plugin brings; "+d.First.OwnerName()+" "+d.Text)
		}
	}
}
