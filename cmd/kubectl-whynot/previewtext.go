// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/fatih/color"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/preview"
)

// preview writes a preview.
func (p *page) preview(r *preview.Report) {
	p.wrap("", "", fmt.Sprintf("%s would change. Of their pods, %d would leave, %d would leave anyway and %d would stay.",
		say.Count(len(r.Changed), "node"), r.Leave, r.Anyway, r.Stay), color.Bold)
	p.wrap("", "", fmt.Sprintf("%s and %s from %s, at %s.", say.Count(r.Nodes, "node"), say.Count(r.Pods, "pod"), r.Input, r.Now))
	p.nodes("Already as requested: ", r.Unchanged)
	p.nodes("kubectl refuses to change: ", say.SortedKeys(r.Refused))
	p.groups("Pods that leave", r.Leaving)
	if len(r.Emptied) > 0 {
		p.paragraph("Workloads of which every pod leaves: " + say.Joined(say.FirstOf(r.Emptied, maxLines)) + ".")
	}
	if len(r.Leaving) > 0 {
		p.paragraph("Taint eviction ignores disruption budgets. Undoing does not bring back pods that have left.")
	}
	p.groups("Pods that are no longer evicted", r.Spared)
	p.groups("Pods that stay, by their tolerations", r.Tolerating)
	p.groups("Pending pods that could be placed", r.Placeable)
	p.groups("Pending pods that could no longer be placed", r.Unplaceable)
	p.commands(r)
	p.paragraph("Not evaluated: " + say.Joined(r.NotEvaluated) + ".")
}

func (p *page) nodes(first string, names []string) {
	if len(names) > 0 {
		p.wrap(first, "  ", say.NamesOf(names, len(names))+".")
	}
}

// groups writes a section with the groups of pods, below what decides.
func (p *page) groups(title string, list []preview.Group) {
	if len(list) == 0 {
		return
	}
	p.title(title)
	why := ""
	for i := range list[:min(len(list), maxLines)] {
		if text := list[i].Why(); text != why {
			p.wrap("  ", "    ", say.Sentence(text))
			why = text
		}
		p.wrap("    ", "      ", list[i].Text())
	}
	if rest := len(list) - maxLines; rest > 0 {
		p.line(fmt.Sprintf("    %d more: see -o yaml.", rest))
	}
}

// commands writes the command and those that undo it. A preview of a dump says
// that they are for its cluster.
func (p *page) commands(r *preview.Report) {
	if r.Command == "" {
		return
	}
	where := ""
	if r.Input != "the cluster" {
		where = ", on the cluster of " + r.Input
	}
	p.paragraph("To do this" + where + ":")
	p.line("    "+r.Command, color.FgCyan)
	p.wrap("", "", "To undo it"+where+":")
	for _, c := range r.Undo {
		p.line("    "+c, color.FgCyan)
	}
}
