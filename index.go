package taints

import (
	"iter"
	"slices"
	"sync"
	"sync/atomic"
)

// An Index answers for many nodes at once which of them a pod may be placed on.
// Nodes are named by any comparable type: a string, a number, a pointer. The zero
// Index is empty and ready to use. It must not be copied once it is in use.
//
// Nodes with the same taints in the same order form one group; TimeAdded makes no
// difference. A query looks at the groups whose taints the pod may tolerate, and
// not at single nodes: a pod that tolerates the taint of one tenant does not look
// at the groups of 10,000 others. Where the pod may tolerate a large part of the
// groups, or has tolerations of more than one key that do not tolerate everything,
// a query looks at each group once.
//
// These bounds hold for all taints and tolerations, in whatever order they come. A
// query takes at most twice the time of [Matcher.FindUntolerated] in a loop over all
// nodes. [Index.Set] and [Index.Delete] take time in proportion to the taints of the
// node, and now and then to what has been deleted since the last time, to give its
// memory back. Memory is in proportion to the nodes and to the distinct lists of
// taints with their texts.
//
// All methods may be called from several goroutines at once. A query sees the nodes
// as they are at one moment: when the call is made, or, if it returns a sequence,
// when a loop over it begins, anew for each loop. Nothing is locked while the loop
// body runs, so it may call every method, Set and Delete included, and may take its
// time; the loop goes on with the nodes as they were when it began. Nothing is
// locked while taints are matched either.
//
// The index keeps the names of nodes and copies of keys, values and effects; it keeps
// no list that it is given. A name that does not equal itself, such as a NaN, is no
// node: Set and Delete do nothing with it. A name of an interface type that holds a
// value that cannot be compared panics, as in a map.
type Index[N comparable] struct {
	// Repels holds the effects of the taints that keep a pod off a node unless it
	// tolerates them. Zero means [Hard]. It is to be set before the first Set; it
	// counts from then on until the index is empty again.
	Repels EffectSet

	mu      sync.RWMutex
	places  table[N, place]
	members vector[members[N]] // of each group, at group.at
	groups  groupSet
	version atomic.Uint64 // changes with each query that keeps pages beyond the lock
}

// How it works, and why the bounds hold.
//
// All nodes with the same taints in the same order are one group, for a pod may be
// placed on all of them or on none. So a query can do what the plain loop does, for
// groups in place of nodes: look at the taints of each until the first that is not
// tolerated. That takes no longer than the plain loop, for there are no more groups
// than nodes, and the taints of a group are those of its nodes in the same order.
//
// Mostly it is enough to look at few groups. The groups with the same taints that
// repel, in the same order, are a class, and each class is filed under the key and
// the value of one of these taints, its anchor. A pod that tolerates all taints of
// a class tolerates the one at its anchor. So a search goes through the tolerations,
// finds the anchors that each may tolerate (for Equal by key and value, for Exists
// by key, for Lt and Gt by the order of numbers), and has all classes that may be
// feasible, together with the class that has no taints. Any taint of a class will do
// as its anchor. The best is a rare one, which few pods tolerate and few classes
// have: a new class takes that of its taints which is the anchor of the fewest.
//
// A search may be in vain: there may be a thousand tolerations of one key, or nodes
// that have the tolerated taint as their anchor and another taint beside it. So a
// search counts its steps, before it takes them, and gives up where they are more
// than a fraction of the number of groups; the query then looks at all groups. A
// search matches no taints, and its step is a map look-up or less, priced so that all
// steps together take less time than the plain loop, which goes to each node at
// least. The taints of a class or group are matched once, after the search. So both
// parts together take at most twice the time of the plain loop.
//
// The list of groups and the lists of their nodes are vectors: trees of pages, which
// are copied before they are written to if a query may still read them. So a query
// that looks at all groups copies nothing but the root, however many groups there are,
// and one that has searched copies as many roots as it found groups. Then it unlocks,
// matches, and yields each node as soon as it is found. An update that follows copies
// the pages on the way to its nodes and groups, at most once for each query.
//
// A group is found by a text that has all fields of its taints. To make the text and
// to find it takes time in proportion to the list. A new list adds, for each taint, a
// look-up of its key and one of its anchor, and once a way of at most 64 branches
// to the place of a number. The taints of a group are parts of its text except for
// the keys, which all groups share, and an anchor has a text of its own, so nothing
// outlives the last group that needs it. Maps and lists move to a smaller place when
// three quarters of them are gone. The time that takes is in proportion to what was
// deleted since they were made.

// Set gives the node the taints, in place of those it had, if any. It allocates
// when the taints, or this number of nodes with them, are new to the index, and in
// the first update of a page of nodes after a query.
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

// Delete takes the node out of the index and reports whether it was there.
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

// Feasible yields the nodes onto which a pod with the compiled tolerations may be
// placed: those without an untolerated taint of an effect that repels. They come in
// no order that means anything; the same calls lead to the same order.
func (x *Index[N]) Feasible(m *Matcher) iter.Seq[N] {
	return func(yield func(N) bool) {
		x.feasible(m, func(g *members[N]) bool { return g.nodes.each(yield) })
	}
}

// AppendFeasible appends the nodes that [Index.Feasible] yields to dst. It is
// faster than a loop, for it copies many nodes at a time.
func (x *Index[N]) AppendFeasible(dst []N, m *Matcher) []N {
	x.feasible(m, func(g *members[N]) bool {
		dst = g.nodes.appendTo(slices.Grow(dst, g.nodes.len))
		return true
	})
	return dst
}

// FeasibleVerdicts yields the nodes that [Index.Feasible] yields with what
// [Matcher.Filter] says of their taints, so that those with PreferNoSchedule taints
// can be scored. Filter runs once for a group.
func (x *Index[N]) FeasibleVerdicts(m *Matcher) iter.Seq2[N, Verdict] {
	return func(yield func(N, Verdict) bool) {
		x.feasible(m, func(g *members[N]) bool { return g.verdicts(m, yield) })
	}
}

// Verdicts yields every node with what [Matcher.Filter] says of its taints. Filter
// runs once for a group. The order of the nodes is as for [Index.Feasible].
func (x *Index[N]) Verdicts(m *Matcher) iter.Seq2[N, Verdict] {
	return func(yield func(N, Verdict) bool) {
		groups, _ := x.all()
		groups.pages(func(page []members[N]) bool {
			for i := range page {
				if !page[i].verdicts(m, yield) {
					return false
				}
			}
			return true
		})
	}
}

// CountFeasible returns how many nodes [Index.Feasible] yields.
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

// Summarize says over all nodes why the pod cannot be placed on them, as
// [Matcher.Summarize] does, for the effects that repel. It looks at each group once.
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
