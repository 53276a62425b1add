// SPDX-License-Identifier: Apache-2.0

// Package nodeindex finds the nodes of a whole cluster that a pod may be placed
// on. It is for schedulers that ask about the same nodes for many pods. For a few
// nodes, a loop with [taints.Matcher.Filter] is enough.
//
//	var nodes nodeindex.Index[string]
//	nodes.Set("node-1", node1.Taints) // whenever a node changes
//
//	m := taints.Compile(pod.Tolerations)
//	for name := range nodes.Feasible(m) {
//		...
//	}
//
// The guarantees of package taints hold, except that an [Index] is as safe as a map.
package nodeindex

import (
	"iter"

	"github.com/seed-0529bac1/taints"
)

// An Index finds the feasible nodes among many. The zero Index is empty and ready
// to use. An Index must not be copied after first use.
//
// Like a map, an Index is safe for many readers or one writer, and must not change
// during a loop over it.
//
// Nodes with the same taints in the same order, whatever their TimeAdded, form a
// group. A query visits groups instead of nodes, and usually only those whose
// taints the pod may tolerate. It takes at most about twice the time of a plain
// loop that calls [taints.Matcher.FindUntolerated], or [taints.Matcher.Filter] for
// verdicts, for each node, whatever the taints and tolerations.
//
// Names of nodes follow Go's rules for keys of maps: one that does not equal itself,
// such as NaN, is never found again and stays for good, and one that cannot be compared
// panics.
//
// [Index.Set] and [Index.Delete] take amortized time proportional to the taints of
// the node. The memory of an Index is proportional to the most nodes and lists of
// taints that it held at a time. It keeps the strings of the taints, not the lists.
type Index[N comparable] struct {
	_      noCopy
	places map[N]place[N]
	texts  map[string]*group[N] // by the text of their taints
	all    []entry[N]
	bare   file[N]               // the groups without a repelling taint
	files  map[pair]*file[N]     // the other groups
	keys   map[string][]*file[N] // the same, by key
	added  uint64                // the number of files that were ever in files
}

// noCopy makes "go vet" find copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// A place is the group of a node and the index among the nodes of the group.
type place[N comparable] struct {
	group *group[N]
	at    int
}

// Set adds the node with the taints, or replaces its taints.
func (x *Index[N]) Set(node N, list []taints.Taint) {
	old, present := x.places[node]
	g := x.group(list)
	if present {
		if old.group == g {
			return
		}
		x.remove(old)
	}
	e := &x.all[g.at]
	x.places[node] = place[N]{g, len(e.nodes)}
	e.nodes = append(e.nodes, node)
}

// Delete removes the node and reports whether it was there.
func (x *Index[N]) Delete(node N) bool {
	old, present := x.places[node]
	if present {
		x.remove(old)
		delete(x.places, node)
	}
	return present
}

// Len returns the number of nodes.
func (x *Index[N]) Len() int { return len(x.places) }

// Feasible returns an iterator over the nodes without a [taints.HardEffects] taint that
// m's tolerations do not tolerate, in no particular order.
func (x *Index[N]) Feasible(m *taints.Matcher) iter.Seq[N] {
	return func(yield func(N) bool) {
		for nodes := range x.feasible(m) {
			for _, node := range nodes {
				if !yield(node) {
					return
				}
			}
		}
	}
}

// AppendFeasible appends the nodes of [Index.Feasible] to dst and returns the
// extended slice. It is faster than a loop.
func (x *Index[N]) AppendFeasible(dst []N, m *taints.Matcher) []N {
	for nodes := range x.feasible(m) {
		if len(nodes) == 1 { // faster than to copy a list of one
			dst = append(dst, nodes[0])
			continue
		}
		dst = append(dst, nodes...)
	}
	return dst
}

// CountFeasible returns the number of nodes of [Index.Feasible].
func (x *Index[N]) CountFeasible(m *taints.Matcher) int {
	n := 0
	for nodes := range x.feasible(m) {
		n += len(nodes)
	}
	return n
}

// FeasibleVerdicts is like [Index.Feasible], with the result of
// [taints.Matcher.Filter] for each node. Pass its PreferNoSchedule numbers to
// [AppendScores].
func (x *Index[N]) FeasibleVerdicts(m *taints.Matcher) iter.Seq2[N, taints.Verdict] {
	return func(yield func(N, taints.Verdict) bool) {
		for e := range x.reach(m) {
			v := m.Filter(e.taints)
			if !v.Schedulable() {
				continue
			}
			for _, node := range e.nodes {
				if !yield(node, v) {
					return
				}
			}
		}
	}
}

// Groups returns an iterator over the distinct lists of taints, each with its number
// of nodes, in no particular order. Pass it to explain.SummarizeGroups. The lists are without
// TimeAdded and must not be modified.
func (x *Index[N]) Groups() iter.Seq2[[]taints.Taint, int] {
	return func(yield func([]taints.Taint, int) bool) {
		for _, e := range x.all {
			if !yield(e.taints, len(e.nodes)) {
				return
			}
		}
	}
}
