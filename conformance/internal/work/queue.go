// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/measure"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// A Queue has the pending evictions of pods, by the index of the pod.
type Queue struct {
	Evict  func(i int, at time.Time) // schedules or moves an eviction
	Cancel func(i int)
	Drain  func() // returns when all evictions that are left have come due
}

func ourQueue(pods []types.NamespacedName) Queue {
	var q lifecycle.Queue[string]
	return Queue{
		Evict: func(i int, at time.Time) {
			q.Update(pods[i].String(), taints.Eviction{Outcome: taints.EvictsAt, At: at, Seconds: 60})
		},
		Cancel: func(i int) { q.Update(pods[i].String(), taints.Eviction{Outcome: taints.Stays}) },
		Drain: func() {
			n := 0
			for range q.PopDue(time.Now().Add(time.Hour)) {
				n++
			}
			measure.Must(n == len(pods)*3/4)
		},
	}
}

// Evictions measures a queue of a million pods: it schedules all of them, moves every
// second one, cancels every fourth, and lets the rest come due. If some come due before
// that, which a busy machine may cause, it begins again with later deadlines.
func Evictions(newQueue func(pods []types.NamespacedName) Queue) measure.Side {
	return func(b *testing.B) {
		pods := million()
		for wait := 8 * time.Second; ; {
			runtime.GC()
			start, began := measure.CPU(), time.Now()
			first := began.Add(wait)
			q := newQueue(pods)
			for i := range pods {
				q.Evict(i, first.Add(spread(i)))
			}
			for i := 0; i < len(pods); i += 2 {
				q.Evict(i, first.Add(spread(i)+time.Millisecond))
			}
			for i := 1; i < len(pods); i += 4 {
				q.Cancel(i)
			}
			taken := time.Since(began)
			q.Drain()
			if taken < wait {
				measure.Report(b, float64(measure.CPU()-start))
				return
			}
			wait = 2 * taken
		}
	}
}

// EvictionHeap measures the memory of a queue of a million pods.
func EvictionHeap(newQueue func(pods []types.NamespacedName) Queue) measure.Side {
	return func(b *testing.B) {
		pods, later := million(), time.Now().Add(time.Hour)
		before := liveHeap()
		q := newQueue(pods)
		for i := range pods {
			q.Evict(i, later.Add(spread(i)))
		}
		measure.Report(b, liveHeap()-before)
		runtime.KeepAlive(q)
	}
}

func million() []types.NamespacedName {
	return repeated(1_000_000, func(i int) types.NamespacedName {
		return types.NamespacedName{Namespace: fmt.Sprint("namespace-", i%100), Name: fmt.Sprint("pod-", i)}
	})
}

// spread gives each pod a deadline of its own within a millisecond, in no order.
func spread(i int) time.Duration { return time.Duration(i * 7919 % 1_000_000) }

func liveHeap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
