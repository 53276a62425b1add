// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// IndexSizes is what an Index keeps.
type IndexSizes struct {
	Nodes, Groups, Classes, Anchors, Keys, Numbers int

	Pages int // of the groups and of their nodes
	Room  int // for entries and elements in all maps, lists and pages, as far as can be seen
	Text  int // bytes, and 56 for each taint
}

// Audit checks that everything in the index is where the rest expects it, that no
// forgotten slot keeps anything, and returns how much there is.
func (x *Index[N]) Audit() IndexSizes {
	c := &x.groups
	a := audit{uses: make(map[string]int), sizes: IndexSizes{
		Nodes: len(x.places.entries), Groups: x.members.len, Classes: len(c.classes.entries),
		Anchors: len(c.anchors.all.entries), Keys: len(c.anchors.families.entries),
	}}
	for _, most := range [][2]int{
		{x.places.most, len(x.places.entries)},
		{c.all.most, len(c.all.entries)},
		{c.classes.most, len(c.classes.entries)},
		{c.anchors.all.most, len(c.anchors.all.entries)},
		{c.anchors.families.most, len(c.anchors.families.entries)},
	} {
		a.sizes.Room += most[0]
		a.check(most[0] <= max(fewSlots, sparse*(most[1]+1)),
			"a map of %d entries has room for %d", most[1], most[0])
		a.check(most[0] >= most[1], "a map of %d entries had %d at most", most[1], most[0])
	}
	auditVector(&a, &x.members)
	nodes, at, classes := 0, 0, map[*class]int{}
	each(&x.members, func(g *members[N]) {
		auditVector(&a, &g.nodes)
		auditGroup(&a, c, g, at)
		i := 0
		g.nodes.each(func(node N) bool {
			a.check(x.places.entries[node] == place{g.group, i}, "node %v is not at its place", node)
			i++
			return true
		})
		a.check(i == g.nodes.len && i > 0, "a group has %d nodes, not %d", i, g.nodes.len)
		classes[g.group.class] += i
		nodes += i
		at++
	})
	a.check(at == x.members.len && at == len(c.all.entries), "%d groups, not %d", at, x.members.len)
	a.check(nodes == len(x.places.entries), "%d nodes in groups, not %d", nodes, len(x.places.entries))
	a.check(len(classes) == len(c.classes.entries), "%d classes, not %d", len(classes), len(c.classes.entries))
	for k, n := range classes {
		auditClass(&a, c, k, n)
	}
	a.check(len(a.uses) == len(c.anchors.families.entries),
		"%d keys, not %d", len(a.uses), len(c.anchors.families.entries))
	a.check((c.free == nil) == (c.classes.entries[""] == nil), "the class without taints is kept or not known")
	auditAnchors(&a, &c.anchors)
	return a.sizes
}

func each[T any](v *vector[T], f func(*T)) {
	v.pages(func(page []T) bool {
		for i := range page {
			f(&page[i])
		}
		return true
	})
}

type audit struct {
	sizes IndexSizes
	uses  map[string]int // by key
}

func (a *audit) check(ok bool, format string, args ...any) {
	if !ok {
		panic("the index: " + fmt.Sprintf(format, args...))
	}
}

func auditVector[T any](a *audit, v *vector[T]) {
	a.check((v.root == nil) == (v.len <= 1), "a vector of %d", v.len)
	a.check(v.len == 1 || reflect.ValueOf(&v.only).Elem().IsZero(), "a vector of %d keeps %v", v.len, v.only)
	if v.root == nil {
		return
	}
	left := v.len
	var visit func(p *page[T], level int)
	visit = func(p *page[T], level int) {
		a.sizes.Pages++
		a.sizes.Room += cap(p.items) + cap(p.pages)
		auditRoom(a, p.items)
		auditRoom(a, p.pages)
		full := min(left, pageSize)
		if level == 0 {
			a.check(p.pages == nil && len(p.items) == full, "a page has %d items, not %d", len(p.items), full)
			left -= len(p.items)
			return
		}
		a.check(p.items == nil, "a page of pages has items")
		for _, next := range p.pages {
			visit(next, level-1)
		}
	}
	visit(v.root, levels(v.len))
	a.check(left == 0, "%d items are missing", left)
}

// auditRoom checks a list and what is behind its end.
func auditRoom[T any](a *audit, list []T) {
	a.check(cap(list) <= max(fewSlots, sparse*(len(list)+1)), "a list of %d has room for %d", len(list), cap(list))
	forgotten := list[len(list):cap(list)]
	for i := range forgotten {
		a.check(reflect.ValueOf(&forgotten[i]).Elem().IsZero(), "a forgotten slot keeps %v", forgotten[i])
	}
}

func auditGroup[N any](a *audit, c *groupSet, g *members[N], at int) {
	a.check(g.group.at == at, "a group is at %d, not %d", g.group.at, at)
	a.check(c.all.entries[g.group.text] == g.group, "a group is not found")
	a.check(string(appendText(nil, g.taints)) == g.group.text, "a group has another text than its taints")
	a.sizes.Text += len(g.group.text) + 56*cap(g.taints)
	k := g.group.class
	a.check(k.groups[g.group.inClass] == g.group, "a group is not in its class")
	var repelling []Taint
	for _, t := range g.taints {
		a.uses[t.Key]++
		a.check(unsafe.StringData(t.Key) == unsafe.StringData(c.anchors.families.entries[t.Key].key),
			"a taint has a key of its own")
		if c.repels.Has(t.Effect) {
			repelling = append(repelling, t)
		}
	}
	a.check(slices.EqualFunc(repelling, k.taints, Taint.Equal), "a group is in the class of other taints")
}

func auditClass(a *audit, c *groupSet, k *class, nodes int) {
	a.sizes.Room += cap(k.groups)
	auditRoom(a, k.groups)
	a.check(k.nodes == nodes, "a class has %d nodes, not %d", nodes, k.nodes)
	a.check(c.classes.entries[k.text] == k, "a class is not found")
	a.check(string(appendText(nil, k.taints)) == k.text, "a class has another text than its taints")
	if len(k.groups) > 1 || k.text != k.groups[0].text {
		a.sizes.Text += len(k.text) + 56*cap(k.taints)
	}
	a.check((len(k.taints) == 0) == (k.anchor == nil) && (k == c.free) == (k.anchor == nil),
		"a class without taints is not the free one")
	if k.anchor == nil {
		return
	}
	a.check(k.anchor.classes[k.inAnchor] == k, "a class is not at its anchor")
	same := func(t Taint) bool { return keyValue{t.Key, t.Value} == k.anchor.keyValue }
	a.check(slices.ContainsFunc(k.taints, same), "a class is at another's anchor")
}

func auditAnchors(a *audit, s *anchors) {
	n := 0
	for key, f := range s.families.entries {
		a.sizes.Room += cap(f.anchors)
		a.sizes.Text += len(key)
		auditRoom(a, f.anchors)
		numbers := 0
		for i, anchor := range f.anchors {
			n++
			a.sizes.Room += cap(anchor.classes)
			a.sizes.Text += len(anchor.value)
			auditRoom(a, anchor.classes)
			a.check(s.all.entries[anchor.keyValue] == anchor && anchor.family == f &&
				anchor.inFamily == i && anchor.key == key, "an anchor is not at its place")
			a.check(len(anchor.classes) > 0, "an anchor holds nothing")
			if n, ok := parseInteger(anchor.value); ok {
				numbers++
				place, _ := f.numbers.find(ordered(n))
				a.check((*place).anchor == anchor, "the number %d is not found", n)
			}
		}
		leaves, deepest := auditNumbers(a, f.numbers.root, 0, 1<<64-1)
		a.check(leaves == numbers && deepest <= 64,
			"%d numbers in a tree for %d, %d deep", leaves, numbers, deepest)
		a.sizes.Numbers += leaves
		a.check(f.uses == a.uses[key], "a key is used by %d taints, not %d", a.uses[key], f.uses)
	}
	a.check(n == len(s.all.entries), "%d anchors, not %d", n, len(s.all.entries))
}

func auditNumbers(a *audit, t *numberNode, low, high uint64) (leaves, depth int) {
	if t == nil {
		return 0, 0
	}
	a.check(low <= t.low && t.low <= t.high && t.high <= high,
		"numbers from %d to %d below those from %d to %d", t.low, t.high, low, high)
	if t.anchor != nil {
		a.check(t.low == t.high && t.next == [2]*numberNode{}, "a branch with an anchor")
		return 1, 0
	}
	middle := t.low | (1<<(bits.Len64(t.low^t.high)-1) - 1)
	l, below := auditNumbers(a, t.next[0], t.low, middle)
	r, above := auditNumbers(a, t.next[1], middle+1, t.high)
	a.check(l > 0 && r > 0, "a branch of one number")
	return l + r, 1 + max(below, above)
}

// Steps returns how many steps the queries for m take at most: for the search, by
// what it is allowed to spend, and then one for each group or class that is looked
// at and for each taint until the first untolerated one.
func (x *Index[N]) Steps(m *Matcher) (list, count int) {
	groups, in := x.candidates(m)
	each(&groups, func(g *members[N]) { list += looksAt(m, g.taints, in) })
	tallies, rest, in := x.tallies(m, nil)
	for _, t := range tallies {
		count += looksAt(m, t.taints, in)
	}
	each(&rest, func(g *members[N]) { count += looksAt(m, g.taints, in) })
	spent, _ := x.Search(m)
	return list + spent, count + spent
}

// Missing returns how many steps a search for m lacks, as far as it has come.
func (x *Index[N]) Missing(m *Matcher) int {
	s := search{groups: &x.groups, limit: len(x.groups.all.entries) / searchShare}
	s.run(m, nil)
	return -s.left
}

// Copied returns how many groups a query for m copies before it unlocks.
func (x *Index[N]) Copied(m *Matcher) int {
	groups, _ := x.candidates(m)
	if groups.root == x.members.root {
		return 0
	}
	return groups.len
}

// CountLater begins as CountFeasible does, and returns the rest of it.
func (x *Index[N]) CountLater(m *Matcher) func() int {
	tallies, groups, in := x.tallies(m, nil)
	return func() int {
		n := 0
		for _, t := range tallies {
			if m.nextUntolerated(t.taints, in, 0) < 0 {
				n += t.nodes
			}
		}
		feasible(groups, m, in, func(g *members[N]) bool {
			n += g.nodes.len
			return true
		})
		return n
	}
}

// LooksAt returns the steps of a plain loop for a node with the taints.
func (m *Matcher) LooksAt(taints []Taint, in EffectSet) int {
	return looksAt(m, taints, m.toLookAt(in))
}

func looksAt(m *Matcher, taints []Taint, in EffectSet) int {
	if in == 0 {
		return 1
	}
	if i := m.nextUntolerated(taints, in, 0); i >= 0 {
		return 1 + i + 1
	}
	return 1 + len(taints)
}

// Search returns how many steps the search for m takes, and whether it finds the
// candidates.
func (x *Index[N]) Search(m *Matcher) (steps int, ok bool) {
	if m == nil || m.toLookAt(x.groups.repels) == 0 {
		return 0, true
	}
	s := search{groups: &x.groups, limit: len(x.groups.all.entries) / searchShare}
	_, ok = s.run(m, nil)
	if _, found := x.groups.search(m, nil); found != ok {
		panic("a search has another limit")
	}
	return s.limit - max(0, s.left), ok
}

// TextOf returns the text by which a list of taints is found.
func TextOf(taints []Taint) string { return string(appendText(nil, taints)) }

// FromText returns the n taints of a text.
func FromText(text string, n int) []Taint { return readText(strings.Clone(text), n) }

// TextOfNode returns the text that the node's group keeps, TextOfClass that which
// its class keeps.
func (x *Index[N]) TextOfNode(node N) string { return x.places.entries[node].group.text }

func (x *Index[N]) TextOfClass(node N) string { return x.places.entries[node].group.class.text }
