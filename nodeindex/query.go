// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/cowvector"
)

// all returns the groups of all nodes.
func (x *Index[N]) all() cowvector.Vector[members[N]] {
	defer x.lock.RUnlock(x.lock.RLock())
	return x.snapshot()
}

// snapshot is like all, with the lock held. The result is read without the lock.
func (x *Index[N]) snapshot() cowvector.Vector[members[N]] {
	x.version.Add(1)
	return x.members
}

// feasible calls f with each group that has no untolerated taint with an effect
// in the set, until f returns false.
//
//go:noinline
func feasible[N any](
	groups cowvector.Vector[members[N]], m *taints.Matcher, in taints.EffectSet, f func(*members[N]) bool,
) {
	groups.Pages(func(page []members[N]) bool {
		for i := range page {
			g := &page[i]
			if in != 0 {
				if _, found := m.FindUntolerated(g.taints, in); found {
					continue
				}
			}
			if !f(g) {
				return false
			}
		}
		return true
	})
}

// verdicts yields the nodes of each group that has no untolerated taint with an
// effect in the set, with the verdict on all taints of the group.
//
//go:noinline
func verdicts[N any](
	groups cowvector.Vector[members[N]], m *taints.Matcher, in taints.EffectSet,
	yield func(N, taints.Verdict) bool,
) {
	exempt := exempts(m, groups.Len())
	groups.Pages(func(page []members[N]) bool {
		for i := range page {
			g := &page[i]
			var v taints.Verdict
			if !exempt {
				v = m.Filter(g.taints)
				if !v.AllTolerated() && hasAny(v, in) {
					continue
				}
			}
			if node, ok := g.nodes.One(); ok { // usual if nodes have their own taints
				if !yield(node, v) {
					return false
				}
			} else if !g.nodes.Pages(func(nodes []N) bool { return yieldAll(nodes, v, yield) }) {
				return false
			}
		}
		return true
	})
}

// yieldAll yields the nodes with the verdict. It calls no function for each
// node except yield.
func yieldAll[N any](nodes []N, v taints.Verdict, yield func(N, taints.Verdict) bool) bool {
	for _, node := range nodes {
		if !yield(node, v) {
			return false
		}
	}
	return true
}

// hasAny reports whether the verdict counts a taint with an effect in the set.
func hasAny(v taints.Verdict, in taints.EffectSet) bool {
	return v.NoSchedule > 0 && in.Has(taints.NoSchedule) ||
		v.PreferNoSchedule > 0 && in.Has(taints.PreferNoSchedule) ||
		v.NoExecute > 0 && in.Has(taints.NoExecute) ||
		v.Other > 0 && in&unknownEffects != 0
}

// candidates returns groups that include all feasible ones, and the effects of
// the taints to check.
func (x *Index[N]) candidates(
	m *taints.Matcher,
) (groups cowvector.Vector[members[N]], in taints.EffectSet) {
	defer x.lock.RUnlock(x.lock.RLock())
	var buf [8]*class
	classes, ok, exempt := x.groups.search(m, buf[:0])
	switch {
	case exempt:
		return x.snapshot(), 0
	case !ok:
		return x.snapshot(), x.groups.repels
	}
	n := 0
	for _, k := range classes {
		n += len(k.groups)
	}
	if n > x.members.Len()/searchShare {
		return x.snapshot(), x.groups.repels
	}
	if n == 0 {
		return groups, 0
	}
	found := make([]members[N], 0, n)
	for _, k := range classes {
		for _, g := range k.groups {
			found = append(found, x.members.At(g.at))
		}
	}
	x.version.Add(1)
	return cowvector.Of(found), x.groups.repels
}

// A tally holds the parts of a class that CountFeasible needs.
type tally struct {
	taints []taints.Taint
	nodes  int
}

// tallies appends to found the tallies of classes that include all feasible
// ones, or else returns the groups of all nodes. If it finds classes, no update
// has to copy a page because of this query.
func (x *Index[N]) tallies(
	m *taints.Matcher, found []tally,
) (_ []tally, all cowvector.Vector[members[N]], in taints.EffectSet) {
	defer x.lock.RUnlock(x.lock.RLock())
	var buf [8]*class
	classes, ok, exempt := x.groups.search(m, buf[:0])
	switch {
	case exempt:
		return append(found, tally{nodes: len(x.positions.Entries)}), all, 0
	case !ok:
		return found, x.snapshot(), x.groups.repels
	}
	for _, k := range classes {
		found = append(found, tally{k.taints, k.nodes})
	}
	return found, all, x.groups.repels
}
