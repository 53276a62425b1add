// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/memory"
)

func with(change func(*Options)) Options {
	o := fromTimeAdded
	change(&o)
	return o
}

const (
	marking   = "Normal Marking for deletion Pod default/web"
	canceling = "Normal Cancelling deletion of Pod default/web"
)

// A taint is removed before the deadline of a pod that tolerates it for 10 s, after
// a failed attempt, or during the attempt.
func TestATaintThatGoes(t *testing.T) {
	for _, leave := range []func(*world){
		func(w *world) { w.setNode("n") },
		func(w *world) { w.setNode("n", taint("b:NoExecute", begin)) },
		func(w *world) { w.deleteNode("n"); w.nodeChanged("n") },
	} {
		for _, when := range []string{"before", "after", "during"} {
			inWorld(t, fromTimeAdded, func(w *world) {
				uid := w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s", "b:NoExecute op=Exists"))
				w.setNode("n", taint("a:NoExecute", begin))
				w.pass(9 * s)
				events := []string{marking, canceling}
				if when == "before" {
					leave(w)
					events = events[1:]
				}
				w.fail = func(string) error {
					w.fail = nil
					if when == "during" {
						leave(w)
					}
					return errors.New("no")
				}
				w.pass(s)
				if when == "after" {
					leave(w)
				}
				w.pass(time.Hour)
				if len(w.attempts) != len(events)-1 {
					t.Errorf("%s: attempts %v", when, w.attempts)
				}
				w.wantEvents(events...)
				w.wantCounts(map[string]float64{canceled: 1, failed: float64(len(w.attempts))})
				if w.c.nodes["n"] == nil {
					w.wantForgotten()
				}

				// The next eviction starts from scratch.
				w.fail = nil
				w.setNode("n", taint("a:NoExecute", w.now()))
				w.wantDue("web", time.Hour+20*s)
				w.pass(11 * s)
				w.wantEvicted(uid, time.Hour+20*s)
				w.wantEvents(append(events, marking)...)
			})
		}
	}
}

// A standby replica observes taints. When it leads, it counts from when it first
// saw them.
func TestAStandby(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, fromTimeAdded)
		defer w.close()
		w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s"))
		w.addPod("spared", "m", tolerations("a:NoExecute op=Exists for 10s"))
		w.setNode("n", taint("a:NoExecute", time.Time{}))
		w.setNode("m", taint("a:NoExecute", time.Time{}))
		w.pass(4 * s)
		w.setNode("m")
		w.wantForgotten()
		w.lead()
		w.wantDue("web", 10*s)
		w.wantDue("spared", -1)
	})
}

// A taint from kubectl has no timeAdded. It counts from when it was first seen.
func TestATaintWithoutTime(t *testing.T) {
	inWorld(t, fromTimeAdded, func(w *world) {
		w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s", "b:NoExecute op=Exists"))
		none := time.Time{}
		zero := taint("a:NoExecute", none)
		zero.TimeAdded = &metav1.Time{} // as decoded from protobuf
		for _, step := range []struct {
			taints []corev1.Taint
			want   time.Duration
		}{
			{nil, -1},
			{[]corev1.Taint{taint("a:NoExecute", none)}, 11 * s},
			{[]corev1.Taint{taint("a:NoExecute", none), taint("b:NoExecute", begin)}, 11 * s},
			{[]corev1.Taint{zero}, 11 * s},
			{nil, -1},
			{[]corev1.Taint{zero}, 15 * s},
			{[]corev1.Taint{taint("a=other:NoExecute", none)}, 16 * s},
			{[]corev1.Taint{taint("a=other:NoExecute", begin.Add(2*s))}, 12 * s},
		} {
			w.setNode("n", step.taints...)
			w.wantDue("web", step.want)
			w.request(key("web"))
			w.wantDue("web", step.want)
			w.pass(s)
		}
		// A new node of the same name is a different node.
		w.setNode("n", taint("a:NoExecute", none))
		w.pass(s)
		w.deleteNode("n")
		w.setNode("n", taint("a:NoExecute", none))
		w.wantDue("web", 19*s)
	})
}

// If a pod is bound to a node with a taint that it tolerates for a time, that time
// counts from when the pod was bound.
func TestAPodThatComesLater(t *testing.T) {
	inWorld(t, fromTimeAdded, func(w *world) {
		w.setNode("n", taint("a:NoExecute", begin.Add(-1000*s)))
		w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 60s"), func(p *corev1.Pod) {
			p.CreationTimestamp = metav1.NewTime(begin.Add(-30 * s))
			p.Status.Conditions = []corev1.PodCondition{
				{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(begin)},
				{
					Type: corev1.PodScheduled, Status: corev1.ConditionTrue,
					LastTransitionTime: metav1.NewTime(begin.Add(-10 * s)),
				},
			}
		})
		w.wantDue("web", 50*s)
	})
}

// A taint replaces another, and then the controller restarts.
func TestKeepTimers(t *testing.T) {
	for name, tc := range map[string]struct {
		o                   Options
		replaced, restarted time.Duration
	}{
		"the newest taint counts":  {fromTimeAdded, 18 * s, 18 * s},
		"the first deadline stays": {with(func(o *Options) { o.KeepTimers = true }), 10 * s, 18 * s},
		"as Kubernetes":            {Options{KeepTimers: true, Method: Evict}, 10 * s, 19 * s},
		"from each change":         {Options{Method: Evict}, 18 * s, 19 * s},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, tc.o, func(w *world) {
				uid := w.addPod("web", "n", tolerations("node.kubernetes.io/not-ready:NoExecute op=Exists for 10s",
					"node.kubernetes.io/unreachable:NoExecute op=Exists for 10s"))
				w.setNode("n", taint("node.kubernetes.io/not-ready:NoExecute", begin))
				w.pass(8 * s)
				unreachable := taint("node.kubernetes.io/unreachable:NoExecute", w.now())
				w.setNode("n", unreachable)
				w.wantDue("web", tc.replaced)
				w.pass(s)
				w.setNode("n", unreachable, taint("b:NoSchedule", w.now())) // which evicts no pod
				w.wantDue("web", tc.replaced)
				w.restart()
				w.wantDue("web", tc.restarted)
				w.pass(time.Minute)
				w.wantEvicted(uid, tc.restarted)
			})
		})
	}
}

// disrupts returns the error of an eviction that a budget holds back, as in the API
// server's eviction.go.
func disrupts(budget string, seconds int) error {
	err := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", seconds)
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type:    policyv1.DisruptionBudgetCause,
		Message: budget,
	})
	return err
}

func TestAPIErrors(t *testing.T) {
	pods := corev1.Resource("pods")
	const (
		budget = "The disruption budget web needs 1 healthy pods and has 1 currently"
		since  = " Pod default/web, due since 2000-01-01T00:00:10Z: "
		held   = "Warning A PodDisruptionBudget holds back the eviction of" + since + budget
	)
	internal := apierrors.NewInternalError(errors.New("etcd is gone"))
	for name, tc := range map[string]struct {
		reason string
		err    error
	}{
		"a PodDisruptionBudget": {blocked, disrupts(budget, 10)},
		"a busy API server":     {throttled, apierrors.NewTooManyRequests("later", 10)},
		"a conflict":            {conflict, apierrors.NewConflict(pods, "web", internal)},
		"an internal error":     {failed, internal},
		"missing rights":        {failed, apierrors.NewForbidden(pods, "web", internal)},
		"no API server":         {failed, &url.Error{Op: "Post", URL: "https://10.0.0.1", Err: refused}},
	} {
		for _, method := range []Method{Evict, Delete} {
			t.Run(string(method)+"/"+name, func(t *testing.T) {
				inWorld(t, with(func(o *Options) { o.Method = method }), func(w *world) {
					uid := w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s"))
					w.fail = func(string) error {
						if len(w.attempts) > 3 {
							return nil
						}
						return tc.err
					}
					w.setNode("n", taint("a:NoExecute", begin))
					w.pass(10 * s)
					w.setNode("n", taint("a:NoExecute", begin), taint("c:NoExecute", w.now()))
					w.settle() // this does not cause an earlier retry
					w.wantAttempts("web")
					w.pass(time.Hour)
					w.wantAttempts("web web web web")
					var lateness dto.Metric
					w.must(w.c.metrics.lateness.Write(&lateness))
					late := w.evicted[uid].Sub(begin) - 10*s
					if late < firstRetry+2*firstRetry+4*firstRetry {
						t.Errorf("only %v late", late)
					}
					if got := lateness.Histogram.GetSampleSum() - late.Seconds(); got < -0.001 || got > 0.001 {
						t.Errorf("the metrics are %v s off", got)
					}
					want := []string{marking, held, held, held}
					switch {
					case unreachable(tc.err):
						want = want[:1]
					case tc.reason != blocked: // a first failure is not reported
						retry := "Warning Cannot evict" + since + tc.err.Error()
						want = []string{marking, retry, retry}
					}
					w.wantEvents(want...)
					w.wantCounts(map[string]float64{tc.reason: 3, done: 1})
				})
			})
		}
	}
}

func TestBackoff(t *testing.T) {
	later := func(seconds int) error { return apierrors.NewTooManyRequests("later", seconds) }
	post := func(err error) error { return &url.Error{Op: "Post", URL: "https://10.0.0.1", Err: err} }
	for _, tc := range []struct {
		failures int
		err      error
		want     time.Duration
	}{
		{1, errors.New("no"), firstRetry},
		{2, errors.New("no"), 2 * firstRetry},
		{1000, errors.New("no"), lastRetry},
		{1, later(10), 10 * s},
		{1000, later(10), lastRetry},
		{1, later(3600), lastRetry},
		// While there is no API server, the longest backoff is short.
		{1, post(refused), firstRetry},
		{1000, post(refused), outageRetry},
		{1000, post(reset), outageRetry},
		{1000, post(io.ErrUnexpectedEOF), outageRetry},
		{1000, apierrors.NewServiceUnavailable("not yet"), outageRetry},
		{1000, post(context.DeadlineExceeded), lastRetry},
		{1000, post(x509.UnknownAuthorityError{}), lastRetry},
		{1000, apierrors.NewInternalError(errors.New("etcd is gone")), lastRetry},
	} {
		if got := backoff(tc.failures, tc.err); got < tc.want || got > tc.want*3/2 {
			t.Errorf("%d failures, %v: %v, want %v", tc.failures, tc.err, got, tc.want)
		}
	}
}

// The API server rejects events with a note of more than 1024 bytes, and a
// webhook's error may be longer.
func TestALongError(t *testing.T) {
	inWorld(t, fromTimeAdded, func(w *world) {
		w.addPod(strings.Repeat("web.", 63)+"a", "n", nil)
		w.fail = func(string) error { return errors.New(strings.Repeat("é", 2000)) }
		w.setNode("n", taint("a:NoExecute", begin))
		w.pass(10 * s)
		note := w.events[len(w.events)-1]
		_, text, _ := strings.Cut(note, "00:00:00Z: ")
		if len(note) > 1024-100 || len(text) < 400 || strings.Trim(text, "é") != "…" {
			t.Errorf("%d bytes, %d of them the error's: %s", len(note), len(text), note)
		}
	})
}

// No change of the node evicts a pod twice, during its eviction or afterwards.
func TestNobodyIsEvictedTwice(t *testing.T) {
	for _, untaint := range []bool{true, false} {
		inWorld(t, fromTimeAdded, func(w *world) {
			uid := w.addPod("web", "n", tolerations("c:NoExecute op=Exists"))
			change := func() {
				if untaint {
					w.setNode("n")
				}
				w.setNode("n", taint("c:NoExecute", w.now()))
				w.setNode("n", taint("b:NoExecute", w.now()))
			}
			w.fail = func(string) error { change(); return nil }
			w.lags = true
			w.setNode("n", taint("a:NoExecute", begin))
			w.settle()
			w.wantEvicted(uid, 0)
			change()
			w.pass(time.Hour)
			w.wantAttempts("web")
			w.deletePod("web")
			w.settle()
			w.wantForgotten()
		})
	}
}

// A pod is deleted while it is being evicted, and another pod may take its name.
func TestAPodThatIsGone(t *testing.T) {
	for _, method := range []Method{Evict, Delete} {
		for _, another := range []bool{false, true} {
			inWorld(t, with(func(o *Options) { o.Method = method }), func(w *world) {
				ten := tolerations("a:NoExecute op=Exists for 10s")
				var uid types.UID
				w.addPod("web", "n", ten)
				w.setNode("n", taint("a:NoExecute", begin))
				w.fail = func(string) error {
					w.fail = nil
					w.deletePod("web")
					if another {
						uid = w.addPod("web", "n", ten)
					}
					return nil
				}
				w.pass(10 * s)
				if !another {
					w.wantForgotten()
					w.wantCounts(map[string]float64{gone: 1})
					w.wantLog("A pod to evict is already gone", 1)
					return
				}
				w.wantDue("web", 20*s)
				w.wantCounts(map[string]float64{conflict: 1})
				w.pass(20 * s)
				w.wantAttempts("web web")
				w.wantEvicted(uid, 20*s)
			})
		}
	}
}

// Pods that wait for a node are not in the cache. Finished pods are evicted as
// others, as Kubernetes' controller does.
func TestPodsThatDoNotRun(t *testing.T) {
	inWorld(t, fromTimeAdded, func(w *world) {
		w.addPod("waits", "", nil)
		if err := w.c.client.Get(t.Context(), key("waits"), &corev1.Pod{}); !apierrors.IsNotFound(err) {
			t.Errorf("a pod without a node: %v", err)
		}
		slow := func(p *corev1.Pod) { p.Finalizers = []string{"example.com/slow"} }
		w.addPod("deleted", "n", nil, slow)
		w.deletePod("deleted")
		w.addPod("ends", "n", tolerations("a:NoExecute op=Exists for 10s"))
		w.addPod("evicted", "n", nil, slow)
		w.setNode("n", taint("a:NoExecute", begin))
		w.wantDue("ends", 10*s)
		w.changePod("ends", func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded })
		w.addPod("failed", "n", nil, func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed })
		w.settle()
		w.restart()
		w.pass(time.Hour)
		w.wantAttempts("evicted failed ends")
	})
}

func TestNewTolerations(t *testing.T) {
	inWorld(t, Options{Method: Evict}, func(w *world) {
		for _, name := range []string{"stays", "more", "same"} {
			w.addPod(name, "n", tolerations("a:NoExecute op=Exists for 10s"))
		}
		w.setNode("n", taint("a:NoExecute", begin))
		w.pass(3 * s)
		for name, spec := range map[string]string{
			"stays": "a:NoExecute op=Exists",
			"more":  "a:NoExecute op=Exists for 20s",
			"same":  "a:NoExecute op=Exists for 10s",
		} {
			w.changePod(name, func(p *corev1.Pod) { p.Spec.Tolerations = tolerations(spec) })
		}
		w.wantDue("stays", -1)
		w.wantDue("more", 23*s) // from when these tolerations were seen
		w.wantDue("same", 10*s)
	})
}

func TestDryRun(t *testing.T) {
	inWorld(t, with(func(o *Options) { o.DryRun = true }), func(w *world) {
		w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s", "b:NoExecute op=Exists"))
		var want []string
		for _, step := range []struct {
			taints []corev1.Taint
			marks  int // so far
		}{
			{[]corev1.Taint{taint("a:NoExecute", begin)}, 1},
			{[]corev1.Taint{taint("a:NoExecute", begin), taint("b:NoExecute", begin)}, 1},
			{[]corev1.Taint{taint("b:NoExecute", begin)}, 1}, // it stays
			{[]corev1.Taint{taint("a:NoExecute", begin)}, 2},
			{nil, 2},
			{[]corev1.Taint{taint("a:NoExecute", begin)}, 3},
		} {
			w.setNode("n", step.taints...)
			w.pass(time.Hour)
			for len(want) < step.marks {
				want = append(want, "Normal Dry run: Marking for deletion Pod default/web")
			}
			w.wantEvents(want...)
			w.wantCounts(map[string]float64{dryRun: float64(step.marks)})
		}
		w.wantAttempts("")
		w.wantLog("Would evict a pod", 3)
	})
}

// A pod's overdue time counts from its deadline, whatever happens to the pod.
func TestMetrics(t *testing.T) {
	for _, keep := range []bool{false, true} {
		inWorld(t, with(func(o *Options) { o.KeepTimers = keep }), func(w *world) {
			want := func(length float64, next, overdue time.Duration) {
				t.Helper()
				w.settle()
				deadline := 0.0
				if next >= 0 {
					deadline = float64(begin.Add(next).Unix())
				}
				if w.c.queueLength() != length || w.c.nextDeadline() != deadline ||
					time.Duration(w.c.oldestOverdue()*1e9).Truncate(time.Millisecond) != overdue {
					t.Errorf("%v in the queue, next deadline %v, overdue for %v s; want %v, %v, %v",
						w.c.queueLength(), w.c.nextDeadline(), w.c.oldestOverdue(), length, deadline, overdue)
				}
			}
			want(0, -1, 0)
			w.addPod("now", "n", tolerations("b:NoExecute op=Exists"))
			w.addPod("held", "n", tolerations("a:NoExecute op=Exists for 10s", "b:NoExecute op=Exists for 3600s"))
			w.addPod("later", "n", tolerations("a:NoExecute op=Exists for 600s", "b:NoExecute op=Exists"))
			w.setNode("n", taint("a:NoExecute", begin))
			want(2, 10*s, 0)
			w.wantCounts(map[string]float64{done: 1})
			w.fail = func(string) error { return apierrors.NewTooManyRequests("no", 0) }
			w.pass(5 * time.Minute)
			want(2, 10*s, 290*s)

			// A taint that gives the pod more time moves its deadline, unless
			// timers are kept.
			w.setNode("n", taint("b:NoExecute", begin))
			if keep {
				want(1, 10*s, 290*s)
			} else {
				want(1, time.Hour, 0)
			}
			w.setNode("n")
			want(0, -1, 0)
		})
	}
}

func TestRateLimit(t *testing.T) {
	inWorld(t, with(func(o *Options) { o.QPS, o.Burst, o.Workers = 10, 5, 3 }), func(w *world) {
		for i := range 55 {
			w.addPod(fmt.Sprint("pod-", i), "n", nil)
		}
		w.pass(time.Minute)
		w.setNode("n", taint("a:NoExecute", w.now()))
		for _, step := range []struct {
			after time.Duration
			want  int
		}{{time.Millisecond, 5}, {2 * s, 25}, {3 * s, 55}} {
			w.pass(step.after)
			if got := len(w.evicted); got != step.want {
				t.Errorf("%d are evicted after %v more, want %d", got, step.after, step.want)
			}
		}
	})
}

// A wake-up that finds no pod to evict takes no token from the rate limiter.
func TestRateLimitOfWakeUps(t *testing.T) {
	inWorld(t, with(func(o *Options) { o.QPS, o.Burst = 0.01, 2 }), func(w *world) {
		w.addPod("web", "n", nil)
		w.setNode("n", taint("a:NoExecute", begin))
		w.settle()
		for i := range 10 {
			w.addPod(fmt.Sprint("spared-", i), "m", tolerations("a:NoExecute op=Exists for 10s"))
		}
		w.setNode("m", taint("a:NoExecute", begin))
		w.settle()
		w.hold = true
		w.setNode("m")
		w.pass(20 * s) // they wake up, and stay
		w.hold = false
		w.addPod("db", "n", nil)
		w.pass(s)
		w.wantAttempts("web db")
		w.addPod("third", "n", nil) // no token is left for this pod
		w.pass(s)
		w.wantAttempts("web db")
	})
}

// Budgets hold back more pods than the rate limit allows to retry. First attempts
// do not wait for these pods, which are still retried.
func TestPodsThatAreHeldBackDelayNobody(t *testing.T) {
	const held, workers = 300, 4
	inWorld(t, with(func(o *Options) { o.QPS, o.Burst, o.Workers = 10, 20, workers }), func(w *world) {
		tries := map[string]int{}
		w.fail = func(name string) error {
			if tries[name]++; strings.HasPrefix(name, "held-") {
				return disrupts("no", 0)
			}
			return nil
		}
		for i := range held {
			w.addPod(fmt.Sprint("held-", i), "n", nil)
		}
		w.setNode("n", taint("a:NoExecute", w.now()))
		w.pass(2 * time.Minute)
		for i := range 10 {
			start := w.now()
			uid := w.addPod(fmt.Sprint("web-", i), "n", nil)
			w.pass(5 * s)
			if at, ok := w.evicted[uid]; !ok || at.Sub(start) > (workers+2)*s/10+time.Millisecond {
				t.Errorf("web-%d is evicted after %v", i, at.Sub(start))
			}
		}
		for i := range held {
			if name := fmt.Sprint("held-", i); tries[name] < 2 {
				t.Fatalf("%s is tried %d times", name, tries[name])
			}
		}
	})
}

func TestTaintsChange(t *testing.T) {
	old := &corev1.Node{ObjectMeta: metav1.ObjectMeta{UID: "1"}}
	heartbeat, tainted, another := old.DeepCopy(), old.DeepCopy(), old.DeepCopy()
	heartbeat.Status.Phase = corev1.NodeRunning
	tainted.Spec.Taints = []corev1.Taint{taint("a:NoExecute", begin)}
	another.UID = "2"
	for changed, want := range map[*corev1.Node]bool{heartbeat: false, tainted: true, another: true} {
		if got := taintsChange.Update(event.UpdateEvent{ObjectOld: old, ObjectNew: changed}); got != want {
			t.Errorf("%+v: got %v", changed, got)
		}
	}
}

func TestMemory(t *testing.T) { memory.Test(t, "evictor", strip) }

// strip keeps what the controller reads, which other tests check: see [world.get]. An
// informer that fills its cache strips twice, so a copy would be a second one.
func TestStrip(t *testing.T) {
	large := metav1.ObjectMeta{
		Name:            "web",
		ResourceVersion: "7",
		Labels:          map[string]string{"app": "web"},
		Annotations:     map[string]string{"example.com/note": "a long one"},
		ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "kubelet"}},
		OwnerReferences: []metav1.OwnerReference{{Name: "web"}},
	}
	for _, obj := range []client.Object{
		&corev1.Pod{
			ObjectMeta: large,
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}},
			Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady}}},
		},
		&corev1.Node{
			ObjectMeta: large,
			Status:     corev1.NodeStatus{Images: []corev1.ContainerImage{{Names: []string{"none"}}}},
		},
	} {
		small := reflect.New(reflect.TypeOf(obj).Elem()).Interface().(client.Object)
		small.SetName("web")
		small.SetResourceVersion("7")
		if got, err := strip(obj); err != nil || got != obj || !equality.Semantic.DeepEqual(got, small) {
			t.Errorf("got  %+v, %v\nwant %+v", got, err, small)
		}
	}
}
