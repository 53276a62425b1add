package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed-0529bac1/taints"
)

// text returns the report for people, in lines of the width where words allow it.
func (r *report) text(width int) []byte {
	p := &page{width: width}
	r.writeHeading(p)
	r.writePending(p)
	r.writeLeaving(p)
	if len(r.PodFindings) > 0 {
		p.blank()
		writeFindings(p, "", r.PodFindings)
	}
	r.writeGroups(p)
	p.blank()
	p.wrap("", "", "Not looked at: "+enumerate(r.NotLookedAt, "and")+".")
	return []byte(printable(p.String()))
}

func (r *report) writeHeading(p *page) {
	source := ""
	if r.Sample {
		source = " of the built-in sample"
	}
	now := r.Now
	if r.Sample && now == sampleNow.Format(time.RFC3339) {
		now += " (fixed)"
	}
	p.wrap("", "", fmt.Sprintf("%s and %s%s, at %s.", count(r.Nodes, "node"), count(r.Pods, "pod"), source, now))
	if len(r.Ignored) > 0 {
		p.wrap("", "", ignored(r.Ignored)+".")
	}
	if r.Pods == 0 {
		p.wrap("", "", "There are no pods in the input, so the first two questions have no answers.")
	}
	if r.Pod != "" {
		p.wrap("", "", "Only "+r.Pod+".")
	}
	if r.PodNote != "" {
		p.blank()
		p.wrap("", "", r.PodNote)
	}
}

func (r *report) writePending(p *page) {
	if r.Pod != "" && len(r.Pending) == 0 {
		return
	}
	p.title("1. Why is this pod pending?")
	if r.Pods == 0 {
		p.wrap("", "", "There are no pods in the input.")
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
	p.wrap("  ", "  ", x.selectionText(nodes))
	if len(x.Unseen) > 0 {
		p.wrap("  ", "  ", "The pod also has "+enumerate(x.Unseen, "and")+", not looked at here.")
	}
	if x.Feasible > 0 && x.Message != "" {
		p.wrap("  ", "    ", "The scheduler says: "+x.Message)
	}
	for i := range x.Rejections {
		x.Rejections[i].write(p, x.Rejections[0].Nodes)
	}
	if x.Change != nil {
		x.writeChange(p)
	} else if x.Feasible == 0 && x.Selected > 0 {
		p.wrap("  ", "  ", "No change to the tolerations lets it in: a taint, or another toleration, is not valid.")
	}
	writeFindings(p, "  ", x.Findings)
}

// writeFindings writes what is odd about the tolerations of a pod.
func writeFindings(p *page, indent string, list []finding) {
	if len(list) > 0 {
		p.wrap(indent, indent, "In its tolerations, which are valid:")
	}
	for _, f := range list {
		p.wrap(indent+"  ", indent+"    ", fmt.Sprintf("tolerations[%d] is %s:", f.Index, f.Toleration))
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

// selectionText says how many nodes the selector leaves and how many of them take the pod.
func (x *pending) selectionText(nodes int) string {
	text := fmt.Sprintf("No node selector: all %s count;", count(nodes, "node"))
	if len(x.NodeSelector) > 0 {
		all := count(nodes, "node")
		text = fmt.Sprintf("Node selector %s leaves %d of %s;", selectorText(x.NodeSelector), x.Selected, all)
	}
	switch {
	case x.Selected == 0 && len(x.MissingLabels) > 0:
		text += " no node has the label " + enumerate(x.MissingLabels, "or") + "."
	case x.Selected == 0:
		text += " each label is on some node, but no node has all."
	case x.Selected == 1 && x.Feasible == 0:
		return text + " its taints reject the pod:"
	case x.Feasible == 0:
		return text + " the taints of all of them reject the pod:"
	default:
		text += fmt.Sprintf(" the taints of %d of them let it in: %s.", x.Feasible, firstNames(x.FeasibleNames))
	}
	return text + " Taints are not what keeps it pending."
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

const outOfOrder = "All of these nodes are out of order or cordoned: it is they that need mending, not the pod."

func (x *pending) writeChange(p *page) {
	c := x.Change
	opened := count(c.Opens, "node")
	switch mend := enumerate(taintTexts(c.NodeTaints), "and"); {
	case mend == "":
		p.wrap("  ", "  ", "Smallest change to its tolerations, which lets it onto "+opened+":")
	case len(c.Entries) == 0:
		p.wrap("  ", "  ", outOfOrder+" Without "+mend+" it can go to "+opened+".")
		return
	default:
		p.wrap("  ", "  ", outOfOrder+" Without "+mend+", this change lets it onto "+opened+":")
	}
	for _, e := range c.Entries {
		e.write(p)
	}
	p.wrap("  ", "  ", x.advice())
}

// advice says where to make the change.
func (x *pending) advice() string {
	const rule = "An existing pod's tolerations can only be added to: "
	isAddition := !slices.ContainsFunc(x.Change.Entries, func(e entry) bool { return e.Replaces != nil })
	what := "make the change"
	if isAddition {
		what = "add this to the pod, or"
	}
	switch {
	case x.Owner == nil && isAddition:
		return rule + "add this to the pod."
	case x.Owner == nil:
		return rule + "the pod has no owner, so delete it and create it anew."
	case x.Owner.Deployment != "":
		return rule + what + " in the pod template of Deployment " + x.Owner.Deployment + "."
	}
	return rule + what + " in the pod template of " + x.Owner.Kind + " " + x.Owner.Name + "."
}

// write writes the entry as YAML.
func (e *entry) write(p *page) {
	comment := "added"
	if e.Replaces != nil {
		comment = "in place of " + e.Replaces.String()
	}
	p.wrap("    # ", "    #   ", comment)
	for i, line := range yaml(e.Toleration) {
		mark := "  "
		if i == 0 {
			mark = "- "
		}
		p.line("    " + mark + line)
	}
}

// yaml returns the fields of the toleration as lines of YAML.
func yaml(t taints.Toleration) []string {
	operator := t.Operator
	if operator == "" {
		operator = taints.OpEqual
	}
	lines := []string{"key: " + scalar(t.Key), "operator: " + scalar(string(operator))}
	if t.Value != "" {
		lines = append(lines, "value: "+scalar(t.Value))
	}
	if t.Effect != "" {
		lines = append(lines, "effect: "+scalar(string(t.Effect)))
	}
	if t.TolerationSeconds != nil {
		lines = append(lines, "tolerationSeconds: "+strconv.FormatInt(*t.TolerationSeconds, 10))
	}
	return lines
}

// scalar returns the string as YAML, in quotes if it could be taken for something else.
func scalar(s string) string {
	switch strings.ToLower(s) {
	case "", "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return strconv.Quote(s)
	}
	plain := func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._/-", r))
	}
	if !unicode.IsLetter(rune(s[0])) || strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return strconv.Quote(s)
	}
	return s
}

func (r *report) writeLeaving(p *page) {
	if r.Pod != "" && len(r.Leaving) == 0 {
		return
	}
	p.title("2. Who leaves, and when?")
	switch {
	case r.Pods == 0:
		p.wrap("", "", "There are no pods in the input.")
	case len(r.Leaving) == 0:
		p.wrap("", "", "No pod runs on a node with NoExecute taints.")
	default:
		p.wrap("", "", "Pods on nodes with NoExecute taints. Deadlines count from a taint's timeAdded, and where it has "+
			"none, from now.")
	}
	for i := 0; i < len(r.Leaving); {
		n := 1
		for i+n < len(r.Leaving) && r.Leaving[i].isLike(&r.Leaving[i+n]) {
			n++
		}
		if fate := r.Leaving[i].fate(); i == 0 || fate != r.Leaving[i-1].fate() {
			p.blank()
			p.wrap("", "    ", fate)
		}
		writeLeavings(p, r.Leaving[i:i+n])
		i += n
	}
	if r.Pod == "" {
		r.writeLeftOut(p)
	}
}

// writeLeftOut counts the pods that are not in the list and could have been expected there.
func (r *report) writeLeftOut(p *page) {
	var words []string
	if r.Finished > 0 {
		words = append(words, count(r.Finished, "finished pod")+" on these nodes")
	}
	if r.Lost > 0 {
		words = append(words, count(r.Lost, "pod")+" on nodes that are not in the input")
	}
	if len(words) > 0 {
		p.blank()
		p.wrap("", "", "Left out: "+strings.Join(words, "; ")+".")
	}
}

// isLike reports whether the pods share their fate and its reason.
func (x *leaving) isLike(y *leaving) bool {
	return x.Outcome == y.Outcome && x.order == y.order && x.deadline.Equal(y.deadline) && x.From == y.From
}

// writeLeavings writes pods that are alike.
func writeLeavings(p *page, list []leaving) {
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

// fate says what becomes of the pod and when.
func (x *leaving) fate() string {
	when := ""
	if x.InSeconds != nil {
		when = x.At
		if when == "" {
			when = "a time after the year 9999"
		}
		when += " (" + relative(*x.InSeconds) + ")"
		if x.From == "now" {
			when += ", counted from now"
		}
	}
	switch x.Outcome {
	case gone:
		return "Should be gone since " + when + ":"
	case leaves:
		return "Leaves at " + when + ":"
	case stays:
		return "Stays:"
	}
	if when == "" {
		return "Is being deleted already, would stay for the taints:"
	}
	return "Is being deleted already; for the taints its time is " + when + ":"
}

// relative says how far off a time is.
func relative(seconds int64) string {
	switch {
	case seconds == 0:
		return "now"
	case seconds == math.MinInt64:
		seconds++
	}
	if seconds < 0 {
		return duration(-seconds) + " ago"
	}
	return "in " + duration(seconds)
}

// duration writes seconds in the two units that say most.
func duration(s int64) string {
	const minute, hour, day = 60, 3600, 86400
	switch {
	case s < 2*minute:
		return fmt.Sprintf("%ds", s)
	case s < hour:
		return twoUnits(s/minute, "m", s%minute, "s")
	case s < 2*day:
		return twoUnits(s/hour, "h", s%hour/minute, "m")
	}
	return twoUnits(s/day, "d", s%day/hour, "h")
}

func twoUnits(large int64, largeUnit string, small int64, smallUnit string) string {
	if small == 0 {
		return fmt.Sprintf("%d%s", large, largeUnit)
	}
	return fmt.Sprintf("%d%s%d%s", large, largeUnit, small, smallUnit)
}

func (r *report) writeGroups(p *page) {
	p.title("3. What keeps whom away?")
	if r.Pod != "" {
		p.wrap("", "", "Groups of nodes with the same taints, and what they do to "+r.Pod+
			"; a taint after ! is not tolerated.")
		p.blank()
		p.line("NODES   PODS  THE POD IS    TAINTS, NODES")
	} else {
		p.wrap("", "", "Groups of nodes with the same taints. Pods are those that run there; kept away are the pending ones "+
			"that select such a node and do not tolerate a taint of it.")
		p.blank()
		p.line("NODES   PODS  KEPT AWAY  TAINTS, NODES")
	}
	for i := range r.Groups {
		r.Groups[i].write(p)
	}
}

func (g *groupRow) write(p *page) {
	first := fmt.Sprintf("%5d  %5d  %9d  ", g.Nodes, g.Pods, g.KeepsAway)
	if g.ForPod != nil {
		first = fmt.Sprintf("%5d  %5d  %-12s  ", g.Nodes, g.Pods, g.ForPod.words())
	}
	indent := strings.Repeat(" ", len(first))
	if len(g.Taints) == 0 {
		p.wrap(first, indent, "no taints")
	}
	for i, t := range g.Taints {
		if i > 0 {
			first = indent
		}
		text := t.String()
		if g.ForPod != nil && slices.Contains(g.ForPod.Rejecting, t) {
			text = "! " + text
		}
		p.wrap(first, indent+"  ", text)
	}
	p.wrap(indent, indent, "on "+firstNames(g.NodeNames))
}

// words says what the pod is to the group.
func (r *podRow) words() string {
	switch r.Verdict {
	case "lets in":
		return "let in"
	case "keeps away":
		return "kept away"
	}
	return r.Verdict
}

// firstNames returns the first names and the number of those left out.
func firstNames(names []string) string {
	const most = 5
	if len(names) <= most+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, +%d", strings.Join(names[:most], ", "), len(names)-most)
}

func taintTexts(list []taints.Taint) []string {
	var words []string
	for _, t := range list {
		words = append(words, t.String())
	}
	return words
}

// enumerate joins the words as in "a, b and c".
func enumerate(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// selectorText returns the selector as kubectl takes it.
func selectorText(selector map[string]string) string {
	var words []string
	for _, key := range slices.Sorted(maps.Keys(selector)) {
		words = append(words, label{key, selector[key]}.String())
	}
	return strings.Join(words, ",")
}

// printable replaces control characters, which could do anything to a terminal, except line feeds.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// A page is text of a width.
type page struct {
	strings.Builder
	width int
}

func (p *page) line(s string) {
	p.WriteString(s)
	p.WriteByte('\n')
}

func (p *page) blank() { p.line("") }

// title begins a section.
func (p *page) title(s string) {
	p.blank()
	p.line(s)
	p.blank()
}

// wrap writes text, the first line after first and the others after hang. It breaks lines between words only, and if
// there is more than one text, between them only.
func (p *page) wrap(first, hang string, texts ...string) {
	words := texts
	if len(texts) == 1 {
		words = strings.Fields(texts[0])
	}
	line, empty := first, true
	for i, w := range words {
		if i > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > p.width {
			p.line(strings.TrimRight(line, " "))
			line, empty = hang, true
		}
		if !empty {
			line += " "
			if len(texts) > 1 {
				line += " "
			}
		}
		line += w
		empty = false
	}
	p.line(line)
}
