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

// A QueueCost is the cost of a queue that holds the evictions of many pods: the
// processor time to schedule all of them, to move every second one, to cancel every
// fourth and to let the rest come due, and the live heap when all are scheduled.
type QueueCost struct {
	Fill   time.Duration `json:"fill"`
	Update time.Duration `json:"update"`
	Cancel time.Duration `json:"cancel"`
	Drain  time.Duration `json:"drain"`
	Heap   int64         `json:"heap"`
}

// All returns the sum of the times.
func (c QueueCost) All() time.Duration { return c.Fill + c.Update + c.Cancel + c.Drain }

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

// QueueOurs measures a Queue with n pods. Their names are namespace/name, as in
// Kubernetes' queue.
func QueueOurs(n int) QueueCost {
	var cost QueueCost
	names, before := pods(n), liveHeap()
	start := time.Now()
	first := start.Add(time.Minute)
	eviction := func(i int, more time.Duration) taints.Eviction {
		return taints.Eviction{Outcome: taints.EvictsAt, At: first.Add(spread(i) + more), Seconds: 60}
	}
	var q lifecycle.Queue[string]
	cost.Fill = timed(func() {
		for i, pod := range names {
			q.Update(pod.String(), eviction(i, 0))
		}
	})
	cost.Heap = liveHeap() - before
	cost.Update = timed(func() {
		for i := 0; i < n; i += 2 {
			q.Update(names[i].String(), eviction(i, 500*time.Microsecond))
		}
	})
	cost.Cancel = timed(func() {
		for i := 1; i < n; i += 4 {
			q.Update(names[i].String(), taints.Eviction{Outcome: taints.Stays})
		}
	})
	drained := 0
	cost.Drain = timed(func() {
		for range q.PopDue(first.Add(time.Minute)) {
			drained++
		}
	})
	if drained != n-(n+2)/4 {
		panic(fmt.Sprintf("%d evicted", drained))
	}
	runtime.KeepAlive(names)
	return cost
}

// QueueKubernetes measures a TimedWorkerQueue with n pods. Its timers use real
// time, so the deadlines are later than the end of the fill. Waiting for them
// takes no processor time.
func QueueKubernetes(n int) QueueCost {
	for wait := time.Duration(n) * 12 * time.Microsecond; ; wait *= 2 {
		if cost, ok := queueKubernetes(n, wait); ok {
			return cost
		}
	}
}

func queueKubernetes(n int, wait time.Duration) (QueueCost, bool) {
	var cost QueueCost
	ctx, logger := context.Background(), klog.Background()
	names, before := pods(n), liveHeap()
	var left atomic.Int64
	left.Store(int64(n - (n+2)/4))
	done := make(chan struct{})
	q := tainteviction.CreateWorkerQueue(func(context.Context, time.Time, *tainteviction.WorkArgs) error {
		if left.Add(-1) == 0 {
			close(done)
		}
		return nil
	})
	first := time.Now().Add(wait)
	cost.Fill = timed(func() {
		for i, pod := range names {
			q.AddWork(ctx, tainteviction.NewWorkArgs(pod.Name, pod.Namespace), time.Now(), first.Add(spread(i)))
		}
	})
	cost.Heap = liveHeap() - before
	cost.Update = timed(func() {
		for i := 0; i < n; i += 2 {
			q.UpdateWork(ctx, tainteviction.NewWorkArgs(names[i].Name, names[i].Namespace),
				time.Now(), first.Add(spread(i)+500*time.Microsecond))
		}
	})
	cost.Cancel = timed(func() {
		for i := 1; i < n; i += 4 {
			q.CancelWork(logger, names[i].String())
		}
	})
	inTime := time.Now().Before(first)
	start := measure.CPU() // without a garbage collection first: it would take longer than the wait
	<-done
	cost.Drain = measure.CPU() - start
	q.CancelAndWait() // for the last goroutines, which keep the queue alive
	runtime.KeepAlive(names)
	return cost, inTime
}

func timed(f func()) time.Duration {
	runtime.GC()
	start := measure.CPU()
	f()
	return measure.CPU() - start
}

func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
