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
func Reconcile(current, lastApplied, desired []Taint) Changes {
	c := missing(current, desired)
	if len(lastApplied) == 0 {
		return c
	}
	now, applied, wanted := lookup.FirstOf(current, identity),
		lookup.FirstOf(lastApplied, identity), lookup.FirstOf(desired, identity)
	for i := range lastApplied {
		t := &lastApplied[i]
		id := t.ID()
		if wanted.Find(id) >= 0 || applied.Find(id) < i {
			continue
		}
		if at := now.Find(id); at >= 0 && current[at].Value == t.Value {
			c.Remove = append(c.Remove, id)
		}
	}
	return c
}

// ReconcileOwned is like [Reconcile] for a controller that records only the
// identities of its taints, [TaintIDs] of desired, as Cluster API does. An owned
// taint that is not desired is removed whatever its value, in the order of current.
func ReconcileOwned(current []Taint, owned []TaintID, desired []Taint) Changes {
	c := missing(current, desired)
	if len(owned) == 0 {
		return c
	}
	now, own, wanted := lookup.FirstOf(current, identity),
		lookup.FirstOf(owned, identityOf), lookup.FirstOf(desired, identity)
	for i := range current {
		id := current[i].ID()
		if wanted.Find(id) < 0 && own.Find(id) >= 0 && now.Find(id) == i {
			c.Remove = append(c.Remove, id)
		}
	}
	return c
}

// missing returns the changes that add the desired taints that the node lacks.
func missing(current, desired []Taint) Changes {
	var c Changes
	if len(desired) == 0 {
		return c
	}
	now, wanted := lookup.FirstOf(current, identity), lookup.FirstOf(desired, identity)
	for i := range desired {
		t := &desired[i]
		at := now.Find(t.ID())
		if (at < 0 || current[at].Value != t.Value) && wanted.Find(t.ID()) == i {
			c.Add = append(c.Add, t.clone())
		}
	}
	return c
}
