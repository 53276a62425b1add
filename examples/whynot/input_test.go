// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
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
	code, _, stderr := runOn(bytes.NewReader(whole[:len(whole)-1]))
	if code != 1 || !strings.Contains(stderr, "truncated") {
		t.Errorf("without the last byte: exit code %d, stderr %q", code, stderr)
	}
}

func TestBadInput(t *testing.T) {
	const node = `{"kind":"Node","metadata":{"name":"n"}}`
	tests := []struct{ input, want string }{
		{"", "no JSON on standard input; did kubectl fail?"},
		{" \n", "no JSON on standard input; did kubectl fail?"},
		{
			"error: you must be logged in",
			`standard input: offset 0: not JSON: it begins with "error: you must be logged in"`,
		},
		{"apiVersion: v1\nkind: Pod", "standard input: this is YAML, and only JSON is read"},
		{
			`{"kind":"Status","apiVersion":"v1","message":"nodes is forbidden"}`,
			"standard input: the server says: nodes is forbidden\n",
		},
		{node + "x", "not JSON"},
		{"[]", "a list, not an object"},
		{"{}", "it has no kind"},
		{`{"kind":"List","items":[{"kind":"Node"}]}`, "standard input: node at items[0]: metadata.name is missing\n"},
		{`{"items":[{"kind":"Pod"}],"kind":"List"}`, "pod at items[0]: metadata.name is missing\n"},
		{
			`{"kind":"NodeList","items":[{"metadata":{"name":5}}]}`,
			"node at items[0]: metadata.name is a number, not a string\n",
		},
		{`{"kind":"Node","metadata":[]}`, "node: metadata is a list, not an object\n"},
		{`{"kind":"Node","metadata":{"name":"n"},"spec":[]}`, "node n: spec is a list, not an object\n"},
		{
			`{"kind":"Node","metadata":{"name":"n","labels":{"a":1}}}`,
			"node n: metadata.labels.a is a number, not a string\n",
		},
		{
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":{}}}`,
			"node n: spec.taints is an object, not a list\n",
		},
		{
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{},{"timeAdded":"soon"}]}}`,
			"node n: spec.taints[1].timeAdded: parsing time",
		},
		{
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{},{"timeAdded":"2026-01-01T00:00:00+24:30"}]}}`,
			"node n: spec.taints[1].timeAdded is not a time of RFC 3339: Time.MarshalText: timezone hour outside of range [0,23]\n",
		},
		{
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"unschedulable":"yes"}}`,
			"node n: spec.unschedulable is a string, not true or false\n",
		},
		{
			`{"kind":"Pod","metadata":{"name":"p","namespace":"ns"},"spec":{"tolerations":[{},{"tolerationSeconds":1.5}]}}`,
			"pod ns/p: spec.tolerations[1].tolerationSeconds is 1.5, not a 64-bit integer\n",
		},
		{
			`{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":true}}`,
			"pod default/p: spec.tolerations is true or false, not a list\n",
		},
		{
			`{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":{}}}`,
			"pod default/p: spec.nodeName is an object, not a string\n",
		},
		{
			`{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeSelector":{"a":[]}}}`,
			"pod default/p: spec.nodeSelector.a is a list, not a string\n",
		},
		{
			`{"kind":"Pod","metadata":{"name":"p"},"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":5}}}}`,
			"pod default/p: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution is a number, not an object\n",
		},
		{
			`{"kind":"Pod","metadata":{"name":"p","ownerReferences":[5]}}`,
			"pod default/p: metadata.ownerReferences[0] is a number, not an object\n",
		},
		{
			`{"kind":"Pod","metadata":{"name":"p","ownerReferences":{}}}`,
			"pod default/p: metadata.ownerReferences is an object, not a list\n",
		},
		{
			`{"kind":"Pod","metadata":{"name":"p"},"status":{"conditions":5}}`,
			"pod default/p: status.conditions is a number, not a list\n",
		},
		{
			`{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n"},"status":{"startTime":"soon"}}`,
			"pod default/p: status.startTime: parsing time",
		},
		{
			`{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n"},"status":{"conditions":[` +
				`{"type":"PodScheduled","status":"True","lastTransitionTime":"soon"}]}}`,
			"pod default/p: status.conditions.lastTransitionTime: parsing time",
		},
		{list(), "standard input: no nodes, only 0 nodes, 0 pods; expected the output of kubectl get nodes,pods"},
		{
			list(podJSON("p", "", ""), `{"kind":"Service"}`, `{"kind":"Service"}`, `{"kind":"Job"}`),
			"no nodes, only 0 nodes, 1 pod, 3 other objects ignored (1 Job, 2 Service)",
		},
	}
	for _, test := range tests {
		for _, form := range []string{"text", "json", "html"} {
			code, stdout, stderr := runOn(strings.NewReader(test.input), "-o", form)
			isLine := strings.Count(stderr, "\n") == 1
			if code != 1 || stdout != "" || !isLine || !strings.HasPrefix(stderr, "whynot: ") ||
				!strings.Contains(stderr, test.want) {
				t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", test.input, code, stdout, stderr, test.want)
			}
		}
	}
	if code, _, stderr := runOn(nil, "-f", "testdata/empty.json"); code != 1 ||
		!strings.HasPrefix(stderr, "whynot: testdata/empty.json: empty; expected") {
		t.Errorf("empty file: exit code %d, stderr %q", code, stderr)
	}
	if code, _, stderr := runOn(io.MultiReader(strings.NewReader("{"), failingReader{})); code != 1 ||
		stderr != "whynot: standard input: cable cut\n" {
		t.Errorf("read error: exit code %d, stderr %q", code, stderr)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("cable cut") }

// TestForms gives the same cluster in many forms.
func TestForms(t *testing.T) {
	node, pod := nodeJSON("n", "a=b", "k=v:NoExecute"), podJSON("p", "n", "")
	const nodeItem = `{"metadata":{"name":"n","labels":{"a":"b"}},` +
		`"spec":{"taints":[{"key":"k","value":"v","effect":"NoExecute"}]}}`
	const podItem = `{"metadata":{"name":"p","namespace":"default"},"spec":{"nodeName":"n"},"status":{"phase":"Running"}}`
	const stale = `{"kind":"Node","metadata":{"name":"n"}}`
	want := mustRun(t, list(node, pod))
	if !strings.Contains(want, "1 pod overdue since 2026-11-21T01:24:00Z (now), counted from now") {
		t.Errorf("got %s", want)
	}
	for name, input := range map[string]string{
		"documents": node + "\n" + pod,
		"typed lists": `{"kind":"NodeList","items":[` + nodeItem +
			`]} {"kind":"PodList","items":[` + podItem + `]}`,
		"kind after items": `{"items":[` + nodeItem + `],"kind":"NodeList"}{"items":[` + podItem +
			`],"kind":"PodList"}`,
		"other fields": `{"items":[` + node + `,` + pod +
			`],"apiVersion":"v1","metadata":{},"kind":"List","x":[{}]}`,
		"status first":    `{"status":{"phase":"Running"},` + pod[1:] + node,
		"no items":        list(node, pod) + `{"kind":"PodList","items":null}`,
		"last one wins":   list(podJSON("p", "m", ""), stale, node, pod),
		"byte order mark": "\uFEFF" + list(node, pod),
	} {
		if diff := cmp.Diff(want, mustRun(t, input)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestIgnored(t *testing.T) {
	others := []string{
		`{"kind":"A","spec":{"taints":5}}`, `{"kind":"B","metadata":{"name":5},"spec":[]}`,
		`{"kind":"C"}`, `{"kind":"D"}`,
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
	_, _, stderr := runOn(strings.NewReader("{}"), "-pod", "x\x1b[31m")
	if strings.Contains(stderr, "\x1b") {
		t.Errorf("got %q", stderr)
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
	code, stdout, stderr := runOn(nil, "-f", "-")
	if code != 1 || stdout != "" || stderr != "whynot: "+errNoInput.Error()+"\n" {
		t.Errorf("-: exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if r := mustReport(t, string(sample), "-f", "sample.json", "-f", "-"); r.Input != "sample.json, standard input" {
		t.Errorf("-: the input is %q", r.Input)
	}
	code, _, stderr = runOn(strings.NewReader(podJSON("p", "", "")), "-f", "-")
	if code != 1 || !strings.HasPrefix(stderr, "whynot: standard input: no nodes, only") {
		t.Errorf("-: exit code %d, stderr %q", code, stderr)
	}
	want := strings.Replace(mustRun(t, string(sample)), "42 pods,", "42 pods of the built-in sample,", 1)
	if code, got, _ := runOn(nil, "-now", "2026-11-21T01:25:00Z"); code != 0 || got == want {
		t.Error("-now does not change the sample's output")
	}
	if got := mustRun(t, string(sample), "-f", "-"); !strings.HasPrefix(got, "13 nodes and 42 pods, at") {
		t.Errorf("-: %.80q", got)
	}
	got := mustRun(t, "", "-f", "sample.json", "-o", "text", "-filename", "sample.json")
	if got != mustRun(t, string(sample)) {
		t.Error("the same file twice differs from once")
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
				`{"key":"team","value":"t%d","effect":"NoSchedule"},{"key":"drain","effect":"NoExecute"}]}},`,
				i, i%50, i%50)
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
		"5000 nodes and 95000 pods",
		"\n1900 pods of 20 Jobs: team=T0, the nodes have t0 (letter case)\n",
		"And 7600 pods of 4 causes more.",
		"\n76000 pods stay on such nodes, because they tolerate the taints.\n",
		"  100      0       1900  drain:NoExecute",
		"And 42 groups more",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in the output, which begins with %.3000s", want, stdout)
		}
	}
	if lines := strings.Count(stdout, "\n"); lines > 60 {
		t.Errorf("%d lines are more than a page", lines)
	}
}
