package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTruncated(t *testing.T) {
	whole := bytes.TrimSpace(sample)
	for n := 1; n < len(whole); n += 997 {
		code, stdout, stderr := runOn(bytes.NewReader(whole[:n]))
		want := fmt.Sprintf("whynot: standard input: truncated: it ends in the middle of an object, at offset %d\n", n)
		if code != 1 || stdout != "" || stderr != want {
			t.Fatalf("%d bytes: exit code %d, stdout %q, stderr %q", n, code, stdout, stderr)
		}
	}
	if code, _, stderr := runOn(bytes.NewReader(whole[:len(whole)-1])); code != 1 || !strings.Contains(stderr, "truncated") {
		t.Errorf("without the last byte: exit code %d, stderr %q", code, stderr)
	}
}

func TestBadInput(t *testing.T) {
	const node = `{"kind":"Node","metadata":{"name":"n"}}`
	tests := []struct{ input, want string }{
		{"", "no JSON on standard input; did kubectl fail?"},
		{" \n", "no JSON on standard input; did kubectl fail?"},
		{"error: you must be logged in", "standard input: offset 0: not JSON: invalid character 'e'"},
		{"apiVersion: v1", "not JSON"},
		{node + "x", "not JSON"},
		{"[]", "offset 1: a list, not an object; expected the output of kubectl get nodes,pods -A -o json"},
		{"5", "offset 1: a number, not an object"},
		{`"x"`, "a string, not an object"},
		{"true", "a truth value, not an object"},
		{"null", "null, not an object"},
		{"{}", "an object without a kind"},
		{`{"items":[]}`, "an object without a kind"},
		{`{"kind":5}`, "an object without a kind"},
		{`{"kind":"List","items":5}`, "items is a number, not a list"},
		{`{"kind":"List","items":{}}`, "items is an object, not a list"},
		{`{"kind":"List","items":[5]}`, "a value is a number, not an object"},
		{`{"kind":"List","items":[null]}`, "a list item without a kind"},
		{`{"items":[{}],"kind":"List"}`, "a list item without a kind"},
		{`{"kind":"List","items":[{"kind":"Node"}]}`, "a Node without a name"},
		{`{"items":[{"kind":"Pod"}],"kind":"List"}`, "a Pod without a name"},
		{`{"kind":"NodeList","items":[{"metadata":{"name":5}}]}`, "metadata.name is a number, not a string"},
		{`{"kind":"Node","spec":[]}`, "is a list, not an object"},
		{`{"kind":"Node","spec":{"taints":{}}}`, "spec.taints: "},
		{`{"kind":"Node","spec":{"taints":[{"timeAdded":"soon"}]}}`, "spec.taints: "},
		{`{"kind":"Node","spec":{"unschedulable":"yes"}}`, "unschedulable is a string, not true or false"},
		{`{"kind":"Pod","spec":{"tolerations":[{"tolerationSeconds":1.5}]}}`, "is 1.5, not a 64-bit integer"},
		{`{"kind":"Pod","spec":{"tolerations":true}}`, "tolerations is true or false, not a list"},
		{`{"kind":"Pod","spec":{"nodeName":{}}}`, "nodeName is an object, not a string"},
		{`{"kind":"List","items":[` + node + ` ` + node, "not JSON"},
		{`{"kind":"List","items":[` + node + `}`, "not JSON"},
		{`{"kind" "List"}`, "not JSON"},
		{`{5:6}`, "not JSON"},
		{`{"kind":"List",`, "truncated"},
		{`{"kind":"List","items":`, "truncated"},
		{`{"kind":"List","items":[`, "truncated"},
		{`{"kind":"List","items":[]`, "truncated"},
		{list(), "no nodes in the input, only 0 nodes, 0 pods"},
		{
			list(podJSON("p", "", ""), `{"kind":"Service"}`, `{"kind":"Service"}`, `{"kind":"Job"}`),
			"no nodes in the input, only 0 nodes, 1 pod, 3 other objects ignored (1 Job, 2 Service)",
		},
	}
	for _, test := range tests {
		code, stdout, stderr := runOn(strings.NewReader(test.input))
		if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "whynot: ") || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", test.input, code, stdout, stderr, test.want)
		}
	}
	if code, _, stderr := runOn(nil, "testdata/empty.json"); code != 1 ||
		!strings.HasPrefix(stderr, "whynot: testdata/empty.json: empty; expected") {
		t.Errorf("empty file: exit code %d, stderr %q", code, stderr)
	}
	if code, _, stderr := runOn(io.MultiReader(strings.NewReader("{"), failingReader{})); code != 1 ||
		stderr != "whynot: standard input: cable cut\n" {
		t.Errorf("read error: exit code %d, stderr %q", code, stderr)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, fmt.Errorf("cable cut") }

// TestForms gives the same cluster in many forms.
func TestForms(t *testing.T) {
	node, pod := nodeJSON("n", "a=b", "k=v:NoExecute"), podJSON("p", "n", "")
	const nodeItem = `{"metadata":{"name":"n","labels":{"a":"b"}},` +
		`"spec":{"taints":[{"key":"k","value":"v","effect":"NoExecute"}]}}`
	const podItem = `{"metadata":{"name":"p","namespace":"default"},"spec":{"nodeName":"n"},"status":{"phase":"Running"}}`
	const stale = `{"kind":"Node","metadata":{"name":"n"}}`
	want := mustRun(t, list(node, pod))
	if !strings.Contains(want, "Should be gone since 2026-11-21T01:24:00Z (now), counted from now:") {
		t.Errorf("got %s", want)
	}
	for name, input := range map[string]string{
		"documents":        node + "\n" + pod,
		"typed lists":      `{"kind":"NodeList","items":[` + nodeItem + `]} {"kind":"PodList","items":[` + podItem + `]}`,
		"kind after items": `{"items":[` + nodeItem + `],"kind":"NodeList"}{"items":[` + podItem + `],"kind":"PodList"}`,
		"other fields":     `{"items":[` + node + `,` + pod + `],"apiVersion":"v1","metadata":{},"kind":"List","x":[{}]}`,
		"status first":     `{"status":{"phase":"Running"},` + pod[1:] + node,
		"no items":         list(node, pod) + `{"kind":"PodList","items":null}`,
		"last one wins":    list(podJSON("p", "m", ""), stale, node, pod),
		"byte order mark":  "\uFEFF" + list(node, pod),
	} {
		if diff := cmp.Diff(want, mustRun(t, input)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestIgnored(t *testing.T) {
	others := []string{
		`{"kind":"A","spec":{"taints":5}}`, `{"kind":"B","metadata":{"name":5},"spec":[]}`, `{"kind":"C"}`, `{"kind":"D"}`,
		`{"spec":{"taints":[{"timeAdded":"x"}],"tolerations":5},"kind":"E"}`, `{"kind":"F"}`,
		`{"kind":"Node","apiVersion":"x/v1"}`,
	}
	got := mustRun(t, list(append(others, nodeJSON("n", ""))...)+`{"items":[{"spec":5},{}],"kind":"FooList"}`)
	want := "9 other objects ignored (1 A, 1 B, 1 C, 1 D, 1 E, …)."
	if !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if strings.Count(got, "There are no pods in the input.") != 2 {
		t.Errorf("got %s", got)
	}
}

func TestControlCharacters(t *testing.T) {
	got := mustRun(t, list(nodeJSON("n\x1b[31m", "")))
	if strings.Contains(got, "\x1b") || !strings.Contains(got, "n\uFFFD[31m") {
		t.Errorf("got %q", got)
	}
	_, _, stderr := runOn(strings.NewReader("{}"), "-pod", "x\x1b[31m", "sample.json")
	if strings.Contains(stderr, "\x1b") {
		t.Errorf("got %q", stderr)
	}
}

func TestProgress(t *testing.T) {
	var b strings.Builder
	now := testNow
	p := newProgress(&b, true, func() time.Time { return now })
	p.tick(1000)
	p.clear()
	if b.Len() > 0 {
		t.Errorf("within a second: %q", b.String())
	}
	now = now.Add(time.Second)
	p.tick(1999)
	p.tick(2000)
	p.tick(3000)
	now = now.Add(time.Second)
	p.tick(4000)
	p.clear()
	want := "\rread 2000 objects\rread 4000 objects\r" + strings.Repeat(" ", 18) + "\r"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b.Reset()
	p = newProgress(&b, false, func() time.Time { return now })
	now = now.Add(time.Minute)
	p.tick(1000)
	if p.clear(); b.Len() > 0 {
		t.Errorf("not on a terminal: %q", b.String())
	}
}

// TestLarge runs on 5,000 nodes in 50 groups and 95,000 pods, a fifth of them pending.
func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	const nodes, pods = 5000, 95000
	r, w := io.Pipe()
	go func() {
		fmt.Fprint(w, `{"kind":"List","items":[`)
		for i := range nodes {
			fmt.Fprintf(w, `{"kind":"Node","metadata":{"name":"n%d","labels":{"pool":"p%d"}},"spec":{"taints":[`+
				`{"key":"team","value":"t%d","effect":"NoSchedule"},{"key":"drain","effect":"NoExecute"}]}},`, i, i%50, i%50)
		}
		for i := range pods {
			node := ""
			if i%5 > 0 {
				node = fmt.Sprintf("n%d", i%nodes)
			}
			fmt.Fprintf(w, `{"kind":"Pod","metadata":{"name":"p%d","ownerReferences":[`+
				`{"kind":"Job","name":"j%d","controller":true}]},`+
				`"spec":{"nodeName":%q,"nodeSelector":{"pool":"p%d"},"tolerations":[{"key":"team","value":"T%d"},`+
				`{"key":"drain","operator":"Exists"}]}},`, i, i%1000, node, i%50, i%50)
		}
		fmt.Fprint(w, `{"kind":"Service"}]}`)
		w.Close()
	}()
	start := time.Now()
	code, stdout, stderr := runOn(r)
	if code != 0 {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	t.Logf("%d bytes of output after %v", len(stdout), time.Since(start))
	for _, want := range []string{
		"5000 nodes and 95000 pods", "default/p0 (and 94 more) (Job j0)", "leaves 100 of 5000 nodes",
		"which lets it onto 100 nodes", "on n0, n100, n1000, n1050, n1100, +95",
		"  100      0       1900  drain:NoExecute", "  100   1900          0  drain:NoExecute",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in the output, which begins with %.3000s", want, stdout)
		}
	}
}
