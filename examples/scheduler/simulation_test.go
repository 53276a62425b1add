// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints"
)

func testOptions(nodes, pods, seed int) options {
	return options{nodes: nodes, pods: pods, seed: seed, score: 10, taintWeight: 3, freeWeight: 1}
}

// TestRules holds each placement against the taints of that moment, by the
// library's other functions, and against what the pods that were placed before
// have left.
func TestRules(t *testing.T) {
	for _, indexed := range []bool{true, false} {
		s := newSimulation(testOptions(60, 3000, 1), indexed, stepClock())
		used := make([]resources, len(s.nodes))
		placed, onOld := 0, 0
		for i := range s.pods {
			if i%podsPerChange == 0 {
				s.change()
			}
			p := s.arrive()
			s.try(p)
			node := s.decisions[i]
			if node == pending {
				for j := range s.nodes {
					n := &s.nodes[j]
					if taints.Filter(n.taints, p.tolerations).Schedulable() && n.free.holds(p.kind.request) {
						t.Fatalf("%s waits, but there is node %d with %+v", p.kind.name, j, n.free)
					}
				}
				continue
			}
			placed++
			n := &s.nodes[node]
			if at, found := taints.FindUntolerated(n.taints, p.tolerations, taints.Hard); found {
				t.Fatalf("%s is on a node with %s", p.kind.name, n.taints[at])
			}
			used[node].cpu += p.kind.request.cpu
			used[node].memory += p.kind.request.memory
			if left := n.pool.size.minus(used[node]); left != n.free || !left.holds(resources{}) {
				t.Fatalf("a node has %+v left, and not %+v", left, n.free)
			}
			if p.kind.name == "web" && n.pool.name == "old" {
				onOld++
			}
		}
		if placed == 0 || placed == s.pods {
			t.Errorf("%d of %d pods were placed", placed, s.pods)
		}
		if onOld == 0 {
			t.Error("no pod was placed on an old node although others were full")
		}
	}
}

// TestTroubles checks that few nodes are in trouble, each in one, and that all
// is counted.
func TestTroubles(t *testing.T) {
	s := newSimulation(testOptions(200, 1, 1), true, stepClock())
	for range 5000 {
		s.change()
		if len(s.troubled) > 5 {
			t.Fatalf("%d nodes are in trouble", len(s.troubled))
		}
		inTrouble := 0
		for i := range s.nodes {
			if s.nodes[i].isTroubled() {
				inTrouble++
			}
			if err := taints.ValidateTaints(s.nodes[i].taints); err != nil {
				t.Fatal(err)
			}
		}
		if inTrouble != len(s.troubled) {
			t.Fatalf("%d nodes are in trouble, but %d are listed", inTrouble, len(s.troubled))
		}
	}
	began := 0
	for i := range troubles {
		if n := s.began[&troubles[i]]; n == 0 {
			t.Errorf("no node was %s", troubles[i].name)
		} else {
			began += n
		}
	}
	if began != s.ended+len(s.troubled) {
		t.Errorf("%d troubles began, %d ended, %d are left", began, s.ended, len(s.troubled))
	}
}

func TestSameSeedSamePlacements(t *testing.T) {
	run := func(seed int) []int {
		s := newSimulation(testOptions(500, 500, seed), true, stepClock())
		s.run(context.Background())
		return s.decisions
	}
	if !slices.Equal(run(1), run(1)) {
		t.Error("two runs with one seed differ")
	}
	if slices.Equal(run(1), run(2)) {
		t.Error("the seed makes no difference")
	}
}

// TestIndexAndLoopAgree runs clusters of many sizes, empty and full, with
// samples that make the Index list nodes and walk.
func TestIndexAndLoopAgree(t *testing.T) {
	for _, nodes := range []int{1, 2, 7, 100, 900} {
		for _, score := range []int{1, 10, 1000} {
			for seed := range 4 {
				o := testOptions(nodes, 300, seed)
				o.score, o.compare = score, true
				r, err := simulate(context.Background(), o, stepClock())
				if err != nil {
					t.Fatalf("%+v: %v", o, err)
				}
				if r.WithIndex.Tries != r.WithLoop.Tries || r.WithIndex.LookedAt > r.WithLoop.LookedAt {
					t.Errorf("%+v: %+v with an Index, %+v with a loop", o, r.WithIndex, r.WithLoop)
				}
			}
		}
	}
}

func TestWhy(t *testing.T) {
	tests := []struct {
		pod   *pod
		nodes []node
		want  string
	}{
		{
			testPod(50, 100),
			[]node{
				testNode(49, 100),
				testNode(50, 99),
				testNode(50, 1),
				testNode(0, 0, "a:NoExecute"),
			},
			"3/4 nodes are available: 1 with less than 0.5 CPU left, 2 with less than 0.9765625 GiB",
		},
		{
			testPod(1, 1, "a=X"),
			[]node{
				testNode(1, 1, "a=x:NoSchedule", "b:NoSchedule"),
				testNode(1, 1, "b:NoSchedule", "c:NoSchedule"),
			},
			"0/2 nodes are available: 2 have untolerated taint b:NoSchedule, 1 has untolerated taint a=x:NoSchedule" +
				" (closest: a=X, the value differs only in letter case), 1 has untolerated taint c:NoSchedule",
		},
		{
			testPod(1, 1),
			[]node{testNode(1, 1, "a:NoSchedule", "b:NoSchedule", "c:NoSchedule", "d:NoSchedule")},
			"0/1 nodes are available: 1 has untolerated taint a:NoSchedule, 1 has untolerated taint b:NoSchedule" +
				", 1 has untolerated taint c:NoSchedule, and 1 more",
		},
	}
	for _, test := range tests {
		s := simulation{scheduler: *testScheduler(test.nodes...)}
		if got := s.why(test.pod); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestCheckSame(t *testing.T) {
	why := []pendingRow{{"typo", 1, "why"}}
	tests := []struct {
		loop        []int
		loopReasons []pendingRow
		interrupted bool
		ok          bool
	}{
		{[]int{1, pending, 2}, why, false, true},
		{[]int{1, pending, 3}, why, false, false},
		{[]int{1, pending}, why, false, false},
		{[]int{1, pending}, nil, true, true},
		{[]int{1, 2}, nil, true, false},
		{[]int{1, pending, 2, 3}, why, false, false},
		{[]int{1, pending, 2, 3}, why, true, false},
		{[]int{1, pending, 2}, nil, false, false},
	}
	for _, test := range tests {
		err := checkSame([]int{1, pending, 2}, test.loop, why, test.loopReasons, test.interrupted)
		if (err == nil) != test.ok {
			t.Errorf("%+v: %v", test, err)
		}
	}
}
