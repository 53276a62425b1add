// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// The loop of an eviction controller: it updates the queue when a node or a pod
// changes, sleeps until the next deadline, and evicts what is due.
func Example() {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	policy := taints.EvictionPolicy{FromTimeAdded: true}
	pods := map[string]*taints.Matcher{
		"web": policy.Compile(taints.AddDefaults(nil, taints.DefaultSeconds{})),
		"database": policy.Compile([]taints.Toleration{
			taints.MustParseToleration(taints.NodeUnreachable + ":NoExecute op=Exists for 30s"),
		}),
		"agent": policy.Compile(taints.AddDaemonSetDefaults(nil, taints.DaemonSetPod{})),
	}
	running := []string{"web", "database", "agent"}
	var queue lifecycle.Queue[string]
	nodeChanged := func(node []taints.Taint) {
		for _, pod := range running {
			fmt.Println(pod, queue.Update(pod, pods[pod].EvictionOf(node, now)))
		}
	}

	added := now
	nodeChanged([]taints.Taint{{Key: taints.NodeUnreachable, Effect: taints.NoExecute, TimeAdded: &added}})
	next, _ := queue.Next()
	fmt.Println("sleep", next.Sub(now))

	now = next
	for pod := range queue.PopDue(now) {
		fmt.Println("evict", pod)
		running = slices.DeleteFunc(running, func(p string) bool { return p == pod })
	}

	now = now.Add(time.Minute) // the node is back in time for the others
	nodeChanged(nil)
	// Output:
	// web Scheduled
	// database Scheduled
	// agent Unchanged
	// sleep 30s
	// evict database
	// web Canceled
	// agent Unchanged
}
