// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	podsPerChange = 10 // the taints of a node change before every tenth pod
	pending       = -1 // in place of a node where there is none
)

// A simulation is a cluster while pods arrive. Everything that happens in it
// follows from the options.
type simulation struct {
	scheduler
	troubled    []int // nodes in trouble, the longest first
	began       map[*trouble]int
	ended       int
	arrived     map[*kind]int
	decisions   []int  // for each try the node, or pending
	waiting     []*pod // which have been tried
	interrupted bool
}

// newSimulation returns the cluster before pods arrive, with an Index or without.
func newSimulation(o options, indexed bool, clock func() time.Time) *simulation {
	rng := rand.New(rand.NewPCG(uint64(o.seed), 0))
	nodes := newNodes(o.nodes, rng)
	s := &simulation{
		scheduler: scheduler{
			options:  o,
			nodes:    nodes,
			filter:   &loopFilter{nodes: nodes},
			matchers: make(matchers),
			rng:      rng,
			clock:    clock,
		},
		began:   make(map[*trouble]int),
		arrived: make(map[*kind]int),
	}
	began := clock()
	if indexed {
		s.filter = newIndexFilter(nodes, o.score)
	}
	s.times.SetUp = clock().Sub(began)
	return s
}

// run lets the pods arrive while nodes change. At the end it tries those that
// wait once more, as nodes have come back meanwhile. It stops when the context is
// done.
func (s *simulation) run(ctx context.Context) {
	began := s.clock()
	for i := 0; i < s.pods && s.goesOn(ctx); i++ {
		if i%podsPerChange == 0 {
			s.change()
		}
		s.try(s.arrive())
	}
	again := s.waiting
	s.waiting = nil
	for len(again) > 0 && s.goesOn(ctx) {
		s.try(again[0])
		again = again[1:]
	}
	s.waiting = append(s.waiting, again...)
	s.times.Run = s.clock().Sub(began)
}

func (s *simulation) goesOn(ctx context.Context) bool {
	s.interrupted = ctx.Err() != nil
	return !s.interrupted
}

// arrive returns a new pod.
func (s *simulation) arrive() *pod {
	p := newPod(len(s.nodes), s.rng)
	s.arrived[p.kind]++
	return p
}

// try schedules the pod, which waits if there is no node for it.
func (s *simulation) try(p *pod) {
	node, ok := s.schedule(p)
	if !ok {
		node = pending
		s.waiting = append(s.waiting, p)
	}
	s.decisions = append(s.decisions, node)
}

// change starts a trouble of a random node, or ends the one that has lasted
// longest.
func (s *simulation) change() {
	began := s.clock()
	most := len(s.nodes) / 50
	if len(s.troubled) > most || len(s.troubled) > 0 && s.rng.IntN(5) < 2 {
		s.endTrouble()
	} else {
		s.startTrouble(s.rng.IntN(len(s.nodes)), &troubles[s.rng.IntN(len(troubles))])
	}
	s.times.Changes += s.clock().Sub(began)
}

func (s *simulation) endTrouble() {
	node := s.troubled[0]
	s.troubled = s.troubled[1:]
	s.filter.set(node, s.nodes[node].own)
	s.ended++
}

func (s *simulation) startTrouble(node int, t *trouble) {
	n := &s.nodes[node]
	if n.isTroubled() {
		return
	}
	s.troubled = append(s.troubled, node)
	s.filter.set(node, slices.Concat(n.own, t.taints))
	s.began[t]++
}
