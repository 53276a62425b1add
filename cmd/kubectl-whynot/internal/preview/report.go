// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
)

// A Report says what a request would do.
type Report struct {
	// Version changes if a field is removed or changes its meaning.
	Version string `json:"version"`
	// Input describes where the objects come from.
	Input string `json:"input"`
	Now   string `json:"now"`
	Nodes int    `json:"nodes"`
	Pods  int    `json:"pods"`
	// Changed are the nodes that change, and Unchanged those that are already as
	// requested. Refused has the errors of those that kubectl refuses to change.
	Changed   []string          `json:"changedNodes"`
	Unchanged []string          `json:"unchangedNodes"`
	Refused   map[string]string `json:"refusedNodes"`
	// Leaving are the pods that are evicted, or evicted earlier than without the
	// change. Spared are those that are no longer evicted. Tolerating are those that
	// tolerate the new NoExecute taints.
	Leaving    []Group `json:"leaving"`
	Spared     []Group `json:"noLongerEvicted"`
	Tolerating []Group `json:"tolerating"`
	// Of the pods on these nodes, Leave counts those of Leaving, Stay all those that
	// stay, and Anyway those that leave with or without the change.
	Leave  int `json:"podsThatLeave"`
	Stay   int `json:"podsThatStay"`
	Anyway int `json:"podsThatLeaveAnyway"`
	// Emptied are the workloads of which every pod leaves.
	Emptied []string `json:"workloadsWithoutPods"`
	// Placeable are the pending pods that get a first node that taints and node
	// affinity allow, and Unplaceable those that lose their last one.
	Placeable   []Group `json:"placeable"`
	Unplaceable []Group `json:"noLongerPlaceable"`
	// Command does what was requested. Undo makes the nodes as they are now.
	Command      string   `json:"command,omitempty"`
	Undo         []string `json:"undo"`
	NotEvaluated []string `json:"notEvaluated"`
}

// An evaluation compares a cluster before and after the changes.
type evaluation struct {
	*Report
	before, after *cluster.Cluster
	now           time.Time
	choices       map[*cluster.Profile]choice
}

// New evaluates the request on a finished cluster. Commands have the connection's flags.
func New(c *cluster.Cluster, r *Request, now time.Time, connection []string) *Report {
	report := &Report{
		Version: "whynot-preview/v1", Now: now.Format(time.RFC3339), Nodes: len(c.Nodes), Pods: len(c.Pods),
		Refused: make(map[string]string), NotEvaluated: diagnosis.NotEvaluated("new pods of DaemonSets"),
	}
	changes := r.run(c, now, report)
	e := &evaluation{report, c, c.With(changes), now, make(map[*cluster.Profile]choice)}
	e.evictions(changes)
	e.pending()
	e.commands(r, changes, connection)
	return report
}

// Refusal returns the errors of kubectl, or nil if there are none.
func (r *Report) Refusal() error {
	if len(r.Refused) == 0 {
		return nil
	}
	words := say.Each(say.SortedKeys(r.Refused), func(name string) string { return r.Refused[name] })
	return errors.New(strings.Join(say.FirstOf(words, 5), "; "))
}

// evictions finds out which pods leave and which stay.
func (e *evaluation) evictions(changes map[int]cluster.Node) {
	var leaving, spared, tolerating []member
	lost := make(map[string]int) // pods by workload
	for _, p := range e.before.Pods {
		if p.Node == "" || p.IsFinished() {
			continue
		}
		i, known := e.before.NodeAt[p.Node]
		if _, isChanged := changes[i]; !known || !isChanged {
			continue
		}
		old := &e.before.Nodes[i]
		was, is := diagnosis.EvictionOf(p, old, old, e.now), diagnosis.EvictionOf(p, old, &e.after.Nodes[i], e.now)
		left, leaves := was.InSeconds != nil, is.InSeconds != nil
		if leaves && !p.Deleting && p.Owner != (cluster.Owner{}) && !p.IsStatic() {
			lost[p.OwnerName()]++
		}
		switch {
		case p.Deleting, left && leaves && *was.InSeconds <= *is.InSeconds:
			e.Anyway++
		case leaves:
			leaving = append(leaving, member{p, is})
		case left:
			e.Stay++
			spared = append(spared, member{p, was})
		default:
			e.Stay++
			is.Because = slices.DeleteFunc(is.Because, func(x diagnosis.Pair) bool {
				at, found := taints.FindTaint(old.Own, x.Taint.ID())
				return found && old.Own[at].Value == x.Taint.Value
			})
			if len(is.Because) > 0 {
				tolerating = append(tolerating, member{p, is})
			}
		}
	}
	e.Leave = len(leaving)
	e.Leaving, e.Spared, e.Tolerating = e.groups(leaving, true), e.groups(spared, false), e.groups(tolerating, false)
	maps.DeleteFunc(lost, func(name string, n int) bool { return n < e.before.Running[name] })
	e.Emptied = say.SortedKeys(lost)
}

// pending finds the pending pods that get a first node or lose their last one.
func (e *evaluation) pending() {
	var placeable, unplaceable []member
	for _, p := range e.before.Pods {
		if !p.IsPending() || len(p.Gates) > 0 {
			continue
		}
		switch x := e.choice(p.Profile); {
		case x.after && !x.before:
			placeable = append(placeable, member{p, &diagnosis.Eviction{}})
		case x.before && !x.after:
			unplaceable = append(unplaceable, member{p, &diagnosis.Eviction{}})
		}
	}
	e.Placeable, e.Unplaceable = e.groups(placeable, false), e.groups(unplaceable, false)
}

// A choice is whether taints and node affinity allow a pod on some node before
// and after the change, and whether a node would also keep it afterwards.
type choice struct{ before, after, keeps bool }

func (e *evaluation) choice(p *cluster.Profile) choice {
	x, ok := e.choices[p]
	if !ok {
		isAllowed := func(s cluster.Share) bool { return !p.IsRejected(s.Group) }
		after := e.after.Choose(p)
		x.before = slices.ContainsFunc(e.before.Choose(p), isAllowed)
		x.after = slices.ContainsFunc(after, isAllowed)
		x.keeps = slices.ContainsFunc(after, func(s cluster.Share) bool {
			return isAllowed(s) && p.Matcher.EvictionOf(s.Group.Taints, e.now).Outcome == taints.Stays
		})
		e.choices[p] = x
	}
	return x
}

// A Group is pods of a workload for which the same taints and tolerations decide.
type Group struct {
	Workload string   `json:"workload"` // its kind and name, or "Pod" or "static pod" and a name
	Pods     []string `json:"podNames"`
	Running  int      `json:"runningPods"` // of the workload
	// When says at what time they leave, and InSeconds is the latest deadline. Pods
	// that stay or are pending have none.
	When      string           `json:"when,omitempty"`
	InSeconds *int64           `json:"inSeconds,omitempty"`
	Because   []diagnosis.Pair `json:"because,omitempty"`
	// Homeless counts the pods that leave and that no other node would take and keep,
	// by taints and node affinity. Then says what happens to others that leave.
	Homeless int    `json:"podsWithoutOtherNode"`
	Then     string `json:"then,omitempty"`
}

// A member is a pod of a group. Its eviction is the one before or after the change.
type member struct {
	*cluster.Pod
	*diagnosis.Eviction
}

// groups groups the pods by what decides and by workload: the earliest first, and
// for each reason the largest. All of them leave, or none.
func (e *evaluation) groups(list []member, leave bool) (groups []Group) {
	slices.SortFunc(list, func(a, b member) int {
		return cmp.Or(cmp.Compare(ptr.Deref(a.InSeconds, 0), ptr.Deref(b.InSeconds, 0)), cluster.ComparePodNames(a.PodName, b.PodName))
	})
	key := func(m member) string {
		return strings.Join([]string{diagnosis.Why(m.Because), string(m.From), m.OwnerName()}, "\n")
	}
	for _, members := range cluster.Grouped(list, key) {
		groups = append(groups, e.group(members, leave))
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(
			cmp.Compare(ptr.Deref(a.InSeconds, 0), ptr.Deref(b.InSeconds, 0)), strings.Compare(a.Why(), b.Why()),
			len(b.Pods)-len(a.Pods), strings.Compare(a.Workload, b.Workload),
		)
	})
	return groups
}

func (e *evaluation) group(list []member, leave bool) Group {
	name, last := list[0].OwnerName(), list[len(list)-1].Eviction
	g := Group{Workload: name, Running: e.before.Running[name], InSeconds: last.InSeconds, Because: last.Because}
	var evictions []*diagnosis.Eviction
	for _, m := range list {
		g.Pods, evictions = append(g.Pods, m.Pod.String()), append(evictions, m.Eviction)
	}
	if g.InSeconds != nil {
		g.When = diagnosis.When(evictions...)
	}
	if leave {
		e.then(&g, list)
	}
	return g
}

// then says what happens to the pods when they leave.
func (e *evaluation) then(g *Group, list []member) {
	if *g.InSeconds <= 0 {
		g.When = "now"
	}
	switch first := list[0]; {
	case first.Owner == (cluster.Owner{}):
		g.Then = "nothing makes it again"
	case first.IsStatic():
		g.Then = "it keeps running, and only its mirror is deleted and made again"
	case first.Owner.Kind == "DaemonSet":
		g.Then = "pods of a DaemonSet do not move to other nodes"
	default:
		for _, m := range list {
			if !e.choice(m.Profile).keeps {
				g.Homeless++
			}
		}
	}
}

// Why says when and for which taints and tolerations the pods leave or stay.
func (g *Group) Why() string {
	return strings.TrimPrefix(g.When+": "+diagnosis.Why(g.Because), ": ")
}

// Text counts the pods and says what happens afterwards.
func (g *Group) Text() string {
	text := g.Workload + ": " + say.Count(len(g.Pods), "pod")
	if len(g.Pods) < g.Running {
		text = fmt.Sprintf("%s: %d of %d pods", g.Workload, len(g.Pods), g.Running)
	}
	if g.Then != "" {
		text += "; " + g.Then
	}
	if g.Homeless > 0 {
		text += fmt.Sprintf("; taints and node affinity allow no other node for %d", g.Homeless)
	}
	return text
}
