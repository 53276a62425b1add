// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"slices"
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
	list  []taints.Toleration
	drawn map[drawer][]int // the indexes of a long list, without those in wild
	wild  []int            // indexes of tolerations whose key has a wildcard
}

// A relation reports whether t covers or includes u. It implies that t has the
// effect, the key and the values of u, or broader ones.
type relation func(r rules, t, u *taints.Toleration) bool

// A drawer holds the tolerations with an effect, a key, and equal values. Those
// with several integers share a drawer.
type drawer struct {
	effect taints.Effect
	key    string
	values valueset.Set
}

// newCatalog returns a catalog of the list, with room for more tolerations.
func newCatalog(list []taints.Toleration, more int, related relation, o taints.Options) catalog {
	const short = 64
	c := catalog{rules: rules{o}, relation: related, list: list}
	if len(list)+more > short {
		c.drawn = make(map[drawer][]int, len(list)+more)
		for i := range list {
			c.file(i)
		}
	}
	return c
}

// file enters the toleration at the index.
func (c *catalog) file(i int) {
	switch t := &c.list[i]; {
	case c.drawn == nil:
	case t.Key != "" && c.keys(t).Prefix:
		c.wild = append(c.wild, i)
	default:
		d := drawer{t.Effect, t.Key, c.ownValues(t)}
		c.drawn[d] = append(c.drawn[d], i)
	}
}

// ownValues returns the values of the toleration for its drawer.
func (c *catalog) ownValues(t *taints.Toleration) valueset.Set {
	values := c.values(t)
	switch {
	case values.Kind != valueset.Integers:
		return values
	case values.Least == values.Most:
		return valueset.Set{Kind: valueset.One, Text: strconv.FormatInt(values.Least, 10)}
	}
	return valueset.Set{Kind: valueset.Integers}
}

// first returns the index of the first toleration that has the relation to t, or
// -1. The toleration t must tolerate something.
func (c *catalog) first(t *taints.Toleration) int {
	related := func(i int) bool { return c.relation(c.rules, &c.list[i], t) }
	if c.drawn == nil {
		for i := range c.list {
			if related(i) {
				return i
			}
		}
		return -1
	}
	first := -1
	look := func(indexes []int) {
		at := slices.IndexFunc(indexes, related)
		if at >= 0 && (first < 0 || indexes[at] < first) {
			first = indexes[at]
		}
	}
	look(c.wild)
	for _, effect := range [...]taints.Effect{t.Effect, ""} {
		for _, key := range [...]string{t.Key, ""} {
			look(c.drawn[drawer{effect, key, c.ownValues(t)}])
			look(c.drawn[drawer{effect, key, valueset.Set{Kind: valueset.Integers}}])
			look(c.drawn[drawer{effect, key, valueset.Set{Kind: valueset.All}}])
		}
	}
	return first
}
