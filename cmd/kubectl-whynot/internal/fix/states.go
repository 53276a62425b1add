// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/remedy"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
)

// An advice says what to do about one of the stays of the pods' nodes.
type advice struct {
	*Stay
	pods     *Pods
	words    words
	isPinned bool // the pods are a DaemonSet's, for these nodes alone
}

func (x *Pods) adviceFor(s *Stay) *advice {
	what := say.TaintsText(s.taints)
	n, first := len(s.nodes), func(list []string) string { return say.Joined(say.FirstOf(list, 3)) }
	since := strings.TrimSpace(say.Since("", s.times, x.Now, ""))
	evidence := s.Evidence
	if n > 1 {
		evidence = strings.ReplaceAll(evidence, "its ", "their ")
	}
	return &advice{s, x, words{
		"WHO": named(s.nodes), "THEM": say.For(n, "it", "them"), "NODES": say.Noun(n, "node"),
		"ARE": say.For(n, "is", "are"), "HAVE": say.For(n, "has", "have"), "TAKE": say.For(n, "takes", "take"), "RUN": say.For(n, "runs", "run"),
		"STATE": string(s.State), "WHAT": what, "SINCE": since, "CLIENT": s.By, "EVIDENCE": evidence,
		"CORDONED": strings.TrimSpace(strings.TrimSuffix("by "+s.By, "by ") + " " + since), "WRITERS": x.writers(s.at), "RELIEF": reliefs[what],
		"BY": first(s.removers), "MAKERS": first(s.makers), "KEEPERS": first(s.keepers), "STALE": s.Stale, "FAULT": s.Fault, "STARTUP": s.Startup,
		"LOOK": s.known.Look, "WITHIN": duration.HumanDuration(s.known.Within), "REMOVAL": s.known.Removal,
		"HOLDUPS": first(s.holdups), "UNREADY": first(s.unready), "SAYS": x.firstOn(s.at, says),
		"ASKS": say.CountOf(len(s.keepers), "pod there asks", "pods there ask"),
	}, x.First.Owner.Kind == "DaemonSet" && x.Profile.NamesNodes()}
}

// words has what stands for a word in capitals. A part of a text in braces is left out if one
// of its words stands for nothing.
type words map[string]string

var word = regexp.MustCompile(`\{[^}]*\}|\b[A-Z]{2,}\b`)

func (w words) in(text string) string {
	isNothing := func(name string) bool { value, isWord := w[name]; return isWord && value == "" }
	return word.ReplaceAllStringFunc(text, func(part string) string {
		optional, isOptional := strings.CutPrefix(part, "{")
		if value, isWord := w[part]; isWord {
			return value
		} else if !isOptional {
			return part
		}
		if slices.ContainsFunc(word.FindAllString(optional, -1), isNothing) {
			return ""
		}
		return w.in(strings.TrimSuffix(optional, "}"))
	})
}

// tell returns a step without a command.
func (a *advice) tell(text string) Step { return Step{Text: a.words.in(text)} }

// look returns a step whose command shows the nodes.
func (a *advice) look(text string) Step {
	return a.pods.onNodes(a.words.in(text), a.nodes, 3, "describe", "node")
}

// remove returns a step whose command removes the taint.
func (a *advice) remove(text string) Step {
	return a.pods.Untaint(a.words.in(text), a.nodes, a.ID)
}

// Untaint returns the step whose command removes the taint from the nodes.
func (x *Pods) Untaint(text string, nodes []string, id taints.TaintID) Step {
	return x.onNodes(text, nodes, why.MaxNames, "taint", "nodes", id.String()+"-")
}

// uncordon returns a step whose command uncordons the nodes, unless another question comes first.
func (a *advice) uncordon(text string) Step {
	if a.pods.AreUnknown {
		return a.tell(text)
	}
	return a.pods.onNodes(a.words.in(text), a.nodes, why.MaxNames, "uncordon")
}

// tolerate returns the step that says where to tolerate the taints, as an exception.
func (a *advice) tolerate(condition string, list []taints.Taint) []Step {
	return a.pods.InWords(a.words.in(condition), lists.Each(list, func(t taints.Taint) remedy.Entry {
		return remedy.Entry{Toleration: taints.Toleration{Key: t.Key, Operator: taints.OpExists, Effect: t.Effect}}
	}))
}

// StepsFor returns what to do about one of the stays.
func (x *Pods) StepsFor(s *Stay, stays []*Stay) []Step {
	a := x.adviceFor(s)
	switch {
	case s.Stale != "":
		return []Step{a.remove("remove WHAT from WHO: STALE, so Kubernetes' node-lifecycle controller does it within seconds if it runs")}
	case s.Fault != "":
		return []Step{a.look("repair WHO, which HAVE WHAT{, SINCE} for a fault: FAULT")}
	case s.Startup != "" && s.IsLate:
		return []Step{a.look("look at what removes WHAT: WHO still HAVE it{, SINCE,} and STARTUP has it among its startupTaints" + unready)}
	case s.Startup != "":
		return []Step{a.look("wait for WHAT to go away from WHO{, there SINCE}: STARTUP has it among its startupTaints, so that the NODES ARE starting" + unready)}
	case s.known.IsGuess:
		return []Step{a.look("ask who set WHAT on WHO{, there SINCE}: by its words the NODES ARE STATE. Who set it removes it; no pod should tolerate it" +
			"{. WRITERS}{. There is more: EVIDENCE}")}
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
	case s.State == purpose.Maintained && s.ID.Effect == "":
		return a.annotated()
	}
	return a.maintained()
}

// cordoned is for cordoned nodes. Only a person ends what a person began, and only where
// nothing else speaks against it.
func (a *advice) cordoned() Step {
	const find = "find out who has WHO{, cordoned CORDONED,} and ends that, before anybody uncordons THEM{: EVIDENCE}"
	switch {
	case a.IsFree():
		return a.uncordon("if the maintenance of WHO{, cordoned CORDONED,} is over, uncordon THEM")
	case a.IsByController() && len(a.times) > 0 && a.pods.Now.Sub(slices.MinFunc(a.times, time.Time.Compare)) > 24*time.Hour:
		return a.look("find out why CLIENT has neither uncordoned nor removed WHO, cordoned SINCE{: EVIDENCE}")
	case a.IsByController():
		return a.look("wait until CLIENT uncordons or removes WHO{, cordoned SINCE}{: EVIDENCE}")
	case a.IsToRepair():
		return a.look("repair WHO, which ARE cordoned{ CORDONED} and not Ready: to uncordon THEM alone is not enough{. SAYS}")
	case a.By != "":
		return a.look(find)
	}
	text := a.words.in(find + ". managedFields name the client that cordoned")
	return a.pods.onNodes(text, a.nodes, 3, "get", "node", "-o", "yaml", "--show-managed-fields")
}

// uncordoned is for nodes that what has given up has cordoned too.
func (a *advice) uncordoned() []Step {
	switch {
	case !a.IsCordoned:
		return nil
	case a.IsFree() && a.By == "":
		return []Step{a.uncordon("uncordon THEM, as what cordoned THEM has given up")}
	case a.IsFree(): // what has given up did not cordon
		return []Step{a.look("find out who has WHO, cordoned by CLIENT, and ends that, before anybody uncordons THEM")}
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
	return append(steps, a.look(or+"repair WHO, which HAVE WHAT{, SINCE}{: RELIEF}{. SAYS}"))
}

// reliefs say what nodes under one pressure need, by its taint.
var reliefs = map[string]string{
	taints.NodeMemoryPressure + ":NoSchedule": "free memory there",
	taints.NodeDiskPressure + ":NoSchedule":   "free disk space there",
	taints.NodePIDPressure + ":NoSchedule":    "end processes there",
}

// virtual is for nodes that never take other pods than their own.
func (a *advice) virtual() []Step {
	switch {
	case a.known.Setter() != "EKS":
		return []Step{a.tell("WHO TAKE only the pods that BY sends there: add other nodes")}
	case a.pods.First.Owner.Kind != "DaemonSet":
		return []Step{a.tell("WHO RUN only the pod that EKS made the node for: select the pod by a Fargate profile for namespace " +
			a.pods.First.Namespace + " and make it again, or add other nodes")}
	}
	steps := []Step{a.tell("keep the DaemonSet off WHO by required node affinity: DaemonSets are not supported on Fargate")}
	if !a.pods.First.Template {
		steps = append(steps, a.pods.deletion("DaemonSet"))
	}
	return steps
}

// Parts of texts name what may be the reason that nodes are not ready yet, or not gone.
const (
	unready = "{. Pods of DaemonSets there are not ready: UNREADY}"
	kept    = "{. ASKS not to be disrupted, and may hold that up: KEEPERS}"
)

// starting is for nodes that something makes ready, which may be the pods.
func (a *advice) starting() (steps []Step) {
	or := ""
	if a.pods.First.Owner.Kind == "DaemonSet" || a.pods.First.HostNetwork || strings.HasSuffix(a.pods.First.Namespace, "-system") {
		or, steps = "or, ", a.tolerate("if the pod is what removes WHAT, waiting never ends, and it must tolerate that: ", a.replaced)
	}
	switch isAlone := len(a.replaced) == len(a.taints); {
	case a.IsLate && isAlone && a.Evidence == "" && len(a.unready) == 0 && !a.pods.RunsOn(a.pods.Profile, a.at): // others would still be there, or it is set again
		return append(steps, a.late(or), a.remove("or, if nothing needs this taint any more, remove it{. But REMOVAL}"))
	case a.IsLate:
		return append(steps, a.late(or))
	case a.known.IsRepeated && a.ID.Key != "":
		return append(steps, a.look(or+"look at LOOK: WHO HAVE WHAT, which BY may set again at any time, and normally removes within WITHIN"+unready))
	case len(a.times) == 0:
		return append(steps, a.look(or+"wait for WHAT to go away from WHO, which ARE starting"+unready))
	}
	return append(steps, a.look(or+"wait for WHAT to go away from WHO, which HAVE been starting SINCE"+unready))
}

// late is for nodes that have been in the state for far longer than they normally are.
func (a *advice) late(or string) Step {
	return a.look(or + "look at LOOK: WHO still HAVE WHAT{, SINCE,} and BY normally removes it within WITHIN" + kept + unready +
		"{. There is more: EVIDENCE}")
}

// leaving is for nodes that something removes.
func (a *advice) leaving() (steps []Step) {
	const leave = "WHO ARE being removed{ with MAKERS}{ by BY}{, SINCE}: "
	switch n := len(a.makers); {
	case n > 0 && a.IsLate:
		return []Step{a.tell("find out why MAKERS" + say.For(n, " is", " are") + " not gone{, deleted SINCE}: finalizers name who removes " +
			say.For(n, "it", "them") + ", and WHO" + kept + "{. HOLDUPS}")}
	case a.ID.Key == purpose.DeletionTimestamp:
		text := a.words.in("find out why WHO ARE not gone{, deleted SINCE}: finalizers name who removes them")
		return []Step{a.pods.onNodes(text, a.nodes, 1, "get", "node", "-o", "yaml")}
	case a.IsLate && (!a.IsReady || a.Evidence != "" || len(a.keepers) > 0):
		return []Step{a.late("")}
	case a.IsLate:
		removal := a.remove("or, if that has given up, remove the taint, so that the NODES can take pods again{. But REMOVAL}")
		steps = append([]Step{a.late(""), removal}, a.uncordoned()...)
	case a.isPinned:
		steps = []Step{a.tell(leave + "the pod belongs to that node alone, and goes with it")}
	default:
		steps = []Step{a.tell(leave + "add nodes, or wait for new ones{. HOLDUPS}")}
	}
	if a.isPinned && !a.isSick {
		left := why.Untolerated(a.pods.Profile.Matcher, &cluster.Group{Taints: a.replaced})
		steps = append(steps, a.tolerate("or, as the pod belongs to that node alone, if it should run there until then, ", left)...)
	}
	return steps
}

// annotated is for cordoned nodes whose annotation says who has them.
func (a *advice) annotated() []Step {
	if a.ID.Key == purpose.MachineConfigFailed {
		return []Step{a.look("look at LOOK: BY has failed on WHO{, cordoned SINCE}{: EVIDENCE}")}
	} else if !a.IsLate {
		return []Step{a.look("wait until BY uncordons WHO, which HAVE the annotation WHAT{ and HAVE been cordoned SINCE}")}
	}
	steps := []Step{a.look("look at LOOK: WHO still HAVE the annotation WHAT{ and HAVE been cordoned SINCE}. BY normally uncordons within WITHIN")}
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
		return []Step{a.look("wait until CLIENT removes WHAT from WHO{, there SINCE}{: EVIDENCE}")}
	case isHeld:
		return []Step{a.look("find out who has WHO{, SINCE,} and ends that, before anybody removes WHAT{: EVIDENCE}")}
	case isOut && a.IsReady:
		return []Step{a.remove("WHO ARE Ready and still HAVE WHAT{, SINCE}: who set it removes it")}
	case isOut:
		return []Step{a.look("repair WHO, and then remove WHAT{, SINCE}: Kubernetes does not")}
	case isManual && a.IsToRepair():
		return []Step{a.look("repair WHO, in maintenance{ SINCE}, before anybody removes WHAT{: EVIDENCE}")}
	case isManual:
		return []Step{a.remove("if the maintenance of WHO{, SINCE,} is over, remove WHAT")}
	}
	return []Step{a.look("wait until BY removes WHAT from WHO{, there SINCE}")}
}

// firstOn has the first of such texts about the nodes, and names the node.
func (x *Pods) firstOn(nodes []int, textOf func(*cluster.Node) string) string {
	for _, i := range nodes {
		if text := textOf(&x.Nodes[i]); text != "" {
			return "On " + x.Nodes[i].Name + ", " + text
		}
	}
	return ""
}

func says(n *cluster.Node) string { return n.Says } // of a condition

func sick(n *cluster.Node) string { return say.Joined(say.FirstOf(n.Wrong, 2)) }

// writers names the clients that last wrote the taints of the nodes, as far as is known.
func (x *Pods) writers(nodes []int) string {
	names, newest := sets.New[string](), time.Time{}
	for _, i := range nodes {
		if last := x.Nodes[i].Wrote; last.By != "" {
			names.Insert(last.By)
			newest = slices.MaxFunc([]time.Time{newest, last.At}, time.Time.Compare)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return say.Joined(say.FirstOf(sets.List(names), 3)) + " last wrote the taints there, " + say.Relative(newest.Unix()-x.Now.Unix())
}

// Ask returns what to find out about taints that may be for a state or for a pool.
func (x *Pods) Ask(only *remedy.Alternative) []Step {
	nodes, why := say.NamesOf(only.NodeNames, only.Nodes), "nothing in the input says what it is for"
	if x.RunsOn(x.Profile, only.At) {
		why = "it came after such pods, which run there still"
	} else if k := purpose.Known(only.Unknown[0]); k.IsGuess {
		why = "by its words the nodes are " + string(k.State) + ", and what else the input says is for a pool"
	}
	text := words{
		"WHAT": say.TaintsText(only.Unknown), "NODES": nodes, "WHY": why, "TOLERATE": entriesText(only.Entries()),
		"WRITERS": x.writers(only.At), "SICK": x.firstOn(only.At, sick),
	}.in("ask who set WHAT on NODES: WHY. If it marks nodes for such pods, TOLERATE; if it marks a state of the node, that has to end{. WRITERS}{. SICK}")
	return []Step{x.onNodes(text, only.NodeNames, 3, "describe", "node")}
}

// Questions returns whom to ask about taints of nodes that may be for a state or for a pool.
func (x *Pods) Questions(list []remedy.Alternative) (texts []string) {
	for _, same := range lists.Grouped(list, func(a remedy.Alternative) string { return cluster.TextOf(a.Unknown) }) {
		nodes := slices.Concat(lists.Each(same, func(a remedy.Alternative) []int { return a.At })...)
		texts = append(texts, words{
			"WHAT": say.TaintsText(same[0].Unknown), "NODES": say.NamesOf(why.Names(x.Cluster, nodes), len(nodes)),
			"ARE": say.For(len(same[0].Unknown), "it is", "they are"), "WRITERS": x.writers(nodes),
		}.in("ask who set WHAT on NODES, and what ARE for{. WRITERS}"))
	}
	return texts[:min(len(texts), 5)]
}
