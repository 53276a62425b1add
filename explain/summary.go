// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"github.com/seed-0529bac1/taints"
)

// A Summary describes why a pod cannot be placed on nodes, with an entry for
// each distinct taint that prevents it.
type Summary struct {
	// Nodes is the number of nodes.
	Nodes int `json:"nodes"`
	// Feasible is the number of nodes without an untolerated taint that repels.
	Feasible int `json:"feasible"`
	// Reasons has an entry for each distinct taint, by key, value and effect,
	// that keeps the pod off a node: the most frequent first, and equally
	// frequent ones in the order of [taints.Taint.Compare]. TimeAdded is nil.
	Reasons []SummaryReason `json:"reasons,omitempty"`
}

// A SummaryReason is one taint of a [Summary].
type SummaryReason struct {
	// Reason describes why the taint is not tolerated.
	Reason Reason `json:"reason"`
	// Nodes is the number of nodes with the taint. A node with several
	// untolerated taints counts for each of them.
	Nodes int `json:"nodes"`
}

// Nodes reports why a pod with m's tolerations cannot be placed on nodes.
// Taints with an effect in the set repel the pod; pass [taints.Hard] for the
// effects by which the kube-scheduler filters. The sequence yields the taints
// of each node. The order of the nodes and of their taints does not matter. A
// nil sequence has no nodes.
func Nodes(m *taints.Matcher, in taints.EffectSet, nodes iter.Seq[[]taints.Taint]) Summary {
	s := summarizer{explainer: newExplainer(m), in: in}
	if nodes != nil {
		for list := range nodes {
			s.count(list, 1)
		}
	}
	return s.summary()
}

// Groups is like [Nodes] for a sequence of lists of taints, each with the
// number of nodes that have it, such as the Groups method of a nodeindex.Index.
// A negative number means zero.
func Groups(m *taints.Matcher, in taints.EffectSet, groups iter.Seq2[[]taints.Taint, int]) Summary {
	s := summarizer{explainer: newExplainer(m), in: in}
	if groups != nil {
		for list, nodes := range groups {
			s.count(list, max(nodes, 0))
		}
	}
	return s.summary()
}

// A summarizer builds a Summary.
type summarizer struct {
	explainer explainer
	in        taints.EffectSet // the effects that repel
	result    Summary
	lists     int                            // the number of lists
	entries   map[taints.Taint]*summaryEntry // by taint without TimeAdded
	order     []*summaryEntry
}

// A summaryEntry is a distinct taint.
type summaryEntry struct {
	reason Reason
	nodes  int
	list   int // the number of the last list that was counted
}

// count counts n nodes with the taints.
func (s *summarizer) count(list []taints.Taint, n int) {
	s.lists++
	s.result.Nodes += n
	feasible := true
	for i := range list {
		if !s.in.Has(list[i].Effect) {
			continue
		}
		entry := s.entry(list[i])
		if entry.reason.Tolerated {
			continue
		}
		feasible = false
		if entry.list != s.lists {
			entry.list = s.lists
			entry.nodes += n
		}
	}
	if feasible {
		s.result.Feasible += n
	}
}

func (s *summarizer) entry(taint taints.Taint) *summaryEntry {
	taint.TimeAdded = nil
	if entry, ok := s.entries[taint]; ok {
		return entry
	}
	if s.entries == nil {
		s.entries = make(map[taints.Taint]*summaryEntry)
	}
	entry := &summaryEntry{reason: s.explainer.reason(&taint)}
	s.entries[taint] = entry
	s.order = append(s.order, entry)
	return entry
}

// summary returns the Summary of the counted nodes.
func (s *summarizer) summary() Summary {
	for _, entry := range s.order {
		if entry.nodes > 0 {
			s.result.Reasons = append(s.result.Reasons, SummaryReason{entry.reason, entry.nodes})
		}
	}
	slices.SortFunc(s.result.Reasons, func(a, b SummaryReason) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), a.Reason.Taint.Compare(b.Reason.Taint))
	})
	return s.result
}

// String returns the summary in one line, in the style of the kube-scheduler:
// "0/13 nodes are available: 3 have untolerated taint dedicated=ml:NoSchedule
// (closest: dedicated=ML:NoSchedule, the value differs only in letter case), 1
// has …". Control characters are escaped.
func (s Summary) String() string { return s.text(" ", ", ") }

// Report returns the text of [Summary.String] as a line that counts the nodes
// and an indented line for each reason, separated by newlines.
func (s Summary) Report() string { return s.text("\n  ", "\n  ") }

// text returns the summary with the given texts before the first reason and
// between two reasons.
func (s Summary) text(first, between string) string {
	b := make([]byte, 0, 256)
	b = strconv.AppendInt(b, int64(s.Feasible), 10)
	b = append(b, '/')
	b = strconv.AppendInt(b, int64(s.Nodes), 10)
	b = append(b, " nodes are available"...)
	for i := range s.Reasons {
		if i == 0 {
			b = append(append(b, ':'), first...)
		} else {
			b = append(b, between...)
		}
		b = s.Reasons[i].append(b)
	}
	return string(b)
}

func (r *SummaryReason) append(b []byte) []byte {
	b = strconv.AppendInt(b, int64(r.Nodes), 10)
	if r.Nodes == 1 {
		b = append(b, " has untolerated taint "...)
	} else {
		b = append(b, " have untolerated taint "...)
	}
	return appendLine(b, string(r.Reason.appendClosest(r.Reason.Taint.AppendTo(nil))))
}
