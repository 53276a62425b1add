// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
)

// AdaptTransport adapts a client to an API server that is busy or gone:
//
//   - A write, or a read with a deadline, returns the API server's answer, even if
//     the answer is to retry later. Otherwise a client would sleep and retry up to ten
//     times. The queue retries instead, after the time that the error suggests.
//   - A read without a deadline waits for an API server that cannot be reached.
//     Otherwise an informer would back off, and notice up to a minute late that the
//     API server is back.
//
// Pods are stripped as they arrive (wire.go). The lease observes its renewals.
func AdaptTransport(config *rest.Config, lease *Lease) {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return transport{next, lease} })
}

// Mapper returns a mapper for pods and nodes. The manager's own mapper calls the
// API server during setup: without an API server there would be no health checks.
func Mapper(*rest.Config, *http.Client) (meta.RESTMapper, error) {
	m := meta.NewDefaultRESTMapper(nil)
	m.Add(corev1.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	m.Add(corev1.SchemeGroupVersion.WithKind("Node"), meta.RESTScopeRoot)
	return m, nil
}

type transport struct {
	next  http.RoundTripper
	lease *Lease
}

// WrappedRoundTripper returns the wrapped transport for client-go.
func (t transport) WrappedRoundTripper() http.RoundTripper { return t.next }

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if _, deadline := request.Context().Deadline(); request.Method == http.MethodGet && !deadline {
		return t.read(request)
	}
	return t.once(request)
}

func (t transport) once(request *http.Request) (*http.Response, error) {
	at := now()
	response, err := t.stripped(request)
	if err != nil {
		return nil, err
	}
	t.lease.observe(at, request, response)
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	isText := strings.HasPrefix(response.Header.Get("Content-Type"), "text/plain")
	response.Header.Del("Retry-After")
	if response.StatusCode != http.StatusTooManyRequests || !isText {
		return response, nil // a refused eviction has the time in its body too
	}
	response.Body.Close()
	return nil, apierrors.NewTooManyRequests("the API server is busy", seconds)
}

const (
	readPause     = time.Second
	readsInTheLog = 60 // attempts for each line
)

// read retries a read until it reaches the API server or is canceled.
func (t transport) read(request *http.Request) (response *http.Response, err error) {
	attempts := 0
	attempt := func(context.Context) (bool, error) {
		response, err = t.stripped(request)
		if !noConnection(err) {
			return true, nil
		}
		if attempts++; attempts%readsInTheLog == 1 {
			ctrl.Log.WithName(name).Info("Cannot reach the API server, and will retry", "path", request.URL.Path, "error", err.Error())
		}
		return false, nil
	}
	_ = wait.PollUntilContextCancel(request.Context(), readPause, true, attempt) // err is more specific
	return response, err
}

// noConnection reports whether there was no connection to the API server, or it
// broke before an answer.
func noConnection(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// unreachable reports whether a write failed because there is no API server at the
// moment. A timeout does not count: the API server may be busy with this very pod.
func unreachable(err error) bool {
	var transport *url.Error
	if errors.As(err, &transport) {
		return !transport.Timeout() && noConnection(err)
	}
	return apierrors.IsServiceUnavailable(err)
}

// A Lease knows when the lease of the leader was last renewed. The process may have
// been stopped since then, and another replica may lead.
type Lease struct {
	valid time.Duration

	mu      sync.Mutex
	renewed moment
}

// NewLease returns a lease that is held for so long after each renewal.
func NewLease(valid time.Duration) *Lease { return &Lease{valid: valid} }

// Held reports whether the lease was renewed recently.
func (l *Lease) Held() bool { return l.heldAt(now()) }

func (l *Lease) heldAt(at moment) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.renewed.wall.IsZero() && at.since(l.renewed) < l.valid
}

// observe notes a renewal that was requested at that moment, if the API server
// accepted it.
func (l *Lease) observe(at moment, request *http.Request, response *http.Response) {
	if request.Method == http.MethodGet || response.StatusCode >= http.StatusMultipleChoices || !strings.Contains(request.URL.Path, "/apis/coordination.k8s.io/") {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewed = at
}

// A moment is a time by two clocks. The monotonic clock stops while the machine is
// suspended. The wall clock can be set back.
type moment struct {
	wall      time.Time
	monotonic time.Duration
}

var started = time.Now()

func now() moment {
	t := time.Now()
	return moment{wall: t.Round(0), monotonic: t.Sub(started)}
}

// since returns the time since an earlier moment, by the clock that saw more of it.
func (m moment) since(earlier moment) time.Duration {
	return max(m.wall.Sub(earlier.wall), m.monotonic-earlier.monotonic)
}
