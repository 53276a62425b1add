// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

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
		begun := moment{begin, time.Minute}
		if l.heldAt(begun) {
			t.Error("a lease is held that was never renewed")
		}
		l.renewed = begun
		if got := l.heldAt(moment{begin.Add(tc.wall), time.Minute + tc.monotonic}); got != tc.held {
			t.Errorf("after %v by the wall clock and %v by the monotonic one: held is %v", tc.wall, tc.monotonic, got)
		}
	}
}

// A renewal is a write of a lease that the API server accepts.
func TestRenewals(t *testing.T) {
	const leases = "/apis/coordination.k8s.io/v1/namespaces/taints-evictor/leases"
	for _, tc := range []struct {
		method, path string
		code         int
		held         bool
	}{
		{http.MethodPost, leases, http.StatusCreated, true},
		{http.MethodPut, leases + "/taints-evictor", http.StatusOK, true},
		{http.MethodPut, leases + "/taints-evictor", http.StatusConflict, false},
		{http.MethodGet, leases + "/taints-evictor", http.StatusOK, false},
		{http.MethodPost, "/api/v1/namespaces/leases/pods/web/eviction", http.StatusCreated, false},
	} {
		l := NewLease(time.Hour)
		transport := adapted(l, func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: tc.code, Header: http.Header{}}, nil
		})
		_, err := transport.RoundTrip(&http.Request{Method: tc.method, URL: &url.URL{Path: tc.path}})
		if err != nil || l.Held() != tc.held {
			t.Errorf("%s %s, %d: held is %v, %v", tc.method, tc.path, tc.code, l.Held(), err)
		}
	}
}
