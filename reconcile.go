// SPDX-License-Identifier: Apache-2.0

package taints

import "github.com/seed-0529bac1/taints/internal/lookup"

// Reconcile returns the changes that a controller makes to a node's current
// taints if it last applied one list and now desires another, as for a machine
// set whose template changed:
//
//   - A desired taint is added unless the node has it with the same value.
//   - A taint that was applied and is no longer desired is removed if the node
//     still has it with the value that was applied.
//   - Every other taint is left alone, including an applied one that another
//     client has given another value since.
//
// Taints are compared by key, value and effect. TimeAdded is copied from desired.
// If a list has several taints with one key and effect, the first counts. Taints
// are added in the order of desired and removed in that of lastApplied. The
// changes share no memory with the lists, and are zero if there is nothing to do.
//
// Reconcile(from, from, to) returns the changes that lead from one list to
// another. TaintSetDiff in Kubernetes does not notice a changed value.
func Reconcile(current, lastApplied, desired []Taint) Changes {
	c := missing(current, desired)
	currently, wanted := lookup.FirstOf(current, identity), lookup.FirstOf(desired, identity)
	for _, t := range firsts(lastApplied) {
		id := t.ID()
		if wanted.Find(id) >= 0 {
			continue
		}
		if at := currently.Find(id); at >= 0 && current[at].Value == t.Value {
			c.Remove = append(c.Remove, id)
		}
	}
	return c
}

// ReconcileOwned is like [Reconcile] for a controller that records only the
// identities of the taints it owns, as Cluster API does in an annotation. An
// owned taint that is not desired is removed whatever its value. Taints are
// removed in the order of current.
func ReconcileOwned(current []Taint, owned []TaintID, desired []Taint) Changes {
	c := missing(current, desired)
	own := lookup.FirstOf(owned, func(id *TaintID) TaintID { return *id })
	wanted := lookup.FirstOf(desired, identity)
	for _, t := range firsts(current) {
		if id := t.ID(); own.Find(id) >= 0 && wanted.Find(id) < 0 {
			c.Remove = append(c.Remove, id)
		}
	}
	return c
}

// missing returns the changes that add the desired taints that the node lacks.
func missing(current, desired []Taint) Changes {
	var c Changes
	currently := lookup.FirstOf(current, identity)
	for _, t := range firsts(desired) {
		if at := currently.Find(t.ID()); at < 0 || current[at].Value != t.Value {
			c.Add = append(c.Add, t)
		}
	}
	return c
}
