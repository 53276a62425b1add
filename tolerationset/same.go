// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/keyset"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// Same reports whether the lists are equivalent: for each taint, both or neither
// tolerate it, and a NoExecute taint for the same time, by the first match. It is
// exact. Order, repeated entries and an empty operator instead of Equal matter
// only if they make a difference. It is for controllers that reject or roll out
// changes to tolerations.
//
// For each key, its time grows with the number of tolerations that match the key,
// or with its square if these match the same values. It does not allocate for
// short lists of the same tolerations in clearly equivalent orders, and under zero
// options for most short lists that differ.
func Same(a, b []taints.Toleration, o taints.Options) bool {
	r := rules{o}
	if max(len(a), len(b)) > short {
		return r.agree(a, b)
	}
	return r.reordered(a, b) || !(o == taints.Options{} && differ(a, b)) && r.agree(a, b)
}

// short is the longest length for which nested loops are faster.
const short = 16

// differ reports whether the lists give different results for a taint that is
// like one of the tolerations.
func differ(a, b []taints.Toleration) bool {
	for _, list := range [...][]taints.Toleration{a, b} {
		for i := range list {
			t := &list[i]
			taint := taints.Taint{Key: t.Key, Value: t.Value, Effect: cmp.Or(t.Effect, taints.NoExecute)}
			j, ok := taints.Match(taint, a)
			k, too := taints.Match(taint, b)
			if ok != too || ok && taint.Effect == taints.NoExecute && !sameTime(&a[j], &b[k]) {
				return true
			}
		}
	}
	return false
}

// reordered reports whether the lists have the same tolerations, and those that
// disagree are in the same order.
func (r rules) reordered(a, b []taints.Toleration) bool {
	if len(a) != len(b) {
		return false
	}
	var in [short]int // the index in b of each toleration of a
	var used [short]bool
	for i := range a {
		for in[i] < len(b) && (used[in[i]] || !a[i].Equal(b[in[i]])) {
			in[i]++
		}
		if in[i] == len(b) {
			return false
		}
		used[in[i]] = true
		for j := range i {
			if in[j] > in[i] && r.disagree(&a[j], &a[i]) {
				return false
			}
		}
	}
	return true
}

// agree reports whether the lists give the same results. It compares them for one
// of the taints between which no toleration distinguishes.
func (r rules) agree(lists ...[]taints.Toleration) bool {
	var entries []*entry
	for list := range lists {
		for i := range lists[list] {
			if t := &lists[list][i]; !r.toleratesNothing(t) {
				e := &entry{list: list, order: i, effect: t.Effect, seconds: t.TolerationSeconds}
				e.from[0], e.to[0] = endsOfKeys(r.keys(t))
				e.from[1], e.to[1] = endsOfValues(r.values(t))
				entries = append(entries, e)
			}
		}
	}
	return sweep(entries, 0, func(entries []*entry) bool { return sweep(entries, 1, sameEffects) })
}

// An entry is a toleration of list 0 or 1. Its keys are those between two points,
// without the latter, and so are its values, as integers come before other texts.
type entry struct {
	list, order int
	effect      taints.Effect
	seconds     *int64
	from, to    [2]point
}

type point struct {
	n    int64
	text string
}

func (p point) compare(q point) int {
	return cmp.Or(cmp.Compare(p.n, q.n), strings.Compare(p.text, q.text))
}

func endsOfKeys(keys keyset.Set) (from, to point) {
	from = point{0, keys.Key}
	if !keys.Prefix {
		return from, point{0, keys.Key + "\x00"}
	}
	for n := len(keys.Key); n > 0; n-- {
		if last := keys.Key[n-1]; last < math.MaxUint8 {
			return from, point{0, keys.Key[:n-1] + string([]byte{last + 1})}
		}
	}
	return from, point{1, ""}
}

func endsOfValues(values valueset.Set) (from, to point) {
	n, integer := valueset.ParseInteger(values.Text)
	switch {
	case integer:
		values.Least, values.Most = n, n
	case values.Kind == valueset.One:
		return point{math.MaxInt64, "=" + values.Text}, point{math.MaxInt64, "=" + values.Text + "\x00"}
	case values.Kind == valueset.All:
		return point{math.MinInt64, ""}, point{math.MaxInt64, "~"}
	}
	to = point{values.Most + 1, ""}
	if values.Most == math.MaxInt64 {
		to = point{math.MaxInt64, "="}
	}
	return point{values.Least, ""}, to
}

// sweep reports whether same returns true for each set of entries that have a key,
// or a value, in common. The sets are in order.
func sweep(entries []*entry, axis int, same func([]*entry) bool) bool {
	points := make([]point, 0, 2*len(entries))
	for _, e := range entries {
		points = append(points, e.from[axis], e.to[axis])
	}
	slices.SortFunc(points, point.compare)
	next := slices.Clone(entries)
	slices.SortFunc(next, func(d, e *entry) int { return d.from[axis].compare(e.from[axis]) })
	var set []*entry
	for _, p := range slices.Compact(points) {
		set = slices.DeleteFunc(set, func(e *entry) bool { return e.to[axis] == p })
		for ; len(next) > 0 && next[0].from[axis] == p; next = next[1:] {
			at, _ := slices.BinarySearchFunc(set, next[0], func(d, e *entry) int { return cmp.Compare(d.order, e.order) })
			set = slices.Insert(set, at, next[0])
		}
		if !same(set) {
			return false
		}
	}
	return true
}

// sameEffects reports whether the lists give the same results for each effect. The
// entries are those that match a key and value.
func sameEffects(entries []*entry) bool {
	effects := append(make([]taints.Effect, 0, 8), "", taints.NoExecute) // no toleration names ""
	for _, e := range entries {
		if !slices.Contains(effects, e.effect) {
			effects = append(effects, e.effect)
		}
	}
	for _, effect := range effects {
		var first [2]*entry
		for _, e := range entries {
			if first[e.list] == nil && (e.effect == "" || e.effect == effect) {
				first[e.list] = e
			}
		}
		x, y := first[0], first[1]
		if (x == nil) != (y == nil) || x != nil && effect == taints.NoExecute && !sameSeconds(x.seconds, y.seconds) {
			return false
		}
	}
	return true
}
