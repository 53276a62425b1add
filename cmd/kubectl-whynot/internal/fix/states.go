// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/remedy"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
)

// An advice says what to do about one of the stays of the pods' nodes. Its texts have words to
// replace: WHO, the nodes, and THEM; WHAT, the taints; BY, who removes these; and ARE, HAVE.
type advice struct {
	*Stay
	pods     *Pods
	words    *strings.Replacer
	isPinned bool // the pods are a DaemonSet's, for these nodes alone
}

func (x *Pods) adviceFor(s *Stay) *advice {
	n := len(s.nodes)
	return &advice{s, x, strings.NewReplacer(
		"WHO", say.Noun(n, "node")+" "+say.NamesOf(s.nodes, n), "THEM", say.For(n, "it", "them"), "WHAT", say.TaintsText(s.taints),
		" ARE", say.For(n, " is", " are"), " HAVE", say.For(n, " has", " have"), "BY", say.Joined(say.FirstOf(s.removers, 3)),
	), x.First.Owner.Kind == "DaemonSet" && x.Profile.NamesNodes()}
}

// tell returns a step without a command.
func (a *advice) tell(text string) Step { return Step{Text: a.words.Replace(text)} }

// look returns a step whose command shows the nodes.
func (a *advice) look(text string) Step {
	return a.pods.onNodes(a.words.Replace(text), a.nodes, 3, "describe", "node")
}

// remove returns a step whose command removes the taint.
func (a *advice) remove(text string) Step {
	return a.pods.onNodes(a.words.Replace(text), a.nodes, why.MaxNames, "taint", "nodes", a.ID.String()+"-")
}

// uncordon returns a step whose command uncordons the nodes, unless another question comes first.
func (a *advice) uncordon(text string) Step {
	if a.pods.AreUnknown {
		return a.tell(text)
	}
	return a.pods.onNodes(a.words.Replace(text), a.nodes, why.MaxNames, "uncordon")
}

// tolerate returns the step that says where to tolerate the taints, as an exception.
func (a *advice) tolerate(condition string, list []taints.Taint) []Step {
	return a.pods.inWords(a.words.Replace(condition), lists.Each(list, func(t taints.Taint) remedy.Entry {
		return remedy.Entry{Toleration: taints.Toleration{Key: t.Key, Operator: taints.OpExists, Effect: t.Effect}}
	}))
}

// since says since when the nodes have the taints, between the texts, or returns "".
func (a *advice) since(before, after string) string {
	return say.Since(before, a.times, a.pods.Now, after)
}

// price ends a text with what matters if the taint is removed by hand, if anything.
func (a *advice) price() string { return strings.TrimSuffix(". But "+a.known.Removal, ". But ") }

// because ends a text with the evidence that somebody has the nodes, if there is some.
func (a *advice) because() string {
	switch {
	case a.Evidence == "":
		return ""
	case len(a.nodes) > 1:
		return ": " + strings.ReplaceAll(a.Evidence, "its ", "their ")
	}
	return ": " + a.Evidence
}

// StepsFor returns what to do about one of the stays.
func (x *Pods) StepsFor(s *Stay, stays []*Stay) []Step {
	a := x.adviceFor(s)
	switch {
	case s.stale != "":
		return []Step{a.remove("remove WHAT from WHO: " + s.stale + ", so Kubernetes' node-lifecycle controller does it within seconds if it runs")}
	case s.fault != "":
		return []Step{a.look("repair WHO, which HAVE WHAT" + a.since(",", "") + " for a fault: " + s.fault)}
	case s.startup != "" && s.IsLate:
		return []Step{a.look("look at what removes WHAT: WHO still HAVE it" + a.since(",", ",") + " and " + s.startup + " has it among its startupTaints")}
	case s.startup != "":
		return []Step{a.look("wait for WHAT to go away from WHO" + a.since(", there", "") + ": " + s.startup +
			" has it among its startupTaints, so that the " + say.Noun(len(s.nodes), "node") + " ARE starting")}
	case s.known.IsGuess:
		more := x.writers(s.at)
		if a.Evidence != "" {
			more += ". There is more" + a.because()
		}
		return []Step{a.look("ask who set WHAT on WHO" + a.since(", there", "") + ": by its words the " + say.Noun(len(s.nodes), "node") + " ARE " +
			string(s.State) + ". Who set it removes it; no pod should tolerate it" + more)}
	}
	switch {
	case s.State == purpose.Cordoned && s.ID.Key != "":
		return []Step{a.remove("if nobody needs WHAT any more, remove it from WHO: no cordon sets it, and no uncordon removes it")}
	case s.State == purpose.Cordoned:
		return []Step{a.cordoned()}
	case s.State == purpose.Unhealthy:
		return a.unhealthy(stays)
	case s.State == purpose.Virtual:
		return a.virtual()
	case s.State == purpose.Starting:
		return a.starting()
	case s.State == purpose.Leaving:
		return a.leaving()
	case s.IsAnnotation():
		return a.annotated()
	}
	return a.maintained()
}

// cordoned is for cordoned nodes. Only a person ends what a person began, and only where
// nothing else speaks against it.
func (a *advice) cordoned() Step {
	with := ""
	if a.By != "" {
		with = " by " + a.By
	}
	switch {
	case a.IsFree() && a.By != "":
		return a.uncordon("if the maintenance of WHO, cordoned" + with + a.since("", ",") + " is over, uncordon THEM")
	case a.IsFree():
		return a.uncordon("if the maintenance of WHO" + a.since(", cordoned", ",") + " is over, uncordon THEM")
	case a.IsByController():
		return a.look("wait until " + a.By + " uncordons WHO" + a.since(", cordoned", "") + a.because())
	case a.IsToRepair():
		return a.look("repair WHO, which ARE cordoned" + with + a.since("", "") + " and not Ready: to uncordon THEM alone is not enough")
	case a.By == "":
		return a.pods.onNodes(a.words.Replace("find out who has WHO"+a.since(", cordoned", ",")+" and ends that, before anybody uncordons THEM"+a.because()+
			". managedFields name the client that cordoned"), a.nodes, 3, "get", "node", "-o", "yaml", "--show-managed-fields")
	}
	return a.look("find out who has WHO, cordoned" + with + cmp.Or(a.since("", ","), ",") + " and ends that, before anybody uncordons THEM" + a.because())
}

// uncordoned is for nodes that what has given up has cordoned too.
func (a *advice) uncordoned() []Step {
	switch {
	case !a.IsCordoned:
		return nil
	case a.IsFree() && a.By == "":
		return []Step{a.uncordon("uncordon THEM, as what cordoned THEM has given up")}
	case a.IsFree(): // what has given up did not cordon
		return []Step{a.look("find out who has WHO, cordoned by " + a.By + ", and ends that, before anybody uncordons THEM")}
	}
	return []Step{a.cordoned()}
}

// unhealthy is for nodes that have to be repaired, unless a step for their cordon says so.
func (a *advice) unhealthy(stays []*Stay) (steps []Step) {
	if slices.ContainsFunc(stays, func(o *Stay) bool {
		return o.State == purpose.Cordoned && o.IsToRepair() && slices.Equal(o.nodes, a.nodes)
	}) {
		return nil
	}
	or, left := "", slices.DeleteFunc(slices.Clone(a.taints), func(t taints.Taint) bool { return !purpose.IsOfStart(t) })
	if a.pods.First.HostNetwork && len(left) > 0 {
		or = "or, "
		steps = a.tolerate("if the pod makes WHO ready, as a network plugin does, waiting never ends, and it must tolerate that: ", left)
	}
	return append(steps, a.look(or+"repair WHO, which HAVE WHAT"+a.since(",", "")))
}

// virtual is for nodes that never take other pods than their own.
func (a *advice) virtual() []Step {
	s := say.For(len(a.nodes), "s", "")
	switch {
	case a.known.Setter() != "EKS":
		return []Step{a.tell("WHO take" + s + " only the pods that BY sends there: add other nodes")}
	case a.pods.First.Owner.Kind != "DaemonSet":
		return []Step{a.tell("WHO run" + s + " only the pod that EKS made the node for: select the pod by a Fargate profile for namespace " +
			a.pods.First.Namespace + " and make it again, or add other nodes")}
	}
	steps := []Step{a.tell("keep the DaemonSet off WHO by required node affinity: DaemonSets are not supported on Fargate")}
	if !a.pods.First.Template {
		steps = append(steps, a.pods.deletion("DaemonSet"))
	}
	return steps
}

// starting is for nodes that something makes ready, which may be the pods.
func (a *advice) starting() (steps []Step) {
	or := ""
	if a.pods.First.Owner.Kind == "DaemonSet" || a.pods.First.HostNetwork || strings.HasSuffix(a.pods.First.Namespace, "-system") {
		or, steps = "or, ", a.tolerate("if the pod is what removes WHAT, waiting never ends, and it must tolerate that: ", a.replaced)
	}
	within := duration.HumanDuration(a.known.Within)
	switch isAlone := len(a.replaced) == len(a.taints); {
	case a.IsLate && isAlone && a.Evidence == "": // others would still be there
		return append(steps, a.late(or), a.remove("or, if nothing needs this taint any more, remove it"+a.price()))
	case a.IsLate:
		return append(steps, a.late(or))
	case a.known.IsRepeated && a.ID.Key != "":
		return append(steps, a.look(or+"look at "+a.known.Look+": WHO HAVE WHAT, which BY may set again at any time, and normally removes within "+within))
	}
	return append(steps, a.look(or+"wait for WHAT to go away from WHO, which"+cmp.Or(a.since(" HAVE been starting", ""), " ARE starting")))
}

// late is for nodes that have been in the state for far longer than they normally are.
func (a *advice) late(or string) Step {
	text := or + "look at " + a.known.Look + ": WHO still HAVE WHAT" + a.since(",", ",") + " and BY normally removes it within " +
		duration.HumanDuration(a.known.Within)
	if n := len(a.keepers); n > 0 {
		text += ". " + say.CountOf(n, "pod there asks", "pods there ask") + " not to be disrupted, and may hold that up: " + say.Joined(say.FirstOf(a.keepers, 3))
	}
	if a.Evidence != "" {
		text += ". There is more" + a.because()
	}
	return a.look(text)
}

// leaving is for nodes that something removes.
func (a *advice) leaving() (steps []Step) {
	with := ""
	if len(a.makers) > 0 {
		with = " with " + say.Joined(say.FirstOf(a.makers, 3))
	} else if len(a.removers) > 0 {
		with = " by BY"
	}
	text := "WHO ARE being removed" + with + a.since(",", "") + ": "
	switch {
	case len(a.makers) > 0 && a.IsLate:
		n := len(a.makers)
		return []Step{a.tell("find out why " + say.Joined(say.FirstOf(a.makers, 3)) + say.For(n, " is", " are") + " not gone" + a.since(", deleted", "") +
			": finalizers name who removes " + say.For(n, "it", "them") + ", and WHO")}
	case a.ID.Key == purpose.DeletionTimestamp:
		text = a.words.Replace("find out why WHO ARE not gone" + a.since(", deleted", "") + ": finalizers name who removes them")
		return []Step{a.pods.onNodes(text, a.nodes, 1, "get", "node", "-o", "yaml")}
	case a.IsLate && (!a.IsReady || a.Evidence != "" || len(a.keepers) > 0):
		return []Step{a.late("")}
	case a.IsLate:
		removal := a.remove("or, if that has given up, remove the taint, so that the " + say.Noun(len(a.nodes), "node") + " can take pods again" + a.price())
		steps = append([]Step{a.late(""), removal}, a.uncordoned()...)
	case a.isPinned:
		steps = []Step{a.tell(text + "the pod belongs to that node alone, and goes with it")}
	default:
		steps = []Step{a.tell(text + "add nodes, or wait for new ones")}
	}
	if a.isPinned && !a.isSick {
		left := why.Untolerated(a.pods.Profile.Matcher, &cluster.Group{Taints: a.replaced})
		steps = append(steps, a.tolerate("or, as the pod belongs to that node alone, if it should run there until then, ", left)...)
	}
	return steps
}

// annotated is for cordoned nodes whose annotation says who has them.
func (a *advice) annotated() []Step {
	cordoned := a.since(" and HAVE been cordoned", "")
	if !a.IsLate {
		return []Step{a.look("wait until BY uncordons WHO, which HAVE the annotation WHAT" + cordoned)}
	}
	steps := []Step{a.look("look at " + a.known.Look + ": WHO still HAVE the annotation WHAT" + cordoned + ". BY normally uncordons within " +
		duration.HumanDuration(a.known.Within))}
	if a.IsReady {
		steps = append(steps, a.tell("or, if BY has given up and nothing is wrong with WHO, uncordon THEM"))
	}
	return steps
}

// maintained is for nodes that somebody has in maintenance or has fenced, and then frees.
func (a *advice) maintained() []Step {
	isManual, isOut := a.known.IsManual(), a.ID.Key == purpose.OutOfService
	isHeld := isManual && !a.IsFree() && !a.IsToRepair() && (a.IsReady || !isOut) // who has the node removes the taint
	switch {
	case a.IsLate && (a.State == purpose.Fenced || !a.IsReady || a.Evidence != ""):
		return []Step{a.late("")}
	case a.IsLate:
		return append([]Step{a.late(""), a.remove("or, if BY has given up and nothing is wrong with WHO, remove WHAT")}, a.uncordoned()...)
	case isHeld && a.IsByController():
		return []Step{a.look("wait until " + a.By + " removes WHAT from WHO" + a.since(", there", "") + a.because())}
	case isHeld:
		return []Step{a.look("find out who has WHO" + a.since(",", ",") + " and ends that, before anybody removes WHAT" + a.because())}
	case isOut && a.IsReady:
		return []Step{a.remove("WHO ARE Ready and still HAVE WHAT" + a.since(",", "") + ": who set it removes it")}
	case isOut:
		return []Step{a.look("repair WHO, and then remove WHAT" + a.since(",", "") + ": Kubernetes does not")}
	case isManual && a.IsToRepair():
		return []Step{a.look("repair WHO, in maintenance" + a.since("", "") + ", before anybody removes WHAT" + a.because())}
	case isManual:
		return []Step{a.remove("if the maintenance of WHO" + a.since(",", ",") + " is over, remove WHAT")}
	}
	return []Step{a.look("wait until BY removes WHAT from WHO" + a.since(", there", ""))}
}

// writers names the clients that last wrote the taints of the nodes, as far as is known.
func (x *Pods) writers(nodes []int) string {
	times := make(map[string][]time.Time)
	for _, i := range nodes {
		if last := x.Nodes[i].Wrote; last.By != "" {
			times[last.By] = append(times[last.By], last.At)
		}
	}
	names := slices.Sorted(maps.Keys(times))
	if len(names) == 0 {
		return ""
	}
	newest := slices.MaxFunc(slices.Concat(slices.Collect(maps.Values(times))...), time.Time.Compare)
	return ". " + say.Joined(say.FirstOf(names, 3)) + " last wrote the taints there, " + say.Relative(newest.Unix()-x.Now.Unix())
}

// Ask returns what to find out about taints that may be for a state or for a pool.
func (x *Pods) Ask(only *remedy.Alternative) []Step {
	nodes, why := say.NamesOf(only.NodeNames, only.Nodes), "nothing in the input says what it is for"
	if x.RunsOn(x.Profile, only.At) {
		why = "it came after such pods, which run there still"
	} else if k := purpose.Known(only.Unknown[0]); k.IsGuess {
		why = "by its words the nodes are " + string(k.State) + ", and what else the input says is for a pool"
	}
	text := "ask who set " + say.TaintsText(only.Unknown) + " on " + nodes + ": " + why + ". If it marks nodes for such pods, " +
		entriesText(only.Entries()) + "; if it marks a state of the node, that has to end" + x.writers(only.At)
	return []Step{x.onNodes(text, only.NodeNames, 3, "describe", "node")}
}

// Questions returns whom to ask about taints of nodes that may be for a state or for a pool.
func (x *Pods) Questions(list []remedy.Alternative) (texts []string) {
	for _, same := range lists.Grouped(list, func(a remedy.Alternative) string { return cluster.TextOf(a.Unknown) }) {
		nodes, n := slices.Concat(lists.Each(same, func(a remedy.Alternative) []int { return a.At })...), len(same[0].Unknown)
		texts = append(texts, "ask who set "+say.TaintsText(same[0].Unknown)+" on "+say.NamesOf(why.Names(x.Cluster, nodes), len(nodes))+
			", and what "+say.For(n, "it is", "they are")+" for"+x.writers(nodes))
	}
	return texts[:min(len(texts), 5)]
}
