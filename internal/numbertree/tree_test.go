// SPDX-License-Identifier: Apache-2.0

package numbertree

import (
	"maps"
	"math"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// leaves returns the number of leaves of a tree, which must be from low to high.
// Each branch halves this range, so the depth is at most the number of bits.
func leaves(fatalf func(string, ...any), n *node[int64], low, high uint64) int {
	switch {
	case n == nil:
		return 0
	case n.low < low || n.high > high || n.low > n.high:
		fatalf("numbers from %d to %d below those from %d to %d", n.low, n.high, low, high)
	case n.leaf:
		if n.low != n.high || n.next != [2]*node[int64]{} {
			fatalf("a leaf from %d to %d has branches %v", n.low, n.high, n.next)
		}
		return 1
	}
	middle := n.low | (1<<(bits.Len64(n.low^n.high)-1) - 1)
	l, r := leaves(fatalf, n.next[0], n.low, middle), leaves(fatalf, n.next[1], middle+1, n.high)
	if l == 0 || r == 0 {
		fatalf("a branch has %d and %d leaves", l, r)
	}
	return l + r
}

// A Tree finds the numbers in a range, in order, for any numbers added in any
// order, and visits few branches in addition to them.
func TestTree(t *testing.T) {
	number := rapid.OneOf(rapid.SampledFrom([]int64{
		math.MinInt64, math.MinInt64 + 1, -2, -1, 0, 1, 2, 3, 4, 7, 8, 1 << 40, math.MaxInt64 - 1, math.MaxInt64,
	}), rapid.Int64Range(-100, 100), rapid.Int64())
	rapid.Check(t, func(t *rapid.T) {
		var tree Tree[int64]
		model := make(map[int64]bool)
		for range rapid.IntRange(0, 200).Draw(t, "updates") {
			n := number.Draw(t, "number")
			if model[n] {
				tree.Remove(n)
				delete(model, n)
			} else {
				tree.Insert(n, n)
				model[n] = true
			}
		}
		if n := leaves(t.Fatalf, tree.root, 0, math.MaxUint64); n != len(model) {
			t.Fatalf("%d numbers, want %d", n, len(model))
		}
		all := slices.Sorted(maps.Keys(model))
		least, most := number.Draw(t, "least"), number.Draw(t, "most")
		want := slices.DeleteFunc(slices.Clone(all), func(n int64) bool { return n < least || n > most })
		end := rapid.IntRange(0, 2*len(all)+1).Draw(t, "end")
		var got []int64
		visits, goOn := 0, true
		whole := tree.Between(least, most, func(n int64, leaf bool) bool {
			if !goOn {
				t.Fatal("a visit comes after the end")
			}
			if leaf {
				got = append(got, n)
			}
			visits++
			goOn = visits != end
			return goOn
		})
		if whole != goOn || whole && !slices.Equal(got, want) || !slices.Equal(got, want[:min(len(got), len(want))]) {
			t.Fatalf("from %d to %d are %v of %v, want %v; whole: %v", least, most, got, all, want, whole)
		}
		if visits > 2*len(want)+2*64+1 {
			t.Fatalf("%d visits for %d numbers", visits, len(want))
		}
		for _, n := range all {
			tree.Remove(n)
		}
		if tree.root != nil {
			t.Fatal("an empty tree keeps a branch")
		}
	})
}
