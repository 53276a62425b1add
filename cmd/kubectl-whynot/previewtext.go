// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"github.com/fatih/color"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/preview"
)

// preview writes a preview with up to most workloads in each list.
func (p *page) preview(r *preview.Report, most int) {
	p.wrap("", "", r.Summary, color.Bold)
	p.wrap("", "", fmt.Sprintf("%s and %s from %s, at %s.", say.Count(r.Nodes, "node"), say.Count(r.Pods, "pod"), r.Input, r.Now))
	if len(r.Refused) > 0 {
		names := say.Each(r.Refused, func(x preview.Refusal) string { return x.Node })
		p.paragraph("kubectl refuses to change " + say.NamesOf(names, len(names)) + ", as the error says.")
	}
	if len(r.Leaving) > 0 {
		p.title("Pods that leave")
	}
	for _, w := range r.Emptied[:min(len(r.Emptied), most)] {
		text := fmt.Sprintf("All %d pods of %s would leave.", w.Pods, w.Name)
		if w.Pods == 1 {
			text = "The only pod of " + w.Name + " would leave."
		}
		p.wrap("", "    ", text)
	}
	p.more(len(r.Emptied)-most, "", " would lose every pod")
	p.fates("leaves ", "leave ", r.Leaving, most)
	if len(r.Spared) > 0 {
		p.title("Pods that are no longer evicted")
	}
	p.fates("would leave ", "would leave ", r.Spared, most)
	if len(r.Tolerating) > 0 {
		p.title("Pods that stay")
	}
	p.fates("stays", "stay", r.Tolerating, most)
	if len(r.Pending) > 0 {
		p.title("Pending pods")
		p.blank()
	}
	for i := range r.Pending[:min(len(r.Pending), most)] {
		p.wrap("", "    ", r.Pending[i].Text())
	}
	p.more(len(r.Pending)-most, "", "")
	p.commands(r)
	p.blank()
	for _, note := range r.Notes {
		p.wrap("Note: ", "  ", note+".")
	}
	p.wrap("", "", "Not evaluated: "+say.Joined(r.NotEvaluated)+".")
}

// more counts what is left out.
func (p *page) more(n int, indent, verb string) {
	if n > 0 {
		p.line(indent + say.Count(n, "more workload") + verb + ": see -o wide.")
	}
}

// fates writes what happens to pods, for each taint and toleration that decide.
func (p *page) fates(one, many string, list []preview.Fate, most int) {
	for i := range list {
		f := &list[i]
		text := say.Count(f.Pods, "pod") + " " + say.For(f.Pods, one, many) + f.When
		why := say.Each(f.Because, diagnosis.Pair.Text)
		p.blank()
		p.wrap("", "    ", text+": "+strings.Join(say.FirstOf(why, 3), "; "), color.Bold)
		for k := range f.Parts[:min(len(f.Parts), most)] {
			p.wrap("    ", "      ", f.Parts[k].Text())
		}
		p.more(len(f.Parts)-most, "    ", "")
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
	p.title("Commands")
	p.blank()
	p.wrap("", "    ", "To do this"+where+":")
	p.line("    "+r.Command, color.FgCyan)
	if len(r.Undo) > 0 {
		p.wrap("", "    ", "To undo it"+where+":")
	}
	for _, c := range r.Undo {
		p.line("    "+c, color.FgCyan)
	}
}
