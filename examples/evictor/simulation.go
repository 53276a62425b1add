// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
)

// start is when the simulated time begins.
var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// A simulation is a cluster, its controllers, and what happens to it. Nothing
// in it sleeps: when everything due is done, the time moves on to when something
// is due again.
type simulation struct {
	options
	now       time.Time
	random    *rand.Rand
	cluster   *cluster
	lifecycle *lifecycleController
	evictor   *evictionController
	report    *report
	world     []happening // still to come, in order
}

// A happening is something that nobody in the cluster decides.
type happening struct {
	at time.Time
	do func()
}

func newSimulation(o options, w io.Writer) *simulation {
	s := &simulation{options: o, now: start, random: rand.New(rand.NewPCG(o.seed, 0))}
	s.cluster = newCluster(o, s.random, s.now)
	s.report = newReport(s.cluster, w)
	s.evictor = newEvictionController(s.cluster, o.evictionPolicy(), s.report)
	s.lifecycle = newLifecycleController(s.cluster, o, s.report)
	s.cluster.watch = func(n *node, changes taints.Changes) {
		s.report.patched(n, changes, s.now)
		s.evictor.nodeChanged(n, s.now)
	}
	s.plan()
	fmt.Fprintf(w, "Scenario %s: %s in %s, %s, seed %d.\n\n", o.scenario, count(o.nodes, "node", "nodes"),
		count(o.zones, "zone", "zones"), count(o.pods+o.nodes, "pod", "pods"), o.seed)
	return s
}

// run lets the time pass until the end, or until ctx is done; then it returns the
// error of ctx.
func (s *simulation) run(ctx context.Context) error {
	defer s.report.flush()
	for s.elapsed() <= s.length {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.step()
	}
	return nil
}

// step does everything that is due, and moves the time on.
func (s *simulation) step() {
	for len(s.world) > 0 && !s.world[0].at.After(s.now) {
		s.world[0].do()
		s.world = s.world[1:]
	}
	s.cluster.beat(s.now)
	s.lifecycle.wake(s.now)
	s.evictor.wake(s.now)
	s.now = s.next()
}

// next returns when something is due again.
func (s *simulation) next() time.Time {
	next := earlier(nextBeat(s.now), s.lifecycle.next())
	if due, ok := s.evictor.next(); ok {
		next = earlier(next, due)
	}
	if len(s.world) > 0 {
		next = earlier(next, s.world[0].at)
	}
	return next
}

func (s *simulation) elapsed() time.Duration { return s.now.Sub(start) }

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// plan fills the world with what the options ask for.
func (s *simulation) plan() {
	chosen := s.random.Perm(s.nodes)
	if s.fail > 0 {
		failing := s.choose(chosen[:s.fail])
		s.at(failAt, func() { s.breakDown(failing) })
		if s.recover > 0 {
			s.at(failAt+s.recover, func() { s.mend(failing) })
		}
	}
	for _, p := range s.partitions {
		s.at(p.start, func() { s.cut(p.zone, 1, "cut off") })
		s.at(p.start+p.duration, func() { s.cut(p.zone, -1, "connected again") })
	}
	if s.maintain > 0 {
		s.at(s.maintain, func() { s.taint(s.choose(chosen[max(0, s.nodes-maintained):])) })
	}
	if s.restart > 0 {
		s.at(s.restart, s.restartEvictor)
	}
	slices.SortStableFunc(s.world, func(a, b happening) int { return a.at.Compare(b.at) })
}

func (s *simulation) at(after time.Duration, do func()) {
	s.world = append(s.world, happening{start.Add(after), do})
}

// choose returns the nodes at the indexes.
func (s *simulation) choose(indexes []int) []*node {
	var nodes []*node
	for _, i := range indexes {
		nodes = append(nodes, s.cluster.nodes[i])
	}
	return nodes
}

// breakDown silences one half of the nodes and makes the other half say that they
// are not ready.
func (s *simulation) breakDown(nodes []*node) {
	silent := (len(nodes) + 1) / 2
	for i, n := range nodes {
		n.crashed, n.unwell = i < silent, i >= silent
	}
	s.report.say(s.now, "%s: %d without a word, %d with Ready=False", count(len(nodes), "node fails", "nodes fail"),
		silent, len(nodes)-silent)
}

// mend brings every second of the nodes back.
func (s *simulation) mend(nodes []*node) {
	for i := 1; i < len(nodes); i += 2 {
		nodes[i].crashed, nodes[i].unwell = false, false
	}
	s.report.say(s.now, "%s well again", count(len(nodes)/2, "of them is", "of them are"))
}

// cut lets a partition of the zone, or of all, begin (by 1) or end (by -1).
func (s *simulation) cut(name string, by int, what string) {
	for _, z := range s.cluster.zones {
		if name == z.name || name == allZones {
			z.cuts += by
		}
	}
	who := "zone " + name + " is "
	if name == allZones {
		who = "all zones are "
	}
	s.report.say(s.now, "%s", who+what)
}

// maintained is how many nodes a person taints.
const maintained = 3

// taint taints the nodes as "kubectl taint" does, but also notes the time, without
// which no deadline outlives a restart of the controller.
func (s *simulation) taint(nodes []*node) {
	taint, now := taints.MustParseTaint(maintenanceKey+"=disk:NoExecute"), s.now
	taint.TimeAdded = &now
	s.report.say(now, "a person taints %s with %s", count(len(nodes), "node", "nodes"), taint)
	for _, n := range nodes {
		s.cluster.patch(n, taints.Changes{Add: []taints.Taint{taint}})
	}
}

func (s *simulation) restartEvictor() {
	pending, gained := s.evictor.restart(s.now)
	what := "due when they were due"
	if gained > 0 {
		what = "put off by up to " + short(gained)
	}
	s.report.say(s.now, "the eviction controller restarts: %s, %s", count(pending, "eviction", "evictions"), what)
}

// count returns the number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
