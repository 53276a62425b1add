// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// Follow sets what happens in the cluster after the eviction: new pods may get no farther
// than this one, or are not made. So many pods of its Job are evicted.
func (r *Eviction) Follow(c *cluster.Cluster, p *cluster.Pod, evicted int) {
	if r.Outcome == Stays || p.Deleting || p.IsFinished() && r.Outcome != Refused || p.Owner == (cluster.Owner{}) || p.IsStatic() {
		return
	}
	maker, own := c.Maker(p), &c.Nodes[c.NodeAt[p.Node]]
	if p.Owner.Kind == "Job" && r.Outcome != Refused {
		r.Job, r.Ends = maker.AfterEvictions(evicted)
	}
	switch {
	case r.Ends:
		r.Then = r.Job
	case maker != nil && maker.NodeName != "":
		r.Then = r.followNamed(c, p, maker.NodeName)
	case r.Outcome != Refused && own.Matches(p.Profile) && !p.IsRejected(own.Group) && r.leavesAgain(p, own):
		r.Again, r.Then = true, "new ones may be put there again, and leave again"
		if p.Owner.Kind == "DaemonSet" {
			r.Then = "the DaemonSet makes a new one there, which leaves again"
		}
	}
}

// leavesAgain reports whether a new pod leaves the node, though it tolerates its taints.
func (r *Eviction) leavesAgain(p *cluster.Pod, n *cluster.Node) bool {
	if next := n.Next(r.now); next != nil {
		n = next[len(next)-1]
	}
	return p.EvictionOf(n.Taints, r.now).Outcome != taints.Stays
}

// followNamed says what happens to new pods whose template names the node.
func (r *Eviction) followNamed(c *cluster.Cluster, p *cluster.Pod, node string) string {
	text := "its template names node " + node + ", where all new ones go without the scheduler"
	i, isKnown := c.NodeAt[node]
	switch {
	case !isKnown:
		return text
	case slices.ContainsFunc(c.Nodes[i].Taints, func(t taints.Taint) bool { return isRefused(p.Profile, t) }):
		return text + ", and its kubelet refuses them, again and again: take nodeName out of the template"
	case r.leavesAgain(p, &c.Nodes[i]):
		r.Again = node == p.Node
		return text + ", and leave again: take nodeName out of the template"
	}
	return text
}

// isRefused reports whether a kubelet refuses the pods for the taint of its node.
func isRefused(p *cluster.Profile, t taints.Taint) bool {
	_, ok := p.Matcher.Match(t)
	return !ok && t.Effect == taints.NoExecute
}

// refusal returns what stands for the eviction of a pod that the kubelet has refused.
func (a *analyst) refusal(p *cluster.Pod, n *cluster.Node) *Eviction {
	r := &Eviction{Pod: p.String(), Node: n.Name, Outcome: Refused, now: a.question.Now}
	for _, t := range n.Taints {
		if isRefused(p.Profile, t) {
			r.Because = append(r.Because, pairOf(p, t, 0, false))
		}
	}
	return r
}

// explainNamed explains pods whose template names the node.
func (x *Pending) explainNamed(node string) {
	text := "the template names node " + node
	switch {
	case x.Kind == causeFailure, x.Kind == causeInvalid:
		return
	case len(x.kept) > 0 && x.kept[reasonUnnamed] == x.Nodes:
		x.Kind, x.Text, x.Fix = causeAffinity, text+", which does not exist", nil
	case x.Matching == 0:
		x.Kind, x.Text, x.Fix = causeAffinity, text+", and its kubelet refuses the pods: it does not match their node selector or affinity", nil
	case x.Feasible > 0:
		x.Kind, x.Text, x.Fix = causeSchedulable, text+", where the pods go without the scheduler", nil
		return
	default:
		x.Kind, x.Text = causeTaints, text+", where the pods go without the scheduler, and its kubelet refuses them, again and again: "+x.untolerated
	}
	_, name := x.Owner.Template()
	take := Step{Text: "take nodeName out of the template of " + x.Owner.Kind + " " + name + ", so that the scheduler chooses a node"}
	x.Fix = slices.Concat([]Step{take}, x.Fix)
}
