// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// text returns the report for people, in lines of the width where words allow
// it: one page, or all details, or all about one pod.
func (r *report) text(width int, verbose bool) []byte {
	p := &page{width: width}
	r.writeHeading(p)
	switch {
	case r.Pod != "":
		r.writePod(p, verbose)
	case verbose:
		r.writePending(p)
		r.writeEvictions(p)
		r.writeGroups(p, len(r.Groups))
	default:
		r.writeSummary(p)
	}
	p.blank()
	p.wrap("", "", "Not evaluated: "+enumerate(r.NotEvaluated, "and")+".")
	return []byte(p.String())
}

func (r *report) writeHeading(p *page) {
	source := ""
	if r.Input == inputSample {
		source = " of the built-in sample"
	}
	now := r.Now
	if r.Input == inputSample && now == sampleNow.Format(time.RFC3339) {
		now += " (fixed)"
	}
	p.wrap("", "", fmt.Sprintf("%s and %s%s, at %s.", count(r.Nodes, "node"), count(r.Pods, "pod"), source, now))
	if len(r.Ignored) > 0 {
		p.wrap("", "", ignored(r.Ignored)+".")
	}
	if r.Filter != "" && r.noPods == "" {
		p.wrap("", "", "Only pods that match "+r.Filter+".")
	}
	if r.noPods != "" {
		p.wrap("", "", r.noPods+", so the first two questions have no answers.")
	}
	if r.Pod != "" {
		p.wrap("", "", "Only "+r.Pod+".")
	}
	if r.PodNote != "" {
		p.blank()
		p.wrap("", "", r.PodNote)
	}
}

func (r *report) writePod(p *page, verbose bool) {
	if len(r.Pending) > 0 {
		r.writePending(p)
	}
	if len(r.Evictions) > 0 {
		r.writeEvictions(p)
	}
	if len(r.PodFindings) > 0 {
		p.blank()
		writeFindings(p, "", r.PodFindings)
	}
	most := len(r.Groups)
	if !verbose {
		most = 15
	}
	r.writeGroups(p, most)
}

// How much of each section is on the first page.
const (
	maxCauses = 6
	maxFates  = 5
	maxGroups = 8
)

// writeSummary writes one page.
func (r *report) writeSummary(p *page) {
	p.title("1. Why are pods pending?")
	r.writeCauses(p)
	p.title("2. Who leaves, and when?")
	r.writeFates(p)
	r.writeGroups(p, maxGroups)
	if len(r.Pending)+len(r.Evictions) > 0 {
		p.blank()
		p.wrap("", "", "For the details: -v, or the name of a pod.")
	}
}

func (r *report) writeCauses(p *page) {
	switch {
	case r.noPods != "":
		p.wrap("", "", r.noPods+".")
	case len(r.Causes) == 0:
		p.wrap("", "", "No pod waits for the scheduler.")
	}
	for i := range r.Causes[:min(len(r.Causes), maxCauses)] {
		r.Causes[i].write(p)
	}
	if rest := r.Causes[min(len(r.Causes), maxCauses):]; len(rest) > 0 {
		pods := 0
		for _, c := range rest {
			pods += c.Pods
		}
		p.wrap("", "", fmt.Sprintf("And %s of %s more.", count(pods, "pod"), count(len(rest), "cause")))
	}
}

// write writes the cause with its pods and what to do.
func (c *cause) write(p *page) {
	p.wrap("", "    ", c.who()+": "+c.words())
	if c.Fix != "" {
		p.wrap("    fix: ", "         ", c.Fix)
	}
	more := ""
	if c.Pods > 1 {
		more = ", …"
	}
	p.wrap("    as ", "       ", c.Examples[0]+more)
}

// who counts the pods and whose they are.
func (c *cause) who() string {
	var words []string
	for _, kind := range sortedKeys(c.Owners) {
		words = append(words, count(c.Owners[kind], kind))
	}
	if len(words) == 0 {
		return count(c.Pods, "pod")
	}
	return count(c.Pods, "pod") + " of " + enumerate(words, "and")
}

func (r *report) writeFates(p *page) {
	switch {
	case r.noPods != "":
		p.wrap("", "", r.noPods+".")
	case len(r.Evictions) == 0:
		p.wrap("", "", r.nobodyLeaves())
	}
	fates := fatesOf(r.Evictions)
	shown := fates[:min(len(fates), maxFates)]
	for _, f := range shown {
		p.wrap("", "    ", f.text())
		p.wrap("    ", "    ", f.why())
		p.wrap("    as ", "       ", f.pods[0].Pod+" on "+f.pods[0].Node)
	}
	if rest := fates[len(shown):]; len(rest) > 0 {
		pods := 0
		for _, f := range rest {
			pods += len(f.pods)
		}
		p.wrap("", "", fmt.Sprintf("And %s for %s more.", count(pods, "pod"), count(len(rest), "reason")))
	}
	if n := r.staying(); n > 0 {
		p.wrap("", "", plural(n, "pod stays", "pods stay")+" on such nodes, because they tolerate the taints.")
	}
	r.writeLeftOut(p)
}

// nobodyLeaves says that there are no answers to the second question.
func (r *report) nobodyLeaves() string {
	if r.Filter != "" {
		return "None of these pods runs on a node with NoExecute taints."
	}
	return "No pod runs on a node with NoExecute taints."
}

// staying counts the pods that NoExecute taints leave where they are.
func (r *report) staying() int {
	n := 0
	for i := range r.Evictions {
		if r.Evictions[i].Outcome == stays {
			n++
		}
	}
	return n
}

// A fate is pods that leave for the same taint and toleration.
type fate struct {
	pods []*eviction
}

// fatesOf folds the pods that leave, those that leave first in front.
func fatesOf(list []eviction) []*fate {
	var fates []*fate
	at := make(map[string]*fate)
	for i := range list {
		x := &list[i]
		if x.Outcome == stays {
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

// text says what becomes of the pods and when.
func (f *fate) text() string {
	first, last := f.pods[0], f.pods[len(f.pods)-1]
	when := "at " + first.when()
	if first.At != last.At {
		when = "between " + first.when() + " and " + last.when()
	}
	n := len(f.pods)
	switch {
	case first.Outcome == overdue && first.At == last.At:
		return count(n, "pod") + " overdue since " + first.when()
	case first.Outcome == overdue:
		return count(n, "pod") + " overdue, " + when
	case first.Outcome == leaves:
		return plural(n, "pod leaves", "pods leave") + " " + when
	case first.InSeconds == nil:
		return count(n, "pod") + " being deleted already"
	}
	return count(n, "pod") + " being deleted already; for the taints the time is " + when
}

// why names the taint that decides and the toleration that counts for it.
func (f *fate) why() string {
	var words []string
	for _, b := range f.pods[0].Because {
		if b.Toleration == nil {
			words = append(words, b.Taint.String()+", not tolerated")
		} else {
			words = append(words, b.Taint.String()+", tolerated by "+b.Toleration.String())
		}
	}
	return strings.Join(firstOf(words, 3), "; ")
}

// writeLeftOut counts the pods that are not in the list and could have been
// expected there.
func (r *report) writeLeftOut(p *page) {
	if text := r.leftOut(); text != "" {
		p.blank()
		p.wrap("", "", "Left out: "+text+".")
	}
}

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

// writeGroups writes the third section with no more than so many groups.
func (r *report) writeGroups(p *page, most int) {
	p.title("3. What keeps whom away?")
	if r.Pod != "" {
		p.wrap("", "", "Groups of nodes with the same taints, and what they do to "+r.Pod+
			"; a taint after ! is not tolerated.")
		p.blank()
		p.line("NODES   PODS  THE POD IS    TAINTS, NODES")
	} else {
		match := ""
		if r.Filter != "" {
			match = " match " + r.Filter + " and"
		}
		p.wrap("", "",
			"Groups of nodes with the same taints. Pods are those that"+match+" run there; kept away are the pending "+
				"ones that"+match+" select such a node and do not tolerate a taint of it.")
		p.blank()
		p.line("NODES   PODS  KEPT AWAY  TAINTS, NODES")
	}
	groups := r.firstGroups(most)
	for i := range groups {
		groups[i].write(p)
	}
	if rest := len(r.Groups) - len(groups); rest > 0 {
		p.wrap("", "", fmt.Sprintf("And %s more, which -v shows.", count(rest, "group")))
	}
}

// firstGroups returns no more than so many groups, those that matter most.
func (r *report) firstGroups(most int) []groupRow {
	if len(r.Groups) <= most {
		return r.Groups
	}
	groups := slices.Clone(r.Groups)
	slices.SortStableFunc(groups, func(a, b groupRow) int { return b.importance() - a.importance() })
	return groups[:most]
}

// importance orders groups where not all are shown.
func (g *groupRow) importance() int {
	if g.ForPod != nil {
		return g.ForPod.Selected
	}
	return g.KeepsAway
}

func (g *groupRow) write(p *page) {
	first := fmt.Sprintf("%5d  %5d  %9d  ", g.Nodes, g.Pods, g.KeepsAway)
	if g.ForPod != nil {
		first = fmt.Sprintf("%5d  %5d  %-12s  ", g.Nodes, g.Pods, g.ForPod.Verdict.words())
	}
	indent := strings.Repeat(" ", len(first))
	words := []string{"no taints"}
	if len(g.Taints) > 0 {
		words = taintTexts(g.Taints)
	}
	for i, t := range g.Taints {
		if g.ForPod != nil && slices.Contains(g.ForPod.Rejecting, t) {
			words[i] = "! " + words[i]
		}
	}
	p.wrap(first, indent+"  ", strings.Join(words, ", "))
	p.wrap(indent, indent, "on "+firstNames(g.NodeNames))
}
