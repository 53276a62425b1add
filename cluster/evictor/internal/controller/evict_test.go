// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed-0529bac1/taints/cluster/internal/rows"
)

// disrupts returns the error of an eviction that a budget holds back, as in the API
// server's eviction.go.
func disrupts() error {
	err := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0)
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type:    policyv1.DisruptionBudgetCause,
		Message: "no",
	})
	return err
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

func (w *world) node(name string) *corev1.Node {
	w.t.Helper()
	obj := &corev1.Node{}
	w.must(w.api.Get(context.Background(), client.ObjectKey{Name: name}, obj))
	return obj
}

// A PodDisruptionBudget holds a pod back. After a time the pod is deleted all the same,
// if its node has failed and that alone would have evicted it. It is deleted at once if
// somebody says that the node has failed.
func TestDeleteHeldAfter(t *testing.T) {
	const after = 5 * time.Minute
	type test struct {
		Name, Taints, Tolerations string
		Ready                     corev1.ConditionStatus
		Others                    int    // nodes that failed too
		Fails                     string // why the eviction fails
		Never                     bool   // the pod is not deleted while it is held back
		AtOnce, Stays             bool
		Meanwhile                 string // steps after each refusal
	}
	for _, tc := range rows.Read[test](t, "held.yaml") {
		err, wait := failures[cmp.Or(tc.Fails, "budget")], after
		if tc.AtOnce {
			wait = 0
		}
		t.Run(tc.Name, func(t *testing.T) {
			inWorld(t, with(func(o *Options) { o.DeleteHeldAfter = after }), func(w *world) {
				if tc.Never {
					w.c.options.DeleteHeldAfter = 0
				}
				for i := range 4 {
					w.setNode(fmt.Sprint("ready-", i))
				}
				for i := range tc.Others {
					w.setNode(fmt.Sprint("failed-", i), taint("node.kubernetes.io/unreachable:NoSchedule", begin))
				}
				uid := w.addPod("web", "n", tolerations(cmp.Or(tc.Tolerations, ":NoExecute op=Exists for 10s")))
				w.setNode("n")
				w.setReady("n", cmp.Or(tc.Ready, corev1.ConditionUnknown))
				refuses := w.refuses(err)
				w.fail = func(name string) error {
					refused := refuses(name)
					if refused != nil && w.now().Sub(w.begin) >= after+10*s {
						time.Sleep(s)
						w.run(tc.Meanwhile)
					}
					return refused
				}
				w.pass(10*s - 2*time.Microsecond)
				w.setNode("n", taintList(cmp.Or(tc.Taints, "node.kubernetes.io/unreachable:NoExecute@0s"))...)
				w.pass(wait + time.Microsecond)
				if len(w.evicted) > 0 && wait > 0 {
					t.Error("the pod is deleted too early")
				}
				w.pass(lastRetry * 3 / 2)
				event := "Warning Deleting Pod default/web on a failed node, due since 2000-01-01T00:00:10Z, although a PodDisruptionBudget holds it back: "
				_, got := w.evicted[uid]
				if got == tc.Stays || got != (w.events[len(w.events)-1] == event+refusal(err)) {
					t.Errorf("deleted: %v, and the events are %q", got, w.events)
				}
			})
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
			w.addPod("first", "n", tolerations("a:NoExecute op=Exists for 10s"))
			w.addPod("second", "n", tolerations("a:NoExecute op=Exists for 10s"))
			w.fail = func(string) error { time.Sleep(5 * s); return nil }
			w.setNode("n", taint("a:NoExecute", begin))
			w.pass(11 * s) // longer, so that the attempt begins while time passes
			w.close()
			if len(w.attempts) != 1 || len(w.evicted) != 1 {
				t.Errorf("%d attempts, and %d pods are evicted", len(w.attempts), len(w.evicted))
			}
		})
	}
}
