// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
)

// hostile is a name that would do harm on a page that does not escape it.
const hostile = `"><img src=x onerror=alert(1)>'</script><script>document.title='owned'</script>&{{.}}` +
	"\u202e\x1b[31m"

// hostileInput has this name in every place that reaches the page.
func hostileInput() string {
	return strings.ReplaceAll(list(
		nodeJSON("n", "", "k:NoExecute"),
		`{"kind":"Node","metadata":{"name":"HOSTILE","labels":{"HOSTILE":"HOSTILE"}},`+
			`"spec":{"taints":[{"key":"HOSTILE","value":"HOSTILE","effect":"NoSchedule"}]}}`,
		`{"kind":"Pod","metadata":{"name":"HOSTILE","namespace":"HOSTILE","ownerReferences":[{"kind":"HOSTILE","name":"HOSTILE","controller":true}]},`+
			`"spec":{"nodeSelector":{"HOSTILE":"HOSTILE"},"tolerations":[{"key":"HOSTILE","value":"x"}]},`+
			`"status":{"conditions":[{"type":"PodScheduled","status":"False","message":"HOSTILE"}]}}`,
		`{"kind":"Pod","metadata":{"name":"two","namespace":"HOSTILE"},"spec":{"tolerations":[{"key":"HOSTILE","value":"HOSTILE"}]},`+
			`"status":{"conditions":[{"type":"PodScheduled","status":"False","message":"HOSTILE"}]}}`,
		`{"kind":"Pod","metadata":{"name":"HOSTILE2"},"spec":{"nodeName":"n"}}`, `{"kind":"HOSTILE"}`,
	), "HOSTILE", strings.Trim(mustJSON(hostile), `"`))
}

func TestEscaping(t *testing.T) {
	page := mustRun(t, hostileInput(), "-o", "html")
	script := page[strings.Index(page, "<script>"):]
	body := strings.Replace(page, script[:strings.Index(script, "</script>")+len("</script>")], "", 1)
	for _, bad := range []string{"<img", "<script", "\u202e", "\x1b", `onerror=alert(1)>`} {
		if strings.Contains(body, bad) {
			at := strings.Index(body, bad)
			t.Errorf("%q is on the page: %.200s", bad, body[max(at-100, 0):])
		}
	}
	if n := strings.Count(body, "&lt;img"); n < 8 {
		t.Errorf("the name is on the page %d times only", n)
	}
	if strings.Contains(body, "ZgotmplZ") {
		t.Error("the template refuses a value")
	}
}

// sampleOf returns a dump of a small cluster.
func sampleOf(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("testdata/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The page loads nothing from other places.
func TestSelfContained(t *testing.T) {
	page := mustRun(t, sampleOf(t), "-o", "html")
	if m := regexp.MustCompile(`(?i)(src|href)="?([^"#> ]+)|url\(|@import|https?://`).FindString(page); m != "" {
		t.Errorf("the page refers to %q", m)
	}
	for _, want := range []string{
		`<html lang="en">`, "<title>kubectl whynot: 13 nodes, 42 pods</title>",
		"prefers-color-scheme: dark", "@media print", ":focus-visible",
		`<caption id="matrix-caption">9 groups of nodes and 10 kinds of pods</caption>`,
		`scope="row"`, `scope="col"`, `role="status"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s on the page", want)
		}
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
	var items []string
	for i := range groups {
		items = append(items, nodeJSON(fmt.Sprintf("n%03d", i), "", fmt.Sprintf("k=%03d:NoSchedule", i)))
	}
	for i := range kinds {
		items = append(items, podJSON(fmt.Sprintf("p%d", i), "", "", tol(fmt.Sprintf("k=%03d", i))))
	}
	return list(items...)
}

// A term that excludes a node by its name also excludes it in the matrix. A term
// that names the only node, as in a DaemonSet's pods, is ignored there.
func TestMatrixNames(t *testing.T) {
	const pod = `{"kind":"Pod","metadata":{"name":"p"},"spec":{"affinity":{"nodeAffinity":` +
		`{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[TERMS]}}}}}`
	const term = `{"matchFields":[{"key":"metadata.name","operator":"OPERATOR","values":["a"]}]}`
	input := list(nodeJSON("a", "", "k=v:NoSchedule"), nodeJSON("b", ""), nodeJSON("c", ""))
	for _, tc := range []struct{ terms, onA, onOthers string }{
		{strings.Replace(term, "OPERATOR", "NotIn", 1), "no match", "schedulable"},
		{strings.Replace(term, "OPERATOR", "In", 1), "untolerated", "schedulable"},
		{"", "no match", "no match"},
	} {
		page := mustRun(t, input+strings.Replace(pod, "TERMS", tc.terms, 1), "-o", "html")
		cells := regexp.MustCompile(`aria-hidden="true">[✓✕–]</span> ([^<]*?)(?: <code>.*)?</td>`).FindAllStringSubmatch(page, -1)
		var got []string
		for _, c := range cells {
			got = append(got, c[1])
		}
		want := []string{tc.onA, tc.onOthers}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", tc.terms, got, want)
		}
	}
}

// Finished pods are in the input but not in the matrix.
func TestMatrixOfFinished(t *testing.T) {
	done := `{"kind":"Pod","metadata":{"name":"done"},"spec":{"nodeName":"n"},"status":{"phase":"Succeeded"}}`
	page := mustRun(t, list(nodeJSON("n", ""), done), "-o", "html")
	if !strings.Contains(page, "<p>All pods have finished.</p>") || strings.Contains(page, "There are no pods") {
		t.Errorf("got %s", page[strings.Index(page, "<main>"):])
	}
}

// A section without rows has no heading, or says why.
func TestEmptySections(t *testing.T) {
	done := `{"kind":"Pod","metadata":{"name":"done"},"spec":{"nodeName":"n"},"status":{"phase":"Succeeded"}}`
	for _, input := range []string{list(nodeJSON("n", "")), list(nodeJSON("n", ""), done)} {
		page := mustRun(t, input, "-o", "html")
		if strings.Contains(page, "Kinds of pods") || strings.Contains(page, "<tbody>\n</tbody>") || strings.Contains(page, "<p></p>") {
			t.Errorf("an empty section: %s", page[strings.Index(page, "<main>"):])
		}
	}
}

// The time line has its last tick, and long keys break.
func TestTimeLine(t *testing.T) {
	page := mustRun(t, sampleOf(t), "-o", "html")
	for _, want := range []string{">Time of eviction <", `>in 60m</b>`, "example.<wbr>com/<wbr>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s on the page", want)
		}
	}
}

// All rows and columns are printed, and captions stay with their tables.
func TestPrint(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium")
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(mustRun(t, manyGroups(60, 12), "-o", "html")), 0o644); err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.ExecPath(browser), chromedp.Flag("disable-quic", true), chromedp.WSURLReadTimeout(time.Minute))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	defer stop()
	ctx, stop = chromedp.NewContext(ctx)
	defer stop()
	print := chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		return err
	})
	if _, err := chromedp.Run(ctx, chromedp.Steps(chromedp.Navigate("file://"+path), print)); err != nil {
		t.Skipf("chromium does not run here: %v", err)
	}
	got, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](`(() => {
		const shown = s => [...document.querySelectorAll(s)].filter(e => getComputedStyle(e).display !== 'none').length;
		return [shown('#matrix-table tbody tr'), shown('#matrix-table thead th'), shown('.copy'),
			[...document.querySelectorAll('caption')].every(e => getComputedStyle(e).breakAfter === 'avoid')].map(String);
	})()`))
	if err != nil {
		t.Skipf("chromium does not run here: %v", err)
	}
	if want := []string{"60", "13", "0", "true"}; !slices.Equal(got, want) {
		t.Errorf("rows, columns, buttons and captions in print: got %q, want %q", got, want)
	}
}

func TestCaps(t *testing.T) {
	page := mustRun(t, manyGroups(diagnosis.MaxRows+7, diagnosis.MaxColumns+3), "-o", "html")
	if !strings.Contains(page, "<p>7 more groups and 3 more kinds of pods: not shown here.</p>") {
		t.Errorf("what is left out of the matrix is not said: %s", page[strings.Index(page, "</main>")-1000:])
	}
	if n := strings.Count(page, "<tr data-rejected="); n != diagnosis.MaxRows {
		t.Errorf("%d rows", n)
	}
	var many []string
	for i := range maxPageGroups + 2 {
		many = append(many, nodeJSON(fmt.Sprintf("n%04d", i), "", fmt.Sprintf("k=%04d:NoSchedule", i)))
	}
	for i := range maxPageCauses + 5 {
		many = append(many, podJSON(fmt.Sprintf("p%04d", i), "", fmt.Sprintf("x=%04d", i)))
	}
	for i := range 200 + 9 {
		many = append(many, podJSON(fmt.Sprintf("q%04d", i), "", "none=x"))
	}
	page = mustRun(t, list(many...), "-o", "html")
	for _, want := range []string{"<p>2 more groups:", "<p>6 more causes:", "<li>and 9 more</li>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s on the page", want)
		}
	}
}

func TestTimeScale(t *testing.T) {
	in := func(seconds ...int64) []*fate {
		f := &fate{}
		for _, s := range seconds {
			f.pods = append(f.pods, &diagnosis.Eviction{InSeconds: &s})
		}
		return []*fate{f, {pods: []*diagnosis.Eviction{{}}}}
	}
	s := newTimeScale(in(-3600, 300))
	if s.at(-3600) != 0 || s.at(300) != 100 || s.at(0) <= 0 || s.at(60) <= s.at(10) {
		t.Errorf("%v %v %v %v", s.at(-3600), s.at(300), s.at(0), s.at(60))
	}
	for _, fates := range [][]*fate{nil, in(0), in(-1<<63, 1<<63-1), in(5)} {
		s := newTimeScale(fates)
		for _, tick := range s.Ticks() {
			if !(tick.Left >= 0 && tick.Left <= 100) {
				t.Errorf("%+v of %+v", tick, s)
			}
		}
	}
}

// browse returns the page in Chromium after its script has run, and the output
// of the script on the console.
func browse(t *testing.T, page, fragment string, flags ...string) string {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium to show the page; apt-get install chromium")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "page.html")
	if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	flags = append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir=" + filepath.Join(folder, "profile"), "--dump-dom",
	}, flags...)
	command := exec.Command(browser, append(flags, "file://"+path+fragment)...)
	command.WaitDelay = time.Second
	timer := time.AfterFunc(2*time.Minute, func() { command.Process.Kill() })
	defer timer.Stop()
	out, err := command.Output()
	if err != nil {
		t.Skipf("chromium does not run here: %v", err)
	}
	return string(out)
}

// rowsShown counts the rows that are shown and hidden in the table bodies.
func rowsShown(dom string) (shown, hidden int) {
	for _, m := range regexp.MustCompile(`<tr([^>]*)>`).FindAllStringSubmatch(dom, -1) {
		_, class, _ := strings.Cut(m[1], `class="`)
		if strings.Contains(class, "filtered") || strings.Contains(class, "cut") {
			hidden++
		} else {
			shown++
		}
	}
	return shown, hidden
}

// The script runs in a real browser under the page's policy. It folds the
// matrix, and a search hides the other rows.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	page := mustRun(t, sampleOf(t), "-o", "html")
	dom := browse(t, page, "")
	if !strings.Contains(dom, `<html lang="en" class="js">`) {
		t.Fatalf("the script did not run: %.300s", dom)
	}
	if !strings.Contains(dom, ">Show all 10 kinds of pods</button>") ||
		strings.Contains(dom, "data-column=\"8\" class=\"\"") {
		t.Error("the columns are not folded")
	}
	if !strings.Contains(dom, ">Shown are 9 of 9 groups and 8 of 10 kinds of pods.</p>") {
		t.Error("it is not said that columns are folded")
	}
	if _, hidden := rowsShown(dom); hidden > 0 {
		t.Errorf("%d rows are hidden", hidden)
	}
	found := browse(t, page, "#q=storage%20db")
	m := regexp.MustCompile(`role="status">(\d+) of (\d+) rows<`).FindStringSubmatch(found)
	if shown, hidden := rowsShown(found); m == nil || hidden < 20 || fmt.Sprint(shown-5) != m[1] { // 5 heads
		t.Errorf("%d rows shown, %d hidden, %v", shown, hidden, m)
	}
	if n := strings.Count(dom, `class="copy">Copy</button>`); n != strings.Count(page, "<pre tabindex") || n == 0 {
		t.Errorf("%d buttons that copy commands", n)
	}
	none := browse(t, page, "#q=nothing%20has%20this")
	sections := func(dom string) int { return strings.Count(dom, `<section id=`) }
	if sections(none) != 5 || strings.Count(none, `-title" class="filtered">`) != 5 {
		t.Error("headings and tables without rows are shown after a search")
	}
	if strings.Contains(dom, `-title" class="filtered">`) || strings.Count(found, `-title" class="filtered">`) >= sections(found) {
		t.Error("sections with rows are hidden")
	}
	dom = browse(t, mustRun(t, manyGroups(60, 12), "-o", "html"), "")
	if !strings.Contains(dom, ">Show all 60 groups</button>") ||
		!strings.Contains(dom, ">Show all 12 kinds of pods</button>") {
		t.Error("the matrix is not folded")
	}
	if _, hidden := rowsShown(dom); hidden != 60-25 {
		t.Errorf("%d rows are hidden", hidden)
	}
}

// Every group that the matrix names is among the groups of the page, no matter
// how many there are.
func TestGroupsOfMatrix(t *testing.T) {
	items := []string{podJSON("p", "", "pool=x"), nodeJSON("last", "pool=x", "last:NoSchedule")}
	for i := range maxPageGroups {
		for _, name := range []string{"a", "b"} {
			items = append(items, nodeJSON(fmt.Sprintf("%s%d", name, i), "", fmt.Sprintf("k%d:NoSchedule", i)))
		}
	}
	page := mustRun(t, list(items...), "-o", "html")
	links := regexp.MustCompile(`href="#(group-\d+)"`).FindAllStringSubmatch(page, -1)
	for _, link := range links {
		if !strings.Contains(page, ` id="`+link[1]+`"`) {
			t.Errorf("the page has no %s", link[1])
		}
	}
	if len(links) != diagnosis.MaxRows {
		t.Errorf("%d links", len(links))
	}
}
