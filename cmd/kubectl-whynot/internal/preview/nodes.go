// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"maps"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// A NodeGroup is nodes with the same taints before the change, and with the same
// after it. Pods counts the pods there, and Leave and Anyway those that leave.
type NodeGroup struct {
	Nodes               []string
	Before, After       []taints.Taint
	Pods, Leave, Anyway int
}

// groupNodes groups the nodes that change, largest group first.
func (e *evaluation) groupNodes() {
	e.nodes = make(map[int]*NodeGroup)
	type key struct{ before, after *cluster.Group }
	groupsOf := func(i int) key { return key{e.before.Nodes[i].Group, e.after.Nodes[i].Group} }
	for _, same := range cluster.Grouped(slices.Sorted(maps.Keys(e.changes)), groupsOf) {
		k := groupsOf(same[0])
		g := &NodeGroup{Before: k.before.Taints, After: k.after.Taints}
		for _, i := range same {
			g.Nodes, e.nodes[i] = append(g.Nodes, e.before.Nodes[i].Name), g
		}
		e.NodeGroups = append(e.NodeGroups, g)
	}
	slices.SortStableFunc(e.NodeGroups, func(a, b *NodeGroup) int { return len(b.Nodes) - len(a.Nodes) })
}

// Stay counts the pods that stay.
func (g *NodeGroup) Stay() int { return g.Pods - g.Leave - g.Anyway }

// IsKept reports whether the nodes have the taint before and after the change.
func (g *NodeGroup) IsKept(t taints.Taint) bool {
	return slices.ContainsFunc(g.Before, t.Equal) && slices.ContainsFunc(g.After, t.Equal)
}

// IsSame reports whether the taints are the same before and after the change.
func (g *NodeGroup) IsSame() bool { return slices.EqualFunc(g.Before, g.After, taints.Taint.Equal) }
