// SPDX-License-Identifier: Apache-2.0

// Package shrink provides maps and lists that release memory when their elements
// are removed. A Go map keeps room for the most entries that it ever had.
package shrink

// There is room for at most Sparse times the entries, or for Few.
const Sparse, Few = 4, 8

// A Map is a map that releases memory. The zero Map is empty. Its entries are
// read from Entries and written with Set and Delete.
type Map[K comparable, V any] struct {
	Entries map[K]V
	most    int // the most entries since the map was made
}

// Set sets the entry of the key.
func (m *Map[K, V]) Set(key K, value V) {
	if m.Entries == nil {
		m.Entries = make(map[K]V)
	}
	m.Entries[key] = value
	m.most = max(m.most, len(m.Entries))
}

// Delete deletes the entry of the key. Once three quarters are gone, it moves the
// other entries to a new map, which adds a constant to the time of each deletion.
func (m *Map[K, V]) Delete(key K) {
	delete(m.Entries, key)
	if m.most <= Few || len(m.Entries) >= m.most/Sparse {
		return
	}
	entries := make(map[K]V, len(m.Entries))
	for key, value := range m.Entries {
		entries[key] = value
	}
	m.Entries, m.most = entries, len(entries)
}

// Room returns the number of entries for which there is room, as far as known.
func (m *Map[K, V]) Room() int { return m.most }

// Last returns the list without its last element, reallocated if it has become
// sparse.
func Last[T any](list []T) []T {
	last := len(list) - 1
	clear(list[last:])
	list = list[:last]
	if cap(list) > Few && last < cap(list)/Sparse {
		return append(make([]T, 0, 2*last), list...)
	}
	return list
}

// At returns the list without the element at index i. It moves the last element
// there, and calls moved with it.
func At[T any](list []T, i int, moved func(T)) []T {
	last := list[len(list)-1]
	list[i] = last
	moved(last)
	return Last(list)
}
