// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/cmd/playground/internal/play"
	"github.com/seed-0529bac1/taints/internal/golden"
)

// testFiles returns the page with a placeholder for the WebAssembly.
func testFiles(t *testing.T) []file {
	t.Helper()
	files, err := assemble(bytes.Repeat([]byte("wasm"), 1_000_000), []byte("support"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestUsage(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-h"}, 0, "Usage: playground"},
		{[]string{"-x"}, 2, "flag provided but not defined: -x"},
		{[]string{"dir"}, 2, `unexpected argument "dir"`},
		{[]string{"-addr", "nowhere:x"}, 1, "playground: listen tcp"},
		{[]string{"-addr", listener.Addr().String()}, 1, "address already in use"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), test.args, &out, &errs); code != test.code ||
			!strings.Contains(errs.String(), test.says) || out.Len() > 0 {
			t.Errorf("run(%q) = %d with %q and %q, want %d with %q",
				test.args, code, out.String(), errs.String(), test.code, test.says)
		}
	}
}

func TestNoToolchain(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := filepath.Join(t.TempDir(), "page")
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"-o", dir}, &out, &errs); code != 1 ||
		!strings.Contains(errs.String(), "cannot find the go command, which builds the WebAssembly") {
		t.Errorf("code %d with %q", code, errs.String())
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder is there, although there was nothing to write")
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := buildFiles(ctx); err == nil || err.Error() != "interrupted" {
		t.Errorf("buildFiles returned %v", err)
	}
}

func TestServe(t *testing.T) {
	handler := newHandler(testFiles(t))
	get := func(method, path string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	for path, mime := range map[string]string{
		"/":             "text/html; charset=utf-8",
		"/app.js":       "text/javascript; charset=utf-8",
		"/wasm_exec.js": "text/javascript; charset=utf-8",
		"/style.css":    "text/css; charset=utf-8",
		"/icon.svg":     "image/svg+xml",
		"/taints.wasm":  "application/wasm",
	} {
		plain := get("GET", path)
		if h := plain.Result().Header; plain.Code != 200 || h.Get("Content-Type") != mime || plain.Body.Len() == 0 ||
			h.Get("Content-Security-Policy") != policy+"; frame-ancestors 'none'" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d with %v", path, plain.Code, h)
		}
		if c := get("GET", path, "If-None-Match", plain.Header().Get("ETag")).Code; c != http.StatusNotModified {
			t.Errorf("%s with its tag: %d", path, c)
		}
		if head := get("HEAD", path); head.Code != 200 || head.Body.Len() > 0 {
			t.Errorf("HEAD %s: %d", path, head.Code)
		}
		if c := get("POST", path).Code; c != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: %d", path, c)
		}
	}
	packed := get("GET", "/taints.wasm", "Accept-Encoding", "gzip")
	if n := packed.Body.Len(); packed.Header().Get("Content-Encoding") != "gzip" || n > 100_000 {
		t.Errorf("a client that accepts gzip gets %d bytes: %v", n, packed.Header())
	}
	for _, path := range []string{"/index.html", "/x", "/app.js/", "/../main.go"} {
		if c := get("GET", path).Code; c == 200 {
			t.Errorf("%s: %d", path, c)
		}
	}
}

func TestServeEnds(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := serve(ctx, listener, testFiles(t)); err != nil {
		t.Errorf("serve returned %v", err)
	}
	if _, err := net.Dial("tcp", listener.Addr().String()); err == nil {
		t.Error("somebody still listens")
	}
}

func TestWriteFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	files := testFiles(t)
	for range 2 { // the second time over the first files
		if err := writeFiles(dir, files); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		if content, err := os.ReadFile(filepath.Join(dir, f.name)); err != nil || !bytes.Equal(content, f.content) {
			t.Errorf("%s is %q, %v", f.name, content, err)
		}
	}
	if err := writeFiles(filepath.Join(dir, "app.js"), files); err == nil {
		t.Error("it writes into a file")
	}
}

// TestPage checks that the page loads all files, and only its own.
func TestPage(t *testing.T) {
	files := testFiles(t)
	index := string(files[len(files)-1].content)
	for _, f := range files[1 : len(files)-1] {
		if !strings.Contains(index, `"`+f.name+`"`) {
			t.Errorf("the page does not load %s", f.name)
		}
	}
	if !strings.Contains(index, `content="`+strings.ReplaceAll(policy, "'", "&#39;")+`"`) {
		t.Error("the page does not have the policy")
	}
	for _, never := range []string{"http://", "style=", "onclick", "<script>", "ZgotmplZ"} {
		if strings.Contains(index, never) {
			t.Errorf("the page has %s", never)
		}
	}
}

// TestSamples checks the answers that the notes of the samples describe.
func TestSamples(t *testing.T) {
	var answers strings.Builder
	for _, s := range samples {
		fragment, found := strings.CutPrefix(s.Link(), "#")
		values, err := url.ParseQuery(fragment)
		if !found || err != nil || values.Get("sample") != s.ID {
			t.Fatalf("%s links to %q: %v", s.ID, s.Link(), err)
		}
		answer := play.NewAnswer(values.Get)
		fmt.Fprintf(&answers, "%s: %s.\n%s.\n", s.ID, answer.Placement.Text, answer.Eviction.Text)
		if len(answer.Problems) > 0 {
			t.Errorf("%s has the problems %v", s.ID, answer.Problems)
		}
	}
	golden.Compare(t, "samples", answers.String())
}
