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

// rows are the work of the adopters' functions. Ours does what the shims of
// owntests do instead of them.
func rows() []measure.Row {
	row := func(name, beside string, floor float64, allocs int64, ours, theirs func()) measure.Row {
		return measure.Row{
			Name: name, Beside: beside, Floor: floor, Allocs: allocs,
			Ours: measure.Each(ours), Theirs: measure.Each(theirs),
		}
	}
	equal := func(name string, a, b []corev1.Toleration, want bool) measure.Row {
		return row("TolerationsEqual, "+name, "descheduler", 1, 2,
			func() { measure.Must(tolerationsEqual(a, b) == want) },
			func() { measure.Must(utils.TolerationsEqual(a, b) == want) })
	}
	tolerates := func(name string, pod []corev1.Toleration, floor float64, allocs int64, untolerated int) measure.Row {
		return row("ToleratesPod, "+name, "Karpenter", floor, allocs,
			func() { measure.Must(len(multierr.Errors(toleratesPod(node, pod))) == untolerated) },
			func() {
				theirs := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: pod}}
				measure.Must(len(multierr.Errors(scheduling.Taints(node).ToleratesPod(theirs))) == untolerated)
			})
	}
	reversed, other := slices.Clone(pod), slices.Clone(pod)
	slices.Reverse(reversed)
	other[5].Value = "web"
	return []measure.Row{
		tolerates("3 taints × 8 tolerations", pod, 3, 0, 0),
		tolerates("3 taints that a pod does not tolerate", nil, 1, 31, 3), // as many allocations as theirs
		row("Merge, 4 + 4 taints", "Karpenter", 1, 1, func() {
			merged, _ := kube.Ensure(four, taints.Changes{Add: kube.Taints(added)})
			measure.Must(len(merged) == 6)
		}, func() { measure.Must(len(scheduling.Taints(four).Merge(added)) == 6) }),
		row("IsKnownEphemeralTaint, for 3 taints that are and 3 that are not", "Karpenter", 0.9, 0, func() {
			n := 0
			for range known.Untolerated(kube.Taints(starting), taints.AllEffects) {
				n++
			}
			measure.Must(n == 3)
		}, func() {
			n := 0
			for i := range starting {
				if !scheduling.IsKnownEphemeralTaint(&starting[i]) {
					n++
				}
			}
			measure.Must(n == 3)
		}),
		equal("2 tolerations", pod[:2], reversed[6:], true),
		equal("8 tolerations", pod, reversed, true),
		equal("8 tolerations, one with another value", pod, other, false),
	}
}

var (
	node  = nodeTaints("dedicated=ml:NoSchedule", "nvidia.com/gpu=present:NoSchedule", "spot:PreferNoSchedule")
	four  = append(nodeTaints("zone=a:NoSchedule"), node...)
	added = nodeTaints("dedicated=other:NoSchedule", "startup:NoExecute", "spot:PreferNoSchedule",
		"example.com/agent=starting:NoSchedule")
	starting = append(nodeTaints("node.kubernetes.io/not-ready:NoSchedule",
		"node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule", "readiness.k8s.io/network:NoSchedule"), node...)
	pod = podTolerations(
		"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s",
		"node.kubernetes.io/unreachable:NoExecute op=Exists for 300s",
		"node.kubernetes.io/memory-pressure:NoSchedule op=Exists",
		"spot:PreferNoSchedule op=Exists",
		"team=vision:NoSchedule op=Equal",
		"dedicated=ml:NoSchedule op=Equal",
		"example.com/fpga:NoSchedule op=Exists",
		"nvidia.com/gpu:NoSchedule op=Exists",
	)

	known = taints.Options{KeyWildcards: true}.Compile(
		taints.TolerationsFor(kube.Taints(scheduling.KnownEphemeralTaints)...),
		taints.TolerationsFor(wildcards(scheduling.KnownEphemeralTaintKeyPrefixes)...),
	)
)

func nodeTaints(texts ...string) []corev1.Taint {
	var list []taints.Taint
	for _, text := range texts {
		list = append(list, taints.Must(taints.ParseTaint(text)))
	}
	return kube.CoreTaints(list)
}

func podTolerations(texts ...string) []corev1.Toleration {
	var list []taints.Toleration
	for _, text := range texts {
		list = append(list, taints.Must(taints.ParseToleration(text)))
	}
	return kube.CoreTolerations(list)
}

// toleratesPod is the function of docs/adopting.md.
func toleratesPod(node []corev1.Taint, pod []corev1.Toleration) (errs error) {
	for _, t := range taints.Untolerated(kube.Taints(node), kube.Tolerations(pod), taints.AllEffects) {
		errs = multierr.Append(errs, serrors.Wrap(fmt.Errorf("did not tolerate taint"), "taint", t.String()))
	}
	return errs
}

// wildcards returns a taint for each prefix, whose key stands for those with the prefix.
func wildcards(prefixes []string) (list []taints.Taint) {
	for _, prefix := range prefixes {
		list = append(list, taints.Taint{Key: prefix + "*"})
	}
	return list
}

// tolerationsEqual is the function of docs/adopting.md.
func tolerationsEqual(a, b []corev1.Toleration) bool {
	return slices.EqualFunc(unique(a), unique(b), sameID)
}

func unique(list []corev1.Toleration) []taints.Toleration {
	sorted := slices.Clone(kube.Tolerations(list))
	slices.SortFunc(sorted, taints.Toleration.Compare)
	return slices.CompactFunc(sorted, sameID)
}

func sameID(t, u taints.Toleration) bool { return t.ID() == u.ID() }
