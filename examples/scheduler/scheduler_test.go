// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
)

// testNode returns a node of a size of 1 CPU and 1000 MiB, with the taints and
// as much free as it says in percent.
func testNode(cpu, memory int64, specs ...string) node {
	size := resources{1000, 1000}
	n := node{pool: &pool{name: "test", size: size}, free: resources{10 * cpu, 10 * memory}}
	for _, s := range specs {
		n.own = append(n.own, taints.MustParseTaint(s))
	}
	n.taints = n.own
	return n
}

func testPod(cpu, memory int64, specs ...string) *pod {
	p := &pod{kind: &kind{request: resources{10 * cpu, 10 * memory}}}
	for _, s := range specs {
		p.tolerations = append(p.tolerations, taints.MustParseToleration(s))
	}
	return p
}

func testScheduler(nodes ...node) *scheduler {
	o := options{score: len(nodes), taintWeight: 3, freeWeight: 1}
	return &scheduler{
		options: o, nodes: nodes, filter: newIndexFilter(nodes, o.score), matchers: make(matchers),
		rng: rand.New(rand.NewPCG(1, 1)), clock: stepClock(),
	}
}

func TestSchedule(t *testing.T) {
	tests := []struct {
		name  string
		pod   *pod
		nodes []node
		want  []int // one of these, each of them at times; none for pending
	}{
		{"the most room", testPod(10, 10), []node{testNode(50, 50), testNode(90, 90), testNode(100, 70)}, []int{1}},
		{
			"one resource less does not make up for more of the other", testPod(10, 10),
			[]node{testNode(100, 60), testNode(60, 100), testNode(85, 85)},
			[]int{2},
		},
		{
			"ties at random", testPod(10, 10),
			[]node{testNode(90, 90), testNode(50, 50), testNode(90, 90), testNode(100, 80)},
			[]int{0, 2, 3},
		},
		{"exactly fits", testPod(50, 40), []node{testNode(49, 100), testNode(100, 39), testNode(50, 40)}, []int{2}},
		{"fits nowhere", testPod(50, 50), []node{testNode(100, 49), testNode(49, 100)}, nil},
		{
			"tolerates nothing", testPod(1, 1),
			[]node{testNode(100, 100, "a:NoSchedule"), testNode(100, 100, "a:NoExecute")},
			nil,
		},
		{
			"tolerates the lesser node", testPod(1, 1, "a:NoSchedule"),
			[]node{testNode(5, 5, "a:NoSchedule"), testNode(100, 100, "b:NoExecute")},
			[]int{0},
		},
		{
			"avoids PreferNoSchedule", testPod(1, 1),
			[]node{testNode(100, 100, "a:PreferNoSchedule"), testNode(5, 5)},
			[]int{1},
		},
		{
			"avoids more of it", testPod(1, 1),
			[]node{testNode(10, 10, "a:PreferNoSchedule", "b:PreferNoSchedule"), testNode(5, 5, "a:PreferNoSchedule")},
			[]int{1},
		},
		{
			"takes it if there is nothing else", testPod(1, 1),
			[]node{testNode(100, 100, "a:PreferNoSchedule"), testNode(100, 100, "a:NoSchedule")},
			[]int{0},
		},
		{
			"does not mind what it tolerates", testPod(1, 1, "a:PreferNoSchedule"),
			[]node{testNode(100, 100, "a:PreferNoSchedule"), testNode(50, 50)},
			[]int{0},
		},
		{
			"below the threshold", testPod(1, 1, "risk=5 op=Lt"),
			[]node{testNode(100, 100, "risk=5:NoSchedule"), testNode(5, 5, "risk=4:NoSchedule")},
			[]int{1},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := testScheduler(slices.Clone(test.nodes)...)
			seen := make(map[int]bool)
			for range 50 {
				node, ok := s.schedule(test.pod)
				if !ok {
					break
				}
				seen[node] = true
				if want := test.nodes[node].free.minus(test.pod.kind.request); s.nodes[node].free != want {
					t.Fatalf("node %d has %+v left, want %+v", node, s.nodes[node].free, want)
				}
				s.nodes[node].free = test.nodes[node].free
			}
			for node := range test.nodes {
				if seen[node] != slices.Contains(test.want, node) {
					t.Errorf("placed on %v, want %v", seen, test.want)
				}
			}
		})
	}
}

func TestWeights(t *testing.T) {
	for _, test := range []struct{ taintWeight, freeWeight, want int }{
		{1, 1, 0}, {1, 3, 1}, {3, 3, 0}, {1, 2, 1}, {6, 5, 0},
	} {
		s := testScheduler(testNode(31, 31), testNode(91, 91, "a:PreferNoSchedule"))
		s.taintWeight, s.freeWeight = test.taintWeight, test.freeWeight
		if got, ok := s.schedule(testPod(1, 1)); got != test.want || !ok {
			t.Errorf("%+v: placed on %d", test, got)
		}
	}
}

// TestCandidates checks how many nodes are scored, and that none of those that
// could be is left out forever.
func TestCandidates(t *testing.T) {
	var nodes []node
	for i := range 50 {
		nodes = append(nodes, testNode(int64(i%3), 100)) // every third has no room
	}
	s := testScheduler(nodes...)
	s.score = 4
	seen := make(map[int]bool)
	p := testPod(1, 1)
	for range 500 {
		s.findCandidates(p)
		if len(s.candidates) != 4 {
			t.Fatalf("%d candidates", len(s.candidates))
		}
		for _, node := range s.candidates {
			seen[node] = true
			if node%3 == 0 {
				t.Fatalf("node %d has no room", node)
			}
		}
	}
	if len(seen) != 33 {
		t.Errorf("%d nodes were candidates, want 33", len(seen))
	}
}

func TestMatchers(t *testing.T) {
	c := make(matchers)
	a, b := testPod(1, 1, "a op=Exists", "b"), testPod(2, 2, "a op=Exists", "b")
	other := testPod(1, 1, "a op=Exists", "c")
	m := c.compile(a.tolerations)
	if c.compile(b.tolerations) != m || c.compile(other.tolerations) == m || len(c) != 2 {
		t.Error("a Matcher for each distinct list was wanted")
	}
	none, again := c.compile(nil), c.compile(nil)
	if none != again || none.Filter(testNode(1, 1, "a:NoSchedule").taints).Schedulable() {
		t.Error("the empty list is compiled twice or tolerates something")
	}
}

// TestFiltersAgree changes taints at random: the Index and the loop yield the
// same nodes in the same order, all or the first few, and say the same of those
// that are not feasible.
func TestFiltersAgree(t *testing.T) {
	specs := []string{"a:NoSchedule", "b=1:NoSchedule", "b=2:NoExecute", "c:PreferNoSchedule"}
	taintSet := rapid.SliceOfNDistinct(rapid.SampledFrom(specs), 0, 3, rapid.ID[string])
	texts := []string{"a op=Exists", "b=2 op=Lt", "b=2", "c op=Exists", "op=Exists", "A"}
	tolerations := rapid.SliceOfN(rapid.SampledFrom(texts), 0, 3)
	walked, listed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var nodes, same []node
		for _, list := range rapid.SliceOfN(taintSet, 1, 60).Draw(t, "nodes") {
			nodes, same = append(nodes, testNode(1, 1, list...)), append(same, testNode(1, 1, list...))
		}
		loop, index := &loopFilter{nodes: nodes}, newIndexFilter(same, rapid.IntRange(1, 20).Draw(t, "enough"))
		for range rapid.IntRange(0, 10).Draw(t, "changes") {
			at := rapid.IntRange(0, len(nodes)-1).Draw(t, "node")
			list := testNode(1, 1, taintSet.Draw(t, "taints")...).taints
			loop.set(at, list)
			index.set(at, list)
		}
		m := taints.Compile(testPod(1, 1, tolerations.Draw(t, "tolerations")...).tolerations)
		start, most := rapid.IntRange(0, len(nodes)-1).Draw(t, "start"), rapid.IntRange(1, 70).Draw(t, "most")
		want, got := take(loop, m, start, most), take(index, m, start, most)
		if !slices.Equal(got, want) {
			t.Fatalf("the Index yields %v, the loop %v", got, want)
		}
		if got, want := slices.Sorted(slices.Values(index.all(m))), loop.all(m); !slices.Equal(got, want) {
			t.Fatalf("all that the Index returns are %v, and the loop %v", got, want)
		}
		if got, want := index.summarize(m).String(), loop.summarize(m).String(); got != want {
			t.Fatalf("the Index says %s, the loop %s", got, want)
		}
		if index.list == nil {
			walked++
		} else {
			listed++
		}
	})
	if walked+listed >= 50 && min(walked, listed) == 0 {
		t.Errorf("the Index walked %d times and listed %d times", walked, listed)
	}
}

func take(f filter, m *taints.Matcher, start, most int) []feasibleNode {
	var nodes []feasibleNode
	for node, v := range f.feasible(m, start) {
		if nodes = append(nodes, feasibleNode{node, v}); len(nodes) == most {
			break
		}
	}
	return nodes
}

// TestFeasibleLooksAtFew checks that the Index spares looks at nodes, whether
// feasible nodes are rare or not.
func TestFeasibleLooksAtFew(t *testing.T) {
	var nodes []node
	for i := range 10_000 {
		spec := "pool=general:NoSchedule"
		if i%1000 == 7 {
			spec = "pool=rare:NoSchedule"
		}
		nodes = append(nodes, testNode(1, 1, spec))
	}
	for toleration, want := range map[string]int{"pool=rare": 10, "pool=none": 0, "pool op=Exists": 20} {
		f := newIndexFilter(nodes, 20)
		take(f, taints.Compile(testPod(1, 1, toleration).tolerations), 5000, 20)
		if got := f.looked(); got != want {
			t.Errorf("%s: looked at %d nodes, want %d", toleration, got, want)
		}
	}
}

// TestCluster checks the tables of pools and kinds.
func TestCluster(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range kinds {
		if k := &kinds[i]; k.share <= 0 || k.request.cpu <= 0 || k.request.memory <= 0 {
			t.Errorf("%+v", k)
		}
	}
	byPool := make(map[string]int)
	nodes := newNodes(1000, rng)
	for i := range nodes {
		byPool[nodes[i].pool.name]++
		if err := taints.ValidateTaints(nodes[i].own); err != nil || len(nodes[i].own) == 0 {
			t.Error(nodes[i].own, err)
		}
	}
	for _, p := range pools {
		if byPool[p.name] != 10*p.share {
			t.Errorf("%d of 1000 nodes are %s", byPool[p.name], p.name)
		}
	}
	byKind := make(map[string]int)
	for range 10_000 {
		p := newPod(1000, rng)
		byKind[p.kind.name]++
		if err := taints.ValidateTolerations(p.tolerations); err != nil || len(p.tolerations) < 3 {
			t.Error(p.tolerations, err)
		}
	}
	for _, k := range kinds {
		if got := byKind[k.name]; got < 80*k.share || got > 120*k.share {
			if k.share > 1 || got == 0 {
				t.Errorf("%d of 10000 pods are %s, want %d or so", got, k.name, 100*k.share)
			}
		}
	}
}
