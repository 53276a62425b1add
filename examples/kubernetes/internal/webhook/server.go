// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"runtime/debug"
	"time"
)

const (
	// maxBody is the most that is read of a request. Up to 1.5 MiB of a pod can be
	// stored. In JSON each byte of them may take six, as in \u003c. The review of an
	// update holds two of them, and an envelope.
	maxBody = 20 << 20
	// smallBody is less than what a request is that may cost much memory, of which
	// the server reads mostLarge at once, of about 10 MiB each.
	smallBody = 64 << 10
	mostLarge = 4
	// maxHeader is the most that is read of a request's header.
	maxHeader = 16 << 10

	readHeaderTimeout = 3 * time.Second
	readTimeout       = 5 * time.Second  // for the whole request
	requestTimeout    = 5 * time.Second  // for the answer to it, reading the body included
	writeTimeout      = 10 * time.Second // until the answer is sent

	// idleTimeout is longer than an API server keeps an idle connection, so that
	// it is the one to close.
	idleTimeout = 2 * time.Minute
)

// A Server answers an API server's questions over HTTPS: POST /mutate and POST
// /validate take reviews of pods, with limits of size and time for each request, and
// GET /healthz answers when it runs. It writes a line to the log for each decision.
type Server struct {
	Policies *Policies
	TLS      *tls.Config // needs a certificate
	Log      *slog.Logger
	Version  string        // for the metrics
	Drain    time.Duration // how long requests under way may take when it stops

	// Registered says, for the metrics, whether the registration is in order. It is
	// nil where the program does not register the webhooks.
	Registered func() bool
}

// reloadInterval is how often the rules are looked at.
const reloadInterval = 5 * time.Second

// Serve serves on the listener until the context is done; then it waits for requests
// under way, and returns nil when all got their answers. Otherwise the error says
// what is wrong. Meanwhile it reads the rules again when they change, and serves GET
// /metrics over plain HTTP on the other listener, if there is one. The listeners are
// closed.
func (s *Server) Serve(ctx context.Context, listener, metricsListener net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer listener.Close() // a server that is closed before it has begun to serve does so later
	m := newMetrics()
	server := newServer(newHandler(s.Policies, m, s.Log, requestTimeout), s.Log)
	server.TLSConfig = s.TLS
	failed := make(chan error, 2)
	go func() { failed <- server.ServeTLS(listener, "", "") }()
	if metricsListener != nil {
		pages := newServer(metricsHandler(func() []byte { return m.page(s) }), s.Log)
		defer metricsListener.Close()
		defer pages.Close()
		go func() { failed <- pages.Serve(metricsListener) }()
	}
	go s.Policies.watch(ctx, reloadInterval, s.Log)
	select {
	case err := <-failed:
		server.Close()
		return err
	case <-ctx.Done():
	}
	drain, stop := context.WithTimeout(context.Background(), s.Drain)
	defer stop()
	if err := server.Shutdown(drain); err != nil {
		server.Close()
		return fmt.Errorf("requests were still under way after %v, and cut off", s.Drain)
	}
	return nil
}

// Listen listens on the addresses of the webhooks and of the metrics; the latter is
// none where the address is "0".
func Listen(addr, metricsAddr string) (listener, metrics net.Listener, err error) {
	if listener, err = net.Listen("tcp", addr); err != nil || metricsAddr == "0" {
		return listener, nil, err
	}
	if metrics, err = net.Listen("tcp", metricsAddr); err != nil {
		listener.Close()
		return nil, nil, err
	}
	return listener, metrics, nil
}

// Address returns the address of a listener, "0" for none.
func Address(listener net.Listener) string {
	if listener == nil {
		return "0"
	}
	return listener.Addr().String()
}

// newServer returns a server with the limits for each connection. It speaks HTTP/1.1
// only: over HTTP/2 requests that wait would fill the buffer of a connection that
// they share with the one that they wait for.
func newServer(h http.Handler, log *slog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Protocols:         protocols,
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// newHandler returns the webhooks, and a healthz that is fine as soon as it answers.
func newHandler(p *Policies, m *metrics, log *slog.Logger, timeout time.Duration) http.Handler {
	mux := http.NewServeMux()
	large := make(chan struct{}, mostLarge)
	mux.Handle("POST /mutate", reviewer{"mutate", p, (*Policy).mutateRequest, m, log, large})
	mux.Handle("POST /validate", reviewer{"validate", p, (*Policy).validateRequest, m, log, large})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	return m.counting(http.TimeoutHandler(recovering(mux, log), timeout, "this took too long\n"))
}

// metricsHandler serves the page of metrics.
func metricsHandler(page func() []byte) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		w.Write(page()) // an error is that of somebody who does not wait
	})
	return mux
}

// recovering answers 500 where the handler panics, and logs it.
func recovering(h http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				log.Error("panic", "path", clip(r.URL.Path, 100),
					"panic", fmt.Sprint(v), "stack", string(debug.Stack()))
				http.Error(w, "internal error", http.StatusInternalServerError)
			}
		}()
		h.ServeHTTP(w, r)
	})
}

// A reviewer is one webhook.
type reviewer struct {
	name     string
	policies *Policies
	decide   func(*Policy, *request) decision
	metrics  *metrics
	log      *slog.Logger
	large    chan struct{} // has an element for each large request that is read
}

// ServeHTTP implements [http.Handler]. What is not a review that could be answered
// gets an HTTP error, as there is no uid to answer to. The API server then does as
// the webhook's failurePolicy says.
func (v reviewer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	body := bufio.NewReaderSize(http.MaxBytesReader(w, r.Body, maxBody), smallBody)
	leave, err := v.enter(r, body)
	defer leave()
	var q *request
	if err == nil {
		q, err = readRequest(body)
	}
	if err != nil {
		code := codeOf(err)
		v.log.Warn("bad request", "webhook", v.name, "from", r.RemoteAddr, "code", code, "reason", err.Error())
		http.Error(w, err.Error(), code)
		return
	}
	d := v.decide(v.policies.Policy(), q)
	v.metrics.decided(v.name, d)
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(d.answer(q))
	attributes := append([]slog.Attr{slog.String("webhook", v.name)}, d.attributes(q)...)
	if err != nil {
		// It took too long, or nobody waits any longer.
		attributes = append(attributes, slog.String("unanswered", err.Error()))
	}
	v.log.LogAttrs(r.Context(), slog.LevelInfo, "decision",
		append(attributes, slog.Int64("microseconds", time.Since(start).Microseconds()))...)
}

// enter waits until there is room for the request, which the function that it returns
// gives back. Small ones have room at once, so that nobody can hold them up by sending
// large ones slowly.
func (v reviewer) enter(r *http.Request, body *bufio.Reader) (leave func(), err error) {
	content := r.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(content); err != nil || media != "application/json" {
		return func() {}, httpError{
			http.StatusUnsupportedMediaType,
			fmt.Sprintf("the Content-Type is %s, not application/json", quote(content)),
		}
	}
	if _, err := body.Peek(smallBody); err != nil {
		return func() {}, nil // which is the end, or is met again
	}
	select {
	case v.large <- struct{}{}:
		return func() { <-v.large }, nil
	case <-r.Context().Done():
		return func() {}, httpError{http.StatusServiceUnavailable, "too many large requests at once"}
	}
}

// An httpError has a code of its own.
type httpError struct {
	code int
	text string
}

func (e httpError) Error() string { return e.text }

// codeOf returns the code of an answer that is only an error.
func codeOf(err error) int {
	var own httpError
	switch {
	case errors.As(err, &own):
		return own.code
	case errors.As(err, new(*http.MaxBytesError)):
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusBadRequest
}
