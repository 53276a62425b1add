// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"slices"

	"github.com/seed-0529bac1/taints"
)

// Merge adds to base, in order, the tolerations of extra, except one that tolerates
// nothing and one whose taints a single earlier entry of the result tolerates, for
// whatever time. It returns base itself if it adds nothing, and otherwise a new list
// that shares the TolerationSeconds of base.
//
// Kubernetes' MergeTolerations also drops tolerations of base that others cover, so
// a default may extend the time of a pod.
func Merge(base, extra []taints.Toleration, o taints.Options) []taints.Toleration {
	r := rules{o}
	merged := base
	for i := range extra {
		t := &extra[i]
		if r.toleratesNothing(t) || r.firstIncluding(merged, t) >= 0 {
			continue
		}
		if len(merged) == len(base) {
			merged = slices.Grow(slices.Clip(base), len(extra)-i)
		}
		merged = append(merged, clone(*t))
	}
	return merged
}

// clone returns the toleration with its own TolerationSeconds.
func clone(t taints.Toleration) taints.Toleration {
	if t.TolerationSeconds != nil {
		seconds := *t.TolerationSeconds
		t.TolerationSeconds = &seconds
	}
	return t
}
