// SPDX-License-Identifier: Apache-2.0

package tolerationset

import "github.com/seed-0529bac1/taints"

// SameResults is Same without its shortcuts. It also returns how many steps it took.
func SameResults(a, b []taints.Toleration, o taints.Options) (same bool, steps int) {
	c := newComparison(rules{o}, a, b)
	return c.same(), c.steps
}
