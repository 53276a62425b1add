// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints/cmd/playground/internal/play"
)

var screenshots = flag.String("screenshots", "", "write screenshots of the page to this `folder`")

// TestBrowser tries the page in a headless Chromium.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds WebAssembly and starts a browser")
	}
	driver := startDriver(t)
	files, err := buildFiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Run("Readme", func(t *testing.T) { testReadme(t, files) })
	server := httptest.NewServer(newHandler(files))
	defer server.Close()

	browser := driver.open(t)
	for _, test := range []struct {
		name string
		try  func(*browserPage)
	}{
		{"Typing", testTyping},
		{"Links", testLinks},
		{"Samples", testSamples},
		{"Replaced", testReplaced},
		{"Places", testPlaces},
		{"Markup", testMarkup},
		{"Large", testLarge},
		{"Keyboard", testKeyboard},
		{"Widths", testWidths},
		{"Contrast", testContrast},
		{"Screenshots", takeScreenshots},
	} {
		t.Run(test.name, func(t *testing.T) { test.try(browser.page(t, server.URL)) })
	}
	t.Run("PlainFiles", func(t *testing.T) { testPlainFiles(t, browser, files) })
	t.Run("NoProgram", func(t *testing.T) { testNoProgram(t, browser, files) })
}

// testReadme compares the sizes that the README has with those of the page, which
// another version of Go changes a little.
func testReadme(t *testing.T, files []file) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for row, s := range map[string]sizes{"the page in all": sizesOf(files), "its WebAssembly": sizesOf(files[:1])} {
		m := regexp.MustCompile(regexp.QuoteMeta(row) + ` \| ([0-9.]+) MB \| ([0-9.]+) MB`).FindSubmatch(text)
		if m == nil {
			t.Errorf("the README does not say how large %s is", row)
			continue
		}
		for i, n := range []int{s.compressed, s.plain} {
			said, err := strconv.ParseFloat(string(m[i+1]), 64)
			if ratio := said * 1e6 / float64(n); err != nil || ratio < 0.95 || ratio > 1.05 {
				t.Errorf("the README says %s MB for the %d bytes of %s", m[i+1], n, row)
			}
		}
	}
}

const fits, repels = "✓ The pod can be scheduled on the node", "✕ The pod cannot be scheduled on the node"

func testTyping(p *browserPage) {
	p.want("the answer to nothing", "document.querySelector('#placement strong').textContent", fits)
	p.keys("#taints", "dedicated=ml:NoSchedule")
	p.want("the answer to a taint", "document.querySelector('#placement strong').textContent", repels)
	p.want("its status", "document.querySelector('#list-taints .tag').textContent", "✕ blocks scheduling")
	p.keys("#tolerations", "dedicated:NoSchedule")
	p.want("the hint",
		"document.querySelector('#list-taints').textContent.includes('Its empty value matches only an empty value')",
		true)
	p.want("the finding", "document.querySelector('.finding code').textContent", "empty-value")
	p.keys("#tolerations", " op=Exists")
	p.want("the answer to both", "document.querySelector('#placement strong').textContent", fits)
	p.want("what is read aloud", "document.querySelector('#live').textContent",
		"Can be scheduled. A running pod stays.")
	p.keys("#tolerations", "x")
	p.want("the answer to a word with a typing error",
		"document.querySelector('#placement strong').textContent", "? Scheduling unknown")
	p.want("that the field is invalid", "document.querySelector('#tolerations').ariaInvalid", "true")
	p.want("that the other is not", "document.querySelector('#taints').ariaInvalid", "false")
	p.run("document.querySelector('#clear').click()")
	p.want("what is left", "document.querySelector('#taints').value + document.querySelector('#tolerations').value", "")
	p.want("the answer to nothing again", "document.querySelector('#placement strong').textContent", fits)
}

func testLinks(p *browserPage) {
	p.visit("#taints=a:NoExecute&tolerations=a:NoExecute+op%3DExists+for+60s%0Aa:NoExecute+op%3DExists+for+600s&observed=2026-11-21T13:00:00%2B01:00&select=LongestMatch&noComparison=1")
	p.want("the answer to the link", "document.querySelector('#eviction strong').textContent",
		"! A running pod is evicted at 2026-11-21 12:10:00 UTC")
	p.want("the fields", "['select', 'observed', 'add'].map((name) => document.getElementById(name).value)",
		[]any{"LongestMatch", "2026-11-21T12:00", ""})
	p.want("the boxes", "Array.from(document.querySelectorAll('[type=checkbox]')).map((e) => e.checked)",
		[]any{false, true, false})

	p.keys("#taints", "\né😀<b>=%&+#:NoSchedule")
	const written = "new URLSearchParams(location.hash.slice(1)).get('taints')"
	p.want("the link of what was typed", written, "a:NoExecute\né😀<b>=%&+#:NoSchedule")
	p.reload()
	p.want("the field after a reload", "document.querySelector('#taints').value", "a:NoExecute\né😀<b>=%&+#:NoSchedule")
	p.want("the choice after a reload", "document.querySelector('#select').value", "LongestMatch")

	p.run("location.hash = '#taints=b:NoSchedule&select=Nobody&add=nobody&observed=never'")
	p.want("the answer to another link", "document.querySelector('#list-taints code').textContent", "b:NoSchedule")
	const problems = "Array.from(document.querySelectorAll('.problems li')).map((e) => e.textContent)"
	p.want("the problems of its options", problems, []any{
		"unknown source of tolerations; none are added",
		"unknown selection; FirstMatch is used instead", "expected a time such as 2026-11-21T12:00:00",
	})
	p.run("location.hash = '#noComparison=false&keyWildcards=0&fromTimeAdded=1'")
	p.want("the boxes of a link that says no", "Array.from(document.querySelectorAll('[type=checkbox]')).map((e) => e.checked)",
		[]any{true, false, false})
	p.run("history.back()")
	p.run("history.back()")
	p.want("the answer after going back", "document.querySelector('#list-taints code').textContent", "a:NoExecute")
}

func testSamples(p *browserPage) {
	p.want("the answer to nothing", "document.querySelector('#placement strong').textContent", fits)
	for _, s := range samples {
		p.run("document.querySelector('[data-sample=" + s.ID + "]').click()")
		p.want("the sample "+s.ID, "document.querySelector('.note:not([hidden])')?.dataset.note", s.ID)
		p.want("its taints", "document.querySelector('#taints').value", s.fields["taints"])
		p.want("what is current",
			"Array.from(document.querySelectorAll('[aria-current]')).map((e) => e.textContent)", []any{s.Question})
		p.want("its problems", "document.querySelectorAll('.problems li').length", 0.0)
	}
	p.run("document.querySelector('.note:not([hidden]) button').click()")
	p.want("the notes when closed", "document.querySelectorAll('.note:not([hidden])').length", 0.0)
}

func testPlaces(p *browserPage) {
	p.keys("#taints", "# 😀\nok:NoSchedule, bad=😀:NoSchedule")
	p.want("a problem", "document.querySelector('#problems-taints .place')?.textContent", "2:20")
	p.run("document.querySelector('#problems-taints .place').click()")
	const selected = "(() => { const e = document.activeElement; return e.value.slice(e.selectionStart, e.selectionEnd) })()"
	p.want("what it selects", selected, "😀")
	p.run("document.querySelector('#list-taints .place').click()")
	p.want("what the taint selects", selected, "ok:NoSchedule")
}

// testMarkup checks that what is typed stays text.
func testMarkup(p *browserPage) {
	p.visit("#tolerations=" + `%5B%7B%22key%22:%22%3Cimg+src%3Dx+onerror%3Dalert(1)%3E%22,%22%3Cb%3E%22:1%7D%5D`)
	p.want("the toleration", "document.querySelector('#list-tolerations code')?.textContent",
		"<img src=x onerror=alert(1)>")
	p.want("elements that were typed", "document.querySelectorAll('main img, main b').length", 0.0)
	p.want("the problem",
		"document.querySelector('#problems-tolerations').textContent.includes('is not a field of tolerations')", true)
}

// testReplaced checks that the answer to a sample goes once the sample has gone, and
// not when it is changed as the answer says.
func testReplaced(p *browserPage) {
	const note = "Array.from(document.querySelectorAll('.note')).filter((e) => !e.hidden).length"
	const fill = `const area = document.getElementById('%s');
		area.value = %q;
		area.dispatchEvent(new Event('input', {bubbles: true}))`
	for _, s := range samples {
		p.visit(s.Link())
		p.want("the note", note, 1.0)
		p.run(fmt.Sprintf(fill, "taints", s.fields["taints"]+"\n"))
		p.want("the note after a change", note, 1.0)
		p.run(fmt.Sprintf(fill, "taints", "example.org/mine=1:NoSchedule"))
		p.want("the note of what is replaced", note, 0.0)
		p.want("the question that is marked", "document.querySelectorAll('[aria-current]').length", 0.0)
		p.want("the link", "new URLSearchParams(location.hash.slice(1)).get('taints')", "example.org/mine=1:NoSchedule")
		p.reload()
		p.want("the answer", "document.querySelector('#list-taints code').textContent", "example.org/mine=1:NoSchedule")
		p.want("the note after a reload", note, 0.0)
	}

	p.visit(samples[1].Link())
	p.want("the note", note, 1.0)
	p.keys("#tolerations", " op=Exists")
	p.want("the answer to a change", "document.querySelector('#placement strong').textContent", fits)
	p.want("the note after a change", note, 1.0)
	p.keys("#tolerations", control+"a"+control+"b:NoSchedule")
	p.want("the toleration", "document.querySelector('#list-tolerations code').textContent", "b:NoSchedule")
	p.want("the note of replaced tolerations", note, 0.0)
}

// testLarge types as much as is read, which must not be too much for the browser's stack.
func testLarge(p *browserPage) {
	p.want("the answer to nothing", "document.querySelector('#placement strong').textContent", fits)
	const fill = `for (const [name, text] of [['taints', "%s"], ['tolerations', %s]]) {
		const area = document.getElementById(name);
		area.value = text;
		area.dispatchEvent(new Event('input', {bubbles: true}));
	}`
	p.run(fmt.Sprintf(fill, "", "'['.repeat(200000)"))
	p.want("the answer to an array in an array",
		"document.querySelector('#problems-tolerations').textContent", "1:101this is nested more than 100 levels deep")
	p.run(fmt.Sprintf(fill, "", "'['.repeat(100) + ']'.repeat(100)"))
	p.want("the answer to one less deep",
		"document.querySelector('#problems-tolerations').textContent", "1:2expected an object, found a list")
	const many = "Array.from({length: 500}, (_, i) => 'example.com/some-key-' + i + ':NoExecute op=Exists for ' + i + 's').join()"
	p.run(fmt.Sprintf(fill, strings.Repeat("example.com/some-kei:NoExecute,", 500), many))
	p.want("the number of answers to many", "document.querySelectorAll('#list-tolerations > li').length", 500.0)
	p.run(fmt.Sprintf(fill, "a:NoSchedule", "''"))
	p.run(fmt.Sprintf(fill, "a:NoSchedule", "'x'.repeat(2100000)"))
	p.want("the link of what is too much for one", "location.hash", "")
	p.run("document.querySelector('#copy').click()")
	p.want("what the button says", "document.querySelector('#copied').textContent", "The form is too large for a link.")
	p.run(fmt.Sprintf(fill, "a:NoSchedule", "''"))
	p.want("the answer to few again", "document.querySelectorAll('#list-taints > li').length", 1.0)
}

func testKeyboard(p *browserPage) {
	p.visit(samples[0].Link())
	p.want("the answer", "document.querySelector('#placement strong').textContent", repels)
	p.want("controls without a label",
		"Array.from(document.querySelectorAll('input, select, textarea')).filter((e) => !e.labels.length).length", 0.0)
	p.want("ids that are named and missing", `Array.from(document.querySelectorAll('[aria-describedby], [aria-labelledby]'))
		.flatMap((e) => ((e.getAttribute('aria-describedby') || '') + ' ' + (e.getAttribute('aria-labelledby') || '')).trim().split(/\s+/))
		.filter((id) => !document.getElementById(id))`, []any{})
	p.want("headings", "Array.from(document.querySelectorAll('h1, h2, h3')).map((e) => e.tagName).join(' ')",
		"H1 H2 H2 H3 H3")

	const focused = "(() => { const e = document.activeElement; return e.id || e.dataset.sample || e.className || e.name })()"
	p.run("document.activeElement.blur(); window.scrollTo(0, 0)")
	p.keys("", tab)
	p.want("what comes first", focused, "skip")
	p.keys("", "\n")
	p.want("where that leads", focused, "taints")
	p.want("the state after it", "document.querySelector('#taints').value", samples[0].fields["taints"])
	order := []string{"tolerations", "add", "select", "observed"}
	for _, id := range order {
		for range 2 {
			p.keys("", tab)
			if p.eval(focused) == id {
				break
			}
		}
		p.want("what comes next", focused, id)
	}
}

func testWidths(p *browserPage) {
	p.visit(samples[len(samples)-1].Link())
	p.want("the answer", "document.querySelector('#list-tolerations code')?.textContent",
		"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s")
	for _, width := range []int{320, 360, 390, 768, 1280, 1920} {
		p.size(width, 844)
		p.want("the width", "innerWidth", float64(width))
		for _, adder := range play.Adders {
			p.visit("#taints=a:NoExecute&tolerations=a:NoExecute+for+3s&add=" + adder.ID)
			p.want("who adds", "document.querySelector('#list-tolerations li:last-child .tag')?.textContent",
				"added by "+adder.Name)
			p.want(fmt.Sprintf("what of %s does not fit into %d pixels", adder.ID, width),
				"document.documentElement.scrollWidth - document.documentElement.clientWidth", 0.0)
		}
		narrow := width < 800
		p.run("window.scrollTo(0, 0)")
		p.want(fmt.Sprintf("whether the answer is at the bottom of %d pixels", width),
			"getComputedStyle(document.querySelector('#bar')).display !== 'none'", narrow)
	}
}

// testContrast checks that all text stands out from what is behind it, in light
// and in dark.
func testContrast(p *browserPage) {
	p.visit("#taints=a:NoSchedule,b:PreferNoSchedule,c:NoExecute,d:&tolerations=c:NoExecute+op%3DExists+for+9s,d&add=daemonset&sample=pending&observed=2026-11-21T12:00")
	p.want("the answer", "document.querySelector('#placement strong').textContent", "? Scheduling unknown")
	for _, scheme := range []string{"light", "dark"} {
		p.media(scheme)
		low, _ := p.eval(lowContrast).([]any)
		if len(low) > 0 {
			p.t.Errorf("text of little contrast in %s: %v", scheme, low)
		}
		if n := p.eval("getComputedStyle(document.body).backgroundColor"); scheme == "dark" && n != "rgb(17, 20, 26)" {
			p.t.Errorf("the page in dark is %v", n)
		}
	}
}

// lowContrast lists the elements with text of a contrast below 4.5 to 1, as the Web
// Content Accessibility Guidelines count it.
const lowContrast = `(() => {
	const rgb = (s) => s.match(/[\d.]+/g).map(Number);
	const luminance = (s) => {
		const [r, g, b] = rgb(s).map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const color = getComputedStyle(e).backgroundColor;
			if (rgb(color)[3] !== 0) return color;
		}
		return "rgb(255, 255, 255)";
	};
	document.querySelectorAll("*").forEach((e) => e.style.setProperty("transition", "none"));
	const hasText = (e) => Array.from(e.childNodes).some((n) => n.nodeType === 3 && n.data.trim());
	return Array.from(document.body.querySelectorAll("*")).filter((e) => hasText(e) && e.checkVisibility()).flatMap((e) => {
		const [a, b] = [luminance(getComputedStyle(e).color), luminance(behind(e))].sort((x, y) => y - x);
		const ratio = (a + 0.05) / (b + 0.05);
		return ratio < 4.5 ? [e.tagName + "." + e.className + " " + ratio.toFixed(2) + " " + e.textContent.slice(0, 30)] : [];
	});
})()`

// testPlainFiles tries what -o writes, on a server that knows nothing of WebAssembly.
func testPlainFiles(t *testing.T, b *browser, files []file) {
	dir := t.TempDir()
	if err := writeFiles(dir, files); err != nil {
		t.Fatal(err)
	}
	content := http.FileServer(http.Dir(dir))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".wasm") {
			w.Header().Set("Content-Type", "application/octet-stream")
		}
		content.ServeHTTP(w, r)
	}))
	defer server.Close()
	p := b.page(t, server.URL)
	p.want("the answer to nothing", "document.querySelector('#placement strong').textContent", fits)
}

// testNoProgram tries the page where its program is missing.
func testNoProgram(t *testing.T, b *browser, files []file) {
	handler := newHandler(files)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".wasm") {
			http.NotFound(w, r)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	defer server.Close()
	p := b.page(t, server.URL)
	p.fails = true
	p.want("why there is no answer", "document.querySelector('#loading').textContent",
		"Could not load the program: taints.wasm: 404")
	p.keys("#taints", "a")
	p.want("what was typed", "document.querySelector('#taints').value", "a")
}

// takeScreenshots writes pictures for people to look at, where they ask for them.
func takeScreenshots(p *browserPage) {
	if *screenshots == "" {
		p.t.Skip("no -screenshots")
	}
	for _, shot := range []struct {
		name, scheme, link string
		width, height      int
	}{
		{"desktop", "light", samples[0].Link(), 1280, 900},
		{
			"desktop-problems", "light",
			"#taints=dedicated%3Dml:NoSchedul%0Aspot:PreferNoSchedule&tolerations=%5B%7B%22key%22:%22a%22,%22operater%22:%22Exists%22,%22effect%22:%22NoSchedule%22%7D%5D",
			1280, 1000,
		},
		{"desktop-yaml", "light", samples[4].Link(), 1280, 1200},
		{
			"desktop-yaml-problems", "light",
			"#taints=-+key:+a%0A++effect:+%5BNoSchedule%0A&tolerations=-+key:+a%0A++value:+yes%0A++effekt:+NoSchedule%0A-+%26x%0A++key:+b%0A++operator:+Exists%0A-+*x%0A",
			1280, 1200,
		},
		{"desktop-dark", "dark", samples[2].Link(), 1280, 900},
		{"daemonset-dark", "dark", samples[5].Link(), 1280, 1200},
		{"phone", "light", samples[0].Link(), 390, 844},
		{"phone-dark", "dark", samples[6].Link(), 390, 844},
	} {
		p.media(shot.scheme)
		p.size(shot.width, shot.height)
		p.visit(shot.link)
		p.want("the answer", "document.querySelector('#placement strong') !== null", true)
		p.screenshot(filepath.Join(*screenshots, shot.name+".png"))
		if shot.width < 800 {
			p.run("document.querySelector('#results').scrollIntoView()")
			p.want("that the bar goes", "document.querySelector('#bar').hidden", true)
			p.screenshot(filepath.Join(*screenshots, shot.name+"-answer.png"))
		}
	}
}

// A driver is a chromedriver that runs.
type driver struct{ url string }

// startDriver starts a chromedriver, and skips the test where there is none or
// no Chromium.
func startDriver(t *testing.T) *driver {
	for _, name := range []string{"chromedriver", "chromium"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no %s (Debian: apt-get install chromium chromium-driver)", name)
		}
	}
	cmd := exec.Command("chromedriver", "--port=0")
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	started := regexp.MustCompile(`started successfully on port (\d+)`)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := started.FindStringSubmatch(lines.Text()); m != nil {
			go io.Copy(io.Discard, out)
			return &driver{"http://127.0.0.1:" + m[1]}
		}
	}
	t.Fatal("chromedriver did not start")
	return nil
}

// A browser is a Chromium that runs.
type browser struct{ session string }

// open starts a browser.
func (d *driver) open(t *testing.T) *browser {
	t.Helper()
	binary, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	capabilities := map[string]any{
		"goog:loggingPrefs": map[string]any{"browser": "ALL"},
		"goog:chromeOptions": map[string]any{"binary": binary, "args": []string{
			"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
			"--disable-dev-shm-usage", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--force-device-scale-factor=1",
			"--user-data-dir=" + t.TempDir(),
		}},
	}
	value := call(t, "POST", d.url+"/session", map[string]any{
		"capabilities": map[string]any{"alwaysMatch": capabilities},
	})
	b := &browser{d.url + "/session/" + value.(map[string]any)["sessionId"].(string)}
	t.Cleanup(func() { call(t, "DELETE", b.session, nil) })
	return b
}

// A browserPage is the page, open in a browser.
type browserPage struct {
	t     *testing.T
	url   string
	fails bool // messages of failure are expected
	*browser
}

// page opens the page of the server. When the test ends, it checks that the page
// reported nothing.
func (b *browser) page(t *testing.T, url string) *browserPage {
	t.Helper()
	p := &browserPage{t: t, url: url + "/", browser: b}
	t.Cleanup(func() {
		for _, entry := range p.call("POST", "/se/log", map[string]any{"type": "browser"}).([]any) {
			if !p.fails {
				t.Errorf("the browser reports %v", entry)
			}
		}
	})
	p.devtools("Emulation.clearDeviceMetricsOverride", map[string]any{})
	p.media("light")
	p.visit("")
	return p
}

// call sends a command to the browser and returns its value.
func (p *browserPage) call(method, path string, body any) any {
	p.t.Helper()
	return call(p.t, method, p.session+path, body)
}

// call sends a command and returns its value.
func call(t *testing.T, method, url string, body any) any {
	t.Helper()
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body) // of maps and strings
	}
	request, err := http.NewRequest(method, url, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Timeout: time.Minute}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ Value any }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		message, _, _ := strings.Cut(fmt.Sprint(answer.Value), " stacktrace:")
		t.Fatalf("%s: %v", url, message)
	}
	return answer.Value
}

// visit opens the page with the fragment, anew.
func (p *browserPage) visit(fragment string) {
	p.t.Helper()
	p.call("POST", "/url", map[string]any{"url": "about:blank"})
	p.call("POST", "/url", map[string]any{"url": p.url + fragment})
}

func (p *browserPage) reload() { p.call("POST", "/refresh", map[string]any{}) }

// run runs statements.
func (p *browserPage) run(script string) any {
	p.t.Helper()
	return p.call("POST", "/execute/sync", map[string]any{"script": script, "args": []any{}})
}

// eval returns the value of an expression.
func (p *browserPage) eval(expression string) any {
	p.t.Helper()
	return p.run("return " + expression)
}

// wait is want for what comes about in a while.
func (p *browserPage) want(what, expression string, want any) {
	p.t.Helper()
	var got any
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		got = p.eval("(() => { try { return " + expression + " } catch { return null } })()")
		if reflect.DeepEqual(got, want) {
			return
		}
	}
	p.t.Fatalf("%s is %#v, want %#v", what, got, want)
}

// Keys as WebDriver has them. Control is down until it comes again.
const tab, control = "\uE004", "\uE009"

// keys types into the element, or into what has the focus.
func (p *browserPage) keys(selector, keys string) {
	p.t.Helper()
	find, body := "/element/active", any(nil)
	method := "GET"
	if selector != "" {
		find, body, method = "/element", map[string]any{"using": "css selector", "value": selector}, "POST"
	}
	for _, id := range p.call(method, find, body).(map[string]any) {
		p.call("POST", "/element/"+id.(string)+"/value", map[string]any{"text": keys})
	}
}

// devtools sends a command of the DevTools protocol.
func (p *browserPage) devtools(command string, params map[string]any) {
	p.t.Helper()
	p.call("POST", "/goog/cdp/execute", map[string]any{"cmd": command, "params": params})
}

func (p *browserPage) size(width, height int) {
	p.t.Helper()
	p.devtools("Emulation.setDeviceMetricsOverride", map[string]any{
		"width":             width,
		"height":            height,
		"deviceScaleFactor": 1,
		"mobile":            width < 800,
	})
}

func (p *browserPage) media(scheme string) {
	p.t.Helper()
	p.devtools("Emulation.setEmulatedMedia",
		map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}})
}

func (p *browserPage) screenshot(name string) {
	p.t.Helper()
	picture, err := base64.StdEncoding.DecodeString(p.call("GET", "/screenshot", nil).(string))
	if err == nil {
		err = os.WriteFile(name, picture, 0o644)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}
