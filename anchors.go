package taints

import (
	"cmp"
	"slices"
	"strings"
)

// An anchor is a key and a value, of one or more of the taints of each of its
// classes.
type anchor struct {
	keyValue
	order    uint64 // in which anchors were made
	classes  []*class
	family   *family
	inFamily int // index in family.anchors
}

type keyValue struct{ key, value string }

// A family is what there is of a key.
type family struct {
	key     string // of all taints of groups that have it
	uses    int    // taints of groups that have it
	anchors []*anchor
	numbers numberTree // of the anchors whose value is an integer
}

// anchors are where the classes are found by the taints that a pod tolerates.
type anchors struct {
	all      table[keyValue, *anchor]
	families table[string, *family] // by key
	order    uint64
}

// hold gives the class an anchor: of its taints the one that is the anchor of the
// fewest classes.
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

// release takes the class from its anchor.
func (s *anchors) release(k *class) {
	a := k.anchor
	a.classes = withoutAt(a.classes, k.inAnchor, func(moved *class) { moved.inAnchor = k.inAnchor })
	if len(a.classes) == 0 {
		s.remove(a)
	}
}

// anchor returns the anchor that a taint is at, which is made if there is none.
// It outlives the class that it is made for, and keeps nothing of its text.
func (s *anchors) anchor(t *Taint) *anchor {
	if a := s.all.entries[keyValue{t.Key, t.Value}]; a != nil {
		return a
	}
	f := s.families.entries[t.Key]
	a := &anchor{keyValue: keyValue{f.key, strings.Clone(t.Value)}, order: s.order, family: f, inFamily: len(f.anchors)}
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

// use counts a taint of a group with the key, and returns the key as all of them
// share it: to look at the same text again is what makes a loop over groups fast.
func (s *anchors) use(key string) string {
	f := s.families.entries[key]
	if f == nil {
		f = &family{key: strings.Clone(key)}
		s.families.set(f.key, f)
	}
	f.uses++
	return f.key
}

// unuse takes back a use.
func (s *anchors) unuse(key string) {
	f := s.families.entries[key]
	if f.uses--; f.uses == 0 {
		s.families.delete(key)
	}
}

// What a search may take, in steps: so many for a rule, an anchor and a class, and
// in all less than there are groups, by this factor. A step takes no longer than
// a plain loop takes for that many nodes, see BenchmarkIndexHostile.
const (
	ruleSteps   = 4
	anchorSteps = 2
	classSteps  = 1
	searchShare = 4
)

// A search finds the classes at the anchors that a pod may tolerate.
type search struct {
	groups *groupSet
	limit  int // of the steps
	left   int // below 0 where the limit does not do
}

// search appends to found the classes of which a pod with the compiled
// tolerations may tolerate all taints, each once, unless that takes so long that
// the caller better looks at all groups: then it returns false.
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
	}
	if s.left < 0 {
		return found, false
	}
	for _, a := range distinct(anchors) {
		found = append(found, a.classes...)
	}
	return found, true
}

// look appends to found anchors among which are all whose taints the rule
// tolerates.
func (s *search) look(r *rule, found []*anchor) []*anchor {
	if r.wildcard {
		s.left = -1
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

// add appends the anchors to found, unless the steps do not do for them.
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

// distinct returns the anchors, each once, in the order in which they were made.
func distinct(anchors []*anchor) []*anchor {
	slices.SortFunc(anchors, func(a, b *anchor) int { return cmp.Compare(a.order, b.order) })
	return slices.Compact(anchors)
}
