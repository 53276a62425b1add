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

// A Group is the pods of a workload for which the same taints and tolerations
// decide.
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
