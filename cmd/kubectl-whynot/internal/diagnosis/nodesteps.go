// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/internal/states"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// A stay is taints of a state on some nodes, for which the same is to be done.
type stay struct {
	stayKey
	known    *states.Entry
	nodes    []string
	taints   []taints.Taint
	replaced []taints.Taint // that end with these, and these
	times    []time.Time    // since when, where that is known
	isSick   bool           // one of the nodes is not healthy
	joins    *stay          // another one, on one of the nodes
}

// A stayKey is equal for taints for which the same is to be done.
type stayKey struct {
	state      states.State
	id         taints.TaintID // zero: does not matter
	isLate     bool           // the taint has been there for far longer than it normally is
	isReady    bool           // the node is, as its conditions say
	isCordoned bool           // if it is late
	stale      string         // why Kubernetes removes the taint
}

// stays returns those of the taints that the nodes have, in the order of the states. What
// owns a node, or starts it, is in place of its other states that end with that.
func (a *analyst) stays(nodes []int, list []taints.Taint) []*stay {
	found := make(map[stayKey]*stay)
	var stays []*stay
	for _, i := range slices.Sorted(slices.Values(nodes)) { // this is the order of names
		n := &a.Nodes[i]
		owner, starting := OwnerOf(n), slices.IndexFunc(n.Taints, func(t taints.Taint) bool { return a.starts(n, t) })
		for _, t := range n.Taints {
			original, shown := t, t
			switch {
			case n.DeletionTimestamp != nil:
				t = *owner
			case !slices.ContainsFunc(list, states.WithoutTime(t).Equal):
				continue
			case owner != nil && a.endsWith(n, *owner, states.Of(t)):
				t, shown = *owner, *owner
			case starting >= 0 && states.IsOfStart(t):
				t = n.Taints[starting]
			}
			key, at := a.keyOf(n, t)
			s := found[key]
			if s == nil {
				s = &stay{stayKey: key, known: states.Known(t)}
				found[key], stays = s, append(stays, s)
			}
			s.taints, s.isSick = cluster.Distinct(append(s.taints, states.WithoutTime(shown))), s.isSick || !n.IsHealthy()
			s.replaced = cluster.Distinct(append(s.replaced, states.WithoutTime(original)))
			if !slices.Contains(s.nodes[max(len(s.nodes)-1, 0):], n.Name) {
				s.nodes = append(s.nodes, n.Name)
			}
			if !at.IsZero() && !at.After(a.question.Now) { // clocks differ
				s.times = append(s.times, at)
			}
		}
	}
	slices.SortStableFunc(stays, func(s, t *stay) int {
		at := func(s *stay) int { return slices.Index(states.All, s.known) }
		return cmp.Or(order(s.stale != "", t.stale != ""), at(s)-at(t))
	})
	return stays
}

// keyOf also returns since when the node has the taint, or zero.
func (a *analyst) keyOf(n *cluster.Node, t taints.Taint) (key stayKey, since time.Time) {
	k, made := states.Known(t), n.CreationTimestamp.Time
	since = states.Since(t, n.Taints, made, a.question.Now)
	switch {
	case slices.Contains(n.Stale, t.ID()):
		return stayKey{id: t.ID(), stale: n.StateFor(t.ID())}, since
	case k.IsLate(since, a.question.Now):
		return stayKey{k.State, t.ID(), true, n.IsHealthy(), n.Cordoned, ""}, since
	case k.IsRepeated && since.IsZero() && !made.IsZero(), k.State == states.Maintained, k.State == states.Fenced:
		return stayKey{k.State, t.ID(), false, n.IsReady(), false, ""}, since
	}
	return stayKey{state: k.State}, since
}

// starts reports whether the node starts, as the taint says.
func (a *analyst) starts(n *cluster.Node, t taints.Taint) bool {
	key, _ := a.keyOf(n, t)
	return key == stayKey{state: states.Starting}
}

// endsWith reports whether the state of the node ends with what owns it. If that may have
// given up, and the node is healthy, it still has to start.
func (a *analyst) endsWith(n *cluster.Node, owner taints.Taint, state states.State) bool {
	key, _ := a.keyOf(n, owner)
	return state.IsTemporary() && !(state == states.Starting && key.isLate && key.isReady)
}

// OwnerOf returns the taint of what owns the node, or nil. For a node that is deleted it
// stands for the deletionTimestamp.
func OwnerOf(n *cluster.Node) *taints.Taint {
	if n.DeletionTimestamp != nil {
		return &taints.Taint{Key: states.DeletionTimestamp, TimeAdded: &n.DeletionTimestamp.Time}
	}
	return states.Owner(n.Taints, n.Cordoned)
}

// nodeSteps returns what to do about the states of nodes. Those of nodes that are joined
// by common steps belong together, and each of such sets is enough.
func (x *Pending) nodeSteps() (steps []Step) {
	onNode := make(map[string]*stay)
	for _, s := range x.stays {
		for _, name := range s.nodes {
			if o, ok := onNode[name]; ok && o.root() != s.root() {
				s.root().joins = o.root()
			}
			onNode[name] = s
		}
	}
	sets := cluster.Grouped(x.stays, (*stay).root)
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

func (s *stay) root() *stay {
	for s.joins != nil {
		s = s.joins
	}
	return s
}

func (x *Pending) stepsFor(s *stay) (steps []Step) {
	q, n, k := x.question, len(s.nodes), s.known
	words := strings.NewReplacer("WHO", say.Noun(n, "node")+" "+say.NamesOf(s.nodes, n), "WHAT", say.TaintsText(s.taints),
		" ARE", say.For(n, " is", " are"), " HAVE", say.For(n, " has", " have"), "THEM", say.For(n, "it", "them"), "BY", k.Remover())
	since := func(before, after string) string { return say.Since(before, s.times, q.Now, after) }
	look := func(text string) Step { return q.onNodes(words.Replace(text), s.nodes, 3, "describe", "node") }
	remove := func(text string) Step {
		return q.onNodes(words.Replace(text), s.nodes, maxNames, "taint", "nodes", s.id.String()+"-")
	}
	uncordon := func(text string) Step { return q.onNodes(words.Replace(text), s.nodes, maxNames, "uncordon") }
	late := func(or string) Step {
		return look(or + "look at " + k.Look + ": WHO still HAVE WHAT" + since(",", ",") + " and BY normally removes it within " + duration.HumanDuration(k.Within))
	}
	isPinned := x.Owner.Kind == "DaemonSet" && x.profile.NamesNodes()
	leaving := "WHO ARE being removed" + since(",", "") + ": "
	switch {
	case s.stale != "":
		return []Step{remove("remove WHAT from WHO: " + s.stale + ", so Kubernetes' node-lifecycle controller does it within seconds if it runs")}
	case s.state == states.Cordoned:
		return []Step{uncordon("if the maintenance of WHO" + since(", cordoned", ",") + " is over, uncordon THEM")}
	case s.state == states.Unhealthy:
		or, left := "", slices.DeleteFunc(slices.Clone(s.taints), func(t taints.Taint) bool { return !states.IsOfStart(t) })
		if x.First.HostNetwork && len(left) > 0 {
			or, steps = "or, ", x.steps(words.Replace("if the pod makes WHO ready, as a network plugin does, waiting never ends, and it must tolerate that: "), exists(left))
		}
		return append(steps, look(or+"repair WHO, which HAVE WHAT"))
	case s.state == states.Virtual && x.Owner.Kind == "DaemonSet":
		steps = []Step{{Text: words.Replace("keep the DaemonSet off WHO by required node affinity: DaemonSets are not supported on Fargate")}}
		if !x.First.Template {
			steps = append(steps, x.deletion("DaemonSet"))
		}
		return steps
	case s.state == states.Virtual:
		return []Step{{Text: words.Replace("WHO run"+say.For(n, "s", "")+" only the pod that EKS made the node for: select the pod by a Fargate profile "+
			"for namespace ") + x.Namespace + " and make it again, or add other nodes"}}
	case s.state == states.Starting:
		or := ""
		if x.mayBeAgent() {
			or, steps = "or, ", x.steps(words.Replace("if the pod is what removes WHAT, waiting never ends, and it must tolerate that: "), exists(s.taints))
		}
		if s.isLate {
			return append(steps, late(or), remove("or, if nothing needs this taint any more, remove it"))
		}
		if k.IsRepeated && s.id.Key != "" {
			return append(steps, look(or+"look at "+k.Look+": WHO HAVE WHAT, which BY may set again at any time, and normally removes within "+
				duration.HumanDuration(k.Within)))
		}
		return append(steps, look(or+"wait for WHAT to go away from WHO, which"+cmp.Or(since(" HAVE been starting", ""), " ARE starting")))
	case s.id.Key == states.DeletionTimestamp:
		text := words.Replace("find out why WHO ARE not gone" + since(", deleted", "") + ": finalizers name who removes them")
		return []Step{q.onNodes(text, s.nodes, 1, "get", "node", "-o", "yaml")}
	case s.state == states.Leaving && s.isLate && s.isReady:
		steps = []Step{late(""), remove("or, if that has given up, remove the taint, so that the " + say.Noun(n, "node") + " can take pods again")}
	case s.isLate && (s.state != states.Maintained || !s.isReady):
		return []Step{late("")}
	case s.state == states.Leaving && isPinned:
		steps = []Step{{Text: words.Replace(leaving + "the pod belongs to that node alone, and goes with it")}}
	case s.state == states.Leaving:
		return []Step{{Text: words.Replace(leaving + "add nodes, or wait for new ones")}}
	case s.isLate:
		steps = []Step{late(""), remove("or, if BY has given up and nothing is wrong with WHO, remove WHAT")}
	case s.id.Key == states.OutOfService && s.isReady:
		return []Step{remove("WHO ARE Ready and still HAVE WHAT" + since(",", "") + ": who set it removes it")}
	case s.id.Key == states.OutOfService:
		return []Step{look("repair WHO, and then remove WHAT" + since(",", "") + ": Kubernetes does not")}
	case k.IsManual():
		return []Step{remove("if the maintenance of WHO" + since(",", ",") + " is over, remove WHAT")}
	default:
		return []Step{look("wait until BY removes WHAT from WHO" + since(", there", ""))}
	}
	if s.isCordoned {
		steps = append(steps, uncordon("uncordon THEM, as what cordoned THEM has given up"))
	}
	if isPinned && s.state == states.Leaving && !s.isSick {
		left := untoleratedOf(x.profile.Matcher, &cluster.Group{Taints: s.replaced})
		steps = append(steps, x.steps("or, as the pod belongs to that node alone, if it should run there until then, ", exists(left))...)
	}
	return steps
}

// mayBeAgent reports whether the pods may be part of what makes nodes ready.
func (x *Pending) mayBeAgent() bool {
	return x.Owner.Kind == "DaemonSet" || x.First.HostNetwork || strings.HasSuffix(x.Namespace, "-system")
}

// exists returns entries that tolerate the taints with any value.
func exists(list []taints.Taint) []Entry {
	return say.Each(list, func(t taints.Taint) Entry {
		return Entry{nil, taints.Toleration{Key: t.Key, Operator: taints.OpExists, Effect: t.Effect}, -1}
	})
}

// onNodes returns a step with a command of two or more words for up to most of the
// nodes, whose names follow the first two.
func (q *Question) onNodes(text string, nodes []string, most int, words ...string) Step {
	names, verb := nodes[:min(len(nodes), most)], min(len(words), 2)
	return q.step(text, len(names), len(nodes), "node", slices.Concat(words[:verb], names, words[verb:])...)
}

// waysOut returns what ends pods that stay Terminating on nodes that do not answer.
func (q *Question) waysOut(list []*Eviction) []Step {
	var nodes, terminating, overdue []string
	for _, x := range list {
		switch {
		case x.Hangs && x.Outcome == deleting:
			nodes, terminating = append(nodes, x.Node), append(terminating, x.Pod)
		case x.Hangs && x.Outcome == Overdue:
			nodes, overdue = append(nodes, x.Node), append(overdue, x.Pod)
		}
	}
	pods := slices.Concat(terminating, overdue)[:cmp.Or(len(terminating), len(overdue))]
	if len(pods) == 0 {
		return nil
	}
	nodes = sets.List(sets.New(nodes...))
	namespace, pod, _ := strings.Cut(pods[0], "/")
	steps := []Step{
		q.onNodes("if the machine of "+say.Noun(len(nodes), "node")+" "+say.NamesOf(nodes, len(nodes))+" does not come back, delete the node. Kubernetes "+
			"then deletes its pods. If the machine still runs, so do their containers, beside those of new pods", nodes, maxNames, "delete", "node"),
		q.onNodes("if you are sure that the machine is off, mark the node as out of service. Kubernetes then deletes its pods by force and detaches "+
			"their volumes. If the machine still writes to these, data is lost. Remove the taint when the node is back", nodes, maxNames,
			"taint", "nodes", states.OutOfService+"=nodeshutdown:NoExecute"),
		q.step("delete a pod by force. Only the API server forgets it: its containers may still run, a StatefulSet makes another pod of the "+
			"same name beside them, and its volumes stay attached for minutes", 1, len(pods), "pod",
			"-n", namespace, "delete", "pod", pod, "--force", "--grace-period=0"),
	}
	return say.Each(steps, func(s Step) Step { s.Relation = enough; return s })
}
