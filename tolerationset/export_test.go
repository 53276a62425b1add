// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// SameSteps returns how many steps Same takes to compare results: one for each
// toleration that matches a key, for all keys, and one for each taint whose
// results it compares.
func SameSteps(a, b []taints.Toleration, o taints.Options) (steps int, same bool) {
	same = rules{o}.compare(a, b).every(func(v *keyView) bool {
		steps += len(v.entries)
		return v.every(func(effect taints.Effect, w *sample) bool {
			steps++
			return v.same(effect, w)
		})
	})
	return steps, same
}

// FirstMatch returns the index of the first set that has the integer, as Same finds
// it, or -1.
func FirstMatch(sets []valueset.Set, n int64) int {
	c := comparison{values: make(map[string]*sample)}
	var f firstMatches
	for i, set := range sets {
		f.note(&entry{order: i, values: set, samples: c.samples(set)})
	}
	if e := f.find("", c.integer(n)); e != nil {
		return e.order
	}
	return -1
}
