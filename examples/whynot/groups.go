package main

import (
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// A nodeGroup is the nodes that have the same taints; order and timeAdded do not count.
type nodeGroup struct {
	taints []taints.Taint // sorted, without TimeAdded
	nodes  []int          // in order of name
	pods   int            // that run there
	keeps  int            // pending pods that select a node of the group and do not tolerate its taints
}

// groupNodes groups the nodes, the largest group first, and tells each node its group.
func groupNodes(c *cluster) []*nodeGroup {
	byTaints := make(map[string]*nodeGroup)
	var groups []*nodeGroup
	for _, i := range c.nodesByName() {
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

// nodesByName returns the indexes of the nodes in order of their names.
func (c *cluster) nodesByName() []int {
	order := make([]int, len(c.nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(c.nodes[a].name, c.nodes[b].name) })
	return order
}

// normalized returns the taints without times and repetitions, in order.
func normalized(list []taints.Taint) []taints.Taint {
	list = slices.Clone(list)
	for i := range list {
		list[i].TimeAdded = nil
	}
	slices.SortFunc(list, taints.Taint.Compare)
	return slices.Compact(list)
}

// textOf returns a text that is equal for equal lists only.
func textOf(list []taints.Taint) string {
	var b strings.Builder
	for _, t := range list {
		b.WriteString(t.Key + "\x00" + t.Value + "\x00" + string(t.Effect) + "\x00\n")
	}
	return b.String()
}

// A share is the part of a group that a node selector leaves.
type share struct {
	group *nodeGroup
	nodes []int // not empty, in order of name
}

// A label is a key and value that a node selector asks for.
type label struct{ key, value string }

func (l label) String() string { return l.key + "=" + l.value }

// A chooser finds the nodes that node selectors leave.
type chooser struct {
	cluster *cluster
	groups  []*nodeGroup
	nodes   map[label][]int // in order of name; nil until needed
}

// choose returns the shares that the selector leaves, in order of the groups.
func (c *chooser) choose(selector map[string]string) []share {
	var shares []share
	if len(selector) == 0 {
		for _, g := range c.groups {
			shares = append(shares, share{g, g.nodes})
		}
		return shares
	}
	left := make(map[*nodeGroup][]int)
	for _, i := range c.rarest(selector) {
		n := &c.cluster.nodes[i]
		if hasLabels(n.labels, selector) {
			left[n.group] = append(left[n.group], i)
		}
	}
	for _, g := range c.groups {
		if nodes := left[g]; len(nodes) > 0 {
			shares = append(shares, share{g, nodes})
		}
	}
	return shares
}

// rarest returns the nodes that have one of the labels, the one that the fewest nodes have.
func (c *chooser) rarest(selector map[string]string) []int {
	c.index()
	var fewest []int
	first := true
	for key, value := range selector {
		if nodes := c.nodes[label{key, value}]; first || len(nodes) < len(fewest) {
			fewest, first = nodes, false
		}
	}
	return fewest
}

func (c *chooser) index() {
	if c.nodes != nil {
		return
	}
	c.nodes = make(map[label][]int)
	for _, i := range c.cluster.nodesByName() {
		for key, value := range c.cluster.nodes[i].labels {
			c.nodes[label{key, value}] = append(c.nodes[label{key, value}], i)
		}
	}
}

// missing returns, in order, the labels of the selector that no node has.
func (c *chooser) missing(selector map[string]string) []string {
	c.index()
	list := []string{}
	for key, value := range selector {
		if l := (label{key, value}); len(c.nodes[l]) == 0 {
			list = append(list, l.String())
		}
	}
	slices.Sort(list)
	return list
}

func hasLabels(labels, selector map[string]string) bool {
	for key, value := range selector {
		if v, ok := labels[key]; !ok || v != value {
			return false
		}
	}
	return true
}
