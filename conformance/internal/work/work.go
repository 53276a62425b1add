// Package work has the work that the library and Kubernetes' own code both do, on the same input, for benchmarks that
// hold one beside the other.
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
	"k8s.io/kubernetes/pkg/util/tolerations"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
)

// A Row is one piece of work, done in two ways.
type Row struct {
	Name string
	// Floor is how many times faster the library is to be, at the least.
	Floor float64
	// Allocs is how many allocations the library may make for one piece, at the most.
	Allocs float64
	// Ours and Kubernetes do the work n times.
	Ours, Kubernetes func(n int)
}

// The input: a GPU node, and a pod with the usual eight tolerations, which tolerates the node.
var (
	nodeTaints = []corev1.Taint{
		{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule},
		{Key: "nvidia.com/gpu", Value: "present", Effect: corev1.TaintEffectNoSchedule},
		{Key: "sla.example.com/failure-score", Value: "40", Effect: corev1.TaintEffectNoSchedule},
	}
	podTolerations = []corev1.Toleration{
		{Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: seconds(300)},
		{Key: "node.kubernetes.io/unreachable", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: seconds(300)},
		{Key: "node.kubernetes.io/memory-pressure", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
		{Key: "sla.example.com/failure-score", Operator: corev1.TolerationOpLt, Value: "60", Effect: corev1.TaintEffectNoSchedule},
		{Key: "team", Operator: corev1.TolerationOpEqual, Value: "vision", Effect: corev1.TaintEffectNoSchedule},
		{Key: "dedicated", Operator: corev1.TolerationOpEqual, Value: "ml", Effect: corev1.TaintEffectNoSchedule},
		{Key: "example.com/fpga", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
		{Key: "nvidia.com/gpu", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	}
	failedNode = []corev1.Taint{
		{Key: "node.kubernetes.io/not-ready", Effect: corev1.TaintEffectNoExecute},
		{Key: "node.kubernetes.io/unreachable", Effect: corev1.TaintEffectNoExecute},
	}
	specs = []string{"dedicated=ml:NoSchedule", "nvidia.com/gpu=present:NoSchedule", "cloud.example.com/spot:PreferNoSchedule"}
)

func seconds(s int64) *int64 { return &s }

// Rows returns the work of which the contract's performance budget says how fast it is to be.
func Rows() []Row {
	rows := []Row{filterOnce(), filterCompiled(), compile(), validate(), parse(), evict(), merge(), print(), appendTo()}
	rows = append(rows, indexRows(20, "40 % tainted in 20 ways")...)
	return append(rows, indexRows(10_000, "in 10,000 ways")...)
}

func filterOnce() Row {
	list, tols := convert.Each(nodeTaints, convert.FromTaint), convert.Each(podTolerations, convert.FromToleration)
	return Row{
		Name: "first untolerated hard taint, 3 taints × 8 tolerations, one-shot", Floor: 10,
		Ours: func(n int) {
			for range n {
				if _, found := taints.FindUntolerated(list, tols, taints.Hard); found {
					panic("untolerated")
				}
			}
		},
		Kubernetes: filterInKubernetes,
	}
}

func filterCompiled() Row {
	list, m := convert.Each(nodeTaints, convert.FromTaint), taints.Compile(convert.Each(podTolerations, convert.FromToleration))
	return Row{
		Name: "the same, compiled", Floor: 30,
		Ours: func(n int) {
			for range n {
				if _, found := m.FindUntolerated(list, taints.Hard); found {
					panic("untolerated")
				}
			}
		},
		Kubernetes: filterInKubernetes,
	}
}

func compile() Row {
	tols := convert.Each(podTolerations, convert.FromToleration)
	return Row{
		Name: "compile 8 tolerations; Kubernetes: filter twice", Floor: 1, Allocs: 4,
		Ours: func(n int) {
			for range n {
				if taints.Compile(tols) == nil {
					panic("no Matcher")
				}
			}
		},
		Kubernetes: func(n int) { filterInKubernetes(2 * n) },
	}
}

// filterInKubernetes is the TaintToleration plugin's Filter.
func filterInKubernetes(n int) {
	logger := klog.Background()
	for range n {
		if _, found := helper.FindMatchingUntoleratedTaint(logger, nodeTaints, podTolerations, plugins.DoNotScheduleTaintsFilterFunc(), true); found {
			panic("untolerated")
		}
	}
}

func validate() Row {
	tols, internal := convert.Each(podTolerations, convert.FromToleration), convert.Each(podTolerations, convert.ToCoreToleration)
	path := field.NewPath("spec", "tolerations")
	options := validation.PodValidationOptions{AllowTaintTolerationComparisonOperators: true}
	return Row{
		Name: "validate 8 tolerations", Floor: 40,
		Ours: func(n int) {
			for range n {
				if err := taints.ValidateTolerations(tols); err != nil {
					panic(err)
				}
			}
		},
		Kubernetes: func(n int) {
			for range n {
				if errs := validation.ValidateTolerations(internal, path, options); len(errs) > 0 {
					panic(errs)
				}
			}
		},
	}
}

func parse() Row {
	return Row{
		Name: "parse 3 kubectl specs", Floor: 20,
		Ours: func(n int) {
			for range n {
				for _, spec := range specs {
					if _, err := taints.ParseTaint(spec); err != nil {
						panic(err)
					}
				}
			}
		},
		Kubernetes: func(n int) {
			for range n {
				if _, _, err := taintutils.ParseTaints(specs); err != nil {
					panic(err)
				}
			}
		},
	}
}

func evict() Row {
	list, tols := convert.Each(failedNode, convert.FromTaint), convert.Each(podTolerations, convert.FromToleration)
	now := time.Now()
	return Row{
		Name: "tolerations that match 2 NoExecute taints, and the deadline", Floor: 8,
		Ours: func(n int) {
			for range n {
				if e := taints.EvictionOf(list, tols, now); e.Outcome != taints.EvictsAt {
					panic(e.Outcome)
				}
			}
		},
		Kubernetes: func(n int) {
			logger := klog.Background()
			for range n {
				ok, used := corehelper.GetMatchingTolerations(logger, failedNode, podTolerations)
				if at := now.Add(linked.MinTolerationTime(used)); !ok || !at.After(now) {
					panic("not evicted later")
				}
			}
		},
	}
}

func merge() Row {
	tols, internal := convert.Each(podTolerations, convert.FromToleration), convert.Each(podTolerations, convert.ToCoreToleration)
	return Row{
		Name: "merge 4 + 4 tolerations", Floor: 50, Allocs: 1,
		Ours: func(n int) {
			for range n {
				if merged := taints.Merge(tols[:4], tols[4:]); len(merged) != 8 {
					panic(len(merged))
				}
			}
		},
		Kubernetes: func(n int) {
			for range n {
				// Without room behind the first four, as MergeTolerations writes there.
				if merged := tolerations.MergeTolerations(internal[:4:4], internal[4:]); len(merged) != 8 {
					panic(len(merged))
				}
			}
		},
	}
}

func print() Row {
	t, k := convert.FromTaint(nodeTaints[1]), nodeTaints[1]
	return Row{
		Name: "print a taint", Floor: 10, Allocs: 1,
		Ours: func(n int) {
			for range n {
				keep(t.String())
			}
		},
		Kubernetes: func(n int) {
			for range n {
				keep(k.ToString())
			}
		},
	}
}

func appendTo() Row {
	t, k, buf := convert.FromTaint(nodeTaints[1]), nodeTaints[1], make([]byte, 0, 128)
	return Row{
		Name: "print a taint into a buffer", Floor: 10,
		Ours: func(n int) {
			for range n {
				buf = t.AppendTo(buf[:0])
			}
		},
		Kubernetes: func(n int) {
			for range n {
				buf = append(buf[:0], k.ToString()...)
			}
		},
	}
}

// keep keeps the compiler from leaving out the work that made s.
//
//go:noinline
func keep(s string) {
	if s == "" {
		panic("no text")
	}
}
