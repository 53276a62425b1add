// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"github.com/awslabs/operatorpkg/serrors"
	"go.uber.org/multierr"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/descheduler/pkg/utils"
	"sigs.k8s.io/karpenter/pkg/scheduling"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/measure"
	"github.com/seed-0529bac1/taints/kube"
)

const (
	karpenter   = "Karpenter"
	descheduler = "descheduler"
)

// rows are the work of the adopters' functions. Ours does what the shims of
// owntests do instead of them.
func rows() []measure.Row {
	eight, other := podTolerations(), podTolerations()
	reversed := slices.Clone(eight)
	slices.Reverse(reversed)
	other[5].Value = "web"
	return []measure.Row{
		tolerates("ToleratesPod, 3 taints × 8 tolerations", eight, 3),
		tolerates("ToleratesPod, 3 taints that a pod does not tolerate", nil, 1),
		merge(),
		ephemeral(),
		equal("2 tolerations", eight[:2], reversed[6:], true),
		equal("8 tolerations", eight, reversed, true),
		equal("8 tolerations, one with another value", eight, other, false),
	}
}

func nodeTaints() []corev1.Taint {
	return []corev1.Taint{
		{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule},
		{Key: "nvidia.com/gpu", Value: "present", Effect: corev1.TaintEffectNoSchedule},
		{Key: "spot", Effect: corev1.TaintEffectPreferNoSchedule},
	}
}

func podTolerations() []corev1.Toleration {
	seconds := int64(300)
	exists := func(key string, effect corev1.TaintEffect) corev1.Toleration {
		return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect}
	}
	list := []corev1.Toleration{
		exists(corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute),
		exists(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute),
		exists(corev1.TaintNodeMemoryPressure, corev1.TaintEffectNoSchedule),
		exists("spot", corev1.TaintEffectPreferNoSchedule),
		{Key: "team", Operator: corev1.TolerationOpEqual, Value: "vision", Effect: corev1.TaintEffectNoSchedule},
		{Key: "dedicated", Operator: corev1.TolerationOpEqual, Value: "ml", Effect: corev1.TaintEffectNoSchedule},
		exists("example.com/fpga", corev1.TaintEffectNoSchedule),
		exists("nvidia.com/gpu", corev1.TaintEffectNoSchedule),
	}
	list[0].TolerationSeconds, list[1].TolerationSeconds = &seconds, &seconds
	return list
}

func tolerates(name string, tolerations []corev1.Toleration, floor float64) measure.Row {
	list, wrong, allocs := nodeTaints(), 0, 0.0
	if tolerations == nil {
		wrong, allocs = len(list), 31 // as many as theirs
	}
	check := func(err error) { measure.MustNot(len(multierr.Errors(err)) != wrong) }
	return measure.Row{
		Name: name, Beside: karpenter, Floor: floor, Allocs: allocs,
		Ours: func() func(int) {
			return measure.Each(func() {
				var errs error
				for _, t := range taints.Untolerated(kube.Taints(list), kube.Tolerations(tolerations), taints.AllEffects) {
					errs = multierr.Append(errs, serrors.Wrap(fmt.Errorf("did not tolerate taint"), "taint", t.String()))
				}
				check(errs)
			})
		},
		Other: func() func(int) {
			pod := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: tolerations}}
			return measure.Each(func() { check(scheduling.Taints(list).ToleratesPod(pod)) })
		},
	}
}

func merge() measure.Row {
	base := append(nodeTaints(), corev1.Taint{Key: "zone", Value: "a", Effect: corev1.TaintEffectNoSchedule})
	with := []corev1.Taint{
		{Key: "dedicated", Value: "other", Effect: corev1.TaintEffectNoSchedule},
		{Key: "startup", Effect: corev1.TaintEffectNoExecute},
		{Key: "spot", Effect: corev1.TaintEffectPreferNoSchedule},
		{Key: "example.com/agent", Value: "starting", Effect: corev1.TaintEffectNoSchedule},
	}
	return measure.Row{
		Name: "Merge, 4 + 4 taints", Beside: karpenter, Floor: 1, Allocs: 1,
		Ours: func() func(int) {
			return measure.Each(func() {
				merged, _ := kube.Ensure(base, taints.Changes{Add: kube.Taints(with)})
				measure.MustNot(len(merged) != 6)
			})
		},
		Other: func() func(int) {
			return measure.Each(func() { measure.MustNot(len(scheduling.Taints(base).Merge(with)) != 6) })
		},
	}
}

func ephemeral() measure.Row {
	list := []corev1.Taint{
		{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule},
		{Key: "node.cloudprovider.kubernetes.io/uninitialized", Value: "true", Effect: corev1.TaintEffectNoSchedule},
		{Key: "readiness.k8s.io/network", Effect: corev1.TaintEffectNoSchedule},
	}
	list = append(list, nodeTaints()...)
	return measure.Row{
		Name: "IsKnownEphemeralTaint, for 3 taints that are and 3 that are not", Beside: karpenter, Floor: 0.9,
		Ours: func() func(int) {
			known := taints.Options{KeyWildcards: true}.Compile(
				taints.TolerationsFor(kube.Taints(scheduling.KnownEphemeralTaints)...),
				taints.TolerationsFor(wildcards(scheduling.KnownEphemeralTaintKeyPrefixes)...),
			)
			return measure.Each(func() { measure.MustNot(lasting(known, list) != 3) })
		},
		Other: func() func(int) {
			return measure.Each(func() {
				n := 0
				for i := range list {
					if !scheduling.IsKnownEphemeralTaint(&list[i]) {
						n++
					}
				}
				measure.MustNot(n != 3)
			})
		},
	}
}

// wildcards returns a taint for each prefix, whose key stands for those with the prefix.
func wildcards(prefixes []string) (list []taints.Taint) {
	for _, prefix := range prefixes {
		list = append(list, taints.Taint{Key: prefix + "*"})
	}
	return list
}

// lasting counts the taints that are not known to be temporary.
func lasting(known *taints.Matcher, list []corev1.Taint) (n int) {
	for range known.Untolerated(kube.Taints(list), taints.AllEffects) {
		n++
	}
	return n
}

// tolerationsEqual is the function of docs/adopting.md.
func tolerationsEqual(a, b []corev1.Toleration) bool {
	return slices.Equal(sortedIDs(a), sortedIDs(b))
}

func sortedIDs(list []corev1.Toleration) (ids []taints.TolerationID) {
	sorted := slices.SortedFunc(slices.Values(kube.Tolerations(list)), taints.Toleration.Compare)
	for i := range sorted {
		ids = append(ids, sorted[i].ID())
	}
	return slices.Compact(ids)
}

// equal compares two lists, which are equal or not.
func equal(name string, a, b []corev1.Toleration, want bool) measure.Row {
	return measure.Row{
		Name: "TolerationsEqual, " + name, Beside: descheduler, Floor: 1,
		Ours: func() func(int) {
			return measure.Each(func() {
				measure.MustNot(want != tolerationsEqual(a, b))
			})
		},
		Other: func() func(int) {
			return measure.Each(func() { measure.MustNot(want != utils.TolerationsEqual(a, b)) })
		},
	}
}
