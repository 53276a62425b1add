// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// SameTolerations reports whether the lists are equivalent: both or neither
// tolerate a taint, and a NoExecute taint for the same time, by the first match.
// It is exact. Order, repeated entries and an empty operator instead of Equal
// matter only if they make a difference. It is for controllers that reject or roll
// out a change of tolerations.
//
// For n tolerations, of which m have no key or a wildcard, it takes O((m+1) n log n)
// time. It allocates.
func SameTolerations(a, b []Toleration) bool { return Options{}.SameTolerations(a, b) }

// SameTolerations is like the function [SameTolerations] under the options.
func (o Options) SameTolerations(a, b []Toleration) bool {
	// Compare the answers for taints that represent all others: of taints that
	// no toleration of the lists can tell apart, one is enough.
	return o.compare(a, b).every(func(v *view) bool { return v.every(v.same) })
}

// A comparison holds the tolerations of two lists by the keys that they match.
type comparison struct {
	options  Options
	keys     map[string][]*claim // of the tolerations with one key
	broad    []*claim            // of the others
	prefixes map[string]bool     // of the others
	values   map[string]*witness
	fresh    witness // a value that no toleration has
}

// A claim is a toleration that matches something.
type claim struct {
	list      int // 0 or 1
	order     int // in the first list and then in the second
	keys      keySet
	effect    Effect
	values    valueSet
	seconds   *int64
	witnesses []*witness
}

// A witness is a value that represents others. Equal ones are identical.
type witness struct {
	n       int64
	integer bool
}

func (o Options) compare(a, b []Toleration) *comparison {
	c := &comparison{
		options:  o,
		keys:     make(map[string][]*claim),
		prefixes: make(map[string]bool),
		values:   make(map[string]*witness),
	}
	for i := range a {
		c.add(&a[i], 0, i)
	}
	for i := range b {
		c.add(&b[i], 1, len(a)+i)
	}
	return c
}

func (c *comparison) add(t *Toleration, list, order int) {
	values := c.options.values(t)
	if values.empty() {
		return
	}
	added := &claim{
		list:      list,
		order:     order,
		keys:      c.options.keys(t),
		effect:    t.Effect,
		values:    values,
		seconds:   t.TolerationSeconds,
		witnesses: c.witnesses(values),
	}
	key := added.keys.key
	if !added.keys.prefix {
		c.keys[key] = append(c.keys[key], added)
		return
	}
	c.broad = append(c.broad, added)
	c.prefixes[key] = true
}

// witnesses returns the first value of the set, and the first one after it: no
// toleration tells integers between two such values apart, nor those before all
// from a text.
func (c *comparison) witnesses(values valueSet) []*witness {
	switch values.kind {
	case allValues:
		return []*witness{&c.fresh}
	case oneText:
		return []*witness{c.value(values.text)}
	}
	after := values.most + 1 // overflows after the largest, to a harmless witness
	return []*witness{c.integer(values.least), c.integer(after)}
}

func (c *comparison) integer(n int64) *witness { return c.value(strconv.FormatInt(n, 10)) }

func (c *comparison) value(text string) *witness {
	w := c.values[text]
	if w == nil {
		w = new(witness)
		w.n, w.integer = parseInteger(text)
		c.values[text] = w
	}
	return w
}

// every reports whether same returns true for every key, of those that no
// toleration tells apart for one.
func (c *comparison) every(same func(*view) bool) bool {
	for key, own := range c.keys {
		if !same(c.view(key, own)) {
			return false
		}
	}
	for prefix := range c.prefixes {
		if c.others(prefix) && !same(c.view(prefix, nil)) {
			return false
		}
	}
	return true
}

// others reports whether there is a key that begins with the prefix, but with no
// longer one, and that no toleration has.
func (c *comparison) others(prefix string) bool {
	if c.keys[prefix] == nil {
		return true
	}
	for b := range 256 {
		next := prefix + string([]byte{byte(b)})
		if !c.prefixes[next] && c.others(next) {
			return true
		}
	}
	return false
}

// A view is what the lists tolerate of the taints with one key.
type view struct {
	claims []*claim // of both lists, in order
	lists  [2]winners
	gaps   []*witness // the first integers that no toleration for all effects matches
}

// view returns the view of the key, which the given claims match alone.
func (c *comparison) view(key string, own []*claim) *view {
	v := &view{claims: slices.Clip(own)}
	for _, b := range c.broad {
		if strings.HasPrefix(key, b.keys.key) {
			v.claims = append(v.claims, b)
		}
	}
	slices.SortFunc(v.claims, func(a, b *claim) int { return cmp.Compare(a.order, b.order) })
	for _, claim := range v.claims {
		v.lists[claim.list].add(claim)
	}
	v.findGaps()
	return v
}

func (v *view) findGaps() {
	for _, claim := range v.claims {
		for _, w := range claim.witnesses {
			if claim.effect == "" && w.integer && v.lists[0].first("", w) == nil {
				v.gaps = append(v.gaps, w)
			}
		}
	}
	slices.SortFunc(v.gaps, func(a, b *witness) int { return cmp.Compare(a.n, b.n) })
}

// every reports whether same returns true for every effect and value, of those
// that no toleration tells apart for one.
//
// It leaves out what follows. The order of tolerations counts for NoExecute only.
// So for another effect the lists can differ, beyond the tolerations for all
// effects, where those for this effect do and those for all effects match nothing:
// at one of their values, or at the first gap after it.
func (v *view) every(same func(Effect, *witness) bool) bool {
	asked := make(map[taintValue]bool, len(v.claims))
	for _, claim := range v.claims {
		for _, w := range claim.witnesses {
			at := taintValue{claim.effect, w}
			if asked[at] {
				continue
			}
			asked[at] = true
			if !same(claim.effect, w) || claim.effect == "" && !same(NoExecute, w) {
				return false
			}
			if gap := v.gapFrom(w); claim.effect != "" && gap != nil && !same(claim.effect, gap) {
				return false
			}
		}
	}
	return true
}

// gapFrom returns the first gap that is not before the value, or nil.
func (v *view) gapFrom(w *witness) *witness {
	if !w.integer {
		return nil
	}
	i, _ := slices.BinarySearchFunc(v.gaps, w.n, func(gap *witness, n int64) int {
		return cmp.Compare(gap.n, n)
	})
	if i == len(v.gaps) {
		return nil
	}
	return v.gaps[i]
}

// same reports whether both or neither of the lists tolerate the taint, and for
// the same time if that counts. The empty effect is one that no toleration has.
func (v *view) same(effect Effect, w *witness) bool {
	a, b := v.lists[0].first(effect, w), v.lists[1].first(effect, w)
	if a == nil || b == nil {
		return a == b
	}
	return effect != NoExecute || sameSeconds(a.seconds, b.seconds)
}

// Winners are the claims of a list that match something first.
type winners struct {
	one map[taintValue]*claim // for one value
	of  map[Effect]*ranges    // for more values
}

type taintValue struct {
	effect Effect
	value  *witness
}

// Ranges are claims for the same effect and more than one value.
type ranges struct {
	all           *claim
	less, greater rising
}

// add adds the next claim of the list.
func (f *winners) add(c *claim) {
	switch {
	case c.values.kind == oneText || c.values.kind == integers && c.values.least == c.values.most:
		if f.one == nil {
			f.one = make(map[taintValue]*claim)
		}
		at := taintValue{c.effect, c.witnesses[0]}
		f.one[at] = earlier(f.one[at], c)
	default:
		f.ranges(c.effect).add(c)
	}
}

func (f *winners) ranges(effect Effect) *ranges {
	r := f.of[effect]
	if r == nil {
		if f.of == nil {
			f.of = make(map[Effect]*ranges)
		}
		r = new(ranges)
		f.of[effect] = r
	}
	return r
}

func (r *ranges) add(c *claim) {
	switch {
	case c.values.kind == allValues:
		r.all = earlier(r.all, c)
	case c.values.least == math.MinInt64:
		r.less.add(c.values.most, c)
	default:
		r.greater.add(^c.values.least, c)
	}
}

// first returns the first claim that matches the effect and value, or nil.
func (f *winners) first(effect Effect, w *witness) *claim {
	first := f.forEffect("", w)
	if effect == "" {
		return first
	}
	return earlier(first, f.forEffect(effect, w))
}

// forEffect is like first for the claims with the same effect.
func (f *winners) forEffect(effect Effect, w *witness) *claim {
	first := f.one[taintValue{effect, w}]
	r := f.of[effect]
	if r == nil {
		return first
	}
	first = earlier(first, r.all)
	if w.integer {
		first = earlier(first, r.less.first(w.n))
		first = earlier(first, r.greater.first(^w.n))
	}
	return first
}

// Rising holds claims for the numbers up to a limit, in order, without those whose
// limit is not above that of an earlier one.
type rising []limited

type limited struct {
	limit int64
	claim *claim
}

func (r *rising) add(limit int64, c *claim) {
	if n := len(*r); n == 0 || limit > (*r)[n-1].limit {
		*r = append(*r, limited{limit, c})
	}
}

// first returns the first claim for the number, or nil.
func (r rising) first(n int64) *claim {
	i, _ := slices.BinarySearchFunc(r, n, func(l limited, n int64) int { return cmp.Compare(l.limit, n) })
	if i == len(r) {
		return nil
	}
	return r[i].claim
}

// earlier returns the claim that comes first, of which either may be nil.
func earlier(a, b *claim) *claim {
	if a == nil || b != nil && b.order < a.order {
		return b
	}
	return a
}
