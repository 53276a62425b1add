// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// A stay is taints of a state on some nodes for which the same is to be done.
type stay struct {
	stayKey
	nodes  []string
	taints []taints.Taint
	times  []time.Time // since when, where that is known
}

// A stayKey is equal for taints for which the same is to be done. The entry and the
// identity are zero unless they matter.
type stayKey struct {
	state   nodeState
	entry   *KnownTaint
	id      taints.TaintID
	isLate  bool   // the taint has been there for far longer than it normally is
	isReady bool   // the node is, as its conditions say
	stale   string // why Kubernetes removes the taint
}

// stays returns the taints of the nodes' states that are in the list.
func (a *analyst) stays(nodes []int, list []taints.Taint) []*stay {
	var stays []*stay
	for _, i := range slices.Sorted(slices.Values(nodes)) { // this is the order of names
		n := &a.Nodes[i]
		for _, t := range n.Taints {
			if slices.Contains(list, withoutTime(t)) {
				stays = a.question.stay(stays, n, t)
			}
		}
	}
	slices.SortStableFunc(stays, func(s, t *stay) int {
		return cmp.Or(order(s.stale != "", t.stale != ""), slices.Index(states, s.state)-slices.Index(states, t.state))
	})
	for _, s := range stays {
		s.taints = cluster.Distinct(s.taints)
	}
	return stays
}

// nodeSteps returns what to do about the states of nodes.
func (x *Pending) nodeSteps() []Step {
	var steps []Step
	for _, s := range x.stays {
		steps = append(steps, x.stepsFor(s)...)
	}
	return steps
}

// stay adds the taint of the node.
func (q *Question) stay(stays []*stay, n *cluster.Node, t taints.Taint) []*stay {
	if t.Key == taints.NodeUnschedulable {
		if i := slices.IndexFunc(n.Taints, cordonsToo); i >= 0 {
			t = n.Taints[i]
		}
	}
	k, at := Known(t), startOf(n, t)
	key := stayKey{state: k.State, isLate: k.Within > 0 && !at.IsZero() && q.Now.Sub(at) > 4*k.Within}
	if slices.Contains(n.Stale, t.ID()) {
		key = stayKey{id: t.ID(), stale: n.StateFor(t.ID())}
	} else if key.isLate || k.State == stateMaintained || k.State == stateFenced {
		key.entry, key.id, key.isReady = k, t.ID(), n.IsReady()
	}
	i := slices.IndexFunc(stays, func(s *stay) bool { return s.stayKey == key })
	if i < 0 {
		i, stays = len(stays), append(stays, &stay{stayKey: key})
	}
	s := stays[i]
	if t = withoutTime(t); !slices.Contains(s.taints, t) {
		s.taints = append(s.taints, t)
	}
	if last := len(s.nodes) - 1; last < 0 || s.nodes[last] != n.Name {
		s.nodes = append(s.nodes, n.Name)
	}
	if !at.IsZero() {
		s.times = append(s.times, at)
	}
	return stays
}

// cordonsToo reports whether what sets the taint also cordons the node, and ends that.
func cordonsToo(t taints.Taint) bool {
	k := Known(t)
	return t.Effect != taints.PreferNoSchedule && k != nil && k.RemovedBy != whoSetIt &&
		(k.State == stateLeaving || k.State == stateMaintained || k.State == stateFenced)
}

// startOf returns since when the node has the taint, as its value or timeAdded says, or
// zero. A node that is starting has the taint since it exists, or since it restarts.
func startOf(n *cluster.Node, t taints.Taint) time.Time {
	at, isTime := timeIn(t)
	switch {
	case isTime:
		return at
	case t.TimeAdded != nil:
		return *t.TimeAdded
	case stateOf(t) != stateStarting:
		return time.Time{}
	}
	for _, o := range n.Taints {
		if o.TimeAdded != nil && stateOf(o) == stateStarting {
			return *o.TimeAdded
		}
	}
	return n.CreationTimestamp.Time
}

func (x *Pending) stepsFor(s *stay) []Step {
	n, q := len(s.nodes), x.question
	are, have := say.For(n, " is", " are"), say.For(n, " has", " have")
	who, what := say.Noun(n, "node")+" "+say.NamesOf(s.nodes, n), say.TaintsText(s.taints)
	since := func(what, end string) string { return sinceText(what, s.times, q.Now, end) }
	late := func() Step {
		return q.describe("look at "+s.entry.Look+": "+who+" still"+have+" "+what+since(",", ",")+" and "+s.entry.RemovedBy+
			" normally removes it within "+duration.HumanDuration(s.entry.Within), s)
	}
	isPinned := x.Owner.Kind == "DaemonSet" && x.profile.NamesNodes()
	var steps []Step
	switch s.state {
	case stateNone:
		return []Step{q.untaint("remove "+what+" from "+who+": "+s.stale+
			", so Kubernetes' node-lifecycle controller does it within seconds if it runs", s)}
	case stateCordoned:
		return []Step{q.onNodes("if the maintenance of "+who+since(", cordoned", ",")+" is over, uncordon "+say.For(n, "it", "them"), s, []string{"uncordon"})}
	case stateUnhealthy:
		return []Step{q.describe("repair "+who+", which"+have+" "+what, s)}
	case stateFenced, stateMaintained:
		isFence := s.id.Key == outOfService
		switch {
		case s.isLate:
			return []Step{late()}
		case isFence && s.isReady:
			return []Step{q.untaint(who+are+" Ready and still"+have+" "+what+since(",", "")+": who set it removes it", s)}
		case isFence:
			return []Step{q.describe("repair "+who+", and then remove "+what+since(",", "")+": Kubernetes does not", s)}
		case s.entry.RemovedBy == whoSetIt:
			return []Step{q.untaint("if the maintenance of "+who+since(",", ",")+" is over, remove "+what, s)}
		}
		return []Step{q.describe("wait until "+s.entry.RemovedBy+" removes "+what+" from "+who+since(", there", ""), s)}
	case stateStarting:
		if x.mayBeAgent() {
			steps = x.steps("if the pod is what removes "+what+", waiting never ends, and it must tolerate that: ", exists(s.taints))
		}
		if s.isLate {
			return append(steps, late(), q.untaint("or, if nothing needs this taint any more, remove it", s))
		}
		starting := cmp.Or(since(have+" been starting", ""), are+" starting")
		return append(steps, q.describe("wait for "+what+" to go away from "+who+", which"+starting, s))
	case stateVirtual:
		return []Step{{Text: who + say.For(n, " runs", " run") + " only the pod that EKS made the node for: select the pod by a Fargate profile " +
			"for namespace " + x.Namespace + " and make it again, or add other nodes"}}
	case stateLeaving:
		switch text := who + are + " being removed" + since(",", ""); {
		case s.isLate:
			steps = []Step{late(), q.untaint("or, if that has given up, remove the taint, so that the "+say.Noun(n, "node")+" can take pods again", s)}
		case isPinned:
			steps = []Step{{Text: text + ": the pod belongs to that node alone, and goes with it"}}
		default:
			steps = []Step{{Text: text + ": add nodes, or wait for new ones"}}
		}
		if isPinned {
			steps = append(steps, x.steps("or, as the pod belongs to that node alone, if it should run there until then, ", exists(s.taints))...)
		}
	}
	return steps
}

// mayBeAgent reports whether the pods may be part of what makes nodes ready.
func (x *Pending) mayBeAgent() bool {
	return x.Owner.Kind == "DaemonSet" || x.First.HostNetwork || strings.HasSuffix(x.Namespace, "-system")
}

// exists returns entries that tolerate the taints with any value.
func exists(list []taints.Taint) []Entry {
	var entries []Entry
	for _, t := range list {
		entries = append(entries, Entry{nil, taints.Toleration{Key: t.Key, Operator: taints.OpExists, Effect: t.Effect}, -1})
	}
	return entries
}

// describe returns a step with a command that shows the first nodes.
func (q *Question) describe(text string, s *stay) Step {
	names := s.nodes[:min(len(s.nodes), 3)]
	return q.step(text, len(names), len(s.nodes), "node", slices.Concat([]string{"describe", "node"}, names)...)
}

// untaint returns a step with a command that removes the taint from the nodes.
func (q *Question) untaint(text string, s *stay) Step {
	return q.onNodes(text, s, []string{"taint", "nodes"}, s.id.String()+"-")
}

// onNodes returns a step with a command for the nodes.
func (q *Question) onNodes(text string, s *stay, verb []string, after ...string) Step {
	names := s.nodes[:min(len(s.nodes), maxNames)]
	return q.step(text, len(names), len(s.nodes), "node", slices.Concat(verb, names, after)...)
}

// waysOut returns what ends pods that stay Terminating on nodes that do not answer.
func (q *Question) waysOut(list []*Eviction) []Step {
	var nodes, pods []string
	for _, x := range list {
		if x.Hangs && (x.Outcome == deleting || x.Outcome == Overdue) {
			nodes, pods = append(nodes, x.Node), append(pods, x.Pod)
		}
	}
	if len(pods) == 0 {
		return nil
	}
	slices.Sort(nodes)
	s := &stay{nodes: slices.Compact(nodes)}
	who := say.Noun(len(s.nodes), "node") + " " + say.NamesOf(s.nodes, len(s.nodes))
	namespace, pod, _ := strings.Cut(pods[0], "/")
	return []Step{
		q.onNodes("if the machine of "+who+" does not come back, delete the node. Kubernetes then deletes its pods. If the machine still runs, "+
			"so do their containers, beside those of new pods", s, []string{"delete", "node"}),
		q.onNodes("if you are sure that the machine is off, mark the node as out of service. Kubernetes then deletes its pods by force and detaches "+
			"their volumes. If the machine still writes to these, data is lost. Remove the taint when the node is back", s,
			[]string{"taint", "nodes"}, outOfService+"=nodeshutdown:NoExecute"),
		q.step("or delete a pod by force. Only the API server forgets it: its containers may still run, a StatefulSet makes another pod of the "+
			"same name beside them, and its volumes stay attached for minutes", 1, len(pods), "pod",
			"-n", namespace, "delete", "pod", pod, "--force", "--grace-period=0"),
	}
}

// sinceText says since when, for the first and the last of the times, if any.
func sinceText(what string, times []time.Time, now time.Time, end string) string {
	if len(times) == 0 {
		return ""
	}
	text := func(t time.Time) string {
		return " since " + t.UTC().Format(time.RFC3339) + " (" + say.Relative(t.Unix()-now.Unix()) + ")"
	}
	first, last := slices.MinFunc(times, time.Time.Compare), slices.MaxFunc(times, time.Time.Compare)
	if what += text(first); !first.Equal(last) {
		what += ", the last" + text(last)
	}
	return what + end
}
