// SPDX-License-Identifier: Apache-2.0

package work

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/tainteviction"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/measure"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// A Phase is one part of the work of a queue that holds the evictions of many pods,
// or the memory that it uses.
type Phase struct {
	Work   string
	Cost   float64 // nanoseconds on processors, or bytes of live heap
	Memory bool
	Floor  float64 // how much less it must cost than in Kubernetes, or 0
}

// A queue has the evictions of pods, by the index of the pod.
type queue struct {
	add, move, cancel func(i int)
	drain             func() // until all that are left have come due
}

// phasesOf measures a queue with n pods, whose names are namespace/name: it adds all
// of them, moves every second one, cancels every fourth and lets the rest come due.
func phasesOf(n int, create func(names []types.NamespacedName) queue) []Phase {
	names, before := pods(n), liveHeap()
	q := create(names)
	fill := timed(func() {
		for i := range n {
			q.add(i)
		}
	})
	heap := liveHeap() - before
	move := timed(func() {
		for i := 0; i < n; i += 2 {
			q.move(i)
		}
	})
	cancel := timed(func() {
		for i := 1; i < n; i += 4 {
			q.cancel(i)
		}
	})
	start := measure.CPU() // without a garbage collection first: pods come due meanwhile
	q.drain()
	drain := float64(measure.CPU() - start)
	return []Phase{
		{Work: "schedule all", Cost: fill},
		{Work: "move every second one", Cost: move},
		{Work: "cancel every fourth", Cost: cancel},
		{Work: "let the others come due, in order", Cost: drain},
		{Work: "all of it", Cost: fill + move + cancel + drain, Floor: 2},
		{Work: "live heap with all scheduled", Cost: heap, Memory: true, Floor: 2.5},
	}
}

// left returns how many of n pods are not canceled.
func left(n int) int { return n - (n+2)/4 }

// pods returns the names of n pods.
func pods(n int) []types.NamespacedName {
	names := make([]types.NamespacedName, n)
	for i := range names {
		names[i] = types.NamespacedName{Namespace: fmt.Sprint("namespace-", i%100), Name: fmt.Sprint("pod-", i)}
	}
	return names
}

// spread returns the deadline of pod i after the first deadline: less than a
// millisecond, in no order.
func spread(i int) time.Duration { return time.Duration(i*7919%1_000_000) * time.Nanosecond }

// moved is how much later a pod that is moved comes due.
const moved = 500 * time.Microsecond

// QueueOurs measures a Queue with n pods.
func QueueOurs(n int) []Phase {
	return phasesOf(n, func(names []types.NamespacedName) queue {
		var q lifecycle.Queue[string]
		first := time.Now().Add(time.Minute)
		evict := func(i int, at time.Time) {
			q.Update(names[i].String(), taints.Eviction{Outcome: taints.EvictsAt, At: at, Seconds: 60})
		}
		return queue{
			add:    func(i int) { evict(i, first.Add(spread(i))) },
			move:   func(i int) { evict(i, first.Add(spread(i)+moved)) },
			cancel: func(i int) { q.Update(names[i].String(), taints.Eviction{Outcome: taints.Stays}) },
			drain: func() {
				drained := 0
				for range q.PopDue(first.Add(time.Minute)) {
					drained++
				}
				measure.MustNot(drained != left(n))
			},
		}
	})
}

// QueueKubernetes measures a TimedWorkerQueue with n pods. Its timers use real
// time, so the deadlines are later than the end of the fill. Waiting for them
// takes no processor time.
func QueueKubernetes(n int) []Phase {
	for wait := time.Duration(n) * 12 * time.Microsecond; ; wait *= 2 {
		inTime := false
		phases := phasesOf(n, func(names []types.NamespacedName) queue {
			return kubernetesQueue(names, wait, &inTime)
		})
		if inTime {
			return phases
		}
	}
}

// kubernetesQueue returns a queue whose pods come due after the wait. It sets inTime
// if that is after all of them have been added, moved and canceled.
func kubernetesQueue(names []types.NamespacedName, wait time.Duration, inTime *bool) queue {
	ctx, logger := context.Background(), klog.Background()
	var deleted atomic.Int64
	done := make(chan struct{})
	q := tainteviction.CreateWorkerQueue(func(context.Context, time.Time, *tainteviction.WorkArgs) error {
		if deleted.Add(1) == int64(left(len(names))) {
			close(done)
		}
		return nil
	})
	first := time.Now().Add(wait)
	args := func(i int) *tainteviction.WorkArgs {
		return tainteviction.NewWorkArgs(names[i].Name, names[i].Namespace)
	}
	return queue{
		add:    func(i int) { q.AddWork(ctx, args(i), time.Now(), first.Add(spread(i))) },
		move:   func(i int) { q.UpdateWork(ctx, args(i), time.Now(), first.Add(spread(i)+moved)) },
		cancel: func(i int) { q.CancelWork(logger, names[i].String()) },
		drain: func() {
			*inTime = time.Now().Before(first)
			<-done
			q.CancelAndWait() // for the last goroutines, which keep the queue alive
		},
	}
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
