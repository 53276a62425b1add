// SPDX-License-Identifier: Apache-2.0

package remedy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/cases"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/names"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
	"github.com/seed-0529bac1/taints/kube"
)

func TestAdvise(t *testing.T) {
	cases.Run(t, "testdata/advice.txt", func(_ *testing.T, lines []string) []string {
		return lists.Each(lines, func(line string) string {
			nodes, tolerations, _ := strings.Cut(line, " |")
			return cmp.Or(adviceOn(nodes, strings.TrimSpace(tolerations)), "nothing")
		})
	})
}

// Keys that are not the same word must differ even where the library has no hint.
func TestKeysThatAreAlike(t *testing.T) {
	says := func(taint, key string) string {
		advice := []string{adviceOn(taint+":NoSchedule", key+" op=Exists"), adviceOn(taint+"=v:NoSchedule", key+"=v")}
		isMistake := func(text string) bool { return strings.HasSuffix(text, " opens 1") }
		switch {
		case isMistake(advice[0]) && isMistake(advice[1]):
			return "a mistake"
		case slices.ContainsFunc(advice, isMistake), slices.Contains(advice, ""), names.IsSameWord(taint, key):
			return taint + " " + key + ": " + strings.Join(advice, ", ")
		}
		return "another"
	}
	cases.Run(t, "testdata/alike.txt", func(_ *testing.T, lines []string) (all []string) {
		for _, line := range lines {
			keys := strings.Fields(line)
			all = append(all, says(keys[0], keys[1]), says(keys[1], keys[0]))
		}
		return slices.Compact(all)
	})
}

// adviceOn returns what lets in a pod with the tolerations, on nodes with the taints.
func adviceOn(nodes, tolerations string) string {
	c, pod := cluster.New(cluster.Filter{}), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	for i, list := range strings.Split(nodes, "; ") {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i)}}
		n.Spec.Taints = kube.CoreTaints(taints.Must(taints.ParseTaints(list)))
		taints.Must(0, c.AddNode(n))
	}
	for text := range strings.SplitSeq(tolerations, ", ") {
		if text != "" {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, kube.CoreTolerations([]taints.Toleration{taints.Must(taints.ParseToleration(text))})...)
		}
	}
	taints.Must(0, c.AddPod(pod))
	c.Finish()
	p := c.Pods[0].Profile
	return textOf(New(c).Advise(p, why.Place(c, p, c.Choose(p))))
}

func textOf(a Advice) string {
	var words []string
	if a.Change != nil {
		for _, e := range a.Change.Entries {
			words = append(words, map[bool]string{true: "+"}[e.Replaces == nil]+e.Toleration.String())
		}
		text := strings.Join(words, " ")
		if list := a.Change.NodeTaints; len(list) > 0 {
			text += " ends " + say.TaintsText(list)
		}
		return strings.TrimSpace(fmt.Sprint(text, " opens ", a.Change.Opens))
	}
	for _, x := range a.Alternatives {
		words = append(words, map[bool]string{true: "?"}[len(x.Unknown) > 0]+say.TaintsText(x.Rest))
	}
	return strings.Join(words, " or ")
}
