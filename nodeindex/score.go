// SPDX-License-Identifier: Apache-2.0

package nodeindex

import "math/bits"

// NormalizeScores appends to dst a score for each node's count of untolerated
// PreferNoSchedule taints and returns the extended slice (DefaultNormalizeScore
// in the kube-scheduler, where maxScore is 100). The score is
//
//	maxScore - maxScore*count/largest
//
// rounded as in Kubernetes: maxScore for a node without such taints, and 0 for a
// node with the largest count. If no count is above zero, all scores are
// maxScore. A negative count, which Kubernetes leaves undefined, means zero. Large
// numbers do not overflow.
func NormalizeScores(dst []int64, counts []int, maxScore int64) []int64 {
	largest := 0
	for _, c := range counts {
		largest = max(largest, c)
	}
	for _, c := range counts {
		score := maxScore
		if c > 0 {
			score -= share(maxScore, uint64(c), uint64(largest))
		}
		dst = append(dst, score)
	}
	return dst
}

// share returns n*part/whole, rounded toward zero, for 0 <= part <= whole and
// whole > 0.
func share(n int64, part, whole uint64) int64 {
	size, sign := uint64(n), int64(1)
	if n < 0 {
		size, sign = -size, -1
	}
	hi, lo := bits.Mul64(size, part)
	quotient, _ := bits.Div64(hi, lo, whole)
	return sign * int64(quotient)
}
