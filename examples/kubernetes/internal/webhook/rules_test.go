// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/webhooktest"
)

func TestParseRulesRefuses(t *testing.T) {
	const good = `"tolerations": [{"key": "k"}], "nodeSelector": {"pool": "a"}`
	tests := []struct {
		text string
		want []string // each problem
	}{
		{``, []string{"no JSON at all"}},
		{"{\n  \"cluster\": {},\n}", []string{"line 3, column 1: not JSON: '}' where a string"}},
		{`{"cluster": {}, "cluster": {}}`, []string{`line 1, column 27: duplicate member "cluster"`}},
		{`null`, []string{"the JSON is null, not an object"}},
		{`[]`, []string{"the JSON is a list, not an object"}},
		{`{"Cluster": {}}`, []string{`["Cluster"] is not a field; there are cluster, namespaces, dedications`}},
		{
			`{"cluster": {"allow": []}}`,
			[]string{`cluster["allow"] is not a field; there are defaultTolerations, allowedTolerations`},
		},
		{
			`{"namespaces": {"a": {"default": []}}}`,
			[]string{`namespaces["a"]["default"] is not a field; there are defaultTolerations, allowedTolerations`},
		},
		{`{"namespaces": []}`, []string{"namespaces is a list, not an object"}},
		{
			`{"namespaces": {"-a": {}, "": {}, "A": {}, "a.b": {}, "a-": {}, "ok-1": {}, "` +
				strings.Repeat("x", 64) + `": {}}}`,
			[]string{
				`namespaces[""]: "" is not the name`, `namespaces["-a"]: "-a"`,
				`namespaces["A"]: "A"`, `namespaces["a-"]: "a-"`, `namespaces["a.b"]: "a.b"`, `namespaces["xxx`,
			},
		},
		{
			`{"cluster": {"defaultTolerations": [{"key": "k", "seconds": 5}]}}`,
			[]string{`cluster.defaultTolerations[0]["seconds"] is not a field; there are key, operator, value, effect, tolerationSeconds`},
		},
		{
			`{"cluster": {"defaultTolerations": [{"key": "k", "operator": "Exist"}, {}], "allowedTolerations": [{"key": "k", "tolerationSeconds": 5}]}}`,
			[]string{
				`cluster.defaultTolerations[0].operator: "Exist" is not supported`,
				`cluster.defaultTolerations[1].operator: "" is invalid`,
				`cluster.allowedTolerations[0].effect: "" is invalid: must be NoExecute`,
			},
		},
		{`{"dedications": [{}]}`, []string{
			"dedications[0].name is missing", "dedications[0] is for no pods",
			"dedications[0].tolerations are missing", "dedications[0].nodeSelector is missing",
		}},
		{`{"dedications": [{"name": "a", "namespaces": ["x", "X", 5], ` + good + `, "matchLabels": {}}]}`, []string{
			`dedications[0]["matchLabels"] is not a field`, `dedications[0].namespaces[1]: "X" is not the name`,
			"dedications[0].namespaces[2] is the number 5, not a string", "dedications[0].namespaces[2]",
		}},
		{`{"dedications": [{"name": "a", "podSelector": {"matchExpressions": []}, ` + good + `}]}`, []string{
			`dedications[0].podSelector["matchExpressions"] is not a field; there are matchLabels`,
			"dedications[0] is for no pods",
		}},
		{
			`{"dedications": [{"name": "a", "podSelector": {"matchLabels": {"": "", "a b": "c", "ok": "-"}}, "tolerations": [{"key": "k"}], "nodeSelector": {"x/y/z": "ok", "p": "` +
				strings.Repeat("x", 64) + `"}}]}`,
			[]string{
				`dedications[0].podSelector.matchLabels[""] has no key`,
				`dedications[0].podSelector.matchLabels["a b"].key: "a b" is invalid`,
				`dedications[0].podSelector.matchLabels["ok"].value: "-" is invalid`,
				`dedications[0].nodeSelector["p"].value: "xxx`,
				`dedications[0].nodeSelector["x/y/z"].key: "x/y/z" is invalid`,
			},
		},
		{
			`{"dedications": [{"name": "a", "namespaces": ["x"], ` + good +
				`}, {"name": "a", "namespaces": ["y"], ` + good + `}]}`,
			[]string{`dedications[1].name: dedications[0] is "a" too`},
		},
		// Allow-lists that refuse what the rules give.
		{
			`{"namespaces": {"x": {"allowedTolerations": []}}, "dedications": [{"name": "a", "namespaces": ["w", "x"], ` +
				good + `}]}`,
			[]string{
				`dedications[0].tolerations[0]: k would be refused by namespaces["x"].allowedTolerations`,
			},
		},
		{
			`{"cluster": {"allowedTolerations": [{"key": "other"}]}, "namespaces": {"x": {"allowedTolerations": [{"key": "k", "effect": "NoSchedule"}]}, "y": {"allowedTolerations": [{"operator": "Exists"}]}, "z": {}},
			"dedications": [{"name": "a", "podSelector": {"matchLabels": {"a": "b"}}, ` + good + `}]}`,
			[]string{
				"dedications[0].tolerations[0]: k would be refused by cluster.allowedTolerations",
				`dedications[0].tolerations[0]: k would be refused by namespaces["x"].allowedTolerations`,
			},
		},
		{
			`{"cluster": {"allowedTolerations": [], "defaultTolerations": [{"key": "k"}]},
			"namespaces": {"v": {}, "w": {"defaultTolerations": []}, "x": {"allowedTolerations": [{"key": "j"}]}, "y": {"defaultTolerations": [{"key": "j"}]}, "z": {"allowedTolerations": [{"key": "k"}]}}}`,
			[]string{
				"cluster.defaultTolerations[0]: k would be refused by cluster.allowedTolerations",
				`cluster.defaultTolerations[0]: k would be refused by namespaces["x"].allowedTolerations`,
				`namespaces["y"].defaultTolerations[0]: j would be refused by cluster.allowedTolerations`,
			},
		},
		{`{"exemptDaemonSets": "yes"}`, []string{"exemptDaemonSets is a string, not true or false"}},
		// Dedications whose pods would all be refused.
		{
			`{"dedications": [{"name": "a", "namespaces": ["x"], ` + good +
				`}, {"name": "b", "namespaces": ["x"], "tolerations": [{"key": "k"}], "nodeSelector": {"pool": "b"}}]}`,
			[]string{
				"dedications[1].nodeSelector wants pool=b, but every pod of it is one of dedications[0] too, which wants pool=a",
			},
		},
		{
			`{"dedications": [{"name": "a", "namespaces": ["x"], ` + good +
				`}, {"name": "b", "namespaces": ["x", "y"], "tolerations": [{"key": "k"}], "nodeSelector": {"os": "b", "pool": "b"}}]}`,
			[]string{
				"dedications[0].nodeSelector wants pool=a, but every pod of it is one of dedications[1] too, which wants pool=b",
			},
		},
		{
			`{"dedications": [{"name": "a", "podSelector": {"matchLabels": {"l": "1", "m": "2"}}, ` + good +
				`}, {"name": "b", "podSelector": {"matchLabels": {"l": "1"}}, "tolerations": [{"key": "k"}], "nodeSelector": {"pool": "b"}}]}`,
			[]string{
				"dedications[0].nodeSelector wants pool=a, but every pod of it is one of dedications[1] too",
			},
		},
	}
	for _, test := range tests {
		_, err := ParseRules([]byte(test.text))
		if err == nil {
			t.Errorf("%s: accepted", test.text)
			continue
		}
		lines := strings.Split(err.Error(), "\n  ")
		if len(lines) > 1 {
			lines = lines[1:]
		}
		if len(lines) != len(test.want) {
			t.Errorf("%s: got %v\nwant %q", test.text, err, test.want)
			continue
		}
		for i := range lines {
			if !strings.Contains(lines[i], test.want[i]) {
				t.Errorf("%s: got %s, want %s", test.text, lines[i], test.want[i])
			}
		}
	}
}

// Rules that look like a contradiction, and are none.
func TestParseRulesAccepts(t *testing.T) {
	const good = `"tolerations": [{"key": "k"}], "nodeSelector": {"pool": "a"}`
	const other = `"tolerations": [{"key": "k"}], "nodeSelector": {"pool": "b"}`
	for _, text := range []string{
		`{}`,
		`{"cluster": null, "namespaces": null, "dedications": null, "exemptDaemonSets": null}`,
		`{"exemptDaemonSets": true}`,
		`{"cluster": {"allowedTolerations": [], "defaultTolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}]}}`,
		`{"cluster": {"allowedTolerations": []}, "namespaces": {"x": {"allowedTolerations": [{"key": "k"}]}}, "dedications": [{"name": "a", "namespaces": ["x"], ` +
			good + `}]}`,
		`{"dedications": [{"name": "a", "namespaces": ["x", "y"], ` + good +
			`}, {"name": "b", "namespaces": ["y", "z"], ` + other + `}]}`,
		`{"dedications": [{"name": "a", "namespaces": ["x"], ` + good +
			`}, {"name": "b", "podSelector": {"matchLabels": {"l": "1"}}, ` + other + `}]}`,
		`{"dedications": [{"name": "a", "namespaces": ["x"], ` + good +
			`}, {"name": "b", "namespaces": ["x"], "podSelector": {"matchLabels": {"l": "1"}}, ` + good + `}]}`,
		`{"dedications": [{"name": "a", "podSelector": {"matchLabels": {"l": "2"}}, ` + good +
			`}, {"name": "b", "podSelector": {"matchLabels": {"l": "1"}}, ` + other + `}]}`,
	} {
		if _, err := ParseRules([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A namespace says nothing, or its own, or that there is none.
func TestNamespaceRules(t *testing.T) {
	r := mustRules(t, `{
		"cluster": {"defaultTolerations": [{"key": "d"}], "allowedTolerations": [{"key": "d"}, {"key": "a"}]},
		"namespaces": {"own": {"defaultTolerations": [{"key": "o"}], "allowedTolerations": [{"key": "o"}]}, "none": {"defaultTolerations": [], "allowedTolerations": []}, "says-nothing": {}}
	}`)
	for namespace, want := range map[string][2]string{
		"own": {"[o]", "[o]"}, "none": {"[]", "[]"}, "says-nothing": {"[d]", "[d a]"}, "other": {"[d]", "[d a]"},
	} {
		got := [2]string{fmt.Sprint(r.defaultsOf(namespace)), fmt.Sprint(r.allowedIn(namespace))}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", namespace, diff)
		}
	}
}

func TestManyProblems(t *testing.T) {
	_, err := ParseRules([]byte(`{"dedications": [` + strings.Repeat("5,", 500) + `5]}`))
	if problems, ok := err.(rulesError); !ok || len(problems) != mostProblems {
		t.Errorf("got %v", err)
	}
}

// FuzzParseRules reads anything as rules: it has rules or problems, the same ones
// however the JSON is laid out, and rules answer every review.
func FuzzParseRules(f *testing.F) {
	f.Add(webhooktest.ReadFile(f, "../../webhook/rules.json"))
	for _, text := range []string{
		`{}`, `null`, `[`, `{"exemptDaemonSets": true}`,
		`{"cluster": {"allowedTolerations": [{"operator": "Exists"}]}}`,
		`{"namespaces": {"ml": {"defaultTolerations": [{"key": "k", "effect": "NoExecute", "tolerationSeconds": 5}]}}}`,
		`{"dedications": [{"name": "a", "namespaces": ["ml"], "tolerations": [{"key": "k"}], "nodeSelector": {"pool": "a"}}]}`,
		`{"dedications": [{"name": "a", "podSelector": {"matchExpressions": [{"key": "l", "operator": "In", "values": ["1"]}]}, "tolerations": [{}]}], "x": 1}`,
	} {
		f.Add([]byte(text))
	}
	pod := webhooktest.ReadFile(f, "testdata/create.request.json")
	f.Fuzz(func(t *testing.T, text []byte) {
		rules, err := ParseRules(text)
		var indented bytes.Buffer
		if json.Indent(&indented, text, "", "  ") == nil {
			again, errAgain := ParseRules(indented.Bytes())
			if !reflect.DeepEqual(rules, again) || (err == nil) != (errAgain == nil) {
				t.Fatalf("%s\nis %+v, %v, and in other lines %+v, %v", text, rules, err, again, errAgain)
			}
		}
		if err != nil {
			if err.Error() == "" || !reflect.DeepEqual(rules, Rules{}) {
				t.Fatalf("%s: %q, %+v", text, err, rules)
			}
			return
		}
		checkAnswers(t, handler(&Policy{Rules: rules}), pod)
	})
}
