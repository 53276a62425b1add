package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"runtime/debug"
	"time"
)

const (
	// maxBody is the most that is read of a request. An API server takes 3 MiB from a client for one object; the review of an
	// update holds two of them and an envelope.
	maxBody = 7 << 20
	// maxHeader is the most that is read of a request's header.
	maxHeader = 16 << 10

	readHeaderTimeout = 3 * time.Second
	readTimeout       = 5 * time.Second  // for the whole request
	requestTimeout    = 5 * time.Second  // for the answer to it, reading the body included
	writeTimeout      = 10 * time.Second // until the answer is sent
	idleTimeout       = 2 * time.Minute  // longer than an API server keeps an idle connection, so that it is the one to close
)

// NewServer returns a server of the policy, with limits of size and time for each request: POST /mutate and POST /validate answer
// reviews of pods, GET /healthz answers when the server runs. It writes a line to the log for each decision. The configuration
// needs a certificate. [Serve] runs it.
func NewServer(p *Policy, config *tls.Config, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           newHandler(p, log, requestTimeout),
		TLSConfig:         config,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// Serve runs the server on the listener, over TLS, until the context is done; then it waits up to so long for requests under way,
// and returns nil when all got their answers. Otherwise the error says what is wrong. The listener is closed.
func Serve(ctx context.Context, server *http.Server, listener net.Listener, drain time.Duration) error {
	failed := make(chan error, 1)
	go func() { failed <- server.ServeTLS(listener, "", "") }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		server.Close()
		return fmt.Errorf("requests were still under way after %v, and cut off", drain)
	}
	return nil
}

// newHandler returns the webhooks, and a healthz that is fine as soon as it answers.
func newHandler(p *Policy, log *slog.Logger, timeout time.Duration) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /mutate", reviewer{"mutate", p.mutateRequest, log})
	mux.Handle("POST /validate", reviewer{"validate", p.validateRequest, log})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	return http.TimeoutHandler(recovering(mux, log), timeout, "this took too long\n")
}

// recovering answers 500 where the handler panics, and logs it.
func recovering(h http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				log.Error("panic", "path", clip(r.URL.Path, 100), "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
				http.Error(w, "internal error", http.StatusInternalServerError)
			}
		}()
		h.ServeHTTP(w, r)
	})
}

// A reviewer is one webhook.
type reviewer struct {
	name   string
	decide func(*request) decision
	log    *slog.Logger
}

// ServeHTTP implements [http.Handler]. What is not a review that could be answered gets an HTTP error, as there is no uid to
// answer to. The API server then does as the webhook's failurePolicy says.
func (v reviewer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	body, code, err := readBody(w, r)
	var q *request
	if err == nil {
		q, err = readRequest(body)
	}
	if err != nil {
		v.log.Warn("bad request", "webhook", v.name, "from", r.RemoteAddr, "code", code, "reason", err.Error())
		http.Error(w, err.Error(), code)
		return
	}
	d := v.decide(q)
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(d.answer(q))
	attributes := append([]slog.Attr{slog.String("webhook", v.name)}, d.attributes(q)...)
	if err != nil {
		attributes = append(attributes, slog.String("unanswered", err.Error())) // it took too long, or nobody waits any more
	}
	v.log.LogAttrs(r.Context(), slog.LevelInfo, "decision", append(attributes, slog.Int64("microseconds", time.Since(start).Microseconds()))...)
}

// readBody returns the body, and the code that an error of it or of what is in it has.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, int, error) {
	content := r.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(content); err != nil || media != "application/json" {
		return nil, http.StatusUnsupportedMediaType, fmt.Errorf("the Content-Type is %s, not application/json", quote(content))
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("the body has more than %d bytes", maxBody)
	}
	if err != nil {
		err = fmt.Errorf("the body could not be read: %w", err)
	}
	return body, http.StatusBadRequest, err
}
