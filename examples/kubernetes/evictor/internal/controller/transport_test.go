// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// adapted returns the transport of a client whose requests f answers.
func adapted(f roundTripper) http.RoundTripper {
	config := &rest.Config{}
	AdaptTransport(config)
	return config.WrapTransport(f)
}

// A client would sleep for ten seconds and repeat the write.
func TestWritesAreNotRepeated(t *testing.T) {
	transport := adapted(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"10"}}}, nil
	})
	for method, want := range map[string]string{
		http.MethodGet:    "10",
		http.MethodPost:   "",
		http.MethodDelete: "",
		http.MethodPatch:  "",
	} {
		response, err := transport.RoundTrip(&http.Request{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if got := response.Header.Get("Retry-After"); got != want {
			t.Errorf("%s: Retry-After %q, want %q", method, got, want)
		}
	}
}

var (
	refused = &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	reset   = &net.OpError{Op: "read", Err: syscall.ECONNRESET}
)

// A read waits for the API server; a write does not, and neither does a read that
// could never succeed.
func TestReadsWait(t *testing.T) {
	for _, tc := range []struct {
		method string
		err    error
		after  time.Duration // when the caller hears of it
		reads  int
	}{
		{http.MethodGet, refused, 30 * time.Second, 31},
		{http.MethodGet, reset, 30 * time.Second, 31},
		{http.MethodGet, io.EOF, 30 * time.Second, 31},
		{http.MethodGet, x509.UnknownAuthorityError{}, 0, 1},
		{http.MethodPost, refused, 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			begin, reads := time.Now(), 0
			transport := adapted(func(*http.Request) (*http.Response, error) {
				if reads++; time.Since(begin) < 30*time.Second {
					return nil, tc.err
				}
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}}, nil
			})
			_, err := transport.RoundTrip(&http.Request{Method: tc.method, URL: &url.URL{}})
			if after := time.Since(begin); after != tc.after || reads != tc.reads {
				t.Errorf("%s, %v: returned after %v, %d attempts", tc.method, tc.err, after, reads)
			}
			if (err == nil) != (tc.after > 0) {
				t.Errorf("%s, %v: returned %v", tc.method, tc.err, err)
			}
		})
	}
}

func TestACanceledRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		request := (&http.Request{Method: http.MethodGet, URL: &url.URL{}}).WithContext(ctx)
		_, err := adapted(func(*http.Request) (*http.Response, error) { return nil, refused }).RoundTrip(request)
		if !errors.Is(err, syscall.ECONNREFUSED) || time.Since(begin) != 2500*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}

func TestUnreachable(t *testing.T) {
	failed := func(err error) error { return &url.Error{Op: "Post", URL: "https://10.0.0.1", Err: err} }
	for _, tc := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{failed(refused), true},
		{failed(reset), true},
		{failed(io.ErrUnexpectedEOF), true},
		{apierrors.NewServiceUnavailable("not yet"), true},
		{failed(context.DeadlineExceeded), false},
		{context.DeadlineExceeded, false},
		{failed(x509.UnknownAuthorityError{}), false},
		{apierrors.NewInternalError(errors.New("etcd is gone")), false},
		{apierrors.NewForbidden(corev1.Resource("pods"), "web", errors.New("no")), false},
	} {
		if got := unreachable(tc.err); got != tc.want {
			t.Errorf("%v: %v", tc.err, got)
		}
	}
}

// While the API server is gone, retries do not slow down.
func TestEvictionsThroughAnOutage(t *testing.T) {
	const outage = 10 * time.Minute
	inWorld(t, fromTimeAdded, func(w *world) {
		w.addPod("web", "n", nil)
		w.fail = func(string) error {
			if w.now().Before(begin.Add(outage)) {
				return &url.Error{Op: "Post", URL: "https://10.0.0.1", Err: refused}
			}
			return nil
		}
		w.setNode("n", taint("a:NoExecute", begin))
		w.pass(outage + outageRetry*3/2)
		w.wantCount(done, 1)
		w.wantEvents(marking)
	})
}
