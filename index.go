package taints

import (
	"iter"
	"slices"
	"sync"
	"sync/atomic"
)

// An Index answers for many nodes at once onto which of them a pod may be placed.
// Nodes are named by any comparable type: a string, a number, a pointer. The zero
// Index is empty and ready to use. It must not be copied once it is in use.
//
// Nodes with the same taints in the same order form one group; TimeAdded makes no
// difference. What a query costs follows the groups whose taints the pod may
// tolerate, not the nodes: a pod that tolerates the taint of one tenant does not
// look at the groups of 10,000 others. Where it may tolerate a large part of them,
// and for tolerations of more than one key ([Options]) unless they tolerate
// everything, a query looks at each group once. So it never takes more than twice
// what [Matcher.FindUntolerated] takes in a loop over all nodes, whatever the taints
// and tolerations are and in whatever order they come. [Index.Set] and
// [Index.Delete] take time in proportion to the node's taints, and now and then, to
// give memory back, in proportion to what has been deleted. Memory grows with the
// nodes and with the text of the distinct lists of taints.
//
// All methods may be called from many goroutines at once. A query sees the nodes
// as they are at one moment: when the call is made, or, if it returns a sequence,
// when a loop over it begins, anew for each loop. Nothing is locked while the loop
// body runs, so it may call every method, Set and Delete included, and may take its
// time; the loop goes on with the nodes as they were when it began. Nothing is
// locked while taints are matched either.
//
// The index keeps the node names and copies of keys, values and effects; it keeps
// no list that it is given. A name that does not equal itself, such as a NaN, is no
// node: Set and Delete do nothing with it. A name of an interface type that holds a
// value that cannot be compared panics, as in a map. Any taints are accepted, see
// [Toleration.Tolerates]; nil is a node without taints.
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

// How it works. All nodes with the same taints in the same order are one group, for
// a pod may be placed on all of them or on none. The groups stand in a list, so a
// query can always do what the plain loop does: look at each group's taints until
// the first that is not tolerated. That costs no more than the plain loop, for there
// are no more groups than nodes and the taints are the same in the same order.
//
// Mostly a query has to look at few of the groups. Each class of groups, those with
// the same taints that repel, is filed under the key and the value of one of these,
// its anchor. If a pod tolerates all taints of a class it tolerates the anchor, so it
// is enough to go through the tolerations, find the anchors that each of them
// tolerates, by key and value for Equal, by key for Exists, by the order of numbers
// for Lt and Gt, and look at the classes there, and at the one without taints. Any
// anchor is right; the best one is the rarest, for fewer pods come by: a class takes
// that of its taints which has the fewest classes so far.
//
// Such a search can take long and find nothing: a thousand tolerations of a key, or a
// toleration of the anchors of all nodes which differ in another taint. So it counts
// its steps, and when they exceed a fraction of the number of groups it is given up
// and the query looks at all groups. It has matched no taint until then, and a step
// costs at most what the plain loop takes for so many nodes. So both together take no
// more than twice the time of the plain loop.
//
// Neither keeps a lock for long: taints are matched after it. The list of groups and
// the lists of their nodes are vectors, trees of pages that are copied before they
// are written to once a query may read them. So a query that looks at all groups takes
// one pointer under the lock, whatever their number, and yields the first node
// when it has found it; a query that has searched takes the groups found.
//
// A list of taints is found by a text that has all its fields, of which the taints
// that are kept are parts. So Set takes time in proportion to the list, and nothing of
// one list is kept by another. Making a class adds for each taint a look at its
// anchor, and for a number a way of at most 64 branches.

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
