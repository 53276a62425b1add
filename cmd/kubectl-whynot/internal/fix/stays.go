// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// A Stay is taints of a state on some nodes, for which the same is to be done.
type Stay struct {
	purpose.Stay
	known    *purpose.Entry
	at       []int
	nodes    []string
	taints   []taints.Taint
	replaced []taints.Taint // that end with these, and these
	times    []time.Time    // since when, where that is known
	removers []string       // who removes the taints, except of nodes that are deleted
	isSick   bool           // one of the nodes is not healthy
	makers   []string       // Machines and NodeClaims that are deleted, and remove nodes
	keepers  []string       // pods there that ask not to be disrupted
	holdups  []string       // what the makers say of that
	unready  []string       // pods of DaemonSets there, which may be what makes the nodes ready
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
	found := make(map[purpose.Stay]*Stay)
	var stays []*Stay
	for _, i := range slices.Sorted(slices.Values(nodes)) { // this is the order of names
		n := &g.Nodes[i]
		for _, e := range g.endings(i) {
			if n.Deleted == nil && !slices.ContainsFunc(list, e.taint.Equal) {
				continue
			}
			s := found[e.Stay]
			if s == nil {
				s = &Stay{Stay: e.Stay, known: e.known}
				found[e.Stay], stays = s, append(stays, s)
			}
			s.taints, s.replaced = cluster.Distinct(append(s.taints, e.acts)), cluster.Distinct(append(s.replaced, e.taint))
			s.isSick = s.isSick || !n.IsHealthy()
			if by := e.known.Remover(); n.Deleted == nil && !slices.Contains(s.removers, by) {
				s.removers = append(s.removers, by)
			}
			if n.Maker != "" && !slices.Contains(s.makers, n.Maker) {
				s.makers = append(s.makers, n.Maker)
				if n.Holdup != "" {
					s.holdups = append(s.holdups, n.Maker+" says: "+n.Holdup)
				}
			}
			if !slices.Contains(s.nodes[max(len(s.nodes)-1, 0):], n.Name) {
				s.at = append(s.at, i)
				s.nodes, s.keepers = append(s.nodes, n.Name), append(s.keepers, slices.Sorted(slices.Values(g.Keepers[n.Name]))...)
				if e.State == purpose.Starting || e.Startup != "" {
					s.unready = append(s.unready, slices.Sorted(slices.Values(g.Unready[n.Name]))...)
				}
			}
			if !e.since.IsZero() && !e.since.After(g.Now) { // clocks differ
				s.times = append(s.times, e.since)
			}
		}
	}
	slices.SortStableFunc(stays, func(s, t *Stay) int {
		at := func(s *Stay) int { return slices.Index(purpose.All, s.known) }
		return cmp.Or(lists.CompareBools(s.Stale != "", t.Stale != ""), at(s)-at(t))
	})
	return stays
}

// An ending is a taint of a node, and the taint with which it ends, both without times.
type ending struct {
	taint, acts taints.Taint
	purpose.Stay
	known *purpose.Entry // of what acts
	since time.Time
}

func (g *Guide) endings(i int) []ending {
	n, now := &g.Nodes[i], g.Now
	if g.ended[i] == nil {
		g.ended[i] = lists.Each(n.Taints, func(t taints.Taint) ending {
			acts := n.Acting(t, now)
			s, since := n.StayOf(acts, now)
			s.Fault, s.Startup = g.Faults[acts.ID()], g.StartupOf(acts, []int{i})
			if s.Startup != "" && since.IsZero() {
				since = n.CreationTimestamp.Time
			}
			switch {
			case slices.Contains(n.Stale, acts.ID()):
				s = purpose.Stay{ID: acts.ID(), Stale: n.StateFor(acts.ID())}
			case s.Fault+s.Startup != "":
				s.ID, s.IsLate = acts.ID(), s.Startup != "" && !since.IsZero() && now.Sub(since) > time.Hour
			}
			return ending{purpose.WithoutTime(t), purpose.WithoutTime(acts), s, purpose.Known(acts), since}
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
func (x *Pods) NodeSteps(stays []*Stay) []Step {
	part := make(map[string]int) // of the nodes, by name; 0: of none yet
	for i, s := range stays {
		joined := sets.New(lists.Each(s.nodes, func(name string) int { return part[name] })...)
		for name, k := range part {
			if joined.Has(k) {
				part[name] = i + 1
			}
		}
		for _, name := range s.nodes {
			part[name] = i + 1
		}
	}
	related := lists.Grouped(stays, func(s *Stay) int { return part[s.nodes[0]] })
	return OneOf(lists.Each(related, func(set []*Stay) (steps []Step) {
		for _, s := range set {
			own, next := 0, together // own: the steps that a choice takes the place of
			for _, step := range x.StepsFor(s, stays) {
				if text, isChoice := strings.CutPrefix(step.Text, "or, "); isChoice {
					step.Text, step.Relation, step.Replaces, next = text, instead, own, also
				} else if step.Relation = next; next == together {
					own++
				}
				steps = append(steps, step)
			}
		}
		return steps
	})...)
}
