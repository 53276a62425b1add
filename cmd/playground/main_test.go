// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints/cmd/playground/internal/play"
)

// testFiles returns the page around something that stands for the WebAssembly.
func testFiles(t *testing.T) []file {
	t.Helper()
	files, err := assemble(bytes.Repeat([]byte("wasm"), 1_000_000), []byte("support"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-h"}, 0, "Usage: playground"},
		{[]string{"-x"}, 2, "flag provided but not defined: -x"},
		{[]string{"dir"}, 2, `unexpected argument "dir"`},
		{[]string{"-addr", "nowhere:x"}, 1, "playground: listen tcp"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), test.args, &out, &errs); code != test.code ||
			!strings.Contains(errs.String(), test.says) || out.Len() > 0 {
			t.Errorf("run(%q) = %d with %q and %q, want %d with %q",
				test.args, code, out.String(), errs.String(), test.code, test.says)
		}
	}
}

func TestAddressInUse(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"-addr", listener.Addr().String()}, &out, &errs)
	if code != 1 || !strings.Contains(errs.String(), "address already in use") {
		t.Errorf("code %d with %q", code, errs.String())
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
	server := httptest.NewServer(newHandler(testFiles(t)))
	defer server.Close()
	client := http.Client{Transport: &http.Transport{DisableCompression: true}}
	get := func(method, path string, header ...string) (*http.Response, []byte) {
		t.Helper()
		r, err := http.NewRequest(method, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response, body
	}

	for path, mime := range map[string]string{
		"/":             "text/html; charset=utf-8",
		"/app.js":       "text/javascript; charset=utf-8",
		"/wasm_exec.js": "text/javascript; charset=utf-8",
		"/style.css":    "text/css; charset=utf-8",
		"/icon.svg":     "image/svg+xml",
		"/taints.wasm":  "application/wasm",
	} {
		plain, body := get("GET", path)
		if plain.StatusCode != 200 || plain.Header.Get("Content-Type") != mime ||
			plain.Header.Get("Content-Encoding") != "" || len(body) == 0 {
			t.Errorf("%s: %s with %v", path, plain.Status, plain.Header)
		}
		if plain.Header.Get("Content-Security-Policy") != policy+"; frame-ancestors 'none'" ||
			plain.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s lacks headers that protect: %v", path, plain.Header)
		}
		for accepts, want := range map[string]bool{
			"gzip": true, "deflate, gzip;q=1.0": true, "*": true, "br": false,
			"gzip;q=0, *": false, "": false,
		} {
			response, again := get("GET", path, "Accept-Encoding", accepts)
			if path == "/wasm_exec.js" {
				want = false // so short that it does not get smaller
			}
			if got := response.Header.Get("Content-Encoding") == "gzip"; got != want {
				t.Errorf("%s for a client that accepts %q is compressed: %v", path, accepts, got)
			}
			if want {
				again = unpack(t, again)
			}
			if !bytes.Equal(body, again) {
				t.Errorf("%s for a client that accepts %q is another", path, accepts)
			}
			tag := response.Header.Get("ETag")
			cached, _ := get("GET", path, "Accept-Encoding", accepts, "If-None-Match", tag)
			if cached.StatusCode != http.StatusNotModified {
				t.Errorf("%s with the tag %s: %s", path, tag, cached.Status)
			}
		}
		if head, body := get("HEAD", path); head.StatusCode != 200 || len(body) > 0 {
			t.Errorf("HEAD %s: %s", path, head.Status)
		}
		if post, _ := get("POST", path); post.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: %s", path, post.Status)
		}
	}
	for _, path := range []string{"/index.html", "/x", "/app.js/", "/../main.go"} {
		if response, _ := get("GET", path); response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, response.Status)
		}
	}
}

func unpack(t *testing.T, b []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plain
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
	for range 2 { // the second time over the first
		if err := writeFiles(dir, files); err != nil {
			t.Fatal(err)
		}
	}
	var want, got []string
	for _, f := range files {
		plain, err := os.ReadFile(filepath.Join(dir, f.name))
		if err != nil || !bytes.Equal(plain, f.plain) {
			t.Errorf("%s is not what it should be: %v", f.name, err)
		}
		want = append(want, f.name)
		if f.compressed != nil {
			want = append(want, f.name+".gz")
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if err := writeFiles(filepath.Join(dir, "app.js"), files); err == nil {
		t.Error("it writes into a file")
	}
}

// TestPage checks that the page names only files that are there, and says how
// large they are.
func TestPage(t *testing.T) {
	files := testFiles(t)
	index := string(files[len(files)-1].plain)
	for _, f := range files[1 : len(files)-1] {
		if !strings.Contains(index, `"`+f.name+`"`) {
			t.Errorf("the page does not load %s", f.name)
		}
	}
	s := sizesOf(files)
	for _, want := range []string{
		"This page loads " + kilobytes(s.compressed) + " compressed, " + kilobytes(s.plain) + " uncompressed",
		`content="` + strings.ReplaceAll(policy, "'", "&#39;") + `"`,
	} {
		if !strings.Contains(index, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
	for _, never := range []string{"http://", "style=", "onclick", "<script>", "ZgotmplZ"} {
		if strings.Contains(index, never) {
			t.Errorf("the page has %s", never)
		}
	}
}

func TestKilobytes(t *testing.T) {
	for n, want := range map[int]string{
		0:         "0 KB",
		1:         "1 KB",
		1000:      "1 KB",
		1001:      "2 KB",
		999_000:   "999 KB",
		999_001:   "1,000 KB",
		2_952_278: "2,953 KB",
		3_001_500: "3,002 KB",
	} {
		if got := kilobytes(n); got != want {
			t.Errorf("kilobytes(%d) = %q, want %q", n, got, want)
		}
	}
}

// TestSamples checks that the answers to the samples are those that their notes tell of.
func TestSamples(t *testing.T) {
	want := map[string][2]string{
		"pending":     {"The pod cannot be scheduled on the node", "A running pod stays on the node"},
		"empty-value": {"The pod cannot be scheduled on the node", "A running pod stays on the node"},
		"which-time": {
			"The pod can be scheduled on the node",
			"A running pod is evicted at 2026-11-21 12:01:00 UTC",
		},
		"no-key":    {"The pod can be scheduled on the node", "A running pod stays on the node"},
		"lt-gt":     {"The pod cannot be scheduled on the node", "A running pod is evicted immediately"},
		"daemonset": {"The pod cannot be scheduled on the node", "A running pod stays on the node"},
		"five-minutes": {
			"The pod cannot be scheduled on the node",
			"A running pod is evicted at 2026-11-21 12:05:00 UTC",
		},
	}
	for _, s := range samples {
		fragment, found := strings.CutPrefix(s.Link(), "#")
		values, err := url.ParseQuery(fragment)
		if !found || err != nil || values.Get("sample") != s.ID {
			t.Fatalf("%s links to %q: %v", s.ID, s.Link(), err)
		}
		text, err := json.Marshal(play.Answer(play.NewState(values.Get)))
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Placement, Eviction struct{ Text string }
			Problems            []any
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			t.Fatal(err)
		}
		got := [2]string{answer.Placement.Text, answer.Eviction.Text}
		if got != want[s.ID] || len(answer.Problems) > 0 {
			t.Errorf("%s is answered by %q with the problems %v, want %q", s.ID, got, answer.Problems, want[s.ID])
		}
	}
	if len(samples) != len(want) {
		t.Errorf("%d samples, %d answers", len(samples), len(want))
	}
}
