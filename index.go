// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"iter"
	"sync"
	"sync/atomic"
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
// A query takes at most about twice the time of a plain loop over all nodes with
// the same answer, and some tens of nanoseconds: one that calls
// [Matcher.FindUntolerated] for the feasible nodes, and [Matcher.Filter] for
// verdicts, with names no larger than a string. [Index.Summarize] takes at most
// about twice the time of [Matcher.Summarize]. [Index.Set] and [Index.Delete]
// take time in proportion to the taints of the node, and occasionally to what was
// deleted since the last time, to release memory. The memory of an Index is
// proportional to the number of nodes and to the size of all distinct lists of
// taints.
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
	// it tolerates them. Zero means [Hard]. It must be set before the first call
	// of Set; changes have no effect until the index is empty again.
	Repels EffectSet

	mu      sync.RWMutex
	places  table[N, place]
	members vector[members[N]] // of each group, at group.at
	groups  groupSet
	version atomic.Uint64 // rises with each query that reads pages without the lock
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
func (x *Index[N]) Set(node N, taints []Taint) {
	if node != node {
		return
	}
	var buf [256]byte
	text := appendText(buf[:0], taints)
	x.mu.Lock()
	defer x.mu.Unlock()
	old, known := x.places.entries[node]
	to := x.group(text, len(taints))
	if known && old.group == to {
		return
	}
	x.add(node, to)
	if known {
		x.remove(old)
	}
}

// Delete removes the node and reports whether it was in the index.
func (x *Index[N]) Delete(node N) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	old, known := x.places.entries[node]
	if known {
		x.places.delete(node)
		x.remove(old)
	}
	return known
}

// Len returns the number of nodes.
func (x *Index[N]) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.places.entries)
}

// Feasible returns an iterator over the nodes that a pod with m's tolerations may
// be placed on: those without an untolerated taint that repels. The order is
// unspecified, but equal sequences of calls lead to equal orders. A loop may
// allocate a list of groups.
func (x *Index[N]) Feasible(m *Matcher) iter.Seq[N] {
	return func(yield func(N) bool) {
		x.feasible(m, func(g *members[N]) bool { return g.nodes.each(yield) })
	}
}

// AppendFeasible appends the nodes of [Index.Feasible] to dst and returns the
// extended slice. It is faster than a loop, as it copies many nodes at a time.
func (x *Index[N]) AppendFeasible(dst []N, m *Matcher) []N {
	x.feasible(m, func(g *members[N]) bool {
		dst = g.nodes.appendTo(dst)
		return true
	})
	return dst
}

// FeasibleVerdicts is like [Index.Feasible], with the result of [Matcher.Filter]
// for each node, whose PreferNoSchedule is what [NormalizeScores] takes. It calls
// Filter once for a group.
func (x *Index[N]) FeasibleVerdicts(m *Matcher) iter.Seq2[N, Verdict] {
	return func(yield func(N, Verdict) bool) {
		groups, in := x.candidates(m)
		verdicts(groups, m, in, yield)
	}
}

// Verdicts returns an iterator over all nodes, with the result of
// [Matcher.Filter] for each. It calls Filter once for a group. The order is
// unspecified, as for [Index.Feasible].
func (x *Index[N]) Verdicts(m *Matcher) iter.Seq2[N, Verdict] {
	return func(yield func(N, Verdict) bool) {
		groups, _ := x.all()
		verdicts(groups, m, 0, yield)
	}
}

// CountFeasible returns the number of nodes of [Index.Feasible]. It may allocate a
// list of groups.
func (x *Index[N]) CountFeasible(m *Matcher) int {
	var buf [8]tally
	tallies, groups, in := x.tallies(m, buf[:0])
	n := 0
	for i := range tallies {
		if t := &tallies[i]; m.nextUntolerated(t.taints, in, 0) < 0 {
			n += t.nodes
		}
	}
	feasible(groups, m, in, func(g *members[N]) bool {
		n += g.nodes.len
		return true
	})
	return n
}

// Summarize is like [Matcher.Summarize] for all nodes of the index, for the
// taints that repel. It visits every group once.
func (x *Index[N]) Summarize(m *Matcher) Summary {
	groups, repels := x.all()
	tolerations, options := m.list()
	s := summarizer{options: options, tolerations: tolerations, in: repels}
	groups.pages(func(page []members[N]) bool {
		for i := range page {
			s.add(page[i].taints, page[i].nodes.len)
		}
		return true
	})
	return s.summary()
}
