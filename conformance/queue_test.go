package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
	"k8s.io/utils/clock"
	testingclock "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"
)

// A timedController is the taint-eviction controller's part that looks at a pod, on a clock that the test moves.
type timedController struct {
	controller *tainteviction.Controller
	queue      *tainteviction.TimedWorkerQueue
	clock      *testingclock.FakeClock
	fired      chan string
}

func newTimedController(now time.Time) *timedController {
	c := &timedController{controller: new(tainteviction.Controller), clock: testingclock.NewFakeClock(now), fired: make(chan string, 100)}
	c.queue = tainteviction.CreateWorkerQueue(func(_ context.Context, _ time.Time, args *tainteviction.WorkArgs) error {
		c.fired <- args.Object.NamespacedName.Name
		return nil
	})
	*linked.Field[clock.WithDelayedExecution](c.queue, "clock") = c.clock
	*linked.Field[*tainteviction.TimedWorkerQueue](c.controller, "taintEvictionQueue") = c.queue
	return c
}

// pending returns when the pod's deletion is due, once those that are due by now have run.
func (c *timedController) pending(pod types.NamespacedName) (time.Time, bool) {
	for {
		workers := linked.Field[map[string]*tainteviction.TimedWorker](c.queue, "workers")
		c.queue.Lock()
		worker, known := (*workers)[pod.String()]
		c.queue.Unlock()
		if known && (worker == nil || !worker.FireAt.After(c.clock.Now())) { // leaves the map when it is through
			time.Sleep(time.Millisecond)
			continue
		}
		if !known {
			return time.Time{}, false
		}
		return worker.FireAt, true
	}
}

// A pod is looked at again and again, with other taints and tolerations each time: with KeepTimers its eviction is pending
// whenever Kubernetes' is, for the same time. It stops at 50,000 cases, for Kubernetes' goroutines have to be waited for.
func TestProcessPodOnNode(t *testing.T) {
	taint := rapid.SampledFrom([]corev1.Taint{{Key: "a", Effect: "NoExecute"}, {Key: "b", Effect: "NoExecute"}})
	toleration := rapid.Custom(func(t *rapid.T) corev1.Toleration {
		tol := corev1.Toleration{Key: rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "key"), Operator: corev1.TolerationOpExists, Effect: "NoExecute"}
		if rapid.IntRange(0, 3).Draw(t, "timed") > 0 {
			seconds := rapid.Int64Range(-1, 50).Draw(t, "seconds")
			tol.TolerationSeconds = &seconds
		}
		return tol
	})
	drawn := 0
	rapid.Check(t, func(t *rapid.T) {
		if drawn++; drawn > 50_000 {
			return
		}
		start := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		kubernetes := newTimedController(start)
		ours := taints.EvictionQueue[types.NamespacedName]{KeepTimers: true}
		pod := types.NamespacedName{Namespace: "ns", Name: "pod"}
		var got []time.Time // when ours evicted it
		for step := range rapid.IntRange(1, 8).Draw(t, "steps") {
			kubernetes.clock.Step(time.Duration(rapid.IntRange(0, 20).Draw(t, "pass")) * time.Second)
			now := kubernetes.clock.Now()
			marks, tols := rapid.SliceOfN(taint, 0, 2).Draw(t, "taints"), rapid.SliceOfN(toleration, 0, 3).Draw(t, "tolerations")
			for _, due := range ours.PopDue(now) {
				got = append(got, due)
			}
			gone := len(got) > 0
			if _, pending := kubernetes.pending(pod); pending != (ours.Len() > 0) || gone != (len(kubernetes.fired) > 0) {
				t.Fatalf("step %d: pending %v, evicted %v; Kubernetes %v, %v", step, ours.Len() > 0, gone, pending, len(kubernetes.fired) > 0)
			}
			if gone {
				return
			}
			if len(marks) > 0 {
				linked.ProcessPod(kubernetes.controller, t.Context(), pod, "node", tols, marks, now)
			} else { // handleNodeUpdate does not ask then
				kubernetes.queue.CancelWork(quiet, pod.String())
			}
			e := taints.Evict(convert.Each(marks, convert.FromTaint), convert.Each(tols, convert.FromToleration), now)
			ours.Update(pod, e)
			for _, due := range ours.PopDue(now) {
				got = append(got, due)
			}
			due, pending := kubernetes.pending(pod)
			if len(got) == 0 != (len(kubernetes.fired) == 0) {
				t.Fatalf("step %d: evicted %v, Kubernetes %v", step, got, !pending)
			}
			if next, ok := ours.Next(); ok != pending || ok && !next.Equal(due) {
				t.Fatalf("step %d: due at %v, %v, Kubernetes %v, %v", step, next, ok, due, pending)
			}
			if len(got) > 0 {
				return
			}
		}
	})
}
