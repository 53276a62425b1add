// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"
	"testing"
)

// TestRead has streams, the kinds and names of their objects, and the error.
func TestRead(t *testing.T) {
	const node, pod = `{"kind":"Node","metadata":{"name":"n"}}`, `{"kind":"Pod","metadata":{"name":"p"}}`
	const logs = "==== START logs for container c of pod ns/p ====\n{not JSON\n==== END logs for container c of pod ns/p ====\n"
	for _, tc := range []struct{ text, want, err string }{
		{"", "", ""},
		{"# only comments\n---\n", "", ""},
		{node + "\n" + pod, "Node n, Pod p", ""},
		{"[" + node + "," + pod + "]", "Node n, Pod p", ""},
		{`{"kind":"List","items":[` + node + "," + pod + "]}", "Node n, Pod p", ""},
		{`{"kind":"NodeList","items":[{"metadata":{"name":"n"}}]}`, "Node n", ""},
		{`{"items":[{"metadata":{"name":"n"}}],"kind":"NodeList"}`, "Node n", ""}, // as API servers of old versions write
		{node + "\n" + logs + logs + pod, "Node n, Pod p", ""},
		{node + logs + "\n==== START logs for container c of pod a/b ====\n{\n==== no END ====\nlast==== END logs for container c of pod a/b ====\n" + pod + logs, "Node n, Pod p", ""},
		{`{"kind":"List","items":[{"kind":"List","items":[` + node + "]}," + pod + "]}", "Node n, Pod p", ""},
		{"[" + node + `,{"kind":"List","items":[` + pod + "]}]", "Node n, Pod p", ""},
		{"items:\n- metadata: {name: n1}\nkind: NodeList\n---\nkind: Pod\nmetadata: {name: p}\n", "Node n1, Pod p", ""},
		{"kind: List\nitems:\n- kind: Node\n  metadata: {name: n1}\n- kind: Pod\n  metadata: {name: p}\n", "Node n1, Pod p", ""},
		{"- kind: List\n  items:\n  - {kind: Node, metadata: {name: n1}}\n- {kind: Pod, metadata: {name: p}}\n", "Node n1, Pod p", ""},
		{"kind: Node\nmetadata: {name: a}\n---\nkind: Pod\nmetadata: {name: p}\n", "Node a, Pod p", ""},
		{"\uFEFFkind: Node\nmetadata: {name: a}", "Node a", ""},
		{"\xff\xfek\x00i\x00n\x00d\x00:\x00 \x00P\x00o\x00d\x00", "Pod ", ""}, // as PowerShell writes
		{`{"kind":"Pod","metadata":{"name":3}}`, "", "x: metadata.name is a number and must be text: put it in quotes"},
		{`{"kind":"Pod"`, "", "x: the JSON ends too early, as if it was cut"},
		{`{"kind":"Pod"]`, "", "x: this is not JSON: "},
		{"[1]", "", "x: items[0] is a number and must be an object"},
		{"- kind: Pod\n- null\n", "Pod ", "x: document 1: items[1] is null and must be an object"},
		{`{"items":[` + node + `,{"metadata":{"name":3}}],"kind":"PodList"}`, "Node n", "x: items[1]: metadata.name is a number"},
		{`{"kind":"List","items":[` + node + `,{"kind":"Pod","metadata":{"name":[]}}]}`, "Node n", "x: items[1]: metadata.name is a list"},
		{"\x1f\x8b\x08\x00{{", "", "x: this is gzip: unzip it first"},
		{"\x7fELF\x02\x00{{ .x }}", "", "x: this is not text; " + Expected},
		{"{{\x00", "", "x: this is not text"},
		{"a: \xff{{", "", "x: document 1: yaml: "},
		{"kind: Pod\n---\na: b: c", "Pod ", "x: document 2: "},
		{"{{ .Values.x }}", "", "x: this is a template: render it first, as with 'helm template'"},
		{"kind: {{ .Values.x }}", "", "x: document 1: this is a template"},
		{"Error from server (Forbidden): nodes is forbidden: User \"x\" cannot list\n", "", "x: this is an error of kubectl, without objects: Error from server (Forbidden): nodes"},
		{"The connection to the server localhost:8080 was refused", "", "x: this is an error of kubectl"},
		{"NAME   READY\np      1/1", "", "x: this is a table, or the output of 'kubectl describe'; " + Expected},
		{"Name:         p\nNamespace:    default", "", "x: this is a table"},
	} {
		var got []string
		err := Read("x", strings.NewReader(tc.text), func(o Object) error {
			var named struct {
				Metadata struct {
					Name string `json:"name"`
				} `json:"metadata"`
			}
			err := o.Decode(&named)
			if err == nil {
				got = append(got, o.Kind+" "+named.Metadata.Name)
			}
			return err
		})
		text := ""
		if err != nil {
			text = err.Error()
		}
		if strings.Join(got, ", ") != tc.want || !strings.HasPrefix(text, tc.err) || tc.err == "" && err != nil {
			t.Errorf("%q: got %q and %q, want %q and %q", tc.text, got, text, tc.want, tc.err)
		}
	}
}
