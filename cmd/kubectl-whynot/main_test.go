// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"html"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fatih/color"
	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/internal/test/golden"
)

var testNow = time.Date(2026, 11, 21, 1, 24, 0, 0, time.UTC)

// TestMain makes sure that no test reads a cluster.
func TestMain(m *testing.M) {
	os.Setenv("KUBECONFIG", os.DevNull)
	os.Unsetenv("COLUMNS")
	os.Exit(m.Run())
}

// runOn runs the program on the input.
func runOn(stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	p := program{in: stdin, out: &out, err: &errOut, clock: func() time.Time { return testNow }}
	code = p.run(args)
	return code, out.String(), errOut.String()
}

// mustRun returns the output for the input. The program must succeed.
func mustRun(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	code, stdout, stderr := runOn(strings.NewReader(stdin), args...)
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	return stdout
}

// oneLine returns the text without line breaks and repeated spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// mustReport returns the report in its JSON form.
func mustReport(t *testing.T, stdin string, args ...string) diagnosis.Report {
	t.Helper()
	var r diagnosis.Report
	if err := json.Unmarshal([]byte(mustRun(t, stdin, append(args, "-o", "json")...)), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// list returns a List of the items.
func list(items ...string) string {
	return `{"kind":"List","apiVersion":"v1","items":[` + strings.Join(items, ",") + `]}`
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// tol parses a toleration.
func tol(s string) taints.Toleration { return taints.Must(taints.ParseToleration(s)) }

func TestGolden(t *testing.T) {
	const (
		evict = "preview taint nodes worker-1 worker-2 maintenance:NoExecute -f testdata/preview.yaml"
		drain = "preview drain worker-1 old-1 --ignore-daemonsets --force -f testdata/preview.yaml"
	)
	for file, args := range map[string]string{
		"sample.text":        "-f testdata/sample.json",
		"sample.wide":        "-f testdata/sample.json -o wide",
		"sample.json":        "-f testdata/sample.json -o json",
		"sample.html":        "-f testdata/sample.json -o html",
		"evictions.html":     "-f testdata/evictions.yaml -o html", // a taint and a pod without a time may be of any age
		"pending.text":       "-f testdata/sample.json default/train-typo-6797db7bbd-ghn2c",
		"pending.html":       "-f testdata/sample.json pod train-typo-6797db7bbd-ghn2c -o html",
		"eviction.text":      "-f testdata/sample.json web-645fb7869d-mclxf --now 2026-11-21T02:30:00+01:00",
		"running.text":       "-f testdata/sample.json pod/web-645fb7869d-hrf9l",
		"teams.text":         "-f testdata/teams.json",
		"teams.wide":         "-f testdata/teams.json -o wide",
		"odd.wide":           "-f testdata/odd.json -o wide",
		"odd.yaml":           "-f testdata/odd.json -o yaml",
		"workloads.json":     "-f testdata/workloads.yaml -o json",
		"preview-evict.text": evict,
		"preview-evict.wide": evict + " -o wide",
		"preview-evict.yaml": evict + " -o yaml",
		"preview-evict.html": evict + " -o html",
		"preview-drain.text": drain,
		"preview-drain.wide": drain + " -o wide",
		"preview-drain.yaml": drain + " -o yaml",
		"preview-drain.html": drain + " -o html",
	} {
		t.Run(file, func(t *testing.T) {
			golden.Compare(t, file, bodyOf(mustRun(t, "", strings.Fields(args)...)))
			checkFixes(t, "", strings.Fields(args)...)
		})
	}
}

// bodyOf returns the output without the style and script of a page.
func bodyOf(output string) string {
	for _, cut := range [][2]string{{"<style>", "</style>"}, {"<script>", "</script>"}, {"'sha256-", "'"}} {
		before, rest, ok := strings.Cut(output, cut[0])
		if _, after, ends := strings.Cut(rest, cut[1]); ok && ends {
			output = before + after
		}
	}
	return output
}

// visible returns the text of the output. Of a page, it has a line for each row of a table.
func visible(output string) string {
	if !strings.HasPrefix(output, "<!DOCTYPE") {
		return output
	}
	output = oneLine(bodyOf(output))
	output = regexp.MustCompile(`</(?:tr|p|h[1-6]|caption|title)>`).ReplaceAllString(output, "$0\n")
	output = strings.NewReplacer("</td>", " | ", "</th>", " | ", "<ins>", " ins ", "<del>", " del ", "<wbr>", "").Replace(output)
	output = html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(output, " "))
	return strings.Join(lists.Each(strings.Split(output, "\n"), func(line string) string { return strings.TrimSuffix(oneLine(line), " |") }), "\n")
}

// The README shows outputs of the program.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "```console\n$ kubectl whynot ")[1:]
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		args, want, _ := strings.Cut(block, "\n")
		if diff := cmp.Diff(want, mustRun(t, "", strings.Fields(args)...)); diff != "" {
			t.Errorf("(-README +output):\n%s", diff)
		}
	}
	if len(blocks) < 2 {
		t.Errorf("%d outputs", len(blocks))
	}
}

// Text fits the width, except what users can paste, which are commands and tolerations,
// and on a wide page words that are longer.
func TestWidth(t *testing.T) {
	const preview = "preview taint nodes worker-1 worker-2 maintenance:NoExecute -f testdata/preview.yaml"
	toPaste := regexp.MustCompile(`^ +(kubectl |- |key: |operator: |value: |effect: )`)
	for columns, want := range map[string]int{"": 100, "80": 80, "99": 99, "200": 200} {
		t.Setenv("COLUMNS", columns)
		for _, args := range []string{
			"-f testdata/teams.json", "-f testdata/teams.json -o wide", "-f testdata/sample.json -o wide", "-f testdata/sample.json",
			"-f testdata/sample.json train-typo-6797db7bbd-ghn2c", "-f testdata/odd.json -o wide", "-f testdata/workloads.yaml", preview, preview + " -o wide",
		} {
			for line := range strings.SplitSeq(mustRun(t, "", strings.Fields(args)...), "\n") {
				isWord := len(strings.Fields(line)) == 1
				if len(line) > want && !isWord && !toPaste.MatchString(line) {
					t.Errorf("COLUMNS=%s: %s: %d columns: %s", columns, args, len(line), line)
				}
				if strings.TrimRight(line, " ") != line {
					t.Errorf("trailing space: %q", line)
				}
			}
		}
	}
}

// Bold text is bold on all of its lines.
func TestBold(t *testing.T) {
	p := page{width: 20, color: true}
	color.NoColor = false
	defer func() { color.NoColor = true }()
	want := "\x1b[1ma text that is\x1b[22m\n\x1b[1m  longer than one\x1b[22m\n\x1b[1m  line\x1b[22m"
	if got := p.wrapped("", "  ", "a text that is longer than one line", color.Bold); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if p.color = false; p.styled("x", color.Bold) != "x" {
		t.Error("a file gets colors")
	}
}

// Help fits 80 columns, and the flags that choose a cluster are apart.
func TestHelp(t *testing.T) {
	for _, command := range []string{"", "preview", "preview taint", "preview cordon", "preview drain", "version"} {
		code, help, _ := runOn(nil, append(strings.Fields(command), "--help")...)
		own, choosing, isApart := strings.Cut(help, "\nFlags that choose the cluster and the user:\n")
		if code != 0 || !isApart || strings.Contains(own, "--context") || !strings.Contains(choosing, "--context") || strings.Contains(choosing, "--namespace") {
			t.Errorf("%s: exit code %d: %s", command, code, help)
		}
		for line := range strings.SplitSeq(help, "\n") {
			if len(line) > 80 {
				t.Errorf("%s: %d columns: %s", command, len(line), line)
			}
		}
	}
}

// Lists that could have as many elements as there are nodes, for each pod, are
// limited, and the elements that are left out are counted.
func TestLimits(t *testing.T) {
	input := objectsOf([]string{"70 times node n# k=#:NoSchedule", "pod k=none", "{kind: Pod, metadata: {name: q}}"})
	for _, x := range mustReport(t, input).Pending {
		if len(x.Rejections) != 50 || x.RejectionsTotal != 70 ||
			len(x.Alternatives) != 50 || x.AlternativesTotal != 70 {
			t.Errorf("%s: %d rejections of %d, %d alternatives of %d", x.Pods,
				len(x.Rejections), x.RejectionsTotal, len(x.Alternatives), x.AlternativesTotal)
		}
	}
	got := mustRun(t, input, "-o", "wide")
	if !strings.Contains(got, "\n    60 more untolerated taints\n") || !strings.Contains(got, "\n    60 more groups of nodes\n") {
		t.Errorf("got %s", got)
	}
}

// Long values are shortened, except in commands and for programs.
func TestLongValues(t *testing.T) {
	long := strings.Repeat("x", 5000)
	input := strings.NewReplacer("LONG", long).Replace(list(
		`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"k","value":"LONG","effect":"NoSchedule"}]}}`,
		`{"kind":"Pod","metadata":{"name":"p"},"spec":{"schedulerName":"LONG","nodeSelector":{"a":"LONG"},"tolerations":[{"key":"k","value":"LONGx"}]}}`,
		`{"kind":"Pod","metadata":{"name":"q"},"spec":{"tolerations":[{"key":"k","value":"LONGx"}]}}`,
	))
	for _, args := range []string{"", "-o wide", "-o html", "p"} {
		for line := range strings.SplitSeq(mustRun(t, input, strings.Fields(args)...), "\n") {
			if n := len(strings.ReplaceAll(line, "…", "")); n > 2000 && !strings.Contains(line, "kubectl ") && !strings.Contains(line, "value: xx") && !strings.Contains(line, "const ") {
				t.Errorf("%q: a line of %d bytes: %.300s", args, n, line)
			}
		}
	}
	if _, _, stderr := runOn(strings.NewReader(`{"kind":"Node","metadata":{"name":"` + long + `"}}`)); len(stderr) > 700 {
		t.Errorf("an error of %d bytes: %s", len(stderr), stderr)
	}
	if got := mustRun(t, input, "-o", "json"); !strings.Contains(got, long) {
		t.Error("programs get a shorter value")
	}
}

func TestWriteError(t *testing.T) {
	reader, full := io.Pipe()
	reader.CloseWithError(errors.New("disk full"))
	for _, output := range outputs {
		var stderr bytes.Buffer
		p := program{out: full, err: &stderr, clock: time.Now}
		if code := p.run([]string{"-f", "testdata/sample.json", "-o", output}); code != 1 ||
			!strings.Contains(stderr.String(), "disk full") {
			t.Errorf("%s: exit code %d, stderr %q", output, code, stderr.String())
		}
	}
}

func FuzzRun(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) {
		for _, output := range outputs {
			code, stdout, stderr := runOn(bytes.NewReader(input), "-o", output)
			switch {
			case code != 0 && code != 1:
				t.Errorf("exit code %d", code)
			case code == 1 && stderr == "":
				t.Error("exit code 1 and no error")
			case code == 0 && output == "json" && !json.Valid([]byte(stdout)):
				t.Errorf("invalid JSON: %s", stdout)
			}
		}
	})
}
