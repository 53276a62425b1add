// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/say"
)

// An answer is a report with the ways to print it.
type answer struct{ *diagnosis.Report }

// writeText writes the report as text: one page, or with all details.
func (r *answer) writeText(p *page, wide bool) {
	r.writeHeading(p)
	if r.Pod != "" || wide {
		r.writePending(p)
		r.writeEvictions(p, len(r.Evictions))
	} else {
		r.writeCauses(p)
		r.writeEvictions(p, maxFates)
	}
	most := maxGroups
	if wide {
		most = len(r.Groups)
	}
	r.writeGroups(p, most)
	p.paragraph("Not evaluated: " + r.NotEvaluatedText() + ".")
	if runtime.GOOS == "windows" {
		p.paragraph("Commands are for POSIX shells, such as Git Bash.")
	}
}

func (r *answer) writeHeading(p *page) {
	lines := []string{fmt.Sprintf("%s and %s from %s, at %s", say.Count(r.Nodes, "node"), say.Count(r.Pods, "pod"), r.Input, r.Now), r.IgnoredText()}
	if r.Filter != "" && r.NoPods == "" && r.Pod == "" {
		lines = append(lines, "only pods that match "+r.Filter)
	}
	for _, text := range append(lines, r.NoPods, r.PodNote) {
		if text != "" {
			p.wrap("", "", say.Sentence(text)+".")
		}
	}
}

// IgnoredText counts the objects of other kinds, by kind.
func (r *answer) IgnoredText() string {
	if len(r.Ignored) == 0 {
		return ""
	}
	words := say.Each(say.SortedKeys(r.Ignored), func(kind string) string { return fmt.Sprint(r.Ignored[kind], " ", kind) })
	return "Ignored objects: " + say.Joined(say.FirstOf(words, 5))
}

// NotEvaluatedText names the rules that are not evaluated.
func (r *answer) NotEvaluatedText() string { return say.Joined(r.NotEvaluated) }

// Limits for the sections of the first page.
const (
	maxCauses = 6
	maxFates  = 5
	maxGroups = 8
)

// ready is the title of workloads whose pods nothing keeps off.
const ready = "Workloads that can be scheduled"

func (r *answer) writeCauses(p *page) {
	if r.NoPods != "" {
		return
	}
	waiting := r.Waiting()
	p.title("Pending pods")
	if waiting == 0 {
		p.line("No pods wait for a node.")
	}
	for i, c := range r.Causes[:min(len(r.Causes), maxCauses)] {
		if i == waiting {
			p.title(ready)
		}
		p.blank()
		p.wrap("", "    ", c.Who()+": "+c.Text, color.Bold)
		for _, note := range c.Notes {
			p.wrap("    Note: ", "      ", note)
		}
		p.steps("    ", c.Fix)
	}
	if rest := r.Causes[min(len(r.Causes), maxCauses):]; len(rest) > 0 {
		pods := 0
		for _, c := range rest {
			pods += c.Pods
		}
		p.paragraph(fmt.Sprintf("%s with %s: see -o wide.", say.Count(pods, "more pod"), say.Count(len(rest), "other cause")))
	}
}

func (p *page) steps(indent string, steps []diagnosis.Step) {
	for i, s := range steps {
		first := "Fix: "
		if len(steps) > 1 {
			first = fmt.Sprintf("Fix %d: ", i+1)
		}
		p.wrap(indent+first, indent+"  ", s.Line())
		if s.Command != "" { // on one line, so that users can paste it
			p.line(indent+"  "+s.Command, color.FgCyan)
		}
	}
}

// writeEvictions writes up to most reasons for evictions, and all pods if there
// is no limit.
func (r *answer) writeEvictions(p *page, most int) {
	if r.NoPods != "" || r.Pod != "" && len(r.Evictions) == 0 {
		return
	}
	p.title("Evictions")
	if len(r.Evictions) == 0 && r.Filter != "" {
		p.line("None of these pods is on a node with NoExecute taints.")
	} else if len(r.Evictions) == 0 {
		p.line("No pods are on nodes with NoExecute taints.")
	}
	isLimited := most < len(r.Evictions)
	fates := fatesOf(r.Evictions, !isLimited)
	for _, f := range fates[:min(len(fates), most)] {
		p.blank()
		style := []color.Attribute{color.Bold}
		if f.Outcome() == diagnosis.Overdue {
			style = append(style, color.FgRed)
		}
		p.wrap("", "    ", f.Who()+" "+f.Text(), style...)
		p.wrap("    ", "      ", say.Sentence(f.Why())+".")
		for i, name := range f.Names() {
			if when := diagnosis.When(f.pods[i]); when != "" {
				name += ", " + when
			}
			if !isLimited && len(f.pods) > 1 {
				p.wrap("      ", "        ", name)
			}
		}
	}
	rest := 0
	for _, f := range fates[min(len(fates), most):] {
		rest += len(f.pods)
	}
	if rest > 0 {
		p.paragraph(fmt.Sprintf("%s for %s: see -o wide.", say.Count(rest, "more pod"), say.Count(len(fates)-most, "other reason")))
	}
	if text := r.StayingText(); text != "" && isLimited {
		p.paragraph(text + ".")
	}
	if r.EvictionRule != "" {
		p.paragraph(r.EvictionRule)
	}
	if text := r.LeftOut(); text != "" && r.Pod == "" {
		p.paragraph("Left out: " + text + ".")
	}
}

// StayingText counts the pods that tolerate their nodes' NoExecute taints.
func (r *answer) StayingText() string {
	n := 0
	for i := range r.Evictions {
		if r.Evictions[i].Outcome == diagnosis.Stays {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return say.Count(n, "pod") + " on these nodes " + say.For(n, "tolerates the taints and stays", "tolerate the taints and stay")
}

// A fate is the pods that are evicted for the same taint and toleration.
type fate struct{ pods []*diagnosis.Eviction }

// fatesOf groups the pods that are evicted, earliest first, and then the pods
// that stay if withStays is set.
func fatesOf(list []diagnosis.Eviction, withStays bool) []*fate {
	var fates []*fate
	at := make(map[string]*fate)
	for i := range list {
		x := &list[i]
		if x.Outcome == diagnosis.Stays && !withStays {
			continue
		}
		key := x.Outcome + "\n" + string(x.From) + "\n" + x.Order
		f, ok := at[key]
		if !ok {
			f = &fate{}
			at[key] = f
			fates = append(fates, f)
		}
		f.pods = append(f.pods, x)
	}
	return fates
}

// Who counts the pods and names the first.
func (f *fate) Who() string {
	names := f.Names()
	if n := len(names); n > 1 {
		return fmt.Sprintf("%d pods (%s and %d more)", n, names[0], n-1)
	}
	return "pod " + names[0]
}

// Text describes what happens to the pods and when.
func (f *fate) Text() string {
	when, are := diagnosis.When(f.pods...), say.For(len(f.pods), "is", "are")
	switch f.Outcome() {
	case diagnosis.Overdue:
		return "should have been evicted " + when
	case diagnosis.Leaves:
		return "will be evicted " + when
	case diagnosis.Stays:
		return are + " not evicted"
	}
	return are + " already being deleted"
}

// Outcome returns the outcome of all pods.
func (f *fate) Outcome() string { return f.pods[0].Outcome }

// Names returns the pods with their nodes.
func (f *fate) Names() []string {
	return say.Each(f.pods, func(x *diagnosis.Eviction) string { return x.Pod + " on node " + x.Node })
}

// Why names the taint that decides and the toleration for it.
func (f *fate) Why() string {
	return strings.Join(say.FirstOf(say.Each(f.pods[0].Because, diagnosis.Pair.Text), 3), "; ")
}

// LeftOut counts the pods that a user might expect in the list.
func (r *answer) LeftOut() string {
	if r.Lost > 0 {
		return say.Count(r.Lost, "pod") + " on nodes that are not in the input"
	}
	return ""
}

// writeGroups writes up to most groups of nodes.
func (r *answer) writeGroups(p *page, most int) {
	p.title("Nodes grouped by taints")
	p.blank()
	if r.Pod != "" {
		p.line("NODES   PODS  THIS POD     TAINTS (! = not tolerated)")
	} else {
		p.line("NODES   PODS  REJECTED  TAINTS")
	}
	groups := r.FirstGroups(most)
	for i := range groups {
		p.group(&groups[i])
	}
	if r.Pod == "" && len(r.Pending) > 0 {
		p.paragraph("Rejected are the pending pods that match a node and do not tolerate its taints.")
	}
	if rest := len(r.Groups) - len(groups); rest > 0 {
		p.wrap("", "", say.Count(rest, "more group")+": see -o wide.")
	}
}

func (p *page) group(g *diagnosis.GroupRow) {
	first := fmt.Sprintf("%5d  %5d  %8d  ", g.Nodes, g.Pods, g.Rejected)
	if g.ForPod != nil {
		first = fmt.Sprintf("%5d  %5d  %-11s  ", g.Nodes, g.Pods, g.ForPod.Verdict.Words())
	}
	indent := strings.Repeat(" ", len(first))
	if p.width < 60 {
		p.line(strings.TrimRight(first, " "))
		first, indent = "    ", "    "
	}
	words := []string{"none"}
	if len(g.Taints) > 0 {
		words = say.TaintTexts(g.Taints)
	}
	for i, t := range g.Taints {
		if g.ForPod != nil && slices.Contains(g.ForPod.Untolerated, t) {
			words[i] = "!" + words[i]
		}
	}
	p.wrap(first, indent+"  ", strings.Join(words, ", "))
	p.wrap(indent, indent, "on "+say.NamesOf(g.NodeNames, len(g.NodeNames)))
}

// writeJSON writes the report without building a copy in memory.
func writeJSON(w io.Writer, report any) error {
	err := json.MarshalWrite(w, report, jsontext.WithIndent("  "), json.Deterministic(true))
	if err == nil {
		_, err = io.WriteString(w, "\n")
	}
	return err
}

func writeYAML(w io.Writer, report any) error {
	b, err := json.Marshal(report, json.Deterministic(true))
	if err == nil {
		b, err = yaml.JSONToYAML(b)
	}
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// A page is text with a width.
type page struct {
	strings.Builder
	width int
	color bool
}

// line writes a line in a style, with safe replacements in the names of objects.
func (p *page) line(s string, style ...color.Attribute) {
	s = say.Printable(s)
	if p.color && len(style) > 0 {
		s = color.New(style...).Sprint(s)
	}
	p.WriteString(s + "\n")
}

func (p *page) blank() { p.WriteByte('\n') }

// paragraph writes text after a blank line.
func (p *page) paragraph(text string) {
	p.blank()
	p.wrap("", "", text)
}

// title starts a section.
func (p *page) title(s string) {
	p.blank()
	p.line(s, color.Bold)
}

// wrap writes text in a style. It puts first before the first line and hang
// before the other lines. It breaks lines only between words.
func (p *page) wrap(first, hang, text string, style ...color.Attribute) {
	line, isEmpty := first, true
	for _, w := range strings.Fields(text) {
		if !isEmpty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > p.width {
			p.line(line, style...)
			line, isEmpty, style = hang, true, nil
		}
		if !isEmpty {
			line += " "
		}
		line += w
		isEmpty = false
	}
	p.line(line, style...)
}
