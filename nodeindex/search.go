// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"cmp"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/keyset"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// The cost of a search, in steps: for a toleration, for an anchor and for a
// class. Each stepBytes bytes of a toleration's key and value cost one more
// step. The limit of all steps is the number of groups divided by searchShare.
// A step takes no longer than the plain loop takes for one node
// (conformance/ratios, the hostile rows). A lookup reads long keys and values,
// but they take the plain loop no time, because it compares lengths first.
const (
	tolerationSteps = 4
	anchorSteps     = 2
	classSteps      = 1
	stepBytes       = 64
	searchShare     = 4
)

// unknownEffects is the set of the effects that Kubernetes does not know.
var unknownEffects = taints.Effects("")

// A search finds the anchors that the tolerations of a pod may tolerate.
type search struct {
	groups  *groupSet
	options taints.Options
	left    int              // remaining steps; negative once they are exceeded
	exempt  taints.EffectSet // the effects whose taints are all tolerated
	broad   bool             // whether a toleration may tolerate taints that a search cannot find
}

// search appends to found, once each, the classes whose taints a pod with m's
// tolerations may all tolerate. It returns false if that takes too many steps
// or cannot be done by a search; the caller should then visit all groups. If
// the pod tolerates every taint that repels, it returns exempt.
func (c *groupSet) search(m *taints.Matcher, found []*class) (_ []*class, ok, exempt bool) {
	s := c.newSearch(m)
	return s.run(m, found)
}

func (c *groupSet) newSearch(m *taints.Matcher) search {
	return search{groups: c, options: m.Policy().Options, left: len(c.all.Entries) / searchShare}
}

func (s *search) run(m *taints.Matcher, found []*class) (_ []*class, ok, exempt bool) {
	if s.groups.bare != nil {
		found = append(found, s.groups.bare)
	}
	var buf [8]*anchor
	anchors := buf[:0]
	for t := range m.Tolerations() {
		if s.left -= tolerationSteps; s.left < 0 {
			break
		}
		anchors = s.anchorsOf(&t, anchors)
	}
	switch {
	case s.groups.repels&^s.exempt == 0:
		return found, true, true
	case s.broad || s.left < 0:
		return found, false, false
	}
	for _, a := range distinct(anchors) {
		found = append(found, a.classes...)
	}
	return found, true, false
}

// anchorsOf appends to found the anchors whose taints the toleration may tolerate.
func (s *search) anchorsOf(t *taints.Toleration, found []*anchor) []*anchor {
	if keys := keyset.Of(t.Key, s.options.KeyWildcards); keys.Prefix {
		values := valuesOf(t, s.options)
		s.exempt |= exemptedBy(keys, values.Kind, t.Effect)
		s.broad = s.broad || values.Kind != valueset.None && s.repelled(t.Effect)
		return found
	}
	if s.left -= (len(t.Key) + len(t.Value)) / stepBytes; s.left < 0 || s.broad {
		return found
	}
	k := s.groups.anchors.keys.Entries[t.Key]
	if k == nil || !s.repelled(t.Effect) { // usual for most tolerations
		return found
	}
	return s.anchorsOfKey(k, valuesOf(t, s.options), found)
}

// anchorsOfKey appends to found the anchors of the key whose values are in the
// set. If it does not know the kind of set, the query has to visit all groups.
func (s *search) anchorsOfKey(k *keyAnchors, values valueset.Set, found []*anchor) []*anchor {
	switch values.Kind {
	case valueset.None:
		return found
	case valueset.One:
		if a := s.groups.anchors.all.Entries[keyValue{k.key, values.Text}]; a != nil {
			return s.append(found, a)
		}
		return found
	case valueset.Integers:
		return s.between(k, values, found)
	case valueset.All:
		return s.append(found, k.anchors...)
	}
	s.broad = true
	return found
}

// repelled reports whether tolerations with the effect tolerate repelling taints.
func (s *search) repelled(effect taints.Effect) bool {
	return effect == "" || s.groups.repels.Has(effect)
}

// exempts reports whether a toleration of m tolerates every taint. It returns
// false if that takes more steps than a search of so many groups may take.
func exempts(m *taints.Matcher, groups int) bool {
	left, options := groups/searchShare, m.Policy().Options
	for t := range m.Tolerations() {
		if left -= tolerationSteps; left < 0 {
			break
		}
		keys := keyset.Of(t.Key, options.KeyWildcards)
		if keys.Prefix && exemptedBy(keys, valuesOf(&t, options).Kind, t.Effect) == taints.AllEffects {
			return true
		}
	}
	return false
}

// exemptedBy returns the effects for which a toleration with these fields
// tolerates every taint. One unknown effect does not cover all unknown effects.
func exemptedBy(keys keyset.Set, values valueset.Kind, effect taints.Effect) taints.EffectSet {
	switch {
	case keys.Key != "" || values != valueset.All:
		return 0
	case effect == "":
		return taints.AllEffects
	}
	return taints.Effects(effect) &^ unknownEffects
}

// valuesOf returns the values that the toleration matches.
func valuesOf(t *taints.Toleration, o taints.Options) valueset.Set {
	return valueset.Of(string(t.Operator), t.Value, !o.NoComparison)
}

// append appends the anchors to found, unless that takes too many steps.
func (s *search) append(found []*anchor, anchors ...*anchor) []*anchor {
	if s.left -= anchorSteps * len(anchors); s.left < 0 {
		return found
	}
	for _, a := range anchors {
		s.left -= classSteps * len(a.classes)
	}
	return append(found, anchors...)
}

// between appends to found the anchors whose values are integers in the set.
func (s *search) between(k *keyAnchors, values valueset.Set, found []*anchor) []*anchor {
	k.numbers.Between(values.Least, values.Most, func(a *anchor, leaf bool) bool {
		s.left--
		if leaf {
			found = s.append(found, a)
		}
		return s.left >= 0
	})
	return found
}

// distinct returns the anchors without duplicates, in the order of their creation.
func distinct(anchors []*anchor) []*anchor {
	slices.SortFunc(anchors, func(a, b *anchor) int { return cmp.Compare(a.order, b.order) })
	return slices.Compact(anchors)
}
