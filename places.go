// SPDX-License-Identifier: Apache-2.0

package taints

import "slices"

// firsts returns a copy of the first taint of each identity.
func firsts(taints []Taint) []Taint {
	list := make([]Taint, 0, len(taints))
	all := placesOf(taints)
	for i := range taints {
		if all.first(taints, taints[i].ID()) == i {
			list = append(list, taints[i].clone())
		}
	}
	return list
}

// Places maps identities to the index of the first taint in a list. It is nil
// for a short list, where a loop finds a taint and nothing is allocated.
type places map[TaintID]int

// manyTaints is the largest length of a short list.
const manyTaints = 64

// newPlaces returns the places of an empty list that may grow to n taints.
func newPlaces(n int) places {
	if n <= manyTaints {
		return nil
	}
	return make(places, n)
}

func placesOf(taints []Taint) places {
	p := newPlaces(len(taints))
	if p != nil {
		for i := range taints {
			p.add(taints[i].ID(), i)
		}
	}
	return p
}

// add notes that the list has a taint of the identity at index i.
func (p places) add(id TaintID, i int) {
	if p == nil {
		return
	}
	if _, known := p[id]; !known {
		p[id] = i
	}
}

// first returns the index of the first taint of the identity, or -1. The list
// is the one whose places these are.
func (p places) first(taints []Taint, id TaintID) int {
	if p != nil {
		if i, known := p[id]; known {
			return i
		}
		return -1
	}
	for i := range taints {
		if taints[i].Key == id.Key && taints[i].Effect == id.Effect {
			return i
		}
	}
	return -1
}

// Removals find which identities of a list name a taint.
type removals struct {
	ids    []TaintID
	places places // nil for a short list
}

func removalsOf(ids []TaintID) removals {
	r := removals{ids, newPlaces(len(ids))}
	for i, id := range ids {
		r.places.add(id, i)
	}
	return r
}

// first returns the index of the first identity that names the taint, or -1.
func (r removals) first(t *Taint) int {
	if r.places == nil {
		return slices.IndexFunc(r.ids, func(id TaintID) bool { return id.names(t) })
	}
	exact, known := r.places[t.ID()]
	every, knownEvery := r.places[TaintID{Key: t.Key}]
	switch {
	case known && knownEvery:
		return min(exact, every)
	case known:
		return exact
	case knownEvery:
		return every
	}
	return -1
}
