// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/internal/golden"
)

var testNow = time.Date(2026, 11, 21, 1, 24, 0, 0, time.UTC)

// runOn runs the program on the input.
func runOn(stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	return runWith("", stdin, args...)
}

// runWith runs the program with the variable COLUMNS.
func runWith(columns string, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	p := program{
		stdin:   stdin,
		stdout:  &out,
		stderr:  &errOut,
		columns: columns,
		clock:   func() time.Time { return testNow },
	}
	code = p.run(args)
	return code, out.String(), errOut.String()
}

// mustRun returns the output on the input, which is good.
func mustRun(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	return mustRunWith(t, "", stdin, args...)
}

func mustRunWith(t *testing.T, columns, stdin string, args ...string) string {
	t.Helper()
	code, stdout, stderr := runWith(columns, strings.NewReader(stdin), args...)
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

// nodeJSON returns a Node with the taints; labels are of the form key=value,
// separated by commas.
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
	for file, args := range map[string][]string{
		"sample.text":    nil,
		"sample.v.text":  {"-v"},
		"sample.json":    {"-o", "json"},
		"sample.html":    {"-o", "html"},
		"pending.text":   {"-pod", "default/train-typo-6797db7bbd-ghn2c"},
		"pending.json":   {"-o", "json", "train-typo-6797db7bbd-ghn2c"},
		"eviction.text":  {"-pod", "web-645fb7869d-mclxf", "-now", "2026-11-21T02:30:00+01:00"},
		"running.text":   {"web-645fb7869d-hrf9l"},
		"running.v.text": {"pod/web-645fb7869d-hrf9l", "-v"},
	} {
		t.Run(file, func(t *testing.T) {
			code, got, stderr := runOn(nil, args...)
			if code != 0 || !strings.Contains(stderr, "built-in sample") {
				t.Errorf("exit code %d, stderr %q", code, stderr)
			}
			golden.Compare(t, file, bodyOf(got))
		})
	}
}

// The findings about tolerations, of all pending pods and of one that runs; and
// pods of teams, some with mistakes.
func TestGoldenFiles(t *testing.T) {
	for file, args := range map[string][]string{
		"findings.text": {"-f", "testdata/findings.json", "-v"},
		"findings.json": {"-f", "testdata/findings.json", "-o", "json"},
		"db.text":       {"-f", "testdata/findings.json", "-pod", "db"},
		"teams.text":    {"-f", "testdata/teams.json"},
		"teams.v.text":  {"-f", "testdata/teams.json", "-v"},
		"teams.json":    {"-f", "testdata/teams.json", "-o", "json"},
		"teams.html":    {"-f", "testdata/teams.json", "-o", "html"},
	} {
		t.Run(file, func(t *testing.T) {
			code, got, stderr := runOn(nil, args...)
			if code != 0 || stderr != "" {
				t.Errorf("exit code %d, stderr %q", code, stderr)
			}
			golden.Compare(t, file, bodyOf(got))
		})
	}
}

// bodyOf is the output without the style and the script of a page.
func bodyOf(output string) string {
	for _, cut := range [][2]string{{"<style>", "</style>"}, {"<script>", "</script>"}, {"'sha256-", "'"}} {
		before, rest, ok := strings.Cut(output, cut[0])
		if _, after, ends := strings.Cut(rest, cut[1]); ok && ends {
			output = before + after
		}
	}
	return output
}

func TestWidth(t *testing.T) {
	for _, columns := range []string{"", "80", "81", "100", "120", "200"} {
		for _, args := range [][]string{nil, {"-v"}} {
			var out bytes.Buffer
			p := program{stdout: &out, stderr: io.Discard, columns: columns, clock: time.Now}
			if code := p.run(args); code != 0 {
				t.Fatalf("exit code %d", code)
			}
			want, err := strconv.Atoi(columns)
			if err != nil {
				want = 100
			}
			for line := range strings.Lines(out.String()) {
				if line = strings.TrimSuffix(line, "\n"); len(line) > want {
					t.Errorf("COLUMNS=%s: %d columns: %s", columns, len(line), line)
				}
				if strings.TrimRight(line, " ") != line {
					t.Errorf("COLUMNS=%s: trailing space: %q", columns, line)
				}
			}
		}
	}
}

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args   string
		code   int
		stderr string
	}{
		{"-h", 0, "Usage: kubectl whynot"},
		{"-x", 2, "flag provided but not defined: -x"},
		{"-o yaml", 2, "want text, json or html"},
		{"-o", 2, "flag needs an argument"},
		{"-now soon", 2, "want a time"},
		{"a/b/c", 2, "whynot: \"a/b/c\" is not a pod; want a name or namespace/name\n"},
		{"-pod /c", 2, "is not a pod"},
		{"-n x y/z", 2, "whynot: the pod y/z is not in the namespace x\n"},
		{"a b", 2, "whynot: one pod at a time, not \"b\" too; name files with -f\n"},
		{"-pod a b", 2, "one pod at a time"},
		{"-o html a", 2, "whynot: the page of -o html is of all pods, not only of a\n"},
		{"-f sample.json --context c", 2, "--context and --kubeconfig are for asking the cluster\n"},
		{"-f sample.json po/none", 1, "whynot: no pod none in the input\n"},
		{"-A -n x", 2, "whynot: -n and -A exclude each other\n"},
		{"-l a=b,", 2, "want a=b, a!=b, a in (b,c)"},
		{"-f sample.json -o yaml", 2, "want text, json or html"},
		{"-f testdata/none.json", 1, "whynot: open testdata/none.json: "},
		{"-f testdata", 1, "is a directory"},
		{"-f sample.json -pod none", 1, "whynot: no pod none in the input\n"},
		{"-f sample.json pod none", 1, "whynot: no pod none in the input\n"},
		{"-f sample.json none -n default", 1, "whynot: no pod default/none in the input\n"},
		{"-f sample.json sample.json", 1, "no pod sample.json in the input; name a file with -f\n"},
		{"-f sample.json other/web-645fb7869d-hrf9l", 1, "similar: default/web-645fb7869d-hrf9l"},
		{"-f sample.json train-tipo-6797db7bbd-ghn2c", 1, "similar: default/train-typo-6797db7bbd-ghn2c\n"},
		{"-f sample.json train-typo", 1, "similar: default/train-typo-6797db7bbd-ghn2c\n"},
		{
			"-f sample.json api-7db478db7d-zzzzz", 1,
			"similar: default/api-7db478db7d-8zxmc, default/api-7db478db7d-9thb5, default/api-7db478db7d-cl9kq\n",
		},
	} {
		code, stdout, stderr := runOn(nil, strings.Fields(test.args)...)
		if code != test.code || stdout != "" || !strings.Contains(stderr, test.stderr) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", test.args, code, stdout, stderr)
		}
	}
}

func TestEmptyPod(t *testing.T) {
	for _, args := range [][]string{{""}, {"pod", ""}, {"-pod", ""}} {
		if code, stdout, stderr := runOn(nil, args...); code != 2 || stdout != "" || !strings.Contains(stderr, "empty") {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
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
	f.Add([]byte(list(
		nodeJSON("a", "x=y", "k=v:NoExecute"), podJSON("p", "a", ""), podJSON("q", "", "x=y", tol("k=V")),
	)))
	f.Add([]byte(`{"items":[{"spec":{"taints":[{"key":"k","value":"40","effect":"NoSchedule"}]},"metadata":{"name":"n"}}],` +
		`"kind":"NodeList"}` +
		`{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[{"key":"k","operator":"Lt","value":"9"}]}}`))
	f.Add([]byte(`{"kind":"Node","metadata":{"name":"n"},"spec":{"unschedulable":true,"taints":[{"effect":"NoExecute"}]}}`))
	f.Add([]byte(`{"kind":"Node","spec":[]}`))
	f.Add([]byte(`[{"kind":"Node"}]`))
	f.Fuzz(func(t *testing.T, input []byte) {
		for _, form := range []string{"text", "json", "html"} {
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
