// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/cowvector"
)

// A position is the place of a node: its group and its index among the members.
type position struct {
	group *group
	at    int
}

// Members are the nodes of a group.
type members[N any] struct {
	taints []taints.Taint // of each node; never modified
	nodes  cowvector.Vector[N]
	group  *group
}

// group returns the group of nodes with the n taints of the text. It adds the
// group if it is new.
func (x *Index[N]) group(text []byte, n int) *group {
	if len(x.positions.Entries) == 0 {
		x.groups.repels = cmp.Or(x.Repels, taints.Hard)
	}
	if g := x.groups.find(text); g != nil {
		return g
	}
	g, list := x.groups.add(text, n)
	g.at = x.members.Len()
	x.members.Push(members[N]{taints: list, group: g}, x.version.Load())
	return g
}

// addNode adds the node to the group. The node must not be in the group.
func (x *Index[N]) addNode(node N, to *group) {
	version := x.version.Load()
	nodes := &x.members.Mutable(to.at, version).nodes
	x.positions.Set(node, position{to, nodes.Len()})
	nodes.Push(node, version)
	to.class.nodes++
}

// removeNode removes the node at the position from its group, and the group from the
// index if that was its last node.
func (x *Index[N]) removeNode(p position) {
	version := x.version.Load()
	nodes := &x.members.Mutable(p.group.at, version).nodes
	if last := nodes.Pop(version); p.at < nodes.Len() {
		*nodes.Mutable(p.at, version) = last
		x.positions.Set(last, p)
	}
	p.group.class.nodes--
	if nodes.Len() == 0 {
		x.removeGroup(p.group, version)
	}
}

func (x *Index[N]) removeGroup(g *group, version uint64) {
	list := x.members.At(g.at).taints
	if last := x.members.Pop(version); g.at < x.members.Len() {
		*x.members.Mutable(g.at, version) = last
		last.group.at = g.at
	}
	x.groups.remove(g, list)
}
