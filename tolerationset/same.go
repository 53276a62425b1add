// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// Same reports whether, for each taint, both lists or neither tolerate it, and a
// NoExecute taint for the same time. It does not allocate for equal lists and most
// short ones.
func Same(a, b []taints.Toleration, o taints.Options) bool {
	if slices.EqualFunc(a, b, taints.Toleration.Equal) {
		return true
	}
	r := rules{o}
	if max(len(a), len(b)) <= short {
		if r.reordered(a, b) {
			return true
		}
		if (o == taints.Options{}) && differ(a, b) {
			return false
		}
	}
	return newComparison(r, a, b).same()
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

// A comparison compares the answers of the lists 0 and 1. For each key that a
// toleration tells from the others, it goes through the values in order and keeps
// account of the entries that match, so that it knows the answer for all effects
// without a look at each.
type comparison struct {
	lists   [2][]taints.Toleration
	entries []entry
	keys    []string // where those of an entry begin, and the first behind them
	ends    []end    // of the values of the entries, in order

	matching [][2]int   // by effect: how many entries of each list match
	differ   int        // the number of effects that entries of only one list match
	evicting [2]numbers // the orders of the entries that match NoExecute taints
	steps    int        // for tests
}

// An entry is a toleration that tolerates something.
type entry struct {
	list, order int
	effect      int // an index of matching
	evicting    bool
	keys        valueset.Keys
	matchesKey  bool
}

// An end is where the values of an entry begin, or the first value behind them.
type end struct {
	at    point
	entry int
	by    int // 1 if they begin, and -1 behind them
}

// A point is a value. Integers come before other texts.
type point struct {
	n    int64
	text string
}

func (p point) compare(q point) int {
	return cmp.Or(cmp.Compare(p.n, q.n), strings.Compare(p.text, q.text))
}

const everyEffect = 0 // the index of matching for tolerations without an effect

func newComparison(r rules, a, b []taints.Toleration) *comparison {
	n := len(a) + len(b)
	c := &comparison{
		lists:    [2][]taints.Toleration{a, b},
		entries:  make([]entry, 0, n),
		keys:     make([]string, 0, 2*n),
		ends:     make([]end, 0, 2*n),
		evicting: [2]numbers{numbersBelow(len(a)), numbersBelow(len(b))},
	}
	effects := map[taints.Effect]int{"": everyEffect}
	for list := range c.lists {
		for i := range c.lists[list] {
			t := &c.lists[list][i]
			if r.toleratesNothing(t) {
				continue
			}
			effect, ok := effects[t.Effect]
			if !ok {
				effect = len(effects)
				effects[t.Effect] = effect
			}
			keys := r.keys(t)
			from, to := endsOf(r.values(t))
			e := len(c.entries)
			c.ends = append(c.ends, end{at: from, entry: e, by: 1}, end{at: to, entry: e, by: -1})
			c.keys = append(c.keys, keys.Key, behind(keys))
			c.entries = append(c.entries, entry{list: list, order: i, effect: effect, evicting: evicting(t), keys: keys})
		}
	}
	c.matching = make([][2]int, len(effects))
	slices.Sort(c.keys)
	c.keys = slices.Compact(c.keys)
	slices.SortFunc(c.ends, func(x, y end) int { return x.at.compare(y.at) })
	return c
}

// behind returns the first key behind those of the set, in byte order. If there is
// none, it returns a key of the set.
func behind(keys valueset.Keys) string {
	if !keys.Prefix {
		return keys.Key + "\x00"
	}
	for n := len(keys.Key); n > 0; n-- {
		if last := keys.Key[n-1]; last < math.MaxUint8 {
			return keys.Key[:n-1] + string([]byte{last + 1})
		}
	}
	return keys.Key
}

// endsOf returns the first value and the first one behind them.
func endsOf(values valueset.Set) (from, to point) {
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

// same reports whether the lists have the same answers.
func (c *comparison) same() bool {
	for _, key := range c.keys {
		if !c.sameFor(key) {
			return false
		}
	}
	return true
}

// sameFor reports whether the lists have the same answers for taints with the key.
func (c *comparison) sameFor(key string) bool {
	for i := range c.entries {
		c.steps++
		e := &c.entries[i]
		e.matchesKey = e.keys.Contains(key)
	}
	var at point
	for i := range c.ends {
		c.steps++
		x := &c.ends[i]
		e := &c.entries[x.entry]
		if !e.matchesKey {
			continue
		}
		if x.at != at && !c.sameForEffects() { // for the values from at to x.at
			return false
		}
		at = x.at
		c.count(e, x.by)
	}
	return true
}

// count adds to how often the entry matches.
func (c *comparison) count(e *entry, by int) {
	m := &c.matching[e.effect]
	c.differ -= onlyOne(m)
	m[e.list] += by
	c.differ += onlyOne(m)
	if e.evicting {
		c.evicting[e.list].flip(e.order)
	}
}

// onlyOne returns 1 if entries of only one list match, and otherwise 0.
func onlyOne(matching *[2]int) int {
	if (matching[0] > 0) != (matching[1] > 0) {
		return 1
	}
	return 0
}

// sameForEffects reports whether the lists have the same answers for each effect,
// also those that no toleration has.
func (c *comparison) sameForEffects() bool {
	every := c.matching[everyEffect]
	if c.differ > 0 && (every[0] == 0 || every[1] == 0) {
		return false
	}
	i, found := c.evicting[0].least()
	j, _ := c.evicting[1].least()
	return !found || sameTime(&c.lists[0][i], &c.lists[1][j])
}

// Numbers is a set of small numbers that finds its least at once. The first level
// has a bit for each number, and each other level one for each word of the level
// before it that is not zero.
type numbers [][]uint64

// numbersBelow returns an empty set with room for the numbers below n.
func numbersBelow(n int) numbers {
	var s numbers
	for {
		n = n/64 + 1
		s = append(s, make([]uint64, n))
		if n == 1 {
			return s
		}
	}
}

// flip adds the number, or removes it if it is there.
func (s numbers) flip(n int) {
	for _, level := range s {
		word := &level[n/64]
		was := *word
		*word ^= 1 << (n % 64)
		if was != 0 && *word != 0 {
			return
		}
		n /= 64
	}
}

// least returns the least number. It returns false if there is none.
func (s numbers) least() (n int, found bool) {
	for _, level := range slices.Backward(s) {
		if level[n] == 0 {
			return 0, false
		}
		n = n*64 + bits.TrailingZeros64(level[n])
	}
	return n, true
}
