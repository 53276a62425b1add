// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
)

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
	for _, g := range slices.Concat(lists...) {
		evictions = append(evictions, g.Evictions...)
	}
	return evictions
}

// compareDeadlines compares seconds. None is now.
func compareDeadlines(a, b *int64) int { return cmp.Compare(ptr.Deref(a, 0), ptr.Deref(b, 0)) }

// Why says when and for which taints and tolerations the pods leave or stay.
func (g *Group) Why() string {
	return strings.Trim(g.When+": "+diagnosis.Why(g.Because), ": ")
}
