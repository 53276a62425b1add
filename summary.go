// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
)

// A Summary says why a pod cannot be placed on nodes, with an entry for each
// distinct taint in the way.
type Summary struct {
	// Nodes is the number of nodes.
	Nodes int `json:"nodes"`
	// Feasible is the number of nodes without an untolerated taint that repels:
	// NoSchedule or NoExecute, unless [Index.Repels] says otherwise.
	Feasible int `json:"feasible"`
	// Reasons has an entry for each distinct taint, by key, value and effect,
	// that keeps the pod off a node: the most frequent first, and equally
	// frequent ones in the order of [Taint.Compare]. TimeAdded is nil.
	Reasons []SummaryReason `json:"reasons,omitempty"`
}

// A SummaryReason is one taint of a [Summary].
type SummaryReason struct {
	// Reason says why the taint is not tolerated.
	Reason Reason `json:"reason"`
	// Nodes is the number of nodes with the taint. A node with several
	// untolerated taints counts for each of them.
	Nodes int `json:"nodes"`
}

// Summarize returns why a pod with the tolerations cannot be placed on the nodes,
// which are given by their taints. The order of the nodes and of their taints
// makes no difference. A nil sequence is one without nodes.
func Summarize(nodes iter.Seq[[]Taint], tolerations []Toleration) Summary {
	return Options{}.Summarize(nodes, tolerations)
}

// Summarize is like the function [Summarize] under the options.
func (o Options) Summarize(nodes iter.Seq[[]Taint], tolerations []Toleration) Summary {
	s := summarizer{options: o, tolerations: tolerations, in: Hard}
	if nodes != nil {
		for taints := range nodes {
			s.add(taints, 1)
		}
	}
	return s.summary()
}

// Summarize is like the function [Summarize] for m's tolerations.
func (m *Matcher) Summarize(nodes iter.Seq[[]Taint]) Summary {
	tolerations, options := m.list()
	return options.Summarize(nodes, tolerations)
}

// A summarizer builds a Summary.
type summarizer struct {
	options     Options
	tolerations []Toleration
	in          EffectSet // the effects that repel
	result      Summary
	entries     map[Taint]*summaryEntry // by taint without TimeAdded
	order       []*summaryEntry
}

// A summaryEntry is a distinct taint.
type summaryEntry struct {
	reason Reason
	nodes  int
	seen   int // result.Nodes when the taint was last counted
}

// add counts n nodes with the taints.
func (s *summarizer) add(taints []Taint, n int) {
	s.result.Nodes += n
	feasible := true
	for i := range taints {
		if !s.in.Has(taints[i].Effect) {
			continue
		}
		entry := s.entry(taints[i])
		if entry.reason.Tolerated() {
			continue
		}
		feasible = false
		if entry.seen != s.result.Nodes {
			entry.seen = s.result.Nodes
			entry.nodes += n
		}
	}
	if feasible {
		s.result.Feasible += n
	}
}

func (s *summarizer) entry(taint Taint) *summaryEntry {
	taint.TimeAdded = nil
	if entry, known := s.entries[taint]; known {
		return entry
	}
	if s.entries == nil {
		s.entries = make(map[Taint]*summaryEntry)
	}
	entry := &summaryEntry{reason: s.options.reason(&taint, s.tolerations)}
	s.entries[taint] = entry
	s.order = append(s.order, entry)
	return entry
}

// summary returns the Summary of what was added.
func (s *summarizer) summary() Summary {
	for _, entry := range s.order {
		if !entry.reason.Tolerated() {
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

// Redact returns the summary with placeholders for keys and values, like
// [Reason.Redact]. Equal texts have equal placeholders in all reasons.
func (s Summary) Redact() Summary {
	var names redactor
	s.Reasons = slices.Clone(s.Reasons)
	for i := range s.Reasons {
		r := &s.Reasons[i].Reason
		*r = names.reason(*r)
	}
	return s
}

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
