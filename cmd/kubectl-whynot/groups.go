// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// A nodeGroup is the nodes with the same taints, regardless of order and times.
type nodeGroup struct {
	taints   []taints.Taint // sorted, without TimeAdded
	nodes    []int          // in order of name
	pods     int            // that run there
	rejected int            // pending pods that match a node of the group and do not tolerate its taints
}

// groupNodes groups the nodes, largest group first, and sets each node's group.
func groupNodes(c *cluster) []*nodeGroup {
	byTaints := make(map[string]*nodeGroup)
	var groups []*nodeGroup
	for i := range c.nodes {
		list := normalized(c.nodes[i].taints)
		key := textOf(list)
		g, ok := byTaints[key]
		if !ok {
			g = &nodeGroup{taints: list}
			byTaints[key] = g
			groups = append(groups, g)
		}
		g.nodes = append(g.nodes, i)
		c.nodes[i].group = g
	}
	slices.SortStableFunc(groups, func(a, b *nodeGroup) int { return len(b.nodes) - len(a.nodes) })
	return groups
}

// normalized returns the taints sorted, without times and duplicates.
func normalized(list []taints.Taint) []taints.Taint {
	list = slices.Clone(list)
	for i := range list {
		list[i].TimeAdded = nil
	}
	return distinct(list)
}

// distinctTaints returns the taints of the groups, sorted and without duplicates.
func distinctTaints(groups []*nodeGroup) []taints.Taint {
	var list []taints.Taint
	for _, g := range groups {
		list = append(list, g.taints...)
	}
	return distinct(list)
}

// textOf returns a text that is equal only for equal lists.
func textOf(list []taints.Taint) string {
	var b strings.Builder
	for _, t := range list {
		b.WriteString(t.Key + "\x00" + t.Value + "\x00" + string(t.Effect) + "\x00\n")
	}
	return b.String()
}
