// SPDX-License-Identifier: Apache-2.0

package taints

import "math/bits"

// A numberTree holds the anchors of one key whose values are integers, in order.
// It branches at the bits in which the numbers differ and at no others, so it has
// fewer branches than numbers and is at most 64 deep, whatever the numbers and
// the order in which they come.
type numberTree struct{ root *numberNode }

// A numberNode is a branch, or a leaf with an anchor.
type numberNode struct {
	low, high uint64 // the least and the greatest number that may be below
	anchor    *anchor
	next      [2]*numberNode // by the highest bit in which low and high differ
}

// ordered maps n to an unsigned number, in the same order.
func ordered(n int64) uint64 { return uint64(n) ^ 1<<63 }

// branch returns the index in next to which the number belongs.
func (t *numberNode) branch(n uint64) int {
	return int(n >> (bits.Len64(t.low^t.high) - 1) & 1)
}

// find returns the place of the number in the tree, present or not, and that of
// the branch above, which is nil at the root.
func (t *numberTree) find(n uint64) (place, above **numberNode) {
	place = &t.root
	for at := *place; at != nil && at.anchor == nil && at.low <= n && n <= at.high; at = *place {
		place, above = &at.next[at.branch(n)], place
	}
	return place, above
}

// insert adds the anchor of a new number.
func (t *numberTree) insert(n uint64, a *anchor) {
	place, _ := t.find(n)
	leaf, other := &numberNode{low: n, high: n, anchor: a}, *place
	if other == nil {
		*place = leaf
		return
	}
	below := uint64(1)<<bits.Len64(n^other.low) - 1 // the highest bit that differs, and lower ones
	branch := &numberNode{low: n &^ below, high: n | below}
	branch.next[branch.branch(n)], branch.next[branch.branch(other.low)] = leaf, other
	*place = branch
}

// remove removes a number that is present.
func (t *numberTree) remove(n uint64) {
	place, above := t.find(n)
	if above == nil {
		*place = nil
		return
	}
	branch := *above
	*above = branch.next[1-branch.branch(n)]
}
