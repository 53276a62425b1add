// SPDX-License-Identifier: Apache-2.0

// Package numbertree provides an ordered map from integers to values.
package numbertree

import "math/bits"

// A Tree maps integers to values. It branches only at the bits in which the
// integers differ, so it has fewer branches than integers and is at most 64
// deep, for any integers in any order. The zero Tree is empty.
type Tree[V any] struct{ root *node[V] }

// A node is a branch, or a leaf with a value.
type node[V any] struct {
	low, high uint64 // the least and the greatest number that may be below
	value     V
	leaf      bool
	next      [2]*node[V] // by the highest bit in which low and high differ
}

// ordered maps n to an unsigned number, in the same order.
func ordered(n int64) uint64 { return uint64(n) ^ 1<<63 }

// branch returns the index in next to which the number belongs.
func (t *node[V]) branch(n uint64) int {
	return int(n >> (bits.Len64(t.low^t.high) - 1) & 1)
}

// find returns the pointer to the place where the number is or belongs, and the
// pointer to the branch above it, which is nil at the root.
func (t *Tree[V]) find(n uint64) (at, above **node[V]) {
	at = &t.root
	for p := *at; p != nil && !p.leaf && p.low <= n && n <= p.high; p = *at {
		at, above = &p.next[p.branch(n)], at
	}
	return at, above
}

// Insert adds an integer that is not present, with its value.
func (t *Tree[V]) Insert(integer int64, value V) {
	n := ordered(integer)
	at, _ := t.find(n)
	leaf, other := &node[V]{low: n, high: n, value: value, leaf: true}, *at
	if other == nil {
		*at = leaf
		return
	}
	below := uint64(1)<<bits.Len64(n^other.low) - 1 // the highest bit that differs, and lower ones
	branch := &node[V]{low: n &^ below, high: n | below}
	branch.next[branch.branch(n)], branch.next[branch.branch(other.low)] = leaf, other
	*at = branch
}

// Remove removes an integer that is present.
func (t *Tree[V]) Remove(integer int64) {
	n := ordered(integer)
	at, above := t.find(n)
	if above == nil {
		*at = nil
		return
	}
	branch := *above
	*above = branch.next[1-branch.branch(n)]
}

// Between calls visit with the value of each integer from least to most, in
// order, and with false for each branch on the way, until visit returns false.
// It reports whether visit never returned false.
func (t *Tree[V]) Between(least, most int64, visit func(value V, leaf bool) bool) bool {
	return t.root.between(ordered(least), ordered(most), visit)
}

func (t *node[V]) between(low, high uint64, visit func(V, bool) bool) bool {
	if t == nil || t.high < low || t.low > high {
		return true
	}
	if !visit(t.value, t.leaf) {
		return false
	}
	return t.leaf || t.next[0].between(low, high, visit) && t.next[1].between(low, high, visit)
}
