// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/lookup"
)

// A Summary describes why a pod cannot be placed on nodes.
type Summary struct {
	// Nodes is the number of nodes.
	Nodes int `json:"nodes"`
	// Feasible is the number of nodes without an untolerated taint that repels.
	Feasible int `json:"feasible"`
	// Reasons holds, up to the limit, the distinct taints that keep the pod off a node:
	// the most frequent first, and equally frequent ones in the order of
	// [taints.Taint.Compare]. Taints are distinct by key, value and effect. TimeAdded is
	// nil.
	Reasons []SummaryReason `json:"reasons,omitempty"`
	// More is the number of distinct taints without an entry in Reasons.
	More int `json:"more,omitempty"`
}

// A SummaryReason is one taint of a [Summary].
type SummaryReason struct {
	// Reason describes why the taint is not tolerated.
	Reason Reason `json:"reason"`
	// Nodes is the number of nodes with the taint. A node with two untolerated taints is
	// in both numbers.
	Nodes int `json:"nodes"`
}

// Summarize reports why a pod with m's tolerations cannot be placed on nodes. Taints
// with an effect in the set repel the pod; pass [taints.HardEffects] for the effects by
// which the kube-scheduler filters. The sequence yields the taints of each node,
// in any order; [slices.Values] makes one from a slice. A nil sequence is empty. At
// most limit taints are explained. A negative limit means zero.
func Summarize(m *taints.Matcher, in taints.EffectSet, nodes iter.Seq[[]taints.Taint], limit int) Summary {
	s := summarizer{explainer: newExplainer(m), in: in}
	if nodes != nil {
		for list := range nodes {
			s.count(list, 1)
		}
	}
	return s.summary(limit)
}

// SummarizeGroups is like [Summarize] for a sequence of lists of taints, each with its number of
// nodes, such as the Groups method of a nodeindex.Index. A negative number is zero, and
// a sum that an int cannot hold is the largest int.
func SummarizeGroups(m *taints.Matcher, in taints.EffectSet, groups iter.Seq2[[]taints.Taint, int], limit int) Summary {
	s := summarizer{explainer: newExplainer(m), in: in}
	if groups != nil {
		for list, nodes := range groups {
			s.count(list, max(nodes, 0))
		}
	}
	return s.summary(limit)
}

// A summarizer builds a Summary.
type summarizer struct {
	explainer explainer
	in        taints.EffectSet // the effects that repel
	result    Summary
	lists     int // the number of lists
	taints    []counted
	at        map[lookup.Taint]int // indexes of taints
}

// A counted is a distinct taint.
type counted struct {
	taint     taints.Taint
	tolerated bool
	nodes     int
	list      int // the number of the last list with the taint
}

// count adds n nodes with the taints.
func (s *summarizer) count(list []taints.Taint, n int) {
	s.lists++
	s.result.Nodes = sum(s.result.Nodes, n)
	feasible := true
	for i := range list {
		if !s.in.Has(list[i].Effect) {
			continue
		}
		c := s.counted(list[i])
		if c.tolerated {
			continue
		}
		feasible = false
		if c.list != s.lists {
			c.list = s.lists
			c.nodes = sum(c.nodes, n)
		}
	}
	if feasible {
		s.result.Feasible = sum(s.result.Feasible, n)
	}
}

// sum returns a + b, or the largest int if that is less. Both are at least zero.
func sum(a, b int) int { return a + min(b, math.MaxInt-a) }

func (s *summarizer) counted(taint taints.Taint) *counted {
	key := lookup.Taint{taint.Key, taint.Value, string(taint.Effect)}
	i, ok := s.at[key]
	if !ok {
		if s.at == nil {
			s.at = make(map[lookup.Taint]int)
		}
		i, s.at[key] = len(s.taints), len(s.taints)
		taint.TimeAdded = nil
		_, tolerated := s.explainer.matcher.Match(taint)
		s.taints = append(s.taints, counted{taint: taint, tolerated: tolerated})
	}
	return &s.taints[i]
}

// summary returns the Summary of all nodes, with at most limit reasons.
func (s *summarizer) summary(limit int) Summary {
	first, all := s.first(max(limit, 0))
	s.result.More = all - len(first)
	for _, c := range first {
		s.result.Reasons = append(s.result.Reasons, SummaryReason{s.explainer.reason(&c.taint), c.nodes})
	}
	return s.result
}

// first returns up to limit of the taints that keep the pod off a node, in order, and
// counts all. It sorts now and then and drops the rest: to sort a thousand taints for ten
// reasons takes as long as all else (BenchmarkHostilePod of the scheduler plugin).
func (s *summarizer) first(limit int) (first []*counted, all int) {
	sort := func() {
		slices.SortFunc(first, (*counted).compare)
		first = first[:min(len(first), limit)]
	}
	isFull := false // the first limit ones are sorted
	for i := range s.taints {
		c := &s.taints[i]
		if c.nodes == 0 {
			continue
		}
		all++
		if isFull && c.compare(first[limit-1]) > 0 {
			continue
		}
		if first = append(first, c); len(first)/2 > limit {
			sort()
			isFull = limit > 0
		}
	}
	sort()
	return first, all
}

func (c *counted) compare(d *counted) int {
	return cmp.Or(cmp.Compare(d.nodes, c.nodes), c.taint.Compare(d.taint))
}

// String returns the summary in one line, in the style of the kube-scheduler:
// "0/13 nodes are available: 3 have untolerated taint dedicated=ml:NoSchedule
// (closest: dedicated=ML:NoSchedule, the value differs only in letter case), 1
// has …". If there are more taints, it ends with "and 4 more taints". Control
// characters are escaped.
func (s Summary) String() string { return s.text(" ", ", ") }

// Report returns the text of [Summary.String] as several lines: one for the nodes, and
// an indented one for each reason.
func (s Summary) Report() string { return s.text("\n  ", "\n  ") }

// text returns the summary with the given texts before the first reason and
// between two reasons.
func (s Summary) text(first, between string) string {
	b := make([]byte, 0, 256)
	b = strconv.AppendInt(b, int64(s.Feasible), 10)
	b = append(b, '/')
	b = strconv.AppendInt(b, int64(s.Nodes), 10)
	b = append(b, " nodes are available"...)
	lead := ":" + first
	for i := range s.Reasons {
		b = s.Reasons[i].append(append(b, lead...))
		lead = between
	}
	if s.More > 0 {
		b = append(b, lead...)
		noun := " untolerated taint"
		if len(s.Reasons) > 0 {
			b, noun = append(b, "and "...), " more taint"
		}
		b = append(strconv.AppendInt(b, int64(s.More), 10), noun...)
	}
	if s.More > 1 {
		b = append(b, 's')
	}
	return string(b)
}

// String returns the number of nodes and the reason in one line, as in "1 has
// untolerated taint gpu:NoSchedule". Control characters are escaped.
func (r SummaryReason) String() string { return string(r.append(nil)) }

func (r *SummaryReason) append(b []byte) []byte {
	b = strconv.AppendInt(b, int64(r.Nodes), 10)
	if r.Nodes == 1 {
		b = append(b, " has untolerated taint "...)
	} else {
		b = append(b, " have untolerated taint "...)
	}
	return appendLine(b, string(r.Reason.appendClosest(r.Reason.Taint.AppendTo(nil))))
}
