// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"iter"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/nodeindex"
)

// A filter keeps the taints of all nodes and finds the feasible ones: those
// without a hard taint that the pod does not tolerate.
type filter interface {
	// set gives the node the taints.
	set(node int, list []taints.Taint)
	// feasible yields the feasible nodes by number, from start to the last and
	// then from the first, with the verdicts to score them by. The sequence is
	// valid until the next call.
	feasible(m *taints.Matcher, start int) iter.Seq2[int, taints.Verdict]
	// all returns the feasible nodes in no particular order.
	all(m *taints.Matcher) []int
	// summarize says why a pod cannot be placed.
	summarize(m *taints.Matcher) explain.Summary
	// looked returns how many nodes feasible has looked at so far.
	looked() int
}

// A loopFilter looks at one node after the other.
type loopFilter struct {
	nodes []node
	count int
}

func (f *loopFilter) set(node int, list []taints.Taint) { f.nodes[node].taints = list }

func (f *loopFilter) feasible(m *taints.Matcher, start int) iter.Seq2[int, taints.Verdict] {
	return func(yield func(int, taints.Verdict) bool) {
		at := start
		for range f.nodes {
			f.count++
			// Most nodes repel the pod, which takes less time to find than a
			// Verdict.
			list := f.nodes[at].taints
			if _, found := m.FindUntolerated(list, taints.Hard); !found && !yield(at, m.Filter(list)) {
				return
			}
			if at++; at == len(f.nodes) {
				at = 0
			}
		}
	}
}

func (f *loopFilter) all(m *taints.Matcher) []int {
	var nodes []int
	for i := range f.nodes {
		if _, found := m.FindUntolerated(f.nodes[i].taints, taints.Hard); !found {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

func (f *loopFilter) summarize(m *taints.Matcher) explain.Summary {
	return explain.Nodes(m, taints.Hard, func(yield func([]taints.Taint) bool) {
		for i := range f.nodes {
			if !yield(f.nodes[i].taints) {
				return
			}
		}
	})
}

func (f *loopFilter) looked() int { return f.count }

// An indexFilter has an Index of the nodes by number.
type indexFilter struct {
	loopFilter
	index  nodeindex.Index[int]
	enough int            // how many feasible nodes a caller wants to see
	list   []feasibleNode // kept for its memory
}

// A feasibleNode is what an Index yields.
type feasibleNode struct {
	node    int
	verdict taints.Verdict
}

func newIndexFilter(nodes []node, enough int) *indexFilter {
	f := &indexFilter{loopFilter: loopFilter{nodes: nodes}, enough: enough}
	for i := range nodes {
		f.index.Set(i, nodes[i].taints)
	}
	return f
}

func (f *indexFilter) set(node int, list []taints.Taint) {
	f.loopFilter.set(node, list)
	f.index.Set(node, list)
}

// feasible asks the Index for the nodes if they are rare. If they are frequent, a
// loop finds enough of them sooner: it looks at enough/count of all nodes, while
// the Index lists count of them, however few are wanted.
func (f *indexFilter) feasible(m *taints.Matcher, start int) iter.Seq2[int, taints.Verdict] {
	count := f.index.CountFeasible(m)
	if count*count > f.enough*len(f.nodes) {
		return f.loopFilter.feasible(m, start)
	}
	f.count += count
	f.list = f.list[:0]
	for node, v := range f.index.FeasibleVerdicts(m) {
		f.list = append(f.list, feasibleNode{node, v})
	}
	slices.SortFunc(f.list, feasibleNode.compare)
	at, _ := slices.BinarySearchFunc(f.list, feasibleNode{node: start}, feasibleNode.compare)
	return func(yield func(int, taints.Verdict) bool) {
		for i := range f.list {
			if n := &f.list[(at+i)%len(f.list)]; !yield(n.node, n.verdict) {
				return
			}
		}
	}
}

func (n feasibleNode) compare(m feasibleNode) int { return cmp.Compare(n.node, m.node) }

func (f *indexFilter) all(m *taints.Matcher) []int { return f.index.AppendFeasible(nil, m) }

func (f *indexFilter) summarize(m *taints.Matcher) explain.Summary {
	return explain.Groups(m, taints.Hard, f.index.Groups())
}
