// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"iter"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-0529bac1/taints"
)

// A history is an index that is updated in a known order, so that its nodes
// after any number of updates are known. As many other nodes have their own
// taints, so that there are groups to search.
type history struct {
	index   Index[int]
	mu      sync.Mutex // held for each update
	updates atomic.Int64
}

const historyNodes = 60

// historyLists are the taints that a node has in turn before it is deleted.
var historyLists = [][]taints.Taint{
	nil, parseTaints("a=1:NoSchedule"), parseTaints("a=1:NoSchedule", "b=3:NoExecute"),
	parseTaints("b=3:NoExecute", "a=1:NoSchedule"), parseTaints("b=1:NoExecute"),
	parseTaints("c:PreferNoSchedule"), parseTaints("c:PreferNoSchedule", "a=2:NoSchedule"),
}

// listAt returns the index in historyLists of the list that the update sets.
func listAt(update int) int {
	return (update/historyNodes*3 + update) % (len(historyLists) + 1)
}

// update performs the next update.
func (h *history) update() {
	h.mu.Lock()
	defer h.mu.Unlock()
	update := int(h.updates.Load())
	if i := listAt(update); i < len(historyLists) {
		h.index.Set(update%historyNodes, historyLists[i])
	} else {
		h.index.Delete(update % historyNodes)
	}
	h.updates.Add(1)
}

// after returns the nodes after the given number of updates.
func after(updates int) *model {
	x := &model{repels: taints.Hard, nodes: make(map[int][]taints.Taint)}
	for node := range historyNodes {
		x.nodes[historyNodes+node] = own(0)
	}
	for update := max(0, updates-historyNodes); update < updates; update++ {
		if i := listAt(update); i < len(historyLists) {
			x.nodes[update%historyNodes] = historyLists[i]
		}
	}
	return x
}

// A historyQuery queries the index, and calls settled as soon as later updates
// must not change the result.
type historyQuery struct {
	name string
	ask  func(x *Index[int], m *taints.Matcher, settled func()) any
	want func(x *model, m *taints.Matcher) any
}

var historyQueries = []historyQuery{
	{"CountFeasible", func(x *Index[int], m *taints.Matcher, _ func()) any {
		return x.CountFeasible(m)
	}, func(x *model, m *taints.Matcher) any { return len(x.feasible(m)) }},
	{"AppendFeasible", func(x *Index[int], m *taints.Matcher, _ func()) any {
		return slices.Sorted(slices.Values(x.AppendFeasible(nil, m)))
	}, func(x *model, m *taints.Matcher) any { return x.feasible(m) }},
	{"FeasibleVerdicts", func(x *Index[int], m *taints.Matcher, settled func()) any {
		return slowly(x.FeasibleVerdicts(m), settled)
	}, func(x *model, m *taints.Matcher) any { return x.verdicts(m, slices.Values(x.feasible(m))) }},
	{"Verdicts", func(x *Index[int], m *taints.Matcher, settled func()) any {
		return slowly(x.Verdicts(m), settled)
	}, func(x *model, m *taints.Matcher) any { return x.verdicts(m, maps.Keys(x.nodes)) }},
}

// slowly returns what a loop yields. It lets other goroutines run after each node.
func slowly(nodes iter.Seq2[int, taints.Verdict], settled func()) map[int]taints.Verdict {
	all := make(map[int]taints.Verdict)
	for node, v := range nodes {
		settled()
		all[node] = v
		runtime.Gosched()
	}
	return all
}

// check runs a query, and checks that the result is correct for a moment
// between the call and the time when it is settled.
func (h *history) check(t *testing.T, q historyQuery, m *taints.Matcher) {
	first, last := int(h.updates.Load()), 0
	settled := sync.OnceFunc(func() { last = int(h.updates.Load()) + 1 })
	got := q.ask(&h.index, m, settled)
	settled()
	for moment := first; moment <= last; moment++ {
		if reflect.DeepEqual(got, q.want(after(moment), m)) {
			return
		}
	}
	t.Errorf("%s is that of no moment: %v", q.name, got)
}

// Queries of all kinds run while nodes move between groups, both groups that
// the queries search for and others. Each result is that of one moment.
func TestQueriesSeeOneMoment(t *testing.T) {
	pods := []*taints.Matcher{
		compile("a op=Exists", "b=2 op=Gt"),
		compile("a=1:NoSchedule"),
		// Matches every key, so no search finds its groups.
		taints.Compile([]taints.Toleration{{Value: "1", Effect: taints.NoExecute}}),
		compile("op=Exists"),
	}
	updates := int64(8_000)
	if testing.Short() {
		updates = 2_000
	}
	var h history
	for i := range historyNodes {
		h.index.Set(historyNodes+i, own(i))
	}
	var wait sync.WaitGroup
	run := func(f func(i int)) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := 0; i == 0 || h.updates.Load() < updates && !t.Failed(); i++ {
				f(i)
				runtime.Gosched() // needed if goroutines are not preempted, as in WebAssembly
			}
		}()
	}
	for _, q := range historyQueries {
		run(func(i int) { h.check(t, q, pods[i%len(pods)]) })
	}
	for range 2 {
		run(func(int) { h.update() })
		// At any time, because all pods treat the old and the new taint alike.
		run(func(i int) { h.index.Set(historyNodes+i*7%historyNodes, own(i%500)) })
	}
	wait.Wait()
	audit(t, &h.index)
	for _, q := range historyQueries {
		for _, m := range pods {
			h.check(t, q, m)
		}
	}
}

// Every call waits for the lock. A call that does not wait can finish here.
func TestCallsLock(t *testing.T) {
	for name, call := range map[string]func(x *Index[int]){
		"Set":              func(x *Index[int]) { x.Set(1, own(7)) },
		"Delete":           func(x *Index[int]) { x.Delete(1) },
		"Len":              func(x *Index[int]) { x.Len() },
		"CountFeasible":    func(x *Index[int]) { x.CountFeasible(nil) },
		"AppendFeasible":   func(x *Index[int]) { x.AppendFeasible(nil, nil) },
		"Feasible":         func(x *Index[int]) { x.Feasible(nil)(func(int) bool { return false }) },
		"FeasibleVerdicts": func(x *Index[int]) { x.FeasibleVerdicts(nil)(func(int, taints.Verdict) bool { return false }) },
		"Verdicts":         func(x *Index[int]) { x.Verdicts(nil)(func(int, taints.Verdict) bool { return false }) },
		"Groups":           func(x *Index[int]) { x.Groups()(func([]taints.Taint, int) bool { return false }) },
	} {
		var x Index[int]
		x.Set(1, nil)
		var called atomic.Bool
		done := make(chan struct{})
		x.lock.Lock()
		go func() {
			call(&x)
			called.Store(true)
			close(done)
		}()
		for range 10_000 {
			runtime.Gosched()
		}
		if called.Load() {
			t.Errorf("%s does not wait for the lock", name)
		}
		x.lock.Unlock()
		<-done
		audit(t, &x)
	}
}
