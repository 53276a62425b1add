// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/drain"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/eviction"
)

// An evaluation compares a cluster before and after the changes.
type evaluation struct {
	*Report
	before, after *cluster.Cluster
	now           time.Time
	changes       map[int][]*cluster.Node // what the nodes become, one after the other
	nodes         map[int]*NodeGroup
	choices       map[*cluster.Profile]choice
}

// An Undone is a change that Kubernetes' node-lifecycle controller makes within
// seconds, as the opposite one contradicts the state of the nodes.
type Undone struct {
	Change  string   `json:"change"` // in kubectl's form
	Because string   `json:"because"`
	Nodes   []string `json:"nodes"`

	ID      taints.TaintID `json:"-"`
	Removes bool           `json:"-"`
}

// settle finds what the requested nodes become once Kubernetes has undone changes.
func (e *evaluation) settle(requested map[int]cluster.Node) {
	settled := make(map[int]cluster.Node)
	for _, i := range slices.Sorted(maps.Keys(requested)) {
		old, n := &e.before.Nodes[i], requested[i]
		undone := e.undoes(old, &n)
		next := n
		if !undone.IsZero() {
			n.AddCordon()
			e.changes[i] = []*cluster.Node{&n}
			next.Own, _ = undone.Apply(n.Own)
		}
		settled[i] = next
		if next.IsCordoned == old.IsCordoned && taints.Reconcile(next.Own, next.Own, old.Own).IsZero() {
			e.Brief = append(e.Brief, n.Name)
		} else {
			e.Changed = append(e.Changed, n.Name)
		}
	}
	e.after = e.before.With(settled)
	for i := range settled {
		e.changes[i] = append(e.changes[i], &e.after.Nodes[i])
	}
	e.groupNodes()
}

// A NodeGroup is nodes with the same taints before the change, and with the same
// after it, and how many of their pods leave and stay.
type NodeGroup struct {
	Nodes               []string
	Before, After       []taints.Taint
	Leave, Anyway, Stay int
}

// groupNodes groups the nodes that change, largest group first.
func (e *evaluation) groupNodes() {
	e.nodes = make(map[int]*NodeGroup)
	groupsOf := func(i int) [2]*cluster.Group {
		return [2]*cluster.Group{e.before.Nodes[i].Group, e.after.Nodes[i].Group}
	}
	for _, same := range lists.Grouped(slices.Sorted(maps.Keys(e.changes)), groupsOf) {
		of := groupsOf(same[0])
		g := &NodeGroup{Before: of[0].Taints, After: of[1].Taints}
		for _, i := range same {
			g.Nodes, e.nodes[i] = append(g.Nodes, e.before.Nodes[i].Name), g
		}
		e.NodeGroups = append(e.NodeGroups, g)
	}
	slices.SortStableFunc(e.NodeGroups, func(a, b *NodeGroup) int { return len(b.Nodes) - len(a.Nodes) })
}

// undoes returns the changes that undo what the request has changed, and lists them.
func (e *evaluation) undoes(old, n *cluster.Node) taints.Changes {
	c := n.Corrections(e.now)
	isOld := func(id taints.TaintID) bool {
		_, had := taints.FindTaint(old.Own, id)
		_, has := taints.FindTaint(n.Own, id)
		return had == has
	}
	c.Remove = slices.DeleteFunc(c.Remove, isOld)
	c.Add = slices.DeleteFunc(c.Add, func(t taints.Taint) bool { return isOld(t.ID()) })
	undone := slices.Concat(
		lists.Each(c.Add, func(t taints.Taint) Undone { return Undone{Change: t.String(), ID: t.ID()} }),
		lists.Each(c.Remove, func(id taints.TaintID) Undone { return Undone{Change: id.String() + "-", ID: id, Removes: true} }),
	)
	for _, u := range undone {
		u.Because = n.StateFor(u.ID)
		i := slices.IndexFunc(e.Undone, func(x Undone) bool { return x.Change == u.Change && x.Because == u.Because })
		if i < 0 {
			i = len(e.Undone)
			e.Undone = append(e.Undone, u)
		}
		e.Undone[i].Nodes = append(e.Undone[i].Nodes, n.Name)
	}
	return c
}

// evictions finds out which pods leave and which stay.
func (e *evaluation) evictions() {
	var leaving, departing, spared, tolerating []member
	var misplaced []member // pods of DaemonSets that stay, but are not made again
	for _, p := range e.before.Pods {
		i, known := e.before.NodeAt[p.Node]
		changes := e.changes[i]
		if !known || changes == nil || p.IsFinished() {
			continue
		}
		old := &e.before.Nodes[i]
		was, is := eviction.Of(p, e.now, old), eviction.Of(p, e.now, old, changes...)
		wouldLeave, leaves := was.InSeconds != nil, is.InSeconds != nil
		nodes := e.nodes[i]
		if p.Deleting { // not due to a taint
			is.InSeconds, is.From, is.Because = nil, "", nil
		}
		switch {
		case p.Deleting, wouldLeave && leaves && *was.InSeconds <= *is.InSeconds:
			departing = append(departing, member{Pod: p, Eviction: is})
			nodes.Anyway++
		case leaves:
			leaving = append(leaving, member{Pod: p, Eviction: is})
			nodes.Leave++
		case wouldLeave:
			nodes.Stay++
			spared = append(spared, member{Pod: p, Eviction: was})
		default:
			if p.Owner.Kind == "DaemonSet" && !daemonMakes(p, &e.after.Nodes[i]) && daemonMakes(p, old) {
				misplaced = append(misplaced, member{Pod: p, Eviction: is})
			}
			nodes.Stay++
			is.Because = slices.DeleteFunc(is.Because, func(x eviction.Pair) bool {
				isIt := func(t taints.Taint) bool { return t.ID() == x.Taint.ID() && t.Value == x.Taint.Value }
				isNew := func(n *cluster.Node) bool { return slices.ContainsFunc(n.Own, isIt) }
				return slices.ContainsFunc(old.Own, isIt) || !slices.ContainsFunc(changes, isNew)
			})
			if len(is.Because) > 0 {
				tolerating = append(tolerating, member{Pod: p, Eviction: is})
			}
		}
	}
	e.leave(leaving, departing)
	e.Spared, e.Tolerating = e.groups(spared, false), e.groups(tolerating, false)
	if n := len(misplaced); n > 0 {
		names := sets.List(sets.New(lists.Each(misplaced, func(m member) string { return m.OwnerName() })...))
		text := say.For(n, "The pod of %s stays on %s, and is not made again there after its", "Some pods of %s stay on %s, and are not made again there after their")
		text = fmt.Sprintf(text, say.NamesOf(names, len(names)), say.For(len(e.changes), "this node", "these nodes"))
		e.Notes = append(e.Notes, text+" next deletion or roll-out.")
	}
}

// drain finds out which pods of the nodes leave and which stay. Kubectl drains one node
// after the other.
func (e *evaluation) drain(r *Request) {
	var all, leaving, departing, staying []member
	skip, _ := r.Drain.Flags.GetInt("skip-wait-for-delete-timeout") // it has the type
	isSkipped := func(p *cluster.Pod) bool { return skip > 0 && p.Deleting && int(e.now.Sub(p.Ends).Seconds()) > skip }
	for _, p := range e.before.Pods {
		if i, known := e.before.NodeAt[p.Node]; known && e.changes[i] != nil {
			v := new(r.Drain.Of(p.PodName))
			all = append(all, member{p, eviction.Drained(p, e.now, &e.after.Nodes[i]), 0, v})
			if v.IsRefused && !isSkipped(p) && !strings.Contains(e.Refused[p.Node], v.Why) {
				e.Refused[p.Node] = strings.TrimPrefix(e.Refused[p.Node]+"; node "+p.Node+": "+v.Why, "; ")
			}
		}
	}
	place := func(m member) int { return slices.Index(r.names, m.Pod.Node) }
	slices.SortStableFunc(all, func(a, b member) int { return cmp.Or(place(a)-place(b), strings.Compare(a.Pod.Node, b.Pod.Node)) })
	for _, m := range all {
		switch isRefused := e.Refused[m.Pod.Node] != ""; {
		case m.Deleting:
			m.InSeconds, *m.verdict = nil, drain.Verdict{}
			if isSkipped(m.Pod) {
				m.verdict.Why = "kubectl does not wait for them"
			} else if len(m.Finalizers) > 0 {
				m.verdict.Why = "kubectl waits for what removes " + m.Finalizer()
			}
		case m.verdict.Leaves && isRefused:
			*m.verdict = drain.Verdict{Why: "not evicted: kubectl refuses their node for other pods"}
		case m.verdict.Migrates && e.isHomeless(m.Pod):
			m.verdict.Why += ". By taints and node affinity, no other node takes it now, so that KubeVirt cannot migrate it"
		}
	}
	drain.Limit(lists.Each(all, func(m member) *drain.Verdict { return m.verdict }), func(i int) bool {
		return *all[i].Owner != (cluster.Owner{}) && !e.isHomeless(all[i].Pod)
	})
	for _, m := range all {
		switch nodes := e.nodes[e.after.NodeAt[m.Pod.Node]]; {
		case m.Deleting:
			departing = append(departing, m)
			nodes.Anyway++
		case m.verdict.Leaves:
			leaving = append(leaving, m)
			nodes.Leave++
		default:
			m.InSeconds, m.Hangs, staying = nil, false, append(staying, m)
			nodes.Stay++
		}
	}
	e.leave(leaving, departing)
	e.Brief, e.Staying = nil, e.groups(staying, false) // nodes that do not change are cordoned already
}

// leave sets what follows from the pods that leave.
func (e *evaluation) leave(leaving, departing []member) {
	emptied, all, left := sets.New[string](), slices.Concat(leaving, departing), maps.Clone(e.before.Running) // pods that stay on nodes, by workload
	eviction.Follow(e.after, lists.Each(all, func(m member) *eviction.Eviction { return m.Eviction }))
	for _, m := range all {
		if !m.Again && !m.Deleting && !m.IsFinished() && *m.Owner != (cluster.Owner{}) && !m.IsStatic() {
			left[m.OwnerName()]--
		}
	}
	for _, g := range e.NodeGroups {
		e.Leave, e.Anyway, e.Stay = e.Leave+g.Leave, e.Anyway+g.Anyway, e.Stay+g.Stay
	}
	for _, m := range leaving {
		if left[m.OwnerName()] == 0 && !m.IsFinished() && !m.Deleting {
			emptied.Insert(m.OwnerName())
		}
	}
	e.Emptied = sets.List(emptied)
	e.Leaving, e.Departing = e.groups(leaving, true), e.groups(departing, true)
}

// daemonMakes reports whether the taints of the node allow the DaemonSet to make the pod.
func daemonMakes(p *cluster.Pod, n *cluster.Node) bool {
	list := taints.AddDaemonSetTolerations(p.Tolerations, taints.DaemonSetPod{})
	_, found := taints.FindUntolerated(n.Taints, list, taints.HardEffects)
	return !found
}

// pending finds the pending pods that get nodes or lose their last one.
func (e *evaluation) pending() {
	var placeable, gaining, unplaceable []member
	for _, p := range e.before.Pods {
		if !p.IsPending() || len(p.Gates) > 0 || p.Failure != "" {
			continue
		}
		x := e.choice(p.Profile)
		m := member{Pod: p, Eviction: &eviction.Eviction{Pod: p.String()}, gains: x.gains}
		switch {
		case x.before && !x.after:
			unplaceable = append(unplaceable, m)
		case x.gains > 0 && x.before:
			gaining = append(gaining, m)
		case x.gains > 0:
			placeable = append(placeable, m)
		}
	}
	e.Placeable, e.Gaining, e.Unplaceable = e.groups(placeable, false), e.groups(gaining, false), e.groups(unplaceable, false)
}

// A choice is whether taints and node affinity allow a pod on some node before and
// after the change, on how many only after it, and which nodes would also keep it.
type choice struct {
	before, after bool
	keep          []int
	gains         int
}

func (e *evaluation) choice(p *cluster.Profile) choice {
	x, ok := e.choices[p]
	if ok {
		return x
	}
	x.before = slices.ContainsFunc(e.before.Choose(p), func(s cluster.Share) bool { return !p.IsRejected(s.Group) })
	for _, s := range e.after.Choose(p) {
		if p.IsRejected(s.Group) {
			continue
		}
		if x.after = true; e.keeps(p, s.Group) {
			x.keep = append(x.keep, s.Nodes...)
		}
		for _, i := range s.Nodes {
			if e.changes[i] != nil && p.IsRejected(e.before.Nodes[i].Group) {
				x.gains++
			}
		}
	}
	e.choices[p] = x
	return x
}

// keeps reports whether the nodes of the group would take and keep the pods.
func (e *evaluation) keeps(p *cluster.Profile, g *cluster.Group) bool {
	return !p.IsRejected(g) && p.EvictionOf(g.Taints, e.now).Outcome == taints.Stays
}

// isHomeless reports whether no node would take and keep the pod after the change.
func (e *evaluation) isHomeless(p *cluster.Pod) bool {
	if bound := e.after.Maker(p).Bound; bound != nil {
		return len(e.choice(bound).keep) == 0
	}
	if !p.Pinned {
		return len(e.choice(p.Profile).keep) == 0
	}
	own := &e.after.Nodes[e.after.NodeAt[p.Node]]
	return !own.Matches(p.Profile) || !e.keeps(p.Profile, own.Group)
}

// notes sets what else is to know.
func (e *evaluation) notes(r *Request) {
	note := func(isTrue bool, text string) {
		if isTrue {
			e.Notes = append(e.Notes, text)
		}
	}
	touched := len(e.Changed) + len(e.Brief) + len(e.Unchanged) + len(e.Refused)
	note(touched == 0 && r.Selector != "", "No node matches -l "+r.Selector+".")
	note(touched == 0 && r.Selector == "", "There are no nodes.")
	note(e.Pods == 0, "There are no pods in the input.")
	keys, notes := purpose.KeysIn(r.specs)
	e.Notes = append(e.Notes, notes...)
	owned, held := make(map[string][]string), make(map[string][]string) // nodes, by the key of what owns them, and by what else speaks against the change
	for _, i := range slices.Sorted(maps.Keys(e.changes)) {
		node := &e.before.Nodes[i]
		if owner := node.Owner(); owner != nil && !slices.Contains(keys, owner.Key) {
			owned[owner.Key] = append(owned[owner.Key], node.Name)
		}
		hold, isHeld, writer := node.Hold, r.Verb == "uncordon", e.before.LaterWriter([]int{i})
		if isHeld {
			hold = node.CordonHold()
		}
		for _, t := range node.Own {
			if _, stays := taints.FindTaint(e.after.Nodes[i].Own, t.ID()); stays {
				continue
			}
			isUnknown := purpose.Of(t, purpose.Evidence{}) == purpose.Purpose{}
			if lister := e.before.StartupOf(t, []int{i}); lister != "" {
				hold.Add(lister + " has " + t.ID().String() + " among its startupTaints")
			} else if isUnknown && writer != "" {
				hold.Add(writer + " last wrote its taints")
			}
			isHeld = isHeld || isUnknown || e.before.StateOf(t, []int{i}) != purpose.None
		}
		if text := hold.Text(); text != "" && isHeld {
			held[text] = append(held[text], node.Name)
		}
	}
	e.Notes = append(e.Notes, purpose.Owned(owned)...)
	for _, text := range slices.Sorted(maps.Keys(held)) {
		n := len(held[text])
		it, why := say.For(n, "it", "them"), say.NamesOf(held[text], n)+": "+say.For(n, text, strings.ReplaceAll(text, "its ", "their "))
		isSick := e.before.Nodes[e.before.NodeAt[held[text][0]]].IsToRepair() // and nothing else
		note(isSick, why+". Repair "+it+": until then, a taint for that keeps pods off.")
		note(!isSick, why+". Find out who has "+it+" and ends that, before anybody "+say.For(len(r.specs), "removes the taint", "uncordons "+it)+".")
	}
	keepsOff := r.Verb == "cordon" || r.Verb == "drain" || slices.ContainsFunc(r.specs, func(s string) bool { return strings.HasSuffix(s, ":NoSchedule") })
	for _, name := range slices.Sorted(maps.Keys(e.before.Workloads)) {
		i, isKnown := e.before.NodeAt[e.before.Workloads[name].NodeName]
		note(keepsOff && isKnown && e.changes[i] != nil && e.before.Running[name]+e.before.Waiting[name] > 0,
			"NoSchedule does not keep new pods of "+name+" off "+e.before.Workloads[name].NodeName+", which its template names.")
	}
	note(e.Leave > 0 && r.Drain.Flags.Lookup("grace-period").Value.String() == "0",
		"With --grace-period 0, Kubernetes forgets pods at once: their containers may still run, and write to volumes, beside those of new pods.")
	note(e.Leave > 0 && r.Verb != "drain", "Taint eviction ignores disruption budgets. Undoing does not bring back pods that have left.")
}
