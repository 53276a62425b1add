// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

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

// A node-readiness controller keeps pods away until the node's GPU driver reports
// that it is ready, and evicts them when its health check fails.
func ExampleConditionRules_ReconcileConditions() {
	const ready = "example.com/GPUReady"
	starting := taints.MustParseTaint("example.com/gpu=starting:NoSchedule")
	rules := lifecycle.ConditionRules{
		{Type: ready, Taint: starting},
		{Type: ready, Status: "Unknown", Taint: starting},
		{Type: ready, Status: "False", Taint: taints.MustParseTaint("example.com/gpu=failed:NoSchedule")},
		{Type: ready, Status: "False", Taint: taints.MustParseTaint("example.com/gpu=failed:NoExecute")},
	}
	node := []taints.Taint{taints.MustParseTaint("dedicated=ml:NoSchedule")}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, status := range []string{"missing", "True", "False", "True"} {
		var state lifecycle.NodeState
		if status != "missing" {
			state.Conditions = []lifecycle.Condition{{Type: ready, Status: status}}
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

// What an API server returns for a node decodes into the conditions.
func ExampleCondition() {
	var node struct {
		Status lifecycle.NodeState `json:"status"`
	}
	err := json.Unmarshal([]byte(`{"status": {"conditions": [
		{"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"},
		{"type": "DiskPressure", "status": "Unknown"}]}}`), &node)
	fmt.Println(node.Status.Conditions, err)
	// Output: [{Ready Unknown} {DiskPressure Unknown}] <nil>
}

// A node is cordoned for an upgrade while its disk fills up.
func ExampleNodeState() {
	node := lifecycle.NodeState{
		Conditions:    []lifecycle.Condition{{Type: "DiskPressure", Status: "True"}, {Type: "Ready", Status: "True"}},
		Unschedulable: true,
	}
	fmt.Println(taints.Filter(lifecycle.ConditionTaints(node), nil))
	// Output: untolerated: 2 NoSchedule
}

// A rule for a device plugin's own condition.
func ExampleConditionRule() {
	rule := lifecycle.ConditionRule{
		Type:   "example.com/GPUReady",
		Status: "False",
		Taint:  taints.MustParseTaint("nvidia.com/gpu=broken:NoExecute"),
	}
	broken := lifecycle.NodeState{Conditions: []lifecycle.Condition{{Type: "example.com/GPUReady", Status: "False"}}}
	fmt.Println(lifecycle.ConditionRules{rule}.ConditionTaints(broken))
	// Output: [nvidia.com/gpu=broken:NoExecute]
}

// A platform reads its rules from a file: no pod starts before the network is there.
func ExampleConditionRules() {
	var rules lifecycle.ConditionRules
	err := json.Unmarshal([]byte(`[
		{"type": "example.com/NetworkReady", "taint": {"key": "example.com/network", "effect": "NoSchedule"}},
		{"type": "example.com/NetworkReady", "status": "False", "taint": {"key": "example.com/network", "effect": "NoSchedule"}}
	]`), &rules)
	fmt.Println(rules.ConditionTaints(lifecycle.NodeState{}), err)
	// Output: [example.com/network:NoSchedule] <nil>
}
