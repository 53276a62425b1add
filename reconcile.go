package taints

// Diff returns the changes that lead from one list of taints to another: it
// adds what to has and from has not, or has under another value, and removes
// what from has and to has not. It is [Reconcile] for a list that nobody else
// changes.
func Diff(from, to []Taint) Changes { return Reconcile(from, from, to) }

// Reconcile returns what a controller has to do to a node's current taints when
// it once applied a list and now desires another, such as a machine set whose
// template changed:
//
//   - A desired taint is added unless the node has it under the same value.
//   - A taint that was applied and is no longer desired is removed if the node
//     still has it under the value that was applied. What somebody else has
//     removed or given another value since is left alone.
//   - Every other taint is left alone.
//
// Identities are compared, and values, but not TimeAdded, which is carried over
// from desired. Of several taints of one key and effect in a list the first
// counts. A taint without an effect, which no API server accepts, is never
// removed, for no [TaintID] names it alone.
//
// Taints are added in the order of desired and removed in that of lastApplied.
// The changes share nothing with the lists, and are zero where there is nothing
// to do, as there is after they have been applied.
func Reconcile(current, lastApplied, desired []Taint) Changes {
	c := missing(current, desired)
	on, wanted := placesOf(current), placesOf(desired)
	for _, t := range firsts(lastApplied) {
		id := t.ID()
		at := on.first(current, id)
		if at >= 0 && current[at].Value == t.Value && id.Effect != "" && wanted.first(desired, id) < 0 {
			c.Remove = append(c.Remove, id)
		}
	}
	return c
}

// ReconcileOwned is like [Reconcile] for a controller that wrote down only the
// identities of the taints that it owns, as Cluster API does in an annotation:
// an owned taint that is not desired is removed under whatever value. An owned
// identity without an effect owns the key under every effect. Taints are removed
// in the order of current.
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

// missing returns the changes that add what is desired and not on the node.
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
