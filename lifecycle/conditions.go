package lifecycle

import (
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
)

// A Condition is what counts of one of a node's conditions. It decodes from an
// element of a Node's status.conditions.
type Condition struct {
	Type   string `json:"type"`
	Status string `json:"status"`
}

// A NodeState is what a node's taints follow from.
type NodeState struct {
	// Conditions are the node's status.conditions. A node has one condition of
	// a type.
	Conditions []Condition `json:"conditions,omitempty"`
	// Unschedulable is the node's spec.unschedulable: it is cordoned.
	Unschedulable bool `json:"unschedulable,omitempty"`
}

// Unschedulable is the condition type of a [ConditionRule] about the cordon. Its
// status is "True" on a node that is cordoned, and "False" on any other. A
// condition that says to be of this type is ignored.
const Unschedulable = "spec.unschedulable"

// A ConditionRule puts a taint on nodes with a condition of the type and status.
type ConditionRule struct {
	// Type is that of a condition, such as "Ready", or [Unschedulable].
	Type string `json:"type"`
	// Status is "True", "False", "Unknown" or any other text that a condition
	// may have. An empty one stands for a condition that is missing.
	Status string `json:"status,omitempty"`
	// Taint is the taint; its TimeAdded does not count.
	Taint taints.Taint `json:"taint"`
}

// ConditionRules say which taints a node's conditions lead to. They own the
// taints of their keys and effects: what is on a node and does not follow from
// its conditions is removed. [DefaultConditionRules] are Kubernetes'.
type ConditionRules []ConditionRule

var defaultConditionRules = ConditionRules{
	{"Ready", "False", taints.Taint{Key: taints.NodeNotReady, Effect: taints.NoSchedule}},
	{"Ready", "False", taints.Taint{Key: taints.NodeNotReady, Effect: taints.NoExecute}},
	{"Ready", "Unknown", taints.Taint{Key: taints.NodeUnreachable, Effect: taints.NoSchedule}},
	{"Ready", "Unknown", taints.Taint{Key: taints.NodeUnreachable, Effect: taints.NoExecute}},
	{"MemoryPressure", "True", taints.Taint{Key: taints.NodeMemoryPressure, Effect: taints.NoSchedule}},
	{"DiskPressure", "True", taints.Taint{Key: taints.NodeDiskPressure, Effect: taints.NoSchedule}},
	{"PIDPressure", "True", taints.Taint{Key: taints.NodePIDPressure, Effect: taints.NoSchedule}},
	{"NetworkUnavailable", "True", taints.Taint{Key: taints.NodeNetworkUnavailable, Effect: taints.NoSchedule}},
	{Unschedulable, "True", taints.Taint{Key: taints.NodeUnschedulable, Effect: taints.NoSchedule}},
}

// DefaultConditionRules returns the rules of Kubernetes' node-lifecycle
// controller, as a new list:
//
//	Ready False              NodeNotReady             NoSchedule and NoExecute
//	Ready Unknown            NodeUnreachable          NoSchedule and NoExecute
//	MemoryPressure True      NodeMemoryPressure       NoSchedule
//	DiskPressure True        NodeDiskPressure         NoSchedule
//	PIDPressure True         NodePIDPressure          NoSchedule
//	NetworkUnavailable True  NodeNetworkUnavailable   NoSchedule
//	Unschedulable True       NodeUnschedulable        NoSchedule
func DefaultConditionRules() ConditionRules { return slices.Clone(defaultConditionRules) }

// ConditionTaints returns the taints that Kubernetes' node-lifecycle controller
// keeps on a node in the state. It is [ConditionRules.ConditionTaints] for
// [DefaultConditionRules].
//
// The controller itself sets Ready to Unknown on a node whose kubelet is silent.
// This function does not.
func ConditionTaints(state NodeState) []taints.Taint {
	return defaultConditionRules.ConditionTaints(state)
}

// ReconcileConditions returns what Kubernetes' node-lifecycle controller does to
// the current taints of a node in the state. It is
// [ConditionRules.ReconcileConditions] for [DefaultConditionRules].
//
// There are two differences. The controller adds the NoExecute taints of a zone
// no faster than its eviction rate allows, see [DisruptionPolicy]; here they
// come at once, last in Add. And a controller that has just started writes a
// NoExecute taint that is there anew, which gives its pods their full time
// again; here the taint keeps its TimeAdded.
func ReconcileConditions(current []taints.Taint, state NodeState, now time.Time) taints.Changes {
	return defaultConditionRules.ReconcileConditions(current, state, now)
}

// ConditionTaints returns the taints of the rules that hold for a node in the
// state. First come those with other effects than NoExecute, in the order of
// the conditions, then of the cordon, then of missing conditions; then come
// those with NoExecute in the order of the rules. Of several taints of one key
// and effect the first counts. TimeAdded is nil.
//
// Where a list repeats a condition type, which no API server accepts, each of
// them counts, and only the first for NoExecute, as in Kubernetes. A condition
// with an empty status is like a missing one.
func (r ConditionRules) ConditionTaints(state NodeState) []taints.Taint {
	var list []taints.Taint
	conditions := r.conditions(state)
	for _, c := range conditions {
		for _, rule := range r {
			if rule.Taint.Effect != taints.NoExecute && rule.Type == c.Type && rule.Status == c.Status {
				list = appendTaint(list, rule.Taint)
			}
		}
	}
	for _, rule := range r {
		if rule.Taint.Effect == taints.NoExecute && rule.Status == rule.status(conditions) {
			list = appendTaint(list, rule.Taint)
		}
	}
	return list
}

// conditions returns those of the state, that of the cordon, and one without a
// status for each missing one, so that there is one of the type of each rule.
func (r ConditionRules) conditions(state NodeState) []Condition {
	list := make([]Condition, 0, len(state.Conditions)+1)
	for _, c := range state.Conditions {
		if c.Type != Unschedulable {
			list = append(list, c)
		}
	}
	cordon := Condition{Unschedulable, "False"}
	if state.Unschedulable {
		cordon.Status = "True"
	}
	list = append(list, cordon)
	for _, rule := range r {
		if !slices.ContainsFunc(list, rule.isAbout) {
			list = append(list, Condition{Type: rule.Type})
		}
	}
	return list
}

// isAbout reports whether the condition has the rule's type.
func (rule ConditionRule) isAbout(c Condition) bool { return c.Type == rule.Type }

// status returns the status of the first condition of the rule's type, of which
// there is one.
func (rule ConditionRule) status(conditions []Condition) string {
	return conditions[slices.IndexFunc(conditions, rule.isAbout)].Status
}

// appendTaint appends the taint, without a time, unless the list has one of its
// key and effect.
func appendTaint(list []taints.Taint, t taints.Taint) []taints.Taint {
	if find(list, t.ID()) >= 0 {
		return list
	}
	t.TimeAdded = nil
	return append(list, t)
}

// find returns the index of the first taint of the identity, or -1.
func find(list []taints.Taint, id taints.TaintID) int {
	return slices.IndexFunc(list, func(t taints.Taint) bool { return t.ID() == id })
}

// ReconcileConditions returns what to do to the current taints of a node in the
// state so that they follow the rules: it adds the taints of ConditionTaints
// that are missing, and removes those that the rules own and that do not follow.
//
// A taint is missing if the node has none of its key and effect, or has it under
// the value of another rule. One under any other value, which somebody else
// chose, stays as it is while it follows. What is added has now as its
// TimeAdded, in UTC and cut to whole seconds, as Kubernetes stores it.
//
// All taints of other keys and effects are left alone. So is a NoExecute taint
// while the status of a condition in its rules is not known: none of True, False
// and Unknown, and named by no rule of that condition. A gap in the conditions
// neither evicts pods nor saves them.
//
// The changes are like those of [taints.ReconcileOwned]: empty after they have
// been applied. Rules are not validated. A taint without an effect, which no API
// server accepts, is never removed.
func (r ConditionRules) ReconcileConditions(current []taints.Taint, state NodeState, now time.Time) taints.Changes {
	now = now.UTC().Truncate(time.Second)
	desired := r.ConditionTaints(state)
	for i := range desired {
		t := &desired[i]
		at := find(current, t.ID())
		if at >= 0 && !r.has(current[at]) {
			*t = current[at]
		} else {
			t.TimeAdded = &now
		}
	}
	return taints.ReconcileOwned(current, r.owned(state), desired)
}

// has reports whether a rule has the taint under the same value.
func (r ConditionRules) has(t taints.Taint) bool {
	return slices.ContainsFunc(r, func(rule ConditionRule) bool {
		return rule.Taint.ID() == t.ID() && rule.Taint.Value == t.Value
	})
}

// owned returns the identities of the taints that may be removed from a node in
// the state.
func (r ConditionRules) owned(state NodeState) []taints.TaintID {
	conditions := r.conditions(state)
	var unknown []taints.TaintID
	for _, rule := range r {
		if rule.Taint.Effect == taints.NoExecute && !r.knows(rule.Type, rule.status(conditions)) {
			unknown = append(unknown, rule.Taint.ID())
		}
	}
	var owned []taints.TaintID
	for _, rule := range r {
		if id := rule.Taint.ID(); id.Effect != "" && !slices.Contains(unknown, id) {
			owned = append(owned, id)
		}
	}
	return owned
}

// knows reports whether a condition of the type that has the status is known.
func (r ConditionRules) knows(kind, status string) bool {
	switch status {
	case "True", "False", "Unknown":
		return true
	}
	return slices.ContainsFunc(r, func(rule ConditionRule) bool { return rule.Type == kind && rule.Status == status })
}
