// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/keyset"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// Same reports whether the lists are equivalent: for each taint, both or
// neither tolerate it, and a NoExecute taint for the same time, by the first
// match. It is exact. Order, repeated entries and an empty operator instead of
// Equal matter only if they make a difference. It is for controllers that
// reject or roll out changes to tolerations.
//
// For n tolerations, m of them without a key or with a wildcard, it takes O((m+1)
// n log n) time. It allocates, except for short lists that have the same
// tolerations in clearly equivalent orders, and for most short lists that differ.
func Same(a, b []taints.Toleration, o taints.Options) bool {
	r := rules{o}
	if r.reordered(a, b) {
		return true
	}
	if len(a)+len(b) <= 2*short && (r.differAt(a, a, b) || r.differAt(b, a, b)) {
		return false
	}
	// Compare the results for taints that represent all others: of the taints
	// that no toleration of the lists distinguishes, one is enough.
	return r.compare(a, b).every(func(v *keyView) bool { return v.every(v.same) })
}

// short is the longest length for which nested loops are faster than a comparison.
const short = 16

// differAt reports whether a and b have different results for a taint with the
// key, value and effect of one of the tolerations.
func (r rules) differAt(tolerations, a, b []taints.Toleration) bool {
	for i := range tolerations {
		t := &tolerations[i]
		taint := taints.Taint{Key: r.keys(t).Key, Value: t.Value, Effect: t.Effect}
		if taint.Effect == "" {
			taint.Effect = taints.NoExecute
		}
		x, ok := r.Compile(a).Match(taint)
		y, too := r.Compile(b).Match(taint)
		if ok != too || ok && taint.Effect == taints.NoExecute && !sameTime(&a[x], &b[y]) {
			return true
		}
	}
	return false
}

// reordered reports whether the lists are short and have the same tolerations, and
// those that tolerate a common taint for different times are in the same order.
func (r rules) reordered(a, b []taints.Toleration) bool {
	if len(a) != len(b) || len(a) > short {
		return false
	}
	var in [short]int // the index in b of each toleration of a
	var used [short]bool
	for i := range a {
		j := 0
		for j < len(b) && (used[j] || !a[i].Equal(b[j])) {
			j++
		}
		if j == len(b) {
			return false
		}
		in[i], used[j] = j, true
	}
	for i := range a {
		for j := range i {
			if t, u := &a[j], &a[i]; in[j] > in[i] && evicting(t) && evicting(u) && !sameTime(t, u) && r.meet(t, u) {
				return false
			}
		}
	}
	return true
}

// A comparison holds the tolerations of two lists by the keys that they match.
type comparison struct {
	rules
	keys     map[string][]*entry // entries of tolerations with one key
	broad    []*entry            // entries of the other tolerations
	prefixes map[string]bool     // prefixes of the other tolerations
	values   map[string]*sample
	fresh    sample // a value that no toleration has
}

// An entry is a toleration that matches something.
type entry struct {
	list    int // 0 or 1
	order   int // position in the first list followed by the second
	keys    keyset.Set
	effect  taints.Effect
	values  valueset.Set
	seconds *int64
	samples []*sample
}

// A sample is a value that represents others. Equal samples are the same pointer.
type sample struct {
	n       int64
	integer bool
}

func (r rules) compare(a, b []taints.Toleration) *comparison {
	c := &comparison{
		rules:    r,
		keys:     make(map[string][]*entry),
		prefixes: make(map[string]bool),
		values:   make(map[string]*sample),
	}
	for i := range a {
		c.note(&a[i], 0, i)
	}
	for i := range b {
		c.note(&b[i], 1, len(a)+i)
	}
	return c
}

func (c *comparison) note(t *taints.Toleration, list, order int) {
	values := c.rules.values(t)
	if values.Kind == valueset.None {
		return
	}
	if n, ok := valueset.ParseInteger(values.Text); ok {
		values = valueset.Set{Kind: valueset.Integers, Least: n, Most: n}
	}
	added := &entry{
		list:    list,
		order:   order,
		keys:    c.rules.keys(t),
		effect:  t.Effect,
		values:  values,
		seconds: t.TolerationSeconds,
		samples: c.samples(values),
	}
	key := added.keys.Key
	if !added.keys.Prefix {
		c.keys[key] = append(c.keys[key], added)
		return
	}
	c.broad = append(c.broad, added)
	c.prefixes[key] = true
}

// samples returns the first value of the set and the first value after it. No
// toleration distinguishes integers between two such values, or integers before
// all of them from a text.
func (c *comparison) samples(values valueset.Set) []*sample {
	switch values.Kind {
	case valueset.All:
		return []*sample{&c.fresh}
	case valueset.One:
		return []*sample{c.value(values.Text)}
	}
	after := values.Most + 1 // overflows after the largest int64, to a harmless sample
	return []*sample{c.integer(values.Least), c.integer(after)}
}

func (c *comparison) integer(n int64) *sample { return c.value(strconv.FormatInt(n, 10)) }

func (c *comparison) value(text string) *sample {
	w := c.values[text]
	if w == nil {
		w = new(sample)
		w.n, w.integer = valueset.ParseInteger(text)
		c.values[text] = w
	}
	return w
}

// every reports whether same returns true for every key. It tests only one of
// the keys that no toleration distinguishes.
func (c *comparison) every(same func(*keyView) bool) bool {
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

// others reports whether there is a key that begins with the prefix, but not
// with a longer one, and that no toleration has.
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

// A keyView holds what the lists tolerate among the taints with one key.
type keyView struct {
	entries []*entry // of both lists, in order
	lists   [2]firstMatches
	gaps    []*sample // the first integers that no toleration for all effects matches
}

// view returns the view of the key. The own entries match only this key.
func (c *comparison) view(key string, own []*entry) *keyView {
	v := &keyView{entries: slices.Clip(own)}
	for _, b := range c.broad {
		if strings.HasPrefix(key, b.keys.Key) {
			v.entries = append(v.entries, b)
		}
	}
	slices.SortFunc(v.entries, func(a, b *entry) int { return cmp.Compare(a.order, b.order) })
	for _, e := range v.entries {
		v.lists[e.list].note(e)
	}
	v.findGaps()
	return v
}

func (v *keyView) findGaps() {
	for _, e := range v.entries {
		for _, w := range e.samples {
			if e.effect == "" && w.integer && v.lists[0].find("", w) == nil {
				v.gaps = append(v.gaps, w)
			}
		}
	}
	slices.SortFunc(v.gaps, func(a, b *sample) int { return cmp.Compare(a.n, b.n) })
}

// every reports whether same returns true for every effect and value. It tests
// only one of those that no toleration distinguishes.
//
// It also omits results that follow from others. Order matters only for NoExecute.
// So for another effect, apart from the tolerations for all effects, the lists can
// differ only where the tolerations for this effect differ and those for all
// effects match nothing: at one of their values, or at the first gap after it.
func (v *keyView) every(same func(taints.Effect, *sample) bool) bool {
	asked := make(map[taintValue]bool, len(v.entries))
	for _, e := range v.entries {
		for _, w := range e.samples {
			at := taintValue{e.effect, w}
			if asked[at] {
				continue
			}
			asked[at] = true
			if !same(e.effect, w) || e.effect == "" && !same(taints.NoExecute, w) {
				return false
			}
			if gap := v.gapFrom(w); e.effect != "" && gap != nil && !same(e.effect, gap) {
				return false
			}
		}
	}
	return true
}

// gapFrom returns the first gap at or after the value, or nil.
func (v *keyView) gapFrom(w *sample) *sample {
	if !w.integer {
		return nil
	}
	i, _ := slices.BinarySearchFunc(v.gaps, w.n, func(gap *sample, n int64) int {
		return cmp.Compare(gap.n, n)
	})
	if i == len(v.gaps) {
		return nil
	}
	return v.gaps[i]
}

// same reports whether both or neither list tolerates the taint, and for the
// same time if that matters. The empty effect is one that no toleration has.
func (v *keyView) same(effect taints.Effect, w *sample) bool {
	a, b := v.lists[0].find(effect, w), v.lists[1].find(effect, w)
	if a == nil || b == nil {
		return a == b
	}
	return effect != taints.NoExecute || sameSeconds(a.seconds, b.seconds)
}

// FirstMatches are the entries of a list that match something first.
type firstMatches struct {
	one map[taintValue]*entry     // for one value
	of  map[taints.Effect]*ranges // for more values
}

type taintValue struct {
	effect taints.Effect
	value  *sample
}

// Ranges are entries for the same effect and more than one value.
type ranges struct {
	all           *entry
	less, greater limits
	between       []*entry // of integers with two limits; no operator has them yet
}

// note records the next entry of the list.
func (f *firstMatches) note(c *entry) {
	switch {
	case c.values.Kind == valueset.One || c.values.Kind == valueset.Integers && c.values.Least == c.values.Most:
		if f.one == nil {
			f.one = make(map[taintValue]*entry)
		}
		at := taintValue{c.effect, c.samples[0]}
		f.one[at] = earlier(f.one[at], c)
	default:
		f.ranges(c.effect).note(c)
	}
}

func (f *firstMatches) ranges(effect taints.Effect) *ranges {
	r := f.of[effect]
	if r == nil {
		if f.of == nil {
			f.of = make(map[taints.Effect]*ranges)
		}
		r = new(ranges)
		f.of[effect] = r
	}
	return r
}

func (r *ranges) note(c *entry) {
	switch {
	case c.values.Kind == valueset.All:
		r.all = earlier(r.all, c)
	case c.values.Least == math.MinInt64:
		r.less.note(c.values.Most, c)
	case c.values.Most == math.MaxInt64:
		r.greater.note(^c.values.Least, c)
	default:
		r.between = append(r.between, c)
	}
}

// find returns the first entry that matches the effect and value, or nil.
func (f *firstMatches) find(effect taints.Effect, w *sample) *entry {
	first := f.forEffect("", w)
	if effect == "" {
		return first
	}
	return earlier(first, f.forEffect(effect, w))
}

// forEffect is like find for the entries with the same effect.
func (f *firstMatches) forEffect(effect taints.Effect, w *sample) *entry {
	first := f.one[taintValue{effect, w}]
	r := f.of[effect]
	if r == nil {
		return first
	}
	first = earlier(first, r.all)
	if w.integer {
		first = earlier(first, r.less.find(w.n))
		first = earlier(first, r.greater.find(^w.n))
		for _, e := range r.between {
			if e.values.Least <= w.n && w.n <= e.values.Most {
				first = earlier(first, e)
			}
		}
	}
	return first
}

// Limits hold entries for the numbers up to a limit, in order, except entries
// whose limit is not above the limit of an earlier one.
type limits []limited

type limited struct {
	limit int64
	entry *entry
}

func (r *limits) note(limit int64, c *entry) {
	if n := len(*r); n == 0 || limit > (*r)[n-1].limit {
		*r = append(*r, limited{limit, c})
	}
}

// find returns the first entry for the number, or nil.
func (r limits) find(n int64) *entry {
	i, _ := slices.BinarySearchFunc(r, n, func(l limited, n int64) int { return cmp.Compare(l.limit, n) })
	if i == len(r) {
		return nil
	}
	return r[i].entry
}

// earlier returns the entry that comes first. Either entry may be nil.
func earlier(a, b *entry) *entry {
	if a == nil || b != nil && b.order < a.order {
		return b
	}
	return a
}
