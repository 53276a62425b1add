// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

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
		w.addPod("n/"+strings.Repeat("web.", 63)+"a", nil)
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
