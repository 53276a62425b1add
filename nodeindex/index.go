// SPDX-License-Identifier: Apache-2.0

// Package nodeindex finds the nodes of a whole cluster that a pod may be placed
// on. It is for authors of schedulers that ask for many pods in turn. To ask about
// a few nodes, a loop with [taints.Matcher.Filter] is enough.
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

// An Index finds the nodes among many that a pod may be placed on. Nodes are
// named by any comparable type, such as a string, a number or a pointer. The zero
// Index is empty and ready to use. An Index must not be copied after first use.
//
// Nodes with the same taints in the same order, whatever their TimeAdded, form a
// group. A query visits groups and not nodes, and only those groups whose taints
// the pod may tolerate: for a pod that tolerates the taint of one tenant, it does
// not visit the groups of 10,000 others. If the pod may tolerate a large part of
// the groups, or has a toleration that matches several keys but not everything, a
// query visits every group once.
//
// These bounds hold for all taints and tolerations, and for every order of calls.
// A query never takes more than a constant times a plain loop over all nodes with
// the same answer: one that calls [taints.Matcher.FindUntolerated] for the
// feasible nodes, and [taints.Matcher.Filter] for verdicts, with names no larger
// than a string. [Index.Set] and [Index.Delete] take time in proportion to the
// taints of the node, and occasionally to what was deleted since the last time, to
// release memory. The memory of an Index is proportional to the number of nodes
// and to the size of all distinct lists of taints.
//
// An Index is safe for concurrent use. A query sees the nodes as they are at one
// moment: when it is called or, if it returns a sequence, whenever a loop over
// that begins. Nothing is locked while taints are matched or the loop body runs.
// So the body may call all methods, Set and Delete included, and may take long;
// the loop continues with the nodes as they were when it began.
//
// An Index holds the names of the nodes and copies of keys, values and effects.
// A name that does not equal itself, such as NaN, is ignored by Set and Delete. A
// name of an interface type that holds a value that is not comparable panics, as
// in a map.
type Index[N comparable] struct {
	// Repels holds the effects of the taints that keep a pod off a node unless
	// it tolerates them. Zero means [taints.Hard]. It must be set before the first
	// call of Set; changes have no effect until the index is empty again.
	Repels taints.EffectSet

	lock      rwlock.Lock
	positions shrink.Map[N, position]
	members   cowvector.Vector[members[N]] // of each group, at group.at
	groups    groupSet
	version   atomic.Uint64 // rises with each query that reads pages without the lock
}

// How it works, and why the bounds hold.
//
// All nodes with the same taints in the same order are a group, as a pod may be
// placed on all of them or on none. So a query can do what the plain loop does,
// but for groups: check the taints of each until the first that is not tolerated.
// That takes no longer than the plain loop, as there are no more groups than
// nodes, and each has the taints of its nodes in the same order.
//
// Usually it is enough to visit a few groups. The groups with the same repelling
// taints in the same order are a class, and each class is filed under the key and
// value of one of these taints, its anchor. A pod that tolerates all taints of a
// class tolerates the one at its anchor. So a search goes through the tolerations
// and finds the anchors that each may tolerate: for Equal by key and value, for
// Exists by key, for Lt and Gt by the order of numbers. Their classes, and the
// class without taints, are all that may be feasible. Any taint of a class could
// be its anchor. A rare one is best, as few pods tolerate it and few classes have
// it, so a new class takes that taint which is the anchor of the fewest classes.
//
// A search may be in vain: there may be a thousand tolerations of one key, or
// nodes with the tolerated taint as their anchor and another taint besides. So a
// search counts its steps before it takes them. It gives up if they are more than
// a fraction of the number of groups, and the query then visits all groups. A
// search matches no taints. Its step is at most a map lookup, with a price such
// that all steps together take less time than the plain loop, which visits every
// node. The taints of a class or group are matched once, after the search. So
// both parts together take at most twice the time of the plain loop.
//
// The list of groups and the lists of their nodes are vectors: trees of pages,
// which are copied before they are written to if a query may still read them. So
// a query that visits all groups copies only the root, and one that has searched
// copies a root for each group that it found. Then it unlocks, matches, and
// yields each node as soon as it is found. A later update copies the pages above
// its nodes and groups, at most once for each query.
//
// A group is found by a text with all fields of its taints. To build the text and
// to look it up takes time in proportion to the list. A new list adds a lookup of
// the key and one of the anchor for each taint, and once a descent of at most 64
// branches to the place of a number. The taints of a group share memory with its
// text except for their keys, which all groups share, and an anchor has a text of
// its own, so nothing outlives the last group that needs it. Maps and lists are
// reallocated when they are three quarters empty, in time proportional to what
// was deleted since they were allocated.

// Set adds the node with the taints to the index, or replaces the taints it had.
// It allocates when a list of taints is new to the index or has keys and values
// of more than about 200 bytes, when the group of nodes with that list grows, and
// when it first updates a page of nodes after a query.
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

// Feasible returns an iterator over the nodes that a pod with m's tolerations may
// be placed on: those without an untolerated taint that repels. The order is
// unspecified, but equal sequences of calls lead to equal orders. A loop may
// allocate a list of groups.
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
		if node, ok := g.nodes.One(); ok { // which is faster
			dst = append(dst, node)
		} else {
			dst = g.nodes.AppendTo(dst)
		}
		return true
	})
	return dst
}

// FeasibleVerdicts is like [Index.Feasible], with the result of [taints.Matcher.Filter]
// for each node, whose PreferNoSchedule is what [taints.NormalizeScores] takes. It calls
// Filter once for a group.
func (x *Index[N]) FeasibleVerdicts(m *taints.Matcher) iter.Seq2[N, taints.Verdict] {
	return func(yield func(N, taints.Verdict) bool) {
		groups, in := x.candidates(m)
		verdicts(groups, m, in, yield)
	}
}

// Verdicts returns an iterator over all nodes, with the result of
// [taints.Matcher.Filter] for each. It calls Filter once for a group. The order is
// unspecified, as for [Index.Feasible].
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

// Groups returns an iterator over the lists of taints that nodes have, once each,
// with the number of nodes that have it, such as for the summaries of package
// explain. The lists have no TimeAdded and must not be written to. The order is
// unspecified, as for [Index.Feasible].
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
