// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"slices"

	"github.com/seed-0529bac1/taints"
)

// Minimize returns the list without the entries that change neither which taints it
// tolerates nor for how long, by the first match. It drops an entry if
//
//   - it tolerates nothing, or
//   - an earlier entry tolerates every taint that it tolerates, or
//   - a later entry does so for the same time, and no remaining entry between the
//     two tolerates, for another time, a NoExecute taint that the entry tolerates.
//
// It keeps an entry that only several others together cover. It returns tolerations
// itself if it drops nothing, and otherwise a new list, or nil, that shares no memory
// with it.
func Minimize(tolerations []taints.Toleration, o taints.Options) []taints.Toleration {
	by := rules{o}.superfluous(tolerations, nil)
	if !slices.ContainsFunc(by, func(i int) bool { return i >= 0 }) {
		return tolerations
	}
	var left []taints.Toleration
	for i := range tolerations {
		if by[i] < 0 {
			left = append(left, clone(tolerations[i]))
		}
	}
	return left
}

// superfluous returns, for each toleration of the list, the index of the one that
// makes it superfluous: its own if it tolerates nothing, and -1 if it is not
// superfluous. That one may be superfluous itself, but there are no cycles. Only a
// later one makes a toleration with a shadow superfluous; see [rules.shadows].
func (r rules) superfluous(list []taints.Toleration, shadows []int) []int {
	by := make([]int, len(list))
	for i := range list {
		switch t := &list[i]; {
		case r.toleratesNothing(t):
			by[i] = i
		case shadows != nil && shadows[i] >= 0:
			by[i] = -1
		default:
			by[i] = r.firstIncluding(list[:i], t)
		}
	}
	var left []int // those behind i that are not superfluous, the last one first
	for i := len(list) - 1; i >= 0; i-- {
		if by[i] < 0 {
			by[i] = r.includedBehind(list, left, i)
		}
		if by[i] < 0 {
			left = append(left, i)
		}
	}
	return by
}

// includedBehind returns the first of the indexes behind i, which are in reverse,
// whose toleration includes the one at i, unless one before it disagrees with the
// one at i. It returns -1 if there is none.
func (r rules) includedBehind(list []taints.Toleration, behind []int, i int) int {
	for _, j := range slices.Backward(behind) {
		switch t, u := &list[i], &list[j]; {
		case r.disagree(t, u):
			return -1
		case r.includes(u, t):
			return j
		}
	}
	return -1
}
