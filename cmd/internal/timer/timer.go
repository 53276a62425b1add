// SPDX-License-Identifier: Apache-2.0

// Package timer finds the timer that Kubernetes' taint-eviction controller has for
// a pod that runs, and has the words that explain it.
package timer

import (
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// Rule explains the timer.
const Rule = "Kubernetes' controller counts from when it sees a taint, here from timeAdded or the pod's arrival. " +
	"It keeps a timer that runs when the node gets more taints. After a restart it sees all taints anew."

// NotKubernetes is said of a rule that Kubernetes does not have.
const NotKubernetes = "which Kubernetes does not do"

// Of returns the pod's timer and the index of the taint that started it, or false
// if the pod stays. The controller sees each taint at its time, and keeps a timer
// that runs when it sees more.
func Of(policy taints.EvictionPolicy, m *taints.Matcher, list []taints.Taint, seenAt func(taints.Taint) time.Time) (taint int, timer taints.Eviction, evicts bool) {
	var order []int // of the NoExecute taints
	for i, t := range list {
		if t.Effect == taints.NoExecute {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return seenAt(list[a]).Compare(seenAt(list[b])) })
	var queue lifecycle.Queue[struct{}]
	var seen []taints.Taint
	for len(seen) < len(order) {
		at := seenAt(list[order[len(seen)]])
		for len(seen) < len(order) && seenAt(list[order[len(seen)]]).Equal(at) {
			seen = append(seen, list[order[len(seen)]])
		}
		before, _ := queue.Due(struct{}{})
		e := policy.EvictionOf(m, seen, at)
		queue.Update(struct{}{}, e)
		if due, ok := queue.Due(struct{}{}); ok && (!evicts || !due.Equal(before)) {
			taint, timer, evicts = order[e.Taint], e, true
		}
	}
	return taint, timer, evicts
}
