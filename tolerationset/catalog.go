// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// A catalog finds the first toleration of a list that has a relation to another
// one: that covers it, or that includes its taints. In a short list it looks at
// every toleration, and allocates nothing.
type catalog struct {
	rules
	relation
	list   []taints.Toleration
	chains map[drawer][]int // indexes, for a long list
	loose  []int            // the other indexes
}

// A relation reports whether t covers or includes u, which tolerates something.
type relation func(r rules, t, u *taints.Toleration) bool

// A drawer has a chain of tolerations with an effect, a key and a kind of values,
// of which each has the relation to all before it.
type drawer struct {
	effect taints.Effect
	key    string
	values valueset.Set
}

var (
	all     = valueset.Set{Kind: valueset.All}
	less    = valueset.Set{Kind: valueset.Integers, Least: math.MinInt64}
	greater = valueset.Set{Kind: valueset.Integers, Most: math.MaxInt64}
)

// newCatalog returns a catalog of the list, with room for more tolerations.
func newCatalog(list []taints.Toleration, more int, related relation, o taints.Options) catalog {
	const short = 64
	c := catalog{rules: rules{o}, relation: related, list: list}
	if len(list)+more > short {
		c.chains = make(map[drawer][]int, len(list)+more)
		for i := range list {
			c.file(i)
		}
	}
	return c
}

// file enters the toleration at the index, which comes after all that are there.
func (c *catalog) file(i int) {
	t := &c.list[i]
	if c.chains == nil || c.toleratesNothing(t) {
		return
	}
	d := drawer{t.Effect, t.Key, c.kindOf(t)}
	chain := c.chains[d]
	wild := t.Key != "" && c.keys(t).Prefix
	if !wild && len(chain) > 0 {
		last := &c.list[chain[len(chain)-1]]
		if c.relation(c.rules, last, t) {
			return // the last is found first
		}
		wild = !c.relation(c.rules, t, last)
	}
	if wild {
		c.loose = append(c.loose, i)
	} else {
		c.chains[d] = append(chain, i)
	}
}

// kindOf returns the kind of values of the toleration: a single value, or one of
// the variables above.
func (c *catalog) kindOf(t *taints.Toleration) valueset.Set {
	values := c.values(t)
	switch {
	case values.Kind != valueset.Integers:
		return values
	case values.Least == values.Most:
		return valueset.Set{Kind: valueset.One, Text: strconv.FormatInt(values.Least, 10)}
	case values.Most == math.MaxInt64:
		return greater
	}
	return less
}

// first returns the index of the first toleration that has the relation to t, or
// -1. The toleration t must tolerate something.
func (c *catalog) first(t *taints.Toleration) int {
	related := func(i int) bool { return c.relation(c.rules, &c.list[i], t) }
	if c.chains == nil {
		for i := range c.list {
			if related(i) {
				return i
			}
		}
		return -1
	}
	first := -1
	if at := slices.IndexFunc(c.loose, related); at >= 0 {
		first = c.loose[at]
	}
	kinds := [...]valueset.Set{c.kindOf(t), all, less, greater}
	for _, effect := range [...]taints.Effect{t.Effect, ""} {
		for _, key := range [...]string{t.Key, ""} {
			for _, values := range kinds {
				chain := c.chains[drawer{effect, key, values}]
				at := sort.Search(len(chain), func(k int) bool { return related(chain[k]) })
				if at < len(chain) && (first < 0 || chain[at] < first) {
					first = chain[at]
				}
			}
		}
	}
	return first
}
