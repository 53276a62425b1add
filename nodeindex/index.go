// SPDX-License-Identifier: Apache-2.0

// Package nodeindex finds the nodes of a whole cluster that a pod may be placed
// on. It is for authors of schedulers that query the same nodes for many pods.
// For a few nodes, a loop with [taints.Matcher.Filter] is enough.
//
//	var nodes nodeindex.Index[string]
//	nodes.Set("node-1", node1.Taints) // whenever a node changes
//
//	m := taints.Compile(pod.Tolerations)
//	for name := range nodes.Feasible(m) {
//		...
//	}
package nodeindex

import (
	"iter"
	"sync/atomic"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/cowvector"
	"github.com/seed-0529bac1/taints/internal/rwlock"
	"github.com/seed-0529bac1/taints/internal/shrink"
)

// An Index finds the nodes that a pod may be placed on, among many. Node names
// may have any comparable type, such as a string, a number or a pointer. The zero
// Index is empty and ready to use. An Index must not be copied after first use.
//
// Nodes with the same taints in the same order form a group; TimeAdded is
// ignored. A query visits groups instead of nodes, and only the groups whose
// taints the pod may tolerate. For a pod that tolerates the taint of one
// tenant, it does not visit the groups of 10,000 others. A query visits every
// group once if the pod may tolerate a large part of the groups, or if it has a
// toleration that matches several keys but not everything.
//
// These bounds hold for all taints and tolerations, and for every order of calls.
// A query never takes more time than a constant times a plain loop over all nodes
// with the same result. The loop calls [taints.Matcher.FindUntolerated] for the
// feasible nodes, or [taints.Matcher.Filter] for verdicts. The names must be no
// larger than a string. [Index.Set] and [Index.Delete] take time proportional to
// the taints of the node, and occasionally to what was deleted since the last
// time, to release memory. The memory of an Index is proportional to the number
// of nodes and to the size of all distinct lists of taints.
//
// An Index is safe for concurrent use. A query sees the nodes at a single
// moment: when it is called or, if it returns a sequence, when each loop over
// the sequence begins. No lock is held while taints are matched or the loop
// body runs. So the body may call all methods, including Set and Delete, and
// may take long; the loop continues with the nodes as they were when it began.
//
// An Index holds the names of the nodes and copies of keys, values and effects.
// Set and Delete ignore a name that does not equal itself, such as NaN. As in a
// map, a name of an interface type panics if its value is not comparable.
type Index[N comparable] struct {
	// Repels is the set of effects whose taints keep a pod off a node unless it
	// tolerates them. Zero means [taints.Hard]. It must be set before the first
	// call of Set; changes have no effect until the index is empty again.
	Repels taints.EffectSet

	lock      rwlock.Lock
	positions shrink.Map[N, position]
	members   cowvector.Vector[members[N]] // of each group, at group.at
	groups    groupSet
	version   atomic.Uint64 // incremented by each query that reads pages without the lock
}

// How it works, and why the bounds hold.
//
// Nodes with the same taints in the same order form a group, because a pod may
// be placed on all of them or on none. So a query can run the plain loop over
// groups: for each group, it checks the taints until the first untolerated one.
// That takes no longer than the plain loop, because there are no more groups
// than nodes, and each has the taints of its nodes in the same order.
//
// Usually it is enough to visit a few groups. Groups with the same repelling
// taints in the same order form a class. Each class is filed under the key and
// value of one of these taints, its anchor. A pod that tolerates all taints of
// a class tolerates the taint at its anchor. So a search finds the anchors that
// each toleration may tolerate: for Equal by key and value, for Exists by key,
// for Lt and Gt by the order of numbers. Only their classes, and the class
// without taints, may be feasible. Any taint of a class could be its anchor. A
// rare taint is best, because few pods tolerate it and few classes have it. So
// a new class uses the taint that is the anchor of the fewest classes.
//
// A search may not pay off: a pod may have a thousand tolerations of one key,
// or nodes may have another taint in addition to the tolerated one at their
// anchor. So a search counts its steps before it takes them. It gives up if
// they exceed a fraction of the number of groups, and the query then visits all
// groups. A search matches no taints. A step is at most a map lookup, and is
// priced so that all steps together take less time than the plain loop, which
// visits every node. The taints of a class or group are matched once, after the
// search. So both parts together take at most twice the time of the plain loop.
//
// The list of groups and the lists of their nodes are vectors: trees of pages. A
// page is copied before it is modified if a query may still read it. So a query
// that visits all groups copies only the root, and a query that has searched
// copies a root for each group that it found. The query then releases the lock,
// matches, and yields each node as soon as it is found. A later update copies
// the pages above its nodes and groups, at most once for each query.
//
// A group is found by a text that contains all fields of its taints. Building
// the text and looking it up takes time proportional to the list. A new list
// also takes a lookup of the key and one of the anchor for each taint, and once
// a descent of at most 64 branches to the place of a number. The taints of a
// group share memory with its text, except for their keys, which all groups
// share. An anchor has its own text. So nothing outlives the last group that
// needs it. Maps and lists are reallocated when they are three quarters empty,
// in time proportional to what was deleted since they were allocated.

// Set adds the node with the taints to the index, or replaces the taints of a
// node in the index. It allocates when a list of taints is new to the index or
// has keys and values of more than about 200 bytes, when the group of nodes with
// that list grows, and when it first updates a page of nodes after a query.
func (x *Index[N]) Set(node N, list []taints.Taint) {
	if node != node {
		return
	}
	var buf [256]byte
	text := appendText(buf[:0], list)
	x.lock.Lock()
	defer x.lock.Unlock()
	old, present := x.positions.Entries[node]
	to := x.group(text, len(list))
	if present && old.group == to {
		return
	}
	x.addNode(node, to)
	if present {
		x.removeNode(old)
	}
}

// Delete removes the node and reports whether it was in the index.
func (x *Index[N]) Delete(node N) bool {
	x.lock.Lock()
	defer x.lock.Unlock()
	old, present := x.positions.Entries[node]
	if present {
		x.positions.Delete(node)
		x.removeNode(old)
	}
	return present
}

// Len returns the number of nodes.
func (x *Index[N]) Len() int {
	defer x.lock.RUnlock(x.lock.RLock())
	return len(x.positions.Entries)
}

// Feasible returns an iterator over the nodes that a pod with m's tolerations
// may be placed on: the nodes without an untolerated taint that repels. The
// order is unspecified, but equal sequences of calls lead to equal orders. A
// loop may allocate a list of groups.
func (x *Index[N]) Feasible(m *taints.Matcher) iter.Seq[N] {
	return func(yield func(N) bool) {
		groups, in := x.candidates(m)
		feasible(groups, m, in, func(g *members[N]) bool { return g.nodes.Each(yield) })
	}
}

// AppendFeasible appends the nodes of [Index.Feasible] to dst and returns the
// extended slice. It is faster than a loop, as it copies many nodes at a time.
func (x *Index[N]) AppendFeasible(dst []N, m *taints.Matcher) []N {
	groups, in := x.candidates(m)
	feasible(groups, m, in, func(g *members[N]) bool {
		if node, ok := g.nodes.One(); ok { // faster than AppendTo
			dst = append(dst, node)
		} else {
			dst = g.nodes.AppendTo(dst)
		}
		return true
	})
	return dst
}

// FeasibleVerdicts is like [Index.Feasible], but also yields the result of
// [taints.Matcher.Filter] for each node. The counts in its PreferNoSchedule are
// the input of [taints.NormalizeScores]. It calls Filter once for each group.
func (x *Index[N]) FeasibleVerdicts(m *taints.Matcher) iter.Seq2[N, taints.Verdict] {
	return func(yield func(N, taints.Verdict) bool) {
		groups, in := x.candidates(m)
		verdicts(groups, m, in, yield)
	}
}

// Verdicts returns an iterator over all nodes, with the result of
// [taints.Matcher.Filter] for each. It calls Filter once for each group. The
// order is unspecified, as for [Index.Feasible].
func (x *Index[N]) Verdicts(m *taints.Matcher) iter.Seq2[N, taints.Verdict] {
	return func(yield func(N, taints.Verdict) bool) {
		verdicts(x.all(), m, 0, yield)
	}
}

// CountFeasible returns the number of nodes of [Index.Feasible]. It may allocate a
// list of groups.
func (x *Index[N]) CountFeasible(m *taints.Matcher) int {
	var buf [8]tally
	tallies, groups, in := x.tallies(m, buf[:0])
	n := 0
	for i := range tallies {
		t := &tallies[i]
		if _, found := m.FindUntolerated(t.taints, in); !found {
			n += t.nodes
		}
	}
	feasible(groups, m, in, func(g *members[N]) bool {
		n += g.nodes.Len()
		return true
	})
	return n
}

// Groups returns an iterator over the distinct lists of taints of the nodes,
// each with the number of nodes that have it, for example for the summaries of
// package explain. The lists have no TimeAdded and must not be modified. The
// order is unspecified, as for [Index.Feasible].
func (x *Index[N]) Groups() iter.Seq2[[]taints.Taint, int] {
	return func(yield func([]taints.Taint, int) bool) {
		groups := x.all()
		groups.Pages(func(page []members[N]) bool {
			for i := range page {
				if !yield(page[i].taints, page[i].nodes.Len()) {
					return false
				}
			}
			return true
		})
	}
}
