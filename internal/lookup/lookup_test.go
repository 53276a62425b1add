// SPDX-License-Identifier: Apache-2.0

package lookup_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints/internal/lookup"
)

// An element has a key, and a name that identifies it.
type element struct{ key, name int }

func (e *element) getKey() int { return e.key }

// Find returns the first element with a key, as a loop does, in lists of
// lengths around the limit for a map, and in lists that grow beyond it.
func TestFindIsALoop(t *testing.T) {
	length := rapid.OneOf(rapid.IntRange(0, 10), rapid.IntRange(60, 70), rapid.IntRange(0, 300))
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.IntRange(0, rapid.SampledFrom([]int{3, 70, 1000}).Draw(t, "most"))
		list := make([]element, length.Draw(t, "length"))
		for i := range list {
			list[i] = element{keys.Draw(t, "key"), i}
		}
		f := lookup.FirstOf(slices.Clip(list), (*element).getKey)
		check := func() {
			for key := -1; key <= 1001; key++ {
				want := slices.IndexFunc(list, func(e element) bool { return e.key == key })
				got := f.Find(key)
				if got != want && max(got, want) >= 0 {
					t.Fatalf("key %d is at %d of %v, want %d", key, got, list, want)
				}
			}
		}
		check()
		for range length.Draw(t, "more") {
			e := element{keys.Draw(t, "key"), len(list)}
			list = append(list, e)
			if got := f.Append(e); !slices.Equal(got, list) {
				t.Fatalf("the list is %v, want %v", got, list)
			}
		}
		check()
	})
}

// A short list is not copied into a map, and a long one is read only once, whether
// it was long from the start or has grown.
func TestShortAndLong(t *testing.T) {
	for _, n := range []int{0, 1, 64, 65, 1000} {
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		reads := 0
		key := func(i *int) int { reads++; return *i }
		whole, grown := lookup.FirstOf(list, key), lookup.FirstOf([]int(nil), key)
		for i := range list {
			grown.Append(i)
		}
		long := n > 64
		if reads > 5*n {
			t.Errorf("%d elements are read %d times to make two lists", n, reads)
		}
		for name, f := range map[string]*lookup.First[int, int]{"whole": &whole, "grown": &grown} {
			reads = 0
			if f.Find(n-1) != n-1 || (reads == 0) != (long || n == 0) {
				t.Errorf("%s list of %d: %d reads", name, n, reads)
			}
		}
		found := 0
		allocs := testing.AllocsPerRun(10, func() {
			f := lookup.FirstOf(list, key)
			found += f.Find(0)
		})
		if (allocs > 0) != long {
			t.Errorf("a list of %d: %v allocations", n, allocs)
		}
	}
}
