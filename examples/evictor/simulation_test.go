// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// prepare returns the simulation for the arguments, which are good, before its
// first step.
func prepare(t *testing.T, format string, args ...any) *simulation {
	t.Helper()
	o, err := parse(strings.Fields(fmt.Sprintf(format, args...)))
	if err != nil {
		t.Fatal(err)
	}
	return newSimulation(o, io.Discard)
}

// simulate returns the simulation for the arguments, which are good, at its end.
func simulate(t *testing.T, format string, args ...any) *simulation {
	t.Helper()
	s := prepare(t, format, args...)
	if err := s.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

// total returns the last row of the table.
func total(s *simulation) row {
	var sum row
	for _, x := range s.report.rows() {
		sum.add(x)
	}
	return sum
}

// tolerance returns for how long the pod tolerates a node that is unreachable.
func tolerance(p *pod) time.Duration {
	unreachable := []taints.Taint{{Key: taints.NodeUnreachable, Effect: taints.NoExecute}}
	e := taints.EvictionOf(unreachable, p.kind.tolerations, start)
	if e.Outcome == taints.Stays {
		return 1<<63 - 1
	}
	return e.At.Sub(start)
}

// A short partition evicts no pod that tolerates it for longer.
func TestPartition(t *testing.T) {
	for seed := range 20 {
		s := simulate(t, "-scenario partition -nodes 60 -pods 600 -partition b@1m+3m,c@3m+4m -seed %d", seed)
		if len(s.report.evictions) == 0 {
			t.Error("nobody left, not even those who tolerate it for 30 seconds")
		}
		for _, e := range s.report.evictions {
			if tolerance(e.pod) != 30*time.Second {
				t.Errorf("seed %d: a pod that tolerates it for %s left at %s",
					seed, tolerance(e.pod), clock(e.at.Sub(start)))
			}
		}
		if sum := total(s); sum.canceled == 0 || sum.pending > 0 {
			t.Errorf("seed %d: %d canceled, %d pending", seed, sum.canceled, sum.pending)
		}
	}
}

// A full outage evicts no pod. Without limits it evicts all that do not tolerate
// it for so long.
func TestOutage(t *testing.T) {
	for seed := range 20 {
		s := simulate(t, "-scenario outage -nodes 60 -pods 600 -seed %d", seed)
		if sum := total(s); sum.evicted > 0 || sum.pending > 0 {
			t.Errorf("seed %d: %d evicted, %d pending", seed, sum.evicted, sum.pending)
		}
		for _, n := range s.cluster.nodes {
			if len(n.taints) > 0 {
				t.Errorf("seed %d: after the outage a node has %s", seed, n.taints[0])
			}
		}

		s = simulate(t, "-scenario outage -nodes 60 -pods 600 -limits=false -seed %d", seed)
		for _, e := range s.report.evictions {
			if tolerance(e.pod) > 10*time.Minute {
				t.Errorf("seed %d: a pod left that tolerates it for %s", seed, tolerance(e.pod))
			}
		}
		for _, n := range s.cluster.nodes {
			for _, p := range n.pods {
				if tolerance(p) < 5*time.Minute+time.Second {
					t.Errorf("seed %d: a pod stayed that tolerates it for %s", seed, tolerance(p))
				}
			}
		}
	}
}

// A node that comes back keeps its pods, because all evictions that are pending are
// canceled.
func TestRecovery(t *testing.T) {
	for seed := range 20 {
		s := simulate(t, "-scenario failures -fail 4 -recover 2m -seed %d", seed)
		kept := 0
		for n := range s.report.failed {
			if n.crashed || n.unwell {
				continue
			}
			kept += len(n.pods) - 1 // without the agent
			if len(n.taints) > 0 {
				t.Errorf("seed %d: a node that is well again has %s", seed, n.taints[0])
			}
			for _, e := range s.report.evictions {
				if e.pod.node == n && tolerance(e.pod) != 30*time.Second {
					t.Errorf("seed %d: a pod that tolerates it for %s left", seed, tolerance(e.pod))
				}
			}
		}
		if sum := total(s); sum.canceled != kept || sum.failed != 4 {
			t.Errorf("seed %d: %d of %d canceled on %d nodes", seed, sum.canceled, kept, sum.failed)
		}
	}
}

// A restart changes nothing if deadlines count from when the taints came.
// Otherwise everybody gets the full time anew.
func TestRestart(t *testing.T) {
	const restart = 5 * time.Minute
	leavings := func(s *simulation) []string {
		var list []string
		for _, e := range s.report.evictions {
			list = append(list, fmt.Sprintf("%s node %d",
				clock(e.at.Sub(start)), slices.Index(s.cluster.nodes, e.pod.node)))
		}
		slices.Sort(list) // those of one deadline have no order
		return list
	}
	for seed := range 20 {
		undisturbed := leavings(simulate(t, "-scenario restart -nodes 60 -pods 600 -restart 0 -seed %d", seed))
		restarted := leavings(simulate(t, "-scenario restart -nodes 60 -pods 600 -restart 5m -seed %d", seed))
		if diff := cmp.Diff(undisturbed, restarted); diff != "" {
			t.Errorf("seed %d (-undisturbed +restarted):\n%s", seed, diff)
		}
		s := simulate(t, "-scenario restart -nodes 60 -pods 600 -restart 5m -from-time-added=false -seed %d", seed)
		late := 0
		for _, e := range s.report.evictions {
			at := e.at.Sub(start)
			if at <= restart {
				continue
			}
			late++
			if at != restart+tolerance(e.pod) {
				t.Errorf("seed %d: a pod left %s after the restart, and tolerates it for %s",
					seed, at-restart, tolerance(e.pod))
			}
		}
		if late == 0 {
			t.Errorf("seed %d: nobody left after the restart", seed)
		}
	}
}

// A maintenance evicts pods that do not tolerate it at once, and others in their
// time.
func TestMaintenance(t *testing.T) {
	s := simulate(t, "-scenario maintenance -pods 5000 -maintain 1m0.5s")
	for _, e := range s.report.evictions {
		want := time.Minute + time.Second/2
		if tolerance(e.pod) == 30*time.Minute {
			want += 10 * time.Minute
		}
		if at := e.at.Sub(start); at != want {
			t.Errorf("a pod left at %s, want %s", at, want)
		}
	}
	if last := simulate(t, "-scenario maintenance -maintain 5m -for 5m"); len(last.report.evictions) == 0 {
		t.Error("what comes at the end does not happen")
	}
	if sum := total(s); sum.tainted != maintained || sum.spared != maintained || sum.pending != 0 || sum.canceled != 0 {
		t.Errorf("got %+v", sum)
	}
}

// TestLaws lets things of every kind happen to small clusters and checks after
// each step what must always hold.
func TestLaws(t *testing.T) {
	for seed := range 40 {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		minutes := func(n int) string { return fmt.Sprintf("%dms", 250*r.IntN(240*n)) }
		zones := 1 + r.IntN(4)
		nodes := zones + r.IntN(70*zones)
		zone := []string{allZones, zoneNames[r.IntN(zones):][:1]}[r.IntN(2)]
		s := prepare(t,
			"-seed %d -zones %d -nodes %d -pods %d -fail %d -recover %s -maintain %s -restart %s -for 15m -partition a@%s+1m%s,%s@%s+1m%s",
			seed, zones, nodes, 3*nodes, r.IntN(nodes+1), minutes(8), minutes(15), minutes(15),
			minutes(8), minutes(5), zone, minutes(8), minutes(8))
		l := newLaws(t, s)
		for s.elapsed() <= s.length && !t.Failed() {
			l.step()
		}
		l.checkCounts()
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, s.options)
		}
	}
}

// laws are what must hold in a simulation.
type laws struct {
	*testing.T
	*simulation
	policy  taints.EvictionPolicy
	tainted map[*node]bool
	zones   []taintings
}

// taintings are how many nodes of a zone have been tainted since its rate is
// what it is.
type taintings struct {
	rate  float64
	since time.Time
	n     int
}

func newLaws(t *testing.T, s *simulation) *laws {
	return &laws{
		T: t, simulation: s, policy: taints.EvictionPolicy{FromTimeAdded: true},
		tainted: make(map[*node]bool), zones: make([]taintings, len(s.cluster.zones)),
	}
}

func (l *laws) step() {
	now, before := l.now, len(l.report.evictions)
	l.simulation.step()
	for _, e := range l.report.evictions[before:] {
		l.checkEviction(e)
	}
	l.checkRates(now)
	if now.Sub(start)%time.Minute == 0 || l.elapsed() > l.length {
		l.checkPods(now)
	}
}

// checkEviction checks that a pod leaves when the library says so.
func (l *laws) checkEviction(e eviction) {
	switch want := l.policy.EvictionOf(e.pod.node.taints, e.pod.kind.tolerations, e.at); {
	case want.Outcome == taints.Stays:
		l.Errorf("%s: a pod left that should stay", clock(e.at.Sub(start)))
	case e.at.Before(want.At):
		l.Errorf("%s: a pod left before %s", clock(e.at.Sub(start)), clock(want.At.Sub(start)))
	case want.Outcome == taints.EvictsAt && e.at.Sub(want.At) >= time.Second:
		l.Errorf("%s: a pod left after %s", clock(e.at.Sub(start)), clock(want.At.Sub(start)))
	}
}

// checkPods checks that no pod is there that should have left, and that those are
// that tolerate everything forever.
func (l *laws) checkPods(now time.Time) {
	for _, n := range l.cluster.nodes {
		for _, p := range n.pods {
			e := l.policy.EvictionOf(n.taints, p.kind.tolerations, now)
			if e.Outcome != taints.Stays && !e.At.After(now) {
				l.Errorf("%s: a pod is there that had to leave at %s", clock(now.Sub(start)), clock(e.At.Sub(start)))
			}
		}
		if len(n.pods) == 0 || tolerance(n.pods[0]) < 24*time.Hour {
			l.Errorf("%s: an agent has left", clock(now.Sub(start)))
		}
	}
}

// checkRates checks that the rates are those of the policy, and that no zone
// was tainted faster.
func (l *laws) checkRates(now time.Time) {
	for i := range l.zones {
		z, rate := &l.zones[i], l.lifecycle.work[i].limiter.rate
		if rate != z.rate {
			*z = taintings{rate: rate, since: now}
		}
	}
	counts := make([]lifecycle.Zone, len(l.zones))
	for _, n := range l.cluster.nodes {
		if n.ready() {
			counts[n.zone].Ready++
		} else {
			counts[n.zone].NotReady++
		}
		tainted := slices.ContainsFunc(n.taints, func(t taints.Taint) bool {
			return evicts(t) && t.Key != maintenanceKey
		})
		if tainted && !l.tainted[n] {
			l.zones[n.zone].n++
		}
		l.tainted[n] = tainted
	}
	rates := lifecycle.DefaultDisruptionPolicy().Rates(nil, counts)
	for i, z := range l.zones {
		if now.Sub(start)%monitorPeriod == 0 && z.rate != rates[i] {
			l.Errorf("%s: zone %d has rate %g, want %g", clock(now.Sub(start)), i, z.rate, rates[i])
		}
		most := 1 + now.Sub(z.since).Seconds()*float64(z.rate) + 1e-3
		if z.n > 0 && (z.rate == 0 || float64(z.n) > most) {
			l.Errorf("%s: %d nodes of zone %d tainted since %s, at %g in a second",
				clock(now.Sub(start)), z.n, i, clock(z.since.Sub(start)), z.rate)
		}
	}
}

// checkCounts checks the table against the cluster.
func (l *laws) checkCounts() {
	sum, pods := total(l.simulation), 0
	for _, n := range l.cluster.nodes {
		pods += len(n.pods)
	}
	if sum.pending != l.evictor.queue.Len() || pods+sum.evicted != l.nodes+l.pods {
		l.Errorf("%+v, but %d pending and %d of %d pods left",
			sum, l.evictor.queue.Len(), l.nodes+l.pods-pods, l.nodes+l.pods)
	}
}

// TestLimiter follows a limiter through changes of its rate.
func TestLimiter(t *testing.T) {
	l := limiter{rate: 0.1}
	for _, test := range []struct {
		at   int // seconds
		rate float64
		want bool
	}{
		{0, 0.1, true},
		{0, 0.1, false},
		{9, 0.1, false},
		{10, 0.1, true},
		{35, 0.1, true},
		{44, 0.1, false}, // no more than one saved up
		{45, 0.01, true},
		{144, 0.01, false}, // was full
		{144, 0.1, false},
		{153, 0.1, false},
		{154, 0.1, true}, // was empty
		{155, 0, false},
		{500, 0, false},
		{501, 0.1, false},
		{510, 0.1, false},
		{511, 0.1, true},
		{521, unlimited, true},
		{521, unlimited, true},
	} {
		now := start.Add(time.Duration(test.at) * time.Second)
		l.setRate(test.rate, now)
		if got := l.take(now); got != test.want {
			t.Errorf("second %d, rate %g: got %t", test.at, test.rate, got)
		}
	}
}

// The controller wakes for its limiters, not only for its passes.
func TestRate(t *testing.T) {
	s := prepare(t, "-scenario partition -zones 2 -nodes 20 -pods 0 -partition a@1m+5m")
	s.lifecycle.policy.Rate = 0.3
	var last time.Time
	for s.elapsed() <= s.length {
		now, before := s.now, len(s.report.tainted)
		s.step()
		if len(s.report.tainted) == before {
			continue
		}
		if gap := now.Sub(last); before > 2 && gap != 3333*time.Millisecond {
			t.Errorf("node %d tainted %s after the one before", before+1, gap)
		}
		last = now
	}
	if len(s.report.tainted) != 10 {
		t.Errorf("%d nodes tainted", len(s.report.tainted))
	}
}

// TestReconcile checks which taints wait their turn: only those that evict, and
// not one that takes the place of another.
func TestReconcile(t *testing.T) {
	s := prepare(t, "-nodes 3 -pods 0 -fail 0")
	n := s.cluster.nodes[0]
	waiting := &s.lifecycle.work[n.zone].waiting
	check := func(want string, waits bool) {
		t.Helper()
		var got []string
		for _, taint := range n.taints {
			got = append(got, strings.TrimPrefix(taint.String(), "node.kubernetes.io/"))
		}
		if s := strings.Join(got, " "); s != want || slices.Contains(*waiting, n) != waits {
			t.Errorf("the node has %q, want %q; waiting are %d", s, want, len(*waiting))
		}
	}
	n.state = isReady("False")
	s.lifecycle.reconcile(n, start)
	check("not-ready:NoSchedule", true)

	s.cluster.patch(n, lifecycle.ReconcileConditions(n.taints, n.state, start)) // its turn
	*waiting = nil
	check("not-ready:NoSchedule not-ready:NoExecute", false)

	n.state = isReady("Unknown")
	s.lifecycle.reconcile(n, start)
	check("unreachable:NoSchedule unreachable:NoExecute", false)

	n.state = isReady("True")
	s.lifecycle.reconcile(n, start)
	check("", false)
}

func TestWithoutEvictions(t *testing.T) {
	var list []taints.Taint
	for _, key := range []string{taints.NodeNotReady, taints.NodeUnreachable, maintenanceKey} {
		for _, effect := range []taints.Effect{taints.NoSchedule, taints.NoExecute} {
			list = append(list, taints.Taint{Key: key, Effect: effect})
		}
	}
	left, changed := withoutEvictions.Apply(list)
	want := []taints.Taint{list[0], list[2], list[4], list[5]}
	if diff := cmp.Diff(want, left); diff != "" || !changed {
		t.Errorf("changed %t (-want +got):\n%s", changed, diff)
	}
	if _, changed = withoutEvictions.Apply(left); changed {
		t.Error("changed a node on which nothing is left to change")
	}
}

// TestZonesChanged checks that like zones come in one line.
func TestZonesChanged(t *testing.T) {
	zones := []*zone{{name: "a"}, {name: "b"}, {name: "c"}, {name: "d"}}
	var out strings.Builder
	r := newReport(&cluster{zones: zones}, &out)
	r.zonesChanged([]zoneState{
		{zones[0], lifecycle.ZonePartial, 0},
		{zones[1], lifecycle.ZoneFull, 0.1},
		{zones[2], lifecycle.ZonePartial, 0},
		{zones[3], lifecycle.ZonePartial, 0.01},
	}, start)
	want := `00:00        zones a, c: many nodes not ready, none may be tainted
00:00        zone d: many nodes not ready, one may be tainted every 1m40s
00:00        zone b: no node ready, one may be tainted every 10s
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
