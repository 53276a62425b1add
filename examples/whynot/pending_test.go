// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
)

// TestChange looks at the smallest change for one pod: its entries, the node
// taints, and how many nodes it opens.
func TestChange(t *testing.T) {
	const none = -1
	tests := []struct {
		name        string
		nodes       []string // each the taints of a node, separated by spaces
		tolerations []taints.Toleration
		want        []string // "add …", "0: …" for a replacement, "mend …", "if …" for an alternative
		opens       int
	}{
		{"nothing tolerated", []string{"k=v:NoSchedule"}, nil, []string{"if k=v:NoSchedule"}, none},
		{"two taints", []string{"a:NoSchedule b=c:NoExecute"}, nil, []string{"if a:NoSchedule b=c:NoExecute"}, none},
		{"soft does not count", []string{"a:NoSchedule b:PreferNoSchedule"}, nil, []string{"if a:NoSchedule"}, none},
		{
			"most nodes first",
			[]string{"a:NoSchedule", "b:NoSchedule", "b:NoSchedule"},
			nil,
			[]string{"if b:NoSchedule", "if a:NoSchedule"},
			none,
		},
		{
			"control plane only where there are no others",
			[]string{"node-role.kubernetes.io/control-plane:NoSchedule", "a:NoSchedule"},
			nil,
			[]string{"if a:NoSchedule"},
			none,
		},
		{
			"only control plane",
			[]string{"node-role.kubernetes.io/master:NoSchedule"},
			nil,
			[]string{"if node-role.kubernetes.io/master:NoSchedule"},
			none,
		},

		{
			"the teams",
			[]string{"k=team-a:NoSchedule", "k=team-b:NoSchedule"},
			tols("k=Team-B"),
			[]string{"0: k=team-b"},
			1,
		},
		{
			"six teams",
			[]string{"k=a1:NoSchedule", "k=a2:NoSchedule", "k=a3:NoSchedule"},
			tols("k=a4"),
			[]string{"if k=a1:NoSchedule", "if k=a2:NoSchedule", "if k=a3:NoSchedule"},
			none,
		},
		{"one other team", []string{"k=team-a:NoSchedule"}, tols("k=team-b"), []string{"if k=team-a:NoSchedule"}, none},
		{
			"teams in the key",
			[]string{"team-a:NoSchedule"},
			tols("team-b op=Exists"),
			[]string{"if team-a:NoSchedule"},
			none,
		},
		{
			"numbers in the key",
			[]string{"pool13.x:NoSchedule"},
			tols("pool12.x op=Exists"),
			[]string{"if pool13.x:NoSchedule"},
			none,
		},
		{
			"a misspelled value is another value",
			[]string{"k=team-alpha:NoSchedule"},
			tols("k=team-alfa"),
			[]string{"if k=team-alpha:NoSchedule"},
			none,
		},
		{
			"letter case of two",
			[]string{"k=ml:NoSchedule", "k=ML:NoSchedule"},
			tols("k=Ml"),
			[]string{"if 0: k=ML", "if 0: k=ml"},
			none,
		},
		{
			"letter case of two that are cordoned",
			[]string{
				"k=ml:NoSchedule node.kubernetes.io/unschedulable:NoSchedule",
				"k=ml:NoSchedule node.kubernetes.io/disk-pressure:NoSchedule",
				"k=ML:NoSchedule node.kubernetes.io/unschedulable:NoSchedule",
			},
			tols("k=Ml"),
			[]string{
				"if mend node.kubernetes.io/unschedulable:NoSchedule 0: k=ML",
				"if mend node.kubernetes.io/disk-pressure:NoSchedule 0: k=ml",
				"if mend node.kubernetes.io/unschedulable:NoSchedule 0: k=ml",
			},
			none,
		},
		{
			"letter case of two, one of them cordoned",
			[]string{"k=ml:NoSchedule", "k=ML:NoSchedule node.kubernetes.io/unschedulable:NoSchedule"},
			tols("k=Ml"),
			[]string{"if 0: k=ml", "if mend node.kubernetes.io/unschedulable:NoSchedule 0: k=ML"},
			none,
		},
		{
			"letter case of two, one of them with more taints",
			[]string{"k=ml:NoSchedule", "k=ML:NoSchedule gpu:NoSchedule"},
			tols("k=Ml"),
			[]string{"if 0: k=ml", "if gpu:NoSchedule 0: k=ML"},
			none,
		},
		{
			"letter case of two with more taints, one of them cordoned",
			[]string{
				"k=ml:NoSchedule gpu:NoSchedule",
				"k=ML:NoSchedule gpu:NoSchedule node.kubernetes.io/unschedulable:NoSchedule",
			},
			tols("k=Ml"),
			[]string{
				"if gpu:NoSchedule 0: k=ml",
				"if gpu:NoSchedule mend node.kubernetes.io/unschedulable:NoSchedule 0: k=ML",
			},
			none,
		},
		{
			"letter case of keys, one of them cordoned",
			[]string{"dedicated:NoSchedule", "DEDICATED:NoSchedule node.kubernetes.io/unschedulable:NoSchedule"},
			tols("Dedicated op=Exists"),
			[]string{
				"if 0: dedicated op=Exists",
				"if mend node.kubernetes.io/unschedulable:NoSchedule 0: DEDICATED op=Exists",
			},
			none,
		},
		{
			"a value in use is meant",
			[]string{"k=ml:NoSchedule", "k=ML:NoSchedule x=y:NoSchedule"},
			tols("k=ML"),
			[]string{"if k=ml:NoSchedule", "if x=y:NoSchedule"},
			none,
		},
		{
			"one of two is a mistake",
			[]string{"k=ml:NoSchedule gpu=present:NoSchedule"},
			tols("k=ML", "gpu=true"),
			[]string{"if gpu=present:NoSchedule 0: k=ml"},
			none,
		},
		{
			"mistakes before others",
			[]string{"k=ml:NoSchedule gpu=x:NoSchedule", "other:NoSchedule", "other:NoSchedule"},
			tols("k=ML"),
			[]string{"if gpu=x:NoSchedule 0: k=ml"},
			none,
		},

		{"Lt", []string{"k=40:NoSchedule"}, tols("k=30 op=Lt"), []string{"0: k=41 op=Lt"}, 1},
		{
			"Lt at the end",
			[]string{"k=9223372036854775807:NoSchedule"},
			tols("k=30 op=Lt"),
			[]string{"0: k=9223372036854775807"},
			1,
		},
		{"Gt", []string{"k=20:NoSchedule"}, tols("k=30 op=Gt"), []string{"0: k=19 op=Gt"}, 1},
		{"Gt below zero", []string{"k=0:NoSchedule"}, tols("k=30 op=Gt"), []string{"0: k=-1 op=Gt"}, 1},
		{"Lt of no integer", []string{"k=007:NoSchedule"}, tols("k=30 op=Lt"), []string{"if k=007:NoSchedule"}, none},
		{
			"most nodes opened",
			[]string{"k=40:NoSchedule", "k=50:NoSchedule"},
			tols("k=30 op=Lt"),
			[]string{"0: k=51 op=Lt"},
			2,
		},
		{"value", []string{"k=v:NoSchedule"}, tols("x op=Exists", "k=V:NoSchedule"), []string{"1: k=v:NoSchedule"}, 1},
		{"empty value", []string{"k=v:NoSchedule"}, tols("k"), []string{"0: k=v"}, 1},
		{
			"empty value beside the name of a team",
			[]string{"k=team-b:NoSchedule"},
			tols("k", "k=team-a"),
			[]string{"if k=team-b:NoSchedule"},
			none,
		},
		{
			"empty value, two to choose from",
			[]string{"k=v:NoSchedule", "k=w:NoSchedule"},
			tols("k"),
			[]string{"if k=v:NoSchedule", "if k=w:NoSchedule"},
			none,
		},
		{
			"empty value of a misspelled key",
			[]string{"dedicated=v:NoSchedule"},
			tols("dedicatd"),
			[]string{"if dedicated=v:NoSchedule"},
			none,
		},
		{"to empty value", []string{"k:NoSchedule"}, tols("k=v"), []string{"if k:NoSchedule"}, none},
		{
			"effect",
			[]string{"k=v:NoSchedule"},
			tols("k:NoExecute op=Exists for 5s"),
			[]string{"add k:NoSchedule op=Exists"},
			1,
		},
		{
			"effect, in use",
			[]string{"k=v:NoSchedule", "k=v:NoExecute x:NoSchedule"},
			tols("k=v:NoExecute"),
			[]string{"if k=v:NoSchedule", "if x:NoSchedule"},
			none,
		},
		{
			"an effect in use, on nodes that are cordoned",
			[]string{"gpu=a100:NoSchedule node.kubernetes.io/unschedulable:NoSchedule", "gpu=h100:NoExecute"},
			tols("gpu:NoSchedule op=Exists"),
			[]string{"mend node.kubernetes.io/unschedulable:NoSchedule"},
			1,
		},
		{
			"a threshold in use, on nodes that are cordoned",
			[]string{"score=20:NoSchedule node.kubernetes.io/unschedulable:NoSchedule", "score=90:NoSchedule"},
			tols("score=30:NoSchedule op=Lt"),
			[]string{"mend node.kubernetes.io/unschedulable:NoSchedule"},
			1,
		},
		{
			"a soft effect in use, on nodes that are cordoned",
			[]string{"spot:PreferNoSchedule node.kubernetes.io/unschedulable:NoSchedule", "spot=batch-only:NoSchedule"},
			tols("spot:PreferNoSchedule op=Exists"),
			[]string{"mend node.kubernetes.io/unschedulable:NoSchedule"},
			1,
		},
		{
			"an effect that protects later",
			[]string{"example.com/maintenance:NoSchedule"},
			tols("example.com/maintenance:NoExecute op=Exists for 3600s"),
			[]string{"add example.com/maintenance:NoSchedule op=Exists"},
			1,
		},
		{
			"key and effect",
			[]string{"dedicated=ml:NoSchedule"},
			tols("dedicatd=ml:NoExecute for 60s"),
			[]string{"add dedicated=ml:NoSchedule"},
			1,
		},
		{
			"key",
			[]string{"dedicated=v:NoExecute"},
			tols("dedicatd=v:NoExecute for 5s"),
			[]string{"0: dedicated=v:NoExecute for 5s"},
			1,
		},
		{
			"key, not the value",
			[]string{"dedicated=v:NoExecute"},
			tols("dedicatd=w:NoExecute"),
			[]string{"if dedicated=v:NoExecute"},
			none,
		},
		{
			"key, no time",
			[]string{"dedicated=v:NoExecute"},
			tols("Dedicated:NoExecute op=Exists for 0s"),
			[]string{"if dedicated=v:NoExecute"},
			none,
		},
		{"all keys", []string{"k=v:NoExecute"}, tols(":NoSchedule op=Exists"), []string{"if k=v:NoExecute"}, none},
		{
			"other key",
			[]string{"dedicated=ml:NoSchedule"},
			tols("dedicated=db", "team=ml"),
			[]string{"if dedicated=ml:NoSchedule"},
			none,
		},
		{
			"other key of a value that many have",
			[]string{"spot=true:NoSchedule"},
			tols("spot=false", "gpu=true"),
			[]string{"if spot=true:NoSchedule"},
			none,
		},
		{
			"other key, in use",
			[]string{
				"dedicated=ml:NoSchedule x:NoSchedule",
				"team=ml:NoSchedule y:NoSchedule",
			},
			tols("dedicated=db", "team=ml"),
			[]string{"if dedicated=ml:NoSchedule x:NoSchedule", "if y:NoSchedule"},
			none,
		},
		{
			"in use elsewhere",
			[]string{"k=v:NoSchedule k=w:NoExecute"},
			tols("k=w"),
			[]string{"if k=v:NoSchedule"},
			none,
		},
		{"one for two", []string{"k=v:NoSchedule k=v:NoExecute"}, tols("k=V"), []string{"0: k=v"}, 1},
		{
			"two effects",
			[]string{"k=v:NoSchedule k=v:NoExecute", "b:NoSchedule"},
			tols("k=V:NoSchedule"),
			[]string{"add k=v:NoExecute", "0: k=v:NoSchedule"},
			1,
		},
		{
			"mistake first",
			[]string{"k=v:NoSchedule", "b:NoSchedule", "b:NoSchedule"},
			tols("k=V"),
			[]string{"0: k=v"},
			1,
		},

		{
			"cordoned",
			[]string{"node.kubernetes.io/unschedulable:NoSchedule"},
			nil,
			[]string{"mend node.kubernetes.io/unschedulable:NoSchedule"},
			1,
		},
		{
			"cordoned, and nodes of others",
			[]string{"node.kubernetes.io/unschedulable:NoSchedule", "k=team-a:NoSchedule"},
			tols("k=team-b"),
			[]string{"mend node.kubernetes.io/unschedulable:NoSchedule"},
			1,
		},
		{
			"all cordoned, and of others",
			[]string{"node.kubernetes.io/unschedulable:NoSchedule k=team-a:NoSchedule"},
			tols("k=team-b"),
			[]string{"if k=team-a:NoSchedule mend node.kubernetes.io/unschedulable:NoSchedule"},
			none,
		},
		{
			"some cordoned, all of others",
			[]string{"node.kubernetes.io/unschedulable:NoSchedule k=team-a:NoSchedule", "k=team-c:NoSchedule"},
			tols("k=team-b"),
			[]string{"if k=team-c:NoSchedule"},
			none,
		},
		{
			"not ready and more",
			[]string{"node.kubernetes.io/not-ready:NoSchedule k=v:NoSchedule"},
			tols("k=V"),
			[]string{"0: k=v", "mend node.kubernetes.io/not-ready:NoSchedule"},
			1,
		},
		{
			"what every pod has is not close",
			[]string{"node.kubernetes.io/not-ready:NoSchedule"},
			tols("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"),
			[]string{"mend node.kubernetes.io/not-ready:NoSchedule"},
			1,
		},
		{
			"nodes of several taints are mended alike",
			[]string{
				"node.kubernetes.io/not-ready:NoSchedule",
				"node.kubernetes.io/not-ready:NoSchedule k=v:NoSchedule",
				"node.kubernetes.io/disk-pressure:NoSchedule",
			},
			nil,
			[]string{
				"mend node.kubernetes.io/disk-pressure:NoSchedule",
				"mend node.kubernetes.io/not-ready:NoSchedule",
			},
			2,
		},
		{
			"an agent that is not ready",
			[]string{"node.cilium.io/agent-not-ready:NoExecute k=v:NoSchedule"},
			tols("k=V"),
			[]string{"0: k=v", "mend node.cilium.io/agent-not-ready:NoExecute"},
			1,
		},
		{
			"nodes that go, each at its time",
			[]string{
				"ToBeDeletedByClusterAutoscaler=1763600001:NoSchedule",
				"ToBeDeletedByClusterAutoscaler=1763600002:NoSchedule",
				"k=v:NoSchedule",
			},
			nil,
			[]string{"mend ToBeDeletedByClusterAutoscaler:NoSchedule"},
			2,
		},
		{
			"nodes of others that go, each at its time",
			[]string{
				"ToBeDeletedByClusterAutoscaler=1763600001:NoSchedule k=v:NoSchedule",
				"ToBeDeletedByClusterAutoscaler=1763600002:NoSchedule k=v:NoSchedule",
			},
			nil,
			[]string{"if k=v:NoSchedule mend ToBeDeletedByClusterAutoscaler:NoSchedule"},
			none,
		},
		{
			"nodes in order before those to be mended",
			[]string{"k=v:NoSchedule", "k=v:NoSchedule node.kubernetes.io/unschedulable:NoSchedule"},
			tols("k=V"),
			[]string{"0: k=v"},
			1,
		},
		{
			"nodes that can be mended before those that go",
			[]string{
				"karpenter.sh/disrupted:NoSchedule",
				"karpenter.sh/disrupted:NoSchedule",
				"node.kubernetes.io/unschedulable:NoSchedule k=v:NoSchedule",
			},
			tols("k=V"),
			[]string{"0: k=v", "mend node.kubernetes.io/unschedulable:NoSchedule"},
			1,
		},

		{"invalid list", []string{"k=v:NoSchedule"}, []taints.Toleration{{Operator: "Equal", Value: "-"}}, nil, none},
		{"operator", []string{"k=v:NoSchedule"}, withOperator("exists"), []string{"0: k op=Exists"}, 1},
		{"operator lt", []string{"k=5:NoSchedule"}, withOperator("LT"), []string{"0: k=6 op=Lt"}, 1},
		{"operator gt", []string{"k=5:NoSchedule"}, withOperator("gt"), []string{"0: k=4 op=Gt"}, 1},
		{"operator In", []string{"k=5:NoSchedule"}, withOperator("In"), []string{"0: k=5"}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			items := []string{podJSON("p", "", "", test.tolerations...)}
			for i, specs := range test.nodes {
				items = append(items, nodeJSON("n"+string(rune('a'+i)), "", strings.Fields(specs)...))
			}
			x := mustReport(t, list(items...)).Pending[0]
			var got []string
			opens := none
			if c := x.Change; c != nil {
				opens, got = c.Opens, entryTexts(x.Tolerations, c.Entries)
				for _, taint := range c.NodeTaints {
					got = append(got, "mend "+taint.String())
				}
			}
			for _, a := range x.Alternatives {
				words := append([]string{"if"}, taintTexts(a.Taints)...)
				for _, taint := range a.NodeTaints {
					words = append(words, "mend "+taint.String())
				}
				got = append(got, strings.Join(append(words, entryTexts(x.Tolerations, a.Corrections)...), " "))
			}
			if diff := cmp.Diff(test.want, got); diff != "" || opens != test.opens {
				t.Errorf("opens %d, want %d (-want +got):\n%s", opens, test.opens, diff)
			}
			checkChange(t, x, test.nodes)
		})
	}
}

// entryTexts writes entries with the place of what they replace.
func entryTexts(tolerations []taints.Toleration, list []entry) []string {
	var words []string
	for _, e := range list {
		if e.Replaces == nil {
			words = append(words, "add "+e.Toleration.String())
		} else {
			at := slices.IndexFunc(tolerations, e.Replaces.Equal)
			words = append(words, fmt.Sprintf("%d: %s", at, e.Toleration))
		}
	}
	return words
}

// checkChange sees that the change is valid and opens as many nodes as it says.
func checkChange(t *testing.T, x pending, nodes []string) {
	t.Helper()
	if x.Change == nil {
		return
	}
	if err := taints.ValidateTolerations(x.Change.Tolerations); err != nil {
		t.Error(err)
	}
	opens := 0
	for _, specs := range nodes {
		var list []taints.Taint
		for _, s := range strings.Fields(specs) {
			if taint := taints.MustParseTaint(s); !slices.Contains(x.Change.NodeTaints, withoutTime(taint)) {
				list = append(list, taint)
			}
		}
		if taints.Filter(list, x.Change.Tolerations).Schedulable() {
			opens++
		}
	}
	if opens != x.Change.Opens {
		t.Errorf("opens %d nodes, says %d", opens, x.Change.Opens)
	}
}

func withOperator(op taints.Operator) []taints.Toleration {
	return []taints.Toleration{{Key: "k", Operator: op}}
}

func tols(specs ...string) []taints.Toleration {
	var list []taints.Toleration
	for _, s := range specs {
		list = append(list, tol(s))
	}
	return list
}

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
  No node selector: all 2 nodes count; the taints of 1 of them let it in: b. What else could keep it
  off these is not evaluated.
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
  An existing pod's tolerations can only be added to: add this to the pod.
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
  An existing pod's tolerations can only be added to: the pod has no owner, so delete it and create
  it anew.
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
			"add this to the pod, or in the pod template of\n  StatefulSet own-5f.",
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
  No node selector: all 1 node count; the taints of 1 of them let it in: b. What else could keep it
  off these is not evaluated: it has pod anti-affinity, topology spread constraints, resource
  requests, host ports, volume claims and resource claims.
  The scheduler says: 0/1 nodes: no
`,
		},
		{
			"cordoned", list(cordoned, podJSON("p", "", "zone=c")), `
    1 node   node.kubernetes.io/unschedulable:NoSchedule
             no toleration comes close
  All of these nodes are out of order or cordoned: it is they that need mending, not the pod.
  Without node.kubernetes.io/unschedulable:NoSchedule the taints of 1 node let it in.
`,
		},
		{
			"cordoned twice", list(both), `
    1      0          0  node.kubernetes.io/unschedulable:NoSchedule
                         on c
`,
		},
		{
			"mend and change",
			list(nodeJSON("n", "", "node.kubernetes.io/disk-pressure:NoSchedule", "on=on:NoSchedule"),
				podJSON("p", "", "", tol("on=ON"))), `
  All of these nodes are out of order or cordoned: it is they that need mending, not the pod.
  Without node.kubernetes.io/disk-pressure:NoSchedule, and with this change, the taints of 1 node
  let it in:
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

// A toleration that lets pods of the template onto nodes elsewhere is no mistake.
func TestUsedElsewhere(t *testing.T) {
	x := mustReport(t, list(nodeJSON("n", "pool=a", "k=v:NoSchedule"), nodeJSON("m", "pool=b", "k=v:NoExecute"),
		podJSON("p", "", "pool=a", tol("k=v:NoExecute")))).Pending[0]
	if x.Change != nil || len(x.Alternatives) != 1 || x.Alternatives[0].Taints[0].String() != "k=v:NoSchedule" {
		t.Errorf("got %+v, %+v", x.Change, x.Alternatives)
	}
}

// A taint without a value is tolerated as Exists only where that lets the pod
// onto no nodes of other values.
func TestTaintsWithoutValue(t *testing.T) {
	pod := podJSON("p", "", "", tol("gpu=TRUE:NoSchedule"))
	mine := nodeJSON("mine", "", "gpu=true:NoSchedule", "dedicated:NoSchedule")
	const cordoned = "node.kubernetes.io/unschedulable:NoSchedule"
	for _, test := range []struct{ other, want string }{
		{nodeJSON("db", "", "dedicated=db:NoSchedule"), "dedicated:NoSchedule"},
		{nodeJSON("db", "pool=db", "dedicated=db:NoSchedule", cordoned), "dedicated:NoSchedule"},
		{nodeJSON("db", "", "dedicated=db:NoExecute"), "dedicated:NoSchedule op=Exists"},
		{nodeJSON("x", "", "x=y:NoSchedule"), "dedicated:NoSchedule op=Exists"},
	} {
		r := mustReport(t, list(mine, test.other, pod))
		a := r.Pending[0].Alternatives
		if len(a) != 1 || len(a[0].Additions) != 1 || a[0].Additions[0].String() != test.want {
			t.Errorf("%s: got %+v, want %s", test.other, a, test.want)
		}
		if !strings.HasSuffix(r.Causes[0].Fix, ", add "+test.want) {
			t.Errorf("%s: got the fix %s", test.other, r.Causes[0].Fix)
		}
	}
}

func TestMistakeOnBrokenNodes(t *testing.T) {
	got := mustRun(t, list(nodeJSON("n", "", "node.kubernetes.io/unreachable:NoSchedule",
		"k=v:NoSchedule"), podJSON("p", "", "", tol("k=V"))))
	want := `
1 pod: k=V, the nodes have v (letter case); and the nodes are out of order or cordoned:
    node.kubernetes.io/unreachable:NoSchedule
    fix: mend the nodes, and k=v in place of k=V
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
