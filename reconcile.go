// SPDX-License-Identifier: Apache-2.0

package taints

import "github.com/seed-0529bac1/taints/internal/lookup"

// Reconcile returns the changes that a controller makes to a node's current
// taints if it last applied one list and now desires another:
//
//   - A desired taint is added unless the node has it with the same value.
//   - A taint that was applied and is no longer desired is removed if the node
//     still has it with the value that was applied.
//   - Every other taint is left alone.
//
// If a list has several taints with one key and effect, the first counts. Taints
// are added in the order of desired, with its TimeAdded, and removed in that of
// lastApplied. If there is nothing to do, the changes are zero.
//
// Record desired with the changes, also with zero ones: from then on its taints
// count as applied, even if another client put them on the node. If you cannot
// write the record together with the taints, write it first, with the taints of
// both lists: what is not recorded is never removed.
//
// Reconcile(from, from, to) leads from one list to another (TaintSetDiff in
// Kubernetes, which does not notice a changed value).
func Reconcile(current, lastApplied, desired []Taint) (c Changes) {
	c, only := reconcile(current, lastApplied, desired)
	if only != nil {
		c.Add = []Taint{*only}
	}
	return c
}

func reconcile(current, lastApplied, desired []Taint) (c Changes, only *Taint) {
	now, applied, wanted := placesOf(current), placesOf(lastApplied), placesOf(desired)
	for i := range lastApplied {
		t := &lastApplied[i]
		if wanted.find(desired, t) >= 0 || applied.find(lastApplied, t) < i {
			continue
		}
		if at := now.find(current, t); at >= 0 && current[at].Value == t.Value {
			c.Remove = append(c.Remove, t.ID())
		}
	}
	c.Add, only = missing(current, now, desired, wanted)
	return c, only
}

// ReconcileOwned is like [Reconcile] for a controller that records only the
// identities of its taints, [TaintIDs] of desired, as Cluster API does. An owned
// taint that is not desired is removed whatever its value, in the order of current.
func ReconcileOwned(current []Taint, owned []TaintID, desired []Taint) (c Changes) {
	c, only := reconcileOwned(current, owned, desired)
	if only != nil {
		c.Add = []Taint{*only}
	}
	return c
}

func reconcileOwned(current []Taint, owned []TaintID, desired []Taint) (c Changes, only *Taint) {
	now, own, wanted := placesOf(current), lookup.PlacesOf(owned), placesOf(desired)
	for i := range current {
		t := &current[i]
		if wanted.find(desired, t) < 0 && own.Find(owned, t.ID()) >= 0 && now.find(current, t) == i {
			c.Remove = append(c.Remove, t.ID())
		}
	}
	c.Add, only = missing(current, now, desired, wanted)
	return c, only
}

// missing returns the desired taints that the node lacks. It returns a single one
// without a time by itself, so that the list of it can be on the caller's stack.
func missing(current []Taint, now places, desired []Taint, wanted places) (add []Taint, only *Taint) {
	for i := range desired {
		t := &desired[i]
		at := now.find(current, t)
		if at >= 0 && current[at].Value == t.Value || wanted.find(desired, t) != i {
			continue
		}
		if only == nil && add == nil && t.TimeAdded == nil {
			only = t
			continue
		}
		if only != nil {
			add, only = append(add, *only), nil
		}
		add = append(add, t.clone())
	}
	return add, only
}
