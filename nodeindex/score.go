// SPDX-License-Identifier: Apache-2.0

package nodeindex

// AppendScores appends a score for each node to dst and returns the extended slice
// (DefaultNormalizeScore in the kube-scheduler, where maxScore is 100). Counts are
// the nodes' numbers of untolerated PreferNoSchedule taints. The score is
//
//	maxScore - maxScore*count/largest
//
// in integers: maxScore for zero or less, and 0 for the largest. The product of
// maxScore and a number must fit an int64.
func AppendScores(dst []int64, counts []int, maxScore int64) []int64 {
	largest := 0
	for _, c := range counts {
		largest = max(largest, c)
	}
	for _, c := range counts {
		score := maxScore
		if c > 0 {
			score -= maxScore * int64(c) / int64(largest)
		}
		dst = append(dst, score)
	}
	return dst
}
