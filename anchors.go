// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"cmp"
	"slices"
	"strings"
)

// An anchor is the key and value under which classes are filed. Each of its
// classes has a taint with them.
type anchor struct {
	keyValue
	order    uint64 // of creation
	classes  []*class
	family   *family
	inFamily int // index in family.anchors
}

type keyValue struct{ key, value string }

// A family holds what there is with one key.
type family struct {
	key     string // shared by all taints of groups that have it
	uses    int    // the number of such taints
	anchors []*anchor
	numbers numberTree // of the anchors whose value is an integer
}

// Anchors find classes by the taints that a pod tolerates.
type anchors struct {
	all      table[keyValue, *anchor]
	families table[string, *family] // by key
	order    uint64
}

// hold files the class under an anchor: that of its taints which is the anchor of
// the fewest classes.
func (s *anchors) hold(k *class) {
	rarest, fewest := 0, -1
	for i := range k.taints {
		n := 0
		if a := s.all.entries[keyValue{k.taints[i].Key, k.taints[i].Value}]; a != nil {
			n = len(a.classes)
		}
		if fewest < 0 || n < fewest {
			rarest, fewest = i, n
		}
	}
	a := s.anchor(&k.taints[rarest])
	k.anchor, k.inAnchor = a, len(a.classes)
	a.classes = append(a.classes, k)
}

// release removes the class from its anchor.
func (s *anchors) release(k *class) {
	a := k.anchor
	a.classes = withoutAt(a.classes, k.inAnchor, func(moved *class) { moved.inAnchor = k.inAnchor })
	if len(a.classes) == 0 {
		s.remove(a)
	}
}

// anchor returns the anchor with the taint's key and value, and adds it if it is
// new. It may outlive the class that it is added for, so it shares no memory
// with the taint.
func (s *anchors) anchor(t *Taint) *anchor {
	if a := s.all.entries[keyValue{t.Key, t.Value}]; a != nil {
		return a
	}
	f := s.families.entries[t.Key]
	a := &anchor{
		keyValue: keyValue{f.key, strings.Clone(t.Value)},
		order:    s.order,
		family:   f,
		inFamily: len(f.anchors),
	}
	s.order++
	s.all.set(a.keyValue, a)
	f.anchors = append(f.anchors, a)
	if n, ok := parseInteger(a.value); ok {
		f.numbers.insert(ordered(n), a)
	}
	return a
}

func (s *anchors) remove(a *anchor) {
	s.all.delete(a.keyValue)
	f := a.family
	f.anchors = withoutAt(f.anchors, a.inFamily, func(moved *anchor) { moved.inFamily = a.inFamily })
	if n, ok := parseInteger(a.value); ok {
		f.numbers.remove(ordered(n))
	}
}

// use counts a taint of a group with the key, and returns the key that all such
// taints share: to read the same memory again makes a loop over groups fast.
func (s *anchors) use(key string) string {
	f := s.families.entries[key]
	if f == nil {
		f = &family{key: strings.Clone(key)}
		s.families.set(f.key, f)
	}
	f.uses++
	return f.key
}

// unuse reverts a call of use.
func (s *anchors) unuse(key string) {
	f := s.families.entries[key]
	if f.uses--; f.uses == 0 {
		s.families.delete(key)
	}
}

// The steps that a search takes for a rule, an anchor and a class, the bytes of a
// rule's key and value that are a step more, and the share of the number of groups
// that all its steps may reach. A step takes no longer than the plain loop takes
// for one node (BenchmarkIndexHostile). That compares lengths first, so that long
// keys and values, which a lookup reads, take it no time.
const (
	ruleSteps   = 4
	anchorSteps = 2
	classSteps  = 1
	stepBytes   = 64
	searchShare = 4
)

// A search finds the classes at the anchors that a pod may tolerate.
type search struct {
	groups *groupSet
	limit  int // of the steps
	left   int // of the limit; negative once it is exceeded
}

// search appends to found, once each, the classes of which a pod with m's
// tolerations may tolerate all taints. It returns false if that takes too many
// steps, so that the caller should visit all groups.
func (c *groupSet) search(m *Matcher, found []*class) ([]*class, bool) {
	s := search{groups: c, limit: len(c.all.entries) / searchShare}
	return s.run(m, found)
}

func (s *search) run(m *Matcher, found []*class) ([]*class, bool) {
	if s.groups.free != nil {
		found = append(found, s.groups.free)
	}
	if m == nil {
		return found, true
	}
	var buf [8]*anchor
	anchors := buf[:0]
	if s.left = s.limit - ruleSteps*len(m.rules); s.left < 0 {
		return found, false
	}
	for i := range m.rules {
		if r := &m.rules[i]; r.op != opNever && EffectSet(r.effects)&s.groups.repels != 0 {
			anchors = s.look(r, anchors)
		}
		if s.left < 0 {
			return found, false
		}
	}
	for _, a := range distinct(anchors) {
		found = append(found, a.classes...)
	}
	return found, true
}

// look appends to found the anchors whose taints the rule may tolerate.
func (s *search) look(r *rule, found []*anchor) []*anchor {
	if r.wildcard || r.op > opGreater { // or an operator that is not known here
		s.left = -1
		return found
	}
	if s.left -= (len(r.Key) + len(r.Value)) / stepBytes; s.left < 0 {
		return found
	}
	if r.op.isEqual() {
		if a := s.groups.anchors.all.entries[keyValue{r.Key, r.Value}]; a != nil {
			return s.add(found, a)
		}
		return found
	}
	f := s.groups.anchors.families.entries[r.Key]
	if f == nil {
		return found
	}
	limit := ordered(r.limit)
	switch {
	case r.op == opExists:
		return s.add(found, f.anchors...)
	case r.op == opLess && limit > 0:
		return s.between(f.numbers.root, 0, limit-1, found)
	case r.op == opGreater && limit < 1<<64-1:
		return s.between(f.numbers.root, limit+1, 1<<64-1, found)
	}
	return found
}

// add appends the anchors to found, unless that takes too many steps.
func (s *search) add(found []*anchor, anchors ...*anchor) []*anchor {
	if s.left -= anchorSteps * len(anchors); s.left < 0 {
		return found
	}
	for _, a := range anchors {
		s.left -= classSteps * len(a.classes)
	}
	return append(found, anchors...)
}

// between appends to found the anchors of the numbers from low to high.
func (s *search) between(t *numberNode, low, high uint64, found []*anchor) []*anchor {
	if t == nil || t.high < low || t.low > high || s.left < 0 {
		return found
	}
	s.left--
	if t.anchor != nil {
		return s.add(found, t.anchor)
	}
	found = s.between(t.next[0], low, high, found)
	return s.between(t.next[1], low, high, found)
}

// distinct returns the anchors, once each, in the order of their creation.
func distinct(anchors []*anchor) []*anchor {
	slices.SortFunc(anchors, func(a, b *anchor) int { return cmp.Compare(a.order, b.order) })
	return slices.Compact(anchors)
}
