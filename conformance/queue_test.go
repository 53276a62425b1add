// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/lifecycle"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
	"k8s.io/utils/clock"
	testingclock "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"
)

// A timedController is the part of the taint-eviction controller that checks a
// pod, with a clock that the test controls, beside a queue of the library.
type timedController struct {
	ours       lifecycle.Queue[string]
	controller *tainteviction.Controller
	queue      *tainteviction.TimedWorkerQueue
	clock      *testingclock.FakeClock
	now        func() time.Time // what FireAt compares with
	fired      chan string
	hold       chan struct{} // deletions wait for it, unless it is nil
}

func newTimedController() *timedController {
	c := &timedController{
		ours:       lifecycle.Queue[string]{},
		controller: new(tainteviction.Controller),
		clock:      testingclock.NewFakeClock(start),
		fired:      make(chan string, 100),
	}
	c.queue = tainteviction.CreateWorkerQueue(func(_ context.Context, _ time.Time, args *tainteviction.WorkArgs) error {
		if c.hold != nil {
			<-c.hold
		}
		c.fired <- args.Object.NamespacedName.Name
		return nil
	})
	c.now = c.clock.Now
	*linked.Field[clock.WithDelayedExecution](c.queue, "clock") = c.clock
	*linked.Field[*tainteviction.TimedWorkerQueue](c.controller, "taintEvictionQueue") = c.queue
	return c
}

// pending returns when the pod's deletion is due, after the deletions that are
// due by now have run.
func (c *timedController) pending() (time.Time, bool) {
	for {
		workers := linked.Field[map[string]*tainteviction.TimedWorker](c.queue, "workers")
		c.queue.Lock()
		worker, known := (*workers)[aPod.String()]
		c.queue.Unlock()
		if known && (worker == nil || !worker.FireAt.After(c.now())) { // removed from the map when done
			time.Sleep(time.Millisecond)
			continue
		}
		if !known {
			return time.Time{}, false
		}
		return worker.FireAt, true
	}
}

var (
	evictingTaints = rapid.SampledFrom([]corev1.Taint{{Key: "a", Effect: "NoExecute"}, {Key: "b", Effect: "NoExecute"}})
	timed          = rapid.Custom(func(t *rapid.T) corev1.Toleration {
		tol := corev1.Toleration{
			Key:      rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "key"),
			Operator: corev1.TolerationOpExists,
			Effect:   "NoExecute",
		}
		if rapid.IntRange(0, 3).Draw(t, "timed") > 0 {
			seconds := rapid.Int64Range(-1, 50).Draw(t, "seconds")
			tol.TolerationSeconds = &seconds
		}
		return tol
	})
)

// A look is a controller's view of a pod and its node at one time.
type look struct {
	marks       []corev1.Taint
	tolerations []corev1.Toleration
}

func drawLook(t *rapid.T) look {
	return look{
		rapid.SliceOfN(evictingTaints, 0, 2).Draw(t, "taints"),
		rapid.SliceOfN(timed, 0, 3).Draw(t, "tolerations"),
	}
}

// see shows the pod to the controller and to the queue.
func (c *timedController) see(ctx context.Context, l look, now time.Time) {
	list, tolerations, queue, pod := l.marks, l.tolerations, &c.ours, aPod.String()
	if len(list) > 0 {
		linked.ProcessPod(c.controller, ctx, aPod, "node", tolerations, list, now)
	} else { // handleNodeUpdate then does not check the pod
		c.queue.CancelWork(quiet, pod)
	}
	now = now.Round(0)
	queue.Update(pod, taints.EvictionOf(kube.Taints(list), kube.Tolerations(tolerations), now))
}

var (
	start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	aPod  = types.NamespacedName{Namespace: "ns", Name: "pod"}
)

// A steppedClock has wall time that can step back while time passes, like the
// clock of a machine when it is set.
type steppedClock struct {
	passed time.Duration // since start
	back   time.Duration // how far wall time is behind
}

// wall returns the wall time.
func (c *steppedClock) wall() time.Time { return start.Add(c.passed - c.back) }

// now returns a time like that of time.Now, with wall time and a reading of the
// monotonic clock. Kubernetes compares by the monotonic reading.
func (c *steppedClock) now() time.Time {
	const hasMonotonic, wallBase = 1 << 63, 1885
	wall := c.wall()
	seconds := uint64(wall.Unix() - time.Date(wallBase, 1, 1, 0, 0, 0, 0, time.UTC).Unix())
	t := time.Now()
	*linked.Field[uint64](&t, "wall") = hasMonotonic | seconds<<30 | uint64(wall.Nanosecond())
	*linked.Field[int64](&t, "ext") = int64(time.Hour + c.passed)
	return t
}

// TestProcessPodOnNode checks a pod repeatedly, with other taints and tolerations
// each time. Its eviction is pending whenever Kubernetes' is, for
// the same time. In half of the cases, wall time steps back between the checks:
// Kubernetes keeps a pending eviction, because its timers do not use wall time. The
// queue, which knows only wall time, keeps it too. It stops at 50,000 cases: it waits
// for Kubernetes' goroutines.
func TestProcessPodOnNode(t *testing.T) {
	checkAtMost(t, 50_000, func(t *rapid.T) {
		both := newTimedController()
		var c steppedClock
		both.now = c.now
		// evicted reports whether Kubernetes has evicted the pod. It must then be due
		// in our queue, and otherwise pending for the same time.
		evicted := func(checked bool) bool {
			due, pending := both.pending()
			got, ok := both.ours.Due(aPod.String())
			if !pending && len(both.fired) > 0 {
				// Wall time that is behind shows no timer that fires between two checks.
				same(t, "evicted in Kubernetes, and pending", ok, true)
				same(t, "evicted in Kubernetes, and due", got.After(c.wall()) && (checked || c.back == 0), false)
				return true
			}
			same(t, "pending", ok, pending)
			same(t, "due", got, due.Round(0))
			return false
		}
		stepsBack := rapid.Bool().Draw(t, "steps back")
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			pass := time.Duration(rapid.IntRange(0, 20).Draw(t, "pass")) * time.Second
			if stepsBack && rapid.IntRange(0, 2).Draw(t, "set") == 0 {
				c.back += time.Duration(rapid.IntRange(1, 40).Draw(t, "back")) * time.Second
				pass++ // by a nanosecond, so that no two moments have the same wall time
			}
			c.passed += pass
			both.clock.Step(pass)
			if evicted(false) {
				return
			}
			both.see(t.Context(), drawLook(t), c.now())
			if evicted(true) {
				return
			}
		}
	})
}

// An eviction that has started is not canceled, whatever the next checks return.
// In Kubernetes, the deletion runs until the test releases it. Timers of later
// checks do not run.
func TestEvictsNowIsNotTakenBack(t *testing.T) {
	checkAtMost(t, 50_000, func(t *rapid.T) {
		release := make(chan struct{})
		both := newTimedController()
		both.hold = release
		first := look{marks: []corev1.Taint{{Key: "a", Effect: "NoExecute"}}}
		if rapid.Bool().Draw(t, "tolerated for no time") {
			seconds := rapid.Int64Range(-5, 0).Draw(t, "seconds")
			first.tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists, TolerationSeconds: &seconds}}
		}
		now := start
		both.see(t.Context(), first, now)
		for range rapid.IntRange(1, 4).Draw(t, "looks") {
			now = now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "pass")) * time.Second)
			both.see(t.Context(), drawLook(t), now)
			due, ok := both.ours.Due(aPod.String())
			same(t, "pending after another look", ok, true)
			same(t, "due after another look", due, start)
		}
		close(release)
		<-both.fired // otherwise the test hangs
	})
}

// If a check finds that the pod stays, Kubernetes forgets that a deletion is
// running, so the next check may start another. The queue evicts a pod once.
func TestDifferenceSecondDeletion(t *testing.T) {
	release := make(chan struct{})
	both := newTimedController()
	both.hold = release
	untolerated, free := look{marks: []corev1.Taint{{Key: "a", Effect: "NoExecute"}}}, look{}
	for _, l := range []look{untolerated, free, untolerated} {
		both.see(t.Context(), l, start)
	}
	close(release)
	for range 2 {
		same(t, "Kubernetes deletes", <-both.fired, "pod")
	}
	evicted := 0
	for range both.ours.PopDue(start) {
		evicted++
	}
	same(t, "the queue evicts", evicted, 1)
}
