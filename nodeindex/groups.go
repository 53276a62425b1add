// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// A group is what the nodes with the same taints in the same order have in common.
type group[N comparable] struct {
	text   string // of the taints
	at     int    // index in Index.all
	file   *file[N]
	inFile int // index in file.groups
}

// An entry holds what queries read of a group. A list of entries, unlike a list of
// groups, lets a loop read memory in order.
type entry[N comparable] struct {
	taints []taints.Taint // without TimeAdded
	nodes  []N
	group  *group[N]
}

// A file holds groups with a repelling taint of the file's key and value. A pod that
// tolerates all taints of such a group must tolerate this key and value. So a query
// finds the group by its tolerations.
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
	list = slices.Clone(list)
	for i := range list {
		list[i].TimeAdded = nil
	}
	g := &group[N]{text: string(text), at: len(x.all), file: x.file(list)}
	g.inFile = len(g.file.groups)
	g.file.groups = append(g.file.groups, g)
	x.all = append(x.all, entry[N]{taints: list, group: g})
	x.texts[g.text] = g
	return g
}

// file returns the file for a new group with the taints. The file of any of its
// repelling taints would do. The one with the fewest groups is best: a query
// visits it for few pods, and visits few groups then.
func (x *Index[N]) file(list []taints.Taint) *file[N] {
	var best *file[N]
	for i := range list {
		if !taints.HardEffects.Has(list[i].Effect) {
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
	e := &x.all[g.at]
	e.nodes = cut(e.nodes, p.at, func(moved N) { x.places[moved] = p })
	if len(e.nodes) > 0 {
		return
	}
	delete(x.texts, g.text)
	x.all = cut(x.all, g.at, func(moved entry[N]) { moved.group.at = g.at })
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

// feasible returns an iterator over the nodes of each group whose repelling taints
// m tolerates.
func (x *Index[N]) feasible(m *taints.Matcher) iter.Seq[[]N] {
	return func(yield func([]N) bool) {
		for e := range x.reach(m) {
			if _, found := m.FindUntolerated(e.taints, taints.HardEffects); !found && !yield(e.nodes) {
				return
			}
		}
	}
}

// reach returns an iterator over groups. They include each group once whose
// repelling taints m may tolerate.
func (x *Index[N]) reach(m *taints.Matcher) iter.Seq[*entry[N]] {
	return func(yield func(*entry[N]) bool) {
		var buf [8]*file[N]
		files, left := x.search(m, buf[:0])
		if left < 0 {
			for i := range x.all {
				if !yield(&x.all[i]) {
					return
				}
			}
			return
		}
		for _, f := range files {
			for _, g := range f.groups {
				if !yield(&x.all[g.at]) {
					return
				}
			}
		}
	}
}

// The price of a search. The unit is the time in which a loop over all groups
// visits one of them, at its fastest. A lookup takes about 32 of these, and its
// price is four times as much, because a search that gives up is waste: it takes
// at most a quarter of the loop that follows.
const (
	lookupPrice = 128 // of a toleration, and of a file that it matches
	bytesForOne = 8   // the price of hashing so many bytes of a toleration is 1
	groupPrice  = 4   // of a group in a file: it is not next to the previous one in memory
)

// search appends to found the files of the groups whose repelling taints m may
// tolerate. It also returns how much less than a loop over all groups this costs. If
// that is negative, the search gave up: ignore the files. It gives up for a toleration
// that matches more than one key, and for a key with too many files.
func (x *Index[N]) search(m *taints.Matcher, found []*file[N]) (_ []*file[N], left int) {
	found = append(found, &x.bare)
	left = len(x.all) - groupPrice*len(x.bare.groups)
	options := m.Options()
	for t := range m.Tolerations() {
		left -= lookupPrice + (len(t.Key)+len(t.Value))/bytesForOne
		var files []*file[N]
		values := valueset.Of(string(t.Operator), t.Value, !options.NoComparison)
		switch {
		case values.Kind == valueset.None:
		case valueset.KeysOf(t.Key, options.KeyWildcards).Prefix:
			return nil, -1
		case values.Kind == valueset.One:
			if f := x.files[pair{t.Key, values.Text}]; f != nil {
				files = []*file[N]{f}
			}
		default:
			files = x.keys[t.Key]
		}
		if (lookupPrice+groupPrice)*len(files) > left {
			return nil, -1
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
