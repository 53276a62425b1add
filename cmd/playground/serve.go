// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/klauspost/compress/gzhttp"
)

// serve serves the files until the context is done.
func serve(ctx context.Context, listener net.Listener, files []file) error {
	server := &http.Server{Handler: newHandler(files), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// newHandler returns a handler for the files, with the page at the root.
func newHandler(files []file) http.Handler {
	mux := http.NewServeMux()
	for _, f := range files {
		name := f.name
		if name == "index.html" {
			name = "{$}"
		}
		tag := fmt.Sprintf(`W/"%x"`, sha256.Sum256(f.content))
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h.Set("Content-Security-Policy", policy+"; frame-ancestors 'none'")
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Referrer-Policy", "no-referrer")
			h.Set("Cache-Control", "no-cache") // revalidate each time, by the tag
			h.Set("ETag", tag)
			http.ServeContent(w, r, f.name, time.Time{}, bytes.NewReader(f.content))
		})
	}
	return gzhttp.GzipHandler(mux)
}
