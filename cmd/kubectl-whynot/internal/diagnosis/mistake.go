// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/say"
	"github.com/seed-0529bac1/taints/explain"
)

// A mistake is a toleration that was meant for a taint but does not match it.
// The library's hints show this. If only a value or key differs, the taint may
// exist to keep exactly this pod off the node.

// isMistake reports whether the closest toleration was meant for the taint. A
// toleration that tolerates a taint of some node in the cluster is used, so it
// is intended. A toleration that evicts pods at once, or that lets them stay for
// a time and is not for this effect, is intended too.
func (a *adviser) isMistake(r *reason) bool {
	t := r.Closest
	switch {
	case r.at < 0 || t.Key == "" || a.isUsed(t):
		return false
	case t.Key != r.Taint.Key && !r.lacksPrefix && !say.IsSameWord(t.Key, r.Taint.Key):
		return false
	case !isEffect(t.Effect) && !strings.EqualFold(string(t.Effect), string(r.Taint.Effect)):
		return false
	case t.TolerationSeconds != nil && (*t.TolerationSeconds <= 0 || t.Effect != r.Taint.Effect):
		return false
	}
	switch knownOperator(t.Operator) {
	case taints.OpExists:
		return true
	case taints.OpLt, taints.OpGt:
		return isInteger(r.Taint.Value) && (t.Value == "" || t.Value == r.Taint.Value) // off by one, or none
	}
	if t.Value == "" && r.Taint.Value != "" {
		return a.values[r.Taint.ID()] == 1 && strings.EqualFold(t.Key, r.Taint.Key) && !a.namesValue(t.Key)
	}
	return strings.EqualFold(strings.TrimSpace(t.Value), r.Taint.Value)
}

// isEffect reports whether a toleration may have the effect. An empty effect
// means all effects.
func isEffect(e taints.Effect) bool {
	return slices.Contains([]taints.Effect{"", taints.NoSchedule, taints.PreferNoSchedule, taints.NoExecute}, e)
}

// namesValue reports whether a toleration with the key has a value.
func (a *adviser) namesValue(key string) bool {
	return slices.ContainsFunc(a.Tolerations, func(t taints.Toleration) bool {
		return t.Value != "" && strings.EqualFold(t.Key, key)
	})
}

// corrected returns the toleration of a mistake with the fewest changes that
// make it tolerate the taint. It tolerates the taint forever, because otherwise
// the pod would be evicted from each node.
func corrected(r explain.Reason) taints.Toleration {
	t := r.Closest
	t.Key, t.TolerationSeconds = r.Taint.Key, nil
	if t.Effect != "" {
		t.Effect = r.Taint.Effect
	}
	if t.Tolerates(r.Taint) {
		return t
	}
	switch operator := knownOperator(t.Operator); operator {
	case taints.OpExists:
		t.Operator, t.Value = operator, ""
	case taints.OpLt, taints.OpGt:
		t.Operator, t.Value = threshold(operator, r.Taint.Value)
	default:
		t.Value = r.Taint.Value
		if t.Operator != "" {
			t.Operator = taints.OpEqual
		}
	}
	return t
}

// threshold returns the operator, Lt or Gt, with the value that just includes
// the taint's value, or Equal if there is no such value.
func threshold(op taints.Operator, value string) (taints.Operator, string) {
	n, _ := strconv.ParseInt(value, 10, 64)
	switch {
	case op == taints.OpLt && n < math.MaxInt64:
		return op, strconv.FormatInt(n+1, 10)
	case op == taints.OpGt && n > math.MinInt64:
		return op, strconv.FormatInt(n-1, 10)
	}
	return taints.OpEqual, value
}

// isInteger reports whether Lt and Gt can compare the value.
func isInteger(value string) bool {
	n, err := strconv.ParseInt(value, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == value
}

// knownOperator returns the operator, a known operator that differs only in
// letter case, or else Equal.
func knownOperator(op taints.Operator) taints.Operator {
	for _, known := range []taints.Operator{taints.OpExists, taints.OpLt, taints.OpGt} {
		if strings.EqualFold(string(op), string(known)) {
			return known
		}
	}
	return taints.OpEqual
}

// tolerationOf returns a toleration of just this taint. Without a value the usual
// form is Exists, unless it would also tolerate taints of nodes with a value.
func (k *known) tolerationOf(t taints.Taint) taints.Toleration {
	if t.Value == "" && !k.hasValues[t.ID()] {
		return taints.Toleration{Key: t.Key, Operator: taints.OpExists, Effect: t.Effect}
	}
	return taints.Toleration{Key: t.Key, Operator: taints.OpEqual, Value: t.Value, Effect: t.Effect}
}

// isControlPlane reports whether a taint keeps pods off the control plane.
func isControlPlane(t taints.Taint) bool {
	return t.Key == taints.NodeRoleControlPlane || t.Key == "node-role.kubernetes.io/master"
}

// isEverybodys reports whether every pod gets the toleration by default. Such a
// toleration does not show what its author wants. Other seconds do.
func isEverybodys(t taints.Toleration) bool {
	isKey := t.Key == taints.NodeNotReady || t.Key == taints.NodeUnreachable
	return isKey && t.Operator == taints.OpExists && t.Effect == taints.NoExecute &&
		t.TolerationSeconds != nil && *t.TolerationSeconds == 300
}

// A known has facts about the taints of all nodes.
type known struct {
	taints    []taints.Taint
	hasValues map[taints.TaintID]bool    // keys and effects of taints with values
	used      map[taints.Toleration]bool // results of isUsed
}

func newKnown(groups []*cluster.Group) *known {
	k := &known{cluster.DistinctTaints(groups), make(map[taints.TaintID]bool), make(map[taints.Toleration]bool)}
	for _, t := range k.taints {
		if t.Value != "" {
			k.hasValues[t.ID()] = true
		}
	}
	return k
}

// isUsed reports whether the toleration tolerates a taint of any node.
func (k *known) isUsed(t taints.Toleration) bool {
	t.TolerationSeconds = nil // the seconds do not matter, and differ as pointers
	is, ok := k.used[t]
	if !ok {
		is = slices.ContainsFunc(k.taints, t.Tolerates)
		k.used[t] = is
	}
	return is
}
