// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
)

// What is not a taint stays byte for byte, and what comes looks like its surroundings.
func TestBytes(t *testing.T) {
	for _, tc := range []struct{ name, input, args, want string }{
		{
			"one line",
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"x":1.50,"taints":[{"effect":"NoSchedule","key":"a"}],"y":1e3},"status":{}}`,
			"n b=v:NoExecute",
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"x":1.50,"taints":[{"effect":"NoSchedule","key":"a"},{"key":"b","value":"v","effect":"NoExecute"}],"y":1e3},"status":{}}`,
		},
		{
			"no spec",
			`{"kind":"Node","metadata":{"name":"n"}}`,
			"n a:NoSchedule",
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]}}`,
		},
		{
			"an empty spec",
			`{"kind":"Node","spec":{},"metadata":{"name":"n"}}`,
			"n a:NoSchedule",
			`{"kind":"Node","spec":{"taints":[{"key":"a","effect":"NoSchedule"}]},"metadata":{"name":"n"}}`,
		},
		{
			"a null spec",
			`{"kind":"Node","spec":null,"metadata":{"name":"n"}}`,
			"n a:NoSchedule",
			`{"kind":"Node","spec":{"taints":[{"key":"a","effect":"NoSchedule"}]},"metadata":{"name":"n"}}`,
		},
		{
			"null taints",
			`{"kind":"Node","spec":{"taints": null},"metadata":{"name":"n"}}`,
			"n a:NoSchedule",
			`{"kind":"Node","spec":{"taints": [{"key":"a","effect":"NoSchedule"}]},"metadata":{"name":"n"}}`,
		},
		{
			"the last of many",
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"x":1, "taints":[{"effect":"NoSchedule","key":"a"}] , "y":2}}`,
			"n a-",
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"x":1 , "y":2}}`,
		},
		{
			"the last, first in the spec",
			`{"kind":"Node","metadata":{"name":"n"},"spec":{ "taints":[{"effect":"NoSchedule","key":"a"}] , "y":2}}`,
			"n a-",
			`{"kind":"Node","metadata":{"name":"n"},"spec":{ "y":2}}`,
		},
		{
			"the last, alone in the spec",
			`{"kind":"Node","metadata":{"name":"n"},"spec":{ "taints":[{"effect":"NoSchedule","key":"a"}] }}`,
			"n a-",
			`{"kind":"Node","metadata":{"name":"n"},"spec":{}}`,
		},
		{
			"unknown fields and times stay",
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[ {"key":"a","effect":"NoSchedule","timeAdded":"2026-11-21T02:24:15+01:00","new":[1.0]} ,{"effect":"NoExecute","key":"b"}]}}`,
			"n b- a=:NoSchedule --overwrite",
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[ {"key":"a","effect":"NoSchedule","timeAdded":"2026-11-21T02:24:15+01:00","new":[1.0]}]}}`,
		},
		{
			"lines",
			"{\n  \"kind\": \"Node\",\n  \"metadata\": {\n    \"name\": \"n\"\n  }\n}\n",
			"n a:NoSchedule",
			"{\n  \"kind\": \"Node\",\n  \"metadata\": {\n    \"name\": \"n\"\n  },\n  \"spec\": {\n    \"taints\": [\n      {\n        \"key\": \"a\",\n        \"effect\": \"NoSchedule\"\n      }\n    ]\n  }\n}\n",
		},
		{
			"tabs, and taints on a line each",
			"{\n\t\"kind\": \"Node\",\n\t\"metadata\": {\"name\": \"n\"},\n\t\"spec\": {\n\t\t\"taints\": [\n\t\t\t{\"key\": \"a\", \"effect\": \"NoSchedule\"}\n\t\t]\n\t}\n}",
			"n b:NoSchedule",
			"{\n\t\"kind\": \"Node\",\n\t\"metadata\": {\"name\": \"n\"},\n\t\"spec\": {\n\t\t\"taints\": [\n\t\t\t{\"key\": \"a\", \"effect\": \"NoSchedule\"},\n\t\t\t{\"key\":\"b\",\"effect\":\"NoSchedule\"}\n\t\t]\n\t}\n}",
		},
		{
			"a list, \\r\\n",
			"{\r\n \"items\": [\r\n  {\r\n   \"kind\": \"Node\",\r\n   \"metadata\": {\"name\": \"n\"}\r\n  }\r\n ]\r\n}\r\n",
			"n a:NoSchedule",
			"{\r\n \"items\": [\r\n  {\r\n   \"kind\": \"Node\",\r\n   \"metadata\": {\"name\": \"n\"},\r\n   \"spec\": {\r\n    \"taints\": [\r\n     {\n      \"key\": \"a\",\n      \"effect\": \"NoSchedule\"\n     }\r\n    ]\r\n   }\r\n  }\r\n ]\r\n}\r\n",
		},
		{
			"a node on one line in a list on many",
			"{\n  \"items\": [\n    {\"kind\": \"Node\", \"metadata\": {\"name\": \"n\"}}\n  ]\n}",
			"n a:NoSchedule",
			"{\n  \"items\": [\n    {\"kind\": \"Node\", \"metadata\": {\"name\": \"n\"},\"spec\": {\"taints\":[{\"key\":\"a\",\"effect\":\"NoSchedule\"}]}}\n  ]\n}",
		},
		{
			"spaces in a list",
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[ {"key":"a","effect":"NoSchedule"}  ]}}`,
			"n b:NoSchedule",
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[ {"key":"a","effect":"NoSchedule"}, {"key":"b","effect":"NoSchedule"}  ]}}`,
		},
		{
			"nothing to do to several",
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"a","effect":"NoSchedule"}  , {"key":"b","effect":"NoSchedule"}]}}`,
			"n a:NoSchedule --overwrite",
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"a","effect":"NoSchedule"}  , {"key":"b","effect":"NoSchedule"}]}}`,
		},
		{
			"nothing to do",
			" {\"kind\" : \"Node\", \"metadata\":{\"name\":\"n\"},\"spec\":{\"taints\" : [ {\"key\":\"a\",\"effect\":\"NoSchedule\"} ]}}\n\n",
			"n --overwrite a:NoSchedule",
			" {\"kind\" : \"Node\", \"metadata\":{\"name\":\"n\"},\"spec\":{\"taints\" : [ {\"key\":\"a\",\"effect\":\"NoSchedule\"} ]}}\n\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, stdout, stderr := runOn(strings.NewReader(tc.input), tc.args)
			if diff := cmp.Diff(tc.want, stdout); code != 0 || diff != "" {
				t.Errorf("exit code %d, %s(-want +got):\n%s", code, stderr, diff)
			}
		})
	}
}

func TestBadInput(t *testing.T) {
	for _, tc := range []struct{ input, want string }{
		{"", "empty; expected what kubectl get prints with -o json"},
		{" \n", "empty; "},
		{
			"apiVersion: v1",
			"this is YAML, and only JSON is read: ask kubectl for -o json, or convert the file with: kubectl patch --local",
		},
		{"error: no", "offset 0: not JSON: it begins with \"error: no\""},
		{`{"kind":"Node"`, "truncated: it ends in the middle of an object, at offset 14"},
		{`{"kind":"Node","metadata":{"name":"n"}} {}`, "object at document 2: it has no kind"},
		{"[]", "offset 0: a list, not an object; expected what kubectl get prints with -o json"},
		{"5", "a number, not an object"},
		{`"x"`, "a string, not an object"},
		{"true", "true or false, not an object"},
		{"null", "null, not an object"},
		{"{}", "object: it has no kind; expected"},
		{`{"kind":"Status","apiVersion":"v1","message":"nodes is forbidden"}`, "the server says: nodes is forbidden"},
		{`{"kind":"Pod","metadata":{"name":"n"}}`, "no nodes; expected the output of kubectl get nodes -o json"},
		{`{"kind":"Node","apiVersion":"other/v1","metadata":{"name":"n"}}`, "no nodes; "},
		{`{"kind":"List","items":null}`, "no nodes; "},
		{`{"kind":"List","items":[]}`, "no nodes; "},
		{`{"kind":"List","items":{}}`, "items is an object, not a list"},
		{`{"kind":"List","items":[],"items":[]}`, "items is a duplicate member"},
		{`{"kind":"List","items":[5]}`, "object at items[0]: it is a number, not an object"},
		{`{"kind":"List","items":[{"kind":"Node"}]}`, "node at items[0]: metadata.name is missing"},
		{`{"kind":"Node"}`, "node: metadata.name is missing"},
		{`{"kind":5}`, "object: it has no kind"},
		{`{"kind":"Node","metadata":{"name":5}}`, "node: metadata.name is a number, not a string"},
		{
			`{"kind":"Node","metadata":{"name":"n","labels":{"a":1}}}`,
			"node n: metadata.labels is a number, not a string",
		},
		{`{"kind":"Node","metadata":{"name":"n"},"spec":[]}`, "node/n: spec is a list, not an object"},
		{`{"kind":"Node","metadata":{"name":"n"},"spec":{},"spec":{}}`, "node/n: spec is a duplicate member"},
		{
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":{}}}`,
			"node/n: spec.taints is an object, not a list",
		},
		{
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[],"taints":[]}}`,
			"node/n: spec.taints is a duplicate member",
		},
		{
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{},{"key":5}]}}`,
			"node/n: spec.taints[1].key is a number, not a string",
		},
		{
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"a","effect":"x","timeAdded":"soon"}]}}`,
			"node/n: spec.taints[0].timeAdded: parsing time",
		},
		{
			`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"a","effect":"x"},{}]}}`,
			"node/n: spec.taints[0].effect: \"x\" is not supported: must be NoSchedule, PreferNoSchedule or NoExecute\n" +
				"taint: standard input: node/n: spec.taints[1].key: required",
		},
	} {
		code, stdout, stderr := runOn(strings.NewReader(tc.input), "n k:NoSchedule")
		if code != 1 || stdout != "" || !strings.Contains(stderr, tc.want) ||
			!strings.HasPrefix(stderr, "taint: standard input: ") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %swant %s", tc.input, code, stdout, stderr, tc.want)
		}
	}
}

// Everything that whynot reads is read here: JSON Lines, several lists, typed
// lists, in any layout.
func TestSeveralDocuments(t *testing.T) {
	const input = "\uFEFF{\"kind\":\"Node\",\"metadata\":{\"name\":\"a\"}}\n" +
		"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"}}\n" +
		"{\n \"items\": [\n  {\n   \"metadata\": {\"name\": \"b\"}\n  }\n ],\n \"kind\": \"NodeList\"\n}\n" +
		"{\n\t\"kind\": \"List\",\n\t\"items\": [\n\t\t{\n\t\t\t\"kind\": \"Node\",\n\t\t\t\"metadata\": {\"name\": \"c\"}\n\t\t}\n\t]\n}\n"
	const want = "{\"kind\":\"Node\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]}}\n" +
		"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"}}\n" +
		"{\n \"items\": [\n  {\n   \"metadata\": {\"name\": \"b\"},\n   \"spec\": {\n    \"taints\": [\n     {\n      \"key\": \"k\",\n      \"effect\": \"NoSchedule\"\n     }\n    ]\n   }\n  }\n ],\n \"kind\": \"NodeList\"\n}\n" +
		"{\n\t\"kind\": \"List\",\n\t\"items\": [\n\t\t{\n\t\t\t\"kind\": \"Node\",\n\t\t\t\"metadata\": {\"name\": \"c\"},\n\t\t\t\"spec\": {\n\t\t\t\t\"taints\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"key\": \"k\",\n\t\t\t\t\t\t\"effect\": \"NoSchedule\"\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t}\n\t]\n}\n"
	code, stdout, stderr := runOn(strings.NewReader(input), "--all k:NoSchedule")
	if diff := cmp.Diff(want, stdout); code != 0 || diff != "" {
		t.Errorf("exit code %d, %s(-want +got):\n%s", code, stderr, diff)
	}
	if stderr != "node/a tainted\nnode/b tainted\nnode/c tainted\n" {
		t.Errorf("stderr %q", stderr)
	}
}

// withTaints returns the decoded document with the taints of the node n, which
// the document is.
func withTaints(t interface{ Fatal(...any) }, text string, list []taints.Taint) any {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var node map[string]any
	if err := decoder.Decode(&node); err != nil {
		t.Fatal(err)
	}
	spec, ok := node["spec"].(map[string]any)
	if !ok {
		spec = map[string]any{}
	}
	delete(spec, "taints")
	if len(list) > 0 {
		var texts []any
		for _, taint := range list {
			texts = append(texts, taint.String())
		}
		spec["taints"] = texts
	}
	if delete(node, "spec"); len(spec) > 0 {
		node["spec"] = spec
	}
	return node
}

// Of any node in any layout, only the taints change, and as the library says.
func TestOnlyTaintsChange(t *testing.T) {
	kinds := rapid.SampledFrom([]string{
		"a:NoSchedule", "a=v:NoSchedule", "a:NoExecute", "b:NoSchedule", "b:PreferNoSchedule",
	})
	changes := rapid.SampledFrom([]string{
		"a:NoSchedule", "a=w:NoSchedule", "b:NoExecute", "c:NoSchedule", "a-", "b-",
		"a:NoExecute-",
	})
	rapid.Check(t, func(t *rapid.T) {
		var before []taints.Taint
		for _, s := range rapid.SliceOfNDistinct(kinds, 0, 4,
			func(s string) taints.TaintID { return taints.MustParseTaint(s).ID() }).Draw(t, "taints") {
			before = append(before, taints.MustParseTaint(s))
		}
		text := layout(t, map[string]any{
			"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{
				"name":        "n",
				"annotations": map[string]any{"a": "\"taints\": []"},
			},
			"spec": specOf(t, before), "status": map[string]any{"n": json.Number("1.0"), "taints": []any{}},
		})
		args := append([]string{"nodes", "n", "--overwrite"},
			rapid.SliceOfNDistinct(changes, 1, 3, rapid.ID).Draw(t, "changes")...)
		var out, errOut bytes.Buffer
		code := run(args, strings.NewReader(text), &out, &errOut)
		c, err := taints.ParseChanges(args[3:]...)
		var want []taints.Taint
		if err == nil {
			want, err = c.ApplyStrict(before, true)
		}
		if (code == 0) != (err == nil) {
			t.Fatalf("exit code %d, %s; the library says %v", code, errOut.String(), err)
		}
		if code != 0 {
			return
		}
		got := withTaints(t, out.String(), decodeTaints(t, out.String()))
		if diff := cmp.Diff(withTaints(t, text, want), got); diff != "" {
			t.Fatalf("(-want +got):\n%s\n%s\n%s", diff, text, out.String())
		}
	})
}

func specOf(t *rapid.T, list []taints.Taint) any {
	spec := map[string]any{}
	if len(list) > 0 || rapid.Bool().Draw(t, "empty taints") {
		spec["taints"] = list
	}
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"podCIDR",
		"unschedulable", "zone",
	}), 0, 3, rapid.ID).Draw(t, "fields") {
		spec[key] = json.Number("1e2")
	}
	if len(spec) == 0 && rapid.Bool().Draw(t, "null spec") {
		return nil
	}
	return spec
}

// layout returns the JSON of the value in one of several layouts.
func layout(t *rapid.T, v any) string {
	b, err := json.MarshalIndent(v, "", rapid.SampledFrom([]string{"", " ", "    ", "\t"}).Draw(t, "indent"))
	if rapid.Bool().Draw(t, "one line") {
		b, err = json.Marshal(v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
}

func decodeTaints(t interface{ Fatal(...any) }, text string) []taints.Taint {
	var node struct {
		Spec struct{ Taints []taints.Taint }
	}
	if err := json.Unmarshal([]byte(text), &node); err != nil {
		t.Fatal(err)
	}
	return node.Spec.Taints
}

// FuzzInput changes any JSON and sees that the answer is JSON, the same but for
// the taints.
func FuzzInput(f *testing.F) {
	f.Add(sample)
	f.Add(`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]}}`)
	f.Add(`{"kind":"NodeList","items":[{"metadata":{"name":"n"},"spec":null},{"metadata":{"name":"m"},"spec":{"taints":null}}]}`)
	f.Add("{\"kind\":\"List\",\n\"items\":[{}, {\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"},\n\"spec\":{}}]}")
	f.Fuzz(func(t *testing.T, text string) {
		for _, args := range []string{"--all new=x:NoExecute --overwrite", "--all a-"} {
			code, stdout, stderr := runOn(strings.NewReader(text), args)
			if code == 0 && !json.Valid([]byte(stdout)) {
				t.Fatalf("%q becomes %q, %s", text, stdout, stderr)
			}
			if (code != 0) != strings.Contains(stderr, "taint: ") {
				t.Fatalf("exit code %d, %s", code, stderr)
			}
		}
		code, once, _ := runOn(strings.NewReader(text), "--all new=x:NoExecute --overwrite")
		if code != 0 {
			return
		}
		if code, twice, _ := runOn(strings.NewReader(once),
			"--all new=x:NoExecute --overwrite"); code != 0 || twice != strings.TrimPrefix(once, "\uFEFF") {
			t.Fatalf("%q, and again %q", once, twice)
		}
	})
}
