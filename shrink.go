// SPDX-License-Identifier: Apache-2.0

package taints

// A table is a map that releases memory when entries are deleted. A Go map keeps
// room for the most entries that it ever had.
type table[K comparable, V any] struct {
	entries map[K]V
	most    int // the most entries since the map was made
}

// There is room for at most sparse times the entries, or for fewSlots.
const sparse, fewSlots = 4, 8

func (t *table[K, V]) set(key K, value V) {
	if t.entries == nil {
		t.entries = make(map[K]V)
	}
	t.entries[key] = value
	t.most = max(t.most, len(t.entries))
}

// delete deletes the entry. Once three quarters are gone it moves the others to a
// new map, which adds a constant to the time of each deletion.
func (t *table[K, V]) delete(key K) {
	delete(t.entries, key)
	if t.most <= fewSlots || len(t.entries) >= t.most/sparse {
		return
	}
	entries := make(map[K]V, len(t.entries))
	for key, value := range t.entries {
		entries[key] = value
	}
	t.entries, t.most = entries, len(entries)
}

// withoutLast returns the list without its last element, reallocated if it has
// become sparse.
func withoutLast[T any](list []T) []T {
	last := len(list) - 1
	clear(list[last:])
	list = list[:last]
	if cap(list) > fewSlots && last < cap(list)/sparse {
		return append(make([]T, 0, 2*last), list...)
	}
	return list
}

// withoutAt returns the list without the element at index i. It moves the last
// element there, and calls moved with it.
func withoutAt[T any](list []T, i int, moved func(T)) []T {
	last := list[len(list)-1]
	list[i] = last
	moved(last)
	return withoutLast(list)
}
