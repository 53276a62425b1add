// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"fmt"
	"testing"

	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/tolerationset"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

// The universe is small enough to ask Kubernetes about every taint in it, and
// large enough that tolerations with different meanings differ for some taint.

var (
	smallKeys    = []string{"", "a", "b"}
	smallValues  = []string{"", "v", "1", "3", "9223372036854775807", "-9223372036854775808"}
	smallEffects = []string{"", "NoSchedule", "NoExecute", "other"}
	smallSeconds = []int64{0, -1, 5, 9}
)

// universe returns every taint with the keys, values and effects of
// drawSmallToleration, and taints with more keys and some that no toleration names.
func universe(more ...string) []corev1.Taint {
	var all []corev1.Taint
	values := append([]string{
		"w", "0", "2", "4", "01",
		"9223372036854775806", "-9223372036854775807", "9223372036854775808",
	}, smallValues...)
	for _, key := range append(append(more, "z"), smallKeys...) {
		for _, effect := range append([]string{"PreferNoSchedule", "another"}, smallEffects...) {
			for _, value := range values {
				all = append(all, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)})
			}
		}
	}
	return all
}

func drawSmallToleration(t *rapid.T) corev1.Toleration {
	operators := []string{"Exists", "Equal", "Lt", "Gt", "", "NoSuchOperator"}
	toleration := corev1.Toleration{
		Key:      rapid.SampledFrom(smallKeys).Draw(t, "key"),
		Operator: corev1.TolerationOperator(rapid.SampledFrom(operators).Draw(t, "operator")),
		Value:    rapid.SampledFrom(smallValues).Draw(t, "value"),
		Effect:   corev1.TaintEffect(rapid.SampledFrom(smallEffects).Draw(t, "effect")),
	}
	if rapid.Bool().Draw(t, "timed") {
		seconds := rapid.SampledFrom(smallSeconds).Draw(t, "seconds")
		toleration.TolerationSeconds = &seconds
	}
	return toleration
}

// answers returns Kubernetes' answer for each taint.
func answers(tolerations []corev1.Toleration, all []corev1.Taint, comparison bool) []string {
	list := make([]string, len(all))
	for i := range all {
		list[i] = answer(tolerations, &all[i], comparison)
	}
	return list
}

// answer returns Kubernetes' answer for the taint: whether it is tolerated and,
// if that matters, for how long.
func answer(tolerations []corev1.Toleration, taint *corev1.Taint, comparison bool) string {
	first := firstMatch(tolerations, taint, comparison)
	switch {
	case first < 0:
		return "not tolerated"
	case taint.Effect != corev1.TaintEffectNoExecute:
		return "tolerated"
	}
	if after := linked.MinTolerationTime(tolerations[first : first+1]); after >= 0 {
		return fmt.Sprint("tolerated for ", after)
	}
	return "tolerated forever"
}

// Minimize changes no answer, and its result cannot be minimized further.
func TestMinimizeKeepsMeaning(t *testing.T) {
	all := universe()
	for _, mode := range modes {
		rapid.Check(t, func(t *rapid.T) {
			list := draws(t, "tolerations", 6, drawSmallToleration)
			small := tolerationset.Minimize(kube.Tolerations(list), mode.options)
			got := answers(kube.CoreTolerations(small), all, mode.comparison)
			same(t, "after Minimize", got, answers(list, all, mode.comparison))
			same(t, "Minimize once more", tolerationset.Minimize(small, mode.options), small)
		})
	}
}
