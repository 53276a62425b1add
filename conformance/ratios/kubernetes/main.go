// SPDX-License-Identifier: Apache-2.0

// Kubernetes does the side of Kubernetes' code of the work. Command ratios runs it.
package main

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	corehelper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
	plugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
	taintutils "k8s.io/kubernetes/pkg/util/taints"
	merging "k8s.io/kubernetes/pkg/util/tolerations"

	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	"github.com/seed-0529bac1/taints/conformance/internal/work"
	"github.com/seed-0529bac1/taints/internal/test/measure"
	"github.com/seed-0529bac1/taints/kube"
)

func main() { measure.Main(work.Rows(sides)) }

var (
	logger         = klog.Background()
	nodeTaints     = kube.CoreTaints(work.NodeTaints)
	failedNode     = kube.CoreTaints(work.FailedNode)
	podTolerations = kube.CoreTolerations(work.PodTolerations)
	internal       = convert.ToCoreTolerations(podTolerations)
	buf            = make([]byte, 0, 128)

	sides = map[string]measure.Side{
		"filter":  filter(nodeTaints),
		"nothing": filter(nil),
		"evict": measure.Each(func() {
			ok, used := corehelper.GetMatchingTolerations(logger, failedNode, podTolerations)
			measure.Must(ok && work.Now.Add(linked.MinTolerationTime(used)).After(work.Now))
		}),
		"20 ways":     feasible(20),
		"10,000 ways": feasible(10_000),
		"validate": measure.Each(func() {
			options := validation.PodValidationOptions{AllowTaintTolerationComparisonOperators: true}
			measure.Must(len(validation.ValidateTolerations(internal, nil, options)) == 0)
		}),
		"parse": measure.Each(func() {
			_, _, err := taintutils.ParseTaints(work.Specs)
			measure.Must(err == nil)
		}),
		// No spare capacity, because MergeTolerations writes past the base.
		"merge":     measure.Each(func() { measure.Must(len(merging.MergeTolerations(internal[:4:4], internal[4:])) == 8) }),
		"print":     measure.Each(func() { work.Text = nodeTaints[1].ToString() }),
		"append":    measure.Each(func() { buf = append(buf[:0], nodeTaints[1].ToString()...) }),
		"0 × 8":     alike(0, 8),
		"1 × 2":     alike(1, 2),
		"3 × 9":     alike(3, 9),
		"evictions": work.Evictions(queue, false),
		"heap":      work.Evictions(queue, true),
	}
)

func filter(node []corev1.Taint) measure.Side {
	return measure.Times(func(n int) {
		for range n {
			measure.Must(passes(node, podTolerations))
		}
	})
}

// passes is the TaintToleration plugin's Filter.
func passes(node []corev1.Taint, pod []corev1.Toleration) bool {
	_, found := helper.FindMatchingUntoleratedTaint(logger, node, pod, plugins.DoNotScheduleTaintsFilterFunc(), true)
	return !found
}

// alike is the loop that a project writes.
func alike(nodes, pods int) measure.Side {
	list, tolerations := work.Alike(nodes, pods)
	node, pod := kube.CoreTaints(list), kube.CoreTolerations(tolerations)
	return measure.Times(func(n int) {
		for range n {
			measure.Must(toleratesAll(node, pod))
		}
	})
}

func toleratesAll(node []corev1.Taint, pod []corev1.Toleration) bool {
	for i := range node {
		t := &node[i]
		if (t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute) && !tolerates(pod, t) {
			return false
		}
	}
	return true
}

func tolerates(pod []corev1.Toleration, t *corev1.Taint) bool {
	for i := range pod {
		if pod[i].ToleratesTaint(logger, t, true) {
			return true
		}
	}
	return false
}

// feasible filters each node, because Kubernetes has no index of nodes.
func feasible(ways int) measure.Side {
	return func(b *testing.B) {
		nodes, pod := work.Tainted(ways), kube.CoreTolerations(work.Tenants())
		measure.Each(func() {
			n := 0
			for _, list := range nodes {
				if passes(kube.CoreTaints(list), pod) {
					n++
				}
			}
			measure.Must(n > len(nodes)/2)
		})(b)
	}
}

// queue returns a TimedWorkerQueue. Its timers use real time.
func queue() work.Queue {
	var gone atomic.Int64 // pods that have come due or are canceled
	q := tainteviction.CreateWorkerQueue(func(context.Context, time.Time, *tainteviction.WorkArgs) error {
		gone.Add(1)
		return nil
	})
	return work.Queue{
		Evict: func(pod types.NamespacedName, at time.Time) {
			q.UpdateWork(context.Background(), tainteviction.NewWorkArgs(pod.Name, pod.Namespace), time.Now(), at)
		},
		Cancel: func(pod types.NamespacedName) {
			q.CancelWork(logger, pod.String())
			gone.Add(1)
		},
		Drain: func() {
			for gone.Load() < work.Pods {
				time.Sleep(10 * time.Millisecond) // takes no processor time
			}
			q.CancelAndWait() // for the last goroutines, which keep the queue alive
		},
	}
}
