// SPDX-License-Identifier: Apache-2.0

package remedy

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
	"github.com/seed-0529bac1/taints/kube"
)

// TestAdvise has the taints of nodes, the tolerations of a pod, and what lets it in: a change,
// where "+" is before a toleration that replaces none, or alternatives, where "?" is before
// taints that may say a state.
func TestAdvise(t *testing.T) {
	for _, tc := range []struct{ nodes, tolerations, want string }{
		{"k=v:NoSchedule", "k=V", "k=v opens 1"},
		{"k=v:NoSchedule; k=v:NoSchedule; l=v:NoSchedule", "k=V", "k=v opens 2"},
		{"k=v:NoSchedule,l=w:NoSchedule", "k=V, l=W", "k=v l=w opens 1"},
		{"k=v:NoSchedule; k=w:NoSchedule", "k", "?k=v:NoSchedule or ?k=w:NoSchedule"},
		{"k=v:NoSchedule", "k", "k=v opens 1"},
		{"k=v:NoSchedule", "K op=Exists", "k op=Exists opens 1"},
		{"k=v:NoSchedule", "k=v:NoExecute", "+k=v:NoSchedule opens 1"},
		{"k=v:NoSchedule", "k=v:NoExecute for 300s", "?k=v:NoSchedule"},
		{"k=v:NoExecute", "k=V:NoExecute for 300s", "k=v:NoExecute opens 1"},
		{"k=v:NoExecute", "k=V:NoExecute for 0s", "?k=v:NoExecute"},
		{"k=7:NoSchedule", "k=5 op=Lt", "?k=7:NoSchedule"},
		{"k=7:NoSchedule", "k=9 op=Gt", "?k=7:NoSchedule"},
		{"k=v:NoSchedule; k=V:NoSchedule", "k=V", ""}, // it is on purpose
		{"dedicated=ml:NoSchedule", "dedicatd=ml", "dedicated=ml opens 1"},
		{"team-a:NoSchedule", "team-b op=Exists", "team-a:NoSchedule"},
		{"k=v:NoSchedule", "", "?k=v:NoSchedule"},
		{"dedicated=ml:NoSchedule; dedicated=db:NoSchedule", "dedicated=mll", "dedicated=db:NoSchedule or dedicated=ml:NoSchedule"},
		{"example.com/drain:NoSchedule", "", " ends example.com/drain:NoSchedule opens 1"},
		{"example.com/drain:NoSchedule,k=v:NoSchedule", "k=V", "k=v ends example.com/drain:NoSchedule opens 1"},
		{"example.com/drain:NoSchedule,dedicated=ml:NoSchedule; dedicated=ml:NoSchedule", "", "dedicated=ml:NoSchedule"},
		{"k=v:NoSchedule; ", "", ""}, // the second node has no taint
		{"k=v:NoSchedule; ", "k=V", "k=v opens 1"},
		{"node-role.kubernetes.io/control-plane:NoSchedule; dedicated=ml:NoSchedule", "", "dedicated=ml:NoSchedule"},
	} {
		c, pod := cluster.New(cluster.Filter{}), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
		for i, list := range strings.Split(tc.nodes, "; ") {
			n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i)}}
			n.Spec.Taints = kube.CoreTaints(taints.Must(taints.ParseTaints(list)))
			taints.Must(0, c.AddNode(n))
		}
		for text := range strings.SplitSeq(tc.tolerations, ", ") {
			if text != "" {
				pod.Spec.Tolerations = append(pod.Spec.Tolerations, kube.CoreTolerations([]taints.Toleration{taints.Must(taints.ParseToleration(text))})...)
			}
		}
		taints.Must(0, c.AddPod(pod))
		c.Finish()
		p := c.Pods[0].Profile
		if got := textOf(New(c).Advise(p, why.Place(c, p, c.Choose(p)))); got != tc.want {
			t.Errorf("%s, %s: %q, want %q", tc.nodes, tc.tolerations, got, tc.want)
		}
	}
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
		return fmt.Sprint(text, " opens ", a.Change.Opens)
	}
	for _, x := range a.Alternatives {
		words = append(words, map[bool]string{true: "?"}[len(x.Unknown) > 0]+say.TaintsText(x.Rest))
	}
	return strings.Join(words, " or ")
}
