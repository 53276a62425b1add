// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fatih/color"
)

// writeText writes the report as text: one page, or with all details.
func (r *report) writeText(p *page, wide bool) {
	r.writeHeading(p)
	if r.Pod != "" || wide {
		r.writePending(p)
		r.writeEvictions(p, len(r.Evictions))
	} else {
		r.writeCauses(p)
		r.writeEvictions(p, maxFates)
	}
	if len(r.PodFindings) > 0 {
		p.blank()
		writeFindings(p, "", r.PodFindings)
	}
	most := maxGroups
	if wide {
		most = len(r.Groups)
	}
	r.writeGroups(p, most)
	p.blank()
	p.wrap("", "", "Not evaluated: "+joined(r.NotEvaluated)+".")
}

func (r *report) writeHeading(p *page) {
	p.wrap("", "", fmt.Sprintf("%s and %s from %s, at %s.", count(r.Nodes, "node"), count(r.Pods, "pod"), r.Input, r.Now))
	if text := r.ignoredText(); text != "" {
		p.wrap("", "", text+".")
	}
	if r.Filter != "" && r.noPods == "" && r.Pod == "" {
		p.wrap("", "", "Only pods that match "+r.Filter+".")
	}
	if r.noPods != "" {
		p.wrap("", "", sentence(r.noPods)+".")
	}
	if r.PodNote != "" {
		p.wrap("", "", sentence(r.PodNote)+".")
	}
}

// ignoredText counts the objects of other kinds, by kind.
func (r *report) ignoredText() string {
	var words []string
	for _, kind := range sortedKeys(r.Ignored) {
		words = append(words, fmt.Sprintf("%d %s", r.Ignored[kind], kind))
	}
	if len(words) == 0 {
		return ""
	}
	return "Ignored objects: " + joined(firstOf(words, 5))
}

// Limits for the sections of the first page.
const (
	maxCauses = 6
	maxFates  = 5
	maxGroups = 8
)

func (r *report) writeCauses(p *page) {
	if r.noPods != "" {
		return
	}
	p.title("Pending pods")
	if len(r.Causes) == 0 {
		p.line("No pods are pending.")
	}
	for i := range r.Causes[:min(len(r.Causes), maxCauses)] {
		p.blank()
		r.Causes[i].write(p)
	}
	if rest := r.Causes[min(len(r.Causes), maxCauses):]; len(rest) > 0 {
		pods := 0
		for _, c := range rest {
			pods += c.Pods
		}
		p.blank()
		p.wrap("", "", fmt.Sprintf("%s with %s: see -o wide.", count(pods, "more pod"), count(len(rest), "other cause")))
	}
}

// write writes the cause with its owners and its fix.
func (c *cause) write(p *page) {
	p.wrap("", "    ", c.Who()+": "+c.Text, color.Bold)
	for _, note := range c.Notes {
		p.wrap("    Note: ", "      ", note)
	}
	writeSteps(p, "    ", c.Fix)
	if c.OwnersTotal > 1 && slices.ContainsFunc(c.Fix, func(s step) bool { return strings.Contains(s.Command, " patch ") }) {
		p.wrap("    ", "    ", "Commands are for the first of "+fmt.Sprint(c.OwnersTotal)+" owners.")
	}
}

func writeSteps(p *page, indent string, steps []step) {
	for i, s := range steps {
		first := "Fix: "
		if len(steps) > 1 {
			first = fmt.Sprintf("Fix %d: ", i+1)
		}
		end := "."
		if s.Command != "" {
			end = ":"
		}
		p.wrap(indent+first, indent+"  ", sentence(s.Text)+end)
		p.command(indent+"  ", s.Command)
	}
}

// Who counts the pods and names their owners.
func (c *cause) Who() string {
	text := count(c.Pods, "pod")
	switch {
	case c.Kind == causeSchedulable:
		return namesOf(c.Owners[:min(len(c.Owners), 3)], c.OwnersTotal)
	case c.OwnersTotal > 3:
		return fmt.Sprintf("%s of %s and %d more owners", text, strings.Join(c.Owners[:2], ", "), c.OwnersTotal-2)
	case c.OwnersTotal > 0:
		return text + " of " + joined(c.Owners)
	case c.Pods <= len(c.Examples):
		return text + " (" + joined(c.Examples) + ")"
	}
	return fmt.Sprintf("%s (%s and %d more)", text, strings.Join(c.Examples[:2], ", "), c.Pods-2)
}

// writeEvictions writes up to most reasons for evictions, and all pods if there
// is no limit.
func (r *report) writeEvictions(p *page, most int) {
	if r.noPods != "" || r.Pod != "" && len(r.Evictions) == 0 {
		return
	}
	p.title("Evictions")
	if len(r.Evictions) == 0 {
		p.line(r.noEvictions())
	}
	isLimited := most < len(r.Evictions)
	fates := fatesOf(r.Evictions, !isLimited)
	for _, f := range fates[:min(len(fates), most)] {
		p.blank()
		p.wrap("", "    ", f.Who()+" "+f.Text(), f.style()...)
		p.wrap("    ", "      ", sentence(f.Why())+".")
		if !isLimited && len(f.pods) > 1 {
			for _, x := range f.pods {
				p.wrap("      ", "        ", x.Pod+" on node "+x.Node+x.suffix())
			}
		}
	}
	rest := 0
	for _, f := range fates[min(len(fates), most):] {
		rest += len(f.pods)
	}
	if rest > 0 {
		p.blank()
		p.wrap("", "", fmt.Sprintf("%s for %s: see -o wide.", count(rest, "more pod"), count(len(fates)-most, "other reason")))
	}
	if n := r.staying(); n > 0 && isLimited {
		p.blank()
		p.wrap("", "", staysText(n)+".")
	}
	if text := r.leftOut(); text != "" && r.Pod == "" {
		p.blank()
		p.wrap("", "", "Left out: "+text+".")
	}
}

func staysText(n int) string {
	if n == 1 {
		return "1 pod on these nodes tolerates the taints and stays"
	}
	return fmt.Sprintf("%d pods on these nodes tolerate the taints and stay", n)
}

// noEvictions returns the text for a report without evictions.
func (r *report) noEvictions() string {
	if r.Filter != "" {
		return "None of these pods runs on a node with NoExecute taints."
	}
	return "No pods run on nodes with NoExecute taints."
}

// staying counts the pods that tolerate their nodes' NoExecute taints.
func (r *report) staying() int {
	n := 0
	for i := range r.Evictions {
		if r.Evictions[i].Outcome == stays {
			n++
		}
	}
	return n
}

// A fate is the pods that are evicted for the same taint and toleration.
type fate struct{ pods []*eviction }

// fatesOf groups the pods that are evicted, earliest first, and then the pods
// that stay if withStays is set.
func fatesOf(list []eviction, withStays bool) []*fate {
	var fates []*fate
	at := make(map[string]*fate)
	for i := range list {
		x := &list[i]
		if x.Outcome == stays && !withStays {
			continue
		}
		key := x.Outcome + "\n" + string(x.From) + "\n" + x.order
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

func (f *fate) style() []color.Attribute {
	if f.pods[0].Outcome == overdue {
		return []color.Attribute{color.Bold, color.FgRed}
	}
	return []color.Attribute{color.Bold}
}

// Who counts the pods and names the first.
func (f *fate) Who() string {
	first := f.pods[0]
	text := first.Pod + " on node " + first.Node
	if n := len(f.pods); n > 1 {
		return fmt.Sprintf("%s (%s and %d more)", count(n, "pod"), text, n-1)
	}
	return "pod " + text
}

// Text describes what happens to the pods and when.
func (f *fate) Text() string {
	first, last := f.pods[0], f.pods[len(f.pods)-1]
	when := "at " + first.when()
	if first.At != last.At {
		when = "between " + first.when() + " and " + last.when()
	}
	one := func(one, many string) string {
		if len(f.pods) == 1 {
			return one
		}
		return many
	}
	switch {
	case first.Outcome == overdue:
		return "should have been evicted " + when
	case first.Outcome == leaves:
		return one("is", "are") + " evicted " + when
	case first.Outcome == stays:
		return one("is", "are") + " not evicted"
	}
	return one("is", "are") + " already being deleted"
}

// suffix returns the pod's deadline as the end of a sentence.
func (x *eviction) suffix() string {
	if when := x.when(); when != "" {
		return ", at " + when
	}
	return ""
}

// Outcome returns the outcome of all pods.
func (f *fate) Outcome() string { return f.pods[0].Outcome }

// Names returns the pods with their nodes.
func (f *fate) Names() []string {
	var list []string
	for _, x := range f.pods {
		list = append(list, x.Pod+" on node "+x.Node)
	}
	return list
}

// Why names the taint that decides and the toleration for it.
func (f *fate) Why() string {
	var words []string
	for i := range f.pods[0].Because {
		words = append(words, f.pods[0].Because[i].text())
	}
	return strings.Join(firstOf(words, 3), "; ")
}

// leftOut counts the pods that a user might expect but that are not in the list.
func (r *report) leftOut() string {
	var words []string
	if r.Finished > 0 {
		words = append(words, count(r.Finished, "finished pod")+" on these nodes")
	}
	if r.Lost > 0 {
		words = append(words, count(r.Lost, "pod")+" on nodes that are not in the input")
	}
	return strings.Join(words, "; ")
}

// writeGroups writes up to most groups of nodes.
func (r *report) writeGroups(p *page, most int) {
	p.title("Nodes grouped by taints")
	p.blank()
	if r.Pod != "" {
		p.line("NODES   PODS  THIS POD     TAINTS (! = not tolerated)")
	} else {
		p.line("NODES   PODS  REJECTED  TAINTS")
	}
	groups := r.firstGroups(most)
	for i := range groups {
		groups[i].write(p)
	}
	if r.Pod == "" && len(r.Pending) > 0 {
		p.blank()
		p.wrap("", "", "Rejected are the pending pods that match a node and do not tolerate its taints.")
	}
	if rest := len(r.Groups) - len(groups); rest > 0 {
		p.wrap("", "", count(rest, "more group")+": see -o wide.")
	}
}

func (g *groupRow) write(p *page) {
	first := fmt.Sprintf("%5d  %5d  %8d  ", g.Nodes, g.Pods, g.Rejected)
	if g.ForPod != nil {
		first = fmt.Sprintf("%5d  %5d  %-11s  ", g.Nodes, g.Pods, g.ForPod.Verdict.Words())
	}
	indent := strings.Repeat(" ", len(first))
	words := []string{"none"}
	if len(g.Taints) > 0 {
		words = taintTexts(g.Taints)
	}
	for i, t := range g.Taints {
		if g.ForPod != nil && slices.Contains(g.ForPod.Untolerated, t) {
			words[i] = "!" + words[i]
		}
	}
	p.wrap(first, indent+"  ", strings.Join(words, ", "))
	p.wrap(indent, indent, "on "+namesOf(g.NodeNames, len(g.NodeNames)))
}
