// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/browser"
)

// TestEscaping has a text that would do harm on a page that does not escape it in every place
// that reaches the pages. The names of objects cannot have it.
func TestEscaping(t *testing.T) {
	const hostile = `"><img src=x onerror=alert(1)>'</script><script>document.title='owned'</script>&{{.}}` + "\u202e\x1b[31m"
	objects, err := os.ReadFile("testdata/hostile.yaml")
	if err != nil {
		t.Fatal(err)
	}
	input := strings.ReplaceAll(string(objects), "HOSTILE", mustJSON(hostile))
	for args, least := range map[string]int{"": 8, "preview taint nodes --all new:NoExecute": 6} {
		body := bodyOf(mustRun(t, input, append(strings.Fields(args), "-o", "html")...))
		for _, bad := range []string{"<img", "<script", "\u202e", "\x1b", `onerror=alert(1)>`, "ZgotmplZ"} {
			if at := strings.Index(body, bad); at >= 0 {
				t.Errorf("%q: %q is on the page: %.200s", args, bad, body[max(at-100, 0):])
			}
		}
		if n := strings.Count(body, "&lt;img"); n < least {
			t.Errorf("%q: the text is on the page %d times only", args, n)
		}
	}
}

// The page loads nothing from other places.
func TestSelfContained(t *testing.T) {
	for _, args := range [][]string{nil, {"preview", "taint", "nodes", "--all", "new:NoExecute"}} {
		checkSelfContained(t, mustRun(t, "", append(args, "-f", "testdata/sample.json", "-o", "html")...))
	}
}

func checkSelfContained(t *testing.T, page string) {
	t.Helper()
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
	for _, want := range []string{"<p>2 more groups:", "<p>7 more causes:", "<li>and 9 more</li>", "<code>last:NoSchedule</code>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s on the page", want)
		}
	}
}

// The script runs in a real browser under the page's policy. A search hides the
// other rows and empty sections. Captions stay with their tables in print.
func TestBrowser(t *testing.T) {
	ctx := browser.Start(t)
	sample := pageAt(t, mustRun(t, "", "-f", "testdata/sample.json", "-o", "html"))
	for _, tc := range []struct{ url, media, expression, want string }{
		{sample, "", "[shown('html.js'), shown('td pre'), shown('.copy')]", "1, 2, 2"},
		{sample, "", "[shown('tbody tr'), shown('h2')]", "23, 4"},
		{sample + "#q=storage%20db", "", "[shown('tbody tr'), shown('h2'), text('#found')]", "1, 1, 1 of 23 rows"},
		{sample + "#q=nothing%20has%20this", "", "[shown('tbody tr'), shown('h2'), text('#found')]", "0, 0, 0 of 23 rows"},
		{sample, "print", "[shown('tbody tr'), shown('.copy'), all('caption').every(e => getComputedStyle(e).breakAfter === 'avoid')]", "23, 0, true"},
		{sample, "print", "all('table').every(e => e.getBoundingClientRect().right <= innerWidth)", "true"},
	} {
		media := emulation.SetEmulatedMediaParams{Media: tc.media}
		if got := evaluate(t, ctx, tc.url, 1000, media, tc.expression); got != tc.want {
			t.Errorf("%s %s: %s is %q, want %q", filepath.Base(tc.url), tc.media, tc.expression, got, tc.want)
		}
	}
}

// pageAt writes the page and returns its URL.
func pageAt(t *testing.T, page string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// pageHelpers are what expressions on pages use.
var pageHelpers = string(taints.Must(os.ReadFile("testdata/helpers.js"))) + string(taints.Must(os.ReadFile("../playground/testdata/contrast.js")))

// evaluate returns the value of the expression on the page, as text.
func evaluate(t *testing.T, ctx context.Context, url string, width int64, media emulation.SetEmulatedMediaParams, expression string) string {
	t.Helper()
	// A link to the same page would not load it again.
	err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 844), chromedp.Navigate("about:blank"), chromedp.Navigate(url), browser.Emulate(media))
	if err != nil {
		t.Fatal(err)
	}
	got, err := chromedp.Run(ctx, chromedp.Evaluate[string]("(() => {"+pageHelpers+"return ["+expression+"].flat().join(', ') })()"))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return got
}

// Every page fits the screen, and so do its drawings: their texts do not overlap,
// and marks are under the ticks that they belong to. All text has enough contrast.
func TestPictures(t *testing.T) {
	ctx := browser.Start(t)
	evictions, err := os.ReadFile("testdata/evictions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("verylongname", 15))
	if err := os.WriteFile(long, evictions, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, page := range map[string]string{
		"sample":            mustRun(t, "", "-f", "testdata/sample.json", "-o", "html"),
		"long":              mustRun(t, "", "-f", long, "-o", "html"),
		"preview of sample": mustRun(t, "", "preview", "-f", "testdata/sample.json", "taint", "nodes", "--all", "new:NoExecute", "-o", "html"),
		"preview of long":   mustRun(t, "", "preview", "-f", long, "taint", "nodes", "--all", "new:NoExecute", "-o", "html"),
	} {
		url := pageAt(t, page)
		for _, scheme := range []string{"light", "dark"} {
			media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
			for _, width := range []int64{390, 1280} {
				for expression, want := range map[string]string{
					"document.documentElement.scrollWidth - document.documentElement.clientWidth": "0",
					"overlaps()": "", "misplaced()": "", "faint()": "", "isInside()": "true",
				} {
					if got := evaluate(t, ctx, url, width, media, expression); got != want {
						t.Errorf("%s, %s, %d pixels: %.80s is %q, want %q", name, scheme, width, expression, got, want)
					}
				}
			}
		}
	}
}
