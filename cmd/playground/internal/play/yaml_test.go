// SPDX-License-Identifier: Apache-2.0

package play

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
)

// TestYAMLAsKubernetes checks that YAML is read as in kubectl and the API server,
// which convert it to JSON and decode the JSON into the type, and that the page
// rejects everything that Kubernetes rejects.
func TestYAMLAsKubernetes(t *testing.T) {
	text, err := os.ReadFile("testdata/manifests.txt")
	if err != nil {
		t.Fatal(err)
	}
	refused, read := 0, 0
	for line := range strings.Lines(string(text)) {
		spec, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		converted, err := yaml.YAMLToJSON([]byte(spec))
		if err != nil {
			t.Fatalf("%q: %v", spec, err)
		}
		var want corev1.PodSpec
		err = json.Unmarshal(converted, &want)
		text := "kind: Pod\nspec:\n  " + strings.ReplaceAll(spec, "\n", "\n  ")
		l := readTolerations(text, taints.Options{})
		if err != nil {
			refused++
			if l.unread != 1 {
				t.Errorf("%q: Kubernetes says %v; the problems are %v", spec, err, l.problems)
			}
			continue
		}
		read++
		if l.unread > 0 {
			t.Errorf("%q has the problems %v", spec, l.problems)
		}
		if diff := cmp.Diff(want.Tolerations, kube.CoreTolerations(l.elements), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q is another (-Kubernetes +page):\n%s", spec, diff)
		}
	}
	if refused < 5 || read < 5 {
		t.Errorf("Kubernetes refuses %d and reads %d", refused, read)
	}
}

// TestBombs checks that a small text that represents a large one costs no more
// than its own size and what aliases may stand for, and that its error is reported.
func TestBombs(t *testing.T) {
	numbered := func(most int, format string) string { // with each number and the one before
		var b strings.Builder
		for i := 1; i <= most; i++ {
			fmt.Fprintf(&b, format, i, i-1)
		}
		return b.String()
	}
	laughs := "a0: &a0 [{key: x}, {key: x}]\n" + numbered(60, "a%[1]d: &a%[1]d [*a%[2]d, *a%[2]d]\n") // 2 to the 60th
	merges := "kind: Pod\nbase: &m0 {x: 1}\n" + numbered(1000, "m%[1]d: &m%[1]d {<<: *m%[2]d, f%[1]d: 1}\n")
	for name, test := range map[string]struct{ text, message string }{
		"laughs":         {laughs + "tolerations: *a60\n", "exceeded max alias count of 10000; write the values out"},
		"one field":      {"- &a {" + strings.Repeat("key: x, ", 20_000) + "key: y}\n" + strings.Repeat("- *a\n", 499), "exceeded max alias count of 10000"},
		"merges":         {merges, "exceeded max alias count of 10000"},
		"merged lists":   {laughs + "<<: *a60\n", "the merge key << takes an object or a list of objects"},
		"merged nothing": {"a: &a [" + strings.Repeat("{},", 5000) + "]\nb: {<<: *a}\n", "the merge key << takes an object or a list of objects"},
		"cycle":          {"spec: &a {spec: *a}", "anchor 'a' value contains itself"},
		"list in itself": {"&a [*a]", "anchor 'a' value contains itself"},
		"merged cycle":   {"spec: &a {<<: *a}", "cyclic merge alias"},
		"lists":          {strings.Repeat("[", maxText), "exceeded max depth of 100"},
		"objects":        {strings.Repeat("{a: ", maxText/4), "exceeded max depth of 100"},
		"blocks":         {strings.Repeat("- ", maxText/2), "exceeded max depth of 100"},
		"questions":      {"--- !x\n" + strings.Repeat("? ", maxText/2-4), "exceeded max depth of 100"},
		"documents":      {strings.Repeat("---\na: 1\n", maxText/10), "this is a second document"},
	} {
		if len(test.text) > maxText {
			t.Fatalf("%s: %d bytes are not read for their size", name, len(test.text))
		}
		var l list[taints.Toleration]
		allocs := testing.AllocsPerRun(1, func() { l = readTolerations(test.text, taints.Options{}) })
		if most := float64(3*len(test.text) + 40_000); allocs > most {
			t.Errorf("%s: %d bytes take %.0f allocations", name, len(test.text), allocs)
		}
		isThere := func(p Problem) bool { return strings.Contains(p.Message, test.message) }
		if !slices.ContainsFunc(l.problems, isThere) {
			t.Errorf("%s: problems %v, want %q", name, l.problems, test.message)
		}
		if len(l.problems) > 2*maxEntries || len(l.elements) > maxEntries {
			t.Errorf("%s: %d problems and %d tolerations", name, len(l.problems), len(l.elements))
		}
	}
}
