// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// writePending writes all details about the pending pods.
func (r *report) writePending(p *page) {
	if r.noPods != "" || r.Pod != "" && len(r.Pending) == 0 {
		return
	}
	p.title("Pending pods")
	if len(r.Pending) == 0 {
		p.line("No pods are pending.")
	}
	for i := range r.Pending {
		p.blank()
		r.Pending[i].write(p, r.Nodes)
	}
}

// write writes all details about the pods, in a cluster with the number of nodes.
func (x *pending) write(p *page, nodes int) {
	name := podName{x.Namespace, x.Pods[0]}.String()
	if more := len(x.Pods) - 1; more > 0 {
		name += fmt.Sprintf(" and %d more", more)
	}
	if owner := x.ownerName(); owner != "" && !x.template {
		name += " (" + owner + ")"
	}
	p.wrap("", "    ", name)
	p.wrap("  Cause: ", "    ", x.Text)
	p.wrap("  ", "    ", x.availability(nodes))
	x.field(p, "Node selector", selectorText(x.NodeSelector))
	x.field(p, "Required node affinity", x.NodeAffinity)
	x.field(p, "Scheduler's message", x.Message)
	if x.Feasible > 0 && len(x.NotEvaluated) > 0 {
		x.field(p, "Not evaluated", joined(x.NotEvaluated))
	}
	for _, note := range x.Notes {
		x.field(p, "Note", note)
	}
	x.writeRejections(p)
	writeSteps(p, "  ", x.Fix)
	x.writeTolerations(p)
	x.writeAlternatives(p)
	writeFindings(p, "  ", x.Findings)
}

func (x *pending) field(p *page, name, text string) {
	if text != "" {
		p.wrap("  "+name+": ", "    ", text)
	}
}

// availability counts the nodes as the scheduler does.
func (x *pending) availability(nodes int) string {
	var words []string
	if n := nodes - x.Matching; n > 0 {
		words = append(words, fmt.Sprintf("%d node(s) didn't match Pod's node affinity/selector", n))
	}
	if n := x.Matching - x.Feasible; n > 0 {
		words = append(words, fmt.Sprintf("%d node(s) had untolerated taint(s)", n))
	}
	if x.Feasible == 0 {
		return fmt.Sprintf("0/%d nodes are available: %s.", nodes, strings.Join(words, ", "))
	}
	text := fmt.Sprintf("Taints and node affinity allow %d of %s: %s", x.Feasible, count(nodes, "node"),
		namesOf(x.FeasibleNames, x.Feasible))
	if len(words) > 0 {
		text += "; " + strings.Join(words, ", ")
	}
	return text + "."
}

// maxLines limits the lists about a pod.
const maxLines = 10

func (x *pending) writeRejections(p *page) {
	for i := range x.Rejections[:min(len(x.Rejections), maxLines)] {
		x.Rejections[i].write(p, x.Rejections[0].Nodes)
	}
	if more := x.RejectionsTotal - maxLines; more > 0 {
		p.line("    " + count(more, "more untolerated taint"))
	}
}

// write writes a row of the table of taints. The table's largest number is most.
func (x *rejection) write(p *page, most int) {
	width := len(count(max(most, 2), "node"))
	indent := strings.Repeat(" ", 4+width+2)
	p.wrap(fmt.Sprintf("    %-*s  ", width, count(x.Nodes, "node")), indent, "untolerated taint "+x.Taint.String())
	p.wrap(indent, indent+"  ", x.Why)
}

// writeTolerations writes the tolerations to add as YAML.
func (x *pending) writeTolerations(p *page) {
	var entries []entry
	switch {
	case x.Change != nil:
		entries = x.Change.Entries
	case x.AlternativesTotal == 1:
		entries = x.Alternatives[0].entries()
	}
	for _, e := range entries {
		b, err := yaml.Marshal([]any{e.Toleration})
		if err != nil {
			continue // never fails for a toleration
		}
		if e.Replaces != nil {
			p.line("    # instead of " + e.Replaces.String())
		}
		for line := range strings.Lines(string(b)) {
			p.line("    " + strings.TrimSuffix(line, "\n"))
		}
	}
}

// writeAlternatives lists the nodes that may be intended.
func (x *pending) writeAlternatives(p *page) {
	if x.AlternativesTotal < 2 {
		return
	}
	p.wrap("  ", "    ", "The tolerations do not say which nodes are meant. To run on these, the pod must tolerate:")
	width := len(count(max(x.Alternatives[0].Nodes, 2), "node"))
	indent := strings.Repeat(" ", 4+width+2)
	for i := range x.Alternatives[:min(len(x.Alternatives), maxLines)] {
		a := &x.Alternatives[i]
		state := ""
		if len(a.NodeTaints) > 0 {
			state = ", " + statesText(a.NodeTaints) + ": " + taintsText(a.NodeTaints)
		}
		p.wrap(fmt.Sprintf("    %-*s  ", width, count(a.Nodes, "node")), indent+"  ",
			joined(taintTexts(a.rest))+" ("+namesOf(a.NodeNames, a.Nodes)+state+")")
	}
	if more := x.AlternativesTotal - maxLines; more > 0 {
		p.line("    " + count(more, "more group") + " of nodes")
	}
}

// entries returns all tolerations to write for the alternative.
func (a *alternative) entries() []entry {
	list := append([]entry{}, a.Corrections...)
	for _, t := range a.Additions {
		list = append(list, entry{nil, t, -1})
	}
	return list
}

// writeFindings writes the findings about the tolerations of a pod.
func writeFindings(p *page, indent string, list []finding) {
	if len(list) > 0 {
		p.wrap(indent, indent, "Tolerations that are valid but may not be what you want:")
	}
	for i := range list {
		p.wrap(indent+"  ", indent+"    ", list[i].text())
	}
}
