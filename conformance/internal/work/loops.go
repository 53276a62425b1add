// SPDX-License-Identifier: Apache-2.0

package work

import (
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/measure"
	"github.com/seed-0529bac1/taints/internal/test/reference"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// These sides are functions of the library, and the loops that they replace in
// projects.
var (
	current    = slices.Clone(NodeTaints)
	desired    = append(slices.Clone(NodeTaints[:2]), taints.Must(taints.ParseTaint("sla.example.com/failure-score=50:NoSchedule")))
	identities = reference.IDs(NodeTaints)
	rules      = lifecycle.DefaultConditionRules()
	healthy    = lifecycle.NodeState{Conditions: []lifecycle.Condition{
		{Type: "NetworkUnavailable", Status: "False"},
		{Type: "MemoryPressure", Status: "False"},
		{Type: "DiskPressure", Status: "False"},
		{Type: "PIDPressure", Status: "False"},
		{Type: "Ready", Status: "True"},
	}}

	applyNothing = measure.Each(func() {
		_, changed := taints.Changes{Add: current}.Apply(current)
		measure.Must(!changed)
	})
	compareOnce      = measure.Each(func() { measure.Must(hasAll(current, current)) })
	reconcileNothing = measure.Each(func() {
		measure.Must(taints.Reconcile(current, current, current).IsZero())
	})
	reconcileOwnedNothing = measure.Each(func() {
		measure.Must(taints.ReconcileOwned(current, identities, current).IsZero())
	})
	// The desired taints are there, and no other taint is owned.
	compareTwice = measure.Each(func() {
		measure.Must(hasAll(current, current))
		measure.Must(hasAll(current, current))
	})

	reconcile = measure.Each(func() {
		after, _ := taints.Reconcile(current, current, desired).Apply(current)
		measure.Must(len(after) == 3)
	})
	reconcileOwned = measure.Each(func() {
		after, _ := taints.ReconcileOwned(current, identities, desired).Apply(current)
		measure.Must(len(after) == 3)
	})
	writeList = measure.Each(func() { measure.Must(len(reconciled(current, current, desired)) == 3) })

	conditions    = measure.Each(func() { measure.Must(rules.Reconcile(current, healthy, Now).IsZero()) })
	conditionLoop = measure.Each(func() { measure.Must(asConditions(current, healthy)) })
)

// hasAll reports whether the node has all taints of the list with the same values.
func hasAll(node, list []taints.Taint) bool {
	for i := range list {
		at, found := taints.FindTaint(node, list[i].ID())
		if !found || node[at].Value != list[i].Value {
			return false
		}
	}
	return true
}

// reconciled returns the taints after a reconciliation.
func reconciled(current, lastApplied, desired []taints.Taint) []taints.Taint {
	list := make([]taints.Taint, 0, len(current)+len(desired))
	for i := range current {
		t := &current[i]
		if at, found := taints.FindTaint(desired, t.ID()); found {
			list = append(list, desired[at])
			continue
		}
		if at, found := taints.FindTaint(lastApplied, t.ID()); !found || lastApplied[at].Value != t.Value {
			list = append(list, *t)
		}
	}
	for i := range desired {
		if _, found := taints.FindTaint(list, desired[i].ID()); !found {
			list = append(list, desired[i])
		}
	}
	return list
}

// keysOf are the taints' keys by condition and status, as in node-lifecycle
// controllers. owned are the keys of all of these, and of a cordon.
var (
	keysOf = map[string]map[string]string{
		"Ready":              {"False": taints.NodeNotReady, "Unknown": taints.NodeUnreachable},
		"MemoryPressure":     {"True": taints.NodeMemoryPressure},
		"DiskPressure":       {"True": taints.NodeDiskPressure},
		"PIDPressure":        {"True": taints.NodePIDPressure},
		"NetworkUnavailable": {"True": taints.NodeNetworkUnavailable},
	}
	owned = map[string]bool{
		taints.NodeNotReady: true, taints.NodeUnreachable: true, taints.NodeMemoryPressure: true,
		taints.NodeDiskPressure: true, taints.NodePIDPressure: true, taints.NodeNetworkUnavailable: true,
		taints.NodeUnschedulable: true,
	}
)

// asConditions reports whether the NoSchedule taints of the node are those of its
// conditions, as doNoScheduleTaintingPass of Kubernetes and OpenYurt finds out.
func asConditions(current []taints.Taint, state lifecycle.NodeState) bool {
	var want, have []taints.Taint
	for _, c := range state.Conditions {
		if key, tainted := keysOf[c.Type][c.Status]; tainted {
			want = append(want, taints.Taint{Key: key, Effect: taints.NoSchedule})
		}
	}
	if state.Unschedulable {
		want = append(want, taints.Taint{Key: taints.NodeUnschedulable, Effect: taints.NoSchedule})
	}
	for _, t := range current {
		if t.Effect == taints.NoSchedule && owned[t.Key] {
			have = append(have, t)
		}
	}
	return hasAll(want, have) && hasAll(have, want)
}
