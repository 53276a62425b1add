// SPDX-License-Identifier: Apache-2.0

package remedy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
)

// TestAdvise has the taints of nodes, the tolerations of a pod, and what lets it in: a change,
// or alternatives, where "?" is before a taint that may say a state.
func TestAdvise(t *testing.T) {
	for _, tc := range []struct{ nodes, tolerations, want string }{
		{"k=v", "k=V", "k=v opens 1"},
		{"k=v k=v l=v", "k=V", "k=v opens 2"},
		{"k=v,l=w", "k=V l=W", "k=v l=w opens 1"},
		{"k=v k=w", "k", "?k=v:NoSchedule or ?k=w:NoSchedule"},
		{"k=v", "", "?k=v:NoSchedule"},
		{"dedicated=ml", "", "dedicated=ml:NoSchedule"},
		{"dedicated=ml dedicated=db", "dedicated=mll", "dedicated=db:NoSchedule or dedicated=ml:NoSchedule"},
		{"example.com/drain", "", "ends example.com/drain:NoSchedule opens 1"},
		{"example.com/drain,k=v", "k=V", "k=v ends example.com/drain:NoSchedule opens 1"},
		{"example.com/drain,dedicated=ml dedicated=ml", "", "dedicated=ml:NoSchedule"},
		{"k=v ", "", ""}, // the second node has no taint
		{"k=v ", "k=V", "k=v opens 1"},
		{"node-role.kubernetes.io/control-plane dedicated=ml", "", "dedicated=ml:NoSchedule"},
	} {
		var objects []string
		for i, list := range strings.Split(tc.nodes, " ") {
			objects = append(objects, `{"kind": "Node", "metadata": {"name": "n`+fmt.Sprint(i)+`"}, "spec": {"taints": [`+elements(list, ",", `, "effect": "NoSchedule"`)+"]}}")
		}
		objects = append(objects, `{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"tolerations": [`+elements(tc.tolerations, " ", "")+"]}}")
		c := cluster.New(cluster.Filter{})
		if err := manifest.Read("x", strings.NewReader(strings.Join(objects, "\n")), c.Decode); err != nil {
			t.Fatal(err)
		}
		c.Finish()
		p := c.Pods[0].Profile
		if got := textOf(New(c).Advise(p, why.Place(c, p, c.Choose(p)))); got != tc.want {
			t.Errorf("%s, %s: %q, want %q", tc.nodes, tc.tolerations, got, tc.want)
		}
	}
}

// elements returns objects with key and value, and more.
func elements(list, separator, more string) string {
	var texts []string
	for _, s := range strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(separator, r) }) {
		key, value, _ := strings.Cut(s, "=")
		texts = append(texts, `{"key": "`+key+`", "value": "`+value+`"`+more+"}")
	}
	return strings.Join(texts, ", ")
}

func textOf(a Advice) string {
	var words, ends []string
	if a.Change != nil {
		words = lists.Each(a.Change.Entries, func(e Entry) string { return e.Toleration.String() })
		if ends = say.TaintTexts(a.Change.NodeTaints); len(ends) > 0 {
			words = append(words, "ends "+strings.Join(ends, " "))
		}
		return fmt.Sprint(strings.Join(words, " "), " opens ", a.Change.Opens)
	}
	for _, x := range a.Alternatives {
		mark := map[bool]string{true: "?"}[len(x.Unknown) > 0]
		words = append(words, mark+strings.Join(say.TaintTexts(x.Rest), " "))
	}
	return strings.Join(words, " or ")
}
