// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"slices"

	"github.com/seed-0529bac1/taints"
)

// Merge adds to base, in order, the tolerations of extra that make a difference.
// It omits one that tolerates nothing, and one whose taints a single earlier entry
// of the result tolerates, for whatever time. So base decides how long its taints
// are tolerated, and merging again changes nothing.
//
// Merge adds the defaults of a namespace to a pod, as MergeTolerations does for
// Kubernetes' PodTolerationRestriction plugin. MergeTolerations also drops
// tolerations of base that others cover, so that a default may extend the pod's
// time. To drop superfluous ones here, pass the result to [Minimize].
//
// It returns base itself if nothing is added, and otherwise a new list that shares
// the TolerationSeconds of base.
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
