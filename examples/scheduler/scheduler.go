// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand/v2"
	"time"

	"github.com/seed-0529bac1/taints"
)

// maxScore is the best score that a node can have for its taints, and for what is
// free on it.
const maxScore = 100

// A scheduler places pods as the kube-scheduler does: it filters the nodes,
// prioritizes some of those that are left, and selects the best.
type scheduler struct {
	options
	nodes    []node
	filter   filter
	matchers matchers
	rng      *rand.Rand
	clock    func() time.Time
	times    times

	candidates []int   // nodes
	soft       []int   // their untolerated PreferNoSchedule taints
	scores     []int64 // theirs
}

// times are how long the parts of a run took, in nanoseconds.
type times struct {
	SetUp      time.Duration `json:"setUp"` // building the Index
	Changes    time.Duration `json:"changes"`
	Filter     time.Duration `json:"filter"`
	Prioritize time.Duration `json:"prioritize"`
	Select     time.Duration `json:"select"`
	Run        time.Duration `json:"run"` // the four above, and making the pods
	Explain    time.Duration `json:"explain"`
}

// schedule places the pod and returns the node, and whether there is one.
func (s *scheduler) schedule(p *pod) (node int, ok bool) {
	began := s.clock()
	s.findCandidates(p)
	filtered := s.clock()
	s.prioritize(p)
	prioritized := s.clock()
	if ok = len(s.candidates) > 0; ok {
		node = s.selectBest()
		s.nodes[node].free = s.nodes[node].free.minus(p.kind.request)
	}
	s.times.Filter += filtered.Sub(began)
	s.times.Prioritize += prioritized.Sub(filtered)
	s.times.Select += s.clock().Sub(prioritized)
	return node, ok
}

// findCandidates takes feasible nodes with room until it has enough. It begins
// at a random node, so that none is preferred.
func (s *scheduler) findCandidates(p *pod) {
	s.candidates, s.soft = s.candidates[:0], s.soft[:0]
	m := s.matchers.compile(p.tolerations)
	for node, v := range s.filter.feasible(m, s.rng.IntN(len(s.nodes))) {
		if !s.nodes[node].free.holds(p.kind.request) {
			continue
		}
		s.candidates, s.soft = append(s.candidates, node), append(s.soft, v.PreferNoSchedule)
		if len(s.candidates) == s.score {
			return
		}
	}
}

// prioritize scores the candidates: those with the fewest untolerated
// PreferNoSchedule taints are best, and those with the most room.
func (s *scheduler) prioritize(p *pod) {
	s.scores = taints.NormalizeScores(s.scores[:0], s.soft, maxScore)
	for i, node := range s.candidates {
		s.scores[i] = int64(s.taintWeight)*s.scores[i] +
			int64(s.freeWeight)*leastRequested(&s.nodes[node], p.kind.request)
	}
}

// leastRequested scores what would be left of the node, on average over its
// resources (LeastAllocated in the kube-scheduler).
func leastRequested(n *node, request resources) int64 {
	left, size := n.free.minus(request), n.pool.size
	return (left.cpu*maxScore/size.cpu + left.memory*maxScore/size.memory) / 2
}

// selectBest returns the candidate with the highest score, at random among
// several.
func (s *scheduler) selectBest() int {
	best, equals := 0, 1
	for i := 1; i < len(s.scores); i++ {
		switch {
		case s.scores[i] > s.scores[best]:
			best, equals = i, 1
		case s.scores[i] == s.scores[best]:
			if equals++; s.rng.IntN(equals) == 0 {
				best = i
			}
		}
	}
	return s.candidates[best]
}

// matchers holds a Matcher for each distinct list of tolerations, by its text.
// There are few, however many pods there are.
type matchers map[string]*taints.Matcher

// compile returns the Matcher of the list. It compiles a list once.
func (c matchers) compile(list []taints.Toleration) *taints.Matcher {
	var buf [256]byte
	text := buf[:0]
	for i := range list {
		text = append(list[i].AppendTo(text), '\n')
	}
	m, known := c[string(text)]
	if !known {
		m = taints.Compile(list)
		c[string(text)] = m
	}
	return m
}
