// SPDX-License-Identifier: Apache-2.0

package taints

import "cmp"

// A place is where a node is: in a group, at an index of its members.
type place struct {
	group *group
	at    int
}

// Members are the nodes of a group.
type members[N any] struct {
	taints []Taint // of each node; never modified
	nodes  vector[N]
	group  *group
}

// group returns the group of nodes with the n taints of the text. It adds the
// group if it is new.
func (x *Index[N]) group(text []byte, n int) *group {
	if len(x.places.entries) == 0 {
		x.groups.repels = cmp.Or(x.Repels, Hard)
	}
	if g := x.groups.find(text); g != nil {
		return g
	}
	g, taints := x.groups.add(text, n)
	g.at = x.members.len
	x.members.push(members[N]{taints: taints, group: g}, x.version.Load())
	return g
}

// add adds the node to the group. The node must not be in the group.
func (x *Index[N]) add(node N, to *group) {
	version := x.version.Load()
	nodes := &x.members.mutable(to.at, version).nodes
	x.places.set(node, place{to, nodes.len})
	nodes.push(node, version)
	to.class.nodes++
}

// remove removes the node at the place from its group, and the group from the
// index if that was its last node.
func (x *Index[N]) remove(p place) {
	version := x.version.Load()
	nodes := &x.members.mutable(p.group.at, version).nodes
	if last := nodes.pop(version); p.at < nodes.len {
		*nodes.mutable(p.at, version) = last
		x.places.set(last, p)
	}
	p.group.class.nodes--
	if nodes.len == 0 {
		x.removeGroup(p.group, version)
	}
}

func (x *Index[N]) removeGroup(g *group, version uint64) {
	taints := x.members.at(g.at).taints
	if last := x.members.pop(version); g.at < x.members.len {
		*x.members.mutable(g.at, version) = last
		last.group.at = g.at
	}
	x.groups.remove(g, taints)
}

// all returns the groups of all nodes, and the effects that repel.
func (x *Index[N]) all() (groups vector[members[N]], repels EffectSet) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	x.version.Add(1)
	return x.members, x.groups.repels
}

// feasible calls f with each group that is feasible until f returns false.
func (x *Index[N]) feasible(m *Matcher, f func(*members[N]) bool) {
	groups, in := x.candidates(m)
	feasible(groups, m, in, f)
}

// feasible calls f with each of the groups that has no untolerated taint with an
// effect in the set, until f returns false.
func feasible[N any](
	groups vector[members[N]], m *Matcher, in EffectSet, f func(*members[N]) bool,
) {
	groups.pages(func(page []members[N]) bool {
		for i := range page {
			if g := &page[i]; (in == 0 || m.nextUntolerated(g.taints, in, 0) < 0) && !f(g) {
				return false
			}
		}
		return true
	})
}

// verdicts yields the nodes of each of the groups that has no untolerated taint
// with an effect in the set, with the verdict on all their taints.
func verdicts[N any](
	groups vector[members[N]], m *Matcher, in EffectSet, yield func(N, Verdict) bool,
) {
	groups.pages(func(page []members[N]) bool {
		for i := range page {
			v := m.Filter(page[i].taints)
			if !v.any(in) && !page[i].nodes.each(func(node N) bool { return yield(node, v) }) {
				return false
			}
		}
		return true
	})
}

// candidates returns groups, all feasible ones among them, and the effects of the
// taints that decide.
func (x *Index[N]) candidates(m *Matcher) (groups vector[members[N]], in EffectSet) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	x.version.Add(1)
	in = m.toLookAt(x.groups.repels)
	if in == 0 {
		return x.members, in
	}
	var buf [8]*class
	classes, ok := x.groups.search(m, buf[:0])
	if !ok {
		return x.members, in
	}
	n := 0
	for _, k := range classes {
		n += len(k.groups)
	}
	if n > x.members.len/searchShare {
		return x.members, in
	}
	found := make([]members[N], 0, n)
	for _, k := range classes {
		for _, g := range k.groups {
			found = append(found, x.members.at(g.at))
		}
	}
	return vectorOf(found), in
}

// A tally holds what CountFeasible needs of a class.
type tally struct {
	taints []Taint
	nodes  int
}

// tallies appends to found the tallies of classes, all feasible ones among them,
// or else returns the groups of all nodes. If it finds classes, no update has to
// copy a page for it.
func (x *Index[N]) tallies(
	m *Matcher, found []tally,
) (_ []tally, all vector[members[N]], in EffectSet) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	in = m.toLookAt(x.groups.repels)
	if in == 0 {
		return append(found, tally{nodes: len(x.places.entries)}), all, in
	}
	var buf [8]*class
	classes, ok := x.groups.search(m, buf[:0])
	if !ok {
		x.version.Add(1)
		return found, x.members, in
	}
	for _, k := range classes {
		found = append(found, tally{k.taints, k.nodes})
	}
	return found, all, in
}
