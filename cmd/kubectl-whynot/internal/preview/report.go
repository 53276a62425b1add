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

	"github.com/seed-0529bac1/taints/cmd/internal/drain"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/eviction"
)

// A Report says what a request would do.
type Report struct {
	Version      string            `json:"version"` // changes if a field is removed or changes its meaning
	Input        string            `json:"input"`   // where the objects come from
	Now          string            `json:"now"`
	Nodes        int               `json:"nodes"`
	Pods         int               `json:"pods"`
	Changed      []string          `json:"changedNodes"`
	Unchanged    []string          `json:"unchangedNodes"`      // already as requested
	Refused      map[string]string `json:"refusedNodes"`        // with the errors of kubectl
	Brief        []string          `json:"brieflyChangedNodes"` // for seconds only, as Kubernetes undoes all of it
	Undone       []Undone          `json:"undoneByKubernetes"`  // also on Changed nodes
	Leaving      []Group           `json:"leaving"`             // due to the change, or earlier than without it
	Departing    []Group           `json:"leavingAnyway"`       // with or without the change
	Spared       []Group           `json:"noLongerEvicted"`
	Tolerating   []Group           `json:"tolerating"`           // the new NoExecute taints
	Staying      []Group           `json:"staying,omitempty"`    // of nodes that are drained
	Leave        int               `json:"podsThatLeave"`        // of Leaving
	Stay         int               `json:"podsThatStay"`         // on these nodes
	Anyway       int               `json:"podsThatLeaveAnyway"`  // of Departing
	Emptied      []string          `json:"workloadsWithoutPods"` // of which no pod stays on a node, due to the change
	Placeable    []Group           `json:"placeable"`            // pending pods that get a first node that taints and node affinity allow
	Gaining      []Group           `json:"moreNodes"`            // pending pods that get more such nodes
	Unplaceable  []Group           `json:"noLongerPlaceable"`    // pending pods that lose their last such node
	Notes        []string          `json:"notes"`                // what else is to know
	Command      string            `json:"command,omitempty"`    // does what was requested
	Undo         []string          `json:"undo"`                 // makes the nodes as they are now
	NotEvaluated []string          `json:"notEvaluated"`

	NodeGroups []*NodeGroup `json:"-"` // of the nodes that change, also briefly
}

// New evaluates the request on a finished cluster. Commands have the connection's flags.
func New(c *cluster.Cluster, r *Request, now time.Time, connection []string) *Report {
	report := &Report{
		Version: "whynot-preview/v1", Now: now.Format(time.RFC3339), Nodes: len(c.Nodes), Pods: len(c.Pods),
		Refused: make(map[string]string), NotEvaluated: c.NotEvaluated("new pods of DaemonSets"),
	}
	if r.Drain.HasBudgets {
		report.NotEvaluated = slices.DeleteFunc(report.NotEvaluated, func(rule string) bool { return rule == "disruption budgets" })
	}
	e := &evaluation{
		Report: report, before: c, now: now, changes: make(map[int][]*cluster.Node), choices: make(map[*cluster.Profile]choice),
	}
	e.settle(r.run(c, now, report))
	if r.Verb == "drain" {
		e.drain(r)
	} else {
		e.evictions()
	}
	e.pending()
	e.notes(r)
	e.commands(r, connection)
	return report
}

// Evictions returns the evictions of all pods that leave.
func (r *Report) Evictions() []*eviction.Eviction {
	all := slices.Concat(r.Leaving, r.Departing)
	return slices.Concat(lists.Each(all, func(g Group) []*eviction.Eviction { return g.Evictions })...)
}

// Refusal returns the errors of kubectl, or nil if there are none.
func (r *Report) Refusal() error {
	if len(r.Refused) == 0 {
		return nil
	}
	words := lists.Each(slices.Sorted(maps.Keys(r.Refused)), func(name string) string { return r.Refused[name] })
	return errors.New(strings.Join(say.FirstOf(words, 5), "; "))
}

// A Group is pods of a workload for which the same taints and tolerations decide.
type Group struct {
	Workload   string          `json:"workload"` // its kind and name, or "Pod" or "static pod" and a name
	Pods       []string        `json:"podNames"`
	Running    int             `json:"runningPods"`         // of the workload, on nodes
	Waiting    int             `json:"pendingPods"`         // of the workload
	When       string          `json:"when,omitempty"`      // they leave; empty: they stay or are pending
	InSeconds  *int64          `json:"inSeconds,omitempty"` // until the latest deadline
	Because    []eviction.Pair `json:"because,omitempty"`
	Reason     string          `json:"reason,omitempty"`       // why drain evicts them, or does not
	Homeless   int             `json:"podsWithoutOtherNode"`   // that no node would then take and keep, by taints and node affinity
	Allowed    []string        `json:"allowedNodes,omitempty"` // where a new pod may go, by taints and node affinity, up to 100
	AllAllowed int             `json:"allowedNodesTotal,omitzero"`
	Hanging    int             `json:"podsThatHang"`               // Terminating until their kubelet answers
	Then       string          `json:"then,omitempty"`             // what else happens
	NewNodes   int             `json:"newNodes,omitzero"`          // that pending pods get
	Message    string          `json:"schedulerMessage,omitempty"` // why the scheduler has not placed them

	Why       string               `json:"-"` // when and for which taints and tolerations they leave or stay
	Evictions []*eviction.Eviction `json:"-"` // of the pods, earliest first
	IsPending bool                 `json:"-"`
	IsEmptied bool                 `json:"-"` // the workload is among Emptied
	AreOf     bool                 `json:"-"` // Running counts them
}

// A member is a pod of a group. Its eviction is the one before or after the change.
type member struct {
	*cluster.Pod
	*eviction.Eviction
	gains   int            // the nodes that a pending pod gets
	verdict *drain.Verdict // nil: it is not drained
}

// groups groups the pods by what decides and by workload: the earliest first, and
// for each reason the largest. All of them leave, or none.
func (e *evaluation) groups(list []member, leave bool) []Group {
	slices.SortFunc(list, func(a, b member) int {
		return cmp.Or(compareDeadlines(a.InSeconds, b.InSeconds), cluster.ComparePodNames(a.PodName, b.PodName))
	})
	key := func(m member) string {
		return fmt.Sprintf("%q %q %q %q %q %v %v", eviction.Why(m.Because)+ptr.Deref(m.verdict, drain.Verdict{}).Why, m.From, m.OwnerName(), m.Message, m.Job+m.Then, m.Hangs, m.gains)
	}
	groups := lists.Each(lists.Grouped(list, key), func(same []member) Group { return e.group(same, leave) })
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(
			compareDeadlines(a.InSeconds, b.InSeconds), strings.Compare(a.Why, b.Why),
			len(b.Pods)-len(a.Pods), strings.Compare(a.Workload, b.Workload),
		)
	})
	return groups
}

func (e *evaluation) group(list []member, leave bool) Group {
	first, last := list[0], list[len(list)-1]
	name := first.OwnerName()
	g := Group{
		Workload: name, Running: e.before.Running[name], Waiting: e.before.Waiting[name], InSeconds: last.InSeconds, Because: last.Because,
		NewNodes: first.gains, Message: first.Message, IsPending: first.IsPending(), Reason: ptr.Deref(first.verdict, drain.Verdict{}).Why, AreOf: !first.Deleting && !first.IsFinished(),
	}
	for _, m := range list {
		g.Pods, g.Evictions = append(g.Pods, m.Pod.String()), append(g.Evictions, m.Eviction)
		if m.Hangs {
			g.Hanging++
		}
	}
	g.When = eviction.When(g.Evictions...)
	if leave {
		_, g.IsEmptied = slices.BinarySearch(e.Emptied, name)
		e.then(&g, list)
	}
	switch {
	case leave && g.InSeconds == nil:
		g.When = "already being deleted"
	case leave && *g.InSeconds <= 0:
		g.When = "now"
	}
	g.Why = strings.Trim(g.When+": "+eviction.Why(g.Because)+g.Reason, ": ")
	return g
}

// then says what happens to the pods when they leave.
func (e *evaluation) then(g *Group, list []member) {
	first := list[0]
	g.Then = first.Then
	switch {
	case first.IsFinished(), *first.Owner == (cluster.Owner{}), first.IsStatic():
	case strings.HasPrefix(first.Owner.Kind+".", "DaemonSet."): // of any API group
		g.Then = cmp.Or(first.Then, "pods of a DaemonSet do not move to other nodes")
	case !first.Ends:
		g.Then = first.Job + "; " + first.Then
		switch kind := first.Owner.Kind; {
		case first.Hangs && kind == "StatefulSet":
			g.Then = "the StatefulSet makes no new one before the old one is gone; " + first.Then
		case strings.Contains(kind, ".") && kind != "VirtualMachineInstance.kubevirt.io":
			g.Then = "its operator may make a new one; " + first.Then
		}
		for _, m := range list {
			if e.isHomeless(m.Pod) {
				g.Homeless++
			} else if g.Allowed == nil && !m.Again && !m.Pinned && e.after.Maker(m.Pod).Bound == nil {
				keep := slices.Sorted(slices.Values(e.choice(m.Profile).keep)) // this is the order of names
				g.AllAllowed = len(keep)
				g.Allowed = lists.Each(keep[:min(len(keep), 100)], func(i int) string { return e.after.Nodes[i].Name })
			}
		}
	}
	g.Then = strings.Trim(g.Then, "; ")
}

// compareDeadlines compares seconds. None is now.
func compareDeadlines(a, b *int64) int { return cmp.Compare(ptr.Deref(a, 0), ptr.Deref(b, 0)) }
