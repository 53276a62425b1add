package main

import (
	"iter"
	"slices"

	"github.com/seed-0529bac1/taints"
)

// A filter keeps the taints of all nodes and finds the nodes that taints leave to a pod.
type filter interface {
	// set gives the node the taints.
	set(node int, list []taints.Taint)
	// feasible yields the nodes without an untolerated hard taint, by their numbers from start on and around. The
	// sequence is good until the next call.
	feasible(m *taints.Matcher, start int) iter.Seq[int]
	// summarize says why a pod can not be placed.
	summarize(m *taints.Matcher) taints.Summary
	// looked returns at how many nodes it has looked so far.
	looked() int
}

// A loopFilter looks at one node after the other.
type loopFilter struct {
	nodes []node
	count int
}

func (f *loopFilter) set(node int, list []taints.Taint) { f.nodes[node].taints = list }

func (f *loopFilter) feasible(m *taints.Matcher, start int) iter.Seq[int] {
	return func(yield func(int) bool) {
		at := start
		for range f.nodes {
			f.count++
			if m.Filter(f.nodes[at].taints).Schedulable() && !yield(at) {
				return
			}
			if at++; at == len(f.nodes) {
				at = 0
			}
		}
	}
}

func (f *loopFilter) summarize(m *taints.Matcher) taints.Summary {
	return m.Summarize(func(yield func([]taints.Taint) bool) {
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
	index  taints.Index[int]
	enough int   // how many feasible nodes a caller wants to see
	list   []int // kept for its memory
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

// feasible asks the Index for the nodes if they are rare, none included. If they are frequent, the next ones are near, and a
// loop finds them sooner: it looks at enough/count of all nodes until it has enough, while a list has all count of them.
func (f *indexFilter) feasible(m *taints.Matcher, start int) iter.Seq[int] {
	count := f.index.CountFeasible(m)
	if count*count > f.enough*len(f.nodes) {
		return f.loopFilter.feasible(m, start)
	}
	f.count += count
	f.list = slices.AppendSeq(f.list[:0], f.index.Feasible(m))
	slices.Sort(f.list)
	at, _ := slices.BinarySearch(f.list, start)
	return func(yield func(int) bool) {
		for i := range f.list {
			if !yield(f.list[(at+i)%len(f.list)]) {
				return
			}
		}
	}
}

func (f *indexFilter) summarize(m *taints.Matcher) taints.Summary { return f.index.Summarize(m) }
