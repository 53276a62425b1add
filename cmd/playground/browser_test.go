// SPDX-License-Identifier: Apache-2.0

//go:build !js

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed-0529bac1/taints/cmd/internal/browser"
	"github.com/seed-0529bac1/taints/cmd/playground/internal/play"
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
	for name, try := range map[string]func(*browserPage){
		"Typing": testTyping, "Links": testLinks, "Samples": testSamples, "Places": testPlaces, "Focus": testFocus,
		"Markup": testMarkup, "Large": testLarge, "Keyboard": testKeyboard, "Widths": testWidths, "Contrast": testContrast,
	} {
		t.Run(name, func(t *testing.T) { try(open(t, "application/wasm")) })
	}
	t.Run("UnknownType", func(t *testing.T) { open(t, "application/octet-stream").placement(repels) })
	t.Run("NoProgram", func(t *testing.T) {
		p := open(t, "")
		p.fails = true
		p.text("#loading", "Could not load the program: taints.wasm: 404")
		p.keys("#taints", "a")
		p.want("what was typed", "$('#taints').value.endsWith('NoSchedulea')", true)
	})
}

const (
	fits, repels = "✓ The pod can be scheduled on the node", "✕ The pod cannot be scheduled on the node"
	empty        = "? There is no question yet"
)

func testTyping(p *browserPage) {
	p.placement(repels) // the first sample
	p.run("document.querySelector('#clear').click()")
	p.placement(empty)
	p.want("that it shows its version", `/^(v\d\S+|\(devel\))$/.test($('#version').textContent)`, true)
	p.keys("#taints", "dedicated=ml:NoSchedule")
	p.placement(repels)
	p.text("#list-taints .tag", "✕ blocks scheduling")
	p.keys("#tolerations", "dedicated:NoSchedule")
	p.want("the hint", "$('#list-taints').textContent.includes('Its empty value matches only an empty value')", true)
	p.text(".finding code", "empty-value")
	p.keys("#tolerations", " op=Exists")
	p.placement(fits)
	p.text("#live", "The pod can be scheduled on the node. A running pod stays on the node.")
	p.keys("#tolerations", "x")
	p.placement("? Scheduling unknown")
	p.want("that the field is invalid", "$('#tolerations').ariaInvalid", "true")
	p.want("that the other is not", "$('#taints').ariaInvalid", "false")
	p.run("document.querySelector('#clear').click()")
	p.want("what is left", "$('#taints').value + $('#tolerations').value", "")
	p.placement(empty)
}

func testLinks(p *browserPage) {
	p.visit("#taints=a:NoExecute&tolerations=a:NoExecute+op%3DExists+for+900s%0Aa:NoExecute+op%3DExists+for+10m&observed=2026-11-21T13:00:00%2B01:00&select=ForDevices&noComparison=1&arrived=2026-11-21T12:30:00%2B01:00")
	p.text("#eviction strong", "! A running pod is evicted at 2026-11-21 12:10:00 UTC")
	p.want("the fields", "['select', 'observed', 'arrived', 'add'].map((name) => document.getElementById(name).value)", []any{"ForDevices", "2026-11-21T12:00", "2026-11-21T11:30", ""})
	p.want("the boxes", "$$('[type=checkbox]').map((e) => e.checked)", []any{false, true, false})

	p.keys("#taints", "\né😀<b>=%&+#:NoSchedule")
	const written = "new URLSearchParams(location.hash.slice(1)).get('taints')"
	p.want("the link of what was typed", written, "a:NoExecute\né😀<b>=%&+#:NoSchedule")
	p.do(chromedp.Reload())
	p.want("the field after a reload", "$('#taints').value", "a:NoExecute\né😀<b>=%&+#:NoSchedule")
	p.want("the choice after a reload", "$('#select').value", "ForDevices")

	p.follow("#taints=b:NoSchedule&select=Nobody&add=nobody&observed=never")
	p.text("#list-taints code", "b:NoSchedule")
	const problems = "Array.from(document.querySelectorAll('.problems li')).map((e) => e.textContent)"
	p.want("the problems of its options", problems, []any{
		"unknown source of tolerations; none are added",
		"unknown selection; FirstMatch is used instead", "expected a time such as 2026-11-21T12:00:00",
	})
	p.follow("#noComparison=false&keyWildcards=0&fromTimeAdded=1")
	p.want("the boxes of a link that says no", "$$('[type=checkbox]').map((e) => e.checked)", []any{true, false, false})
	p.run("history.back()")
	p.run("history.back()")
	p.text("#list-taints code", "a:NoExecute")
}

// testSamples checks that the note of a sample is removed when the sample is
// replaced, but not when it is edited as the note suggests.
func testSamples(p *browserPage) {
	const shown = "$$('.note:not([hidden])').map((e) => e.dataset.note).join()"
	p.want("the first sample", shown, samples[0].ID)
	for _, s := range samples {
		p.run("document.querySelector('[data-sample=" + s.ID + "]').click()")
		p.want("the note", shown, s.ID)
		p.want("its taints", "$('#taints').value", s.Fields["taints"])
		p.want("what is current", "$$('[aria-current]').map((e) => e.textContent)", []any{s.Question})
		p.want("its problems", "$$('.problems li:not(.unknown)').length", 0.0)
		p.fill("taints", s.Fields["taints"]+"\n")
		p.want("the note after a change", shown, s.ID)
		p.fill("taints", "example.org/mine=1:NoSchedule")
		p.want("the note of what is replaced", shown, "")
		p.want("the question that is marked", "$$('[aria-current]').length", 0.0)
		p.want("the link", "new URLSearchParams(location.hash.slice(1)).get('taints')", "example.org/mine=1:NoSchedule")
		p.do(chromedp.Reload())
		p.text("#list-taints code", "example.org/mine=1:NoSchedule")
		p.want("the note after a reload", shown, "")
	}
	p.visit(samples[1].Link())
	p.want("the note", shown, samples[1].ID)
	p.keys("#tolerations", " op=Exists")
	p.placement(fits)
	p.want("the note after a change", shown, samples[1].ID)
	p.run("document.getElementById('tolerations').select()")
	p.keys("#tolerations", "b:NoSchedule")
	p.text("#list-tolerations code", "b:NoSchedule")
	p.want("the note of replaced tolerations", shown, "")
	p.visit(samples[1].Link())
	p.want("the note", shown, samples[1].ID)
	p.run("document.querySelector('.note:not([hidden]) button').click()")
	p.want("the note when closed", shown, "")
}

func testPlaces(p *browserPage) {
	p.run("document.querySelector('#clear').click()")
	p.keys("#taints", "# 😀\nok:NoSchedule, bad=😀:NoSchedule")
	p.text("#problems-taints .place", "2:20")
	p.run("document.querySelector('#problems-taints .place').click()")
	const selected = "(() => { const e = document.activeElement; return e.value.slice(e.selectionStart, e.selectionEnd) })()"
	p.want("what it selects", selected, "😀")
	p.run("document.querySelector('#list-taints .place').click()")
	p.want("what the taint selects", selected, "ok:NoSchedule")
}

// testFocus checks that the focus stays where it was when an error or an item goes.
func testFocus(p *browserPage) {
	const focused = "document.activeElement.ariaLabel || document.activeElement.id"
	p.run("document.querySelector('#clear').click()")
	p.keys("#taints", "a\nb:NoSchedule\nc")
	p.want("the places of errors", "$$('#problems-taints .place').map((e) => e.ariaLabel)", []any{"Show line 1, column 2", "Show line 3, column 2"})
	p.run("document.querySelectorAll('#problems-taints .place')[1].focus()")
	p.want("the focus", focused, "Show line 3, column 2")
	p.fill("taints", "a:NoSchedule\nb:NoSchedule\nc")
	p.want("the errors after one is corrected", "$$('#problems-taints li').length", 1.0)
	p.want("the focus on the other", focused, "Show line 3, column 2")
	p.fill("taints", "a:NoSchedule\nb:NoSchedule\nc:NoSchedule")
	p.want("the errors after both are", "$$('#problems-taints li').length", 0.0)
	p.want("the focus on the field", focused, "taints")
	p.run("document.querySelector('#list-taints .place').focus()")
	p.fill("taints", "a:NoExecute")
	p.text("#list-taints code", "a:NoExecute")
	p.want("the focus on the taint", focused, "Show taints[0]")
	p.fill("taints", "")
	p.want("the focus when no taint is left", focused, "taints")
}

// testMarkup checks that typed markup stays text.
func testMarkup(p *browserPage) {
	p.visit("#tolerations=" + `%5B%7B%22key%22:%22%3Cimg+src%3Dx+onerror%3Dalert(1)%3E%22,%22%3Cb%3E%22:1%7D%5D`)
	p.text("#list-tolerations code", "<img src=x onerror=alert(1)>")
	p.want("elements that were typed", "$$('main img, main b').length", 0.0)
	p.want("the problem", "$('#problems-tolerations').textContent.includes('is not a field of tolerations')", true)
	p.want("a problem is an error", "$('#tolerations').ariaInvalid + $('#problems-tolerations li').className", "true")
	p.visit("#taints=%7Btaints:+%5B%5D,+unschedulable:+true%7D")
	p.want("a note is not", "$('#taints').ariaInvalid + $('#problems-taints li').className", "falseunknown")
}

// testLarge types the longest texts that are read, to test the browser's stack.
func testLarge(p *browserPage) {
	p.placement(repels)
	p.fill("tolerations", strings.Repeat("[", 200_000))
	p.text("#problems-tolerations", "1:101this is not valid JSON or YAML: exceeded max depth of 100")
	p.fill("tolerations", strings.Repeat("[", 100)+strings.Repeat("]", 100))
	p.text("#problems-tolerations", "1:2expected an object, found a list")
	var many strings.Builder
	for i := range 500 {
		fmt.Fprintf(&many, "example.com/some-key-%d:NoExecute op=Exists for %ds,", i, i)
	}
	p.fill("taints", strings.Repeat("example.com/some-kei:NoExecute,", 500))
	p.fill("tolerations", many.String())
	p.want("the number of answers to many", "$$('#list-tolerations > li').length", 500.0)
	p.fill("taints", "a:NoSchedule")
	p.fill("tolerations", strings.Repeat("x", 2_100_000))
	p.want("the link of what is too much for one", "location.hash", "")
	p.run("document.querySelector('#copy').click()")
	p.text("#copied", "The form is too large for a link.")
	p.fill("tolerations", "")
	p.want("the answer to few again", "$$('#list-taints > li').length", 1.0)
}

func testKeyboard(p *browserPage) {
	p.visit(samples[0].Link())
	p.placement(repels)
	p.want("controls without a label",
		"$$('input, select, textarea').filter((e) => !e.labels.length).length", 0.0)
	p.want("ids that are named and missing", `$$('[aria-describedby], [aria-labelledby]')
		.flatMap((e) => ((e.getAttribute('aria-describedby') || '') + ' ' + (e.getAttribute('aria-labelledby') || '')).trim().split(/\s+/))
		.filter((id) => !document.getElementById(id))`, []any{})
	p.want("headings", "$$('h1, h2, h3').map((e) => e.tagName).join(' ')",
		"H1 H2 H2 H3 H3")

	const focused = "(() => { const e = document.activeElement; return e.id || e.dataset.sample || e.className || e.name })()"
	p.run("document.activeElement.blur(); window.scrollTo(0, 0)")
	p.keys("", kb.Tab)
	p.want("what comes first", focused, "skip")
	p.run("document.activeElement.click()")
	p.want("where that leads", focused, "taints")
	p.want("the state after it", "$('#taints').value", samples[0].Fields["taints"])
	p.keys("", kb.Tab)
	p.want("what comes next", focused, "tolerations")
	p.run("[...document.querySelectorAll('#results button')].at(-1).focus()")
	for _, id := range []string{"add", "select", "observed"} {
		p.keys("", kb.Tab)
		p.want("what comes after the answer", focused, id)
	}
}

func testWidths(p *browserPage) {
	p.visit(samples[len(samples)-1].Link())
	p.text("#list-tolerations code", "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s")
	for _, width := range []int64{320, 360, 390, 768, 1280, 1920} {
		p.do(chromedp.EmulateViewport(width, 600))
		p.want("the width", "innerWidth", float64(width))
		for _, adder := range play.Adders {
			p.follow("#taints=a:NoExecute&tolerations=a:NoExecute+for+3s&add=" + adder.ID)
			p.want("who adds", "$('#list-tolerations li:last-child .tag')?.textContent", "added by "+adder.Name)
			p.want(fmt.Sprintf("what of %s does not fit into %d pixels", adder.ID, width),
				"document.documentElement.scrollWidth - document.documentElement.clientWidth", 0.0)
		}
		const top = "['.lists', '#results', '.options'].map((of) => Math.round(document.querySelector(of).getBoundingClientRect().top))"
		order := "(([lists, results, options]) => lists < results && results < options)(" + top + ")"
		if width > 800 {
			order = "(([lists, results, options]) => lists === results && results < options)(" + top + ")"
		}
		p.want(fmt.Sprintf("whether the answer is before the options at %d pixels", width), order, true)
		p.run("window.scrollTo(0, 0)")
		p.want(fmt.Sprintf("whether the answer is at the bottom of %d pixels", width),
			"getComputedStyle($('#bar')).display !== 'none'", width < 800)
	}
}

// testContrast checks that all text has enough contrast with its background, in
// light and in dark mode.
func testContrast(p *browserPage) {
	p.visit("#taints=a:NoSchedule,b:PreferNoSchedule,c:NoExecute,d:&tolerations=c:NoExecute+op%3DExists+for+9s,d&add=daemonset&sample=pending&observed=2026-11-21T12:00")
	p.placement("? Scheduling unknown")
	contrast, err := os.ReadFile("testdata/contrast.js")
	if err != nil {
		p.t.Fatal(err)
	}
	for scheme, background := range map[string]string{"light": "rgb(246, 247, 249)", "dark": "rgb(17, 20, 26)"} {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
		p.do(browser.Emulate(emulation.SetEmulatedMediaParams{Features: features}))
		p.want("text of little contrast in "+scheme, string(contrast), []any{})
		p.want("the background in "+scheme, "getComputedStyle(document.body).backgroundColor", background)
	}
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

// run runs statements.
func (p *browserPage) run(script string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void]("{" + script + "}"))
}

// fill replaces the text of a field.
func (p *browserPage) fill(field, text string) {
	p.t.Helper()
	p.run(fmt.Sprintf("const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event('input', {bubbles: true}))", field, text))
}

// want waits for the expression, which finds elements with $ and $$, to have the
// value. It is nil if the expression fails.
func (p *browserPage) want(what, expression string, want any) {
	p.t.Helper()
	var got any
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		got = get(p, chromedp.Evaluate[any](`((() => {
			const $ = (s) => document.querySelector(s), $$ = (s) => Array.from(document.querySelectorAll(s));
			try { return (`+expression+`) } catch { return null }
		})() ?? null)`))
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

func (p *browserPage) placement(want string) {
	p.t.Helper()
	p.text("#placement strong", want)
}

// keys types into the element, or into the focused element.
func (p *browserPage) keys(selector, keys string) {
	p.t.Helper()
	if selector != "" {
		p.do(chromedp.Focus(chromedp.CSS(selector)))
	}
	p.do(chromedp.KeyEvent(keys))
}
