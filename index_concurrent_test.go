// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"fmt"
	"hash/maphash"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
)

// A moment is what queries for each pod find after an update: how many feasible
// nodes there are, and sums that tell their set, with and without their verdicts,
// from all others.
type moment struct {
	nodes int
	pods  [4]seenNodes // of concurrentPods
}

type seenNodes struct {
	count           int
	names, verdicts uint64
}

var sumSeed = maphash.MakeSeed()

func (s *seenNodes) add(node int, v taints.Verdict) {
	s.count++
	s.names += maphash.Comparable(sumSeed, node)
	s.verdicts += maphash.Comparable(sumSeed, [2]any{node, v})
}

func (s *seenNodes) remove(node int, v taints.Verdict) {
	s.count--
	s.names -= maphash.Comparable(sumSeed, node)
	s.verdicts -= maphash.Comparable(sumSeed, [2]any{node, v})
}

var (
	concurrentPods = [4]*taints.Matcher{
		taints.Compile(parseTolerations("a op=Exists", "b=2 op=Gt")),
		taints.Compile(parseTolerations("a=1")),
		nil,
		// Of every key, so that no search finds it.
		taints.Compile([]taints.Toleration{{Value: "1", Effect: taints.NoExecute}}),
	}
	concurrentLists = [][]taints.Taint{
		nil,
		parseTaints("a=1:NoSchedule"),
		parseTaints("a=1:NoSchedule", "b=3:NoExecute"),
		parseTaints("b=3:NoExecute", "a=1:NoSchedule"),
		parseTaints("b=1:NoExecute"),
		parseTaints("c:PreferNoSchedule"),
		parseTaints("c:PreferNoSchedule", "a=2:NoSchedule"),
	}
)

// A journal has what the index was like after each of the last updates.
type journal struct {
	mu      sync.Mutex // held for each update
	index   taints.Index[int]
	lists   map[int][]taints.Taint
	now     moment
	last    [1 << 12]moment
	updates atomic.Int64
}

// update sets or deletes the node.
func (j *journal) update(node int, list []taints.Taint, remove bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if old, there := j.lists[node]; there {
		j.now.nodes--
		j.each(old, func(s *seenNodes, v taints.Verdict) { s.remove(node, v) })
	}
	if remove {
		j.index.Delete(node)
		delete(j.lists, node)
	} else {
		j.index.Set(node, list)
		j.lists[node] = list
		j.now.nodes++
		j.each(list, func(s *seenNodes, v taints.Verdict) { s.add(node, v) })
	}
	n := j.updates.Add(1)
	j.last[n%int64(len(j.last))] = j.now
}

// each calls f for each pod that the taints let through.
func (j *journal) each(list []taints.Taint, f func(*seenNodes, taints.Verdict)) {
	for i, pod := range concurrentPods {
		if v := pod.Filter(list); v.Schedulable() {
			f(&j.now.pods[i], v)
		}
	}
}

// since returns the moments from the number of updates on until now, or none if
// some are forgotten. An update that has reached the index has then reached the
// journal.
func (j *journal) since(first int64) []moment {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := j.updates.Load()
	if n-first >= int64(len(j.last)) {
		return nil
	}
	var moments []moment
	for i := first; i <= n; i++ {
		moments = append(moments, j.last[i%int64(len(j.last))])
	}
	return moments
}

// An indexQuery asks the index, calls began when the answer is settled, and returns
// what a moment has to be like for the answer to be right.
type indexQuery struct {
	name string
	ask  func(x *taints.Index[int], pod int, began func()) func(moment) bool
}

var indexQueries = []indexQuery{
	{"Feasible", func(x *taints.Index[int], pod int, began func()) func(moment) bool {
		var seen seenNodes
		for node := range x.Feasible(concurrentPods[pod]) {
			began()
			seen.add(node, taints.Verdict{})
		}
		return func(m moment) bool { s := m.pods[pod]; return s.count == seen.count && s.names == seen.names }
	}},
	{"FeasibleVerdicts, slowly", func(x *taints.Index[int], pod int, began func()) func(moment) bool {
		var seen seenNodes
		for node, v := range x.FeasibleVerdicts(concurrentPods[pod]) {
			began()
			seen.add(node, v)
			for range 20 {
				runtime.Gosched()
			}
		}
		return func(m moment) bool { return m.pods[pod] == seen }
	}},
	{"Verdicts", func(x *taints.Index[int], pod int, began func()) func(moment) bool {
		var seen seenNodes
		n := 0
		for node, v := range x.Verdicts(concurrentPods[pod]) {
			began()
			if n++; v.Schedulable() {
				seen.add(node, v)
			}
		}
		return func(m moment) bool { return m.pods[pod] == seen && m.nodes == n }
	}},
	{"AppendFeasible", func(x *taints.Index[int], pod int, _ func()) func(moment) bool {
		var seen seenNodes
		for _, node := range x.AppendFeasible(nil, concurrentPods[pod]) {
			seen.add(node, taints.Verdict{})
		}
		return func(m moment) bool { s := m.pods[pod]; return s.count == seen.count && s.names == seen.names }
	}},
	{"CountFeasible", func(x *taints.Index[int], pod int, _ func()) func(moment) bool {
		n := x.CountFeasible(concurrentPods[pod])
		return func(m moment) bool { return m.pods[pod].count == n }
	}},
	{"Summarize", func(x *taints.Index[int], pod int, _ func()) func(moment) bool {
		s := x.Summarize(concurrentPods[pod])
		return func(m moment) bool { return m.nodes == s.Nodes && m.pods[pod].count == s.Feasible }
	}},
	{"Len", func(x *taints.Index[int], _ int, _ func()) func(moment) bool {
		n := x.Len()
		return func(m moment) bool { return m.nodes == n }
	}},
	{"the first of Feasible", func(x *taints.Index[int], pod int, _ func()) func(moment) bool {
		found := 0
		for range x.Feasible(concurrentPods[pod]) {
			found = 1
			break
		}
		return func(m moment) bool { return min(m.pods[pod].count, 1) == found }
	}},
}

// Readers of all kinds, slow ones too, ask while writers move nodes about. Each
// answer is that of one moment between the call and the first node. It runs for
// some updates, or as long as the variable TAINTS_STRESS says, as in "1m".
func TestIndexQueriesSeeOneMoment(t *testing.T) {
	const nodes = 300
	j := journal{lists: make(map[int][]taints.Taint)}
	for i := range nodes {
		j.update(i, concurrentLists[i%len(concurrentLists)], false)
		// Of no reader, so that there are groups to search.
		j.update(nodes+i, []taints.Taint{hard("tenant", i)}, false)
	}
	most := int64(6_000)
	if testing.Short() {
		most = 2_000
	}
	goOn := func() bool { return j.updates.Load() < most }
	if text := os.Getenv("TAINTS_STRESS"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		end := time.Now().Add(d)
		goOn = func() bool { return time.Now().Before(end) }
	}

	var wait sync.WaitGroup
	run := func(f func(i int) error) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := 0; goOn() && !t.Failed(); i++ {
				if err := f(i); err != nil {
					t.Error(err)
				}
				runtime.Gosched() // where no goroutine interrupts another, as in WebAssembly
			}
		}()
	}
	asked := make([]atomic.Int64, len(indexQueries))
	for at, query := range indexQueries {
		run(func(i int) error {
			pod, first := i%len(concurrentPods), j.updates.Load()
			var moments []moment
			began := sync.OnceFunc(func() { moments = j.since(first) })
			is := query.ask(&j.index, pod, began)
			began() // if no node came
			if len(moments) == 0 {
				return nil
			}
			if !slices.ContainsFunc(moments, is) {
				return fmt.Errorf("%s for pod %d is that of no moment from update %d on", query.name, pod, first)
			}
			asked[at].Add(1)
			return nil
		})
	}
	for writer := range 2 { // one after the other, for the journal
		run(func(i int) error {
			node := (2*i + writer) * 7919 % nodes
			j.update(node, concurrentLists[i*31%len(concurrentLists)], i%5 == 0)
			return nil
		})
	}
	for writer := range 2 { // at any time, of groups that no pod tolerates
		run(func(i int) error {
			j.index.Set(nodes+(2*i+writer)%nodes, []taints.Taint{hard("tenant", i%500)})
			return nil
		})
	}
	wait.Wait()
	j.index.Audit()
	for i, query := range indexQueries {
		if asked[i].Load() == 0 && !t.Failed() {
			t.Errorf("%s was never checked", query.name)
		}
	}
}

// BenchmarkIndexUpdateWait reports how long updates wait at most while four
// readers ask what takes longest, one query after the other, and for comparison
// how long updates of an index that nobody reads wait at the same time, for a
// processor.
func BenchmarkIndexUpdateWait(b *testing.B) {
	for _, scene := range hostileScenes(100_000) {
		x, alone := scene.index(), scene.index()
		b.Run(scene.name, func(b *testing.B) {
			var done atomic.Bool
			var readers sync.WaitGroup
			for _, ask := range []func(){
				func() { x.CountFeasible(scene.pod) },
				func() { x.AppendFeasible(nil, scene.pod) },
				func() {
					for range x.FeasibleVerdicts(scene.pod) {
					}
				},
				func() {
					for range x.Verdicts(scene.pod) {
					}
				},
			} {
				readers.Add(1)
				go func() {
					defer readers.Done()
					for !done.Load() {
						ask()
					}
				}()
			}
			var longest, elsewhere time.Duration
			for i := 0; b.Loop(); i++ {
				node, list := i%len(scene.nodes), scene.nodes[(i+1)%len(scene.nodes)]
				longest = max(longest, timeOf(func() { x.Set(node, list) }))
				elsewhere = max(elsewhere, timeOf(func() { alone.Set(node, list) }))
			}
			done.Store(true)
			readers.Wait()
			b.ReportMetric(float64(longest.Microseconds()), "longest-µs")
			b.ReportMetric(float64(elsewhere.Microseconds()), "elsewhere-µs")
		})
	}
}

func timeOf(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}
