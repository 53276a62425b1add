// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/cmd/playground/internal/play"
	"github.com/seed-0529bac1/taints/internal/test/golden"
)

func TestUsage(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // without the toolchain
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-h"}, 0, "Usage: playground"},
		{[]string{"-x"}, 2, "flag provided but not defined: -x"},
		{[]string{"dir"}, 2, `unexpected argument "dir"`},
		{[]string{"-addr", "nowhere:x"}, 1, "playground: listen tcp"},
		{[]string{"-o", t.TempDir()}, 1, "cannot find the go command, which builds the WebAssembly"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), test.args, &out, &errs); code != test.code ||
			!strings.Contains(errs.String(), test.says) || out.Len() > 0 {
			t.Errorf("run(%q) = %d with %q and %q, want %d with %q",
				test.args, code, out.String(), errs.String(), test.code, test.says)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := build(ctx, t.TempDir()); err == nil || err.Error() != "interrupted" {
		t.Errorf("build returned %v", err)
	}
}

// TestServe starts the program, gets its files, and interrupts it.
func TestServe(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds WebAssembly")
	}
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	code := make(chan int)
	go func() { code <- run(ctx, []string{"-addr", "127.0.0.1:0"}, out, t.Output()) }()
	line, err := bufio.NewReader(in).ReadString(';')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSuffix(line, ";")
	for path, mime := range map[string]string{
		"":             "text/html; charset=utf-8",
		"app.js":       "text/javascript; charset=utf-8",
		"wasm_exec.js": "text/javascript; charset=utf-8",
		"style.css":    "text/css; charset=utf-8",
		"icon.svg":     "image/svg+xml",
		"taints.wasm":  "application/wasm",
	} {
		r, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if got := r.Header.Get("Content-Type"); r.StatusCode != http.StatusOK || got != mime {
			t.Errorf("%s: %s of type %s", path, r.Status, got)
		}
	}
	cancel()
	if c := <-code; c != 0 {
		t.Errorf("exit code %d", c)
	}
}

// TestPage checks that the page loads only its own files.
func TestPage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 { // the second time over the first files
		if err := writePage(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := writePage(filepath.Join(dir, "app.js")); err == nil {
		t.Error("it writes into a file")
	}
	index, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, never := range []string{"http://", "style=", "onclick", "<script>", "ZgotmplZ"} {
		if strings.Contains(string(index), never) {
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
		for _, p := range answer.Problems {
			if !p.Note {
				t.Errorf("%s has the problem %v", s.ID, p)
			}
		}
	}
	golden.Compare(t, "samples", answers.String())
}
