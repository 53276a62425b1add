// SPDX-License-Identifier: Apache-2.0

package remedy

import (
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/names"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/internal/known"
)

// isMistake reports whether the closest toleration was meant for the taint. If only a
// value or key differs, the taint may exist to keep exactly this pod off the node. A
// toleration is intended if it tolerates a taint of some node, evicts pods at once, or
// lets them stay for a time and is not for this effect.
func (a *chooser) isMistake(r explain.Reason) bool {
	t := r.Closest
	switch {
	case !names.IsSameWord(t.Key, r.Taint.Key),
		!isEffect(t.Effect) && !strings.EqualFold(string(t.Effect), string(r.Taint.Effect)),
		t.TolerationSeconds != nil && (*t.TolerationSeconds <= 0 || t.Effect != r.Taint.Effect):
		return false
	}
	switch operator := knownOperator(t.Operator); {
	case operator == taints.OpLt || operator == taints.OpGt: // a limit is rarely a mistake
		return false
	case operator == taints.OpExists:
	case t.Value == "" && r.Taint.Value != "":
		hasValue := func(o taints.Toleration) bool { return o.Value != "" && strings.EqualFold(o.Key, t.Key) }
		if !strings.EqualFold(t.Key, r.Taint.Key) || a.rejecting[r.Taint.ID()] > 1 || slices.ContainsFunc(a.Tolerations, hasValue) {
			return false
		}
	case !strings.EqualFold(strings.TrimSpace(t.Value), r.Taint.Value):
		return false
	}
	return !slices.ContainsFunc(a.taints, t.Tolerates) // the slowest question comes last
}

// reasonFor returns the reason with the toleration that was meant for the taint: the closest
// or, if that was not, the only one of the first 100 that differs in one thing alone.
func (a *chooser) reasonFor(t taints.Taint) explain.Reason {
	var found []explain.Reason
	for i, o := range a.Tolerations[:min(len(a.Tolerations), 100)] {
		if !a.isMistake(explain.Reason{Taint: t, Closest: o}) {
			continue
		}
		r := explain.Taint(taints.Compile([]taints.Toleration{o}), t)
		if r.Toleration = i; len(r.Differences) == 1 {
			found = append(found, r)
		}
	}
	if len(found) == 1 && !a.isMistake(a.reasons.Of(t)) {
		a.reasons[cluster.KeyOf(t)] = found[0]
	}
	return a.reasons.Of(t)
}

// isEffect reports whether a toleration may have the effect. Empty means all.
func isEffect(e taints.Effect) bool { return e == "" || known.IsEffect(e) }

// corrected returns the mistaken toleration with the fewest changes that make it
// tolerate the taint, and forever: otherwise the pod would be evicted from each node.
func corrected(r explain.Reason) taints.Toleration {
	t := r.Closest
	t.Key, t.TolerationSeconds = r.Taint.Key, nil
	if t.Effect != "" {
		t.Effect = r.Taint.Effect
	}
	if t.Tolerates(r.Taint) {
		return t
	}
	if knownOperator(t.Operator) == taints.OpExists {
		t.Operator, t.Value = taints.OpExists, ""
		return t
	}
	t.Value = r.Taint.Value
	if t.Operator != "" {
		t.Operator = taints.OpEqual
	}
	return t
}

// knownOperator returns the operator, in the right letter case, or else Equal.
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
func (a *Adviser) tolerationOf(t taints.Taint) taints.Toleration {
	added := t.Toleration()
	if t.Value == "" && a.values[t.ID()] == 1 {
		added.Operator = taints.OpExists
	}
	return added
}
