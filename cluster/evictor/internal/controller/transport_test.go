// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/rest/fake"
)

// adapted returns the transport of a client whose requests f answers.
func adapted(l *Lease, f func(*http.Request) (*http.Response, error)) http.RoundTripper {
	config := &rest.Config{}
	AdaptTransport(config, l)
	return config.WrapTransport(fake.CreateHTTPClient(f).Transport)
}

// A client asks a busy API server once, unless it lists or watches, and its error has the
// time after which to ask again.
func TestBusy(t *testing.T) {
	const text, object = "Too many requests, please try again later.",
		`{"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": 429, "reason": "TooManyRequests", "details": {"retryAfterSeconds": 7}}`
	for _, tc := range []struct {
		contentType, body string
		deadline          bool
	}{
		{"text/plain; charset=utf-8", text, true},
		{"application/json", object, true},
		{"text/plain; charset=utf-8", text, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			requests := 0
			config := &rest.Config{ContentConfig: rest.ContentConfig{NegotiatedSerializer: scheme.Codecs}}
			config.Transport = adapted(&Lease{}, func(*http.Request) (*http.Response, error) {
				requests++
				header := http.Header{"Retry-After": {"7"}, "Content-Type": {tc.contentType}}
				return &http.Response{StatusCode: http.StatusTooManyRequests, Header: header, Body: io.NopCloser(strings.NewReader(tc.body))}, nil
			})
			client, err := rest.UnversionedRESTClientFor(config)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := t.Context(), func() {}
			if tc.deadline {
				ctx, cancel = context.WithTimeout(ctx, time.Hour)
			}
			defer cancel()
			err = client.Get().AbsPath("/api/v1/nodes/n").Do(ctx).Error()
			if seconds, _ := apierrors.SuggestsClientDelay(err); seconds != 7 || outcome(err) != throttled || (requests == 1) != tc.deadline {
				t.Errorf("%+v: %d requests, and to wait for %d s after %v", tc, requests, seconds, err)
			}
		})
	}
}

// A write of the lease that the API server accepts is a renewal.
func TestRenewals(t *testing.T) {
	const lease, pods = "/apis/coordination.k8s.io/v1/namespaces/n/leases", "/api/v1/namespaces/n/pods"
	for _, tc := range []struct {
		method, path string
		code         int
		held         bool
	}{
		{http.MethodPost, lease, http.StatusCreated, true},
		{http.MethodPut, lease, http.StatusOK, true},
		{http.MethodPut, lease, http.StatusConflict, false},
		{http.MethodGet, lease, http.StatusOK, false},
		{http.MethodPost, pods, http.StatusCreated, false},
	} {
		l := NewLease(time.Hour)
		transport := adapted(l, func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: tc.code, Header: http.Header{}}, nil
		})
		_, err := transport.RoundTrip(&http.Request{Method: tc.method, URL: &url.URL{Path: tc.path}})
		if err != nil || l.Held() != tc.held {
			t.Errorf("%+v: held %v, %v", tc, l.Held(), err)
		}
	}
}

var (
	refused = &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	reset   = &net.OpError{Op: "read", Err: syscall.ECONNRESET}
)

// A read waits for the API server; a write does not, and neither does a read that
// could never succeed, is canceled, or has a deadline.
func TestReadsWait(t *testing.T) {
	const outage, deadline = 30 * time.Second, 15 * time.Second
	for _, tc := range []struct {
		method   string
		err      error
		patience time.Duration // of the caller
		after    time.Duration // when the call returns
		reads    int
	}{
		{http.MethodGet, refused, time.Hour, outage, 31},
		{http.MethodGet, reset, time.Hour, outage, 31},
		{http.MethodGet, io.EOF, time.Hour, outage, 31},
		{http.MethodGet, refused, 2500 * time.Millisecond, 2500 * time.Millisecond, 3},
		{http.MethodGet, x509.UnknownAuthorityError{}, time.Hour, 0, 1},
		{http.MethodPost, refused, time.Hour, 0, 1},
		{http.MethodGet, refused, deadline, 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			begin, reads := time.Now(), 0
			transport := adapted(&Lease{}, func(*http.Request) (*http.Response, error) {
				if reads++; time.Since(begin) < outage {
					return nil, tc.err
				}
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}}, nil
			})
			ctx, cancel := context.WithCancel(t.Context())
			if tc.patience == deadline {
				ctx, cancel = context.WithTimeout(ctx, deadline)
			}
			defer cancel()
			time.AfterFunc(tc.patience, cancel)
			request := &http.Request{Method: tc.method, URL: &url.URL{}}
			_, err := transport.RoundTrip(request.WithContext(ctx))
			want := tc.err
			if tc.after == outage {
				want = nil
			}
			if after := time.Since(begin); after != tc.after || reads != tc.reads || err != want {
				t.Errorf("%s, %v: returned %v after %v, %d attempts", tc.method, tc.err, err, after, reads)
			}
		})
	}
}

// A lease is held until one of the clocks says that its time is over.
func TestLease(t *testing.T) {
	for _, tc := range []struct {
		wall, monotonic time.Duration // since the renewal
		held            bool
	}{
		{0, 0, true},
		{9 * s, 9 * s, true},
		{10 * s, 10 * s, false},
		{time.Hour, s, false},     // the machine was suspended
		{-time.Hour, 9 * s, true}, // the wall clock was set back
		{-time.Hour, 10 * s, false},
	} {
		l := NewLease(10 * s)
		l.renewed = moment{begin, time.Minute}
		if got := l.heldAt(moment{begin.Add(tc.wall), time.Minute + tc.monotonic}); got != tc.held {
			t.Errorf("after %v by the wall clock and %v by the monotonic one: held is %v", tc.wall, tc.monotonic, got)
		}
	}
}
