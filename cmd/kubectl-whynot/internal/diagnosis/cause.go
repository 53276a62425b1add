// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/fiterror"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/fix"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/remedy"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
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
	causeKeptOff     causeKind = "kept-off"        // taints of nodes that a DaemonSet makes no pods on
)

// explain sets the cause and the fix of the pods.
func (x *Pending) explain() {
	p, m := x.First, fiterror.Parse(x.Message)
	isInvalid := taints.ValidateTolerations(p.Tolerations) != nil
	isUnknown := x.Matching > 0 && !x.IsOpen() && x.Change == nil && len(x.Alternatives) == 0 // what else lets the pods in
	x.Notes = slices.Concat(x.Lacks, p.Devices.Notes)
	nodeSteps := x.target.NodeSteps(x.stays)
	switch {
	case p.Failure != "":
		x.Kind, x.Text = causeFailure, "it cannot create pods: "+say.Shortened(p.Failure)
	case len(p.Mistakes) > 0:
		x.Kind, x.Text = causeInvalid, strings.Join(say.FirstOf(p.Mistakes, 3), "; ")
		x.Advice = remedy.Advice{} // of other tolerations than those that are meant
	case isInvalid && (p.Template || p.IsNew && x.IsOpen() || isUnknown):
		x.Kind, x.Text = causeInvalid, invalidText(p.Tolerations)
		if x.Change != nil {
			x.Fix = x.target.Steps("", x.Change.Entries)
		}
	case len(p.Gates) > 0:
		n, gates := len(p.Gates), say.Joined(say.FirstOf(p.Gates, 3))
		x.Kind, x.Text = causeGates, "the scheduler ignores the pod until its scheduling "+say.Noun(n, "gate")+" "+gates+say.For(n, " is", " are")+" removed"
	case x.Matching == 0:
		x.Kind, x.Text = causeAffinity, x.Unmatched
	case x.IsOpen():
		x.explainOther(m)
	case x.Change == nil:
		x.Kind, x.Text, x.Fix = causeTaints, x.untolerated, x.alternativeSteps()
	case len(x.Change.Entries) == 0:
		x.Kind, x.Text, x.Fix = causeNodes, x.untolerated, fix.OneOf(x.poolSteps(), nodeSteps)
	default:
		x.Kind, x.Text = causeMistake, x.untolerated
		x.Fix = slices.Concat(nodeSteps, x.target.Steps("", x.Change.Entries))
	}
	if beside := m.Beside(x.target.Profile.Requests); beside != "" && x.Kind != causeGates && !x.IsOpen() {
		x.Text += "; another reason, from the scheduler: " + beside
	}
	x.note(m)
}

// note adds what else is to know about the pods.
func (x *Pending) note(m *fiterror.Message) {
	p := x.First
	note := func(isTrue bool, words ...string) {
		if isTrue {
			x.Notes = append(x.Notes, strings.Join(words, ""))
		}
	}
	n := len(x.NominatedNodes)
	note(n > 0, "the scheduler has nominated ", say.Noun(n, "node"), " ", say.NamesOf(x.NominatedNodes, n),
		", and waits for the pods of lower priority that it preempts there to leave")
	note(strings.Contains(x.Message, "not eligible due to preemptionPolicy=Never"),
		"its preemptionPolicy is Never, so it does not displace pods of lower priority")
	for _, r := range x.Rejections {
		isAdmissions := r.Taint.Effect == taints.NoSchedule && x.target.Profile.Requests(r.Taint.Key)
		note(isAdmissions && p.Template && !x.target.IsKeptOff, "the pods request ", r.Taint.Key, ", for which admission adds a toleration in "+
			"some clusters, such as those of GKE (plugin ExtendedResourceToleration). There the template needs none")
	}
	x.Notes = append(x.Notes, x.beside...)
	asks := x.Kind == causeNodes || x.Kind == causeOther && x.Message != "" || x.Kind == causeTaints && x.hasPool() // beside the steps
	for _, text := range x.target.Questions(x.Unknown) {
		note(asks, text)
	}
	note(len(x.Rejecting) > 0 && len(p.CountsTainted) > 0 && strings.Contains(m.Text+",", "didn't match pod topology spread constraints,"),
		"nodes with untolerated taints, as cordoned ones have, count in its topology spread by ", say.Joined(p.CountsTainted),
		", and may hold the pod back from the others. nodeTaintsPolicy: Honor in the constraint leaves them out")
	note(p.Scheduler != "", "the pod uses the scheduler ", p.Scheduler, ", which may apply other rules")
	note(!m.Fits(x.Nodes, x.Nodes-x.Feasible) && (!x.IsOpen() || m.Words("") != ""),
		"the scheduler's message does not fit the nodes of the input, and may be older")
	compares := func(t taints.Toleration) bool { return t.Operator == taints.OpLt || t.Operator == taints.OpGt }
	if i := slices.IndexFunc(p.Tolerations, compares); i >= 0 {
		note(p.IsNew, fmt.Sprintf("an API server refuses the operator %s of tolerations[%d] unless the feature gate "+
			"TaintTolerationComparisonOperators is on, which is off by default", p.Tolerations[i].Operator, i))
	}
	for _, f := range tolerationset.Lint(p.Tolerations, taints.Options{}) {
		switch f.Code { // these may explain why a pod is pending, and the text of the cause does not mention them
		case tolerationset.CodeLegacyKey, tolerationset.CodeMisspelledKey, tolerationset.CodeThreshold:
			note(true, fmt.Sprintf("tolerations[%d] is %s. ", f.Toleration, p.Tolerations[f.Toleration]), strings.TrimSuffix(f.Advice, "."))
		}
	}
}

func (x *Pending) explainOther(m *fiterror.Message) {
	x.Kind = causeOther
	x.Text = "taints and node affinity allow " + say.Count(x.Feasible, "node")
	named := ""
	tainted, names := x.tainted()
	if tainted > 0 && x.Change == nil && m.Fits(x.Nodes, x.Nodes-x.Feasible) {
		if named = " (" + names + ")"; tainted < x.kept[fiterror.Taints] {
			named = ", of which " + say.CountOf(tainted, "matches", "match") + " the pod's node selector and affinity" + named
		}
	}
	switch reported := m.Words(named); {
	case x.First.Template:
		x.Kind = causeSchedulable
		if x.Owner.Kind == "DaemonSet" {
			x.Text = fmt.Sprintf("taints and node affinity allow %d of %s", x.Feasible, say.Count(x.Nodes, "node"))
		}
	case reported != "":
		x.Text = reported
	case m.Text != "":
		x.Text = fmt.Sprintf("the scheduler's message, %q, contradicts the nodes of the input", say.Shortened(m.Text))
	case x.First.Scheduler != "":
		x.Text = "waiting for the scheduler " + x.First.Scheduler
	default:
		x.Text += "; the scheduler has not reported a reason"
	}
	if x.Change != nil {
		x.Text += "; " + say.CountOf(x.Change.Opens, "more node has", "more nodes have") + " " + x.untolerated
		x.Fix = x.target.Steps("to use "+say.Count(x.Change.Opens, "more node")+", ", x.Change.Entries)
	}
}

// adviseTemplate makes the advice one for the workload's template, if new pods of it
// have other tolerations.
func (a *analyst) adviseTemplate(x *Pending, w *cluster.Workload) {
	list := a.tolerationsOfNew(x, w)
	isSame := len(list) == len(x.Tolerations) && !slices.ContainsFunc(list, func(t taints.Toleration) bool { return !has(x.Tolerations, t) })
	if isSame || x.IsOpen() && len(x.Fix) == 0 {
		return
	}
	y := *x
	if y.target.Differ = true; len(x.stays) == 0 { // otherwise the template may need other nodes
		y.target.Own = x.Entries()
	}
	y.target.Profile = a.WithTolerations(x.target.Profile, list)
	y.verdict, y.Tolerations, y.Fix = *a.verdict(y.target.Profile), y.target.Profile.Tolerations, nil
	y.explain()
	x.Advice, x.Fix = y.Advice, y.Fix
	template := "the template of " + w.Kind + " " + w.String()
	if y.IsOpen() && !x.IsOpen() {
		x.Kind, x.Text = causeOlder, x.Text+"; the pod is older than "+template+", which tolerates enough"
		x.Change, x.Fix = nil, []fix.Step{x.target.Rollout(w)}
		return
	}
	x.Notes = append(x.Notes, "the pod's tolerations are not those of "+template+"; the advice is for the template")
	if len(y.Entries())+y.AlternativesTotal == 0 && len(y.Fix) > 0 {
		x.Fix = append(x.Fix, x.target.Rollout(w))
	}
}

// tolerationsOfNew returns the tolerations of a new pod: those of the template, and what
// admission has added to the pod. This is all that the template that made the pod lacks. If
// that is not known, it comes after what the API server or the DaemonSet controller gives to
// every pod, or is for the namespace, for memory pressure or a resource that the pod requests.
func (a *analyst) tolerationsOfNew(x *Pending, w *cluster.Workload) []taints.Toleration {
	list, made, isAfter := slices.Clone(w.Effective), a.MadeBy(x.First), false
	for _, t := range x.Tolerations {
		isNode := t.Operator == taints.OpExists && t.Effect == taints.NoSchedule && (t.Key == taints.NodeMemoryPressure || x.target.Profile.Requests(t.Key))
		isKnown := isNode || cluster.IsDefault(t) || has(a.AddedIn[x.Namespace], t) || made != nil && !has(made.Effective, t)
		if !has(list, t) && (isAfter || isKnown) {
			list = append(list, t)
		}
		isAfter = isAfter || !has(w.Tolerations, t) && (cluster.IsDefault(t) || has(w.Effective, t))
	}
	return list
}

func has(list []taints.Toleration, t taints.Toleration) bool {
	return slices.ContainsFunc(list, t.Equal)
}

// tainted counts the nodes that match and keep the pods off by their taints, without
// those that the scheduler counts as cordoned, and names the taints except of cordons.
func (x *Pending) tainted() (nodes int, names string) {
	var all []taints.Taint
	for _, s := range x.Rejecting {
		list := why.Untolerated(x.target.Profile.Matcher, s.Group)
		others := slices.DeleteFunc(slices.Clone(list), cluster.Cordon.Equal)
		if len(others) == len(list) || !strings.Contains(x.Message, fiterror.Cordoned) {
			nodes, all = nodes+len(s.Nodes), append(all, others...)
		}
	}
	return nodes, say.TaintsText(cluster.Distinct(all))
}

// taintsText names the taints of the change or of the alternatives, or else all
// taints, and the reasons why they are not tolerated.
func (a *analyst) taintsText(v *verdict) string {
	var list, nodeTaints []taints.Taint
	var nodes []int
	switch {
	case v.Change != nil && len(v.Change.Entries) == 0:
		nodeTaints = v.Change.NodeTaints
		text := v.Only + "nodes are " + a.StatesText(nodeTaints, v.Change.Opened) + " (" + why.Reasons(nil).Text(nodeTaints) + ")"
		isState := func(t taints.Taint) bool { return slices.ContainsFunc(nodeTaints, purpose.WithoutTime(t).Equal) }
		if others := slices.DeleteFunc(v.Advice.Reasons.Taints(), isState); len(others) > 0 {
			text += "; others have " + v.Advice.Reasons.Text(others)
		}
		return text
	case v.Change != nil:
		nodeTaints, nodes = v.Change.NodeTaints, v.Change.Opened
		list = slices.DeleteFunc(v.Advice.Reasons.Taints(), func(t taints.Taint) bool {
			_, isTolerated := taints.Match(t, v.Change.Tolerations)
			return !isTolerated || !v.Advice.Reasons.Of(t).HasClosest()
		})
	case len(v.Alternatives) > 0:
		for i := range v.Alternatives {
			x := &v.Alternatives[i]
			list, nodeTaints, nodes = append(list, x.Rest...), append(nodeTaints, x.NodeTaints...), append(nodes, x.At...)
		}
	default:
		list = v.Advice.Reasons.Taints()
	}
	text := v.Only + v.Advice.Reasons.Text(cluster.Distinct(list))
	if nodeTaints = cluster.Distinct(nodeTaints); len(nodeTaints) > 0 {
		text += "; nodes are also " + a.StatesText(nodeTaints, nodes) + " (" + say.TaintsText(nodeTaints) + ")"
	}
	return text
}

// alternativeSteps returns the steps for the only alternative, or how to choose.
func (x *Pending) alternativeSteps() []fix.Step {
	switch {
	case x.AlternativesTotal == 0:
		return nil
	case x.AlternativesTotal > 1:
		which := "that the pod belongs on"
		if x.target.IsKeptOff {
			which = "that it should run on, if any"
		}
		where, named := ", which -o wide lists", ""
		switch {
		case x.AlternativesTotal <= 3:
			where, named = "", ": "+strings.Join(lists.Each(x.Alternatives, remedy.Alternative.Line), "; or ")
		case x.isWide:
			where = ", which are listed below"
		}
		if !x.hasPool() {
			return []fix.Step{{Text: "ask who set the taints" + where + ": nothing in the input says what they are for. Then choose the nodes " + which + named}}
		}
		return []fix.Step{{Text: "choose the nodes " + which + ", and tolerate their taints" + where + named}}
	case !x.hasPool():
		x.target.AreUnknown = true
		return slices.Concat(x.target.Ask(&x.Alternatives[0]), x.target.NodeSteps(x.stays))
	}
	return slices.Concat(x.target.NodeSteps(x.stays), x.poolSteps())
}

// hasPool reports whether the purpose of an alternative is known.
func (x *Pending) hasPool() bool {
	return slices.ContainsFunc(x.Alternatives, func(a remedy.Alternative) bool { return len(a.Unknown) == 0 })
}

// poolSteps returns the steps for pods that belong to the pool, if there is one.
func (x *Pending) poolSteps() []fix.Step {
	if x.AlternativesTotal != 1 {
		return nil
	}
	only := &x.Alternatives[0]
	nodes := say.NamesOf(only.NodeNames, only.Nodes)
	condition := fmt.Sprintf("if the pod belongs on nodes with %s (%s), ", say.TaintsText(only.Taints), nodes)
	isLinux := func(i int) bool { return x.target.Nodes[i].Labels[corev1.LabelOSStable] != "windows" }
	switch {
	case x.target.IsKeptOff:
		condition = "if it should run on " + nodes + ", "
	case !slices.ContainsFunc(only.At, isLinux) && x.NodeSelector[corev1.LabelOSStable] == "":
		return x.target.InWords("if the pod has a Windows image, without which it cannot run on "+nodes+", ", only.Entries())
	case len(only.At) == len(x.target.Nodes) && cluster.HasKey(only.Taints, "node-role.kubernetes.io/control-plane") &&
		len(only.Taints) == 1 && len(x.stays)+len(x.NodeSelector)+len(x.NodeAffinity) == 0:
		text := "if the cluster is to have no other nodes, let all pods run on " + nodes
		return fix.OneOf(x.target.Steps(condition, only.Entries()), []fix.Step{x.target.Untaint(text, only.NodeNames, only.Taints[0].ID())})
	}
	return x.target.Steps(condition, only.Entries())
}

// A Cause is the reason why pods are pending, with all of these pods.
type Cause struct {
	Kind        causeKind  `json:"kind"`
	Text        string     `json:"text"`
	Pods        int        `json:"pods"`
	Owners      []string   `json:"owners"` // of the pods, up to why.MaxNames; OwnersTotal counts all
	OwnersTotal int        `json:"ownersTotal"`
	Examples    []string   `json:"examples"` // the names of some of the pods
	Fix         []fix.Step `json:"fix"`      // some commands are only for the first of the pods
	Notes       []string   `json:"notes"`

	Names   []string `json:"-"` // of all pods
	members []*Pending
}

// causesOf groups the list by cause and fix, and sets each Cause. Pods that wait come
// first, then those that do not exist, and of these the causes of the most pods.
func causesOf(list []*Pending) []*Cause {
	causes := lists.Each(lists.Grouped(list, (*Pending).causeKey), causeOf)
	exists := func(x *Pending) bool { return !x.First.Template }
	slices.SortStableFunc(causes, func(a, b *Cause) int {
		return cmp.Or(
			lists.CompareBools(a.Kind == causeSchedulable, b.Kind == causeSchedulable),
			lists.CompareBools(!slices.ContainsFunc(a.members, exists), !slices.ContainsFunc(b.members, exists)),
			b.Pods-a.Pods, strings.Compare(a.Text, b.Text),
		)
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
	for _, owned := range lists.Grouped(members, func(x *Pending) string { return x.First.OwnerName() }) {
		if owned[0].Owner != (cluster.Owner{}) {
			c.Owners = append(c.Owners, owned[0].First.OwnerName())
		}
	}
	for _, x := range members {
		c.Names = append(c.Names, lists.Each(x.Pods, func(name string) string { return x.Namespace + "/" + name })...)
	}
	c.Pods, c.Examples = len(c.Names), c.Names[:min(len(c.Names), 3)]
	c.OwnersTotal, c.Owners = len(c.Owners), c.Owners[:min(len(c.Owners), why.MaxNames)]
	noun := "pod"
	if first.target.IsKeptOff {
		noun = "DaemonSet"
		c.Text = say.For(c.Pods, c.Text, strings.Replace(c.Text, "does", "do", 1))
	}
	for i := range c.Fix {
		c.Fix[i].Widen(c.Pods, noun)
	}
	return c
}

// causeKey is equal for pods with the same cause and fix, whatever the commands.
func (x *Pending) causeKey() string {
	steps := lists.Each(x.Fix, func(s fix.Step) string { return "fix\n" + s.Text })
	return strings.Join(slices.Concat([]string{string(x.Kind), x.Text}, x.Notes, steps), "\n")
}

// Waiting counts the causes of pods that wait. These come first.
func (r *Report) Waiting() int {
	return len(slices.DeleteFunc(slices.Clone(r.Causes), func(c *Cause) bool { return c.Kind == causeSchedulable }))
}

func invalidText(list []taints.Toleration) string {
	all, _ := errors.AsType[taints.ErrorList](taints.ValidateTolerations(list))
	return strings.Join(say.FirstOf(lists.Each(all, func(e *taints.FieldError) string {
		return fmt.Sprintf("%s %q is not valid; it %s", e.Path(), e.Value, e.Detail) + say.Meant(*e)
	}), 3), "; ")
}
