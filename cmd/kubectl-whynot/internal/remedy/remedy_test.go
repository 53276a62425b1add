// SPDX-License-Identifier: Apache-2.0

package remedy

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/names"
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
		{"k=v:NoExecute", "k=V:NoExecute for 1s", "k=v:NoExecute opens 1"},
		{"k=v:NoExecute", "k=V:NoExecute for -5s", "?k=v:NoExecute"},
		{"dedicated=ml:NoSchedule", "dedicatd op=Exists", "dedicated op=Exists opens 1"},
		{"dedicated:NoSchedule", "dedicatd", "dedicated opens 1"},
		{"k=v:NoSchedule", "k, l=w", "k=v opens 1"},
		{"k=v:NoSchedule; l=w:NoSchedule,m=x:NoSchedule", "k=V, l=W", "k=v opens 1"},
		{"k=v:NoSchedule", ":NoExecute op=Exists", "?k=v:NoSchedule"},
		{"k=v:NoSchedule", "k=V, l=v", "k=v opens 1"},
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
		{
			"dedicated=a:NoSchedule; dedicated=b:NoSchedule; dedicated=c:NoSchedule", "dedicatd=a, dedicated=B:NoSchedule, dedicated=c:NoExecute",
			"dedicated=a dedicated=b:NoSchedule +dedicated=c:NoSchedule opens 3",
		},
		{"dedicated=a:NoSchedule; dedicated=b:NoSchedule", "dedicated=A:NoExecute, dedicated=c:NoSchedule", "dedicated=a:NoSchedule or dedicated=b:NoSchedule"}, // two differences
		{"k=v:NoSchedule; ", "", ""}, // the second node has no taint
		{"k=v:NoSchedule; ", "k=V", "k=v opens 1"},
		{"node-role.kubernetes.io/control-plane:NoSchedule; dedicated=ml:NoSchedule", "", "dedicated=ml:NoSchedule"},
	} {
		if got := adviceOn(tc.nodes, tc.tolerations); got != tc.want {
			t.Errorf("%s, %s: %q, want %q", tc.nodes, tc.tolerations, got, tc.want)
		}
	}
}

// Keys that are alike are a mistake if it is unlikely that two pools of nodes have these names.
func TestKeysThatAreAlike(t *testing.T) {
	const mistakes = `
dedicated dedicatd, dedicated dedicateed, dedicated deidcated, dedicated Dedicated, dedicated DedicateD,
dedicated Dedicatd, example.com/dedicated exmaple.com/dedicated, dedicated-gpu dedicated_gpu,
dedicated-gpu dedicatd-gpu, dedicated.gpu2 dedicatd.gpu2, teamAlpha team-alpha, teamAlpha teamalpha, teamA teama,
workload-type workload-tpye, team taem, nodepool node-pool, example.com/scalesetpriority example.com/scaleset-priority, reserved-for reservedfor,
node-role.kubernetes.io/control-plane node-role.kubernetes.io/contrl-plane`
	const others = `
team-a team-b, teamA teamB, teamA teamAB, team-east team-west, team-data team-date, team-market team-marked,
gpu-a100 gpu-h100, gpu-l40 gpu-l40s, nvidia.com/a100 nvidia.com/h100, example.com/m6a example.com/m6i,
pool12large pool21large, release-2024 release-20241, poolx pooly, mars wars, mars mas, node-large node-xlarge,
trusted untrusted, secure insecure, team-blue team-blues, team-plane team-planet, tenant-alpha tenant-alphas,
dedicated-storage dedicatd-storag, pool-alpine pool-aplins, pool-alpha pool-axlha, team-a-b team-ab, team-a team,
gpu cpu, alpha-beta beta-alpha`
	check := func(taint, key string, isMistake bool) {
		if !isMistake && names.IsSameWord(taint, key) {
			t.Errorf("%s is the same word as %s", taint, key) // even where the library has no hint
		}
		for _, form := range [][2]string{{"", " op=Exists"}, {"=v", "=v"}} {
			if got := adviceOn(taint+form[0]+":NoSchedule", key+form[1]); strings.HasSuffix(got, " opens 1") != isMistake || got == "" {
				t.Errorf("%s, %s%s: %q", taint, key, form[1], got)
			}
		}
	}
	for pairs, isMistake := range map[string]bool{mistakes: true, others: false} {
		for pair := range strings.SplitSeq(pairs, ",") {
			keys := strings.Fields(pair)
			check(keys[0], keys[1], isMistake)
			check(keys[1], keys[0], isMistake)
		}
	}
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
		return fmt.Sprint(text, " opens ", a.Change.Opens)
	}
	for _, x := range a.Alternatives {
		words = append(words, map[bool]string{true: "?"}[len(x.Unknown) > 0]+say.TaintsText(x.Rest))
	}
	return strings.Join(words, " or ")
}
