package taints

// A table is a map that gives back what it does not need: a map of Go keeps the
// room of the most entries that it ever had.
type table[K comparable, V any] struct {
	entries map[K]V
	most    int // entries since the map was made
}

// sparse is how many times the entries there may be room for, fewSlots is room
// that is always kept.
const sparse, fewSlots = 4, 8

func (t *table[K, V]) set(key K, value V) {
	if t.entries == nil {
		t.entries = make(map[K]V)
	}
	t.entries[key] = value
	t.most = max(t.most, len(t.entries))
}

// delete takes out an entry. Moving the others, where three quarters have gone
// since it was last done, adds a constant to what each deletion takes.
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

// withoutLast returns the list without its last element, moved to where there is
// less room if it has become sparse.
func withoutLast[T any](list []T) []T {
	last := len(list) - 1
	clear(list[last:])
	list = list[:last]
	if cap(list) > fewSlots && last < cap(list)/sparse {
		return append(make([]T, 0, 2*last), list...)
	}
	return list
}

// withoutAt returns the list without element i, in whose place is the last one
// then, which is announced to moved.
func withoutAt[T any](list []T, i int, moved func(T)) []T {
	last := list[len(list)-1]
	list[i] = last
	moved(last)
	return withoutLast(list)
}
