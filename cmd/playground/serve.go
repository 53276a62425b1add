// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// serve serves the files until the context is done.
func serve(ctx context.Context, listener net.Listener, files []file) error {
	server := &http.Server{Handler: newHandler(files), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	atMost, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if err := server.Shutdown(atMost); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	<-done // which closes the listener, if Shutdown was sooner than Serve
	return nil
}

// newHandler returns a handler of the files, with the page at the root.
func newHandler(files []file) http.Handler {
	mux := http.NewServeMux()
	for _, f := range files {
		name := f.name
		if name == "index.html" {
			name = "{$}"
		}
		mux.Handle("GET /"+name, newFileHandler(f))
	}
	return mux
}

// A fileHandler serves one file, compressed for those who take that.
type fileHandler struct {
	file
	tag string
}

func newFileHandler(f file) fileHandler {
	sum := sha256.Sum256(f.plain)
	return fileHandler{f, hex.EncodeToString(sum[:8])}
}

// ServeHTTP implements [http.Handler].
func (f fileHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.mime)
	h.Set("Content-Security-Policy", policy+"; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache") // ask again, which the tag answers
	content, tag := f.plain, `"`+f.tag+`"`
	if f.compressed != nil {
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			content, tag = f.compressed, `"`+f.tag+`-gzip"`
		}
	}
	h.Set("ETag", tag)
	http.ServeContent(w, r, f.name, time.Time{}, bytes.NewReader(content))
}

// acceptsGzip reports whether the header names gzip, or all, without the weight 0.
func acceptsGzip(header string) bool {
	for _, part := range strings.Split(header, ",") {
		coding, weight, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
		if !strings.EqualFold(coding, "gzip") && coding != "*" {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimPrefix(weight, "q="), 64)
		return err != nil || q > 0
	}
	return false
}
