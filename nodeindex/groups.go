// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/keyset"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// A group holds the nodes with the same taints in the same order.
type group[N comparable] struct {
	taints []taints.Taint // without TimeAdded
	nodes  []N
	text   string // of the taints
	at     int    // index in Index.all
	file   *file[N]
	inFile int // index in file.groups
}

// A file holds groups that have a repelling taint with the file's key and value.
// A pod that tolerates all taints of such a group has a toleration that matches
// this key and value. So a query finds the group by its tolerations.
type file[N comparable] struct {
	pair
	groups []*group[N]
	at     int    // index in Index.keys[key]
	number uint64 // in the order in which the files were added, from 1
}

type pair struct{ key, value string }

// group returns the group of the nodes with the taints. It adds the group if it
// is new.
func (x *Index[N]) group(list []taints.Taint) *group[N] {
	var buf [256]byte
	text := appendText(buf[:0], list)
	if g := x.texts[string(text)]; g != nil {
		return g
	}
	if x.texts == nil {
		x.places, x.texts = make(map[N]place[N]), make(map[string]*group[N])
		x.files, x.keys = make(map[pair]*file[N]), make(map[string][]*file[N])
	}
	g := &group[N]{taints: slices.Clone(list), text: string(text), at: len(x.all.groups)}
	for i := range g.taints {
		g.taints[i].TimeAdded = nil
	}
	g.file = x.file(g.taints)
	g.inFile = len(g.file.groups)
	g.file.groups = append(g.file.groups, g)
	x.all.groups = append(x.all.groups, g)
	x.texts[g.text] = g
	return g
}

// file returns the file for a new group with the taints. The file of any of its
// repelling taints would do. The one with the fewest groups is best: a query
// visits it for few pods, and visits few groups then.
func (x *Index[N]) file(list []taints.Taint) *file[N] {
	var best *file[N]
	for i := range list {
		if !taints.Hard.Has(list[i].Effect) {
			continue
		}
		p := pair{list[i].Key, list[i].Value}
		f := x.files[p]
		if f == nil {
			x.added++
			f = &file[N]{pair: p, at: len(x.keys[p.key]), number: x.added}
			x.files[p] = f
			x.keys[p.key] = append(x.keys[p.key], f)
			return f
		}
		if best == nil || len(f.groups) < len(best.groups) {
			best = f
		}
	}
	return cmp.Or(best, &x.bare)
}

// remove removes the node at the place from its group, and the group and its
// file if nothing else is in them.
func (x *Index[N]) remove(p place[N]) {
	g := p.group
	g.nodes = cut(g.nodes, p.at, func(moved N) { x.places[moved] = p })
	if len(g.nodes) > 0 {
		return
	}
	delete(x.texts, g.text)
	x.all.groups = cut(x.all.groups, g.at, func(moved *group[N]) { moved.at = g.at })
	f := g.file
	f.groups = cut(f.groups, g.inFile, func(moved *group[N]) { moved.inFile = g.inFile })
	if len(f.groups) > 0 || f == &x.bare {
		return
	}
	delete(x.files, f.pair)
	x.keys[f.key] = cut(x.keys[f.key], f.at, func(moved *file[N]) { moved.at = f.at })
	if len(x.keys[f.key]) == 0 {
		delete(x.keys, f.key)
	}
}

// cut removes the element at the index from the list. It moves the last element
// there and calls moved with it. It releases memory if the list is much shorter
// than it was.
func cut[T any](list []T, i int, moved func(T)) []T {
	last := len(list) - 1
	list[i] = list[last]
	moved(list[i])
	clear(list[last:])
	if list = list[:last]; last < cap(list)/4 {
		return slices.Clone(list)
	}
	return list
}

// appendText appends a text for the taints, without TimeAdded. Different lists
// have different texts, because each field follows its length.
func appendText(b []byte, list []taints.Taint) []byte {
	for i := range list {
		for _, field := range [...]string{list[i].Key, list[i].Value, string(list[i].Effect)} {
			b = append(strconv.AppendInt(b, int64(len(field)), 10), ':')
			b = append(b, field...)
		}
	}
	return b
}

// feasible returns an iterator over the groups whose repelling taints m
// tolerates.
func (x *Index[N]) feasible(m *taints.Matcher) iter.Seq[*group[N]] {
	return func(yield func(*group[N]) bool) {
		var buf [8]*file[N]
		for _, f := range x.reach(m, buf[:0]) {
			for _, g := range f.groups {
				if _, found := m.FindUntolerated(g.taints, taints.Hard); !found && !yield(g) {
					return
				}
			}
		}
	}
}

// reach appends files to found. They have each group once whose repelling taints
// m may tolerate.
func (x *Index[N]) reach(m *taints.Matcher, found []*file[N]) []*file[N] {
	if files, left := x.search(m, found); left >= 0 {
		return files
	}
	return append(found, &x.all)
}

// The price of a search. The unit is the time in which a loop over all groups
// visits one of them.
const (
	lookupPrice = 16 // of a toleration, and of a file that it matches
	bytesForOne = 16 // hashing so many bytes of a toleration has the price 1
	groupPrice  = 4  // of a group in a file: it is not next to the previous one in memory
)

// search is like reach, but also returns how much less than a loop over all
// groups it costs. If that is negative, it has ended early, and the files do not
// count. It cannot look for a toleration that matches more than one key.
func (x *Index[N]) search(m *taints.Matcher, found []*file[N]) (_ []*file[N], left int) {
	found = append(found, &x.bare)
	left = len(x.all.groups) - groupPrice*len(x.bare.groups)
	options := m.Policy().Options
	for t := range m.Tolerations() {
		if left -= lookupPrice + (len(t.Key)+len(t.Value))/bytesForOne; left < 0 {
			return nil, left
		}
		var files []*file[N]
		values := valueset.Of(string(t.Operator), t.Value, !options.NoComparison)
		switch {
		case values.Kind == valueset.None:
		case keyset.Of(t.Key, options.KeyWildcards).Prefix:
			return nil, -1
		case values.Kind == valueset.One:
			if f := x.files[pair{t.Key, values.Text}]; f != nil {
				files = []*file[N]{f}
			}
		default:
			files = x.keys[t.Key]
		}
		for _, f := range files {
			if left -= lookupPrice + groupPrice*len(f.groups); left < 0 {
				return nil, left
			}
			found = append(found, f)
		}
	}
	// Several tolerations may match the same file.
	slices.SortFunc(found, func(a, b *file[N]) int { return cmp.Compare(a.number, b.number) })
	return slices.Compact(found), left
}
