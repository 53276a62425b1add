// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-0529bac1/taints"
)

const s = time.Second

func TestDeadlines(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	for name, specs := range map[string][]string{
		"none":     nil,
		"other":    {"b:NoExecute for 30s"},
		"ten":      {"a:NoExecute op=Exists for 10s"},
		"first":    {"a:NoExecute op=Exists for 20s", "a:NoExecute op=Exists for 5s"},
		"zero":     {"a:NoExecute op=Exists for 0s"},
		"forever":  {"a:NoExecute op=Exists"},
		"wildcard": {"op=Exists"},
	} {
		w.addPod(name, "n", tolerations(specs...))
	}
	elsewhere := w.addPod("elsewhere", "m", nil)
	w.setNode("m", taint("a:NoSchedule", begin))
	w.clock.Step(3 * s)
	w.setNode("n", taint("a:NoExecute", begin.Add(2*s)), taint("b:NoSchedule", begin))

	w.wantDue("none", 2*s)
	w.wantDue("other", 2*s)
	w.wantDue("ten", 12*s)
	w.wantDue("first", 22*s)
	w.wantDue("zero", 2*s)
	w.wantDue("forever", -1)
	w.wantDue("wildcard", -1)
	w.pass(time.Hour)
	if len(w.evicted) != 5 || len(w.attempts) != 5 {
		t.Errorf("evicted: %s", w.attempted())
	}
	if last := w.attempts[3] + " " + w.attempts[4]; last != "ten first" {
		t.Errorf("the last are %s", last)
	}
	w.wantNotEvicted(elsewhere)
}

func TestATaintThatGoesInTime(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	uid := w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s"))
	w.setNode("n", taint("a:NoExecute", begin))
	w.pass(9 * s)
	w.setNode("n")
	w.pass(time.Hour)
	w.wantNotEvicted(uid)
	w.wantEvents("Normal TaintManagerEviction Cancelling deletion of Pod default/web")
	if len(w.c.pods) != 0 || len(w.c.nodes) != 0 {
		t.Errorf("still remembered: %v %v", w.c.pods, w.c.nodes)
	}

	w.setNode("n", taint("a:NoExecute", w.now()))
	w.setNode("n", taint("b:NoExecute", w.now()))
	w.pass(0)
	w.wantEvicted(uid, time.Hour+9*s)
}

func TestATaintThatGoesBeforeAnyCheck(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	uid := w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s"))
	w.setNode("n", taint("a:NoExecute", begin))
	w.clock.Step(20 * s)
	w.noteNode("n")
	w.runDue() // before the check that the node asks for
	w.wantNotEvicted(uid)
	w.wantEvents("Normal TaintManagerEviction Cancelling deletion of Pod default/web")
	w.reconcile()

	// The same for a taint that is laid anew: its deadline has moved.
	w.setNode("n", taint("a:NoExecute", w.now()))
	w.clock.Step(20 * s)
	w.noteNode("n", taint("a:NoExecute", w.now()))
	w.runDue()
	w.wantNotEvicted(uid)
	w.wantDue("web", 50*s)
}

// The same for one that gives way to another, which the pod tolerates.
func TestATaintThatChangesBeforeAnyCheck(t *testing.T) {
	for _, keep := range []bool{false, true} {
		w := newWorld(t, Options{Policy: fromTimeAdded.Policy, KeepTimers: keep})
		uid := w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s", "b:NoExecute op=Exists"))
		w.setNode("n", taint("a:NoExecute", begin))
		w.clock.Step(20 * s)
		w.noteNode("n", taint("b:NoExecute", w.now()))
		w.runDue()
		w.wantNotEvicted(uid)
		w.wantEvents("Normal TaintManagerEviction Cancelling deletion of Pod default/web")
	}
}

func TestRestart(t *testing.T) {
	stock := Options{KeepTimers: true, Method: Evict}
	for _, tc := range []struct {
		name string
		o    Options
		want time.Duration
	}{
		{"from TimeAdded the deadline is kept", fromTimeAdded, 10 * s},
		{"as Kubernetes it begins anew", stock, 17 * s},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, tc.o)
			uid := w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s"))
			w.setNode("n", taint("a:NoExecute", begin))
			w.pass(7 * s)
			w.restart()
			w.wantDue("web", tc.want)
			w.pass(time.Minute)
			w.wantEvicted(uid, tc.want)
		})
	}
	t.Run("what became due meanwhile goes at once", func(t *testing.T) {
		w := newWorld(t, fromTimeAdded)
		uid := w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s"))
		w.setNode("n", taint("a:NoExecute", begin))
		w.clock.Step(15 * s)
		w.restart()
		w.pass(0)
		w.wantEvicted(uid, 15*s)
	})
}

// kubectl lays taints without timeAdded. They count from when they were first seen,
// and go on to do so.
func TestATaintWithoutTime(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s", "b:NoExecute op=Exists"))
	w.clock.Step(s)
	w.setNode("n", taint("a:NoExecute", time.Time{}))
	w.wantDue("web", 11*s)
	w.clock.Step(4 * s)
	w.setNode("n", taint("a:NoExecute", time.Time{}), taint("b:NoExecute", w.now()))
	w.wantDue("web", 11*s)
	w.check("web")
	w.wantDue("web", 11*s)

	w.setNode("n")
	w.setNode("n", taint("a:NoExecute", time.Time{}))
	w.wantDue("web", 15*s)
	w.clock.Step(s)
	w.setNode("n", taint("a=other:NoExecute", time.Time{}))
	w.wantDue("web", 16*s)
	w.setNode("n", taint("a=other:NoExecute", begin.Add(2*s)))
	w.wantDue("web", 12*s)
	w.setNode("n")
	zero := taint("a:NoExecute", time.Time{})
	zero.TimeAdded = &metav1.Time{} // as it comes by protobuf
	w.c.noteNode(&corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n"},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{zero}},
	}, w.now())
	w.check("web")
	w.wantDue("web", 16*s)

	// A node of the same name is another node.
	w.deleteNode("n")
	w.wantDue("web", -1)
	w.clock.Step(s)
	w.setNode("n", taint("a:NoExecute", time.Time{}))
	w.wantDue("web", 17*s)
	w.c.nodes["n"].uid = "another"
	w.clock.Step(s)
	w.setNode("n", taint("a:NoExecute", time.Time{}))
	w.wantDue("web", 18*s)
}

// A pod that comes to a node with the taint, which it tolerates for a time, has
// that time.
func TestAPodThatComesLater(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	w.setNode("n", taint("a:NoExecute", begin.Add(-1000*s)))
	w.addPod("created", "n", tolerations("a:NoExecute op=Exists for 10s"))
	w.addPod("bound", "n", tolerations("a:NoExecute op=Exists for 60s"), func(p *corev1.Pod) {
		p.CreationTimestamp = metav1.NewTime(begin.Add(-30 * s))
		p.Status.Conditions = []corev1.PodCondition{
			{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(begin)},
			{
				Type: corev1.PodScheduled, Status: corev1.ConditionTrue,
				LastTransitionTime: metav1.NewTime(begin.Add(-10 * s)),
			},
		}
	})
	w.wantDue("created", 10*s)
	w.wantDue("bound", 50*s)
	w.restart()
	w.wantDue("created", 10*s)
	w.wantDue("bound", 50*s)
}

func TestKeepTimers(t *testing.T) {
	for _, tc := range []struct {
		name string
		o    Options
		want time.Duration
	}{
		{"the newest taint counts", fromTimeAdded, 18 * s},
		{"the first deadline stays", Options{Policy: fromTimeAdded.Policy, KeepTimers: true, Method: Evict}, 10 * s},
		{"as Kubernetes", Options{KeepTimers: true, Method: Evict}, 10 * s},
		{"from each change", Options{Method: Evict}, 18 * s},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, tc.o)
			tols := tolerations("node.kubernetes.io/not-ready:NoExecute op=Exists for 10s",
				"node.kubernetes.io/unreachable:NoExecute op=Exists for 10s")
			uid := w.addPod("web", "n", tols)
			w.setNode("n", taint("node.kubernetes.io/not-ready:NoExecute", begin))
			w.clock.Step(8 * s)
			w.setNode("n", taint("node.kubernetes.io/unreachable:NoExecute", w.now()))
			w.wantDue("web", tc.want)
			w.clock.Step(s)
			w.check("web") // a check alone changes nothing
			w.wantDue("web", tc.want)
			w.noteNode("n",
				taint("node.kubernetes.io/unreachable:NoExecute", begin.Add(8*s)), taint("b:NoSchedule", w.now()))
			if len(w.requests.list) != 0 {
				t.Errorf("the same taints make it check %v", w.requests.list)
			}
			w.check("web")
			w.wantDue("web", tc.want)
			w.pass(time.Minute)
			w.wantEvicted(uid, tc.want)
		})
	}
}

// A pod that keeps its timer is tried again where an eviction fails, though by the
// newest check it would have more time.
func TestKeepTimersThroughAFailure(t *testing.T) {
	w := newWorld(t, Options{KeepTimers: true, Method: Evict})
	uid := w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s", "b:NoExecute op=Exists for 3600s"))
	w.setNode("n", taint("a:NoExecute", begin))
	w.clock.Step(8 * s)
	w.setNode("n", taint("b:NoExecute", begin))
	w.fail = failTimes(2, errors.New("no"))
	w.pass(time.Minute)
	if at := w.evicted[uid].Sub(begin); at < 10*s || at > 13*s {
		t.Errorf("evicted after %v", at)
	}
	if len(w.attempts) != 3 {
		t.Errorf("%d attempts", len(w.attempts))
	}
}

func TestSelect(t *testing.T) {
	for selection, want := range map[taints.Selection]time.Duration{
		taints.FirstMatch:    20 * s,
		taints.LongestMatch:  30 * s,
		taints.ShortestMatch: 10 * s,
	} {
		w := newWorld(t, Options{Policy: taints.EvictionPolicy{FromTimeAdded: true, Select: selection}})
		w.addPod("web", "n", tolerations(
			"a:NoExecute op=Exists for 20s", "a:NoExecute op=Exists for 30s", "a:NoExecute op=Exists for 10s",
		))
		w.setNode("n", taint("a:NoExecute", begin))
		w.wantDue("web", want)
	}
}

// failTimes fails the first n evictions.
func failTimes(n int, err error) func(string) error {
	return func(string) error {
		if n == 0 {
			return nil
		}
		n--
		return err
	}
}

// disrupts is the error of an eviction that a budget holds back, as the API server's
// eviction.go has it.
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
	const budget = "The disruption budget web needs 1 healthy pods and has 1 currently"
	for _, tc := range []struct {
		name, outcome string
		err           error
		after         time.Duration // at least, for three failures
	}{
		{"a PodDisruptionBudget", blocked, disrupts(budget, 0), 3500 * time.Millisecond},
		{"a PodDisruptionBudget that is not ready", blocked, disrupts(budget, 10), 30 * s},
		{"an API server that is busy", throttled, apierrors.NewTooManyRequests("later", 10), 30 * s},
		{"a suggestion that is too long", throttled, apierrors.NewTooManyRequests("later", 3600), 90 * s},
		{
			"a conflict", conflict,
			apierrors.NewConflict(pods, "web", errors.New("it has changed")),
			3500 * time.Millisecond,
		},
		{"an internal error", failed, apierrors.NewInternalError(errors.New("etcd is gone")), 3500 * time.Millisecond},
		{"a timeout", failed, context.DeadlineExceeded, 3500 * time.Millisecond},
		{"missing rights", failed, apierrors.NewForbidden(pods, "web", errors.New("no")), 3500 * time.Millisecond},
	} {
		for _, method := range []Method{Evict, Delete} {
			t.Run(string(method)+"/"+tc.name, func(t *testing.T) {
				w := newWorld(t, Options{Policy: fromTimeAdded.Policy, Method: method})
				uid := w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s"))
				w.fail = failTimes(3, tc.err)
				w.setNode("n", taint("a:NoExecute", begin))
				w.pass(10 * s)
				if p := w.c.pods[key("web")]; p.state != waiting || p.failures != 1 {
					t.Errorf("after the first failure: %+v", p)
				}
				// What happens meanwhile does not make it be tried again sooner.
				w.setNode("n", taint("a:NoExecute", begin), taint("c:NoExecute", w.now()))
				w.runDue()
				if len(w.attempts) != 1 {
					t.Errorf("tried again at once")
				}
				w.pass(time.Hour)
				if len(w.attempts) != 4 {
					t.Errorf("%d attempts, want 4", len(w.attempts))
				}
				late := w.evicted[uid].Sub(begin) - 10*s
				if late < tc.after || late > tc.after*3/2 {
					t.Errorf("%v late, want between %v and half more", late, tc.after)
				}
				var lateness dto.Metric
				w.must(w.c.metrics.lateness.Write(&lateness))
				if got := lateness.Histogram.GetSampleSum(); got != late.Seconds() {
					t.Errorf("the metrics say %v s late, it was %v", got, late)
				}
				want := []string{"Normal TaintManagerEviction Marking for deletion Pod default/web"}
				if tc.outcome == blocked {
					held := "Warning TaintManagerEviction A PodDisruptionBudget holds back the eviction" +
						" of Pod default/web, due since 2026-05-01T12:00:10Z: " + budget
					want = append(want, held, held, held)
				} else { // the first failure may be the last
					failed := "Warning TaintManagerEviction Cannot evict Pod default/web," +
						" due since 2026-05-01T12:00:10Z: " + tc.err.Error()
					want = append(want, failed, failed)
				}
				w.wantEvents(want...)
				w.wantCount(tc.outcome, 3)
				w.wantCount(done, 1)
			})
		}
	}
}

func (w *world) wantCount(outcome string, want float64) {
	w.t.Helper()
	if got := testutil.ToFloat64(w.c.metrics.evictions.WithLabelValues(outcome)); got != want {
		w.t.Errorf("%v evictions with outcome %s, want %v", got, outcome, want)
	}
}

// The API server takes no event with a note of more than 1024 bytes, and a webhook may
// have more to say.
func TestALongError(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	name := strings.Repeat("web.", 63) + "a"
	w.addPod(name, "n", nil)
	w.fail = failTimes(2, errors.New(strings.Repeat("é", 2000)))
	w.setNode("n", taint("a:NoExecute", begin))
	w.pass(10 * s)
	note := w.events[len(w.events)-1]
	_, text, _ := strings.Cut(note, "12:00:00Z: ")
	if len(note) > 1024-100 || len(text) < 400 || strings.Trim(text, "é") != "…" {
		t.Errorf("%d bytes, %d of them the error's: %s", len(note), len(text), note)
	}
}

// A pod that cannot be checked once more is not evicted yet, but not forgotten either.
func TestACacheThatCanNotBeRead(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	uid := w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s"))
	w.setNode("n", taint("a:NoExecute", begin))
	w.unreadable = errors.New("not started")
	w.clock.Step(10 * s)
	if p := w.c.pop(context.Background()); p != nil || w.c.queueLength() != 1 {
		t.Errorf("it is to be evicted: %v, %v are in the queue", p, w.c.queueLength())
	}
	w.unreadable = nil
	w.fail = func(string) error {
		w.fail, w.unreadable = nil, errors.New("not started")
		return errors.New("no")
	}
	w.clock.Step(10 * s)
	w.c.attempt(context.Background(), w.c.pop(context.Background()))
	w.unreadable = nil
	w.pass(time.Minute)
	if at, ok := w.evicted[uid]; !ok || at.Sub(begin) > 25*s {
		t.Errorf("evicted after %v", at.Sub(begin))
	}
}

func TestFailuresComeSlowerAndSlower(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	w.addPod("web", "n", nil)
	w.fail = failTimes(1000, errors.New("no"))
	w.setNode("n", taint("a:NoExecute", begin))
	w.pass(time.Hour)
	if n := len(w.attempts); n < 75 || n > 130 {
		t.Errorf("%d attempts in an hour", n)
	}
}

func TestATaintThatGoesAfterAFailure(t *testing.T) {
	for _, rest := range [][]corev1.Taint{nil, {taint("b:NoExecute", begin)}} {
		w := newWorld(t, fromTimeAdded)
		uid := w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s", "b:NoExecute op=Exists"))
		w.fail = failTimes(1, errors.New("no"))
		w.setNode("n", taint("a:NoExecute", begin))
		w.pass(10 * s)
		w.setNode("n", rest...)
		w.pass(time.Hour)
		w.wantNotEvicted(uid)
		marking := "Normal TaintManagerEviction Marking for deletion Pod default/web"
		cancelling := "Normal TaintManagerEviction Cancelling deletion of Pod default/web"
		w.wantEvents(marking, cancelling)
		w.wantCount(canceled, 1)

		// Nothing of it is left the next time.
		w.setNode("n", taint("a:NoExecute", w.now()))
		w.wantDue("web", time.Hour+20*s)
		w.pass(10 * s)
		w.wantEvicted(uid, time.Hour+20*s)
		w.wantEvents(marking, cancelling, marking)
	}
}

func TestATaintThatGoesDuringAnAttempt(t *testing.T) {
	for _, all := range []bool{true, false} {
		w := newWorld(t, fromTimeAdded)
		uid := w.addPod("web", "n", tolerations("b:NoExecute op=Exists"))
		w.fail = func(string) error {
			if all {
				w.setNode("n")
			} else {
				w.setNode("n", taint("b:NoExecute", begin))
			}
			return errors.New("no")
		}
		w.setNode("n", taint("a:NoExecute", begin))
		w.pass(time.Hour)
		if len(w.attempts) != 1 {
			t.Errorf("%d attempts", len(w.attempts))
		}
		w.wantNotEvicted(uid)
		w.wantCount(canceled, 1)
	}
}

// While a worker evicts a pod, and after it did, nothing that happens to the node
// makes it be evicted once more.
func TestNobodyIsEvictedTwice(t *testing.T) {
	for _, all := range []bool{true, false} {
		w := newWorld(t, fromTimeAdded)
		uid := w.addPod("web", "n", tolerations("c:NoExecute op=Exists"))
		change := func() {
			if all {
				w.setNode("n")
			}
			w.setNode("n", taint("c:NoExecute", w.now()))
			w.setNode("n", taint("b:NoExecute", w.now()))
		}
		w.fail = func(string) error {
			change()
			if w.c.pop(context.Background()) != nil {
				t.Error("it is to be evicted while it is")
			}
			return nil
		}
		w.lags = true
		w.setNode("n", taint("a:NoExecute", begin))
		w.runDue()
		w.wantEvicted(uid, 0)
		change()
		w.pass(time.Hour)
		if len(w.attempts) != 1 {
			t.Errorf("%d attempts", len(w.attempts))
		}
		w.deletePod("web")
		w.check("web")
		if len(w.c.pods) != 0 {
			t.Errorf("still remembered: %v", w.c.pods)
		}
	}
}

// A controller that is started anew leaves a pod alone that is being deleted.
func TestRestartWhileAPodEnds(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	w.addPod("web", "n", nil, func(p *corev1.Pod) { p.Finalizers = []string{"example.com/slow"} })
	w.setNode("n", taint("a:NoExecute", begin))
	w.runDue()
	w.restart()
	w.pass(time.Hour)
	if len(w.attempts) != 1 {
		t.Errorf("%d attempts", len(w.attempts))
	}
}

func TestAPodThatIsGone(t *testing.T) {
	for _, method := range []Method{Evict, Delete} {
		w := newWorld(t, Options{Policy: fromTimeAdded.Policy, Method: method})
		w.addPod("gone", "n", nil)
		w.addPod("going", "n", nil)
		w.setNode("n", taint("a:NoExecute", begin))
		w.deletePod("gone") // before the check that is due now
		w.fail = func(name string) error { w.deletePod(name); return nil }
		w.pass(time.Hour)
		if w.attempted() != "going" {
			t.Errorf("attempts: %s", w.attempted())
		}
		w.wantCount(gone, 1)
		if len(w.c.pods) != 0 || w.c.queueLength() != 0 {
			t.Errorf("still remembered: %v", w.c.pods)
		}
	}
}

func TestAPodThatIsGoneBeforeItsTime(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s"))
	w.setNode("n", taint("a:NoExecute", begin))
	w.deletePod("web")
	w.check("web")
	if n := w.c.queueLength(); n != 0 {
		t.Errorf("%v are left in the queue", n)
	}
}

// A pod that the cache still has is not evicted again when the API server knows
// no such pod.
func TestAPodThatTheCacheHasLonger(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	w.addPod("web", "n", nil)
	w.fail = failTimes(10, apierrors.NewNotFound(corev1.Resource("pods"), "web"))
	w.setNode("n", taint("a:NoExecute", begin))
	w.pass(time.Hour)
	if len(w.attempts) != 1 {
		t.Errorf("%d attempts", len(w.attempts))
	}
	w.wantCount(gone, 1)
}

func TestAPodOfTheSameName(t *testing.T) {
	for _, method := range []Method{Evict, Delete} {
		t.Run(string(method), func(t *testing.T) {
			w := newWorld(t, Options{Policy: fromTimeAdded.Policy, Method: method})
			tols := tolerations("a:NoExecute op=Exists for 10s")
			first := w.addPod("web", "n", tols)
			w.setNode("n", taint("a:NoExecute", begin))
			w.clock.Step(10 * s)
			var second, third, fourth types.UID

			// One that the controller does not know of yet.
			w.deletePod("web")
			second = w.newPod("web", "n", tols)
			w.runDue()
			w.wantDue("web", 20*s)

			// One that comes while the other is to be evicted.
			w.fail = func(string) error {
				w.fail = nil
				w.deletePod("web")
				third = w.newPod("web", "n", tols)
				return nil
			}
			w.pass(10 * s)
			w.wantDue("web", 30*s)

			// One that comes, and is checked, while the other is.
			w.fail = func(string) error {
				w.fail = nil
				w.deletePod("web")
				fourth = w.addPod("web", "n", tols)
				return nil
			}
			w.pass(10 * s)
			w.wantDue("web", 40*s)
			w.pass(10 * s)
			w.wantEvicted(fourth, 40*s)
			w.wantNotEvicted(first)
			w.wantNotEvicted(second)
			w.wantNotEvicted(third)
			w.wantCount(conflict, 2)
		})
	}
}

// Nothing is written to a pod that the cache does not have yet.
func TestDeleteLeavesAnotherPodAlone(t *testing.T) {
	w := newWorld(t, Options{Policy: fromTimeAdded.Policy, Method: Delete})
	first := w.addPod("web", "n", nil)
	w.setNode("n", taint("a:NoExecute", begin))
	var second types.UID
	w.beforeGet = func() {
		w.beforeGet = nil
		w.deletePod("web")
		second = w.newPod("web", "m", nil)
	}
	w.runDue()
	w.wantNotEvicted(first)
	w.wantNotEvicted(second)
	w.wantCount(gone, 1)
	if obj := w.podList()[0]; obj.UID != second || len(obj.Status.Conditions) != 0 {
		t.Errorf("the second pod is %+v", obj)
	}
}

func TestEndedPodsAreLeftAlone(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	for _, phase := range []corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed} {
		w.addPod(string("was-"+phase[:1]), "n", nil, func(p *corev1.Pod) { p.Status.Phase = phase })
	}
	w.addPod("deleted", "n", nil, func(p *corev1.Pod) { p.Finalizers = []string{"example.com/slow"} })
	w.deletePod("deleted")
	w.addPod("unbound", "", nil)
	w.addPod("ends", "n", tolerations("a:NoExecute op=Exists for 10s"))
	w.setNode("n", taint("a:NoExecute", begin))
	w.wantDue("ends", 10*s)

	ends := &corev1.Pod{}
	w.must(w.client.Get(context.Background(), key("ends"), ends))
	ends.Status.Phase = corev1.PodSucceeded
	w.must(w.client.Status().Update(context.Background(), ends))
	w.pass(time.Hour)
	if len(w.attempts) != 0 {
		t.Errorf("attempts: %s", w.attempted())
	}
}

func TestANodeThatIsDeleted(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	uid := w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s"))
	w.setNode("n", taint("a:NoExecute", begin))
	w.deleteNode("n")
	w.pass(time.Hour)
	w.wantNotEvicted(uid)
}

func TestNewTolerations(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	uid := w.addPod("web", "n", tolerations("b:NoExecute op=Exists"))
	w.addPod("db", "n", tolerations("a:NoExecute op=Exists for 10s"))
	w.setNode("n", taint("a:NoExecute", begin))
	for _, name := range []string{"web", "db"} {
		obj := &corev1.Pod{}
		w.must(w.client.Get(context.Background(), key(name), obj))
		obj.Spec.Tolerations = append(obj.Spec.Tolerations, tolerations("a:NoExecute op=Exists")...)
		w.must(w.client.Update(context.Background(), obj))
	}
	w.check("web")
	w.wantDue("web", -1)
	w.wantDue("db", 10*s)
	w.pass(time.Hour)
	w.wantNotEvicted(uid)
	if w.attempted() != "db" {
		t.Errorf("attempts: %s", w.attempted())
	}
}

func TestDryRun(t *testing.T) {
	w := newWorld(t, Options{Policy: fromTimeAdded.Policy, DryRun: true})
	w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s", "b:NoExecute op=Exists"))
	w.setNode("n", taint("a:NoExecute", begin))
	w.pass(time.Hour)
	w.setNode("n", taint("a:NoExecute", begin), taint("b:NoExecute", begin))
	w.pass(time.Hour)
	marking := "Normal TaintManagerEviction Dry run: Marking for deletion Pod default/web"
	w.wantEvents(marking)
	w.wantCount(dryRun, 1)

	w.setNode("n", taint("b:NoExecute", begin))
	w.pass(time.Hour)
	w.setNode("n", taint("a:NoExecute", w.now()))
	w.pass(time.Hour)
	w.wantEvents(marking, marking)
	w.setNode("n")
	w.setNode("n", taint("a:NoExecute", w.now()))
	w.pass(time.Hour)
	w.wantEvents(marking, marking, marking)
	if len(w.attempts) != 0 {
		t.Errorf("attempts: %s", w.attempted())
	}
}

func TestDeleteSetsTheCondition(t *testing.T) {
	w := newWorld(t, Options{Policy: fromTimeAdded.Policy, Method: Delete})
	before := metav1.NewTime(begin.Add(-time.Hour).Local())
	const reason, message = "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint"
	target := func(status corev1.ConditionStatus, reason, message string) corev1.PodCondition {
		return corev1.PodCondition{
			Type:               corev1.DisruptionTarget,
			Status:             status,
			Reason:             reason,
			Message:            message,
			LastTransitionTime: before,
		}
	}
	for name, conditions := range map[string][]corev1.PodCondition{
		"none":    {{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		"false":   {target(corev1.ConditionFalse, reason, message)},
		"reason":  {target(corev1.ConditionTrue, "Other", message)},
		"message": {target(corev1.ConditionTrue, reason, "other")},
	} {
		w.addPod(name, "n", nil, func(p *corev1.Pod) {
			p.Status.Conditions = conditions
			p.Generation = 7
			p.Finalizers = []string{"example.com/slow"}
		})
	}
	w.setNode("n", taint("a:NoExecute", begin))
	w.runDue()
	for _, name := range []string{"none", "false", "reason", "message"} {
		obj := &corev1.Pod{}
		w.must(w.client.Get(context.Background(), key(name), obj))
		c := obj.Status.Conditions[len(obj.Status.Conditions)-1]
		if c.Type != corev1.DisruptionTarget || c.Status != corev1.ConditionTrue ||
			c.Reason != reason || c.Message != message || c.ObservedGeneration != 7 {
			t.Errorf("%s has %+v", name, c)
		}
		if kept := c.LastTransitionTime.Equal(&before); kept != (name == "reason" || name == "message") {
			t.Errorf("%s: transition %v", name, c.LastTransitionTime)
		}
		if obj.DeletionTimestamp == nil {
			t.Errorf("%s is not deleted", name)
		}
	}
}

func TestMetrics(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	if got := w.c.nextDeadline(); got != 0 {
		t.Errorf("next deadline %v, want none", got)
	}
	w.addPod("now", "n", nil)
	w.addPod("soon", "n", tolerations("a:NoExecute op=Exists for 10s"))
	w.addPod("later", "n", tolerations("a:NoExecute op=Exists for 300s"))
	w.setNode("n", taint("a:NoExecute", begin))
	w.clock.Step(3 * s)
	w.runDue()
	if got := w.c.queueLength(); got != 2 {
		t.Errorf("queue length %v", got)
	}
	if got, want := w.c.nextDeadline(), float64(begin.Unix()+10); got != want {
		t.Errorf("next deadline %v, want %v", got, want)
	}
	w.wantCount(done, 1)
	w.wantOverdue(0)
	if n := testutil.CollectAndCount(w.c.metrics.lateness); n != 1 {
		t.Errorf("%d histograms", n)
	}
}

func (w *world) wantOverdue(want time.Duration) {
	w.t.Helper()
	if got := w.c.oldestOverdue(); got != want.Seconds() {
		w.t.Errorf("the oldest is overdue for %v s, want %v", got, want.Seconds())
	}
}

// How long a pod is overdue counts from its deadline, whatever becomes of it meanwhile.
func TestOverdue(t *testing.T) {
	for _, keep := range []bool{false, true} {
		o := fromTimeAdded
		o.KeepTimers = keep
		w := newWorld(t, o)
		w.wantOverdue(0)
		uid := w.addPod("held", "n", tolerations("a:NoExecute op=Exists for 10s", "b:NoExecute op=Exists for 3600s"))
		w.addPod("later", "n", tolerations("a:NoExecute op=Exists for 600s", "b:NoExecute op=Exists"))
		w.setNode("n", taint("a:NoExecute", begin))
		w.fail = func(string) error {
			w.wantOverdue(w.now().Sub(begin) - 10*s) // while a worker has it in hand
			return apierrors.NewTooManyRequests("no", 0)
		}
		w.pass(10 * s)
		w.clock.Step(30 * s)
		w.wantOverdue(30 * s) // due for another try, and nobody has time for it
		w.pass(5 * time.Minute)
		w.wantOverdue(5*time.Minute + 30*s)
		if got, want := w.c.nextDeadline(), float64(begin.Unix()+10); got != want {
			t.Errorf("next deadline %v, want %v", got, want)
		}
		w.check("held")
		w.wantOverdue(5*time.Minute + 30*s)

		// A taint that leaves it more time moves its deadline, unless it keeps its timer.
		w.setNode("n", taint("b:NoExecute", begin))
		if want := 5*time.Minute + 30*s; keep {
			w.wantOverdue(want)
		} else {
			w.wantOverdue(0)
		}
		w.fail = nil
		w.pass(2 * time.Hour)
		w.wantOverdue(0)
		if _, ok := w.evicted[uid]; !ok {
			t.Errorf("KeepTimers %v: it is not evicted", keep)
		}
	}
}

// A pod that stays after all is not overdue, and neither is one that is gone.
func TestOverdueNoMore(t *testing.T) {
	w := newWorld(t, fromTimeAdded)
	w.addPod("web", "n", nil)
	w.addPod("db", "n", tolerations("a:NoExecute op=Exists for 1s"))
	w.fail = failTimes(1000, errors.New("no"))
	w.setNode("n", taint("a:NoExecute", begin))
	w.pass(time.Minute)
	w.wantOverdue(time.Minute)
	w.deletePod("web")
	w.check("web")
	w.wantOverdue(59 * s)
	w.setNode("n")
	w.wantOverdue(0)
}
