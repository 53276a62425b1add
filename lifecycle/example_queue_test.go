// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// A controller that restarts does not give every pod its full time again: it
// counts from when the taint was added. One deadline is past by then.
func ExampleQueue_restart() {
	added := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	node := []taints.Taint{{Key: taints.NodeNotReady, Effect: taints.NoExecute, TimeAdded: &added}}
	policy := taints.EvictionPolicy{FromTimeAdded: true}
	tolerates := func(seconds int64) []taints.Toleration {
		return taints.AddDefaults(nil, taints.DefaultSeconds{NotReady: &seconds})
	}

	restarted := added.Add(4 * time.Minute)
	var queue lifecycle.Queue[string]
	queue.Update("web", policy.EvictionOf(node, tolerates(300), restarted))
	queue.Update("batch", policy.EvictionOf(node, tolerates(60), restarted))
	for pod, due := range queue.PopDue(restarted) {
		fmt.Println("evict", pod, "overdue for", restarted.Sub(due))
	}
	next, _ := queue.Next()
	fmt.Println("sleep", next.Sub(restarted))
	// Output:
	// evict batch overdue for 3m0s
	// sleep 1m0s
}

// Under KeepTimers the first check counts, as in Kubernetes, and an eviction that
// has begun is not taken back.
func ExampleQueue_keepTimers() {
	node := []taints.Taint{taints.MustParseTaint("maintenance:NoExecute")}
	fiveMinutes := []taints.Toleration{taints.MustParseToleration("maintenance:NoExecute op=Exists for 300s")}
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

	queue := lifecycle.Queue[string]{KeepTimers: true}
	fmt.Println(queue.Update("web", taints.EvictionOf(node, fiveMinutes, noon)))
	fmt.Println(queue.Update("web", taints.EvictionOf(node, fiveMinutes, noon.Add(time.Minute))))
	fmt.Println(queue.Update("web", taints.EvictionOf(node, nil, noon.Add(2*time.Minute))))
	fmt.Println(queue.Update("web", taints.EvictionOf(nil, nil, noon.Add(3*time.Minute))))
	due, _ := queue.Due("web")
	fmt.Println(due.Format(time.TimeOnly))
	// Output:
	// Scheduled
	// Unchanged
	// Moved
	// Unchanged
	// 12:02:00
}

// A caller may schedule what it likes: here a drain gives each pod of a node a
// minute more than the one before.
func ExampleQueue_Update() {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var queue lifecycle.Queue[string]
	for i, pod := range []string{"cache-0", "cache-1", "cache-2"} {
		queue.Update(pod, taints.Eviction{Outcome: taints.EvictsAt, At: start.Add(time.Duration(i) * time.Minute)})
	}
	fmt.Println(queue.Update("cache-1", taints.Eviction{Outcome: taints.EvictsNow, At: start}))
	fmt.Println(queue.Update("cache-2", taints.Eviction{Outcome: taints.Stays}))
	for pod, due := range queue.PopDue(start.Add(time.Hour)) {
		fmt.Println(pod, due.Format(time.TimeOnly))
	}
	// Output:
	// Moved
	// Canceled
	// cache-0 12:00:00
	// cache-1 12:00:00
}

// A pod is deleted by somebody else: there is nothing left to evict.
func ExampleQueue_Delete() {
	var queue lifecycle.Queue[string]
	queue.Update("web", taints.Eviction{
		Outcome: taints.EvictsNow,
		At:      time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
	})
	fmt.Println(queue.Delete("web"), queue.Delete("web"), queue.Len())
	// Output: true false 0
}

// An eviction that a disruption budget refuses is tried again later.
func ExampleQueue_PopDue() {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var queue lifecycle.Queue[string]
	for _, pod := range []string{"web-0", "web-1"} {
		queue.Update(pod, taints.Eviction{Outcome: taints.EvictsNow, At: now})
	}
	budget := 1
	evict := func(string) error {
		if budget == 0 {
			return errors.New("would violate the pod's disruption budget")
		}
		budget--
		return nil
	}
	for pod := range queue.PopDue(now) {
		if err := evict(pod); err != nil {
			fmt.Println(pod, err)
			queue.Update(pod, taints.Eviction{Outcome: taints.EvictsAt, At: now.Add(10 * time.Second)})
		}
	}
	next, _ := queue.Next()
	fmt.Println("sleep", next.Sub(now))
	// Output:
	// web-1 would violate the pod's disruption budget
	// sleep 10s
}

// A status page shows what is pending, sorted by name.
func ExampleQueue_All() {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var queue lifecycle.Queue[string]
	for i, pod := range []string{"web", "batch", "cache"} {
		queue.Update(pod, taints.Eviction{Outcome: taints.EvictsAt, At: noon.Add(time.Duration(i) * time.Minute)})
	}
	var lines []string
	for pod, due := range queue.All() {
		lines = append(lines, pod+" at "+due.Format(time.TimeOnly))
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
	// Output:
	// batch at 12:01:00
	// cache at 12:02:00
	// web at 12:00:00
}

// A controller writes an event when it plans an eviction and when it calls it off.
func ExampleQueueChange() {
	due := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var queue lifecycle.Queue[string]
	for _, e := range []taints.Eviction{{Outcome: taints.EvictsAt, At: due}, {Outcome: taints.EvictsAt, At: due}, {}} {
		switch queue.Update("web", e) {
		case lifecycle.Scheduled, lifecycle.Moved:
			fmt.Println("leaves at", e.At.Format(time.TimeOnly))
		case lifecycle.Canceled:
			fmt.Println("stays after all")
		}
	}
	// Output:
	// leaves at 12:00:00
	// stays after all
}

// "When does my pod leave?"
func ExampleQueue_Due() {
	var queue lifecycle.Queue[string]
	queue.Update("web", taints.Eviction{
		Outcome: taints.EvictsAt,
		At:      time.Date(2026, 11, 21, 12, 5, 0, 0, time.UTC),
	})
	for _, pod := range []string{"web", "database"} {
		due, pending := queue.Due(pod)
		fmt.Println(pod, pending, due.Format(time.TimeOnly))
	}
	// Output:
	// web true 12:05:00
	// database false 00:00:00
}

// A controller sets its timer to the earliest deadline, and to none where nothing is
// pending.
func ExampleQueue_Next() {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var queue lifecycle.Queue[string]
	queue.Update("web", taints.Eviction{Outcome: taints.EvictsAt, At: noon.Add(5 * time.Minute)})
	queue.Update("batch", taints.Eviction{Outcome: taints.EvictsAt, At: noon.Add(time.Minute)})
	if next, ok := queue.Next(); ok {
		fmt.Println("sleep", next.Sub(noon))
	}
	// Output: sleep 1m0s
}

// A metric of pending evictions.
func ExampleQueue_Len() {
	node := []taints.Taint{taints.MustParseTaint("maintenance:NoExecute")}
	var queue lifecycle.Queue[string]
	queue.Update("web", taints.EvictionOf(node, nil, time.Now()))
	queue.Update("agent", taints.EvictionOf(node, []taints.Toleration{{Operator: taints.OpExists}}, time.Now()))
	fmt.Println("pending", queue.Len())
	// Output: pending 1
}
