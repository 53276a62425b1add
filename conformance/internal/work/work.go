// SPDX-License-Identifier: Apache-2.0

// Package work defines the work that both the library and Kubernetes' code
// do, on the same input, for benchmarks that compare them.
package work

import (
	"runtime"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	corehelper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	plugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
	taintutils "k8s.io/kubernetes/pkg/util/taints"
	merging "k8s.io/kubernetes/pkg/util/tolerations"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	"github.com/seed-0529bac1/taints/internal/measure"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// The input is a GPU node and a pod with the usual eight tolerations. The pod
// tolerates the node.
var (
	nodeTaints = []corev1.Taint{
		{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule},
		{Key: "nvidia.com/gpu", Value: "present", Effect: corev1.TaintEffectNoSchedule},
		{Key: "sla.example.com/failure-score", Value: "40", Effect: corev1.TaintEffectNoSchedule},
	}
	podTolerations = []corev1.Toleration{
		{
			Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists,
			Effect: corev1.TaintEffectNoExecute, TolerationSeconds: seconds(300),
		},
		{
			Key: "node.kubernetes.io/unreachable", Operator: corev1.TolerationOpExists,
			Effect: corev1.TaintEffectNoExecute, TolerationSeconds: seconds(300),
		},
		{
			Key: "node.kubernetes.io/memory-pressure", Operator: corev1.TolerationOpExists,
			Effect: corev1.TaintEffectNoSchedule,
		},
		{
			Key: "sla.example.com/failure-score", Operator: corev1.TolerationOpLt, Value: "60",
			Effect: corev1.TaintEffectNoSchedule,
		},
		{Key: "team", Operator: corev1.TolerationOpEqual, Value: "vision", Effect: corev1.TaintEffectNoSchedule},
		{Key: "dedicated", Operator: corev1.TolerationOpEqual, Value: "ml", Effect: corev1.TaintEffectNoSchedule},
		{Key: "example.com/fpga", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
		{Key: "nvidia.com/gpu", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	}
	failedNode = []corev1.Taint{
		{Key: "node.kubernetes.io/not-ready", Effect: corev1.TaintEffectNoExecute},
		{Key: "node.kubernetes.io/unreachable", Effect: corev1.TaintEffectNoExecute},
	}
	specs = []string{
		"dedicated=ml:NoSchedule",
		"nvidia.com/gpu=present:NoSchedule",
		"cloud.example.com/spot:PreferNoSchedule",
	}
)

func seconds(s int64) *int64 { return &s }

// Kubernetes and plainLoop name the code that the library is compared with.
const (
	Kubernetes = "Kubernetes"
	plainLoop  = "a plain loop"
)

// Rows returns the work for which the contract's performance budget sets a speed.
func Rows() []measure.Row {
	return slices.Concat(rows,
		indexRows(20, "40 % tainted in 20 ways", 10_000), indexRows(10_000, "in 10,000 ways", 2_000), hostileRows())
}

// rows are the work on single nodes and pods.
var rows = []measure.Row{
	{
		Name: "first untolerated hard taint, 3 taints × 8 tolerations, one-shot", Beside: Kubernetes, Floor: 10,
		Ours: func() func(int) {
			list, tols := list(), tolerations()
			return measure.Each(func() {
				_, found := taints.FindUntolerated(list, tols, taints.Hard)
				measure.MustNot(found)
			})
		},
		Other: filterInKubernetes,
	},
	{
		Name: "the same, compiled", Beside: Kubernetes, Floor: 20,
		Ours: func() func(int) {
			list, m := list(), taints.Compile(tolerations())
			return measure.Each(func() {
				_, found := m.FindUntolerated(list, taints.Hard)
				measure.MustNot(found)
			})
		},
		Other: filterInKubernetes,
	},
	{
		Name: "compile 8 tolerations; Kubernetes: filter one node", Beside: Kubernetes, Floor: 0.7, Allocs: 3,
		Ours: compile, Other: filterInKubernetes,
	},
	{
		Name: "compile 8 tolerations, on one processor; Kubernetes: filter one node", Beside: Kubernetes, Floor: 1, Allocs: 3,
		Ours: onOneProcessor(compile), Other: onOneProcessor(filterInKubernetes),
	},
	{
		Name: "validate 8 tolerations", Beside: Kubernetes, Floor: 30,
		Ours: func() func(int) {
			tols := tolerations()
			return measure.Each(func() { measure.MustNot(taints.ValidateTolerations(tols) != nil) })
		},
		Other: func() func(int) {
			internal := convert.ToCoreTolerations(podTolerations)
			path := field.NewPath("spec", "tolerations")
			options := validation.PodValidationOptions{AllowTaintTolerationComparisonOperators: true}
			return measure.Each(func() { measure.MustNot(len(validation.ValidateTolerations(internal, path, options)) > 0) })
		},
	},
	{
		Name: "parse 3 kubectl specs", Beside: Kubernetes, Floor: 20,
		Ours: func() func(int) {
			return measure.Each(func() {
				for _, spec := range specs {
					_, err := taints.ParseTaint(spec)
					measure.MustNot(err != nil)
				}
			})
		},
		Other: func() func(int) {
			return measure.Each(func() {
				_, _, err := taintutils.ParseTaints(specs)
				measure.MustNot(err != nil)
			})
		},
	},
	{
		Name: "eviction deadline, 2 NoExecute taints × 8 tolerations", Beside: Kubernetes, Floor: 6,
		Ours: evictOnce, Other: evictInKubernetes,
	},
	{
		Name: "eviction deadline, compiled", Beside: Kubernetes, Floor: 6,
		Ours: evictByMatcher, Other: evictInKubernetes,
	},
	{
		Name: "merge 4 + 4 tolerations", Beside: Kubernetes, Floor: 30, Allocs: 1,
		Ours: func() func(int) {
			tols := tolerations()
			return measure.Each(func() { measure.MustNot(len(tolerationset.Merge(tols[:4], tols[4:], zero)) != 8) })
		},
		Other: func() func(int) {
			internal := convert.ToCoreTolerations(podTolerations)
			// No spare capacity, because MergeTolerations writes past the base.
			return measure.Each(func() { measure.MustNot(len(merging.MergeTolerations(internal[:4:4], internal[4:])) != 8) })
		},
	},
	{
		Name: "print a taint", Beside: Kubernetes, Floor: 2.5, Allocs: 1,
		Ours: func() func(int) {
			t := list()[1]
			return measure.Each(func() { keep(t.String()) })
		},
		Other: func() func(int) { return measure.Each(func() { keep(nodeTaints[1].ToString()) }) },
	},
	{
		Name: "print a taint into a buffer", Beside: Kubernetes, Floor: 15,
		Ours: func() func(int) {
			t, buf := list()[1], make([]byte, 0, 128)
			return measure.Each(func() { buf = t.AppendTo(buf[:0]) })
		},
		Other: func() func(int) {
			buf := make([]byte, 0, 128)
			return measure.Each(func() { buf = append(buf[:0], nodeTaints[1].ToString()...) })
		},
	},
	{
		Name: "a node without taints, one-shot", Beside: Kubernetes, Floor: 1,
		Ours: func() func(int) {
			tols := tolerations()
			return func(n int) {
				for range n {
					_, found := taints.FindUntolerated(noTaints, tols, taints.Hard)
					measure.MustNot(found)
				}
			}
		},
		Other: filterNothingInKubernetes,
	},
	{
		Name: "a node without taints, compiled", Beside: Kubernetes, Floor: 1,
		Ours: func() func(int) {
			m := taints.Compile(tolerations())
			return func(n int) {
				for range n {
					_, found := m.FindUntolerated(noTaints, taints.Hard)
					measure.MustNot(found)
				}
			}
		},
		Other: filterNothingInKubernetes,
	},
	{
		Name: "eviction deadline, compiled; the other: one-shot", Beside: "the one-shot form", Floor: 1,
		Ours: evictByMatcher, Other: evictOnce,
	},
	inSync("Reconcile", func(list []taints.Taint) taints.Changes { return taints.Reconcile(list, list, list) }),
	inSync("ReconcileOwned", func(list []taints.Taint) taints.Changes {
		return taints.ReconcileOwned(list, identities, list)
	}),
	coversNot("by key", "b op=Exists"), coversNot("by value", "a=5 op=Gt"),
}

func list() []taints.Taint { return kube.Taints(nodeTaints) }

func tolerations() []taints.Toleration { return kube.Tolerations(podTolerations) }

func compile() func(n int) {
	tols := tolerations()
	return measure.Each(func() { measure.MustNot(taints.Compile(tols) == nil) })
}

// onOneProcessor lets the process use one processor only, so that its time does
// not include the collector's workers that run because a processor is idle.
func onOneProcessor(side measure.Side) measure.Side {
	return func() func(int) {
		runtime.GOMAXPROCS(1)
		return side()
	}
}

// filterInKubernetes is the TaintToleration plugin's Filter.
func filterInKubernetes() func(n int) {
	logger := klog.Background()
	return measure.Each(func() {
		_, found := helper.FindMatchingUntoleratedTaint(logger, nodeTaints, podTolerations,
			plugins.DoNotScheduleTaintsFilterFunc(), true)
		measure.MustNot(found)
	})
}

// filterNothingInKubernetes is the TaintToleration plugin's Filter for a node
// without taints: a loop with nothing to do.
func filterNothingInKubernetes() func(n int) {
	logger := klog.Background()
	return func(n int) {
		for range n {
			_, found := helper.FindMatchingUntoleratedTaint(logger, nil, podTolerations,
				plugins.DoNotScheduleTaintsFilterFunc(), true)
			measure.MustNot(found)
		}
	}
}

var (
	noTaints = []taints.Taint{}
	zero     taints.Options
)

// coversNot compares calls of Covers that return false and true.
func coversNot(why, other string) measure.Row {
	t, yes := taints.Must(taints.ParseToleration("a=7 op=Gt")), taints.Must(taints.ParseToleration("a=9 op=Gt"))
	no := taints.Must(taints.ParseToleration(other))
	return measure.Row{
		Name: "Covers says no " + why, Beside: "Covers says yes", Floor: 0.9,
		Ours:  func() func(int) { return measure.Each(func() { measure.MustNot(tolerationset.Covers(t, no, zero)) }) },
		Other: func() func(int) { return measure.Each(func() { measure.MustNot(!tolerationset.Covers(t, yes, zero)) }) },
	}
}

var now = time.Now()

func evictOnce() func(int) {
	list, tols := kube.Taints(failedNode), tolerations()
	return measure.Each(func() { measure.MustNot(taints.EvictionOf(list, tols, now).Outcome != taints.EvictsAt) })
}

func evictByMatcher() func(int) {
	list, m := kube.Taints(failedNode), taints.Compile(tolerations())
	return measure.Each(func() { measure.MustNot(m.EvictionOf(list, now).Outcome != taints.EvictsAt) })
}

func evictInKubernetes() func(int) {
	logger := klog.Background()
	return measure.Each(func() {
		ok, used := corehelper.GetMatchingTolerations(logger, failedNode, podTolerations)
		measure.MustNot(!ok || !now.Add(linked.MinTolerationTime(used)).After(now))
	})
}

var identities = taints.Removal(list()...).Remove

// inSync compares a reconciliation that finds nothing to do with Apply of the same
// taints.
func inSync(name string, reconcile func([]taints.Taint) taints.Changes) measure.Row {
	return measure.Row{
		Name: name + ", a node in sync with 3 taints", Beside: "Apply of the taints", Floor: 0.8,
		Ours: func() func(int) {
			list := list()
			return measure.Each(func() { measure.MustNot(!reconcile(list).IsZero()) })
		},
		Other: func() func(int) {
			list, c := list(), taints.Changes{Add: list()}
			return measure.Each(func() {
				_, changed := c.Apply(list)
				measure.MustNot(changed)
			})
		},
	}
}

// keep prevents the compiler from optimizing away the work that made s.
//
//go:noinline
func keep(s string) { measure.MustNot(s == "") }
