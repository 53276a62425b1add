package lifecycle_test

import (
	"encoding/json"
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
	policy := taints.EvictionPolicy{FromTimeAdded: true}
	pods := map[string]*taints.Matcher{
		"web":      policy.Compile(taints.AddDefaults(nil, taints.DefaultSeconds{})),
		"database": policy.Compile([]taints.Toleration{taints.MustParseToleration(taints.NodeUnreachable + ":NoExecute op=Exists for 30s")}),
		"agent":    policy.Compile(taints.AddDaemonSetDefaults(nil, taints.DaemonSetPod{})),
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

// Under KeepTimers the first look counts, as in Kubernetes, and an eviction that
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
	queue.Update("web", taints.Eviction{Outcome: taints.EvictsNow, At: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)})
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

// A simulated node runs out of memory and is cordoned.
func ExampleConditionTaints() {
	state := lifecycle.NodeState{
		Conditions: []lifecycle.Condition{
			{Type: "MemoryPressure", Status: "True"},
			{Type: "DiskPressure", Status: "False"},
			{Type: "Ready", Status: "False"},
		},
		Unschedulable: true,
	}
	for _, taint := range lifecycle.ConditionTaints(state) {
		fmt.Println(taint)
	}
	// Output:
	// node.kubernetes.io/memory-pressure:NoSchedule
	// node.kubernetes.io/not-ready:NoSchedule
	// node.kubernetes.io/unschedulable:NoSchedule
	// node.kubernetes.io/not-ready:NoExecute
}

// A controller keeps a node's taints in step with its conditions. The node was
// not ready; now its kubelet is silent.
func ExampleReconcileConditions() {
	node := []taints.Taint{
		taints.MustParseTaint("dedicated=ml:NoSchedule"),
		taints.MustParseTaint("node.kubernetes.io/not-ready:NoSchedule"),
		taints.MustParseTaint("node.kubernetes.io/not-ready:NoExecute"),
	}
	state := lifecycle.NodeState{Conditions: []lifecycle.Condition{{Type: "Ready", Status: "Unknown"}}}
	now := time.Date(2026, 11, 21, 1, 24, 15, 0, time.UTC)

	changes := lifecycle.ReconcileConditions(node, state, now)
	node, changed := changes.Apply(node)
	for _, taint := range node {
		fmt.Println(taint, taint.TimeAdded)
	}
	fmt.Println(changed)
	// Output:
	// dedicated=ml:NoSchedule <nil>
	// node.kubernetes.io/unreachable:NoSchedule 2026-11-21 01:24:15 +0000 UTC
	// node.kubernetes.io/unreachable:NoExecute 2026-11-21 01:24:15 +0000 UTC
	// true
}

// NoSchedule taints come at once, NoExecute ones no faster than the zone's rate.
func ExampleReconcileConditions_rate() {
	state := lifecycle.NodeState{Conditions: []lifecycle.Condition{{Type: "Ready", Status: "False"}}}
	changes := lifecycle.ReconcileConditions(nil, state, time.Now())
	fmt.Println("now:", changes.Only(taints.Effects(taints.NoSchedule)))
	fmt.Println("when the rate allows it:", changes.Only(taints.Effects(taints.NoExecute)))
	// Output:
	// now: node.kubernetes.io/not-ready:NoSchedule
	// when the rate allows it: node.kubernetes.io/not-ready:NoExecute
}

// gpuRules keep pods away until the node's GPU driver reports that it is ready,
// and evict them when its health check fails.
const gpuRules = `[
	{"type": "example.com/GPUReady", "taint": {"key": "example.com/gpu", "value": "starting", "effect": "NoSchedule"}},
	{"type": "example.com/GPUReady", "status": "Unknown", "taint": {"key": "example.com/gpu", "value": "starting", "effect": "NoSchedule"}},
	{"type": "example.com/GPUReady", "status": "False", "taint": {"key": "example.com/gpu", "value": "failed", "effect": "NoSchedule"}},
	{"type": "example.com/GPUReady", "status": "False", "taint": {"key": "example.com/gpu", "value": "failed", "effect": "NoExecute"}}
]`

// A node-readiness controller has rules of its own, from its configuration.
func ExampleConditionRules_ReconcileConditions() {
	var rules lifecycle.ConditionRules
	if err := json.Unmarshal([]byte(gpuRules), &rules); err != nil {
		fmt.Println(err)
		return
	}
	node := []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule")}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, status := range []string{"missing", "True", "False", "True"} {
		var state lifecycle.NodeState
		if status != "missing" {
			state.Conditions = []lifecycle.Condition{{Type: "example.com/GPUReady", Status: status}}
		}
		changes := rules.ReconcileConditions(node, state, now)
		fmt.Println(status+":", changes)
		node, _ = changes.Apply(node)
	}
	// Output:
	// missing: example.com/gpu=starting:NoSchedule
	// True: example.com/gpu:NoSchedule-
	// False: example.com/gpu=failed:NoSchedule example.com/gpu=failed:NoExecute
	// True: example.com/gpu:NoSchedule- example.com/gpu:NoExecute-
}

// A cordon that also evicts, as a rule.
func ExampleConditionRules_ConditionTaints() {
	rules := append(lifecycle.DefaultConditionRules(), lifecycle.ConditionRule{
		Type: lifecycle.Unschedulable, Status: "True", Taint: taints.MustParseTaint("example.com/drain:NoExecute"),
	})
	for _, taint := range rules.ConditionTaints(lifecycle.NodeState{Unschedulable: true}) {
		fmt.Println(taint)
	}
	// Output:
	// node.kubernetes.io/unschedulable:NoSchedule
	// example.com/drain:NoExecute
}

// Kubernetes' rules without the cordon, which another controller watches.
func ExampleDefaultConditionRules() {
	rules := slices.DeleteFunc(lifecycle.DefaultConditionRules(), func(r lifecycle.ConditionRule) bool {
		return r.Type == lifecycle.Unschedulable
	})
	node := []taints.Taint{taints.MustParseTaint("node.kubernetes.io/unschedulable:NoSchedule")}
	fmt.Println(rules.ReconcileConditions(node, lifecycle.NodeState{}, time.Now()).IsZero())
	// Output: true
}

// A zone is cut off, and then all are: the first says something of the zone, the
// second of the controller.
func ExampleDisruptionPolicy_Rates() {
	policy := lifecycle.DefaultDisruptionPolicy()
	for _, zones := range [][]lifecycle.Zone{
		{{Ready: 100, NotReady: 1}, {Ready: 90, NotReady: 10}},
		{{Ready: 100, NotReady: 1}, {Ready: 30, NotReady: 70}},
		{{Ready: 0, NotReady: 101}, {Ready: 0, NotReady: 100}},
	} {
		fmt.Println(policy.State(zones[0]), policy.State(zones[1]), policy.Rates(nil, zones), lifecycle.FullyDisrupted(zones))
	}
	// Output:
	// ZoneNormal ZoneNormal [0.1 0.1] false
	// ZoneNormal ZonePartial [0.1 0.01] false
	// ZoneFull ZoneFull [0 0] true
}

// A controller that keeps a rate limiter for each zone asks when a zone's state
// changes.
func ExampleDisruptionPolicy_RateOf() {
	policy := lifecycle.DefaultDisruptionPolicy()
	before, after := lifecycle.Zone{Ready: 98, NotReady: 2}, lifecycle.Zone{Ready: 40, NotReady: 60}
	if state := policy.State(after); state != policy.State(before) {
		rate := policy.RateOf(state, after.Ready+after.NotReady)
		fmt.Printf("%v: a node every %.0f seconds\n", state, 1/rate)
	}
	// Output: ZonePartial: a node every 100 seconds
}

// Which zones evict is part of a status that a controller shows.
func ExampleDisruptionPolicy_State() {
	policy := lifecycle.DefaultDisruptionPolicy()
	status, err := json.Marshal(map[string]lifecycle.ZoneState{
		"east": policy.State(lifecycle.Zone{Ready: 12}),
		"west": policy.State(lifecycle.Zone{Ready: 2, NotReady: 10}),
	})
	fmt.Println(string(status), err)
	// Output: {"east":"ZoneNormal","west":"ZonePartial"} <nil>
}

// When no zone has a ready node, Kubernetes takes back the taints that it set.
func ExampleFullyDisrupted() {
	zones := []lifecycle.Zone{{NotReady: 3}, {NotReady: 5}}
	node := []taints.Taint{taints.MustParseTaint("node.kubernetes.io/unreachable:NoExecute"), taints.MustParseTaint("gpu:NoExecute")}
	if lifecycle.FullyDisrupted(zones) {
		node, _ = taints.Changes{Remove: []taints.TaintID{
			{Key: taints.NodeNotReady, Effect: taints.NoExecute},
			{Key: taints.NodeUnreachable, Effect: taints.NoExecute},
		}}.Apply(node)
	}
	fmt.Println(node)
	// Output: [gpu:NoExecute]
}
