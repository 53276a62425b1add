// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/seed-0529bac1/taints/cmd/internal/browser"
)

// hostile is a text that would do harm on a page that does not escape it.
const hostile = `"><img src=x onerror=alert(1)>'</script><script>document.title='owned'</script>&{{.}}` +
	"\u202e\x1b[31m"

// TestEscaping has this text in every place that reaches the page. The names of objects
// cannot have it.
func TestEscaping(t *testing.T) {
	input := strings.ReplaceAll(list(
		objectOf("node n k:NoExecute"),
		`{"kind":"Node","metadata":{"name":"m","labels":{"HOSTILE":"HOSTILE"}},`+
			`"spec":{"taints":[{"key":"HOSTILE","value":"HOSTILE","effect":"NoSchedule"}]}}`,
		`{"kind":"Pod","metadata":{"name":"one","ownerReferences":[{"kind":"HOSTILE","name":"x","controller":true}]},`+
			`"spec":{"nodeSelector":{"HOSTILE":"HOSTILE"},"tolerations":[{"key":"HOSTILE","value":"x"}]},`+
			`"status":{"conditions":[{"type":"PodScheduled","status":"False","message":"HOSTILE"}]}}`,
		`{"kind":"Pod","metadata":{"name":"two"},"spec":{"schedulerName":"HOSTILE","tolerations":[{"key":"HOSTILE","value":"HOSTILE"}]},`+
			`"status":{"conditions":[{"type":"PodScheduled","status":"False","message":"HOSTILE"}]}}`,
		`{"kind":"Pod","metadata":{"name":"three"},"spec":{"nodeName":"n"}}`, `{"kind":"HOSTILE"}`,
	), "HOSTILE", strings.Trim(mustJSON(hostile), `"`))
	page := mustRun(t, input, "-o", "html")
	body := bodyOf(page)
	for _, bad := range []string{"<img", "<script", "\u202e", "\x1b", `onerror=alert(1)>`, "ZgotmplZ"} {
		if at := strings.Index(body, bad); at >= 0 {
			t.Errorf("%q is on the page: %.200s", bad, body[max(at-100, 0):])
		}
	}
	if n := strings.Count(body, "&lt;img"); n < 8 {
		t.Errorf("the text is on the page %d times only", n)
	}
}

// The page loads nothing from other places.
func TestSelfContained(t *testing.T) {
	page := mustRun(t, "", "-f", "testdata/sample.json", "-o", "html")
	if m := regexp.MustCompile(`(?i)(src|href)="?([^"#> ]+)|url\(|@import|https?://`).FindString(page); m != "" {
		t.Errorf("the page refers to %q", m)
	}
	ids := make(map[string]int)
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]]++; ids[m[1]] > 1 {
			t.Errorf("the id %s is there twice", m[1])
		}
	}
	references := regexp.MustCompile(`(?:href="#|aria-labelledby="|aria-controls="|aria-describedby="|for=")([^"]+)"`)
	for _, m := range references.FindAllStringSubmatch(page, -1) {
		if ids[m[1]] == 0 {
			t.Errorf("%s refers to nothing", m[0])
		}
	}
}

// A section without rows has no table, and says why.
func TestEmptySections(t *testing.T) {
	page := mustRun(t, objectOf("node n"), "-o", "html")
	for _, want := range []string{"There are no pods", "No pods are evicted"} {
		if strings.Contains(page, "<tbody>\n</tbody>") || !strings.Contains(page, "<p>"+want+".</p>") {
			t.Errorf("want %s and no empty section: %s", want, page[strings.Index(page, "<main>"):])
		}
	}
}

// Long tables are cut, and what is left out is counted.
func TestCaps(t *testing.T) {
	many := objectsOf([]string{
		"{kind: Pod, metadata: {name: p}, spec: {nodeSelector: {pool: x}}}",
		"node last pool=x last:NoSchedule", // the smallest group
		"1001 times node a# k#:NoSchedule",
		"1001 times node b# k#:NoSchedule",
		"205 times {kind: Pod, metadata: {name: p#}, spec: {nodeSelector: {x: '#'}}}",
		"209 times {kind: Pod, metadata: {name: q#}, spec: {nodeSelector: {none: x}}}",
	})
	page := mustRun(t, many, "-o", "html")
	for _, want := range []string{"<p>2 more groups:", "<p>7 more causes:", "<li>and 9 more</li>", "<code>last:<wbr>NoSchedule</code>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s on the page", want)
		}
	}
}

// The script runs in a real browser under the page's policy. A search hides the
// other rows and empty sections. Captions stay with their tables in print.
func TestBrowser(t *testing.T) {
	ctx := browser.Start(t)
	sample, long := filepath.Join(t.TempDir(), "sample.html"), filepath.Join(t.TempDir(), strings.Repeat("verylongname", 15))
	if err := os.WriteFile(long, []byte(list(objectOf("node n k:NoSchedule"), objectOf("pod p"))), 0o644); err != nil {
		t.Fatal(err)
	}
	narrow := long + ".html"
	for path, page := range map[string]string{
		sample: mustRun(t, "", "-f", "testdata/sample.json", "-o", "html"),
		narrow: mustRun(t, "", "-f", long, "-o", "html"),
	} {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ url, media, expression, want string }{
		{sample, "", "[shown('html.js'), shown('td pre'), shown('.copy')]", "1, 2, 2"},
		{sample, "", "[shown('tbody tr'), shown('h2')]", "15, 3"},
		{sample + "#q=storage%20db", "", "[shown('tbody tr'), shown('h2'), text('#found')]", "1, 1, 1 of 15 rows"},
		{sample + "#q=nothing%20has%20this", "", "[shown('tbody tr'), shown('h2'), text('#found')]", "0, 0, 0 of 15 rows"},
		{narrow, "", "document.documentElement.scrollWidth <= document.documentElement.clientWidth", "true"},
		{sample, "print", "[shown('tbody tr'), shown('.copy'), all('caption').every(e => getComputedStyle(e).breakAfter === 'avoid')]", "15, 0, true"},
	} {
		media := browser.Emulate(emulation.SetEmulatedMediaParams{Media: tc.media})
		width := int64(1280)
		if tc.url == narrow {
			width = 390
		}
		if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 844)); err != nil {
			t.Fatal(err)
		}
		// A link to the same page would not load it again.
		if err := chromedp.Do(ctx, chromedp.Navigate("about:blank"), chromedp.Navigate("file://"+tc.url), media); err != nil {
			t.Fatal(err)
		}
		got, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(() => {
			const all = s => [...document.querySelectorAll(s)];
			const shown = s => all(s).filter(e => e.checkVisibility()).length;
			const text = s => all(s).map(e => e.textContent).join(', ');
			return [`+tc.expression+`].flat().join(', ');
		})()`))
		if err != nil || got != tc.want {
			t.Errorf("%s %s: %s is %q, want %q, %v", filepath.Base(tc.url), tc.media, tc.expression, got, tc.want, err)
		}
	}
}
