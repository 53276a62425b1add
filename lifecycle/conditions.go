// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
)

// A Condition is the type and status of a node's condition. It decodes from an element
// of a node's status.conditions.
type Condition struct {
	Type   string `json:"type"`
	Status string `json:"status"`
}

// A NodeState determines a node's taints.
type NodeState struct {
	// Conditions are the node's status.conditions, at most one of each type.
	Conditions []Condition `json:"conditions,omitempty"`
	// Unschedulable is the node's spec.unschedulable: whether it is cordoned.
	Unschedulable bool `json:"unschedulable,omitempty"`
}

// Cordoned is the Type of a [ConditionRule] about cordoned nodes, with the status
// "True" or "False". A node's condition of this type is ignored.
const Cordoned = "spec.unschedulable"

// A ConditionRule adds a taint to nodes with a condition of the type and status.
type ConditionRule struct {
	// Type is the type of a condition, such as "Ready", or [Cordoned].
	Type string `json:"type"`
	// Status is "True", "False", "Unknown" or any other status. Empty means a
	// missing condition.
	Status string `json:"status"`
	// Taint is the taint. Its TimeAdded is ignored.
	Taint taints.Taint `json:"taint"`
}

// ConditionRules determine taints from a node's conditions. They own the taints
// with their keys and effects: such a taint is removed from a node if no rule adds
// it. The methods compare each rule with every condition, taint and other rule, which
// is slow for thousands of rules.
type ConditionRules []ConditionRule

var defaultConditionRules = ConditionRules{
	{"Ready", "False", taint(taints.NodeNotReady, taints.NoSchedule)},
	{"Ready", "False", taint(taints.NodeNotReady, taints.NoExecute)},
	{"Ready", "Unknown", taint(taints.NodeUnreachable, taints.NoSchedule)},
	{"Ready", "Unknown", taint(taints.NodeUnreachable, taints.NoExecute)},
	{"MemoryPressure", "True", taint(taints.NodeMemoryPressure, taints.NoSchedule)},
	{"DiskPressure", "True", taint(taints.NodeDiskPressure, taints.NoSchedule)},
	{"PIDPressure", "True", taint(taints.NodePIDPressure, taints.NoSchedule)},
	{"NetworkUnavailable", "True", taint(taints.NodeNetworkUnavailable, taints.NoSchedule)},
	{Cordoned, "True", taint(taints.NodeUnschedulable, taints.NoSchedule)},
}

func taint(key string, effect taints.Effect) taints.Taint {
	return taints.Taint{Key: key, Effect: effect}
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
//	Cordoned True            NodeUnschedulable        NoSchedule
//
// The controller also sets Ready to Unknown if the kubelet stops reporting. Here
// the caller does. It adds NoExecute taints at the rate of a [DisruptionPolicy].
// [ConditionRules.Reconcile] adds them at once, last in Add. To limit them,
// reconcile the rules with NoExecute separately, as in the example. A controller
// that just started replaces existing NoExecute taints. Here these keep their
// TimeAdded.
func DefaultConditionRules() ConditionRules { return slices.Clone(defaultConditionRules) }

// Taints returns the taints of the rules that apply to a node in the state, without
// TimeAdded. Of several with the same key and effect, it returns the first. Taints with
// NoExecute come last.
//
// A condition with an empty status is missing. If the state repeats a condition type,
// which no API server accepts, every condition applies, but for NoExecute the first,
// as in Kubernetes.
func (r ConditionRules) Taints(state NodeState) []taints.Taint { return r.appendTaints(nil, &state) }

func (r ConditionRules) appendTaints(list []taints.Taint, state *NodeState) []taints.Taint {
	for _, c := range state.Conditions {
		if c.Type != Cordoned && c.Status != "" {
			list = r.appendFor(list, c)
		}
	}
	list = r.appendFor(list, Condition{Cordoned, state.cordon()})
	for i := range r {
		if rule := &r[i]; rule.Status == "" && !rule.evicts() && state.lacks(rule.Type) {
			list = appendTaint(list, &rule.Taint)
		}
	}
	for i := range r {
		if rule := &r[i]; rule.evicts() && rule.Status == state.status(rule.Type) {
			list = appendTaint(list, &rule.Taint)
		}
	}
	return list
}

// appendFor appends the taints that the rules add for the condition, but not those
// with NoExecute.
func (r ConditionRules) appendFor(list []taints.Taint, c Condition) []taints.Taint {
	for i := range r {
		if rule := &r[i]; rule.Type == c.Type && rule.Status == c.Status && !rule.evicts() {
			list = appendTaint(list, &rule.Taint)
		}
	}
	return list
}

// appendTaint appends the taint, without its time, unless one with its key and effect
// is in the list.
func appendTaint(list []taints.Taint, t *taints.Taint) []taints.Taint {
	if _, found := taints.FindTaint(list, t.ID()); found {
		return list
	}
	list = append(list, *t)
	list[len(list)-1].TimeAdded = nil
	return list
}

// evicts reports whether the rule adds a NoExecute taint.
func (rule *ConditionRule) evicts() bool { return rule.Taint.Effect == taints.NoExecute }

// cordon returns the status for Cordoned.
func (s *NodeState) cordon() string {
	if s.Unschedulable {
		return "True"
	}
	return "False"
}

// status returns the status of the first condition of the type. It is empty if the
// condition is missing.
func (s *NodeState) status(kind string) string {
	if kind == Cordoned {
		return s.cordon()
	}
	for i := range s.Conditions {
		if c := &s.Conditions[i]; c.Type == kind {
			return c.Status
		}
	}
	return ""
}

// lacks reports whether a condition of the type is missing.
func (s *NodeState) lacks(kind string) bool {
	return s.status(kind) == "" || kind != Cordoned && slices.Contains(s.Conditions, Condition{Type: kind})
}

// Reconcile returns the changes that make the current taints of a node in the state
// follow the rules: it adds the taints of [ConditionRules.Taints] that the node
// lacks, and removes taints that the rules own but do not add. Other taints stay.
// Added taints have now as their TimeAdded, in UTC and truncated to seconds, as
// Kubernetes stores it. Rules are not validated.
//
// An existing taint with the value of another rule is replaced. One with any other
// value, which another client chose, stays as long as a rule adds its key and effect.
//
// A missing condition does not end an eviction: a NoExecute taint stays while a
// condition of its rules is missing, or has a status that neither Kubernetes nor the
// rules know. A rule for another condition may still add it, or replace its value.
func (r ConditionRules) Reconcile(current []taints.Taint, state NodeState, now time.Time) taints.Changes {
	var c taints.Changes
	var buf [8]taints.Taint
	desired := r.appendTaints(buf[:0], &state)
	for _, t := range desired {
		at, found := taints.FindTaint(current, t.ID())
		if found && (current[at].Value == t.Value || !r.has(&current[at])) {
			continue
		}
		added := now.UTC().Truncate(time.Second)
		t.TimeAdded = &added
		c.Add = append(c.Add, t)
	}
	for i := range current {
		id := current[i].ID()
		if _, stays := taints.FindTaint(desired, id); stays || !r.removes(id, &state) {
			continue
		}
		if first, _ := taints.FindTaint(current, id); first == i {
			c.Remove = append(c.Remove, id)
		}
	}
	return c
}

// has reports whether a rule adds the taint with the same value.
func (r ConditionRules) has(t *taints.Taint) bool {
	return slices.ContainsFunc(r, func(rule ConditionRule) bool {
		return rule.Taint.ID() == t.ID() && rule.Taint.Value == t.Value
	})
}

// removes reports whether the rules remove a taint with the identity from a node in
// the state unless they add it.
func (r ConditionRules) removes(id taints.TaintID, state *NodeState) bool {
	owned := false
	for i := range r {
		rule := &r[i]
		if rule.Taint.Key != id.Key || rule.Taint.Effect != id.Effect {
			continue
		}
		if rule.evicts() && !r.knows(rule.Type, state.status(rule.Type)) {
			return false
		}
		owned = true
	}
	return owned
}

// knows reports whether the status is known for a condition of the type.
func (r ConditionRules) knows(kind, status string) bool {
	switch status {
	case "True", "False", "Unknown":
		return true
	}
	return slices.ContainsFunc(r, func(rule ConditionRule) bool {
		return rule.Type == kind && rule.Status == status
	})
}
