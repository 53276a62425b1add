// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"cmp"
	"fmt"
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

// A Stay is taints of a state on some nodes, for which the same is to be done.
type Stay struct {
	stayKey
	known    *purpose.Entry
	at       []int
	nodes    []string
	taints   []taints.Taint
	replaced []taints.Taint // that end with these, and these
	times    []time.Time    // since when, where that is known
	isSick   bool           // one of the nodes is not healthy
	keepers  []string       // pods there that ask not to be disrupted
}

// A stayKey is equal for taints for which the same is to be done.
type stayKey struct {
	purpose.Stay
	stale   string // why Kubernetes removes the taint
	fault   string // the condition that the taint names; empty: none
	startup string // what lists the taint among those of a start; empty: nothing
}

// A Guide knows the cluster that steps are for.
type Guide struct {
	*cluster.Cluster
	Kubectl
	Now    time.Time
	AreAll bool               // the pods of the cluster are all of their owners
	stayed map[string][]*Stay // by nodes and taints
	ended  map[int][]ending   // by node
}

// NewGuide returns the guide for a finished cluster.
func NewGuide(c *cluster.Cluster, k Kubectl, now time.Time) *Guide {
	areAll := c.Only.Labels == nil || c.Only.Labels.Empty()
	return &Guide{c, k, now, areAll, make(map[string][]*Stay), make(map[int][]ending)}
}

// Pods returns the pods of which this is the first, without their names.
func (g *Guide) Pods(first *cluster.Pod) Pods {
	owner := first.OwnerName()
	w := g.Workloads[owner]
	if w == nil && first.Template { // what owns the workload is not in the input
		w = g.Maker(first)
	}
	return Pods{Guide: g, First: first, Profile: first.Profile, Workload: w, Running: g.Running[owner]}
}

// Stays returns those of the taints that the nodes have, in the order of the states. What
// owns a node, or starts it, is in place of its other states that end with that. Many
// kinds of pods ask for the same.
func (g *Guide) Stays(nodes []int, list []taints.Taint) []*Stay {
	key := fmt.Sprint(nodes) + cluster.TextOf(list)
	if g.stayed[key] == nil {
		g.stayed[key] = g.findStays(nodes, list)
	}
	return g.stayed[key]
}

func (g *Guide) findStays(nodes []int, list []taints.Taint) []*Stay {
	found := make(map[stayKey]*Stay)
	var stays []*Stay
	for _, i := range slices.Sorted(slices.Values(nodes)) { // this is the order of names
		n := &g.Nodes[i]
		for _, e := range g.endings(i) {
			if n.DeletionTimestamp == nil && !slices.ContainsFunc(list, e.taint.Equal) {
				continue
			}
			s := found[e.stayKey]
			if s == nil {
				s = &Stay{stayKey: e.stayKey, known: e.known}
				found[e.stayKey], stays = s, append(stays, s)
			}
			s.taints, s.replaced, s.isSick = with(s.taints, e.acts), with(s.replaced, e.taint), s.isSick || e.isSick
			if !slices.Contains(s.nodes[max(len(s.nodes)-1, 0):], n.Name) {
				s.at = append(s.at, i)
				s.nodes, s.keepers = append(s.nodes, n.Name), append(s.keepers, sets.List(g.Keepers[n.Name])...)
			}
			if !e.since.IsZero() && !e.since.After(g.Now) { // clocks differ
				s.times = append(s.times, e.since)
			}
		}
	}
	slices.SortStableFunc(stays, func(s, t *Stay) int {
		at := func(s *Stay) int { return slices.Index(purpose.All, s.known) }
		return cmp.Or(lists.CompareBools(s.stale != "", t.stale != ""), at(s)-at(t))
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
func (g *Guide) endings(i int) []ending {
	n, state, now := &g.Nodes[i], g.Nodes[i].State(), g.Now
	if g.ended[i] == nil {
		g.ended[i] = lists.Each(n.Taints, func(t taints.Taint) ending {
			acts := state.Acting(t, now)
			same, since := state.StayOf(acts, now)
			key := stayKey{same, "", g.Faults[acts.ID()], g.StartupOf(acts, []int{i})}
			switch {
			case slices.Contains(n.Stale, acts.ID()):
				key = stayKey{Stay: purpose.Stay{ID: acts.ID()}, stale: n.StateFor(acts.ID())}
			case key.fault+key.startup != "":
				key.ID = acts.ID()
			}
			return ending{purpose.WithoutTime(t), purpose.WithoutTime(acts), key, purpose.Known(acts), since, !state.IsHealthy()}
		})
	}
	return g.ended[i]
}

// IsLate reports whether a taint has been on the node for far longer than it normally is.
func (g *Guide) IsLate(node int) bool {
	return slices.ContainsFunc(g.endings(node), func(e ending) bool { return e.IsLate })
}

// NodeSteps returns what to do about the states of nodes. Those of nodes that are joined
// by common steps belong together, and each of such sets is enough.
func (x *Pods) NodeSteps(stays []*Stay) (steps []Step) {
	part := make(map[string]int) // of the nodes, by name
	for i, s := range stays {
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
	sets := lists.Grouped(stays, func(s *Stay) int { return part[s.nodes[0]] })
	for _, s := range slices.Concat(sets...) {
		own, next := 0, together // own: the steps that a choice takes the place of
		switch isFirst := slices.ContainsFunc(sets, func(set []*Stay) bool { return set[0] == s }); {
		case len(sets) > 1 && isFirst:
			next = enough
		case len(sets) > 1:
			next = also
		}
		for _, step := range x.StepsFor(s, stays) {
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

// StepsFor returns what to do about one of the stays.
func (x *Pods) StepsFor(s *Stay, stays []*Stay) (steps []Step) {
	n, k := len(s.nodes), s.known
	words := strings.NewReplacer("WHO", say.Noun(n, "node")+" "+say.NamesOf(s.nodes, n), "WHAT", say.TaintsText(s.taints),
		" ARE", say.For(n, " is", " are"), " HAVE", say.For(n, " has", " have"), "THEM", say.For(n, "it", "them"), "BY", k.Remover())
	since := func(before, after string) string { return say.Since(before, s.times, x.Now, after) }
	look := func(text string) Step { return x.onNodes(words.Replace(text), s.nodes, 3, "describe", "node") }
	remove := func(text string) Step {
		return x.onNodes(words.Replace(text), s.nodes, why.MaxNames, "taint", "nodes", s.ID.String()+"-")
	}
	uncordon := func(text string) Step { return x.onNodes(words.Replace(text), s.nodes, why.MaxNames, "uncordon") }
	keeps := ""
	if n := len(s.keepers); n > 0 {
		keeps = ". " + say.CountOf(n, "pod there asks", "pods there ask") + " not to be disrupted, and may hold that up: " + say.Joined(say.FirstOf(s.keepers, 3))
	}
	late := func(or string) Step {
		return look(or + "look at " + k.Look + ": WHO still HAVE WHAT" + since(",", ",") + " and BY normally removes it within " + duration.HumanDuration(k.Within) + keeps)
	}
	isPinned := x.First.Owner.Kind == "DaemonSet" && x.Profile.NamesNodes()
	leaving := "WHO ARE being removed" + since(",", "") + ": "
	isHeld := k.IsManual() && !s.IsFree() && !s.IsToRepair() && (s.IsReady || s.ID.Key != purpose.OutOfService) // who has the node removes the taint
	switch {
	case s.stale != "":
		return []Step{remove("remove WHAT from WHO: " + s.stale + ", so Kubernetes' node-lifecycle controller does it within seconds if it runs")}
	case s.fault != "":
		return []Step{look("repair WHO, which HAVE WHAT" + since(",", "") + " for a fault: " + s.fault)}
	case s.startup != "":
		return []Step{look("wait for WHAT to go away from WHO" + since(", there", "") + ": " + s.startup + " has it among its startupTaints, so that the " + say.Noun(n, "node") + " ARE starting")}
	case k.IsGuess:
		return []Step{look("ask who set WHAT on WHO" + since(", there", "") + ": by its words the " + say.Noun(n, "node") + " ARE " + string(s.State) +
			". Who set it removes it; no pod should tolerate it" + x.writers(s.at))}
	case s.State == purpose.Cordoned && s.ID.Key != "":
		return []Step{remove("if nobody needs WHAT any more, remove it from WHO: no cordon sets it, and no uncordon removes it")}
	case s.State == purpose.Cordoned:
		return []Step{x.cordonStep(s, look, uncordon, since)}
	case s.State == purpose.Unhealthy && slices.ContainsFunc(stays, func(o *Stay) bool {
		return o.State == purpose.Cordoned && o.IsToRepair() && slices.Equal(o.nodes, s.nodes)
	}):
		return nil
	case s.State == purpose.Unhealthy:
		or, left := "", slices.DeleteFunc(slices.Clone(s.taints), func(t taints.Taint) bool { return !purpose.IsOfStart(t) })
		if x.First.HostNetwork && len(left) > 0 {
			or, steps = "or, ", x.inWords(words.Replace("if the pod makes WHO ready, as a network plugin does, waiting never ends, and it must tolerate that: "), exists(left))
		}
		return append(steps, look(or+"repair WHO, which HAVE WHAT"))
	case s.State == purpose.Virtual && s.known.Setter() != "EKS":
		return []Step{{Text: words.Replace("WHO take" + say.For(n, "s", "") + " only the pods that BY sends there: add other nodes")}}
	case s.State == purpose.Virtual && x.First.Owner.Kind == "DaemonSet":
		steps = []Step{{Text: words.Replace("keep the DaemonSet off WHO by required node affinity: DaemonSets are not supported on Fargate")}}
		if !x.First.Template {
			steps = append(steps, x.deletion("DaemonSet"))
		}
		return steps
	case s.State == purpose.Virtual:
		return []Step{{Text: words.Replace("WHO run"+say.For(n, "s", "")+" only the pod that EKS made the node for: select the pod by a Fargate profile "+
			"for namespace ") + x.First.Namespace + " and make it again, or add other nodes"}}
	case s.State == purpose.Starting:
		or := ""
		if x.First.Owner.Kind == "DaemonSet" || x.First.HostNetwork || strings.HasSuffix(x.First.Namespace, "-system") {
			or, steps = "or, ", x.inWords(words.Replace("if the pod is what removes WHAT, waiting never ends, and it must tolerate that: "), exists(s.replaced))
		}
		if s.IsLate && len(s.replaced) > len(s.taints) { // these would still be there
			return append(steps, late(or))
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
		return []Step{x.onNodes(text, s.nodes, 1, "get", "node", "-o", "yaml")}
	case s.IsAnnotation() && !s.IsLate:
		return []Step{look("wait until BY uncordons WHO, which HAVE the annotation WHAT" + since(" and HAVE been cordoned", ""))}
	case s.IsAnnotation():
		steps = []Step{look("look at " + k.Look + ": WHO still HAVE the annotation WHAT" + since(" and HAVE been cordoned", "") +
			". BY normally uncordons within " + duration.HumanDuration(k.Within))}
		if s.IsReady {
			steps = append(steps, Step{Text: words.Replace("or, if BY has given up and nothing is wrong with WHO, uncordon THEM")})
		}
		return steps
	case s.State == purpose.Leaving && s.IsLate && s.IsReady && s.Evidence == "":
		steps = []Step{late(""), remove("or, if that has given up, remove the taint, so that the " + say.Noun(n, "node") + " can take pods again")}
	case s.IsLate && (s.State != purpose.Maintained || !s.IsReady || s.Evidence != ""):
		return []Step{late("")}
	case s.State == purpose.Leaving && isPinned:
		steps = []Step{{Text: words.Replace(leaving + "the pod belongs to that node alone, and goes with it")}}
	case s.State == purpose.Leaving:
		return []Step{{Text: words.Replace(leaving + "add nodes, or wait for new ones")}}
	case s.IsLate:
		steps = []Step{late(""), remove("or, if BY has given up and nothing is wrong with WHO, remove WHAT")}
	case isHeld && s.IsByController():
		return []Step{look("wait until " + s.By + " removes WHAT from WHO" + since(", there", "") + because(s))}
	case isHeld:
		return []Step{look("find out who has WHO" + since(",", ",") + " and ends that, before anybody removes WHAT" + because(s))}
	case s.ID.Key == purpose.OutOfService && s.IsReady:
		return []Step{remove("WHO ARE Ready and still HAVE WHAT" + since(",", "") + ": who set it removes it")}
	case s.ID.Key == purpose.OutOfService:
		return []Step{look("repair WHO, and then remove WHAT" + since(",", "") + ": Kubernetes does not")}
	case k.IsManual():
		return []Step{remove("if the maintenance of WHO" + since(",", ",") + " is over, remove WHAT")}
	default:
		return []Step{look("wait until BY removes WHAT from WHO" + since(", there", ""))}
	}
	switch {
	case s.IsCordoned && s.IsFree():
		steps = append(steps, uncordon("uncordon THEM, as what cordoned THEM has given up"))
	case s.IsCordoned:
		steps = append(steps, x.cordonStep(s, look, uncordon, since))
	}
	if isPinned && s.State == purpose.Leaving && !s.isSick {
		left := why.Untolerated(x.Profile.Matcher, &cluster.Group{Taints: s.replaced})
		steps = append(steps, x.inWords("or, as the pod belongs to that node alone, if it should run there until then, ", exists(left))...)
	}
	return steps
}

// cordonStep returns what to do about cordoned nodes. Only a person ends what a person began,
// and only where nothing else speaks against it.
func (x *Pods) cordonStep(s *Stay, look, uncordon func(string) Step, since func(before, after string) string) Step {
	with := ""
	if s.By != "" {
		with = " by " + s.By
	}
	switch {
	case s.IsFree() && s.By != "":
		return uncordon("if the maintenance of WHO, cordoned" + with + since("", ",") + " is over, uncordon THEM")
	case s.IsFree():
		return uncordon("if the maintenance of WHO" + since(", cordoned", ",") + " is over, uncordon THEM")
	case s.IsByController():
		return look("wait until " + s.By + " uncordons WHO" + since(", cordoned", "") + because(s))
	case s.IsToRepair():
		return look("repair WHO, which ARE cordoned" + with + since("", "") + " and not Ready: to uncordon THEM alone is not enough")
	case s.By == "":
		text := say.Noun(len(s.nodes), "node") + " " + say.NamesOf(s.nodes, len(s.nodes)) + since(", cordoned", ",")
		return x.onNodes("find out who has "+text+" and ends that, before anybody uncordons "+say.For(len(s.nodes), "it", "them")+because(s)+
			". managedFields name the client that cordoned", s.nodes, 3, "get", "node", "-o", "yaml", "--show-managed-fields")
	default:
		return look("find out who has WHO, cordoned" + with + cmp.Or(since("", ","), ",") + " and ends that, before anybody uncordons THEM" + because(s))
	}
}

// because ends a text with the evidence that somebody has the nodes, if there is some.
func because(s *Stay) string {
	if s.Evidence == "" {
		return ""
	}
	if len(s.nodes) > 1 {
		return ": " + strings.ReplaceAll(s.Evidence, "its ", "their ")
	}
	return ": " + s.Evidence
}

// exists returns entries that tolerate the taints with any value.
func exists(list []taints.Taint) []remedy.Entry {
	return lists.Each(list, func(t taints.Taint) remedy.Entry {
		return remedy.Entry{Toleration: taints.Toleration{Key: t.Key, Operator: taints.OpExists, Effect: t.Effect}}
	})
}

// writers names the clients that last wrote the taints of the nodes, as far as is known.
func (x *Pods) writers(nodes []int) string {
	var names []string
	for _, i := range nodes {
		if by := x.Nodes[i].TaintsBy; by != "" && !slices.Contains(names, by) {
			names = append(names, by)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ". " + say.Joined(say.FirstOf(names, 3)) + " last wrote the taints there"
}

// Ask returns what to find out about taints that may be for a state or for a pool.
func (x *Pods) Ask(only *remedy.Alternative) []Step {
	nodes := say.NamesOf(only.NodeNames, only.Nodes)
	text := "ask who set " + say.TaintsText(only.Unknown) + " on " + nodes + ": nothing in the input says what it is for. If it marks nodes for such pods, " +
		entriesText(only.Entries()) + "; if it marks a state of the node, that has to end" + x.writers(only.At)
	return []Step{x.onNodes(text, only.NodeNames, 3, "describe", "node")}
}
