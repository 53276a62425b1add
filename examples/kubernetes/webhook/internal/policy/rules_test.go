// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"strings"
	"testing"
)

const (
	poolA = `"tolerations": [{"key": "k"}], "nodeSelector": {"pool": "a"}`
	poolB = `"tolerations": [{"key": "k"}], "nodeSelector": {"os": "b", "pool": "b"}`
)

// TestParseRules refuses rules with problems, and accepts rules that look
// contradictory but are not.
func TestParseRules(t *testing.T) {
	dedications := func(first, second string) string {
		return `{"dedications": [{"name": "a", ` + first + `}, {"name": "b", ` + second + `}]}`
	}
	for _, test := range []struct {
		text string
		want []string // each problem
	}{
		{``, []string{"unexpected end of JSON input"}},
		{`{"cluster": {},}`, []string{"invalid character '}'"}},
		{`null`, []string{"the rules are null"}},
		{`[]`, []string{"cannot unmarshal array"}},
		{`{"cluster": {}, "cluster": {}}`, []string{`duplicate field "cluster"`}},
		{`{"Cluster": {}, "namespaces": {"a": {"default": []}}}`, []string{`unknown field "Cluster"`, `unknown field "namespaces.a.default"`}},
		{`{"exemptDaemonSets": true}`, []string{`unknown field "exemptDaemonSets"`}},
		{`{"namespaces": {"-a": {}, "": {}, "a.b": {}, "ok-1": {}, "` + strings.Repeat("x", 64) + `": {}}}`, []string{
			`namespaces[]: Invalid value`, `namespaces[-a]: Invalid value`, `namespaces[a.b]: Invalid value`, `namespaces[xxx`,
		}},
		{
			`{"cluster": {"defaultTolerations": [{"key": "k", "operator": "Exist"}, {}], "allowedTolerations": [{"key": "k", "tolerationSeconds": 5}]}}`,
			[]string{
				`cluster.defaultTolerations[0].operator: Unsupported value: "Exist"`,
				`cluster.defaultTolerations[1].operator: Invalid value`,
				`cluster.allowedTolerations[0].effect: Invalid value`,
			},
		},
		{`{"dedications": [{}]}`, []string{
			"dedications[0].name: Required", "dedications[0]: Required value: the dedication is for no pods",
			"dedications[0].tolerations: Required", "dedications[0].nodeSelector: Required",
		}},
		{`{"dedications": [{"name": "a", "namespaces": ["x", "X"], "podSelector": {"matchExpressions": []}, ` + poolA + `}]}`, []string{
			`unknown field "dedications[0].podSelector.matchExpressions"`, `dedications[0].namespaces[1]: Invalid value: "X"`,
		}},
		{
			`{"dedications": [{"name": "a", "podSelector": {"matchLabels": {"a b": "c"}}, "tolerations": [{"key": "k"}], "nodeSelector": {"ok": "-"}}]}`,
			[]string{`dedications[0].podSelector.matchLabels: Invalid value: "a b"`, `dedications[0].nodeSelector: Invalid value: "-"`},
		},
		{`{"dedications": [{"name": "a", "namespaces": ["x"], ` + poolA + `}, {"name": "a", "namespaces": ["y"], ` + poolA + `}]}`, []string{`dedications[1].name: Duplicate value: "a"`}},
		// Allow-lists that refuse tolerations that the rules add.
		{
			`{"namespaces": {"x": {"allowedTolerations": []}}, "dedications": [{"name": "a", "namespaces": ["w", "x"], ` + poolA + `}]}`,
			[]string{`dedications[0].tolerations[0]: Invalid value: "k": namespaces[x].allowedTolerations would refuse it`},
		},
		{
			`{"cluster": {"allowedTolerations": [{"key": "other"}]}, "namespaces": {"x": {"allowedTolerations": [{"key": "k", "effect": "NoSchedule"}]}, "y": {"allowedTolerations": [{"operator": "Exists"}]}, "z": {}},
			"dedications": [{"name": "a", "podSelector": {"matchLabels": {"a": "b"}}, ` + poolA + `}]}`,
			[]string{
				`dedications[0].tolerations[0]: Invalid value: "k": cluster.allowedTolerations would refuse it`,
				`dedications[0].tolerations[0]: Invalid value: "k": namespaces[x].allowedTolerations would refuse it`,
			},
		},
		{
			`{"cluster": {"allowedTolerations": [], "defaultTolerations": [{"key": "k"}]},
			"namespaces": {"v": {}, "w": {"defaultTolerations": []}, "x": {"allowedTolerations": [{"key": "j"}]}, "y": {"defaultTolerations": [{"key": "j"}]}, "z": {"allowedTolerations": [{"key": "k"}]}}}`,
			[]string{
				`cluster.defaultTolerations[0]: Invalid value: "k": cluster.allowedTolerations would refuse it`,
				`cluster.defaultTolerations[0]: Invalid value: "k": namespaces[x].allowedTolerations would refuse it`,
				`namespaces[y].defaultTolerations[0]: Invalid value: "j": cluster.allowedTolerations would refuse it`,
			},
		},
		// Dedications whose pods are all sent to other nodes by another dedication.
		{
			dedications(`"namespaces": ["x"], `+poolA, `"namespaces": ["x"], `+poolB),
			[]string{`dedications[1].nodeSelector[pool]: Invalid value: "b": all its pods also belong to dedications[0], which requires pool=a`},
		},
		{
			dedications(`"namespaces": ["x"], `+poolA, `"namespaces": ["x", "y"], `+poolB),
			[]string{`dedications[0].nodeSelector[pool]: Invalid value: "a": all its pods also belong to dedications[1], which requires pool=b`},
		},
		{
			dedications(`"podSelector": {"matchLabels": {"l": "1", "m": "2"}}, `+poolA, `"podSelector": {"matchLabels": {"l": "1"}}, `+poolB),
			[]string{`dedications[0].nodeSelector[pool]: Invalid value: "a": all its pods also belong to dedications[1]`},
		},
		// These are not contradictory.
		{`{}`, nil},
		{`{"cluster": null, "namespaces": null, "dedications": null}`, nil},
		{`{"cluster": {"allowedTolerations": [], "defaultTolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}]}}`, nil},
		{`{"cluster": {"allowedTolerations": []}, "namespaces": {"x": {"allowedTolerations": [{"key": "k"}]}}, "dedications": [{"name": "a", "namespaces": ["x"], ` + poolA + `}]}`, nil},
		{dedications(`"namespaces": ["x", "y"], `+poolA, `"namespaces": ["y", "z"], `+poolB), nil},
		{dedications(`"namespaces": ["x"], `+poolA, `"podSelector": {"matchLabels": {"l": "1"}}, `+poolB), nil},
		{dedications(`"namespaces": ["x"], `+poolA, `"namespaces": ["x"], "podSelector": {"matchLabels": {"l": "1"}}, `+poolA), nil},
		{dedications(`"podSelector": {"matchLabels": {"l": "2"}}, `+poolA, `"podSelector": {"matchLabels": {"l": "1"}}, `+poolB), nil},
	} {
		_, err := ParseRules([]byte(test.text))
		var problems []error
		if all, ok := err.(interface{ Errors() []error }); ok {
			problems = all.Errors()
		} else if err != nil {
			problems = []error{err}
		}
		if len(problems) != len(test.want) {
			t.Errorf("%s: got %v\nwant %q", test.text, err, test.want)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", test.text, err, want)
			}
		}
	}
}
