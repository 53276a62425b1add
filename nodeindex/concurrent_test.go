// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"hash/maphash"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-0529bac1/taints"
)

// A journalQuery answers with a number, to which each node of the index adds: a
// count, or a sum of hashes, which tells a set of nodes from all others. It calls
// settled as soon as later updates must not change the answer.
type journalQuery struct {
	name string
	adds func(node int, v taints.Verdict) uint64
	ask  func(x *Index[int], m *taints.Matcher, settled func()) uint64
}

var journalQueries = [...]journalQuery{
	{"Len", one, func(x *Index[int], _ *taints.Matcher, _ func()) uint64 { return uint64(x.Len()) }},
	{"CountFeasible", ifFeasible(one), func(x *Index[int], m *taints.Matcher, _ func()) uint64 {
		return uint64(x.CountFeasible(m))
	}},
	{"AppendFeasible", ifFeasible(name), func(x *Index[int], m *taints.Matcher, _ func()) uint64 {
		return sumNodes(slices.Values(x.AppendFeasible(nil, m)), func() {})
	}},
	{"Feasible", ifFeasible(name), func(x *Index[int], m *taints.Matcher, settled func()) uint64 {
		return sumNodes(x.Feasible(m), settled)
	}},
	{"FeasibleVerdicts", ifFeasible(both), func(x *Index[int], m *taints.Matcher, settled func()) uint64 {
		return sumVerdicts(x.FeasibleVerdicts(m), settled)
	}},
	{"Verdicts", both, func(x *Index[int], m *taints.Matcher, settled func()) uint64 {
		return sumVerdicts(x.Verdicts(m), settled)
	}},
	{"Groups", verdict, func(x *Index[int], m *taints.Matcher, settled func()) uint64 {
		var sum uint64
		for list, nodes := range x.Groups() {
			settled()
			sum += uint64(nodes) * verdict(0, m.Filter(list))
			runtime.Gosched()
		}
		return sum
	}},
}

var journalSeed = maphash.MakeSeed()

func one(int, taints.Verdict) uint64         { return 1 }
func name(node int, _ taints.Verdict) uint64 { return maphash.Comparable(journalSeed, node) }
func verdict(_ int, v taints.Verdict) uint64 { return maphash.Comparable(journalSeed, v) }
func both(node int, v taints.Verdict) uint64 { return name(node, v) * (verdict(node, v) | 1) }

func ifFeasible(f func(int, taints.Verdict) uint64) func(int, taints.Verdict) uint64 {
	return func(node int, v taints.Verdict) uint64 {
		if !v.Schedulable() {
			return 0
		}
		return f(node, v)
	}
}

// The sums of what a loop yields that lets others go on after each node.
func sumNodes(nodes iter.Seq[int], settled func()) (sum uint64) {
	for node := range nodes {
		settled()
		sum += name(node, taints.Verdict{})
		runtime.Gosched()
	}
	return sum
}

func sumVerdicts(nodes iter.Seq2[int, taints.Verdict], settled func()) (sum uint64) {
	for node, v := range nodes {
		settled()
		sum += both(node, v)
		runtime.Gosched()
	}
	return sum
}

var (
	journalPods = [...]*taints.Matcher{
		compile("a op=Exists", "b=2 op=Gt"),
		compile("a=1:NoSchedule"),
		nil,
		// Of every key, so that no search finds it.
		taints.Compile([]taints.Toleration{{Value: "1", Effect: taints.NoExecute}}),
		compile("op=Exists"),
	}
	journalLists = [][]taints.Taint{
		nil, parseTaints("a=1:NoSchedule"), parseTaints("a=1:NoSchedule", "b=3:NoExecute"),
		parseTaints("b=3:NoExecute", "a=1:NoSchedule"), parseTaints("b=1:NoExecute"),
		parseTaints("c:PreferNoSchedule"), parseTaints("c:PreferNoSchedule", "a=2:NoSchedule"),
	}
)

// A moment has the right answers to all queries for all pods.
type moment [len(journalPods)][len(journalQueries)]uint64

// A journal has the moment after each update so far.
type journal struct {
	index   Index[int]
	updates atomic.Int64 // the number of the last moment

	mu      sync.Mutex // held for each update
	lists   map[int][]taints.Taint
	moments []moment
}

// update sets the node, or removes it.
func (j *journal) update(node int, list []taints.Taint, remove bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := moment{}
	if n := len(j.moments); n > 0 {
		now = j.moments[n-1]
	}
	if old, present := j.lists[node]; present {
		now.add(node, old, -1)
	}
	if remove {
		j.index.Delete(node)
		delete(j.lists, node)
	} else {
		j.index.Set(node, list)
		j.lists[node] = list
		now.add(node, list, 1)
	}
	j.moments = append(j.moments, now)
	j.updates.Store(int64(len(j.moments) - 1))
}

func (m *moment) add(node int, list []taints.Taint, times int64) {
	for p, pod := range journalPods {
		v := pod.Filter(list)
		for q := range journalQueries {
			m[p][q] += uint64(times) * journalQueries[q].adds(node, v)
		}
	}
}

// since returns the moments from the first until now. An update that has reached
// the index has then reached the journal.
func (j *journal) since(first int64) []moment {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.moments[first:len(j.moments):len(j.moments)]
}

// check asks a query, and returns whether the answer is that of a moment between the
// call and the time when it is settled.
func (j *journal) check(query, pod int) bool {
	first := j.updates.Load()
	var moments []moment
	settled := sync.OnceFunc(func() { moments = j.since(first) })
	got := journalQueries[query].ask(&j.index, journalPods[pod], settled)
	settled()
	return slices.ContainsFunc(moments, func(m moment) bool { return m[pod][query] == got })
}

// Readers of all kinds ask while writers move nodes about, of groups that they look
// for and of others. Each answer is that of one moment.
func TestQueriesSeeOneMoment(t *testing.T) {
	const nodes = 150
	updates := int64(12_000)
	if testing.Short() {
		updates = 2_000
	}
	j := journal{lists: make(map[int][]taints.Taint)}
	for i := range nodes {
		j.update(i, journalLists[i%len(journalLists)], false)
		j.update(nodes+i, own(i), false) // so that there are groups to search
	}
	var wait sync.WaitGroup
	run := func(f func(i int)) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := 0; i == 0 || j.updates.Load() < updates && !t.Failed(); i++ {
				f(i)
				runtime.Gosched() // where no goroutine interrupts another, as in WebAssembly
			}
		}()
	}
	for query := range journalQueries {
		run(func(i int) {
			if pod := i % len(journalPods); !j.check(query, pod) {
				t.Errorf("%s for pod %d is that of no moment", journalQueries[query].name, pod)
			}
		})
	}
	for writer := range 2 {
		// One after the other, for the journal.
		run(func(i int) {
			j.update((2*i+writer)*7919%nodes, journalLists[i*31%len(journalLists)], i%5 == 0)
		})
		// At any time, of nodes that are alike to all queries.
		run(func(i int) { j.index.Set(nodes+(2*i+writer)%nodes, own(i%500)) })
	}
	wait.Wait()
	audit(t, &j.index)
	for query := range journalQueries {
		for pod := range journalPods {
			if !j.check(query, pod) {
				t.Errorf("%s for pod %d is another when all is quiet", journalQueries[query].name, pod)
			}
		}
	}
}

// Every call waits for the lock. Only one that does not can be done here.
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
