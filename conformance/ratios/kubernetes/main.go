// SPDX-License-Identifier: Apache-2.0

// Kubernetes does the side of Kubernetes' code of the work. Command ratios runs it.
package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	corehelper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	plugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
	taintutils "k8s.io/kubernetes/pkg/util/taints"
	merging "k8s.io/kubernetes/pkg/util/tolerations"

	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	"github.com/seed-0529bac1/taints/conformance/internal/work"
	"github.com/seed-0529bac1/taints/internal/test/measure"
	"github.com/seed-0529bac1/taints/kube"
)

func main() { measure.Main(work.Rows(others), queue) }

var others = work.Others{
	Filter:        func() func(int) { return filter(nodeTaints) },
	FilterNothing: func() func(int) { return filter(nil) },
	Validate: func() func(int) {
		internal := convert.ToCoreTolerations(podTolerations)
		path := field.NewPath("spec", "tolerations")
		options := validation.PodValidationOptions{AllowTaintTolerationComparisonOperators: true}
		return measure.Each(func() { measure.MustNot(len(validation.ValidateTolerations(internal, path, options)) > 0) })
	},
	Parse: func() func(int) {
		return measure.Each(func() {
			_, _, err := taintutils.ParseTaints(work.Specs)
			measure.MustNot(err != nil)
		})
	},
	Evict: func() func(int) {
		failedNode := kube.CoreTaints(work.FailedNode)
		return measure.Each(func() {
			ok, used := corehelper.GetMatchingTolerations(logger, failedNode, podTolerations)
			measure.MustNot(!ok || !work.Now.Add(linked.MinTolerationTime(used)).After(work.Now))
		})
	},
	Merge: func() func(int) {
		internal := convert.ToCoreTolerations(podTolerations)
		// No spare capacity, because MergeTolerations writes past the base.
		return measure.Each(func() { measure.MustNot(len(merging.MergeTolerations(internal[:4:4], internal[4:])) != 8) })
	},
	Print: func() func(int) { return measure.Each(func() { work.Keep(nodeTaints[1].ToString()) }) },
	AppendTo: func() func(int) {
		buf := make([]byte, 0, 128)
		return measure.Each(func() { buf = append(buf[:0], nodeTaints[1].ToString()...) })
	},
	Feasible: feasible,
}

var (
	nodeTaints     = kube.CoreTaints(work.NodeTaints)
	podTolerations = kube.CoreTolerations(work.PodTolerations)
	logger         = klog.Background()
)

// filter is the TaintToleration plugin's Filter. Without taints, it is a loop with
// nothing to do.
func filter(list []corev1.Taint) func(n int) {
	return func(n int) {
		for range n {
			_, found := helper.FindMatchingUntoleratedTaint(logger, list, podTolerations,
				plugins.DoNotScheduleTaintsFilterFunc(), true)
			measure.MustNot(found)
		}
	}
}

// feasible filters each node, because Kubernetes has no index of nodes.
func feasible(c *work.Cluster) func(n int) {
	pod := kube.CoreTolerations(work.EightThings)
	sets := make([][]corev1.Taint, len(c.Sets))
	for i, set := range c.Sets {
		sets[i] = kube.CoreTaints(set)
	}
	var found []string
	return measure.Each(func() {
		found = found[:0]
		for i, name := range c.Names {
			if _, repels := helper.FindMatchingUntoleratedTaint(logger, work.Of(sets, i), pod,
				plugins.DoNotScheduleTaintsFilterFunc(), true); !repels {
				found = append(found, name)
			}
		}
		measure.MustNot(len(found) < len(c.Names)/2)
	})
}
