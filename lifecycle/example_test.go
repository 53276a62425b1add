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

// The loop of an eviction controller: it updates the queue when a node or a pod
// changes, sleeps until the next deadline, and evicts what is due.
func Example() {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	policy := taints.EvictionPolicy{FromTimeAdded: true} // deadlines survive a restart, with NewestWins
	pods := map[string]*taints.Matcher{
		"web": taints.Compile(taints.AddDefaultTolerations(nil, taints.DefaultTolerationSeconds{})),
		"database": taints.Compile([]taints.Toleration{
			taints.Must(taints.ParseToleration(taints.NodeUnreachable + ":NoExecute op=Exists for 30s")),
		}),
		"agent": taints.Compile(taints.AddDaemonSetTolerations(nil, taints.DaemonSetPod{})),
	}
	running := []string{"web", "database", "agent"}
	queue := lifecycle.Queue[string]{NewestWins: true}
	nodeChanged := func(node []taints.Taint) {
		for _, pod := range running {
			fmt.Println(pod, queue.Update(pod, policy.EvictionOf(pods[pod], node, now)))
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
	// web QueueScheduled
	// database QueueScheduled
	// agent QueueUnchanged
	// sleep 30s
	// evict database
	// web QueueCanceled
	// agent QueueUnchanged
}

// An eviction that a disruption budget refuses is retried later.
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
			queue.Retry(pod, now.Add(10*time.Second))
		}
	}
	now = now.Add(time.Second) // the next look at the pod finds the same taint
	fmt.Println(queue.Update("web-1", taints.Eviction{Outcome: taints.EvictsNow, At: now}))
	next, _ := queue.Next()
	fmt.Println("sleep", next.Sub(now))
	// Output:
	// web-1 would violate the pod's disruption budget
	// QueueUnchanged
	// sleep 9s
}

// A controller changes NoSchedule taints at once, and adds NoExecute taints at
// a limited rate. Rules own only taints with their effects, so each part of the
// rules is reconciled separately.
func ExampleDefaultConditionRules_limitedRate() {
	var atOnce, limited lifecycle.ConditionRules
	for _, rule := range lifecycle.DefaultConditionRules() {
		if rule.Taint.Effect == taints.NoExecute {
			limited = append(limited, rule)
		} else {
			atOnce = append(atOnce, rule)
		}
	}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var node []taints.Taint
	reconcile := func(status string, rateAllows bool) {
		state := lifecycle.NodeState{Conditions: []lifecycle.Condition{{Type: "Ready", Status: status}}}
		node, _ = atOnce.Reconcile(node, state, now).Apply(node)
		if changes := limited.Reconcile(node, state, now); len(changes.Add) == 0 || rateAllows {
			node, _ = changes.Apply(node)
		}
		fmt.Println(status, node)
	}
	reconcile("False", false)
	reconcile("False", true)
	reconcile("True", false)
	// Output:
	// False [node.kubernetes.io/not-ready:NoSchedule]
	// False [node.kubernetes.io/not-ready:NoSchedule node.kubernetes.io/not-ready:NoExecute]
	// True []
}

// A node-readiness controller keeps pods away until the node's GPU driver reports
// that it is ready, and evicts them when its health check fails.
func ExampleConditionRules_Reconcile() {
	const ready = "example.com/GPUReady"
	starting := taints.Must(taints.ParseTaint("example.com/gpu=starting:NoSchedule"))
	rules := lifecycle.ConditionRules{
		{Type: ready, Taint: starting},
		{Type: ready, Status: "Unknown", Taint: starting},
		{Type: ready, Status: "False", Taint: taints.Must(taints.ParseTaint("example.com/gpu=failed:NoSchedule"))},
		{Type: ready, Status: "False", Taint: taints.Must(taints.ParseTaint("example.com/gpu=failed:NoExecute"))},
	}
	node := []taints.Taint{taints.Must(taints.ParseTaint("dedicated=ml:NoSchedule"))}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, status := range []string{"missing", "True", "False", "True"} {
		var state lifecycle.NodeState
		if status != "missing" {
			state.Conditions = []lifecycle.Condition{{Type: ready, Status: status}}
		}
		changes := rules.Reconcile(node, state, now)
		fmt.Println(status+":", changes)
		node, _ = changes.Apply(node)
	}
	// Output:
	// missing: example.com/gpu=starting:NoSchedule
	// True: example.com/gpu:NoSchedule-
	// False: example.com/gpu=failed:NoSchedule example.com/gpu=failed:NoExecute
	// True: example.com/gpu:NoSchedule- example.com/gpu:NoExecute-
}

// First part of a zone is cut off, and then all zones. Then the problem is rather
// with the controller's network, so it adds no NoExecute taints and removes its own.
func ExampleDisruptionPolicy_AppendRates() {
	policy := lifecycle.DefaultDisruptionPolicy()
	for _, zones := range [][]lifecycle.Zone{
		{{Ready: 100, NotReady: 1}, {Ready: 90, NotReady: 10}},
		{{Ready: 100, NotReady: 1}, {Ready: 30, NotReady: 70}},
		{{Ready: 0, NotReady: 101}, {Ready: 0, NotReady: 100}},
	} {
		fmt.Println(policy.State(zones[0]), policy.State(zones[1]), policy.AppendRates(nil, zones))
		if lifecycle.FullyDisrupted(zones) {
			fmt.Println("remove the NoExecute taints of all nodes")
		}
	}
	// Output:
	// ZoneNormal ZoneNormal [0.1 0.1]
	// ZoneNormal ZonePartial [0.1 0.01]
	// ZoneFull ZoneFull [0 0]
	// remove the NoExecute taints of all nodes
}
