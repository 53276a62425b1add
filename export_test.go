package taints

// Sizes returns how many groups, distinct taints and keys the index keeps; it panics if the taints by key are not those.
func (x *Index[N]) Sizes() (groups, taints, keys int) {
	var count func(g *group[N]) int
	count = func(g *group[N]) int {
		n := 1
		for _, next := range append(g.hard.list, g.other.list...) {
			n += count(next)
		}
		return n
	}
	byKey := 0
	for _, k := range x.taints.keys {
		byKey += len(k.numbers) + len(k.others)
	}
	if byKey != len(x.taints.all) || byKey != len(x.taints.exact) {
		panic("the index has lost count of its taints")
	}
	return count(&x.root) - 1, len(x.taints.all), len(x.taints.keys)
}

// Path names how the Matcher finds what tolerates a taint of the effect: "exempt" by a toleration of all keys, without a look
// at the key, "table" by the fingerprint of the key, "table and wildcards" among tolerations of more than one key too, "none"
// where no toleration matches anything.
func (m *Matcher) Path(effect Effect) string {
	switch {
	case m.toLookAt(effectBit(effect)) == 0:
		return "exempt"
	case m.wildcards != 0:
		return "table and wildcards"
	case m.exact != [fingerprints]link{}:
		return "table"
	}
	return "none"
}

// Differences returns the type of what a Reason keeps to itself.
func (r Reason) Differences() any { return r.differ }
