// SPDX-License-Identifier: Apache-2.0

package work

import (
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/measure"
	"github.com/seed-0529bac1/taints/lifecycle"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// loopRows compare functions with the loops that they replace in projects.
func loopRows() []measure.Row {
	var (
		node    = slices.Clone(NodeTaints)
		changed = slices.Clone(NodeTaints)
		tols    = PodTolerations
		id      = tols[5].ID()
		failed  = []taints.Taint{{Key: "example.com/draining", Effect: taints.NoExecute}}
		rules   = lifecycle.DefaultConditionRules()
		made    = taints.Changes{Add: node}
	)
	changed[2].Value = "50"
	reconciled := func() { measure.MustNot(len(reconcileLoop(node, node, changed)) != len(node)) }
	healthy := lifecycle.NodeState{Conditions: []lifecycle.Condition{
		{Type: "NetworkUnavailable", Status: "False"},
		{Type: "MemoryPressure", Status: "False"},
		{Type: "DiskPressure", Status: "False"},
		{Type: "PIDPressure", Status: "False"},
		{Type: "Ready", Status: "True"},
	}}
	inSync := func() {
		for range 2 { // desired taints are there, and no other taint is owned
			measure.MustNot(!inPlace(node, node))
		}
	}
	row := func(name string, floor, allocs float64, ours, loop func()) measure.Row {
		return measure.Row{
			Name: name, Beside: plainLoop, Floor: floor, Allocs: allocs,
			Ours:  func() func(int) { return measure.Each(ours) },
			Other: func() func(int) { return measure.Each(loop) },
		}
	}
	return []measure.Row{
		row("Reconcile of one of 3 values, and Apply", 0.7, 1, func() {
			after, _ := taints.Reconcile(node, node, changed).Apply(node)
			measure.MustNot(len(after) != len(node))
		}, reconciled),
		row("ReconcileOwned of one of 3 values, and Apply", 0.7, 1, func() {
			after, _ := taints.ReconcileOwned(node, identities, changed).Apply(node)
			measure.MustNot(len(after) != len(node))
		}, reconciled),
		row("Reconcile of a node in sync with 3 taints", 0.6, 0, func() {
			measure.MustNot(!taints.Reconcile(node, node, node).IsZero())
		}, inSync),
		row("ReconcileOwned of a node in sync with 3 taints", 0.6, 0, func() {
			measure.MustNot(!taints.ReconcileOwned(node, identities, node).IsZero())
		}, inSync),
		row("Apply of 3 taints that the node has", 0.5, 0, func() {
			_, applied := made.Apply(node)
			measure.MustNot(applied)
		}, func() { measure.MustNot(!inPlace(node, node)) }),
		row("tolerationset.Find, the sixth of 8", 0.9, 0, func() {
			_, found := tolerationset.Find(tols, id)
			measure.MustNot(!found)
		}, func() { measure.MustNot(!tolerationLoop(tols, id)) }),
		row("Match of one taint, the sixth of 8 tolerations; the loop: without Lt and Gt", 0.9, 0, func() {
			_, ok := taints.Match(node[0], tols)
			measure.MustNot(!ok)
		}, func() { measure.MustNot(!matchLoop(tols, &node[0])) }),
		row("eviction by a taint that 8 tolerations do not tolerate; the loop: a match", 0.5, 0, func() {
			measure.MustNot(taints.EvictionOf(failed, tols, Now).Outcome != taints.EvictsNow)
		}, func() { measure.MustNot(matchLoop(tols, &failed[0])) }),
		row("taints by condition of a healthy node", 0.5, 0, func() {
			measure.MustNot(!rules.Reconcile(node, healthy, Now).IsZero())
		}, func() { measure.MustNot(conditionLoop(node, healthy)) }),
	}
}

// reconcileLoop returns the taints after a reconciliation.
func reconcileLoop(current, lastApplied, desired []taints.Taint) []taints.Taint {
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

// inPlace reports whether the node has all taints with the same values.
func inPlace(node, list []taints.Taint) bool {
	for i := range list {
		at, found := taints.FindTaint(node, list[i].ID())
		if !found || node[at].Value != list[i].Value {
			return false
		}
	}
	return true
}

func tolerationLoop(list []taints.Toleration, id taints.TolerationID) bool {
	for i := range list {
		t := &list[i]
		if t.Key == id.Key && t.Effect == id.Effect && t.Operator == id.Operator && t.Value == id.Value {
			return true
		}
	}
	return false
}

// matchLoop is how Kubernetes matched before Lt and Gt, and how many projects do.
//
//go:noinline
func matchLoop(list []taints.Toleration, taint *taints.Taint) bool {
	for i := range list {
		t := &list[i]
		if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
			continue
		}
		switch t.Operator {
		case "", taints.OpEqual:
			if t.Value == taint.Value {
				return true
			}
		case taints.OpExists:
			return true
		}
	}
	return false
}

// conditionKeys and conditionTypes are the maps of node-lifecycle controllers.
var (
	conditionKeys = map[string]map[string]string{
		"Ready":              {"False": taints.NodeNotReady, "Unknown": taints.NodeUnreachable},
		"MemoryPressure":     {"True": taints.NodeMemoryPressure},
		"DiskPressure":       {"True": taints.NodeDiskPressure},
		"PIDPressure":        {"True": taints.NodePIDPressure},
		"NetworkUnavailable": {"True": taints.NodeNetworkUnavailable},
	}
	conditionTypes = map[string]string{
		taints.NodeNotReady:           "Ready",
		taints.NodeUnreachable:        "Ready",
		taints.NodeMemoryPressure:     "MemoryPressure",
		taints.NodeDiskPressure:       "DiskPressure",
		taints.NodePIDPressure:        "PIDPressure",
		taints.NodeNetworkUnavailable: "NetworkUnavailable",
	}
)

// conditionLoop reports whether the NoSchedule taints of the node differ from those
// by condition, as doNoScheduleTaintingPass of Kubernetes and OpenYurt finds out.
func conditionLoop(current []taints.Taint, state lifecycle.NodeState) bool {
	var want, have []taints.Taint
	for _, c := range state.Conditions {
		if keys, known := conditionKeys[c.Type]; known {
			if key, tainted := keys[c.Status]; tainted {
				want = append(want, taints.Taint{Key: key, Effect: taints.NoSchedule})
			}
		}
	}
	if state.Unschedulable {
		want = append(want, taints.Taint{Key: taints.NodeUnschedulable, Effect: taints.NoSchedule})
	}
	for _, t := range current {
		if t.Effect != taints.NoSchedule {
			continue
		}
		if _, owned := conditionTypes[t.Key]; owned || t.Key == taints.NodeUnschedulable {
			have = append(have, t)
		}
	}
	differs := func(list, others []taints.Taint) bool {
		return slices.ContainsFunc(list, func(t taints.Taint) bool {
			_, found := taints.FindTaint(others, t.ID())
			return !found
		})
	}
	return differs(want, have) || differs(have, want)
}
