// SPDX-License-Identifier: Apache-2.0

package tolerationset

import "github.com/seed-0529bac1/taints"

// A catalog finds the tolerations of a list that may match the key of another
// toleration. For a short list, it uses a loop and allocates nothing.
type catalog struct {
	rules
	list  []taints.Toleration
	byKey map[string][]int // indexes of tolerations with one key, for a long list
	broad []int            // indexes of the others, for a long list
}

// newCatalog returns a catalog of the list, with room for more tolerations.
func newCatalog(list []taints.Toleration, more int, o taints.Options) catalog {
	const short = 64
	c := catalog{rules: rules{o}, list: list}
	if len(list)+more <= short {
		return c
	}
	c.byKey = make(map[string][]int, len(list))
	for i := range list {
		c.file(i)
	}
	return c
}

// file adds the toleration at index i to the indexes, if the list is long.
func (c *catalog) file(i int) {
	if c.byKey == nil {
		return
	}
	t := &c.list[i]
	if c.keys(t).Prefix {
		c.broad = append(c.broad, i)
	} else {
		c.byKey[t.Key] = append(c.byKey[t.Key], i)
	}
}

// contains reports whether the relation holds for a toleration u of the list
// and t. The relation is that u includes t, or that u covers t.
func (c *catalog) contains(t *taints.Toleration, relation func(r rules, u, t *taints.Toleration) bool) bool {
	if c.byKey == nil {
		for i := range c.list {
			u := &c.list[i]
			if (c.KeyWildcards || u.Key == "" || u.Key == t.Key) && relation(c.rules, u, t) {
				return true
			}
		}
		return false
	}
	for _, indexes := range [...][]int{c.byKey[t.Key], c.broad} {
		for _, i := range indexes {
			if relation(c.rules, &c.list[i], t) {
				return true
			}
		}
	}
	return false
}
