// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/seed-0529bac1/taints/examples/internal/labels"
)

// A share is the part of a group of nodes that a profile selects.
type share struct {
	group *nodeGroup
	nodes []int // not empty, in order of name
}

// A label is a key and value that a node selector asks for.
type label struct{ key, value string }

// String returns key=value.
func (l label) String() string { return l.key + "=" + l.value }

// A chooser finds the nodes that node selectors and required node affinities leave.
type chooser struct {
	cluster *cluster
	groups  []*nodeGroup
	nodes   map[label][]int // in order of name; nil until needed
	all     []share         // of all nodes; nil until needed
}

// choose returns the shares that the profile selects, in order of the groups,
// which nobody may change.
func (c *chooser) choose(p *profile) []share {
	if len(p.selector) == 0 && p.affinity == nil {
		if c.all == nil {
			for _, g := range c.groups {
				c.all = append(c.all, share{g, g.nodes})
			}
		}
		return c.all
	}
	var shares []share
	left := make(map[*nodeGroup][]int)
	for i := range c.candidates(p) {
		if n := &c.cluster.nodes[i]; p.selects(n) {
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

// selected returns how many nodes of each group the profile selects.
func (c *chooser) selected(p *profile) map[*nodeGroup]int {
	nodes := make(map[*nodeGroup]int)
	for _, s := range c.choose(p) {
		nodes[s.group] = len(s.nodes)
	}
	return nodes
}

// selects reports whether the node selector and the required node affinity let
// the pods onto the node.
func (p *profile) selects(n *node) bool {
	return labels.HasAll(n.labels, p.selector) && (p.affinity == nil || p.affinity.Match(n.name, n.labels))
}

// candidates yields, in order of name, few nodes among which are all that the
// profile selects.
func (c *chooser) candidates(p *profile) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		names, isPinned := p.affinity.Names()
		switch {
		case isPinned && p.affinity != nil:
			for _, name := range names {
				if i, ok := c.cluster.nodeAt[name]; ok && !yield(i) {
					return
				}
			}
		case len(p.selector) > 0:
			for _, i := range c.rarest(p.selector) {
				if !yield(i) {
					return
				}
			}
		default:
			for i := range c.cluster.nodes {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// rarest returns the nodes that have one of the labels, the one that the fewest
// nodes have.
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
	for i := range c.cluster.nodes {
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

// absent returns the nodes that the affinity is about, if none of them is in
// the cluster.
func (c *chooser) absent(p *profile) []string {
	names, isPinned := p.affinity.Names()
	for _, name := range names {
		if _, ok := c.cluster.nodeAt[name]; ok {
			return nil
		}
	}
	if !isPinned {
		return nil
	}
	return names
}
