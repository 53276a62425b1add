// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/lookup"
)

// Reconcile returns the tolerations that a controller gives to a workload, if it last
// applied one list and now desires another. The desired ones take the places of the
// controller's in current, in order, or come last. What was applied and is no longer
// desired is removed. Others stay. Tolerations with the same [taints.TolerationID]
// are the same.
//
// A controller that owns all tolerations passes current as lastApplied. Sort a
// desired list that was made from a map, because a change of the order is a change.
// Record desired after every call. If nothing changes, the result is current itself,
// and otherwise a new list that shares no memory with the arguments.
func Reconcile(current, lastApplied, desired []taints.Toleration) (tolerations []taints.Toleration, changed bool) {
	applied, wanted := lookup.FirstOf(lastApplied, idOf), lookup.FirstOf(desired, idOf)
	owns := func(t *taints.Toleration) bool {
		id := t.ID()
		return wanted.Find(id) >= 0 || applied.Find(id) >= 0
	}
	same, next := 0, 0 // what is as it should be of current, and what is there of desired
	for ; same < len(current); same++ {
		if owns(&current[same]) {
			if next == len(desired) || !current[same].Equal(desired[next]) {
				break
			}
			next++
		}
	}
	if same == len(current) && next == len(desired) {
		return current, false
	}
	tolerations = make([]taints.Toleration, 0, len(current)+len(desired)-next)
	for i := range current {
		switch {
		case i < same || !owns(&current[i]):
			tolerations = append(tolerations, clone(current[i]))
		case next < len(desired):
			tolerations = append(tolerations, clone(desired[next]))
			next++
		}
	}
	for ; next < len(desired); next++ {
		tolerations = append(tolerations, clone(desired[next]))
	}
	return tolerations, true
}

func idOf(t *taints.Toleration) taints.TolerationID { return t.ID() }
