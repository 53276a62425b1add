// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
)

// pinned returns a Pod as the DaemonSet controller makes them.
func pinned(node string) string {
	return `{"kind":"Pod","metadata":{"name":"agent-` + node + `"},"spec":{"affinity":{"nodeAffinity":{` +
		`"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[` +
		`{"key":"metadata.name","operator":"In","values":["` + node + `"]}]}]}}}}}`
}

func TestFolding(t *testing.T) {
	pod := func(namespace, name, owner, rest string) string {
		return `{"kind":"Pod","metadata":{"namespace":"` + namespace + `","name":"` + name + `",` +
			`"ownerReferences":[{"kind":"Job","name":"` + owner + `","controller":true}]},"spec":{` + rest + `}}`
	}
	r := mustReport(t, list(
		nodeJSON("n", "", "k=v:NoSchedule"),
		pod("b", "3", "j", ""), pod("a", "1", "j", ""), pod("a", "2", "j", `"tolerations":[]`), pod("a", "4", "i", ""),
		pod("a", "5", "j", `"tolerations":[{"key":"x"}]`), pod("a", "6", "j", `"nodeSelector":{"x":"y"}`),
		pod("a", "7", "j", `"schedulingGates":[{"name":"g"}]`), pod("a", "8", "j", ""),
		podJSON("9", "", ""), podJSON("8", "", ""),
		`{"kind":"Pod","metadata":{"name":"gone","deletionTimestamp":"2026-11-21T01:22:27Z"}}`,
		`{"kind":"Pod","metadata":{"name":"done"},"status":{"phase":"Succeeded"}}`,
	))
	var got []string
	for _, p := range r.Pending {
		got = append(got, p.Namespace+"/"+strings.Join(p.Pods, "+"))
	}
	want := []string{"a/1+2+8", "a/4", "a/5", "a/6", "a/7", "b/3", "default/8", "default/9"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.Groups[0].Rejected != 9 {
		t.Errorf("%d are rejected, want all 10 but the one that matches no node", r.Groups[0].Rejected)
	}
}

// Lists that may be as long as there are nodes, for each pod, are limited, and
// what is left out is counted.
func TestLimits(t *testing.T) {
	items := []string{podJSON("p", "", "", tol("k=none")), podJSON("q", "", "")}
	for i := range 70 {
		items = append(items, nodeJSON(fmt.Sprintf("n%02d", i), "", fmt.Sprintf("k=%02d:NoSchedule", i)))
	}
	for _, x := range mustReport(t, list(items...)).Pending {
		if len(x.Rejections) != maxListed || x.RejectionsTotal != 70 ||
			len(x.Alternatives) != maxListed || x.AlternativesTotal != 70 {
			t.Errorf("%s: %d rejections of %d, %d alternatives of %d", x.Pods,
				len(x.Rejections), x.RejectionsTotal, len(x.Alternatives), x.AlternativesTotal)
		}
	}
	got := mustRun(t, list(items...), "-o", "wide")
	if !strings.Contains(got, "\n    60 more untolerated taints\n") || !strings.Contains(got, "\n    60 more groups of nodes\n") {
		t.Errorf("got %s", got)
	}
}

// TestUsedOnce looks at taints no more often than once for each toleration that
// pods share.
func TestUsedOnce(t *testing.T) {
	k := newKnown([]*nodeGroup{{taints: []taints.Taint{taints.MustParseTaint("k=v:NoExecute")}}})
	for _, s := range []string{"k=v:NoExecute for 5s", "k=v:NoExecute for 6s", "k=v:NoExecute"} {
		if !k.isUsed(tol(s)) || len(k.used) != 1 {
			t.Errorf("%s: %v", s, k.used)
		}
	}
	if k.isUsed(tol("k=w")) || len(k.used) != 2 {
		t.Errorf("k=w: %v", k.used)
	}
}

// What every pod tolerates is never the closest, for its author did not write it.
func TestEverybodysTolerations(t *testing.T) {
	x := mustReport(t, list(nodeJSON("n", "", "node.kubernetes.io/not-ready:NoSchedule", "k=v:NoSchedule"),
		podJSON("p", "", "", tol("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"), tol("k=V")))).Pending[0]
	for _, r := range x.Rejections {
		if want := r.Taint.Key == "k"; (r.Closest != nil) != want {
			t.Errorf("%s: closest is %v", r.Taint, r.Closest)
		}
	}
	c := x.Change
	if len(c.Entries) != 1 || c.Entries[0].Replaces.String() != "k=V" || c.Tolerations[1].String() != "k=v" {
		t.Errorf("got %+v", c)
	}
}

// The causes of many pods are told once each.
func TestCauses(t *testing.T) {
	pod := func(i int, spec string) string {
		return fmt.Sprintf(
			`{"kind":"Pod","metadata":{"namespace":"ns%d","name":"p%d","labels":{"pod-template-hash":"5f"},`+
				`"ownerReferences":[{"kind":"ReplicaSet","name":"d%d-5f","controller":true}]},"spec":%s}`,
			i%2, i, i%9, spec,
		)
	}
	items := []string{
		nodeJSON("g", "pool=gpu", "nvidia.com/gpu=present:NoSchedule"),
		nodeJSON("m", "pool=ml", "dedicated=ml:NoSchedule"),
	}
	for i := range 62 {
		items = append(items,
			pod(i, `{"nodeSelector":{"pool":"gpu"},"tolerations":[{"key":"nvidia.com/gpu","value":"true"}]}`))
	}
	for i := range 5 {
		items = append(items,
			pod(100+i, `{"nodeSelector":{"pool":"ml"},"tolerations":[{"key":"dedicated","value":"ML"}]}`))
		items = append(items, pod(200+i, fmt.Sprintf(`{"nodeSelector":{"none%d":"x"}}`, i)))
		items = append(items, pinned(fmt.Sprint("gone", i)))
	}
	got := mustRun(t, list(items...))
	for _, want := range []string{
		"\n62 pods of Deployment ns0/d0, Deployment ns0/d1 and 16 more owners: untolerated taint\n",
		"\n    Commands are for the first of 18 owners.\n",
		"\n5 pods of Deployment ns0/d1, Deployment ns0/d3 and 3 more owners: untolerated taint\n",
		"\n5 pods (default/agent-gone0, default/agent-gone1 and 3 more): the node that the required node\n",
		"\n2 more pods with 2 other causes: see -o wide.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// The affinity of a pod that runs counts where the pod is asked about, and that
// of a DaemonSet's pod names its node.
func TestVerdictsOnPinnedPods(t *testing.T) {
	running := strings.Replace(pinned("n1"), `"spec":{`, `"spec":{"nodeName":"n1",`, 1)
	deleting := strings.Replace(pinned("n1"), `"metadata":{`, `"metadata":{"deletionTimestamp":"2026-11-21T01:22:27Z",`, 1)
	for _, p := range []string{running, deleting, pinned("n1")} {
		nodes := []string{nodeJSON("n1", ""), nodeJSON("n2", "", "x:NoSchedule"), nodeJSON("n3", "")}
		r := mustReport(t, list(append(nodes, p)...), "agent-n1")
		in, away := r.Groups[0].ForPod, r.Groups[1].ForPod
		if in.Verdict != accepts || in.Matching != 1 || away.Verdict != notMatching || away.Matching != 0 {
			t.Errorf("%s: got %+v, %+v", p, in, away)
		}
	}
}

// TestNotEvaluated asks what a pod has that may keep it off nodes, whatever their taints.
func TestNotEvaluated(t *testing.T) {
	for spec, want := range map[string]string{
		`{"initContainers":[{"resources":{"requests":{"cpu":"1"}}}]}`: "resource requests",
		`{"containers":[{"resources":{"limits":{"cpu":"1"}}}]}`:       "",
		`{"resources":{"requests":{"cpu":"1"}}}`:                      "resource requests",
		`{"overhead":{"cpu":"1"}}`:                                    "resource requests",
		`{"initContainers":[{"ports":[{"hostPort":80}]}]}`:            "host ports",
		`{"volumes":[{"awsElasticBlockStore":{"volumeID":"v"}}]}`:     "volumes that only some nodes can attach",
		`{"volumes":[{"csi":{"driver":"d"}},{"configMap":{"a":1}}]}`:  "volumes that only some nodes can attach",
		`{"volumes":[{"configMap":{"name":"c"}}]}`:                    "",
		`{"volumes":[{"ephemeral":{"volumeClaimTemplate":{}}}]}`:      "volume claims",
		`{"schedulerName":"default-scheduler"}`:                       "",
		`{"schedulerName":"batch"}`:                                   "the scheduler batch",
	} {
		p := `{"kind":"Pod","metadata":{"name":"p"},"spec":` + spec + `}`
		got := strings.Join(mustReport(t, list(nodeJSON("n", ""), p)).Pending[0].NotEvaluated, ", ")
		if got != want {
			t.Errorf("%s: got %q, want %q", spec, got, want)
		}
	}
}

// No name of an object makes lines of its own.
func TestNamesWithLineFeeds(t *testing.T) {
	const name = `p\n\nAll pods are fine.`
	input := list(nodeJSON("n", "", "k:NoExecute"),
		`{"kind":"Pod","metadata":{"name":"`+name+`"},"spec":{"nodeName":"n"}}`,
		`{"kind":"Pod","metadata":{"name":"`+name+`2"}}`)
	for _, args := range [][]string{nil, {"-o", "wide"}} {
		if text := mustRun(t, input, args...); strings.Contains(text, "\nAll pods are fine.") {
			t.Errorf("%q: %s", args, text)
		}
	}
}
