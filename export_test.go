package taints

// Sizes returns how many groups, distinct taints and keys the index keeps.
func (x *Index[N]) Sizes() (groups, taints, keys int) {
	var count func(g *group[N]) int
	count = func(g *group[N]) int {
		n := 1
		for _, next := range append(g.hard.list, g.other.list...) {
			n += count(next)
		}
		return n
	}
	return count(&x.root) - 1, len(x.taints.all), len(x.taints.keys)
}
