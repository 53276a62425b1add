package conformance

import (
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/features"
	"pgregory.net/rapid"
)

// observed is when the controller sees the taints.
var observed = time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)

// kubernetesEviction is what the taint-eviction controller decides: processPodOnNode over the NoExecute taints of a node.
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
	tolerated, used := v1helper.GetMatchingTolerations(quiet, evicting, tolerations)
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
		featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.TaintTolerationComparisonOperators, mode.comparison)
		rapid.Check(t, func(t *rapid.T) {
			marks, tolerations := drawTaints(t), drawTolerations(t)
			ourMarks, ours := convert.Each(marks, convert.FromTaint), convert.Each(tolerations, convert.FromToleration)
			outcome, at := kubernetesEviction(marks, tolerations)
			got := taints.EvictionPolicy{}.Evict(mode.options.Compile(ours), ourMarks, observed)
			if got.Outcome != outcome || !got.At.Equal(at) {
				t.Fatalf("EvictionPolicy.Evict = %+v, Kubernetes %v, %v", got, outcome, at)
			}
			samePair(t, got, marks, tolerations, mode.comparison)
			if direct := taints.Evict(ourMarks, ours, observed); mode.comparison && direct != got {
				t.Fatalf("Evict = %+v, EvictionPolicy.Evict = %+v", direct, got)
			}
		})
	}
}

// samePair fails the test unless the pair that decided is one that Kubernetes looks at.
func samePair(t *rapid.T, got taints.Eviction, marks []corev1.Taint, tolerations []corev1.Toleration, comparison bool) {
	if got.Outcome == taints.Stays {
		if got.Taint != -1 || got.Toleration != -1 {
			t.Fatalf("Evict = %+v for a pod that stays", got)
		}
		return
	}
	if first := firstMatch(tolerations, &marks[got.Taint], comparison); got.Toleration != first {
		t.Fatalf("Evict = %+v, Kubernetes uses toleration %d", got, first)
	}
	if got.Toleration >= 0 && got.Seconds != *tolerations[got.Toleration].TolerationSeconds {
		t.Fatalf("Evict = %+v, which are not the seconds of its toleration", got)
	}
}
