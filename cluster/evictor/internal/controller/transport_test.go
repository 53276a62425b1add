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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/rest/fake"

	"github.com/seed-0529bac1/taints/cluster/internal/rows"
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
	type test struct {
		ContentType, Body string
		Deadline          bool
	}
	for _, tc := range rows.Read[test](t, "busy.yaml") {
		synctest.Test(t, func(t *testing.T) {
			requests := 0
			config := &rest.Config{ContentConfig: rest.ContentConfig{NegotiatedSerializer: scheme.Codecs}}
			config.Transport = adapted(&Lease{}, func(*http.Request) (*http.Response, error) {
				requests++
				header := http.Header{"Retry-After": {"7"}, "Content-Type": {tc.ContentType}}
				return &http.Response{StatusCode: http.StatusTooManyRequests, Header: header, Body: io.NopCloser(strings.NewReader(tc.Body))}, nil
			})
			client, err := rest.UnversionedRESTClientFor(config)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := t.Context(), func() {}
			if tc.Deadline {
				ctx, cancel = context.WithTimeout(ctx, time.Hour)
			}
			defer cancel()
			err = client.Get().AbsPath("/api/v1/nodes/n").Do(ctx).Error()
			if seconds, _ := apierrors.SuggestsClientDelay(err); seconds != 7 || outcome(err) != throttled || (requests == 1) != tc.Deadline {
				t.Errorf("%+v: %d requests, and to wait for %d s after %v", tc, requests, seconds, err)
			}
		})
	}
}

// A write of the lease that the API server accepts is a renewal.
func TestRenewals(t *testing.T) {
	type test struct {
		Method, Path string
		Code         int
		Held         bool
	}
	for _, tc := range rows.Read[test](t, "renewals.yaml") {
		l := NewLease(time.Hour)
		transport := adapted(l, func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: tc.Code, Header: http.Header{}}, nil
		})
		_, err := transport.RoundTrip(&http.Request{Method: tc.Method, URL: &url.URL{Path: tc.Path}})
		if err != nil || l.Held() != tc.Held {
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
	errs := map[string]error{"refused": refused, "reset": reset, "EOF": io.EOF, "unknown authority": x509.UnknownAuthorityError{}}
	type test struct {
		Method, Error   string
		Patience, After metav1.Duration // of the caller, and when the call returns
		Reads           int
	}
	for _, tc := range rows.Read[test](t, "reads.yaml") {
		synctest.Test(t, func(t *testing.T) {
			begin, reads := time.Now(), 0
			transport := adapted(&Lease{}, func(*http.Request) (*http.Response, error) {
				if reads++; time.Since(begin) < outage {
					return nil, errs[tc.Error]
				}
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}}, nil
			})
			ctx, cancel := context.WithCancel(t.Context())
			if tc.Patience.Duration == deadline {
				ctx, cancel = context.WithTimeout(ctx, deadline)
			}
			defer cancel()
			time.AfterFunc(tc.Patience.Duration, cancel)
			request := &http.Request{Method: tc.Method, URL: &url.URL{Path: "/api/v1/pods"}}
			_, err := transport.RoundTrip(request.WithContext(ctx))
			want := errs[tc.Error]
			if tc.After.Duration == outage {
				want = nil
			}
			if after := time.Since(begin); after != tc.After.Duration || reads != tc.Reads || err != want {
				t.Errorf("%s, %v: returned %v after %v, %d attempts", tc.Method, tc.Error, err, after, reads)
			}
		})
	}
}

// A lease is held until one of the clocks says that its time is over.
func TestLease(t *testing.T) {
	type test struct {
		Wall, Monotonic metav1.Duration // since the renewal
		Held            bool
	}
	for _, tc := range rows.Read[test](t, "lease.yaml") {
		l := NewLease(10 * s)
		l.renewed = moment{begin, time.Minute}
		if got := l.heldAt(moment{begin.Add(tc.Wall.Duration), time.Minute + tc.Monotonic.Duration}); got != tc.Held {
			t.Errorf("after %v by the wall clock and %v by the monotonic one: held is %v", tc.Wall, tc.Monotonic, got)
		}
	}
}
