// SPDX-License-Identifier: Apache-2.0

package play

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/golden"
)

// An answerJSON is what the page gets.
type answerJSON struct {
	Brief               string
	Placement, Eviction struct{ Tone, Text, Detail string }
	Problems            []problemJSON
	Taints              []struct {
		placeJSON
		Name, Text, Tone, Status, Why, Time string
		Toleration                          *struct{ Name, Text string }
		Decides                             bool
	}
	Tolerations []struct {
		placeJSON
		Name, Text, Origin, Matches string
		Findings                    []struct{ Code, Advice string }
	}
}

type problemJSON struct {
	placeJSON
	Field, Message string
	Unread         bool
}

type placeJSON struct{ Line, Column, Start, End int }

// ask returns the answer to the state, given as pairs of a name and a value.
func ask(t testing.TB, state ...string) answerJSON {
	t.Helper()
	fields := map[string]string{"observed": "2026-11-21T12:00"}
	for i := 0; i < len(state); i += 2 {
		fields[state[i]] = state[i+1]
	}
	return answerTo(t, fields)
}

// answerTo returns the answer to the fields of a state.
func answerTo(t testing.TB, fields map[string]string) answerJSON {
	t.Helper()
	text := marshal(t, fields)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var a answerJSON
	if err := decoder.Decode(&a); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return a
}

// marshal returns the answer to the fields of a state as JSON.
func marshal(t testing.TB, fields map[string]string) []byte {
	t.Helper()
	state := NewState(func(name string) string { return fields[name] })
	text, err := json.MarshalIndent(Answer(state), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

func TestGolden(t *testing.T) {
	states, err := filepath.Glob("testdata/*.state.json")
	if err != nil || len(states) == 0 {
		t.Fatalf("no states: %v", err)
	}
	for _, name := range states {
		state, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]string
		if err := json.Unmarshal(state, &fields); err != nil {
			t.Fatal(err)
		}
		golden.CompareFile(t, strings.TrimSuffix(name, ".state.json")+".answer.json", string(marshal(t, fields)))
	}
}

func TestStatements(t *testing.T) {
	for _, test := range []struct {
		name                string
		state               []string
		placement, eviction string
	}{
		{"nothing", nil, "good: The pod can be scheduled on the node", "good: A running pod stays on the node"},
		{
			"comments",
			[]string{"taints", "# a:NoSchedule\n\n ,, "},
			"good: The pod can be scheduled on the node", "good: A running pod stays on the node",
		},
		{
			"soft",
			[]string{"taints", "a:PreferNoSchedule"},
			"mixed: The pod can be scheduled on the node, but the scheduler avoids it",
			"good: A running pod stays on the node",
		},
		{
			"hard",
			[]string{"taints", "a:NoSchedule"},
			"bad: The pod cannot be scheduled on the node", "good: A running pod stays on the node",
		},
		{
			"evicting",
			[]string{"taints", "a:NoExecute"},
			"bad: The pod cannot be scheduled on the node",
			"bad: A running pod is evicted immediately",
		},
		{
			"unknown effect",
			[]string{"taints", `[{"key": "a", "effect": "noExecute"}]`},
			"good: The pod can be scheduled on the node", "good: A running pod stays on the node",
		},
		{
			"for a time",
			[]string{"taints", "a:NoExecute", "tolerations", "a:NoExecute for 90s"},
			"good: The pod can be scheduled on the node",
			"mixed: A running pod is evicted at 2026-11-21 12:01:30 UTC",
		},
		{
			"for no time",
			[]string{"taints", "a:NoExecute", "tolerations", "a:NoExecute for -1s"},
			"good: The pod can be scheduled on the node",
			"bad: A running pod is evicted immediately",
		},
		{
			"forever",
			[]string{"taints", "a:NoExecute", "tolerations", "a:NoExecute"},
			"good: The pod can be scheduled on the node", "good: A running pod stays on the node",
		},
		{
			"longer than a time can be",
			[]string{"taints", "a:NoExecute", "tolerations", "a:NoExecute for 9223372036854775807s"},
			"good: The pod can be scheduled on the node", "good: A running pod stays on the node",
		},
		{
			"the same without a time to count from",
			[]string{"taints", "a:NoExecute", "tolerations", "a:NoExecute for 9223372036854775807s", "observed", ""},
			"good: The pod can be scheduled on the node", "good: A running pod stays on the node",
		},
		{
			"the first",
			[]string{"taints", "a:NoExecute", "tolerations", "a:NoExecute for 1s,a:NoExecute for 9s"},
			"good: The pod can be scheduled on the node",
			"mixed: A running pod is evicted at 2026-11-21 12:00:01 UTC",
		},
		{
			"the longest",
			[]string{
				"taints", "a:NoExecute", "tolerations", "a:NoExecute for 1s,a:NoExecute for 9s",
				"select", "LongestMatch",
			},
			"good: The pod can be scheduled on the node",
			"mixed: A running pod is evicted at 2026-11-21 12:00:09 UTC",
		},
		{
			"the shortest",
			[]string{
				"taints", "a:NoExecute", "tolerations", "a:NoExecute,a:NoExecute for 9s",
				"select", "ShortestMatch",
			},
			"good: The pod can be scheduled on the node",
			"mixed: A running pod is evicted at 2026-11-21 12:00:09 UTC",
		},
		{
			"forever before the shortest",
			[]string{
				"taints", "a:NoExecute", "tolerations", "a:NoExecute for 9s,a:NoExecute",
				"select", "ForeverElseShortest",
			},
			"good: The pod can be scheduled on the node", "good: A running pod stays on the node",
		},
		{
			"from timeAdded",
			[]string{
				"taints",
				`[{"key": "a", "effect": "NoExecute", "timeAdded": "2026-11-21T11:59:00Z"}]`,
				"tolerations",
				"a:NoExecute for 90s",
				"fromTimeAdded",
				"1",
			},
			"good: The pod can be scheduled on the node",
			"mixed: A running pod is evicted at 2026-11-21 12:00:30 UTC",
		},
		{
			"overdue",
			[]string{
				"taints",
				`[{"key": "a", "effect": "NoExecute", "timeAdded": "2026-11-21T11:00:00Z"}]`,
				"tolerations",
				"a:NoExecute for 90s",
				"fromTimeAdded",
				"1",
			},
			"good: The pod can be scheduled on the node",
			"bad: A running pod should have been evicted at 2026-11-21 11:01:30 UTC",
		},
		{
			"timeAdded without the option",
			[]string{
				"taints",
				`[{"key": "a", "effect": "NoExecute", "timeAdded": "2026-11-21T11:00:00Z"}]`,
				"tolerations",
				"a:NoExecute for 90s",
			},
			"good: The pod can be scheduled on the node",
			"mixed: A running pod is evicted at 2026-11-21 12:01:30 UTC",
		},
		{
			"without a time to count from",
			[]string{"taints", "a:NoExecute", "tolerations", "a:NoExecute for 90s", "observed", "soon"},
			"good: The pod can be scheduled on the node",
			"mixed: A running pod is evicted 90s (1 min 30 s) after the taint is observed",
		},
		{
			"Gt",
			[]string{"taints", "a=5:NoSchedule", "tolerations", "a=4 op=Gt"},
			"good: The pod can be scheduled on the node", "good: A running pod stays on the node",
		},
		{
			"Gt off",
			[]string{"taints", "a=5:NoSchedule", "tolerations", "a=4 op=Gt", "noComparison", "1"},
			"bad: The pod cannot be scheduled on the node", "good: A running pod stays on the node",
		},
		{
			"a wildcard",
			[]string{"taints", "a/b:NoSchedule", "tolerations", "a/* op=Exists", "keyWildcards", "1"},
			"good: The pod can be scheduled on the node", "good: A running pod stays on the node",
		},
		{
			"a wildcard off",
			[]string{"taints", "a/b:NoSchedule", "tolerations", "a/* op=Exists"},
			"unknown: Scheduling unknown", "unknown: Eviction unknown",
		},
		{
			"admission's",
			[]string{"taints", "node.kubernetes.io/not-ready:NoExecute", "add", "pod"},
			"good: The pod can be scheduled on the node",
			"mixed: A running pod is evicted at 2026-11-21 12:05:00 UTC",
		},
		{
			"a DaemonSet's",
			[]string{
				"taints",
				"node.kubernetes.io/not-ready:NoExecute,node.kubernetes.io/network-unavailable:NoSchedule",
				"add",
				"daemonset",
			},
			"bad: The pod cannot be scheduled on the node", "good: A running pod stays on the node",
		},
		{
			"the host's network",
			[]string{
				"taints",
				"node.kubernetes.io/not-ready:NoExecute,node.kubernetes.io/network-unavailable:NoSchedule",
				"add",
				"hostnetwork",
			},
			"good: The pod can be scheduled on the node", "good: A running pod stays on the node",
		},
		{
			"unread taint",
			[]string{"taints", "a:NoSchedule,b:No"},
			"unknown: Scheduling unknown", "unknown: Eviction unknown",
		},
		{
			"unread toleration",
			[]string{"taints", "a:NoSchedule", "tolerations", "a:"},
			"unknown: Scheduling unknown", "unknown: Eviction unknown",
		},
	} {
		a := ask(t, test.state...)
		if got := a.Placement.Tone + ": " + a.Placement.Text; got != test.placement {
			t.Errorf("%s: placement is %q, want %q", test.name, got, test.placement)
		}
		if got := a.Eviction.Tone + ": " + a.Eviction.Text; got != test.eviction {
			t.Errorf("%s: eviction is %q, want %q", test.name, got, test.eviction)
		}
	}
}

// TestForms checks that a list is the same in every form.
func TestForms(t *testing.T) {
	const want = "dedicated=ml:NoSchedule gpu:NoExecute op=Exists for 300s"
	const array = `[{"key": "dedicated", "operator": null, "value": "ml", "effect": "NoSchedule"}, {"key": "gpu", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}]`
	const list = "- key: dedicated\n  value: ml\n  effect: NoSchedule\n- key: gpu\n  operator: Exists\n  effect: NoExecute\n  tolerationSeconds: 300\n"
	indented := "      " + strings.ReplaceAll(strings.TrimSuffix(list, "\n"), "\n", "\n      ") + "\n"
	for _, text := range []string{
		"dedicated=ml:NoSchedule\ngpu:NoExecute op=Exists for 300s",
		"dedicated=ml:NoSchedule , gpu:NoExecute op=Exists for 300s,",
		"\r\n# what the pod has\r\n  dedicated=ml:NoSchedule\r\n\tgpu:NoExecute op=Exists for 300s\r\n",
		"Tolerations:     dedicated=ml:NoSchedule\n                 gpu:NoExecute op=Exists for 300s",
		"\uFEFFdedicated=ml:NoSchedule\n\u00A0gpu:NoExecute op=Exists for 300s",
		array,
		" \n" + array + "\n",
		`{"tolerations": ` + array + `}`,
		`{"kind": "Pod", "metadata": {"name": "a"}, "spec": {"nodeName": "b", "tolerations": ` + array + `}}`,
		`{"kind": "Deployment", "spec": {"selector": {}, "template": {"metadata": {}, "spec": {"tolerations": ` +
			array + `}}}}`,
		`{"kind": "CronJob", "spec": {"jobTemplate": {"spec": {"template": {"spec": {"tolerations": ` +
			array + `}}}}}}`,
		list,
		"---\n# what the pod has\n" + list + "---\n",
		"tolerations:\n" + list,
		"apiVersion: v1\nkind: Pod\nspec:\n  nodeName: b\n  tolerations: " + array + "\n",
		"apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      tolerations:\n" + indented + "status: {}\n",
	} {
		a := ask(t, "tolerations", text)
		var got []string
		for _, t := range a.Tolerations {
			got = append(got, t.Text)
		}
		if strings.Join(got, " ") != want || len(a.Problems) > 0 {
			t.Errorf("%q is read as %q with the problems %v", text, got, a.Problems)
		}
	}
	for _, text := range []string{
		"<none>",
		"Tolerations: <none>",
		"[]",
		`{"spec": {}}`,
		`{"kind": "Pod"}`,
		`{"spec": {"tolerations": null}}`,
		"# none",
		"---",
		"kind: Pod\n",
		"spec:\n  tolerations:\n",
	} {
		if a := ask(t, "tolerations", text); len(a.Tolerations) > 0 || len(a.Problems) > 0 {
			t.Errorf("%q is read as %v with the problems %v", text, a.Tolerations, a.Problems)
		}
	}
	a := ask(t, "tolerations", `{"key": "a", "operator": "Exists"}`)
	if len(a.Tolerations) != 1 || a.Tolerations[0].Text != "a op=Exists" {
		t.Errorf("a single toleration is read as %v with the problems %v", a.Tolerations, a.Problems)
	}
}

func TestProblems(t *testing.T) {
	const long = "0123456789"
	for _, test := range []struct {
		field, text string
		at          string // what the place selects
		line        int
		column      int
		message     string // part of it
		unread      bool
	}{
		{
			"taints", "a:NoSchedule\n b=c:NoSchedul", "NoSchedul", 2, 6,
			"NoSchedule, PreferNoSchedule or NoExecute", true,
		},
		{"taints", "😀a:NoSchedule", "😀a", 1, 1, "key", true},
		{"taints", "é=😀:NoSchedule", "é", 1, 1, "key", true},
		{"taints", "a=😀:NoSchedule", "😀", 1, 3, "value", true},
		{"taints", "a", "", 1, 2, "effect", true},
		{"taints", "a:NoSchedule,a=b:NoSchedule", "a=b:NoSchedule", 1, 14, "the API server refuses this: taints[1]", false},
		{"taints", "- key: a\n  effect: [NoSchedule\n", "", 2, 22, "not valid YAML: did not find expected ',' or ']' while parsing a list that starts on line 2", true},
		{"taints", "# the node's\n\n- key: a\n\teffect: b\n", "\t", 4, 1, "indent with spaces, not tabs", true},
		{"taints", "- key: a\n  effect: @b\n", "@", 2, 11, "put the value in quotes", true},
		{"taints", "- key: a: b\n", ":", 1, 9, "put a value that contains a colon and a space in quotes", true},
		{"taints", "- key: *b\n", "*", 1, 8, "unknown anchor 'b' referenced", true},
		{"taints", "- key: a\x01b\n", "\x01", 1, 9, "control characters are not allowed", true},
		{"taints", "- key: a\n  value: yes\n  effect: NoSchedule", "yes", 2, 10, "value: expected a string, found a boolean; put it in quotes", true},
		{"taints", "- key: a\n  ? [b]\n  : c", "[b]", 2, 5, "a name must be a string, not a list", true},
		{"taints", "- <<: b", "b", 1, 7, "the merge key << takes an object or a list of objects, not a string", true},
		{"taints", "spec:\n  unschedulable: 'true'", "'true'", 2, 18, "unschedulable: expected a boolean, found a string", true},
		{"taints", "kind: Node\n---\nkind: Node\n", "kind: Node", 3, 1, "a second document", true},
		{"taints", "Name: a\nTaints: b:NoSchedule", "Name: a\nTaints: b:NoSchedule", 1, 1, "this object has no taints", true},
		{"taints", "kind: Pod\nspec: {}\n", "kind: Pod\nspec: {}", 1, 1, "this is a Pod, and only a Node has taints", true},
		{"taints", `[{"key": "a", "effect": "NoSchedule"}`, "", 1, 38, "did not find expected ',' or ']' while parsing a list that starts on line 1", true},
		{"taints", "[\n{\"key\" \"a\"}]", `"`, 2, 8, "did not find expected ',' or '}' while parsing an object", true},
		{"taints", `["a:NoSchedule"]`, `"a:NoSchedule"`, 1, 2, "expected an object, found a string", true},
		{"taints", `{"taints": 1}`, "1", 1, 12, "expected a list of taints, found a number", true},
		{"taints", `[{"key": 1, "effect": "NoSchedule"}]`, "1", 1, 10, "key: expected a string, found a number; put it in quotes", true},
		{
			"taints", `[{"key": "a", "effect": "NoExecute", "timeAdded": "today"}]`, `"today"`,
			1, 51, "timeAdded: expected a time", true,
		},
		{
			"taints", `[{"key": "a", "effect": "noSchedule"}]`, `"noSchedule"`, 1, 25,
			"the API server refuses this: taints[0].effect", false,
		},
		{"taints", `[{"key": "a"}]`, `{"key": "a"}`, 1, 2, "taints[0].effect", false},
		{
			"taints", `[{"key": "a", "effect": "NoSchedule", "tolerationSeconds": 1}]`,
			`"tolerationSeconds"`, 1, 39, `"tolerationSeconds" is not a field of taints`, false,
		},
		{
			"taints", `{"kind": "Pod", "spec": {}}`, `{"kind": "Pod", "spec": {}}`, 1, 1,
			"this is a Pod, and only a Node has taints", true,
		},
		{"taints", `{"items": []}`, `{"items": []}`, 1, 1, "a list of objects", true},
		{"taints", `{}`, `{}`, 1, 1, "empty", true},
		{"taints", `{"a": 1}`, `{"a": 1}`, 1, 1, "no taints", true},
		{
			"taints", strings.Repeat(long, maxText/len(long)+1),
			strings.Repeat(long, maxText/len(long)+1), 1, 1, "longer than 256 KiB", true,
		},
		{
			"taints", `{"kind": "Deployment", "spec": {"template": {"spec": {}}}}`,
			`{"kind": "Deployment", "spec": {"template": {"spec": {}}}}`, 1, 1, "an object of this kind has no taints; expected a Node", true,
		},
		{"taints", `{"kind": "Service", "spec": {}}`, `{"kind": "Service", "spec": {}}`, 1, 1, "of this kind has no taints", true},
		{"tolerations", `{"kind": "Service", "spec": {}}`, `{"kind": "Service", "spec": {}}`, 1, 1, "of this kind has no tolerations; expected a Pod", true},
		{"tolerations", `{"kind": "Secret"}`, `{"kind": "Secret"}`, 1, 1, "of this kind has no tolerations", true},
		{"taints", `{"taints": {"key": "a", "effect": "NoSchedule"}}`, `{"key": "a", "effect": "NoSchedule"}`, 1, 12, "expected a list of taints, found an object", true},
		{"taints", `[{"key": "a", "key": "b", "effect": "NoSchedule"}]`, `"key"`, 1, 15, "this field is here twice", false},
		{"taints", `{"kind": "Node", "spec": {"x": [{"a": 1, "a": 2}]}}`, `"a"`, 1, 42, "this field is here twice", false},
		{"taints", `{"kind": "Node", "spec": {"unschedulable": true}}`, `true`, 1, 44, "the node is cordoned", false},
		{"taints", `{"unschedulable": true, "taints": [{"key": "a", "effect": "NoSchedule"}]}`, `true`, 1, 19, "the node is cordoned", false},
		{"tolerations", "a:NoSchedule op=exists", "exists", 1, 17, "Exists, Equal, Lt or Gt", true},
		{"tolerations", "a:NoExecute for 1m", "for", 1, 13, "SECONDS", true},
		{"tolerations", "a:NoExecute for x1s", "x1s", 1, 17, "integer", true},
		{"tolerations", `[{"key": "a", "tolerationSeconds": 1.5}]`, "1.5", 1, 36, "integer", true},
		{
			"tolerations", `[{"key": "a", "tolerationSeconds": 9223372036854775808}]`,
			"9223372036854775808", 1, 36, "integer", true,
		},
		{
			"tolerations", `[{"key": "a", "tolerationSeconds": 1, "effect": "NoSchedule"}]`,
			`"NoSchedule"`, 1, 49, "tolerations[0].effect", false,
		},
		{
			"tolerations", `{"kind": "Node"}`, `{"kind": "Node"}`, 1, 1,
			"this is a Node, and only a Pod has tolerations", true,
		},
	} {
		a := ask(t, test.field, test.text)
		if len(a.Problems) != 1 {
			t.Errorf("%.50q has the problems %+v, want one", test.text, a.Problems)
			continue
		}
		p := a.Problems[0]
		got := selected(t, test.text, p.placeJSON)
		if got != test.at || p.Line != test.line || p.Column != test.column {
			t.Errorf("%.50q has a problem at %d:%d, %.50q; want %d:%d, %.50q", test.text, p.Line,
				p.Column, got, test.line, test.column, test.at)
		}
		if p.Field != test.field || !strings.Contains(p.Message, test.message) || p.Unread != test.unread {
			t.Errorf("%.50q has the problem %+v, want it to have %q in %s, unread %v",
				test.text, p, test.message, test.field, test.unread)
		}
	}
}

// selected returns what a browser selects at the place, which counts UTF-16 units.
func selected(t testing.TB, text string, p placeJSON) string {
	t.Helper()
	units := utf16.Encode([]rune(text))
	if p.Start < 0 || p.Start > p.End || p.End > len(units) || p.Line < 1 || p.Column < 1 {
		t.Fatalf("the place %+v is not in %q", p, text)
	}
	return string(utf16.Decode(units[p.Start:p.End]))
}

// A cordoned node repels what does not tolerate its taint, whether or not it has it.
func TestCordoned(t *testing.T) {
	const tolerated = "node.kubernetes.io/unschedulable:NoSchedule op=Exists"
	for _, node := range []string{
		`{"kind": "Node", "spec": {"unschedulable": true}}`,
		`{"kind": "Node", "spec": {"unschedulable": true, "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]}}`,
	} {
		for tolerations, want := range map[string]string{"": "bad", tolerated: "good"} {
			a := ask(t, "taints", node, "tolerations", tolerations)
			if a.Placement.Tone != want || len(a.Taints) != 1 {
				t.Errorf("%s with %q: %+v", node, tolerations, a)
			}
		}
	}
	for _, node := range []string{`{"spec": {"unschedulable": false}}`, `{"spec": {"unschedulable": null}}`, `{"kind": "Node"}`} {
		if a := ask(t, "taints", node); a.Placement.Tone != "good" || len(a.Taints)+len(a.Problems) != 0 {
			t.Errorf("%s: %+v", node, a)
		}
	}
}

// What has a pod template may have no tolerations.
func TestNoTolerations(t *testing.T) {
	for _, text := range []string{
		`{"kind": "Pod"}`, `{"kind": "Deployment", "spec": {"template": {"spec": {}}}}`, `{"kind": "PodTemplate", "template": {}}`,
		`{"kind": "CronJob", "spec": {"jobTemplate": {"spec": {"template": {"spec": {"tolerations": null}}}}}}`, `{"spec": {}}`,
	} {
		if a := ask(t, "tolerations", text); len(a.Problems)+len(a.Tolerations) != 0 {
			t.Errorf("%s: %+v", text, a)
		}
	}
}

// A time that no clock shows is not forever.
func TestAfter9999(t *testing.T) {
	a := ask(t, "taints", "a:NoExecute", "tolerations", "a:NoExecute op=Exists for 4000s", "observed", "9999-12-31T23:59:59")
	if !strings.Contains(a.Eviction.Detail, "or until after the year 9999") || !strings.Contains(a.Taints[0].Time, "after the year 9999") {
		t.Errorf("%+v", a)
	}
	a = ask(t, "taints", "a:NoExecute", "tolerations", "a:NoExecute op=Exists")
	if a.Eviction.Detail != "Every NoExecute taint is tolerated forever." {
		t.Errorf("%+v", a.Eviction)
	}
}

func TestOtherProblems(t *testing.T) {
	a := ask(t, "select", "firstMatch", "add", "me", "observed", "2026-13-01T00:00")
	want := []problemJSON{
		{Field: "select", Message: "unknown selection; FirstMatch is used instead"},
		{Field: "add", Message: "unknown source of tolerations; none are added"},
		{Field: "observed", Message: "expected a time such as 2026-11-21T12:00:00"},
	}
	if diff := cmp.Diff(want, a.Problems, cmp.AllowUnexported(problemJSON{})); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestLimits(t *testing.T) {
	lines := strings.Repeat("a:NoSchedule op=Exists\n", maxEntries+5)
	array := "[" + strings.Repeat(`{"key":"a"},`, maxEntries) + `{"key":"b"}]`
	for _, text := range []string{lines, array} {
		a := ask(t, "tolerations", text)
		if len(a.Tolerations) != maxEntries {
			t.Errorf("%d tolerations are read, want %d", len(a.Tolerations), maxEntries)
		}
		if n := len(a.Problems); n != 1 || !strings.Contains(a.Problems[0].Message, "reads up to 500 tolerations") ||
			!a.Problems[0].Unread {
			t.Errorf("problems: %v", a.Problems)
		}
	}
	a := ask(t, "taints", strings.Repeat("a\n", maxEntries+5))
	if n := len(a.Problems); n != mostProblems+1 || a.Problems[n-1].Message != "and 451 more problems" {
		t.Errorf("%d problems, the last of them %+v", n, a.Problems[len(a.Problems)-1])
	}
}

func TestOrigin(t *testing.T) {
	a := ask(t, "tolerations", "node.kubernetes.io/not-ready:NoExecute op=Exists for 5s,a", "add", "daemonset")
	got := map[string]string{}
	for _, t := range a.Tolerations {
		got[t.Text] = t.Origin
	}
	if len(got) != 7 ||
		got["node.kubernetes.io/not-ready:NoExecute op=Exists"] != "changed by the DaemonSet controller" ||
		got["a"] != "" ||
		got["node.kubernetes.io/unschedulable:NoSchedule op=Exists"] != "added by the DaemonSet controller" {
		t.Errorf("origins: %v", got)
	}
}

func TestMatches(t *testing.T) {
	a := ask(t, "taints", "a:NoSchedule,b:NoSchedule,a:NoExecute", "tolerations", "a,b:NoExecute,op=Exists")
	for i, want := range []string{
		"tolerates taints[0], taints[2]",
		"tolerates none of these taints",
		"tolerates taints[0], taints[1], taints[2]",
	} {
		if got := a.Tolerations[i].Matches; got != want {
			t.Errorf("%s %s, want %s", a.Tolerations[i].Text, got, want)
		}
	}
	a = ask(t, "taints", strings.Repeat("a:NoSchedule,", 10), "tolerations", "a")
	if got, end := a.Tolerations[0].Matches, "taints[7] and 2 more"; !strings.HasSuffix(got, end) {
		t.Errorf("it %s, want %s at the end", got, end)
	}
}

func TestSeconds(t *testing.T) {
	for _, test := range []struct {
		n    int64
		want string
	}{
		{-9223372036854775808, "-9223372036854775808s"},
		{-1, "-1s"},
		{0, "0s"},
		{59, "59s"},
		{60, "60s (1 min)"},
		{90, "90s (1 min 30 s)"},
		{3600, "3600s (1 h)"},
		{3601, "3601s (1 h)"},
		{5400, "5400s (1 h 30 min)"},
		{86400, "86400s (1 day)"},
		{31536000, "31536000s (1 year)"},
		{9223372036854775807, "9223372036854775807s (292471208677 years 195 days)"},
	} {
		if got := seconds(test.n); got != test.want {
			t.Errorf("seconds(%d) = %q, want %q", test.n, got, test.want)
		}
	}
}

// FuzzAnswer checks for any texts that there is an answer, that its places are in
// the texts, and that the library says the same of what was read.
func FuzzAnswer(f *testing.F) {
	f.Add("dedicated=ml:NoSchedule\nb:NoExecute",
		"dedicated:NoSchedule, b:NoExecute op=Exists for 9s", "2026-11-21T12:00", "LongestMatch", "pod", uint8(7))
	f.Add(`{"spec": {"taints": [{"key": "a😀", "effect": "NoExecute", "timeAdded": "2026-11-21T12:00:00Z"}]}}`,
		`[{"key": "a", "tolerationSeconds": 5}]`, "", "", "daemonset", uint8(1))
	f.Add("Taints: a*:NoSchedule", "a* op=Exists, b=5 op=Gt", "2026-11-21T12:00:00+05:00", "x", "x", uint8(4))
	f.Add("- key: a", "[[[[", "\xff", "", "hostnetwork", uint8(2))
	f.Add("spec:\n  taints:\n  - &a {key: é, effect: NoExecute}\n  - <<: *a\n    key: |-\n      b\n", "- key: !!str \"a\\\"\" # b\n  value: yes\n---\n", "", "", "", uint8(0))
	f.Fuzz(func(t *testing.T, nodes, pods, observed, selection, add string, options uint8) {
		nodes, pods = string([]rune(nodes)), string([]rune(pods)) // as a browser has them
		s := State{
			Taints: nodes, Tolerations: pods, Observed: observed, Select: selection, Add: add,
			NoComparison: options&1 != 0, KeyWildcards: options&2 != 0, FromTimeAdded: options&4 != 0,
		}
		r := answer(s)
		a := answerTo(t, map[string]string{
			"taints": nodes, "tolerations": pods,
			"observed": observed, "select": selection, "add": add,
			"noComparison": flagText(s.NoComparison), "keyWildcards": flagText(s.KeyWildcards),
			"fromTimeAdded": flagText(s.FromTimeAdded),
		})
		for _, p := range a.Problems {
			switch {
			case p.Line == 0:
			case p.Field == "taints":
				selected(t, nodes, p.placeJSON)
			default:
				selected(t, pods, p.placeJSON)
			}
		}
		for _, x := range a.Taints {
			part := selected(t, nodes, x.placeJSON)
			again, err := taints.ParseTaint(part)
			if err == nil && again.String() != x.Text || err != nil && part == "" {
				t.Fatalf("%q is %q at %q: %v", nodes, x.Text, part, err)
			}
		}

		o := taints.Options{NoComparison: s.NoComparison, KeyWildcards: s.KeyWildcards}
		v := o.Filter(r.taints.elements, r.tolerations)
		want := map[bool]string{true: "good", false: "bad"}[v.Schedulable()]
		switch {
		case unread(r.taints.problems)+unread(r.written.problems) > 0:
			want = "unknown"
		case v.Schedulable() && v.Avoid():
			want = "mixed"
		}
		if got := string(r.placed.tone); got != want {
			t.Fatalf("the placement is %s, want %s, for %+v", got, want, s)
		}
	})
}

func flagText(b bool) string {
	if b {
		return "1"
	}
	return ""
}
