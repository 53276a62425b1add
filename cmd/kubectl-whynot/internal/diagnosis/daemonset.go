// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"fmt"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// daemonSets returns an entry for each DaemonSet that makes no pods on some nodes
// because of their taints. Its status does not show that: it counts the other nodes.
func (a *analyst) daemonSets() []*Pending {
	var list []*Pending
	var running map[string]map[int]bool
	for _, p := range a.DaemonSets() {
		r := a.placement(p.Profile)
		if len(r.rejecting) == 0 || r.Feasible == 0 && slices.Contains(a.Pods, p) { // then it is pending
			continue
		}
		if running == nil {
			running = a.daemonPods()
		}
		if x := a.keptOff(p, r, running[p.OwnerName()]); x != nil {
			list = append(list, x)
		}
	}
	return list
}

// daemonPods returns for each DaemonSet the nodes that it has pods for, and whether they run.
func (a *analyst) daemonPods() map[string]map[int]bool {
	running := make(map[string]map[int]bool)
	for _, p := range a.Pods {
		if p.Owner.Kind != "DaemonSet" || p.Template || p.IsFinished() {
			continue
		}
		owner := p.OwnerName()
		if running[owner] == nil {
			running[owner] = make(map[int]bool)
		}
		if i, ok := a.NodeAt[p.Node]; ok {
			running[owner][i] = true
		} else if p.IsPending() && p.NamesNodes() {
			for _, i := range a.Candidates(p.Profile) {
				running[owner][i] = false
			}
		}
	}
	return running
}

// keptOff returns the entry for the DaemonSet, or nil if it makes pods on all nodes. Nodes
// that are unhealthy or leave do not count.
func (a *analyst) keptOff(p *cluster.Pod, r *placement, running map[int]bool) *Pending {
	x := a.entry(p)
	var shares []cluster.Share
	for _, s := range r.rejecting {
		untolerated := untoleratedOf(p.Matcher, s.Group)
		if slices.ContainsFunc(untolerated, func(t taints.Taint) bool { return stateOf(t) != stateNone && stateOf(t) != stateStarting }) {
			continue
		}
		kept := cluster.Share{Group: s.Group}
		for _, i := range s.Nodes {
			switch isRunning, has := running[i]; {
			case !has:
				x.missed = append(x.missed, i)
			case isRunning && !hasNoExecute(untolerated):
				x.misplaced = append(x.misplaced, i)
			default:
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
	x.isKeptOff, x.Pods = true, []string{p.Name}
	x.placement = *a.place(p.Profile, shares)
	x.explain()
	x.Kind, x.Text = causeKeptOff, fmt.Sprint(a.keptOffText(x), ": ", x.Text)
	return x
}

func (a *analyst) keptOffText(x *Pending) string {
	named := func(nodes []int) string { return say.NamesOf(a.names(nodes), len(nodes)) }
	text := "does not run on " + named(x.missed)
	if len(x.missed) == 0 {
		text = "does not run"
	} else if len(x.misplaced) > 0 {
		text += ", and not"
	}
	if n := len(x.misplaced); n > 0 {
		return text + " again on " + named(x.misplaced) + " after the next deletion or roll-out of its " + say.Noun(n, "pod") +
			", which " + say.For(n, "stays", "stay") + " until then"
	}
	if m := x.workload.Misplaced; m > 0 {
		text += ", and not again where " + say.CountOf(m, "of its pods stays", "of its pods stay") + " until the next deletion or roll-out"
	}
	return text
}

// notePlugins names device plugins that taints keep off nodes where the pods lack a
// resource.
func (a *analyst) notePlugins(x *Pending) {
	for _, d := range a.kept {
		if !d.workload.IsPlugin {
			continue
		}
		if resource := a.Lacks(x.profile, d.missed); resource != "" {
			x.Notes = append(x.Notes, fmt.Sprintf("nodes lack %s, which a device plugin brings; %s %s", resource, d.First.OwnerName(), d.Text))
		}
	}
}
