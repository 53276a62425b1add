// SPDX-License-Identifier: Apache-2.0

package tolerationset

import "github.com/seed-0529bac1/taints"

// SameResults is Same without its loop for short lists.
func SameResults(a, b []taints.Toleration, o taints.Options) bool { return rules{o}.agree(a, b) }

// Steps returns how many pairs of tolerations Lint compares, and ValidateAllowed
// for an allow-list that is the same list.
func Steps(list []taints.Toleration, o taints.Options) (steps int) {
	count := func(related relation) relation {
		return func(r rules, t, u *taints.Toleration) bool {
			steps++
			return related(r, t, u)
		}
	}
	c := newCatalog(list, 0, count(rules.includes), o)
	c.superfluous(c.shadows())
	c = newCatalog(list, 0, count(rules.covers), o)
	for i := range list {
		c.first(&list[i])
	}
	return steps
}
