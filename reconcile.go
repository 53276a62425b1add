// SPDX-License-Identifier: Apache-2.0

package taints

// Diff returns the changes that lead from one list of taints to another. It adds
// a taint that only the second list has, or has with another value, and removes
// one that only the first list has. It is [Reconcile] for a list that nobody else
// changes. TaintSetDiff in Kubernetes does not see that a value changed.
func Diff(from, to []Taint) Changes { return Reconcile(from, from, to) }

// Reconcile returns the changes that a controller makes to a node's current
// taints if it last applied one list and now desires another, as for a machine
// set whose template changed:
//
//   - A desired taint is added unless the node has it with the same value.
//   - A taint that was applied and is no longer desired is removed if the node
//     still has it with the value that was applied.
//   - Every other taint is left alone, among them those that somebody else has
//     removed or given another value since.
//
// Taints are compared by key, value and effect. TimeAdded is copied from
// desired. If a list has several taints with one key and effect, the first
// counts. A taint without an effect, which no API server accepts, is never
// removed, as no [TaintID] identifies it alone.
//
// Taints are added in the order of desired and removed in that of lastApplied.
// The changes share no memory with the lists, and are zero if there is nothing
// to do, such as once they have been applied.
func Reconcile(current, lastApplied, desired []Taint) Changes {
	c := missing(current, desired)
	on, wanted := placesOf(current), placesOf(desired)
	for _, t := range firsts(lastApplied) {
		id := t.ID()
		if id.Effect == "" || wanted.first(desired, id) >= 0 {
			continue
		}
		if at := on.first(current, id); at >= 0 && current[at].Value == t.Value {
			c.Remove = append(c.Remove, id)
		}
	}
	return c
}

// ReconcileOwned is like [Reconcile] for a controller that records only the
// identities of the taints it owns, as Cluster API does in an annotation. An
// owned taint that is not desired is removed whatever its value. An identity
// without an effect owns the key with every effect. Taints are removed in the
// order of current.
func ReconcileOwned(current []Taint, owned []TaintID, desired []Taint) Changes {
	c := missing(current, desired)
	own, wanted := removalsOf(owned), placesOf(desired)
	for _, t := range firsts(current) {
		id := t.ID()
		if id.Effect != "" && own.first(&t) >= 0 && wanted.first(desired, id) < 0 {
			c.Remove = append(c.Remove, id)
		}
	}
	return c
}

// missing returns the changes that add the desired taints that the node lacks.
func missing(current, desired []Taint) Changes {
	var c Changes
	on := placesOf(current)
	for _, t := range firsts(desired) {
		if at := on.first(current, t.ID()); at < 0 || current[at].Value != t.Value {
			c.Add = append(c.Add, t)
		}
	}
	return c
}
