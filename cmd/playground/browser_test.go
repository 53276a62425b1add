// SPDX-License-Identifier: Apache-2.0

//go:build !js

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/browser"
)

// TestBrowser tests the page in a headless Chromium.
func TestBrowser(t *testing.T) {
	chromium := browser.Start(t)
	dir := t.TempDir()
	if err := build(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	open := func(t *testing.T, wasm string) *browserPage { // the content type of the program
		files := http.FileServer(http.Dir(dir))
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/taints.wasm" {
				w.Header().Set("Content-Type", wasm)
			}
			if wasm == "" && r.URL.Path == "/taints.wasm" {
				http.NotFound(w, r)
				return
			}
			files.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		return openPage(t, chromium, server.URL)
	}
	text, err := os.ReadFile("testdata/page.txt")
	if err != nil {
		t.Fatal(err)
	}
	for script := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		steps := strings.Split(script, "\n")
		t.Run(steps[0], func(t *testing.T) {
			p := open(t, "application/wasm")
			for _, step := range steps[1:] {
				p.step(step)
			}
		})
	}
	t.Run("UnknownType", func(t *testing.T) {
		open(t, "application/octet-stream").text("#placement strong", "✕ The pod cannot be scheduled on the node")
	})
	t.Run("NoProgram", func(t *testing.T) {
		p := open(t, "")
		p.fails = true
		p.text("#loading", "Could not load the program: taints.wasm: 404")
		p.keys("#taints", "a")
		p.want("what was typed", "$('#taints').value.endsWith('NoSchedulea')", true)
	})
}

// A browserPage is the page in a tab of a browser.
type browserPage struct {
	t     *testing.T
	ctx   context.Context
	url   string
	fails bool // failure messages are expected
}

// openPage opens the page of the server. It checks that nothing is reported.
func openPage(t *testing.T, chromium context.Context, url string) *browserPage {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium)
	p := &browserPage{t: t, ctx: ctx, url: url + "/"}
	var reports []chromedp.ConsoleMessage
	read := make(chan struct{})
	messages := chromedp.Console(ctx) // opens the tab
	go func() {
		defer close(read)
		for m, err := range messages {
			if err == nil {
				reports = append(reports, m)
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		if <-read; len(reports) > 0 && !p.fails {
			t.Errorf("the browser reports %v", reports)
		}
	})
	p.visit("")
	return p
}

// step does a step of testdata/page.txt. After "->" is the text of the element, or the value
// of the expression, that the step waits for.
func (p *browserPage) step(line string) {
	p.t.Helper()
	verb, rest, _ := strings.Cut(line, " ")
	of, want, _ := strings.Cut(rest, " -> ")
	field, quoted, _ := strings.Cut(rest, " ")
	typed, noText := strconv.Unquote(quoted)
	var value any
	noValue := json.Unmarshal([]byte(want), &value)
	switch {
	case verb == "visit":
		p.visit(rest)
	case verb == "follow":
		p.follow(rest)
	case verb == "reload":
		p.do(chromedp.Reload())
	case verb == "run":
		p.run(rest)
	case verb == "width":
		width, _ := strconv.Atoi(rest)
		p.do(chromedp.EmulateViewport(int64(width), 600))
	case verb == "scheme":
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: rest}}
		p.do(browser.Emulate(emulation.SetEmulatedMediaParams{Features: features}))
	case verb == "tab":
		p.keys("", kb.Tab)
	case verb == "keys" && noText == nil:
		p.keys(field, typed)
	case verb == "text":
		p.text(of, want)
	case verb == "want" && noValue == nil:
		p.want(of, of, value)
	default:
		p.t.Fatalf("%s: unknown step", line)
	}
}

// get returns the value of an action in the tab.
func get[T any](p *browserPage, action chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		p.t.Fatal(err)
	}
	return value
}

// do runs the actions in the tab.
func (p *browserPage) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	get(p, chromedp.Steps(actions...))
}

// visit opens the page again, with the fragment.
func (p *browserPage) visit(fragment string) {
	p.t.Helper()
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(p.url+fragment))
}

// follow follows a link from the page to itself.
func (p *browserPage) follow(fragment string) {
	p.t.Helper()
	p.run(fmt.Sprintf("location.hash = %q", fragment))
}

// helpers are what scripts find and fill elements with, and ask for.
var helpers = string(taints.Must(os.ReadFile("testdata/helpers.js"))) + string(taints.Must(os.ReadFile("testdata/contrast.js")))

// run runs statements.
func (p *browserPage) run(script string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void]("{" + helpers + script + "}"))
}

// want waits for the expression to have the value. It is nil if the expression fails.
func (p *browserPage) want(what, expression string, want any) {
	p.t.Helper()
	var got any
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		got = get(p, chromedp.Evaluate[any]("((() => {"+helpers+"try { return ("+expression+") } catch { return null } })() ?? null)"))
		if reflect.DeepEqual(got, want) {
			return
		}
	}
	p.t.Fatalf("%s: %s is %#v, want %#v", what, expression, got, want)
}

// text waits for the element to have the text.
func (p *browserPage) text(selector, want string) {
	p.t.Helper()
	p.want("text", "$('"+selector+"').textContent", want)
}

// keys types into the element, or into the focused element.
func (p *browserPage) keys(selector, keys string) {
	p.t.Helper()
	if selector != "" {
		p.do(chromedp.Focus(chromedp.CSS(selector)))
	}
	p.do(chromedp.KeyEvent(keys))
}
