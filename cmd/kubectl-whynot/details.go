// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints/cmd/internal/visible"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/say"
)

func (r *answer) writePending(p *page) {
	if r.NoPods != "" || r.Pod != "" && len(r.Pending) == 0 {
		return
	}
	p.title("Pending pods")
	if r.Waiting() == 0 {
		p.line("No pods wait for a node.")
	}
	for _, isReady := range []bool{false, true} {
		if isReady && r.Waiting() < len(r.Causes) {
			p.title(ready)
		}
		for i := range r.Pending {
			if x := &r.Pending[i]; x.IsReady() == isReady {
				p.blank()
				p.pending(x)
			}
		}
	}
}

func (p *page) pending(x *diagnosis.Pending) {
	name := x.Namespace + "/" + x.Pods[0]
	if more := len(x.Pods) - 1; more > 0 {
		name += fmt.Sprintf(" and %d more", more)
	}
	if owner := x.OwnerName(); owner != "" && !x.First.Template {
		name += " (" + owner + ")"
	}
	p.wrap("", "    ", name)
	p.wrap("  Cause: ", "    ", x.Text)
	p.wrap("  ", "    ", x.Availability())
	p.field("Node selector", say.SelectorText(x.NodeSelector))
	p.field("Required node affinity", x.NodeAffinity)
	p.field("Scheduler's message", x.Message)
	for _, note := range x.Notes {
		p.field("Note", note)
	}
	p.rejections(x)
	p.steps("  ", x.Fix)
	p.tolerations(x)
	p.alternatives(x)
}

func (p *page) field(name, text string) {
	if text != "" {
		p.wrap("  "+name+": ", "    ", text)
	}
}

// maxLines limits the lists about a pod.
const maxLines = 10

// row writes a row of a table that counts nodes, up to most.
func (p *page) row(nodes, most int, hang, text string) (indent string) {
	width := len(say.Count(max(most, 2), "node"))
	indent = strings.Repeat(" ", 4+width+2)
	p.wrap(fmt.Sprintf("    %-*s  ", width, say.Count(nodes, "node")), indent+hang, text)
	return indent
}

func (p *page) rejections(x *diagnosis.Pending) {
	for _, r := range x.Rejections[:min(len(x.Rejections), maxLines)] {
		indent := p.row(r.Nodes, x.Rejections[0].Nodes, "", "untolerated taint "+visible.Taint(r.Taint))
		p.wrap(indent, indent+"  ", r.Why)
	}
	if more := x.RejectionsTotal - maxLines; more > 0 {
		p.line("    " + say.Count(more, "more untolerated taint"))
	}
}

func (p *page) tolerations(x *diagnosis.Pending) {
	for _, e := range x.Entries() {
		b, err := yaml.Marshal([]any{e.Toleration})
		if err != nil {
			continue // never fails for a toleration
		}
		if e.Replaces != nil {
			p.line("    # instead of " + visible.Toleration(*e.Replaces))
		}
		for line := range strings.Lines(string(b)) {
			p.line("    " + strings.TrimSuffix(line, "\n"))
		}
	}
}

func (p *page) alternatives(x *diagnosis.Pending) {
	if x.AlternativesTotal < 2 {
		return
	}
	p.wrap("  ", "    ", "The tolerations do not say which nodes are meant. To run on these, the pod must tolerate:")
	for _, a := range x.Alternatives[:min(len(x.Alternatives), maxLines)] {
		state := ""
		if len(a.NodeTaints) > 0 {
			state = ", " + diagnosis.StatesText(a.NodeTaints) + ": " + say.TaintsText(a.NodeTaints)
		}
		p.row(a.Nodes, x.Alternatives[0].Nodes, "  ", say.Joined(say.TaintTexts(a.Rest))+" ("+say.NamesOf(a.NodeNames, a.Nodes)+state+")")
	}
	if more := x.AlternativesTotal - maxLines; more > 0 {
		p.line("    " + say.Count(more, "more group") + " of nodes")
	}
}
