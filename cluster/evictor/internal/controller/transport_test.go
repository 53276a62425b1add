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

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/rows"
)

// adapted returns the transport of a client whose requests f answers.
func adapted(l *Lease, f func(*http.Request) (*http.Response, error)) http.RoundTripper {
	config := &rest.Config{}
	AdaptTransport(config, l)
	return config.WrapTransport(fake.CreateHTTPClient(f).Transport)
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
// could never succeed, is canceled, or has a deadline. A busy API server is asked once,
// unless the client lists or watches, and the error has the time after which to ask again.
func TestRequests(t *testing.T) {
	const outage, deadline = 30 * time.Second, 15 * time.Second
	errs := map[string]error{"refused": refused, "reset": reset, "EOF": io.EOF, "unknown authority": x509.UnknownAuthorityError{}}
	type test struct {
		Method, Error   string          // of the outage
		Busy, Body      string          // the type and the body of each answer
		Patience, After metav1.Duration // of the caller, and when the call returns
		Requests        int
	}
	for _, tc := range rows.Read[test](t, "requests.yaml") {
		synctest.Test(t, func(t *testing.T) {
			begin, requests := time.Now(), 0
			config := &rest.Config{ContentConfig: rest.ContentConfig{NegotiatedSerializer: scheme.Codecs}}
			config.Transport = adapted(&Lease{}, func(*http.Request) (*http.Response, error) {
				requests++
				answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(tc.Body))}
				switch {
				case tc.Busy != "":
					answer.StatusCode, answer.Header = http.StatusTooManyRequests, http.Header{"Retry-After": {"7"}, "Content-Type": {tc.Busy}}
				case time.Since(begin) < outage:
					return nil, errs[tc.Error]
				}
				return answer, nil
			})
			client := taints.Must(rest.UnversionedRESTClientFor(config))
			ctx, cancel := context.WithCancel(t.Context())
			if tc.Patience.Duration == deadline {
				ctx, cancel = context.WithTimeout(ctx, deadline)
			}
			defer cancel()
			time.AfterFunc(tc.Patience.Duration, cancel)
			err := client.Verb(tc.Method).AbsPath("/api/v1/nodes/n").Do(ctx).Error()
			want := errs[tc.Error]
			if tc.After.Duration == outage {
				want = nil
			}
			seconds, _ := apierrors.SuggestsClientDelay(err)
			if busy := seconds == 7 && outcome(err) == throttled; busy != (tc.Busy != "") || !busy && !errors.Is(err, want) {
				t.Errorf("%+v: got %v, and to wait for %d s", tc, err, seconds)
			}
			if after := time.Since(begin); after != tc.After.Duration || requests != tc.Requests {
				t.Errorf("%+v: returned after %v, %d requests", tc, after, requests)
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
