// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
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

	isPending bool
	isEmptied bool // the workload is among Emptied
	members   []member
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
	type key struct {
		why, from              string
		workload, message      string
		again, hangs, deleting bool
		gains                  int
	}
	keyOf := func(m member) key {
		k := key{diagnosis.Why(m.Because), string(m.From), m.OwnerName(), m.Message, m.Again, m.Hangs, m.Deleting, 0}
		if m.IsPending() {
			k.gains = e.choice(m.Profile).gains
		}
		return k
	}
	for _, members := range cluster.Grouped(list, keyOf) {
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
	first, last := list[0], list[len(list)-1].Eviction
	name := first.OwnerName()
	g := Group{
		Workload: name, Running: e.before.Running[name], Waiting: e.before.Waiting[name], InSeconds: last.InSeconds, Because: last.Because,
		isPending: first.IsPending(), members: list,
	}
	var evictions []*diagnosis.Eviction
	for _, m := range list {
		g.Pods, evictions = append(g.Pods, m.Pod.String()), append(evictions, m.Eviction)
		if m.Hangs {
			g.Hanging++
		}
	}
	switch {
	case g.isPending:
		g.NewNodes, g.Message = e.choice(first.Profile).gains, first.Message
	case first.Deleting:
		g.When, g.InSeconds, g.Because = "already being deleted", nil, nil
	case g.InSeconds != nil:
		g.When = diagnosis.When(evictions...)
	}
	if leave {
		e.then(&g, list)
	}
	return g
}

// then says what happens to the pods when they leave.
func (e *evaluation) then(g *Group, list []member) {
	if g.InSeconds != nil && *g.InSeconds <= 0 {
		g.When = "now"
	}
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
	Groups         []Group // those without another node first
	Pods, Homeless int
	When           string
	Spans          []diagnosis.Span
}

// Waves returns the waves of groups that leave.
func Waves(groups []Group) []Wave {
	var waves []Wave
	reason := func(g Group) string { return fmt.Sprintln(diagnosis.Why(g.Because), g.members[0].From) }
	for _, same := range cluster.Grouped(groups, reason) {
		w, evictions := Wave{Groups: same}, []*diagnosis.Eviction{}
		for _, g := range same {
			w.Pods, w.Homeless = w.Pods+len(g.Pods), w.Homeless+g.Homeless
			for _, m := range g.members {
				if s, ok := m.Span(); ok {
					w.Spans, evictions = append(w.Spans, s), append(evictions, m.Eviction)
				}
			}
		}
		slices.SortStableFunc(same, func(a, b Group) int { return b.Homeless - a.Homeless })
		slices.SortStableFunc(evictions, func(a, b *diagnosis.Eviction) int { return cmp.Compare(*a.InSeconds, *b.InSeconds) })
		w.When = same[0].When
		if n := len(evictions); n > 0 && *evictions[n-1].InSeconds > 0 { // else now
			w.When = diagnosis.When(evictions...)
		}
		waves = append(waves, w)
	}
	return waves
}

// Why names the taints and tolerations.
func (w Wave) Why() string { return diagnosis.Why(w.Groups[0].Because) }

// Lines names the pods, with their nodes and when they leave.
func (g *Group) Lines() []string {
	return say.Each(g.members, func(m member) string {
		text := m.Pod.String()
		if m.Pod.Node != "" {
			text += " on node " + m.Pod.Node
		}
		if g.InSeconds != nil {
			text += ", " + diagnosis.When(m.Eviction)
		}
		return text
	})
}

// Why says when and for which taints and tolerations the pods leave or stay.
func (g *Group) Why() string {
	return strings.Trim(g.When+": "+diagnosis.Why(g.Because), ": ")
}

// Text counts the pods and says what happens afterwards.
func (g *Group) Text() string {
	n := len(g.Pods)
	text := say.Count(n, "pod")
	switch {
	case g.isPending:
		text = say.Count(n, "pending pod")
	case n < g.Running:
		text = fmt.Sprintf("%d of %d pods on nodes", n, g.Running)
	}
	words := []string{g.Workload + ": " + text}
	add := func(n int, one, many string) {
		if n > 0 {
			words = append(words, say.CountOf(n, one, many))
		}
	}
	if g.isPending {
		add(g.NewNodes, "more node is allowed", "more nodes are allowed")
		add(g.Running, "other has a node", "others have a node")
	} else {
		add(g.Waiting, "more is pending", "more are pending")
	}
	if g.isEmptied {
		words = append(words, "none is left on a node")
	}
	if g.Then != "" {
		words = append(words, g.Then)
	}
	if g.Homeless > 0 {
		words = append(words, fmt.Sprintf("taints and node affinity allow no other node for %d", g.Homeless))
	}
	if g.Message != "" {
		words = append(words, "the scheduler's message: "+say.Shortened(g.Message))
	}
	return strings.Join(words, "; ") + diagnosis.Afterwards(g.Hanging > 0, false)
}
