// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// Cordon is the taint with which the scheduler represents a cordoned node.
var Cordon = taints.Taint{Key: taints.NodeUnschedulable, Effect: taints.NoSchedule}

var conditionRules = lifecycle.DefaultConditionRules()

// setConditions sets the conditions, which determine some taints. If the input lacks
// Ready, which every node has, it has none: then they are those that the taints show.
func (n *Node) setConditions(list []corev1.NodeCondition) {
	isReady := func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady }
	if n.inferred = !slices.ContainsFunc(list, isReady); n.inferred {
		list = nil
		for _, rule := range conditionRules {
			if _, has := taints.FindTaint(n.Own, rule.Taint.ID()); has {
				list = append(list, corev1.NodeCondition{Type: corev1.NodeConditionType(rule.Type), Status: corev1.ConditionStatus(rule.Status)})
			}
		}
		list = append(list, corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue})
	}
	for _, c := range list {
		n.conditions = append(n.conditions, lifecycle.Condition{Type: string(c.Type), Status: string(c.Status)})
	}
}

// Corrections returns the changes that Kubernetes' node-lifecycle controller makes to
// the node's taints: those that follow from a condition or a cordon are its own.
func (n *Node) Corrections(now time.Time) taints.Changes {
	return lifecycle.ReconcileConditions(n.Own, lifecycle.NodeState{Conditions: n.conditions, Unschedulable: n.Cordoned}, now)
}

// Lasting returns the node without its NoExecute taints that Kubernetes removes, or nil
// if there are none.
func (n *Node) Lasting() *Node {
	isStale := func(t taints.Taint) bool { return t.Effect == taints.NoExecute && slices.Contains(n.Stale, t.ID()) }
	if !slices.ContainsFunc(n.Taints, isStale) {
		return nil
	}
	lasting := *n
	lasting.Taints = slices.DeleteFunc(slices.Clone(n.Taints), isStale)
	return &lasting
}

// StateFor describes the state of the node that determines whether it has the taint.
func (n *Node) StateFor(id taints.TaintID) string {
	rule := conditionRules[slices.IndexFunc(conditionRules, func(r lifecycle.ConditionRule) bool { return r.Taint.ID() == id })]
	at := slices.IndexFunc(n.conditions, func(c lifecycle.Condition) bool { return c.Type == rule.Type })
	text := "the node has no condition " + rule.Type
	switch {
	case id == Cordon.ID() && n.Cordoned:
		return "the node is cordoned"
	case id == Cordon.ID():
		return "the node is not cordoned"
	case at >= 0:
		text = "the node's condition " + rule.Type + " is " + n.conditions[at].Status
	}
	if n.inferred {
		text += ", by its taints, as the input lacks its conditions"
	}
	return text
}

// IsSilent reports whether the kubelet does not answer. Pods that are deleted then
// stay until it does, unless a taint says that the node is out of service.
func (n *Node) IsSilent() bool {
	_, isOut := taints.FindKey(n.Own, corev1.TaintNodeOutOfService)
	return !isOut && slices.Contains(n.conditions, lifecycle.Condition{Type: string(corev1.NodeReady), Status: string(corev1.ConditionUnknown)})
}

// AddCordon sets the node's taints from its own and its cordon.
func (n *Node) AddCordon() {
	n.Taints = slices.Clip(n.Own)
	if at, has := taints.FindTaint(n.Own, Cordon.ID()); n.Cordoned && !(has && n.Own[at].Value == "") {
		n.Taints = append(n.Taints, Cordon)
	}
}
