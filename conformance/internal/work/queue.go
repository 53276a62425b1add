// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"
	"runtime"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/measure"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// A Queue has the evictions of pods, by the index of the pod.
type Queue struct {
	Add, Move, Cancel func(i int)
	Drain             func() // until all that are left have come due
}

// Phases measures a queue with n pods, whose names are namespace/name: it adds all
// of them, moves every second one, cancels every fourth and lets the rest come due.
func Phases(n int, create func(names []types.NamespacedName) Queue) []measure.Phase {
	names, before := pods(n), liveHeap()
	q := create(names)
	fill := timed(func() {
		for i := range n {
			q.Add(i)
		}
	})
	heap := liveHeap() - before
	move := timed(func() {
		for i := 0; i < n; i += 2 {
			q.Move(i)
		}
	})
	cancel := timed(func() {
		for i := 1; i < n; i += 4 {
			q.Cancel(i)
		}
	})
	start := measure.CPU() // without a garbage collection first: pods come due meanwhile
	q.Drain()
	drain := float64(measure.CPU() - start)
	return []measure.Phase{
		{Work: "schedule all", Cost: fill},
		{Work: "move every second one", Cost: move},
		{Work: "cancel every fourth", Cost: cancel},
		{Work: "let the others come due, in order", Cost: drain},
		{Work: "all of it", Cost: fill + move + cancel + drain, Floor: 2},
		{Work: "live heap with all scheduled", Cost: heap, Memory: true, Floor: 2.5},
	}
}

// Left returns how many of n pods are not canceled.
func Left(n int) int { return n - (n+2)/4 }

// pods returns the names of n pods.
func pods(n int) []types.NamespacedName {
	names := make([]types.NamespacedName, n)
	for i := range names {
		names[i] = types.NamespacedName{Namespace: fmt.Sprint("namespace-", i%100), Name: fmt.Sprint("pod-", i)}
	}
	return names
}

// Spread returns the deadline of pod i after the first deadline: less than a
// millisecond, in no order.
func Spread(i int) time.Duration { return time.Duration(i*7919%1_000_000) * time.Nanosecond }

// Moved is how much later a pod that is moved comes due.
const Moved = 500 * time.Microsecond

// OurQueue measures a lifecycle.Queue with n pods.
func OurQueue(n int) []measure.Phase {
	return Phases(n, func(names []types.NamespacedName) Queue {
		var q lifecycle.Queue[string]
		first := time.Now().Add(time.Minute)
		evict := func(i int, at time.Time) {
			q.Update(names[i].String(), taints.Eviction{Outcome: taints.EvictsAt, At: at, Seconds: 60})
		}
		return Queue{
			Add:    func(i int) { evict(i, first.Add(Spread(i))) },
			Move:   func(i int) { evict(i, first.Add(Spread(i)+Moved)) },
			Cancel: func(i int) { q.Update(names[i].String(), taints.Eviction{Outcome: taints.Stays}) },
			Drain: func() {
				drained := 0
				for range q.PopDue(first.Add(time.Minute)) {
					drained++
				}
				measure.MustNot(drained != Left(n))
			},
		}
	})
}

// timed returns the nanoseconds of f.
func timed(f func()) float64 {
	runtime.GC()
	start := measure.CPU()
	f()
	return float64(measure.CPU() - start)
}

func liveHeap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
