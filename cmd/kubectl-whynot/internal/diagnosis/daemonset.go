// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

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
	for _, p := range a.Pods {
		if p.Owner.Kind != "DaemonSet" || nodes[p.OwnerName()] == nil || p.Template || p.IsFinished() {
			continue
		}
		if i, ok := a.NodeAt[p.Node]; ok {
			nodes[p.OwnerName()][i] = true
		} else if p.NamesNodes() {
			for _, i := range a.Candidates(p.Profile) {
				nodes[p.OwnerName()][i] = false
			}
		}
	}
	for _, p := range a.DaemonSets() {
		r := a.placement(p.Profile)
		isPending := r.Feasible == 0 && slices.Contains(a.Pods, p)
		x := a.keptOff(p, r.rejecting, nodes[p.OwnerName()], stateNone)
		if x == nil {
			x = a.keptOff(p, r.rejecting, nodes[p.OwnerName()], stateStarting)
		}
		if x != nil && !isPending {
			list = append(list, x)
		}
	}
	return list
}

// keptOff returns the entry for the DaemonSet, or nil if it makes pods on all of the
// nodes without states, or with this one.
func (a *analyst) keptOff(p *cluster.Pod, rejecting []cluster.Share, on map[int]bool, state nodeState) *Pending {
	x := a.entry(p)
	var shares []cluster.Share
	for _, s := range rejecting {
		untolerated := untoleratedOf(p.Matcher, s.Group)
		if slices.ContainsFunc(untolerated, func(t taints.Taint) bool { return stateOf(t) != stateNone && stateOf(t) != state }) {
			continue
		}
		kept := cluster.Share{Group: s.Group}
		for _, i := range s.Nodes {
			isRunning, has := on[i]
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
