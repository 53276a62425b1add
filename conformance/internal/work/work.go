// SPDX-License-Identifier: Apache-2.0

// Package work has the work that the library and Kubernetes' own code both do, on
// the same input, for benchmarks that hold one beside the other.
package work

import (
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
	"github.com/seed-0529bac1/taints/tolerationset"
)

// A Row is one piece of work, done in two ways.
type Row struct {
	Name string
	// Beside is whose way Other is: Kubernetes', or that of a plain loop.
	Beside string
	// Floor is how many times faster the library is to be, at the least.
	Floor float64
	// Allocs is how many allocations the library may make for one piece, at the
	// most.
	Allocs float64
	// Ours and Other make the data of their side, and return what does the work
	// n times.
	Ours, Other Side
}

// A Side makes its data and returns what does a piece of work n times.
type Side func() func(n int)

// each returns what does the work n times.
func each(work func()) func(n int) {
	return func(n int) {
		for range n {
			work()
		}
	}
}

// The input: a GPU node, and a pod with the usual eight tolerations, which
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

// Kubernetes and PlainLoop say whose way the library's is held beside.
const (
	Kubernetes = "Kubernetes"
	PlainLoop  = "a plain loop"
)

// Rows returns the work of which the contract's performance budget says how fast
// it is to be.
func Rows() []Row {
	rows := []Row{
		filterOnce(), filterCompiled(), compile(), validate(), parse(), evict(), merge(), print(), appendTo(),
		withoutTaints(), withoutTaintsCompiled(),
		coversNot("by key", "b op=Exists"), coversNot("by value", "a=5 op=Gt"),
	}
	rows = append(rows, indexRows(20, "40 % tainted in 20 ways")...)
	rows = append(rows, indexRows(10_000, "in 10,000 ways")...)
	return append(rows, hostileRows()...)
}

func list() []taints.Taint { return convert.Each(nodeTaints, convert.FromTaint) }

func tolerations() []taints.Toleration { return convert.Each(podTolerations, convert.FromToleration) }

func filterOnce() Row {
	return Row{
		Name: "first untolerated hard taint, 3 taints × 8 tolerations, one-shot", Beside: Kubernetes, Floor: 10,
		Ours: func() func(int) {
			list, tols := list(), tolerations()
			return each(func() {
				_, found := taints.FindUntolerated(list, tols, taints.Hard)
				mustNot(found)
			})
		},
		Other: filterInKubernetes,
	}
}

func filterCompiled() Row {
	return Row{
		Name: "the same, compiled", Beside: Kubernetes, Floor: 20,
		Ours: func() func(int) {
			list, m := list(), taints.Compile(tolerations())
			return each(func() {
				_, found := m.FindUntolerated(list, taints.Hard)
				mustNot(found)
			})
		},
		Other: filterInKubernetes,
	}
}

func compile() Row {
	return Row{
		Name: "compile 8 tolerations; Kubernetes: filter one node", Beside: Kubernetes, Floor: 1, Allocs: 3,
		Ours: func() func(int) {
			tols := tolerations()
			return each(func() { mustNot(taints.Compile(tols) == nil) })
		},
		Other: filterInKubernetes,
	}
}

// filterInKubernetes is the TaintToleration plugin's Filter.
func filterInKubernetes() func(n int) {
	logger := klog.Background()
	return each(func() {
		_, found := helper.FindMatchingUntoleratedTaint(logger, nodeTaints, podTolerations,
			plugins.DoNotScheduleTaintsFilterFunc(), true)
		mustNot(found)
	})
}

func withoutTaints() Row {
	return Row{
		Name: "a node without taints, one-shot", Beside: Kubernetes, Floor: 1,
		Ours: func() func(int) {
			tols := tolerations()
			return func(n int) {
				for range n {
					_, found := taints.FindUntolerated(noTaints, tols, taints.Hard)
					mustNot(found)
				}
			}
		},
		Other: filterNothingInKubernetes,
	}
}

func withoutTaintsCompiled() Row {
	return Row{
		Name: "a node without taints, compiled", Beside: Kubernetes, Floor: 1,
		Ours: func() func(int) {
			m := taints.Compile(tolerations())
			return func(n int) {
				for range n {
					_, found := m.FindUntolerated(noTaints, taints.Hard)
					mustNot(found)
				}
			}
		},
		Other: filterNothingInKubernetes,
	}
}

// filterNothingInKubernetes is the TaintToleration plugin's Filter for a node
// without taints: a loop that finds nothing to do.
func filterNothingInKubernetes() func(n int) {
	logger := klog.Background()
	return func(n int) {
		for range n {
			_, found := helper.FindMatchingUntoleratedTaint(logger, nil, podTolerations,
				plugins.DoNotScheduleTaintsFilterFunc(), true)
			mustNot(found)
		}
	}
}

var (
	noTaints = []taints.Taint{}
	zero     taints.Options
)

// coversNot compares a no of Covers with a yes.
func coversNot(why, other string) Row {
	t, yes := taints.MustParseToleration("a=7 op=Gt"), taints.MustParseToleration("a=9 op=Gt")
	no := taints.MustParseToleration(other)
	return Row{
		Name: "Covers says no " + why, Beside: "Covers says yes", Floor: 0.9,
		Ours:  func() func(int) { return each(func() { mustNot(tolerationset.Covers(t, no, zero)) }) },
		Other: func() func(int) { return each(func() { mustNot(!tolerationset.Covers(t, yes, zero)) }) },
	}
}

func validate() Row {
	return Row{
		Name: "validate 8 tolerations", Beside: Kubernetes, Floor: 30,
		Ours: func() func(int) {
			tols := tolerations()
			return each(func() { mustNot(taints.ValidateTolerations(tols) != nil) })
		},
		Other: func() func(int) {
			internal := convert.Each(podTolerations, convert.ToCoreToleration)
			path := field.NewPath("spec", "tolerations")
			options := validation.PodValidationOptions{AllowTaintTolerationComparisonOperators: true}
			return each(func() { mustNot(len(validation.ValidateTolerations(internal, path, options)) > 0) })
		},
	}
}

func parse() Row {
	return Row{
		Name: "parse 3 kubectl specs", Beside: Kubernetes, Floor: 20,
		Ours: func() func(int) {
			return each(func() {
				for _, spec := range specs {
					_, err := taints.ParseTaint(spec)
					mustNot(err != nil)
				}
			})
		},
		Other: func() func(int) {
			return each(func() {
				_, _, err := taintutils.ParseTaints(specs)
				mustNot(err != nil)
			})
		},
	}
}

func evict() Row {
	now := time.Now()
	return Row{
		Name: "eviction deadline, 2 NoExecute taints × 8 tolerations", Beside: Kubernetes, Floor: 6,
		Ours: func() func(int) {
			list, tols := convert.Each(failedNode, convert.FromTaint), tolerations()
			return each(func() { mustNot(taints.EvictionOf(list, tols, now).Outcome != taints.EvictsAt) })
		},
		Other: func() func(int) {
			logger := klog.Background()
			return each(func() {
				ok, used := corehelper.GetMatchingTolerations(logger, failedNode, podTolerations)
				mustNot(!ok || !now.Add(linked.MinTolerationTime(used)).After(now))
			})
		},
	}
}

func merge() Row {
	return Row{
		Name: "merge 4 + 4 tolerations", Beside: Kubernetes, Floor: 50, Allocs: 1,
		Ours: func() func(int) {
			tols := tolerations()
			return each(func() { mustNot(len(tolerationset.Merge(tols[:4], tols[4:], zero)) != 8) })
		},
		Other: func() func(int) {
			internal := convert.Each(podTolerations, convert.ToCoreToleration)
			// Without room behind the first four, as MergeTolerations writes there.
			return each(func() { mustNot(len(merging.MergeTolerations(internal[:4:4], internal[4:])) != 8) })
		},
	}
}

func print() Row {
	t, k := convert.FromTaint(nodeTaints[1]), nodeTaints[1]
	return Row{
		Name: "print a taint", Beside: Kubernetes, Floor: 4, Allocs: 1,
		Ours:  func() func(int) { return each(func() { keep(t.String()) }) },
		Other: func() func(int) { return each(func() { keep(k.ToString()) }) },
	}
}

func appendTo() Row {
	t, k, buf := convert.FromTaint(nodeTaints[1]), nodeTaints[1], make([]byte, 0, 128)
	return Row{
		Name: "print a taint into a buffer", Beside: Kubernetes, Floor: 15,
		Ours:  func() func(int) { return each(func() { buf = t.AppendTo(buf[:0]) }) },
		Other: func() func(int) { return each(func() { buf = append(buf[:0], k.ToString()...) }) },
	}
}

// mustNot panics if the work led to what it must not lead to.
func mustNot(wrong bool) {
	if wrong {
		panic("wrong")
	}
}

// keep keeps the compiler from leaving out the work that made s.
//
//go:noinline
func keep(s string) { mustNot(s == "") }
