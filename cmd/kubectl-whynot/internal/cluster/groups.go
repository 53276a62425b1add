// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// A Group is the nodes with the same taints, regardless of order and times.
type Group struct {
	Taints   []taints.Taint // sorted, without TimeAdded
	Nodes    []int          // in order of name
	Pods     int            // that run there
	Rejected int            // pending pods that match a node of the group and do not tolerate its taints
}

// GroupNodes groups the nodes, largest group first, and sets each node's group.
func GroupNodes(c *Cluster) []*Group {
	byTaints := make(map[string]*Group)
	var groups []*Group
	for i := range c.Nodes {
		list := normalized(c.Nodes[i].Taints)
		key := TextOf(list)
		g, ok := byTaints[key]
		if !ok {
			g = &Group{Taints: list}
			byTaints[key] = g
			groups = append(groups, g)
		}
		g.Nodes = append(g.Nodes, i)
		c.Nodes[i].Group = g
	}
	slices.SortStableFunc(groups, func(a, b *Group) int { return len(b.Nodes) - len(a.Nodes) })
	return groups
}

// normalized returns the taints sorted, without times and duplicates.
func normalized(list []taints.Taint) []taints.Taint {
	list = slices.Clone(list)
	for i := range list {
		list[i].TimeAdded = nil
	}
	return Distinct(list)
}

// DistinctTaints returns the taints of the groups, sorted and without duplicates.
func DistinctTaints(groups []*Group) []taints.Taint {
	var list []taints.Taint
	for _, g := range groups {
		list = append(list, g.Taints...)
	}
	return Distinct(list)
}

// TextOf returns a text that is equal only for equal lists.
func TextOf(list []taints.Taint) string {
	var b strings.Builder
	for _, t := range list {
		b.WriteString(t.Key + "\x00" + t.Value + "\x00" + string(t.Effect) + "\x00\n")
	}
	return b.String()
}

// Distinct sorts the taints and removes duplicates.
func Distinct(list []taints.Taint) []taints.Taint {
	slices.SortFunc(list, taints.Taint.Compare)
	return slices.Compact(list)
}
