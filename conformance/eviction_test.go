// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"slices"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/gated"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

// kubernetesEviction returns the outcome and times of the taint-eviction
// controller: the result of processPodOnNode for the NoExecute taints of a node.
func kubernetesEviction(marks []corev1.Taint, tolerations []corev1.Toleration) taints.Eviction {
	evicting := slices.DeleteFunc(slices.Clone(marks), func(taint corev1.Taint) bool {
		return taint.Effect != corev1.TaintEffectNoExecute
	})
	if len(evicting) == 0 {
		return taints.Eviction{}
	}
	after := time.Duration(0)
	if tolerated, used := gated.GetMatchingTolerations(evicting, tolerations); tolerated {
		after = linked.MinTolerationTime(used)
	}
	switch {
	case after < 0:
		return taints.Eviction{}
	case after == 0:
		return taints.Eviction{Outcome: taints.EvictsNow, From: observed, At: observed}
	default:
		return taints.Eviction{Outcome: taints.EvictsAt, From: observed, At: observed.Add(after)}
	}
}

func TestGetMatchingTolerations(t *testing.T) {
	for _, mode := range modes {
		gated.Set(t, mode.comparison)
		rapid.Check(t, func(t *rapid.T) {
			list, tolerations, now := drawTaints(t), drawTolerations(t), observed
			ourMarks, ours := kube.Taints(list), kube.Tolerations(tolerations)
			got := mode.options.Compile(ours).EvictionOf(ourMarks, now)
			want := kubernetesEviction(list, tolerations)
			if want.Outcome != taints.Stays { // Kubernetes tells only when
				want = withPair(want, got.Taint, list, tolerations, mode.comparison)
			}
			same(t, "Matcher.EvictionOf", got, want)
			same(t, "EvictionOf under a policy", taints.EvictionPolicy{}.EvictionOf(mode.options.On(ours), ourMarks, now), got)
			if mode.comparison {
				same(t, "EvictionOf", taints.EvictionOf(kube.Taints(list), kube.Tolerations(tolerations), now), got)
				same(t, "At", taints.EvictionOf(kube.Taints(list), kube.Tolerations(tolerations), now).At, want.At)
			}
		})
	}
}

// withPair returns the eviction with what Kubernetes compares for the taint.
func withPair(
	e taints.Eviction, taint int, marks []corev1.Taint, tolerations []corev1.Toleration, comparison bool,
) taints.Eviction {
	e.Taint = taint
	if first := firstMatch(tolerations, &marks[taint], comparison); first >= 0 {
		e.Tolerated, e.Toleration, e.Seconds = true, first, *tolerations[first].TolerationSeconds
	}
	return e
}
