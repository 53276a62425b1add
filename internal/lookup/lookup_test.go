// SPDX-License-Identifier: Apache-2.0

package lookup_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints/internal/lookup"
)

// Find returns the index that a loop finds, in lists on both sides of the limit
// for a map.
func TestFindIsALoop(t *testing.T) {
	length := rapid.OneOf(rapid.IntRange(0, 10), rapid.IntRange(60, 70), rapid.IntRange(0, 300))
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.IntRange(0, rapid.SampledFrom([]int{3, 70, 1000}).Draw(t, "most"))
		list := make([]int, length.Draw(t, "length"))
		for i := range list {
			list[i] = keys.Draw(t, "key")
		}
		f := lookup.FirstOf(list, lookup.Self)
		for key := -1; key <= 1001; key++ {
			if want, got := slices.Index(list, key), f.Find(key); got != want {
				t.Fatalf("key %d is at %d of %v, want %d", key, got, list, want)
			}
		}
	})
}

// To find all elements of a long list takes time in proportion to its length. Short
// lists take no memory.
func TestCosts(t *testing.T) {
	for _, n := range []int{0, 1, lookup.Short, lookup.Short + 1, 1000} {
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		reads := 0
		f := lookup.FirstOf(list, func(i *int) int { reads++; return *i })
		for i := range list {
			f.Find(i)
		}
		if n > lookup.Short && reads > 2*n {
			t.Errorf("to find all of %d elements reads %d", n, reads)
		}
		allocs := testing.AllocsPerRun(10, func() { f := lookup.FirstOf(list, lookup.Self); f.Find(0) })
		if n <= lookup.Short && allocs > 0 {
			t.Errorf("a list of %d: %v allocations", n, allocs)
		}
	}
}
