// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// A causeKind says what is between the pods and the nodes.
type causeKind string

const (
	causeMistake     causeKind = "mistake"            // a toleration is meant for the taints and does not match them
	causeTaints      causeKind = "taints"             // no toleration is meant for the taints
	causeInvalid     causeKind = "invalid-toleration" // an API server rejects the tolerations
	causeNodes       causeKind = "node-state"         // the nodes are cordoned, unhealthy, starting or being removed
	causeAffinity    causeKind = "node-affinity"      // no node matches node selector and required node affinity
	causeGates       causeKind = "scheduling-gates"
	causeOlder       causeKind = "older-template"  // the template of now lets the pods in
	causeFailure     causeKind = "replica-failure" // pods cannot be created, as for a quota
	causeOther       causeKind = "other"           // something that the program does not evaluate
	causeSchedulable causeKind = "schedulable"     // none, for a pod that does not exist yet
)

// A Cause is the reason why pods are pending, with all of these pods.
type Cause struct {
	Kind        causeKind `json:"kind"`
	Text        string    `json:"text"`
	Pods        int       `json:"pods"`
	Owners      []string  `json:"owners"` // of the pods, up to maxNames; OwnersTotal counts all
	OwnersTotal int       `json:"ownersTotal"`
	Examples    []string  `json:"examples"` // the names of some of the pods
	Fix         []Step    `json:"fix"`      // some commands are only for the first of the pods
	Notes       []string  `json:"notes"`

	Names   []string `json:"-"` // of all pods
	members []*Pending
}

// causesOf groups the list by cause and fix, most pods first, and sets each Cause.
func causesOf(list []*Pending) []*Cause {
	var causes []*Cause
	for _, members := range cluster.Grouped(list, (*Pending).causeKey) {
		causes = append(causes, causeOf(members))
	}
	slices.SortStableFunc(causes, func(a, b *Cause) int {
		return cmp.Or(order(a.Kind == causeSchedulable, b.Kind == causeSchedulable), b.Pods-a.Pods, strings.Compare(a.Text, b.Text))
	})
	for i, c := range causes {
		for _, x := range c.members {
			x.Cause = i
		}
	}
	return causes
}

func causeOf(members []*Pending) *Cause {
	first := members[0]
	c := &Cause{Kind: first.Kind, Text: first.Text, Fix: slices.Clone(first.Fix), Notes: first.Notes, members: members}
	for _, owned := range cluster.Grouped(members, func(x *Pending) string { return x.First.OwnerName() }) {
		if owned[0].Owner != (cluster.Owner{}) {
			c.Owners = append(c.Owners, owned[0].First.OwnerName())
		}
	}
	for _, x := range members {
		for _, name := range x.Pods {
			c.Names = append(c.Names, x.Namespace+"/"+name)
		}
	}
	c.Pods, c.Examples = len(c.Names), c.Names[:min(len(c.Names), 3)]
	c.OwnersTotal, c.Owners = len(c.Owners), c.Owners[:min(len(c.Owners), maxNames)]
	for i := range c.Fix {
		if s := &c.Fix[i]; s.pods > 0 {
			s.covers(s.pods, c.Pods, "pod")
		}
	}
	return c
}

// causeKey is equal for pods with the same cause and fix, whatever the commands.
func (x *Pending) causeKey() string {
	words := append([]string{string(x.Kind), x.Text}, x.Notes...)
	for _, s := range x.Fix {
		words = append(words, "fix", s.Text)
	}
	return strings.Join(words, "\n")
}

func (x *Pending) explain() {
	p, m := x.First, parseMessage(x.Message)
	isInvalid := taints.ValidateTolerations(p.Tolerations) != nil
	x.Notes = slices.Concat(x.lacks, p.Devices.Notes)
	switch {
	case p.Failure != "":
		x.Kind, x.Text = causeFailure, "it cannot create pods: "+say.Shortened(p.Failure)
	case isInvalid && (p.Template || x.Matching > 0 && !x.isOpen() && x.Change == nil && len(x.Alternatives) == 0):
		x.Kind, x.Text = causeInvalid, invalidText(p.Tolerations)
		if x.Change != nil {
			x.Fix = x.steps("", x.Change.Entries)
		}
	case len(p.Gates) > 0:
		n, gates := len(p.Gates), say.Joined(say.FirstOf(p.Gates, 3))
		gates = say.Noun(n, "gate") + " " + gates + say.For(n, " is", " are")
		x.Kind, x.Text = causeGates, "the scheduler ignores the pod until its scheduling "+gates+" removed"
	case x.Matching == 0:
		x.Kind, x.Text = causeAffinity, x.unmatched
	case x.isOpen():
		x.explainOther(&m)
	case x.Change == nil:
		x.Kind, x.Text, x.Fix = causeTaints, x.untolerated, x.alternativeSteps()
	case len(x.Change.Entries) == 0:
		x.Kind, x.Text, x.Fix = causeNodes, x.untolerated, x.nodeSteps
	default:
		x.Kind, x.Text = causeMistake, x.untolerated
		x.Fix = slices.Concat(x.nodeSteps, x.steps("", x.Change.Entries))
	}
	if beside := m.beside(x.profile); beside != "" && x.Kind != causeGates && !x.isOpen() {
		x.Text += "; another reason, from the scheduler: " + beside
	}
	if n := len(x.NominatedNodes); n > 0 {
		x.Notes = append(x.Notes, "the scheduler has nominated "+say.Noun(n, "node")+" "+say.NamesOf(x.NominatedNodes, n)+
			", and waits for the pods of lower priority that it preempts there to leave")
	}
	if strings.Contains(x.Message, "not eligible due to preemptionPolicy=Never") {
		x.Notes = append(x.Notes, "its preemptionPolicy is Never, so it does not displace pods of lower priority")
	}
	if p.Scheduler != "" {
		x.Notes = append(x.Notes, "the pod uses the scheduler "+p.Scheduler+", which may apply other rules")
	}
	if !m.fits(x.Nodes, x.Nodes-x.Feasible) && (!x.isOpen() || m.words("") != "") {
		x.Notes = append(x.Notes, "the scheduler's message does not fit the nodes of the input, and may be older")
	}
	for _, f := range tolerationset.Lint(p.Tolerations, taints.Options{}) {
		switch f.Code { // these may explain why a pod is pending, and the text of the cause does not mention them
		case tolerationset.CodeLegacyKey, tolerationset.CodeMisspelledKey, tolerationset.CodeThreshold:
			x.Notes = append(x.Notes, fmt.Sprintf("tolerations[%d] is %s. %s",
				f.Toleration, p.Tolerations[f.Toleration], strings.TrimSuffix(f.Advice, ".")))
		}
	}
}

func (x *Pending) explainOther(m *message) {
	x.Kind = causeOther
	x.Text = "taints and node affinity allow " + say.Count(x.Feasible, "node")
	named := ""
	if x.RejectionsTotal > 0 && x.Change == nil && m.fits(x.Nodes, x.Nodes-x.Feasible) {
		named = " (" + x.rejecting() + ")"
	}
	switch reported := m.words(named); {
	case x.First.Template:
		x.Kind = causeSchedulable
		if missed := x.Matching - x.Feasible; x.Owner.Kind == "DaemonSet" {
			x.Text = fmt.Sprintf("taints and node affinity allow %d of %s", x.Feasible, say.Count(x.Nodes, "node"))
			if missed > 0 {
				x.Text += fmt.Sprintf("; it does not reach %s with untolerated taints (%s)", say.Count(missed, "node"), x.rejecting())
			}
		}
	case reported != "":
		x.Text = reported
	case m.text != "":
		x.Text = fmt.Sprintf("the scheduler's message, %q, contradicts the nodes of the input", say.Shortened(m.text))
	case x.First.Scheduler != "":
		x.Text = "waiting for the scheduler " + x.First.Scheduler
	default:
		x.Text += "; the scheduler has not reported a reason"
	}
	if x.Change != nil {
		x.Text += "; " + say.Have(x.Change.Opens, "more node") + " " + x.untolerated
		x.Fix = x.steps("to use "+say.Count(x.Change.Opens, "more node")+", ", x.Change.Entries)
	}
}

// compare makes the advice one for the workload's template, if that has changed.
func (a *analyst) compare(x *Pending, w *cluster.Workload) {
	list := slices.Clone(w.Effective)
	for _, t := range x.Tolerations {
		if isEverybodys(t) && !slices.ContainsFunc(list, func(o taints.Toleration) bool { return o.Key == t.Key && isEverybodys(o) }) {
			list = append(list, t)
		}
	}
	if slices.EqualFunc(list, x.Tolerations, taints.Toleration.Equal) || x.isOpen() && len(x.Fix) == 0 {
		return
	}
	y, forPods := *x, x.Entries()
	if len(x.nodeSteps) > 0 { // nodes that the template may not need
		forPods = nil
	}
	y.forPods = &forPods
	y.profile = a.WithTolerations(x.profile, list)
	y.placement, y.Tolerations, y.Fix, y.Notes = *a.placement(y.profile), y.profile.Tolerations, nil, nil
	y.explain()
	x.Change, x.Alternatives, x.AlternativesTotal, x.Fix = y.Change, y.Alternatives, y.AlternativesTotal, y.Fix
	template := "the template of " + w.Kind + " " + w.String()
	if y.isOpen() && !x.isOpen() {
		x.Kind, x.Text = causeOlder, x.Text+"; the pod is older than "+template+", which tolerates enough"
		x.Change, x.Fix = nil, []Step{x.rollout(w)}
		return
	}
	x.Notes = append(x.Notes, "the pod's tolerations are not those of "+template+"; the advice is for the template")
	if len(y.Entries())+y.AlternativesTotal == 0 && len(y.Fix) > 0 {
		x.Fix = append(x.Fix, x.rollout(w))
	}
}

// Entries returns the tolerations to write, or none if it is not clear which.
func (r *placement) Entries() []Entry {
	switch {
	case r.Change != nil:
		return r.Change.Entries
	case r.AlternativesTotal == 1:
		return r.Alternatives[0].Entries()
	}
	return nil
}

// rejecting names the taints, except those of cordoned nodes.
func (x *Pending) rejecting() string {
	var list []taints.Taint
	for _, r := range x.Rejections {
		if r.Taint.Key != taints.NodeUnschedulable {
			list = append(list, withoutTime(r.Taint))
		}
	}
	return say.TaintsText(cluster.Distinct(list))
}

// unmatched says why no node matches, and returns required labels that no node has.
func (a *analyst) unmatched(p *cluster.Profile) (missing []string, text string) {
	missing, similar := a.Missing(p)
	switch {
	case p.Invalid != nil:
		text = "required node affinity is invalid (" + p.Invalid.Error() + ")"
	case p.NamesNodes() && len(a.Candidates(p)) == 0:
		text = "the nodes that the required node affinity names do not exist"
	case len(missing) == 0:
		text = "no node matches " + p.Requirements()
	default:
		text = "no node has the label " + say.Enumerate(missing, "or")
		if len(similar) > 0 {
			text += "; did you mean " + say.Enumerate(say.FirstOf(similar, 3), "or") + "?"
		}
	}
	return missing, text
}

// taintsText names the taints of the change or of the alternatives, or else all
// taints, and the reasons why they are not tolerated.
func (r *placement) taintsText(why reasons) string {
	var list, states []taints.Taint
	switch {
	case r.Change != nil && len(r.Change.Entries) == 0:
		text := r.meant + "nodes are " + statesText(r.Change.NodeTaints) + " (" + reasonsText(nil, r.Change.NodeTaints) + ")"
		isState := func(t taints.Taint) bool { return slices.ContainsFunc(r.Change.NodeTaints, withoutTime(t).Equal) }
		if others := slices.DeleteFunc(taintsOf(why), isState); len(others) > 0 {
			text += "; others have " + reasonsText(why, others)
		}
		return text
	case r.Change != nil:
		states = r.Change.NodeTaints
		for _, t := range taintsOf(why) {
			if _, ok := taints.Match(t, r.Change.Tolerations); ok && why.of(t).HasClosest() {
				list = append(list, t)
			}
		}
	case len(r.Alternatives) > 0:
		for i := range r.Alternatives {
			list, states = append(list, r.Alternatives[i].Rest...), append(states, r.Alternatives[i].NodeTaints...)
		}
	default:
		list = taintsOf(why)
	}
	text := r.meant + reasonsText(why, cluster.Distinct(list))
	if states = cluster.Distinct(states); len(states) > 0 {
		text += "; nodes are also " + statesText(states) + " (" + say.TaintsText(states) + ")"
	}
	return text
}

// alternativeSteps returns the steps for the only alternative, or how to choose.
func (x *Pending) alternativeSteps() []Step {
	switch {
	case x.AlternativesTotal == 0:
		return nil
	case x.AlternativesTotal > 1:
		where := "-o wide lists"
		if x.question.Pod != (cluster.PodName{}) {
			where = "are listed below"
		}
		return []Step{{Text: "choose the nodes that the pod belongs on, and tolerate their taints, which " + where}}
	}
	only := &x.Alternatives[0]
	named := only.Taints
	if len(named) == 0 { // corrections tolerate all of them
		named = only.Rest
	}
	condition := fmt.Sprintf("if the pod belongs on nodes with %s (%s), ", say.TaintsText(named), say.NamesOf(only.NodeNames, only.Nodes))
	return slices.Concat(x.nodeSteps, x.steps(condition, only.Entries()))
}

// Waiting counts the causes of pods that wait. These come first.
func (r *Report) Waiting() int {
	if i := slices.IndexFunc(r.Causes, func(c *Cause) bool { return c.Kind == causeSchedulable }); i >= 0 {
		return i
	}
	return len(r.Causes)
}

// A message is the scheduler's reason for not placing a pod. Its usual form is
// that of FitError in Kubernetes' scheduler: "0/5 nodes are available: 3
// Insufficient cpu, 2 node(s) had untolerated taint(s). preemption: …".
type message struct {
	text    string // up to the end of the first sentence
	nodes   int    // that the scheduler knows; 0: the message has another form
	clauses []clause
}

// A clause is a reason, and the nodes that it is for; 0 if it does not depend on them.
type clause struct {
	nodes  int
	reason string
}

var fitError = regexp.MustCompile(`^0/(\d+) nodes are available: (.+)$`)

func parseMessage(s string) message {
	text, _, _ := strings.Cut(strings.Join(strings.Fields(s), " "), ". ")
	text = strings.TrimSuffix(text, ".")
	parts := fitError.FindStringSubmatch(text)
	if parts == nil {
		return message{text: text, clauses: []clause{{0, text}}}
	}
	m := message{text: text}
	m.nodes, _ = strconv.Atoi(parts[1])
	for part := range strings.SplitSeq(parts[2], ", ") {
		count, reason, _ := strings.Cut(part, " ")
		nodes, err := strconv.ParseUint(count, 10, 31)
		switch last := len(m.clauses) - 1; {
		case err == nil && reason != "":
			m.clauses = append(m.clauses, clause{int(nodes), reason})
		case last >= 0: // a comma of the reason
			m.clauses[last].reason += ", " + part
		default:
			m.clauses = append(m.clauses, clause{0, part})
		}
	}
	return m
}

// Reasons of the scheduler that the program evaluates too.
const (
	reasonTaints   = "node(s) had untolerated taint(s)"
	reasonCordoned = "node(s) were unschedulable"
	reasonAffinity = "node(s) didn't match Pod's node affinity/selector"
	reasonUnnamed  = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
)

// words describes the reason, and says whether the program evaluates it too. The
// taints are those of nodes that keep the pod off.
func (c clause) words(taints string) (text string, isEvaluated bool) {
	count := say.Count(c.nodes, "node")
	switch {
	case strings.HasPrefix(c.reason, "node(s) had untolerated taint"):
		return say.Have(c.nodes, "node") + " untolerated taints" + taints, true
	case c.reason == reasonCordoned:
		return count + say.For(c.nodes, " is", " are") + " cordoned", true
	case c.reason == reasonAffinity, c.reason == reasonUnnamed:
		return count + say.For(c.nodes, " does", " do") + " not match the pod's node selector or affinity", true
	case c.nodes == 0:
		return c.reason, false
	case strings.HasPrefix(c.reason, "node(s) "):
		return fmt.Sprint(c.nodes, " ", c.reason), false
	}
	return c.reason + " on " + count, false
}

// words describes all clauses, or returns "" if the program evaluates all of them.
func (m *message) words(taints string) string {
	var others, evaluated []string
	for _, c := range m.clauses {
		if text, isEvaluated := c.words(taints); isEvaluated {
			evaluated = append(evaluated, text)
		} else {
			others = append(others, text)
		}
	}
	if len(others) == 0 {
		return ""
	}
	return say.Shortened(strings.Join(append(others, evaluated...), ", "))
}

// fits reports whether the message may be about so many nodes, of which taints and
// affinity keep some off. Kubernetes checks these first, unless a plugin chooses nodes.
func (m *message) fits(nodes, kept int) bool {
	if m.nodes == 0 {
		return true
	}
	for _, c := range m.clauses {
		switch _, isEvaluated := c.words(""); {
		case isEvaluated:
			kept -= c.nodes
		case c.nodes == 0, strings.HasPrefix(c.reason, "node(s) didn't satisfy plugin"):
			return m.nodes == nodes
		}
	}
	return m.nodes == nodes && kept == 0
}

// beside has the reasons that the program does not evaluate, as for volumes.
func (m *message) beside(p *cluster.Profile) string {
	var words []string
	for _, c := range m.clauses {
		text, isEvaluated := c.words("")
		if resource := strings.TrimPrefix(c.reason, "Insufficient "); !isEvaluated && !p.Requests(resource) {
			words = append(words, text)
		}
	}
	return say.Shortened(strings.Join(words, ", "))
}
