// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/gated"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

// kubernetesEviction returns the decision of the taint-eviction controller: the
// result of processPodOnNode for the NoExecute taints of a node.
func kubernetesEviction(marks []corev1.Taint, tolerations []corev1.Toleration) (taints.Outcome, time.Time) {
	var evicting []corev1.Taint
	for _, mark := range marks {
		if mark.Effect == corev1.TaintEffectNoExecute {
			evicting = append(evicting, mark)
		}
	}
	if len(evicting) == 0 {
		return taints.Stays, time.Time{}
	}
	tolerated, used := gated.GetMatchingTolerations(evicting, tolerations)
	if !tolerated {
		return taints.EvictsNow, observed
	}
	switch after := linked.MinTolerationTime(used); {
	case after < 0:
		return taints.Stays, time.Time{}
	case after == 0:
		return taints.EvictsNow, observed
	default:
		return taints.EvictsAt, observed.Add(after)
	}
}

func TestGetMatchingTolerations(t *testing.T) {
	for _, mode := range modes {
		gated.Set(t, mode.comparison)
		rapid.Check(t, func(t *rapid.T) {
			marks, tolerations := drawTaints(t), drawTolerations(t)
			ourMarks, ours := convert.Each(marks, convert.FromTaint), convert.Each(tolerations, convert.FromToleration)
			outcome, at := kubernetesEviction(marks, tolerations)
			got := mode.options.Compile(ours).EvictionOf(ourMarks, observed)
			if got.Outcome != outcome || !got.At.Equal(at) {
				t.Fatalf("Matcher.EvictionOf = %+v, Kubernetes %v, %v", got, outcome, at)
			}
			sameFrom(t, got)
			samePair(t, got, marks, tolerations, mode.comparison)
			policy := taints.EvictionPolicy{Options: mode.options}
			if again := policy.Compile(ours).EvictionOf(ourMarks, observed); again != got {
				t.Fatalf("under a policy %+v, without one %+v", again, got)
			}
			if direct := taints.EvictionOf(ourMarks, ours, observed); mode.comparison && direct != got {
				t.Fatalf("EvictionOf = %+v, Matcher.EvictionOf = %+v", direct, got)
			}
		})
	}
}

// sameFrom fails the test unless the seconds count from the observation, as they
// do in Kubernetes.
func sameFrom(t *rapid.T, e taints.Eviction) {
	if evicts := e.Outcome != taints.Stays; e.From.Equal(observed) != evicts || e.From.IsZero() == evicts {
		t.Fatalf("EvictionOf = %+v, which counts from %v", e, e.From)
	}
}

// samePair fails the test unless Kubernetes also compares the pair that decided.
func samePair(t *rapid.T, got taints.Eviction, marks []corev1.Taint, tolerations []corev1.Toleration, comparison bool) {
	if got.Outcome == taints.Stays {
		if got != (taints.Eviction{}) {
			t.Fatalf("EvictionOf = %+v for a pod that stays", got)
		}
		return
	}
	first := firstMatch(tolerations, &marks[got.Taint], comparison)
	if got.Tolerated != (first >= 0) || got.Toleration != max(first, 0) {
		t.Fatalf("EvictionOf = %+v, Kubernetes uses toleration %d", got, first)
	}
	if got.Tolerated && got.Seconds != *tolerations[got.Toleration].TolerationSeconds {
		t.Fatalf("EvictionOf = %+v, which are not the seconds of its toleration", got)
	}
}
