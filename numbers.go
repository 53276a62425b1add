package taints

import "math/bits"

// A numberTree has the anchors of one key whose values are integers, in order of
// these. It branches at the bits in which the numbers differ and at no others, so
// it has fewer branches than numbers and is at most 64 deep, whatever the numbers
// are and in whatever order they come.
type numberTree struct{ root *numberNode }

// A numberNode is a branch, or a leaf, which has an anchor.
type numberNode struct {
	low, high uint64 // the least and the greatest number that may be here
	anchor    *anchor
	next      [2]*numberNode // by the highest bit in which low and high differ
}

// ordered returns n as an unsigned number of the same order.
func ordered(n int64) uint64 { return uint64(n) ^ 1<<63 }

// branch returns which of next the number belongs to.
func (t *numberNode) branch(n uint64) int {
	return int(n >> (bits.Len64(t.low^t.high) - 1) & 1)
}

// find returns where the number is in the tree or is to be put, and where the
// branch above is, which is nil at the root.
func (t *numberTree) find(n uint64) (place, above **numberNode) {
	place = &t.root
	for at := *place; at != nil && at.anchor == nil && at.low <= n && n <= at.high; at = *place {
		place, above = &at.next[at.branch(n)], place
	}
	return place, above
}

// insert puts the anchor of a new number into the tree.
func (t *numberTree) insert(n uint64, a *anchor) {
	place, _ := t.find(n)
	leaf, other := &numberNode{low: n, high: n, anchor: a}, *place
	if other == nil {
		*place = leaf
		return
	}
	below := uint64(1)<<bits.Len64(n^other.low) - 1 // the bits from the first one that differs
	branch := &numberNode{low: n &^ below, high: n | below}
	branch.next[branch.branch(n)], branch.next[branch.branch(other.low)] = leaf, other
	*place = branch
}

// remove takes a number that is there out of the tree.
func (t *numberTree) remove(n uint64) {
	place, above := t.find(n)
	if above == nil {
		*place = nil
		return
	}
	branch := *above
	*above = branch.next[1-branch.branch(n)]
}
