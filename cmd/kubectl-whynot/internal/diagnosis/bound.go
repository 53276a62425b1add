// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/jobs"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/eviction"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/fix"
)

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
	if x.Owner.Kind == "Job" && !x.First.IsNew {
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
