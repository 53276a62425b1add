// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/seed-0529bac1/taints/cmd/internal/browser"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
)

// hostile is a name that would do harm on a page that does not escape it.
const hostile = `"><img src=x onerror=alert(1)>'</script><script>document.title='owned'</script>&{{.}}` +
	"\u202e\x1b[31m"

// TestEscaping has this name in every place that reaches the page.
func TestEscaping(t *testing.T) {
	input := strings.ReplaceAll(list(
		objectOf("node n k:NoExecute"),
		`{"kind":"Node","metadata":{"name":"HOSTILE","labels":{"HOSTILE":"HOSTILE"}},`+
			`"spec":{"taints":[{"key":"HOSTILE","value":"HOSTILE","effect":"NoSchedule"}]}}`,
		`{"kind":"Pod","metadata":{"name":"HOSTILE","namespace":"HOSTILE","ownerReferences":[{"kind":"HOSTILE","name":"HOSTILE","controller":true}]},`+
			`"spec":{"nodeSelector":{"HOSTILE":"HOSTILE"},"tolerations":[{"key":"HOSTILE","value":"x"}]},`+
			`"status":{"conditions":[{"type":"PodScheduled","status":"False","message":"HOSTILE"}]}}`,
		`{"kind":"Pod","metadata":{"name":"two","namespace":"HOSTILE"},"spec":{"tolerations":[{"key":"HOSTILE","value":"HOSTILE"}]},`+
			`"status":{"conditions":[{"type":"PodScheduled","status":"False","message":"HOSTILE"}]}}`,
		`{"kind":"Pod","metadata":{"name":"HOSTILE2"},"spec":{"nodeName":"n"}}`, `{"kind":"HOSTILE"}`,
	), "HOSTILE", strings.Trim(mustJSON(hostile), `"`))
	page := mustRun(t, input, "-o", "html")
	body := bodyOf(page)
	for _, bad := range []string{"<img", "<script", "\u202e", "\x1b", `onerror=alert(1)>`, "ZgotmplZ"} {
		if at := strings.Index(body, bad); at >= 0 {
			t.Errorf("%q is on the page: %.200s", bad, body[max(at-100, 0):])
		}
	}
	if n := strings.Count(body, "&lt;img"); n < 8 {
		t.Errorf("the name is on the page %d times only", n)
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

// manyGroups returns more groups and kinds of pods than the matrix has.
func manyGroups(groups, kinds int) string {
	return objectsOf([]string{
		fmt.Sprint(groups, " times node n# k=#:NoSchedule"),
		fmt.Sprint(kinds, " times {kind: Pod, metadata: {name: p#}, spec: {tolerations: [{key: k, value: '#'}]}}"),
	})
}

// A term that excludes a node by its name also excludes it in the matrix. A term
// that names the only node, as in a DaemonSet's pods, is ignored there.
func TestMatrixNames(t *testing.T) {
	items := []string{objectOf("node a k=v:NoSchedule"), objectOf("node b"), objectOf("node c")}
	const field = `{"matchFields":[{"key":"metadata.name","operator":"OPERATOR","values":["a"]}]}`
	for i, terms := range []string{strings.Replace(field, "OPERATOR", "NotIn", 1), strings.Replace(field, "OPERATOR", "In", 1), ""} {
		items = append(items, fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"affinity":{"nodeAffinity":`+
			`{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[%s]}}}}}`, i, terms))
	}
	_, matrix, _ := strings.Cut(mustRun(t, list(items...), "-o", "html"), `id="matrix-table"`)
	got := regexp.MustCompile(`[✓✕–]</span> [a-z ]*[a-z]`).FindAllString(matrix, -1)
	want := []string{
		"–</span> no match", "✕</span> untolerated", "–</span> no match", // a
		"✓</span> schedulable", "✓</span> schedulable", "–</span> no match", // b and c
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A section without rows has no heading, or says why. Finished pods are not in
// the matrix.
func TestEmptySections(t *testing.T) {
	done := `{"kind":"Pod","metadata":{"name":"done"},"spec":{"nodeName":"n"},"status":{"phase":"Succeeded"}}`
	for input, want := range map[string]string{
		objectOf("node n"): "There are no pods", list(objectOf("node n"), done): "All pods have finished",
	} {
		page := mustRun(t, input, "-o", "html")
		if strings.Contains(page, "Kinds of pods") || strings.Contains(page, "<tbody>\n</tbody>") || !strings.Contains(page, "<p>"+want+".</p>") {
			t.Errorf("want %s and no empty section: %s", want, page[strings.Index(page, "<main>"):])
		}
	}
}

// Long tables are cut, and what is left out is counted. Every group that the
// matrix names is on the page.
func TestCaps(t *testing.T) {
	page := mustRun(t, manyGroups(diagnosis.MaxRows+7, diagnosis.MaxColumns+3), "-o", "html")
	if !strings.Contains(page, "<p>7 more groups and 3 more kinds of pods: not shown here.</p>") {
		t.Errorf("what is left out of the matrix is not said: %s", page[strings.Index(page, "</main>")-1000:])
	}
	if n := strings.Count(page, "<tr data-rejected="); n != diagnosis.MaxRows {
		t.Errorf("%d rows", n)
	}
	many := objectsOf([]string{
		"{kind: Pod, metadata: {name: p}, spec: {nodeSelector: {pool: x}}}",
		"node last pool=x last:NoSchedule", // the smallest group
		"1001 times node a# k#:NoSchedule",
		"1001 times node b# k#:NoSchedule",
		"205 times {kind: Pod, metadata: {name: p#}, spec: {nodeSelector: {x: '#'}}}",
		"209 times {kind: Pod, metadata: {name: q#}, spec: {nodeSelector: {none: x}}}",
	})
	page = mustRun(t, many, "-o", "html")
	for _, want := range []string{"<p>2 more groups:", "<p>7 more causes:", "<li>and 9 more</li>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s on the page", want)
		}
	}
	links := regexp.MustCompile(`href="#(group-\d+)"`).FindAllStringSubmatch(page, -1)
	for _, link := range links {
		if !strings.Contains(page, ` id="`+link[1]+`"`) {
			t.Errorf("the matrix names %s, which the page does not have", link[1])
		}
	}
	if len(links) != diagnosis.MaxRows {
		t.Errorf("%d links", len(links))
	}
}

// The script runs in a real browser under the page's policy. It folds the
// matrix, a search hides the other rows and empty sections, and all rows and
// columns are printed, with captions that stay with their tables.
func TestBrowser(t *testing.T) {
	ctx := browser.Start(t)
	sample, many := filepath.Join(t.TempDir(), "sample.html"), filepath.Join(t.TempDir(), "many.html")
	long := filepath.Join(t.TempDir(), strings.Repeat("verylongname", 15))
	if err := os.WriteFile(long, []byte(manyGroups(2, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	narrow := long + ".html"
	for path, page := range map[string]string{
		sample: mustRun(t, "", "-f", "testdata/sample.json", "-o", "html"), many: mustRun(t, manyGroups(60, 12), "-o", "html"),
		narrow: mustRun(t, "", "-f", long, "-o", "html"),
	} {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ url, media, expression, want string }{
		{sample, "", "[shown('html.js'), shown('td pre'), shown('.copy')]", "1, 2, 2"},
		{sample, "", "text('#more-columns, #folded')", "Show all 10 kinds of pods, Shown are 9 of 9 groups and 8 of 10 kinds of pods."},
		{sample, "", "[shown('tbody tr'), shown('h2'), all('thead th.cut').length]", "34, 5, 2"},
		{sample + "#q=storage%20db", "", "[shown('tbody tr'), shown('h2'), text('#found')]", "3, 2, 3 of 34 rows"},
		{sample + "#q=nothing%20has%20this", "", "[shown('tbody tr'), shown('h2'), text('#found')]", "0, 0, 0 of 34 rows"},
		{narrow, "", "document.documentElement.scrollWidth <= document.documentElement.clientWidth", "true"},
		{many, "", "[shown('#matrix-table tbody tr'), text('#more-rows, #more-columns')]", "25, Show all 60 groups, Show all 12 kinds of pods"},
		{many, "print", `[shown('#matrix-table tbody tr'), shown('#matrix-table thead th'), shown('.copy'),
			all('caption').every(e => getComputedStyle(e).breakAfter === 'avoid')]`, "60, 13, 0, true"},
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
