// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/url"
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
	"sigs.k8s.io/controller-runtime/pkg/client"
)

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

func (w *world) node(name string) *corev1.Node {
	w.t.Helper()
	obj := &corev1.Node{}
	w.must(w.api.Get(context.Background(), client.ObjectKey{Name: name}, obj))
	return obj
}

// A replica that was stopped for a while, or whose watches are late, has old taints or
// tolerations in its cache, and another one may lead. It evicts no pod until its cache
// is up to date and its lease renewed.
func TestAnOldCache(t *testing.T) {
	same, moved := taint("a:NoExecute", begin), taint("a:NoExecute", begin.Add(time.Minute))
	tolerates := func(spec string) func(*world) {
		return func(w *world) {
			w.changePod("web", func(p *corev1.Pod) { p.Spec.Tolerations = tolerations(spec) })
		}
	}
	taints := func(list ...corev1.Taint) func(*world) {
		return func(w *world) { w.setNode("n", list...) }
	}
	for name, tc := range map[string]struct {
		change    func(*world)
		keep      bool
		evictions int // once the cache is up to date
	}{
		"no taint":             {taints(), false, 0},
		"another effect":       {taints(taint("a:NoSchedule", begin)), false, 0},
		"a later taint":        {taints(moved), false, 1},
		"a timer that is kept": {taints(moved), true, 1},
		"another node":         {func(w *world) { w.deleteNode("n"); w.setNode("n", same) }, false, 1},
		"no node":              {func(w *world) { w.deleteNode("n") }, false, 0},
		"no toleration":        {tolerates("b:NoExecute op=Exists"), false, 1},
		"it tolerates longer":  {tolerates("a:NoExecute op=Exists for 3600s"), false, 0},
		"it tolerates forever": {tolerates("a:NoExecute op=Exists"), false, 0},
		"a pod that is gone":   {func(w *world) { w.deletePod("web") }, false, 0},
		"another pod":          {func(w *world) { w.deletePod("web"); w.addPod("web", "n", nil) }, false, 1},
		"another leader":       {func(w *world) { w.follows = true }, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, with(func(o *Options) { o.KeepTimers = tc.keep }), func(w *world) {
				w.c.options.Leads = func() bool { return !w.follows }
				w.addPod("web", "n", tolerations("a:NoExecute op=Exists for 10s"))
				w.setNode("n", same)
				w.pass(5 * s)
				w.old = []client.Object{w.node("n"), w.pod("web")}
				tc.change(w)
				w.pass(10 * s)
				failures := testutil.ToFloat64(w.c.metrics.failures.WithLabelValues(stale))
				if len(w.attempts)+len(w.events) > 0 || failures < 2 || failures > 10 {
					t.Errorf("attempts: %v, events: %v, and %v times stale", w.attempts, w.events, failures)
				}
				w.follows, w.old = false, nil
				w.request(key("web"))
				w.nodeChanged("n")
				w.pass(time.Hour - 20*s)
				if len(w.attempts) != tc.evictions {
					t.Errorf("attempts: %v", w.attempts)
				}
			})
		})
	}
}

// A PodDisruptionBudget holds a pod back. After a time the pod is deleted all the same,
// if its node has failed and that alone would have evicted it. It is deleted at once if
// somebody says that the node has failed.
func TestDeleteHeldAfter(t *testing.T) {
	const after = 5 * time.Minute
	failed := taint("node.kubernetes.io/unreachable:NoExecute", begin)
	out := taint(corev1.TaintNodeOutOfService+":NoExecute", begin.Add(10*s))
	type cluster struct {
		taints      []corev1.Taint
		ready       corev1.ConditionStatus
		tolerations string
		others      int   // nodes that failed too
		err         error // of the eviction
		after       time.Duration
		wait        time.Duration // from the pod's deadline to its deletion
		stays       bool
		meanwhile   func(*world) // after each refusal
	}
	forever := failed.Key + ":NoExecute op=Exists"
	outOfService := func(c *cluster) {
		c.taints, c.wait, c.tolerations = append(c.taints, out), 0, forever+" for 10s"
	}
	for name, change := range map[string]func(*cluster){
		"a failed node": func(*cluster) {},
		"not ready":     func(c *cluster) { c.taints[0].Key, c.ready = corev1.TaintNodeNotReady, corev1.ConditionFalse },
		"two budgets":   func(c *cluster) { c.err = errors.New("This pod has more than one PodDisruptionBudget, which …") },
		"some others":   func(c *cluster) { c.others = 2 },
		"most nodes":    func(c *cluster) { c.others, c.stays = 5, true },
		"it was back":   func(c *cluster) { c.ready, c.stays = corev1.ConditionTrue, true },
		"never":         func(c *cluster) { c.after, c.stays = 0, true },
		"another error": func(c *cluster) { c.err, c.stays = apierrors.NewTooManyRequests("later", 0), true },
		"maintenance":   func(c *cluster) { c.taints[0].Key, c.stays = "maintenance", true },
		"maintenance too": func(c *cluster) {
			c.taints = append(c.taints, taint("maintenance:NoExecute", begin))
			c.tolerations, c.stays = forever, true
		},
		"it is back": func(c *cluster) {
			c.stays, c.meanwhile = true, func(w *world) { w.setReady("n", corev1.ConditionTrue) }
		},
		"it is back, without its taint": func(c *cluster) {
			c.stays, c.meanwhile = true, func(w *world) { w.setReady("n", corev1.ConditionTrue); w.setNode("n") }
		},
		"the pod is back": func(c *cluster) {
			c.stays, c.meanwhile = true, func(w *world) { w.patching = func() { w.changePod("web", func(*corev1.Pod) {}) } }
		},
		"out of service":             outOfService,
		"out of service, most nodes": func(c *cluster) { outOfService(c); c.others = 5 },
		"out of service, forever":    func(c *cluster) { outOfService(c); c.tolerations = forever },
		"out of service, NoSchedule": func(c *cluster) { outOfService(c); c.taints[1].Effect = "NoSchedule" },
		"out of service, ready":      func(c *cluster) { outOfService(c); c.ready, c.stays = corev1.ConditionTrue, true },
		"out of service, never":      func(c *cluster) { outOfService(c); c.after, c.stays = 0, true },
		"out of service, maintenance": func(c *cluster) {
			outOfService(c)
			c.taints[0].Key, c.taints[1].Effect, c.stays = "maintenance", "NoSchedule", true
			c.tolerations = ":NoExecute op=Exists for 10s"
		},
	} {
		tc := cluster{
			taints: []corev1.Taint{failed}, ready: corev1.ConditionUnknown, tolerations: ":NoExecute op=Exists for 10s",
			err: disrupts("no", 0), after: after, wait: after, meanwhile: func(*world) {},
		}
		change(&tc)
		t.Run(name, func(t *testing.T) {
			inWorld(t, with(func(o *Options) { o.DeleteHeldAfter = tc.after }), func(w *world) {
				for i := range 4 {
					w.setNode(fmt.Sprint("ready-", i))
				}
				for i := range tc.others {
					w.setNode(fmt.Sprint("failed-", i), taint(failed.Key+":NoSchedule", begin))
				}
				uid := w.addPod("web", "n", tolerations(tc.tolerations))
				w.setNode("n")
				w.setReady("n", tc.ready)
				w.fail = func(name string) error {
					if len(w.pod(name).Status.Conditions) > 0 { // DisruptionTarget, so it is deleted
						return nil
					}
					if w.now().Sub(w.begin) >= after+10*s {
						time.Sleep(s)
						tc.meanwhile(w)
					}
					return tc.err
				}
				w.pass(10*s - 2*time.Microsecond)
				w.setNode("n", tc.taints...)
				w.pass(tc.wait + time.Microsecond)
				if len(w.evicted) > 0 && tc.wait > 0 {
					t.Error("the pod is deleted too early")
				}
				w.pass(lastRetry * 3 / 2)
				event := "Warning Deleting Pod default/web on a failed node, due since 2000-01-01T00:00:10Z, although a PodDisruptionBudget holds it back: "
				_, got := w.evicted[uid]
				if got == tc.stays || got != (w.events[len(w.events)-1] == event+refusal(tc.err)) {
					t.Errorf("deleted: %v, and the events are %q", got, w.events)
				}
			})
		})
	}
}

// A pod that a budget has long held back is retried as soon as its node is out of service.
func TestOutOfServiceLater(t *testing.T) {
	for _, effect := range []corev1.TaintEffect{corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule} {
		inWorld(t, with(func(o *Options) { o.DeleteHeldAfter = time.Hour }), func(w *world) {
			w.addPod("web", "n", nil)
			w.fail = func(name string) error {
				if len(w.pod(name).Status.Conditions) > 0 { // DisruptionTarget, so it is deleted
					return nil
				}
				return disrupts("no", 0)
			}
			failed := taint("node.kubernetes.io/unreachable:NoExecute", begin)
			w.setNode("n", failed)
			w.pass(10 * time.Minute)
			w.setNode("n", failed, corev1.Taint{Key: corev1.TaintNodeOutOfService, Effect: effect})
			w.pass(s)
			if len(w.evicted) != 1 {
				t.Errorf("%s: the pod waits", effect)
			}
		})
	}
}

func (w *world) setReady(name string, ready corev1.ConditionStatus) {
	n := w.node(name)
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}
	w.must(w.api.Status().Update(context.Background(), n))
}

// The process ends while one pod is being evicted, and another waits for its turn.
func TestEnd(t *testing.T) {
	for _, method := range []Method{Evict, Delete} {
		inWorld(t, with(func(o *Options) { o.Method = method }), func(w *world) {
			w.addPod("first", "n", nil)
			w.addPod("second", "n", nil)
			w.fail = func(string) error { time.Sleep(5 * s); return nil }
			w.setNode("n", taint("a:NoExecute", begin))
			w.pass(s)
			w.close()
			if len(w.attempts) != 1 || len(w.evicted) != 1 {
				t.Errorf("%d attempts, and %d pods are evicted", len(w.attempts), len(w.evicted))
			}
		})
	}
}
