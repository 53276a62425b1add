// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
)

func TestPendingText(t *testing.T) {
	const cordoned = `{"kind":"Node","metadata":{"name":"c","labels":{"zone":"c"}},"spec":{"unschedulable":true}}`
	const both = `{"kind":"Node","metadata":{"name":"c"},"spec":{"unschedulable":true,"taints":` +
		`[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]}}`
	owned := func(kind, labels, spec string) string {
		return `{"kind":"Pod","metadata":{"namespace":"ns","name":"own-1","labels":{` + labels + `},` +
			`"ownerReferences":[{"kind":"X","name":"x"},{"kind":"` + kind +
			`","name":"own-5f","controller":true}]},"spec":{` + spec + `}}`
	}
	a, b := nodeJSON("a", "pool=x,zone=a", "k=v:NoSchedule"), nodeJSON("b", "pool=y,zone=b")
	tests := []struct {
		name, input string
		want        string
	}{
		{"none", list(a), "There are no pods in the input."},
		{"nothing pending", list(a, podJSON("p", "a", "")), "No pod waits for the scheduler."},
		{
			"feasible", list(a, b, podJSON("p", "", "")), `
default/p
  No node selector: 2 nodes count; the taints of 1 of them let it in: b. What else could keep it off
  these is not evaluated.
    1 node   k=v:NoSchedule
             no toleration comes close

2.`,
		},
		{
			"missing labels", list(a, b, podJSON("p", "", "pool=z,zone=a,disk=ssd")), `
  Its node selector disk=ssd,pool=z,zone=a leaves 0 of 2 nodes; no node has the label disk=ssd or
  pool=z, whatever its taints.

`,
		},
		{
			"labels apart", list(a, b, podJSON("p", "", "pool=x,zone=b")),
			"each label is on some node, but no node has\n  all, whatever its taints.\n\n2.",
		},
		{
			"another value", list(a, b, podJSON("p", "", "pool=x", tol("k=w:NoExecute"))), `
  Its node selector pool=x leaves 1 of 2 nodes; its taints reject the pod:
    1 node   k=v:NoSchedule
             closest: k=w:NoExecute, the effect differs, the value differs
  If nodes with k=v:NoSchedule are meant for it (a), and only then, this change lets it past their
  taints:
    # added
    - key: k
      operator: Equal
      value: v
      effect: NoSchedule
  An existing pod's tolerations can be added to, not replaced: add this to the pod.
`,
		},
		{
			"a mistake", list(a, b, podJSON("p", "", "pool=x", tol("k=V:NoSchedule"))), `
             closest: k=V:NoSchedule, the value differs only in letter case
  Smallest change to its tolerations, with which the taints of 1 node let it in:
    # in place of k=V:NoSchedule
    - key: k
      operator: Equal
      value: v
      effect: NoSchedule
  An existing pod's tolerations can be added to, not replaced: add this to the pod.
`,
		},
		{
			"several",
			list(a, b,
				nodeJSON("c", "pool=x", "k=w:NoExecute"), nodeJSON("d", "pool=x", "k=w:NoExecute"),
				podJSON("p", "", "pool=x")), `
  Which nodes are meant for it, if any of these, is not known from taints and tolerations. It would
  have to tolerate:
    2 nodes  k=w:NoExecute on c, d
    1 node   k=v:NoSchedule on a
`,
		},
		{
			"two names that may be meant, one of them with more taints",
			list(nodeJSON("a", "", "team=ops:NoSchedule"), nodeJSON("b", "", "gpu:NoSchedule", "team=OPS:NoSchedule"),
				podJSON("p", "", "", tol("team=Ops:NoSchedule"))), `
  have to tolerate:
    1 node   team=ops:NoSchedule on a
    1 node   gpu:NoSchedule and team=OPS:NoSchedule on b
`,
		},
		{
			"no value, and nodes of values",
			list(nodeJSON("a", "pool=x", "k:NoSchedule"), nodeJSON("b", "", "k=v:NoSchedule"), podJSON("p", "", "pool=x")), `
    - key: k
      operator: Equal
      value: ""
      effect: NoSchedule
`,
		},
		{
			"a DaemonSet's pod", list(a, b, pinned("a")), `
  Its required node affinity metadata.name=a leaves 1 of 2 nodes; its taints reject the pod:
    1 node   k=v:NoSchedule
             no toleration comes close
`,
		},
		{
			"a DaemonSet's pod whose node takes it", list(a, b, pinned("b")), `
  Its required node affinity metadata.name=b leaves 1 of 2 nodes; the taints of 1 of them let it in:
  b. What else could keep it off these is not evaluated.

2.`,
		},
		{
			"a DaemonSet's pod without its node", list(a, b, pinned("c")), `
  Its required node affinity metadata.name=c leaves 0 of 2 nodes; no node has what they ask for,
  whatever its taints.

2.`,
		},
		{
			"affinity and selector",
			list(a, b, nodeJSON("c", "pool=x,zone=c"),
				affine("pool=x", `{"key":"zone","operator":"NotIn","values":["c"]}`)), `
  Its node selector pool=x and required node affinity zone!=c leave 1 of 3 nodes; its taints reject
  the pod:
`,
		},
		{
			"an affinity without terms", list(a, b, strings.Replace(pinned("a"), `{"matchFields"`, `{"x"`, 1)), `
  Its required node affinity (nothing) leaves 0 of 2 nodes; no node has`,
		},
		{
			"gates", list(b, `{"kind":"Pod","metadata":{"name":"p"},"spec":{"schedulingGates":[{"name":"g"}]}}`), `
default/p
  It has scheduling gates: the scheduler does not look at it before they are removed.
`,
		},
		{
			"owner", list(a, owned("StatefulSet", "", "")), "\nns/own-1 (StatefulSet own-5f)\n",
		},
		{
			"owner's template", list(a, owned("StatefulSet", "", "")),
			"add this to the pod, or make the\n  change in the pod template of StatefulSet own-5f.",
		},
		{
			"Deployment", list(a, owned("ReplicaSet", `"pod-template-hash":"5f"`, "")),
			"\nns/own-1 (ReplicaSet own-5f of Deployment own)\n",
		},
		{
			"not a Deployment", list(a, owned("ReplicaSet", `"pod-template-hash":"6f"`, "")),
			"\nns/own-1 (ReplicaSet own-5f)\n",
		},
		{
			"not evaluated", list(b, strings.Replace(owned("Job", "", `"affinity":{"nodeAffinity":{`+
				`"preferredDuringSchedulingIgnoredDuringExecution":[{}]},"podAffinity":{},"podAntiAffinity":{`+
				`"requiredDuringSchedulingIgnoredDuringExecution":[{}]}},"topologySpreadConstraints":[{}],"schedulingGates":null,`+
				`"volumes":[{"emptyDir":{}},{"persistentVolumeClaim":{"claimName":"c"}}],"resourceClaims":[{"name":"r"}],`+
				`"containers":[{"ports":[{"containerPort":1}]},{"ports":[{"hostPort":1}],"resources":{"requests":{"cpu":"1"}}}]`),
				`"spec"`, `"status":{"conditions":[{"type":"Ready","status":"False","message":"no"},`+
					`{"type":"PodScheduled","status":"False","message":"0/1 nodes: no"}]},"spec"`, 1)), `
  No node selector: 1 node counts; the taints of 1 of them let it in: b. What else could keep it off
  these is not evaluated: it has pod anti-affinity, topology spread constraints, resource requests,
  host ports, volume claims and resource claims.
  The scheduler says: 0/1 nodes: no
`,
		},
		{
			"cordoned", list(cordoned, podJSON("p", "", "zone=c")), `
    1 node   node.kubernetes.io/unschedulable:NoSchedule
             no toleration comes close
  All of these nodes are out of order or cordoned: fix the nodes, not the pod. Without
  node.kubernetes.io/unschedulable:NoSchedule the taints of 1 node let it in.
`,
		},
		{
			"cordoned, and a taint that is like it",
			list(strings.Replace(both, `"effect"`, `"value":"x","effect"`, 1),
				podJSON("p", "", "", tol("node.kubernetes.io/unschedulable=x:NoSchedule"))),
			"not the pod. Without\n  node.kubernetes.io/unschedulable:NoSchedule the taints of 1 node let it in.\n",
		},
		{
			"cordoned twice", list(both), `
    1      0          0  node.kubernetes.io/unschedulable:NoSchedule
                         on c
`,
		},
		{
			"fix and change",
			list(nodeJSON("n", "", "node.kubernetes.io/disk-pressure:NoSchedule", "on=on:NoSchedule"),
				podJSON("p", "", "", tol("on=ON"))), `
  All of these nodes are out of order or cordoned: fix the nodes, not the pod. Without
  node.kubernetes.io/disk-pressure:NoSchedule, and with this change, the taints of 1 node let it in:
    # in place of on=ON
    - key: "on"
      operator: Equal
      value: "on"
`,
		},
		{
			"out of order, and of others",
			list(nodeJSON("n", "", "node.kubernetes.io/disk-pressure:NoSchedule", "k=v:NoSchedule"),
				podJSON("p", "", "")), `
  If nodes with k=v:NoSchedule are meant for it (n), and only then, this change lets it past their
  taints, once node.kubernetes.io/disk-pressure:NoSchedule is gone:
    # added
    - key: k
`,
		},
		{
			"nodes that go, each at its time",
			list(nodeJSON("n", "", "ToBeDeletedByClusterAutoscaler=1763600001:NoSchedule"),
				nodeJSON("m", "", "ToBeDeletedByClusterAutoscaler=1763600002:NoSchedule"),
				podJSON("p", "", "")), `
  All of these nodes are being removed: the pod needs other nodes, not other tolerations. Without
  ToBeDeletedByClusterAutoscaler:NoSchedule the taints of 2 nodes let it in.

`,
		},
		{
			"nodes of others that go",
			list(nodeJSON("n", "", "karpenter.sh/disrupted:NoSchedule", "k=v:NoSchedule"),
				nodeJSON("m", "", "karpenter.sh/disrupted:NoSchedule", "k=w:NoSchedule"),
				podJSON("p", "", "")), `
    1 node   k=v:NoSchedule on n, being removed: karpenter.sh/disrupted:NoSchedule
`,
		},
		{
			"invalid taint",
			list(
				`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"?","effect":"NoSchedule"}]}}`,
				podJSON("p", "", ""),
			),
			"  No change to the tolerations lets it in: a taint, or another toleration, is not valid.\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := mustRun(t, test.input, "-v"); !strings.Contains(got, test.want) {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

// affine returns a Pod with a node selector and a required node affinity of one
// match expression.
func affine(selector, expression string) string {
	return `{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeSelector":` +
		mustJSON(labelMap(selector)) + `,"affinity":{"nodeAffinity":{` +
		`"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[` +
		expression + `]}]}}}}}`
}

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
	if r.Groups[0].KeepsAway != 9 {
		t.Errorf("keeps away %d, want all 10 but the one that selects other nodes", r.Groups[0].KeepsAway)
	}
}

// TestManyAlternatives has more of them than are printed.
func TestManyAlternatives(t *testing.T) {
	items := []string{
		podJSON("p", "", ""),
		nodeJSON("first", "", "zz:NoSchedule"),
		nodeJSON("second", "", "zz:NoSchedule"),
	}
	for i := range 30 {
		items = append(items, nodeJSON(fmt.Sprintf("n%02d", i), "", fmt.Sprintf("k=%02d:NoSchedule", i)))
	}
	x := mustReport(t, list(items...)).Pending[0]
	if len(x.Alternatives) != 31 || x.Alternatives[0].Nodes != 2 || x.Alternatives[0].Taints[0].Key != "zz" {
		t.Errorf("got %+v", x.Alternatives)
	}
	got := mustRun(t, list(items...), "-pod", "p")
	if !strings.Contains(got, "    2 nodes  zz:NoSchedule on first, second\n    1 node   k=00:NoSchedule on n00\n") ||
		!strings.Contains(got, "\n    and 21 more\n") {
		t.Errorf("got %s", got)
	}
	got = mustRun(t, list(items...))
	if !strings.Contains(got, "1 pod: k is not tolerated, the nodes have many values; zz is not tolerated\n") {
		t.Errorf("got %s", got)
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
	got := mustRun(t, list(items...), "-v")
	if !strings.Contains(got, "\n    and 60 taints more\n") || !strings.Contains(got, "\n    and 60 more\n") {
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

func TestMistakeOnBrokenNodes(t *testing.T) {
	got := mustRun(t, list(nodeJSON("n", "", "node.kubernetes.io/unreachable:NoSchedule",
		"k=v:NoSchedule"), podJSON("p", "", "", tol("k=V"))))
	want := `
1 pod: k=V, the nodes have v (letter case); and the nodes are out of order or cordoned:
    node.kubernetes.io/unreachable:NoSchedule
    fix: the nodes need fixing, and k=v in place of k=V
`
	if !strings.Contains(got, want) {
		t.Errorf("got %s", got)
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
	want := `
62 pods of 18 Deployments: nvidia.com/gpu=true, the nodes have present
    fix: if nodes with nvidia.com/gpu=present:NoSchedule are meant: add
         nvidia.com/gpu=present:NoSchedule
    as ns0/p0, …
5 pods of 5 Deployments: dedicated=ML, the nodes have ml (letter case)
    fix: dedicated=ml in place of dedicated=ML
    as ns0/p100, …
5 pods: the node that the required node affinity names is not in the input
    as default/agent-gone0, …
1 pod of 1 Deployment: no node has the label none0=x
    as ns0/p200
`
	if !strings.Contains(got, want) || !strings.Contains(got, "\nAnd 2 pods of 2 causes more.\n") {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
