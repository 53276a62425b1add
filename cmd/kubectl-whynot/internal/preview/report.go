// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

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
	// Brief are nodes that change for seconds only, as Kubernetes undoes all of it.
	// Undone says what it undoes, also on Changed nodes.
	Brief  []string `json:"brieflyChangedNodes"`
	Undone []Undone `json:"undoneByKubernetes"`
	// Leaving are the pods that are evicted, or evicted earlier than without the
	// change. Departing leave with or without it. Spared are those that are no longer
	// evicted. Tolerating are those that tolerate the new NoExecute taints.
	Leaving    []Group `json:"leaving"`
	Departing  []Group `json:"leavingAnyway"`
	Spared     []Group `json:"noLongerEvicted"`
	Tolerating []Group `json:"tolerating"`
	// Of the pods on these nodes, Leave counts those of Leaving, Stay all those that
	// stay, and Anyway those of Departing.
	Leave  int `json:"podsThatLeave"`
	Stay   int `json:"podsThatStay"`
	Anyway int `json:"podsThatLeaveAnyway"`
	// Emptied are the workloads of which no pod stays on a node, due to the change.
	Emptied []string `json:"workloadsWithoutPods"`
	// Placeable are the pending pods that get a first node that taints and node
	// affinity allow, Gaining those that get more of them, and Unplaceable those that
	// lose their last one.
	Placeable   []Group `json:"placeable"`
	Gaining     []Group `json:"moreNodes"`
	Unplaceable []Group `json:"noLongerPlaceable"`
	// Notes say what else is to know.
	Notes []string `json:"notes"`
	// Command does what was requested. Undo makes the nodes as they are now.
	Command      string   `json:"command,omitempty"`
	Undo         []string `json:"undo"`
	NotEvaluated []string `json:"notEvaluated"`

	NodeGroups []*NodeGroup `json:"-"` // of the nodes that change, also briefly
}

// New evaluates the request on a finished cluster. Commands have the connection's flags.
func New(c *cluster.Cluster, r *Request, now time.Time, connection []string) *Report {
	report := &Report{
		Version: "whynot-preview/v1", Now: now.Format(time.RFC3339), Nodes: len(c.Nodes), Pods: len(c.Pods),
		Refused: make(map[string]string), NotEvaluated: diagnosis.NotEvaluated(append(sets.List(c.Unevaluated), "new pods of DaemonSets")...),
	}
	requested := r.run(c, now, report)
	e := &evaluation{Report: report, before: c, now: now, changes: make(map[int][]*cluster.Node), choices: make(map[*cluster.Profile]choice)}
	settled := e.settle(requested)
	e.evictions()
	e.pending()
	e.notes(r)
	e.commands(r, settled, connection)
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

// A Group is pods of a workload for which the same taints and tolerations decide.
type Group struct {
	Workload string   `json:"workload"` // its kind and name, or "Pod" or "static pod" and a name
	Pods     []string `json:"podNames"`
	// Running counts the workload's pods that have a node, and Waiting those that are
	// pending.
	Running int `json:"runningPods"`
	Waiting int `json:"pendingPods"`
	// When says at what time they leave, and InSeconds is the latest deadline. Pods
	// that stay or are pending have none.
	When      string           `json:"when,omitempty"`
	InSeconds *int64           `json:"inSeconds,omitempty"`
	Because   []diagnosis.Pair `json:"because,omitempty"`
	// Homeless counts the pods that leave and that no node would then take and keep, by
	// taints and node affinity. Hanging counts those whose kubelet does not answer:
	// they stay Terminating until it does. Then says what else happens.
	Homeless int    `json:"podsWithoutOtherNode"`
	Hanging  int    `json:"podsThatHang"`
	Then     string `json:"then,omitempty"`
	// NewNodes counts the nodes that pending pods get. Message says why the scheduler
	// has not placed them.
	NewNodes int    `json:"newNodes,omitzero"`
	Message  string `json:"schedulerMessage,omitempty"`

	Evictions []*diagnosis.Eviction `json:"-"` // of the pods, earliest first
	IsPending bool                  `json:"-"`
	IsEmptied bool                  `json:"-"` // the workload is among Emptied
}

// A member is a pod of a group. Its eviction is the one before or after the change.
type member struct {
	*cluster.Pod
	*diagnosis.Eviction
	gains int // the nodes that a pending pod gets
}

// groups groups the pods by what decides and by workload: the earliest first, and
// for each reason the largest. All of them leave, or none.
func (e *evaluation) groups(list []member, leave bool) (groups []Group) {
	slices.SortFunc(list, func(a, b member) int {
		return cmp.Or(compareDeadlines(a.InSeconds, b.InSeconds), cluster.ComparePodNames(a.PodName, b.PodName))
	})
	type key struct {
		why, from, workload, message string
		again, hangs                 bool
		gains                        int
	}
	keyOf := func(m member) key {
		return key{diagnosis.Why(m.Because), string(m.From), m.OwnerName(), m.Message, m.Again, m.Hangs, m.gains}
	}
	for _, members := range cluster.Grouped(list, keyOf) {
		groups = append(groups, e.group(members, leave))
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(
			compareDeadlines(a.InSeconds, b.InSeconds), strings.Compare(a.Why(), b.Why()),
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
		NewNodes: first.gains, Message: first.Message, IsPending: first.IsPending(),
	}
	for _, m := range list {
		g.Pods, g.Evictions = append(g.Pods, m.Pod.String()), append(g.Evictions, m.Eviction)
		if m.Hangs {
			g.Hanging++
		}
	}
	g.When = diagnosis.When(g.Evictions...)
	if leave {
		g.When = whenLeaving(g.Evictions)
		e.then(&g, list)
	}
	return g
}

// whenLeaving says when the pods leave, in the order of their deadlines.
func whenLeaving(list []*diagnosis.Eviction) string {
	switch last := list[len(list)-1]; {
	case last.InSeconds == nil:
		return "already being deleted"
	case *last.InSeconds <= 0:
		return "now"
	}
	return diagnosis.When(list...)
}

// then says what happens to the pods when they leave.
func (e *evaluation) then(g *Group, list []member) {
	switch first := list[0]; {
	case first.Owner == (cluster.Owner{}):
		g.Then = "nothing makes it again"
	case first.IsStatic():
		g.Then = "it keeps running, and only its mirror is deleted and made again"
	case first.Again:
		g.Then = "the DaemonSet makes a new one there, which leaves again"
	case first.Owner.Kind == "DaemonSet":
		g.Then = "pods of a DaemonSet do not move to other nodes"
	default:
		if first.Hangs && first.Owner.Kind == "StatefulSet" {
			g.Then = "the StatefulSet makes no new one before the old one is gone"
		}
		for _, m := range list {
			if e.isHomeless(m) {
				g.Homeless++
			}
		}
	}
}

// A Wave is the groups of pods that leave for the same reason.
type Wave struct {
	Groups    []Group               // those without another node first
	Evictions []*diagnosis.Eviction // of their pods, earliest first
	When      string
}

// Waves returns the waves of groups that leave.
func Waves(groups []Group) (waves []Wave) {
	reason := func(g Group) string { return fmt.Sprintln(diagnosis.Why(g.Because), g.Evictions[0].From) }
	for _, same := range cluster.Grouped(groups, reason) {
		evictions := EvictionsIn(same)
		slices.SortStableFunc(evictions, func(a, b *diagnosis.Eviction) int { return compareDeadlines(a.InSeconds, b.InSeconds) })
		slices.SortStableFunc(same, func(a, b Group) int { return b.Homeless - a.Homeless })
		waves = append(waves, Wave{same, evictions, whenLeaving(evictions)})
	}
	return waves
}

// EvictionsIn returns the evictions of all pods in the groups.
func EvictionsIn(lists ...[]Group) (evictions []*diagnosis.Eviction) {
	for _, list := range lists {
		for i := range list {
			evictions = append(evictions, list[i].Evictions...)
		}
	}
	return evictions
}

// compareDeadlines compares seconds. None is now.
func compareDeadlines(a, b *int64) int { return cmp.Compare(ptr.Deref(a, 0), ptr.Deref(b, 0)) }

// Why says when and for which taints and tolerations the pods leave or stay.
func (g *Group) Why() string {
	return strings.Trim(g.When+": "+diagnosis.Why(g.Because), ": ")
}
