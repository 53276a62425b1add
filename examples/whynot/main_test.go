package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
)

var update = flag.Bool("update", false, "write the golden files")

var testNow = time.Date(2026, 11, 21, 1, 24, 0, 0, time.UTC)

// runOn runs the program on the input.
func runOn(stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	p := program{stdin: stdin, stdout: &out, stderr: &errOut, clock: func() time.Time { return testNow }}
	code = p.run(args)
	return code, out.String(), errOut.String()
}

// mustRun returns the output on the input, which is good.
func mustRun(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	code, stdout, stderr := runOn(strings.NewReader(stdin), args...)
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	return stdout
}

// mustReport returns the report in its JSON form.
func mustReport(t *testing.T, stdin string, args ...string) report {
	t.Helper()
	var r report
	if err := json.Unmarshal([]byte(mustRun(t, stdin, append(args, "-o", "json")...)), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// list returns a List of the items.
func list(items ...string) string {
	return `{"kind":"List","apiVersion":"v1","items":[` + strings.Join(items, ",") + `]}`
}

// nodeJSON returns a Node with the taints; labels are of the form key=value, separated by commas.
func nodeJSON(name, labels string, specs ...string) string {
	var list []taints.Taint
	for _, s := range specs {
		list = append(list, taints.MustParseTaint(s))
	}
	return mustJSON(map[string]any{
		"apiVersion": "v1", "kind": "Node",
		"metadata": map[string]any{"name": name, "labels": labelMap(labels)},
		"spec":     map[string]any{"taints": list},
	})
}

// podJSON returns a Pod with the tolerations, pending if the node is empty.
func podJSON(name, node, selector string, list ...taints.Toleration) string {
	return mustJSON(map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": name},
		"spec":     map[string]any{"nodeName": node, "nodeSelector": labelMap(selector), "tolerations": list},
	})
}

func labelMap(s string) map[string]string {
	m := make(map[string]string)
	for _, pair := range strings.Split(s, ",") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			m[key] = value
		}
	}
	return m
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// tol parses a toleration.
func tol(s string) taints.Toleration { return taints.MustParseToleration(s) }

func TestGolden(t *testing.T) {
	tests := []struct {
		file string
		args []string
	}{
		{"sample.text", nil},
		{"sample.json", []string{"-o", "json"}},
		{"pending.text", []string{"-pod", "default/train-typo-6797db7bbd-ghn2c"}},
		{"leaving.text", []string{"-pod", "web-645fb7869d-mclxf", "-now", "2026-11-21T02:30:00+01:00"}},
		{"running.text", []string{"-pod", "web-645fb7869d-hrf9l"}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			code, got, stderr := runOn(nil, test.args...)
			if code != 0 || !strings.Contains(stderr, "built-in sample") {
				t.Errorf("exit code %d, stderr %q", code, stderr)
			}
			compareGolden(t, test.file, got)
		})
	}
}

// The findings about tolerations, of all pending pods and of one that runs.
func TestGoldenFindings(t *testing.T) {
	for file, args := range map[string][]string{
		"findings.text": nil,
		"findings.json": {"-o", "json"},
		"db.text":       {"-pod", "db"},
	} {
		t.Run(file, func(t *testing.T) {
			code, got, stderr := runOn(nil, append(args, "testdata/findings.json")...)
			if code != 0 || stderr != "" {
				t.Errorf("exit code %d, stderr %q", code, stderr)
			}
			compareGolden(t, file, got)
		})
	}
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestReadme checks that the sample's output has what the README shows of it.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(readme), "```\n")
	_, output, _ := runOn(nil)
	if len(parts) != 4 || !strings.Contains(output, parts[2]) {
		t.Errorf("the README shows something else than %s", output)
	}
}

func TestWidth(t *testing.T) {
	for _, columns := range []int{0, 80, 81, 100, 120, 200} {
		var out bytes.Buffer
		p := program{stdout: &out, stderr: io.Discard, columns: fmt.Sprint(columns), clock: time.Now}
		if code := p.run(nil); code != 0 {
			t.Fatalf("exit code %d", code)
		}
		for _, line := range strings.Split(out.String(), "\n") {
			if want := max(columns, 80); len(line) > want {
				t.Errorf("COLUMNS=%d: %d columns: %s", columns, len(line), line)
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("COLUMNS=%d: trailing space: %q", columns, line)
			}
		}
	}
	widths := map[string]int{"": 80, "x": 80, "-5": 80, "0": 80, "39": 80, "40": 40, "1000": 1000, "1001": 80}
	for columns, want := range widths {
		if got := (program{columns: columns}).width(); got != want {
			t.Errorf("COLUMNS=%s: width %d, want %d", columns, got, want)
		}
	}
}

func TestUsage(t *testing.T) {
	tests := []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"-h"}, 0, "Usage: kubectl get"},
		{[]string{"-x"}, 2, "flag provided but not defined: -x"},
		{[]string{"-o", "yaml"}, 2, "want text or json"},
		{[]string{"-o"}, 2, "flag needs an argument"},
		{[]string{"-now", "soon"}, 2, "want a time"},
		{[]string{"-pod", ""}, 2, "want namespace/name"},
		{[]string{"-pod", "a/b/c"}, 2, "want namespace/name"},
		{[]string{"-pod", "/c"}, 2, "want namespace/name"},
		{[]string{"sample.json", "-o", "yaml"}, 2, "want text or json"},
		{[]string{"testdata/none.json"}, 1, "whynot: open testdata/none.json: "},
		{[]string{"testdata"}, 1, "is a directory"},
		{[]string{"-pod", "none", "sample.json"}, 1, "whynot: no pod default/none in the input\n"},
		{[]string{"-pod", "other/web-645fb7869d-hrf9l", "sample.json"}, 1, "similar: default/web-645fb7869d-hrf9l"},
		{[]string{"-pod", "train-tipo-6797db7bbd-ghn2c", "sample.json"}, 1, "similar: default/train-typo-6797db7bbd-ghn2c\n"},
		{[]string{"-pod", "train-typo", "sample.json"}, 1, "similar: default/train-typo-6797db7bbd-ghn2c\n"},
		{
			[]string{"-pod", "api-7db478db7d-zzzzz", "sample.json"}, 1,
			"similar: default/api-7db478db7d-8zxmc, default/api-7db478db7d-9thb5, default/api-7db478db7d-cl9kq\n",
		},
	}
	for _, test := range tests {
		code, stdout, stderr := runOn(nil, test.args...)
		if code != test.code || stdout != "" || !strings.Contains(stderr, test.stderr) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", test.args, code, stdout, stderr)
		}
	}
}

func TestInputChoice(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	closed, err := os.Open("sample.json")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for name, stdin := range map[string]io.Reader{"none": nil, os.DevNull: null, "closed": closed} {
		code, stdout, stderr := runOn(stdin)
		if code != 0 || !strings.Contains(stdout, "of the built-in sample, at 2026-11-21T01:24:00Z (fixed)") ||
			!strings.Contains(stderr, "built-in sample") {
			t.Errorf("%s: exit code %d, stdout %.80q, stderr %q", name, code, stdout, stderr)
		}
	}
	if code, stdout, stderr := runOn(nil, "-"); code != 1 || stdout != "" || stderr != "whynot: "+errNoInput.Error()+"\n" {
		t.Errorf("-: exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	want := strings.Replace(mustRun(t, string(sample)), "42 pods,", "42 pods of the built-in sample,", 1)
	if code, got, _ := runOn(nil, "-now", "2026-11-21T01:25:00Z"); code != 0 || got == want {
		t.Error("-now does not change the sample's output")
	}
	if got := mustRun(t, string(sample), "-"); !strings.HasPrefix(got, "13 nodes and 42 pods, at") {
		t.Errorf("-: %.80q", got)
	}
	if got := mustRun(t, "", "sample.json", "-o", "text", "sample.json"); got != mustRun(t, string(sample)) {
		t.Error("the same file twice differs from once")
	}
}

// TestNoNullLists looks at the JSON form of what has little in it.
func TestNoNullLists(t *testing.T) {
	inputs := []string{
		`{"kind":"Node","metadata":{"name":"n"}}`,
		list(nodeJSON("n", ""), podJSON("p", "", ""), podJSON("q", "n", "")),
		list(nodeJSON("n", "", "k:NoExecute"), podJSON("p", "", ""), podJSON("q", "n", ""), podJSON("r", "", "a=b")),
		list(nodeJSON("n", "", "node.kubernetes.io/not-ready:NoExecute"), podJSON("p", "", "")),
	}
	single := regexp.MustCompile(`"(change|closest|replaces|toleration)": null`)
	for _, input := range inputs {
		for _, args := range [][]string{{"-o", "json"}, {"-o", "json", "-pod", "p"}} {
			_, stdout, _ := runOn(strings.NewReader(input), args...)
			for line := range strings.Lines(single.ReplaceAllString(stdout, "")) {
				if strings.Contains(line, "null") {
					t.Errorf("%s %q: %s", input, args, line)
				}
			}
		}
	}
}

func TestWriteError(t *testing.T) {
	var stderr bytes.Buffer
	p := program{stdout: failingWriter{}, stderr: &stderr, clock: time.Now}
	if code := p.run(nil); code != 1 || !strings.HasSuffix(stderr.String(), "whynot: disk full\n") {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func FuzzRun(f *testing.F) {
	f.Add([]byte(``))
	f.Add([]byte(list(nodeJSON("a", "x=y", "k=v:NoExecute"), podJSON("p", "a", ""), podJSON("q", "", "x=y", tol("k=V")))))
	f.Add([]byte(`{"items":[{"spec":{"taints":[{"key":"k","value":"40","effect":"NoSchedule"}]},"metadata":{"name":"n"}}],` +
		`"kind":"NodeList"}` +
		`{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[{"key":"k","operator":"Lt","value":"9"}]}}`))
	f.Add([]byte(`{"kind":"Node","metadata":{"name":"n"},"spec":{"unschedulable":true,"taints":[{"effect":"NoExecute"}]}}`))
	f.Add([]byte(`{"kind":"Node","spec":[]}`))
	f.Add([]byte(`[{"kind":"Node"}]`))
	f.Fuzz(func(t *testing.T, input []byte) {
		for _, form := range []string{"text", "json"} {
			code, stdout, stderr := runOn(bytes.NewReader(input), "-o", form)
			switch {
			case code != 0 && code != 1:
				t.Errorf("exit code %d", code)
			case code == 1 && (stdout != "" || stderr == ""):
				t.Errorf("exit code 1, stdout %q, stderr %q", stdout, stderr)
			case code == 0 && form == "json" && !json.Valid([]byte(stdout)):
				t.Errorf("invalid JSON: %s", stdout)
			}
		}
	})
}
