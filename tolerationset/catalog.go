// SPDX-License-Identifier: Apache-2.0

package tolerationset

import "github.com/seed-0529bac1/taints"

// A catalog finds, in a list of tolerations, those that may match the key of
// another. It allocates nothing for a short list, where a loop finds them.
type catalog struct {
	rules
	list  []taints.Toleration
	byKey map[string][]int // the indexes of those with one key, of a long list
	broad []int            // the indexes of the others, of a long list
}

// newCatalog returns a catalog of the list, to which more may be added.
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

// file files the toleration at index i of the list, if that is long.
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

// contains reports whether a toleration u of the list includes t, or covers it, as
// the relation of u and t says.
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
