// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/pem"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/webhooktest"
)

// A pod is read whatever its size, and what is too much to be kept is refused by an
// answer that the API server does not take for a failed call.
func TestLargePods(t *testing.T) {
	everything := `"tolerations":[{"operator":"Exists"}]`
	env := `,"containers":[{"env":[` + strings.Repeat(`{"name":"A","value":"b"},`, 200_000) + `{}]}]`
	escaped := `,"volumes":[{"name":"` + strings.Repeat(`\u003c`, 1536<<10) + `"}]`
	nested := `,"overhead":` + strings.Repeat(`[`, 1_000_000) + strings.Repeat(`]`, 1_000_000)
	labels := `,"nodeSelector":{` + members(60_000) + `}`
	for _, test := range []struct {
		name, operation, old, spec string
		code                       int
		want                       string
	}{
		{"many values", "CREATE", "", everything + env, 403, "not allowed in namespace"},
		{"escaped", "CREATE", "", everything + escaped, 403, "not allowed in namespace"},
		{"escaped twice", "UPDATE", `"nodeSelector":{}` + escaped, everything + escaped, 403, "not allowed in namespace"},
		{"deep", "CREATE", "", everything + nested, 403, "not allowed in namespace"},
		{"labels", "CREATE", "", everything + labels, 400, errTooMuch.Error()},
		{"labels of an update", "UPDATE", everything + labels, everything + labels, 400, errTooMuch.Error()},
		{
			"tolerations", "CREATE", "", `"tolerations":[` + strings.Repeat(`{"operator":"Exists"},`, 50_000) + `{}]`,
			400, errTooMuch.Error(),
		},
		{"a key", "CREATE", "", `"tolerations":[{"key":"` + strings.Repeat(`x`, 5<<20) + `"}]`, 400, errTooMuch.Error()},
		{
			"a toleration more", "UPDATE", `"tolerations":[{"key":"a"}]`,
			`"tolerations":[{"key":"a"},{"key":"` + strings.Repeat(`x`, 5<<20) + `"}]`, 400, errTooMuch.Error(),
		},
	} {
		old := "null"
		if test.old != "" {
			old = spec(test.old)
		}
		about := `"resource":{"group":"","version":"v1","resource":"pods"},"namespace":"web","operation":"` + test.operation + `"`
		now, before := `"object":`+spec(test.spec), `"oldObject":`+old
		for _, members := range [][]string{{about, now, before}, {now, before, about}, {about, before, now}} {
			r := mustAsk(t, handler(testPolicy(t)), "/validate", []byte(
				`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",`+strings.Join(members, ",")+`}}`,
			))
			if r.Allowed || r.Status.Code != test.code || !strings.Contains(r.Status.Message, test.want) {
				t.Errorf("%s: %+v", test.name, r.Status)
			}
		}
	}
}

// A gate is the rest of a large body. Whoever reads it has come in, and waits.
type gate struct {
	inside  *atomic.Int32
	entered chan<- int32
	leave   <-chan struct{}
	rest    io.Reader
}

func (g *gate) Read(p []byte) (int, error) {
	if g.entered != nil {
		g.entered <- g.inside.Add(1)
		<-g.leave
		g.inside.Add(-1)
		g.entered = nil
	}
	return g.rest.Read(p)
}

// Of many large reviews few are read at once, and nothing else waits for them.
func TestFewLargeAtOnce(t *testing.T) {
	const all = 32
	h := handler(testPolicy(t))
	review := reviewOf("CREATE", "web", tolerating("spot"), nil)
	entered, leave, codes := make(chan int32), make(chan struct{}), make(chan int, all)
	var inside atomic.Int32
	for range all {
		head := strings.NewReader(strings.Repeat(" ", smallBody))
		rest := &gate{&inside, entered, leave, bytes.NewReader(review)}
		r := httptest.NewRequest("POST", "/validate", io.MultiReader(head, rest))
		r.Header.Set("Content-Type", "application/json")
		go func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			codes <- w.Code
		}()
	}
	for range mostLarge {
		<-entered
	}
	if code, _ := ask(h, "/validate", review); code != http.StatusOK {
		t.Errorf("a small review: %d", code)
	}
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil)); w.Code != http.StatusOK {
		t.Errorf("healthz: %d", w.Code)
	}
	for i := range all {
		leave <- struct{}{}
		if i >= all-mostLarge {
			continue
		}
		if n := <-entered; n > mostLarge {
			t.Errorf("%d at once", n)
		}
	}
	for range all {
		if code := <-codes; code != http.StatusOK {
			t.Errorf("code %d", code)
		}
	}
}

// Who waits for room does so no longer than for an answer.
func TestNoRoom(t *testing.T) {
	full := make(chan struct{}, 1)
	full <- struct{}{}
	v := reviewer{"mutate", fixed(testPolicy(t)), (*Policy).mutateRequest, newMetrics(), slog.New(slog.DiscardHandler), full}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(gone, "POST", "/mutate", strings.NewReader(strings.Repeat(" ", smallBody)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	if v.ServeHTTP(w, r); w.Code != http.StatusServiceUnavailable || len(full) != 1 {
		t.Errorf("code %d: %s", w.Code, w.Body)
	}
}

// Requests that wait have a connection of their own, with clients that prefer to
// share one.
func TestNoHTTP2(t *testing.T) {
	some := httptest.NewTLSServer(http.NotFoundHandler()) // has a certificate
	defer some.Close()
	listener := open(t)
	server := &Server{
		Policies: fixed(testPolicy(t)), Log: slog.New(slog.DiscardHandler),
		TLS: &tls.Config{Certificates: some.TLS.Certificates}, Drain: time.Minute,
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- server.Serve(ctx, listener, nil) }()
	client := webhooktest.Trusting(t, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: some.Certificate().Raw}))
	response, err := client.Get("https://" + listener.Addr().String() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.ProtoMajor != 1 {
		t.Errorf("it speaks %s", response.Proto)
	}
	client.CloseIdleConnections()
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
