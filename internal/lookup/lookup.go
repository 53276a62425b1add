// SPDX-License-Identifier: Apache-2.0

// Package lookup finds elements of lists: in short lists by a loop, which
// allocates nothing, and in long lists by a map.
package lookup

// Short is the largest length of a short list.
const Short = 64

// Map returns the index of the first element with each key of a long list, and nil
// for a short list.
func Map[T any, K comparable](list []T, key func(*T) K) map[K]int {
	if len(list) <= Short {
		return nil
	}
	at := make(map[K]int, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		at[key(&list[i])] = i
	}
	return at
}

// In returns the index of the key in a result of Map, or -1.
func In[K comparable](at map[K]int, key K) int {
	if i, ok := at[key]; ok {
		return i
	}
	return -1
}

// A First finds the first element of a list with a key.
type First[T any, K comparable] struct {
	list []T
	key  func(*T) K
	at   map[K]int // for a long list
}

// FirstOf returns the First of the list. The key of an element is key(element).
func FirstOf[T any, K comparable](list []T, key func(*T) K) First[T, K] {
	return First[T, K]{list, key, Map(list, key)}
}

// Find returns the index of the first element with the key, or -1.
func (f *First[T, K]) Find(key K) int {
	if f.at != nil {
		return In(f.at, key)
	}
	for i := range f.list {
		if f.key(&f.list[i]) == key {
			return i
		}
	}
	return -1
}

// A Taint is the key, value and effect of a taint, to tell it from others.
type Taint [3]string

// Self returns the element, for a list whose elements are their own keys.
func Self[K comparable](key *K) K { return *key }
