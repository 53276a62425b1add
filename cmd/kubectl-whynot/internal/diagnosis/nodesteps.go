// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/jobs"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/eviction"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/remedy"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
)

// A stay is taints of a state on some nodes, for which the same is to be done.
type stay struct {
	stayKey
	known    *purpose.Entry
	at       []int
	nodes    []string
	taints   []taints.Taint
	replaced []taints.Taint // that end with these, and these
	times    []time.Time    // since when, where that is known
	isSick   bool           // one of the nodes is not healthy
	startup  string         // what lists the taint among those of a start; empty: nothing
	keepers  []string       // pods there that ask not to be disrupted
}

// A stayKey is equal for taints for which the same is to be done.
type stayKey struct {
	purpose.Stay
	stale string // why Kubernetes removes the taint
}

// stays returns those of the taints that the nodes have, in the order of the states. What
// owns a node, or starts it, is in place of its other states that end with that. Many
// kinds of pods ask for the same.
func (a *analyst) stays(nodes []int, list []taints.Taint) []*stay {
	key := fmt.Sprint(nodes) + cluster.TextOf(list)
	if a.stayed[key] == nil {
		a.stayed[key] = a.findStays(nodes, list)
	}
	return a.stayed[key]
}

func (a *analyst) findStays(nodes []int, list []taints.Taint) []*stay {
	found := make(map[stayKey]*stay)
	var stays []*stay
	for _, i := range slices.Sorted(slices.Values(nodes)) { // this is the order of names
		n := &a.Nodes[i]
		for _, e := range a.endings(i) {
			if n.DeletionTimestamp == nil && !slices.ContainsFunc(list, e.taint.Equal) {
				continue
			}
			s := found[e.stayKey]
			if s == nil {
				s = &stay{stayKey: e.stayKey, known: e.known}
				s.startup = a.Startup[e.acts.ID()]
				found[e.stayKey], stays = s, append(stays, s)
			}
			s.taints, s.replaced, s.isSick = with(s.taints, e.acts), with(s.replaced, e.taint), s.isSick || e.isSick
			if !slices.Contains(s.nodes[max(len(s.nodes)-1, 0):], n.Name) {
				s.at = append(s.at, i)
				s.nodes, s.keepers = append(s.nodes, n.Name), append(s.keepers, sets.List(a.Keepers[n.Name])...)
			}
			if !e.since.IsZero() && !e.since.After(a.question.Now) { // clocks differ
				s.times = append(s.times, e.since)
			}
		}
	}
	slices.SortStableFunc(stays, func(s, t *stay) int {
		at := func(s *stay) int { return slices.Index(purpose.All, s.known) }
		return cmp.Or(say.Order(s.stale != "", t.stale != ""), at(s)-at(t))
	})
	return stays
}

// with adds the taint if the sorted list lacks it.
func with(list []taints.Taint, t taints.Taint) []taints.Taint {
	if slices.ContainsFunc(list, t.Equal) {
		return list
	}
	return cluster.Distinct(append(list, t))
}

// An ending is a taint of a node, and the taint with which it ends, both without times.
type ending struct {
	taint, acts taints.Taint
	stayKey
	known  *purpose.Entry // of what acts
	since  time.Time
	isSick bool // the node is not healthy
}

// endings returns those of all taints of the node.
func (a *analyst) endings(i int) []ending {
	n, state, now := &a.Nodes[i], a.Nodes[i].State(), a.question.Now
	if a.ended[i] == nil {
		a.ended[i] = say.Each(n.Taints, func(t taints.Taint) ending {
			acts := state.Acting(t, now)
			same, since := state.StayOf(acts, now)
			key := stayKey{same, ""}
			if slices.Contains(n.Stale, acts.ID()) {
				key = stayKey{purpose.Stay{ID: acts.ID()}, n.StateFor(acts.ID())}
			}
			return ending{purpose.WithoutTime(t), purpose.WithoutTime(acts), key, purpose.Known(acts), since, !state.IsHealthy()}
		})
	}
	return a.ended[i]
}

// nodeSteps returns what to do about the states of nodes. Those of nodes that are joined
// by common steps belong together, and each of such sets is enough.
func (x *Pending) nodeSteps() (steps []Step) {
	part := make(map[string]int) // of the nodes, by name
	for i, s := range x.stays {
		for _, name := range s.nodes {
			if k, isKnown := part[name]; isKnown && k != i {
				for other, o := range part {
					if o == k {
						part[other] = i
					}
				}
			}
			part[name] = i
		}
	}
	sets := say.Grouped(x.stays, func(s *stay) int { return part[s.nodes[0]] })
	for _, s := range slices.Concat(sets...) {
		own, next := 0, together // own: the steps that a choice takes the place of
		switch isFirst := slices.ContainsFunc(sets, func(set []*stay) bool { return set[0] == s }); {
		case len(sets) > 1 && isFirst:
			next = enough
		case len(sets) > 1:
			next = also
		}
		for _, step := range x.stepsFor(s) {
			if text, isChoice := strings.CutPrefix(step.Text, "or, "); isChoice {
				step.Text, step.Relation, next = text, instead, also
			} else if step.Relation == together {
				step.Relation = next
			}
			switch step.Relation {
			case enough, also:
				own, next = max(own, 1), also
			case together:
				own++
			case instead:
				step.Replaces = own
			}
			steps = append(steps, step)
		}
	}
	return steps
}

func (x *Pending) stepsFor(s *stay) (steps []Step) {
	q, n, k := x.question, len(s.nodes), s.known
	words := strings.NewReplacer("WHO", say.Noun(n, "node")+" "+say.NamesOf(s.nodes, n), "WHAT", say.TaintsText(s.taints),
		" ARE", say.For(n, " is", " are"), " HAVE", say.For(n, " has", " have"), "THEM", say.For(n, "it", "them"), "BY", k.Remover())
	since := func(before, after string) string { return say.Since(before, s.times, q.Now, after) }
	look := func(text string) Step { return q.onNodes(words.Replace(text), s.nodes, 3, "describe", "node") }
	remove := func(text string) Step {
		return q.onNodes(words.Replace(text), s.nodes, why.MaxNames, "taint", "nodes", s.ID.String()+"-")
	}
	uncordon := func(text string) Step { return q.onNodes(words.Replace(text), s.nodes, why.MaxNames, "uncordon") }
	keeps := ""
	if n := len(s.keepers); n > 0 {
		keeps = ". " + say.CountOf(n, "pod there asks", "pods there ask") + " not to be disrupted, and may hold that up: " + say.Joined(say.FirstOf(s.keepers, 3))
	}
	late := func(or string) Step {
		return look(or + "look at " + k.Look + ": WHO still HAVE WHAT" + since(",", ",") + " and BY normally removes it within " + duration.HumanDuration(k.Within) + keeps)
	}
	isPinned := x.Owner.Kind == "DaemonSet" && x.profile.NamesNodes()
	leaving := "WHO ARE being removed" + since(",", "") + ": "
	switch {
	case s.stale != "":
		return []Step{remove("remove WHAT from WHO: " + s.stale + ", so Kubernetes' node-lifecycle controller does it within seconds if it runs")}
	case s.startup != "":
		return []Step{look("wait for WHAT to go away from WHO" + since(", there", "") + ": " + s.startup + " has it among its startupTaints, so that the " + say.Noun(n, "node") + " ARE starting")}
	case k.IsGuess:
		return []Step{look("ask who set WHAT on WHO" + since(", there", "") + ": by its words the " + say.Noun(n, "node") + " ARE " + string(s.State) +
			". Who set it removes it; no pod should tolerate it" + x.writers(s.at))}
	case s.State == purpose.Cordoned:
		return []Step{x.cordonStep(s, look, uncordon, since)}
	case s.State == purpose.Unhealthy && slices.ContainsFunc(x.stays, func(o *stay) bool { return o.IsToRepair() && slices.Equal(o.nodes, s.nodes) }):
		return nil
	case s.State == purpose.Unhealthy:
		or, left := "", slices.DeleteFunc(slices.Clone(s.taints), func(t taints.Taint) bool { return !purpose.IsOfStart(t) })
		if x.First.HostNetwork && len(left) > 0 {
			or, steps = "or, ", x.steps(words.Replace("if the pod makes WHO ready, as a network plugin does, waiting never ends, and it must tolerate that: "), exists(left))
		}
		return append(steps, look(or+"repair WHO, which HAVE WHAT"))
	case s.State == purpose.Virtual && s.known.Setter() != "EKS":
		return []Step{{Text: words.Replace("WHO take" + say.For(n, "s", "") + " only the pods that BY sends there: add other nodes")}}
	case s.State == purpose.Virtual && x.Owner.Kind == "DaemonSet":
		steps = []Step{{Text: words.Replace("keep the DaemonSet off WHO by required node affinity: DaemonSets are not supported on Fargate")}}
		if !x.First.Template {
			steps = append(steps, x.deletion("DaemonSet"))
		}
		return steps
	case s.State == purpose.Virtual:
		return []Step{{Text: words.Replace("WHO run"+say.For(n, "s", "")+" only the pod that EKS made the node for: select the pod by a Fargate profile "+
			"for namespace ") + x.Namespace + " and make it again, or add other nodes"}}
	case s.State == purpose.Starting:
		or := ""
		if x.Owner.Kind == "DaemonSet" || x.First.HostNetwork || strings.HasSuffix(x.Namespace, "-system") {
			or, steps = "or, ", x.steps(words.Replace("if the pod is what removes WHAT, waiting never ends, and it must tolerate that: "), exists(s.replaced))
		}
		if s.IsLate {
			return append(steps, late(or), remove("or, if nothing needs this taint any more, remove it"))
		}
		if k.IsRepeated && s.ID.Key != "" {
			return append(steps, look(or+"look at "+k.Look+": WHO HAVE WHAT, which BY may set again at any time, and normally removes within "+
				duration.HumanDuration(k.Within)))
		}
		return append(steps, look(or+"wait for WHAT to go away from WHO, which"+cmp.Or(since(" HAVE been starting", ""), " ARE starting")))
	case s.ID.Key == purpose.DeletionTimestamp:
		text := words.Replace("find out why WHO ARE not gone" + since(", deleted", "") + ": finalizers name who removes them")
		return []Step{q.onNodes(text, s.nodes, 1, "get", "node", "-o", "yaml")}
	case s.IsAnnotation() && !s.IsLate:
		return []Step{look("wait until BY uncordons WHO, which HAVE the annotation WHAT" + since(" and HAVE been cordoned", ""))}
	case s.IsAnnotation():
		steps = []Step{look("look at " + k.Look + ": WHO still HAVE the annotation WHAT" + since(" and HAVE been cordoned", "") +
			". BY normally uncordons within " + duration.HumanDuration(k.Within))}
		if s.IsReady {
			steps = append(steps, uncordon("or, if BY has given up and nothing is wrong with WHO, uncordon THEM"))
		}
		return steps
	case s.State == purpose.Leaving && s.IsLate && s.IsReady:
		steps = []Step{late(""), remove("or, if that has given up, remove the taint, so that the " + say.Noun(n, "node") + " can take pods again")}
	case s.IsLate && (s.State != purpose.Maintained || !s.IsReady):
		return []Step{late("")}
	case s.State == purpose.Leaving && isPinned:
		steps = []Step{{Text: words.Replace(leaving + "the pod belongs to that node alone, and goes with it")}}
	case s.State == purpose.Leaving:
		return []Step{{Text: words.Replace(leaving + "add nodes, or wait for new ones")}}
	case s.IsLate:
		steps = []Step{late(""), remove("or, if BY has given up and nothing is wrong with WHO, remove WHAT")}
	case s.ID.Key == purpose.OutOfService && s.IsReady:
		return []Step{remove("WHO ARE Ready and still HAVE WHAT" + since(",", "") + ": who set it removes it")}
	case s.ID.Key == purpose.OutOfService:
		return []Step{look("repair WHO, and then remove WHAT" + since(",", "") + ": Kubernetes does not")}
	case k.IsManual():
		return []Step{remove("if the maintenance of WHO" + since(",", ",") + " is over, remove WHAT")}
	default:
		return []Step{look("wait until BY removes WHAT from WHO" + since(", there", ""))}
	}
	if s.IsCordoned {
		steps = append(steps, uncordon("uncordon THEM, as what cordoned THEM has given up"))
	}
	if isPinned && s.State == purpose.Leaving && !s.isSick {
		left := why.Untolerated(x.profile.Matcher, &cluster.Group{Taints: s.replaced})
		steps = append(steps, x.steps("or, as the pod belongs to that node alone, if it should run there until then, ", exists(left))...)
	}
	return steps
}

// exists returns entries that tolerate the taints with any value.
func exists(list []taints.Taint) []remedy.Entry {
	return say.Each(list, func(t taints.Taint) remedy.Entry {
		return remedy.Entry{Toleration: taints.Toleration{Key: t.Key, Operator: taints.OpExists, Effect: t.Effect}}
	})
}

// onNodes returns a step with a command of two or more words for up to most of the
// nodes, whose names follow the first two.
func (q *Question) onNodes(text string, nodes []string, most int, words ...string) Step {
	names, verb := nodes[:min(len(nodes), most)], min(len(words), 2)
	return q.step(text, len(names), len(nodes), "node", slices.Concat(words[:verb], names, words[verb:])...)
}

// outage reports whether no node of the cluster answers, or none of the pod's zone, which
// has more than one. Then their machines have not all failed. The zone begins with " of".
func outage(c *cluster.Cluster) (zone func(*eviction.Eviction) string, isOut func(*eviction.Eviction) bool) {
	nodes, silent := make(map[string]int), make(map[string]int) // by zone; "": of the cluster
	for i := range c.Nodes {
		for _, zone := range slices.Compact([]string{"", c.Nodes[i].Labels[corev1.LabelTopologyZone]}) {
			if nodes[zone]++; c.Nodes[i].IsSilent() {
				silent[zone]++
			}
		}
	}
	isOutOf := func(zone string) bool { return nodes[zone] > 1 && nodes[zone] == silent[zone] }
	zoneOf := func(x *eviction.Eviction) string { return c.Nodes[c.NodeAt[x.Node]].Labels[corev1.LabelTopologyZone] }
	zone = func(x *eviction.Eviction) string {
		if isOutOf("") {
			return ""
		}
		return " of zone " + zoneOf(x)
	}
	return zone, func(x *eviction.Eviction) bool { return isOutOf("") || isOutOf(zoneOf(x)) }
}

// waysOut returns what ends pods that stay Terminating on nodes that do not answer.
func (a *analyst) waysOut(list []*eviction.Eviction) (steps []Step) {
	var pods []*eviction.Eviction
	for _, outcome := range []string{eviction.Overdue, eviction.Deleting} {
		same := slices.DeleteFunc(slices.Clone(list), func(x *eviction.Eviction) bool {
			return !x.Hangs || x.Outcome != outcome || outcome == eviction.Overdue && *x.InSeconds == 0
		})
		if len(same) > 0 {
			pods = same
		}
	}
	if len(pods) == 0 {
		return nil
	}
	zone, isOut := outage(a.Cluster)
	for _, same := range say.Grouped(slices.DeleteFunc(slices.Clone(pods), func(x *eviction.Eviction) bool { return !isOut(x) }), zone) {
		steps = append(steps, Step{Text: "repair the network or the control plane: no node" + zone(same[0]) + " answers, so that the machines may still run. " +
			"Delete no nodes there, and no pods by force. While no node of the cluster answers, Kubernetes evicts no pods for that"})
	}
	if pods = slices.DeleteFunc(slices.Clone(pods), isOut); len(pods) == 0 {
		return steps
	}
	slices.SortStableFunc(pods, func(x, y *eviction.Eviction) int { // a StatefulSet waits for its pod, and a DaemonSet's belongs to the node
		x1, y1 := x.Of.Owner.Kind, y.Of.Owner.Kind
		return cmp.Or(say.Order(x1 != "StatefulSet", y1 != "StatefulSet"), say.Order(x1 == "DaemonSet", y1 == "DaemonSet"))
	})
	q, nodes := &a.question, sets.List(sets.New(say.Each(pods, func(x *eviction.Eviction) string { return x.Node })...))
	named := func(nodes []string) string {
		return say.Noun(len(nodes), "node") + " " + say.NamesOf(nodes, len(nodes))
	}
	living := slices.DeleteFunc(slices.Clone(nodes), func(name string) bool { return a.Nodes[a.NodeAt[name]].DeletionTimestamp != nil })
	for _, same := range say.Grouped(nodes, func(name string) string { return a.Nodes[a.NodeAt[name]].State().WayOut(q.Now) }) {
		if text := a.Nodes[a.NodeAt[same[0]]].State().WayOut(q.Now); text != "" {
			words := strings.NewReplacer("NODES", named(same), " ARE", say.For(len(same), " is", " are"))
			steps = append(steps, q.onNodes(words.Replace(text), same, 1, "get", "node", "-o", "yaml"))
		}
	}
	isControl := func(name string) bool { return a.Nodes[a.NodeAt[name]].IsControlPlane() }
	for _, same := range say.Grouped(living, isControl) {
		text := "if the machine does not come back, delete " + named(same) + ". Kubernetes then deletes the pods there. " +
			"If the machine still runs, so do their containers, beside those of new pods"
		if isControl(same[0]) {
			text = named(same) + say.For(len(same), " is a control-plane node", " are control-plane nodes") + ": if the machine does not come back, first look at " +
				"etcd's members. Its member there is not deleted with the node, except by some distributions, and the others must keep their quorum. Then " +
				strings.TrimPrefix(text, "if the machine does not come back, ")
		}
		steps = append(steps, q.onNodes(text, same, why.MaxNames, "delete", "node"))
	}
	steps = append(steps,
		q.onNodes("if you are sure that the machine is off, mark the node as out of service. Kubernetes then deletes its pods by force and detaches "+
			"their volumes. If the machine still writes to these, data is lost. Remove the taint when the node is back", nodes, why.MaxNames,
			"taint", "nodes", purpose.OutOfService+"=nodeshutdown:NoExecute"),
		q.step("delete a pod by force. Only the API server forgets it: its containers may still run, a StatefulSet makes another pod of the "+
			"same name beside them, and its volumes stay attached for minutes", 1, len(pods), "pod",
			"-n", pods[0].Of.Namespace, "delete", "pod", pods[0].Of.Name, "--force", "--grace-period=0"),
	)
	return say.Each(steps, func(s Step) Step { s.Relation = enough; return s })
}

// aboutOne turns words about the pods of a template into those about one pod.
var aboutOne = strings.NewReplacer("the template names", "it names", "the pods go", "it goes", "refuses them", "refuses it, once", "they stay", "it stays",
	"deletes them", "deletes it", "evicts them", "evicts it", "and leave", "and leaves", "out of the template", "out of its spec")

// explainBound explains pods that do not exist, and whose template or spec names their node.
func (a *analyst) explainBound(x *Pending) {
	fate, cause := eviction.BoundFate(a.Cluster, x.profile, x.First.NodeName, a.question.Now)
	text := "the template names node " + x.First.NodeName + ", where the pods go without the scheduler" + fate
	out := Step{Text: "take nodeName out of the template, so that the scheduler chooses a node"}
	switch {
	case x.Kind == causeFailure, x.Kind == causeInvalid:
		return
	case !x.First.Template:
		text, out.Text = aboutOne.Replace(text), aboutOne.Replace(out.Text)
	case fate != "":
		maker := a.Maker(x.First)
		text += jobs.Again(maker.Kind, maker.Job, 0, fate != eviction.Refuses)
	}
	if x.Owner.Kind == "Job" && !x.First.IsNew {
		out.Text = "make the Job again without nodeName, so that the scheduler chooses a node"
	}
	i, isKnown := a.NodeAt[x.First.NodeName]
	switch {
	case fate == "" && x.First.Template:
		x.Kind = causeSchedulable
	case fate == "":
		x.Kind = causeOther
	case cause != nil:
		x.Kind, text = causeTaints, text+": "+cause.Text()
		if t := purpose.WithoutTime(cause.Taint); purpose.StateOf(t) != purpose.None {
			x.stays = a.stays([]int{i}, []taints.Taint{t})
			x.Fix = x.nodeSteps()
		}
	case isKnown && x.Feasible > 0:
		x.Kind, text = causeAffinity, text+": the node does not match "+x.profile.Family.Requirements()
	case isKnown:
		text += ": " + x.Text
	}
	x.NodeAffinity = cluster.AffinityText(x.profile.Family.Required)
	if x.Text = text; fate == "" {
		x.Fix = nil
	} else {
		x.Fix = withAlternative(x.Fix, out, a.verdict(x.profile.Family).IsOpen())
	}
}

// withAlternative adds the step, which is enough if it helps, as is one that is there, or
// each of these.
func withAlternative(steps []Step, s Step, helps bool) []Step {
	isMore := func(o Step) bool { return len(steps) > 1 && o.Relation != enough }
	switch {
	case len(steps) == 0:
		return []Step{s}
	case !helps:
		return steps
	case slices.ContainsFunc(steps, isMore):
		s.Relation, s.Replaces = instead, len(steps)
		return append(steps, s)
	}
	return say.Each(slices.Concat([]Step{s}, steps), func(s Step) Step { s.Relation = enough; return s })
}
