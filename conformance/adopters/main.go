// SPDX-License-Identifier: Apache-2.0

// Adopters compares the speed of the library with that of the projects that
// could use it. Command ratios runs it.
package main

import (
	"slices"

	"go.uber.org/multierr"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/descheduler/pkg/utils"
	"sigs.k8s.io/karpenter/pkg/scheduling"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/measure"
	"github.com/seed-0529bac1/taints/kube"
)

func main() { measure.Main(rows()) }

// rows are the work of the adopters' functions. Ours does what the shims of
// owntests do instead of them.
func rows() []measure.Row {
	tolerates := func(name string, pod []corev1.Toleration, floor float64, allocs int64, untolerated int) measure.Row {
		theirs := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: pod}}
		return measure.Beside("Karpenter", "ToleratesPod, "+name, floor, allocs, measure.Each(func() {
			measure.Must(len(multierr.Errors(toleratesPod(node, pod))) == untolerated)
		}), measure.Each(func() {
			measure.Must(len(multierr.Errors(scheduling.Taints(node).ToleratesPod(theirs))) == untolerated)
		}))
	}
	equal := func(name string, a, b []corev1.Toleration, want bool) measure.Row {
		return measure.Beside("descheduler", "TolerationsEqual, "+name, 1, 2,
			measure.Each(func() { measure.Must(tolerationsEqual(a, b) == want) }),
			measure.Each(func() { measure.Must(utils.TolerationsEqual(a, b) == want) }))
	}
	reversed, other := slices.Clone(pod), slices.Clone(pod)
	slices.Reverse(reversed)
	other[5].Value = "web"
	return []measure.Row{
		tolerates("3 taints × 8 tolerations", pod, 3, 0, 0),
		tolerates("3 taints that a pod does not tolerate", nil, 1, 31, 3), // as many allocations as theirs
		measure.Beside("Karpenter", "Merge, 4 + 4 taints", 1, 1, measure.Each(func() {
			merged, _ := kube.Ensure(four, taints.Changes{Add: kube.Taints(added)})
			measure.Must(len(merged) == 6)
		}), measure.Each(func() { measure.Must(len(scheduling.Taints(four).Merge(added)) == 6) })),
		measure.Beside("Karpenter", "IsKnownEphemeralTaint, for 3 taints that are and 3 that are not", 0.9, 0, measure.Each(func() {
			n := 0
			for range known.Untolerated(kube.Taints(starting), taints.AllEffects) {
				n++
			}
			measure.Must(n == 3)
		}), measure.Each(func() {
			n := 0
			for i := range starting {
				if !scheduling.IsKnownEphemeralTaint(&starting[i]) {
					n++
				}
			}
			measure.Must(n == 3)
		})),
		equal("2 tolerations", pod[:2], reversed[6:], true),
		equal("8 tolerations", pod, reversed, true),
		equal("8 tolerations, one with another value", pod, other, false),
	}
}

var (
	node  = kube.CoreTaints(test.Taints("dedicated=ml:NoSchedule nvidia.com/gpu=present:NoSchedule spot:PreferNoSchedule"))
	four  = append(kube.CoreTaints(test.Taints("zone=a:NoSchedule")), node...)
	added = kube.CoreTaints(test.Taints(
		"dedicated=other:NoSchedule startup:NoExecute spot:PreferNoSchedule example.com/agent=starting:NoSchedule",
	))
	starting = append(kube.CoreTaints(test.Taints("node.kubernetes.io/not-ready:NoSchedule",
		"node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule", "readiness.k8s.io/network:NoSchedule")), node...)
	pod = kube.CoreTolerations(test.Tolerations(
		"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s",
		"node.kubernetes.io/unreachable:NoExecute op=Exists for 300s",
		"node.kubernetes.io/memory-pressure:NoSchedule op=Exists", "spot:PreferNoSchedule op=Exists",
		"team=vision:NoSchedule op=Equal", "dedicated=ml:NoSchedule op=Equal",
		"example.com/fpga:NoSchedule op=Exists", "nvidia.com/gpu:NoSchedule op=Exists",
	))
)
