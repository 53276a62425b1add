// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

func (r *report) writePending(p *page) {
	p.title("1. Why is this pod pending?")
	if r.noPods != "" {
		p.wrap("", "", r.noPods+".")
	} else if len(r.Pending) == 0 {
		p.wrap("", "", "No pod waits for the scheduler.")
	}
	for i := range r.Pending {
		if i > 0 {
			p.blank()
		}
		r.Pending[i].write(p, r.Nodes)
	}
}

// write writes a paragraph.
func (x *pending) write(p *page, nodes int) {
	name := podName{x.Namespace, x.Pods[0]}.String()
	if more := len(x.Pods) - 1; more > 0 {
		name += fmt.Sprintf(" (and %d more)", more)
	}
	p.wrap("", "    ", name+x.ownerText())
	if x.Gated {
		p.wrap("  ", "  ", "It has scheduling gates: the scheduler does not look at it before they are removed.")
	}
	p.wrap("  ", "  ", x.selectionText(nodes))
	if x.Feasible > 0 && x.Message != "" {
		p.wrap("  ", "    ", "The scheduler says: "+x.Message)
	}
	for i := range x.Rejections[:min(len(x.Rejections), maxLines)] {
		x.Rejections[i].write(p, x.Rejections[0].Nodes)
	}
	if more := x.RejectionsTotal - maxLines; more > 0 {
		p.wrap("    ", "    ", "and "+count(more, "taint")+" more")
	}
	x.writeRemedy(p)
	writeFindings(p, "  ", x.Findings)
}

// maxLines limits the lists in a paragraph.
const maxLines = 10

// writeFindings writes what is odd about the tolerations of a pod.
func writeFindings(p *page, indent string, list []finding) {
	if len(list) > 0 {
		p.wrap(indent, indent, "In its tolerations, which are valid:")
	}
	for _, f := range list {
		p.wrap(indent+"  ", indent+"    ", fmt.Sprintf("%s is %s:", f.Field, f.Toleration))
		p.wrap(indent+"    ", indent+"    ", f.Advice)
	}
}

func (x *pending) ownerText() string {
	switch {
	case x.Owner == nil:
		return ""
	case x.Owner.Deployment != "":
		return fmt.Sprintf(" (ReplicaSet %s of Deployment %s)", x.Owner.Name, x.Owner.Deployment)
	}
	return fmt.Sprintf(" (%s %s)", x.Owner.Kind, x.Owner.Name)
}

// selectionText says how many nodes are selected and how many of them take the pod.
func (x *pending) selectionText(nodes int) string {
	text := x.selectedText(nodes) + ";"
	switch {
	case x.Selected == 0 && len(x.MissingLabels) > 0:
		return text + " no node has the label " + enumerate(x.MissingLabels, "or") + ", whatever its taints."
	case x.Selected == 0 && x.NodeAffinity == "":
		return text + " each label is on some node, but no node has all, whatever its taints."
	case x.Selected == 0:
		return text + " no node has what they ask for, whatever its taints."
	case x.Selected == 1 && x.Feasible == 0:
		return text + " its taints reject the pod:"
	case x.Feasible == 0:
		return text + " the taints of all of them reject the pod:"
	}
	text += fmt.Sprintf(" the taints of %d of them let it in: %s.", x.Feasible, namesOf(x.FeasibleNames, x.Feasible))
	if len(x.NotEvaluated) == 0 {
		return text + " What else could keep it off these is not evaluated."
	}
	return text + " What else could keep it off these is not evaluated: it has " +
		enumerate(x.NotEvaluated, "and") + "."
}

// selectedText says how many nodes are selected, and by what.
func (x *pending) selectedText(nodes int) string {
	var by []string
	if len(x.NodeSelector) > 0 {
		by = append(by, "node selector "+selectorText(x.NodeSelector))
	}
	if x.NodeAffinity != "" {
		by = append(by, "required node affinity "+x.NodeAffinity)
	}
	if len(by) == 0 {
		return "No node selector: " + plural(nodes, "node counts", "nodes count")
	}
	leaves := "leaves"
	if len(by) > 1 {
		leaves = "leave"
	}
	return fmt.Sprintf("Its %s %s %d of %s", enumerate(by, "and"), leaves, x.Selected, count(nodes, "node"))
}

// write writes a line of the table of taints; most is the largest number in it.
func (x *rejection) write(p *page, most int) {
	width := len(count(max(most, 2), "node"))
	indent := strings.Repeat(" ", 4+width+2)
	p.wrap(fmt.Sprintf("    %*s  ", width, padded(count(x.Nodes, "node"))), indent, x.Taint.String())
	if x.Closest == nil {
		p.wrap(indent, indent, "no toleration comes close")
		return
	}
	closest := "closest: " + x.Closest.String() + ","
	if utf8.RuneCountInString(indent+closest+" "+x.Why) <= p.width {
		p.line(indent + closest + " " + x.Why)
		return
	}
	p.wrap(indent, indent+"  ", closest)
	p.wrap(indent+"  ", indent+"  ", x.Why)
}

// padded makes "1 node" as wide as "1 nodes".
func padded(count string) string {
	if strings.HasSuffix(count, "s") {
		return count
	}
	return count + " "
}

// writeRemedy writes what lets the pod in, as far as it is known.
func (x *pending) writeRemedy(p *page) {
	c := x.Change
	switch {
	case x.Feasible > 0 || x.Selected == 0:
		return
	case c == nil && len(x.Alternatives) == 0:
		p.wrap("  ", "  ", "No change to the tolerations lets it in: a taint, or another toleration, is not valid.")
		return
	case c != nil && len(c.Entries) == 0:
		p.wrap("  ", "  ", outOfOrder(x, c)+" Without "+enumerate(taintTexts(c.NodeTaints), "and")+
			" the taints of "+count(c.Opens, "node")+" let it in.")
	case c != nil && len(c.NodeTaints) > 0:
		p.wrap("  ", "  ", outOfOrder(x, c)+" Without "+enumerate(taintTexts(c.NodeTaints), "and")+
			", and with this change, the taints of "+count(c.Opens, "node")+" let it in:")
		writeEntries(p, c.Entries)
		p.wrap("  ", "  ", x.advice())
	case c != nil:
		p.wrap("  ", "  ",
			"Smallest change to its tolerations, with which the taints of "+count(c.Opens, "node")+" let it in:")
		writeEntries(p, c.Entries)
		p.wrap("  ", "  ", x.advice())
	}
	x.writeAlternatives(p)
}

// outOfOrder says what state nodes are in.
func outOfOrder(x *pending, c *change) string {
	who, what := "Nodes", "fix the nodes, not the pod."
	if c.Opens == x.Selected {
		who = "All of these nodes"
	}
	if haveLeaving(c.NodeTaints) {
		what = "the pod needs other nodes, not other tolerations."
	}
	return who + " are " + troubleWords(c.NodeTaints) + ": " + what
}

// writeAlternatives writes which nodes there are for the pod, where nothing
// says which are meant.
func (x *pending) writeAlternatives(p *page) {
	switch len(x.Alternatives) {
	case 0:
		return
	case 1:
		a := &x.Alternatives[0]
		once := ""
		if len(a.NodeTaints) > 0 {
			once = ", once " + enumerate(taintTexts(a.NodeTaints), "and") + " " + isOrAre(len(a.NodeTaints)) + " gone"
		}
		p.wrap("  ", "  ", fmt.Sprintf(
			"If nodes with %s are meant for it (%s), and only then, this change lets it past their taints%s:",
			enumerate(taintTexts(a.asks()), "and"), namesOf(a.NodeNames, a.Nodes), once,
		))
		writeEntries(p, a.entries())
		p.wrap("  ", "  ", x.advice())
		return
	}
	p.wrap("  ", "  ",
		"Which nodes are meant for it, if any of these, is not known from taints and tolerations. It would have to tolerate:")
	width := len(count(max(x.Alternatives[0].Nodes, 2), "node"))
	indent := strings.Repeat(" ", 4+width+2)
	for i := range x.Alternatives[:min(len(x.Alternatives), maxLines)] {
		a := &x.Alternatives[i]
		p.wrap(fmt.Sprintf("    %*s  ", width, padded(count(a.Nodes, "node"))), indent+"  ",
			enumerate(taintTexts(a.rest), "and")+" on "+namesOf(a.NodeNames, a.Nodes)+a.trouble())
	}
	if more := x.AlternativesTotal - maxLines; more > 0 {
		p.wrap("    ", "    ", fmt.Sprintf("and %d more", more))
	}
}

// trouble says that the nodes are out of order, if they are.
func (a *alternative) trouble() string {
	if len(a.NodeTaints) == 0 {
		return ""
	}
	return ", " + troubleWords(a.NodeTaints) + ": " + enumerate(taintTexts(a.NodeTaints), "and")
}

// entries returns all tolerations to write for the alternative.
func (a *alternative) entries() []entry {
	list := slices.Clone(a.Corrections)
	for _, t := range a.Additions {
		list = append(list, entry{nil, t, -1})
	}
	return list
}

// advice says where to make the change. The API server refuses to replace or to
// remove tolerations of an existing pod.
func (x *pending) advice() string {
	const rule = "An existing pod's tolerations can be added to, not replaced: add this to the pod"
	if x.Owner == nil {
		return rule + "."
	}
	return rule + x.Owner.renewal()
}

// renewal says what to do for the pods that the owner makes later, and what
// becomes of existing ones then. Of kinds that are not known here nobody can say
// whether they replace a pod that is deleted.
func (o *owner) renewal() string {
	const onlyNew = " A change there is for new pods only: then delete the pod."
	kind, name := o.template()
	template := ", or make the change in the pod template of " + kind + " " + name
	switch kind {
	case "Deployment":
		return template + "."
	case "ReplicaSet":
		return template + ", or of what owns it." + onlyNew
	case "ReplicationController":
		return template + "." + onlyNew
	case "StatefulSet", "DaemonSet":
		// A StatefulSet waits for a pod that is not ready, unless its pods are
		// managed in parallel, and OnDelete is a strategy of DaemonSets as well.
		return template + ". If a change there does not replace the pod, delete it."
	case "Job":
		return ". Further pods of Job " + name + " need the same, because its pod template can be changed only " +
			"while the Job is suspended." + o.cronJobText()
	}
	return ", and make the change in what " + kind + " " + name + " makes its pods from."
}

// cronJobText says what to do for the next Jobs, if a CronJob may make some.
func (o *owner) cronJobText() string {
	if name := o.cronJob(); name != "" {
		return " If CronJob " + name + " made it, make the change there too, for the next Jobs."
	}
	return ""
}

// cronJob returns the CronJob that a Job is of by its name, which ends in the
// minutes since 1970 then; empty for other names.
func (o *owner) cronJob() string {
	i := strings.LastIndexByte(o.Name, '-')
	if minutes := o.Name[i+1:]; i < 1 || len(minutes) != 8 || strings.Trim(minutes, "0123456789") != "" {
		return ""
	}
	return o.Name[:i]
}

func writeEntries(p *page, list []entry) {
	for i := range list {
		list[i].write(p)
	}
}

func (r *report) writeEvictions(p *page) {
	p.title("2. Who leaves, and when?")
	switch {
	case r.noPods != "":
		p.wrap("", "", r.noPods+".")
	case len(r.Evictions) == 0:
		p.wrap("", "", r.nobodyLeaves())
	default:
		p.wrap("", "",
			"Pods on nodes with NoExecute taints. Deadlines count from a taint's timeAdded, or from now if it "+
				"has none, but never from before the pod came to the node.")
	}
	for i := 0; i < len(r.Evictions); {
		n := 1
		for i+n < len(r.Evictions) && r.Evictions[i].isLike(&r.Evictions[i+n]) {
			n++
		}
		if heading := r.Evictions[i].heading(); i == 0 || heading != r.Evictions[i-1].heading() {
			p.blank()
			p.wrap("", "    ", heading)
		}
		writeAlike(p, r.Evictions[i:i+n])
		i += n
	}
	if r.Pod == "" {
		r.writeLeftOut(p)
	}
}

// isLike reports whether the pods share their fate and its reason.
func (x *eviction) isLike(y *eviction) bool {
	return x.Outcome == y.Outcome && x.order == y.order && x.deadline.Equal(y.deadline) && x.From == y.From
}

// writeAlike writes pods that are alike.
func writeAlike(p *page, list []eviction) {
	for _, b := range list[0].Because {
		p.wrap("  taint       ", "              ", b.Taint.String())
		if b.Toleration == nil {
			p.line("  toleration  none")
		} else {
			p.wrap("  toleration  ", "              ", b.Toleration.String())
		}
	}
	width := 0
	for _, x := range list {
		width = max(width, utf8.RuneCountInString(x.Pod))
	}
	for _, x := range list {
		p.wrap("    ", "        ", fmt.Sprintf("%-*s", width, x.Pod), "on "+x.Node)
	}
}
