package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
)

// TestSamplePending checks the two pending pods of the sample, and that the change lets them in.
func TestSamplePending(t *testing.T) {
	tests := []struct {
		pod     string
		nodes   []string
		entries []string
		yaml    string
	}{
		{
			pod:     "batch-strict-7587c576b8-9l4v6",
			nodes:   []string{"spot-1", "spot-2"},
			entries: []string{"sla.example.com/failure-score=41:NoSchedule op=Lt"},
			yaml: `
    # in place of sla.example.com/failure-score=30:NoSchedule op=Lt
    - key: sla.example.com/failure-score
      operator: Lt
      value: "41"
      effect: NoSchedule
  An`,
		},
		{
			pod:     "train-typo-6797db7bbd-ghn2c",
			nodes:   []string{"gpu-1", "gpu-2", "gpu-3"},
			entries: []string{"dedicated=ml:NoSchedule", "nvidia.com/gpu=present:NoSchedule"},
			yaml: `
    # in place of dedicated=ML:NoSchedule
    - key: dedicated
      operator: Equal
      value: ml
      effect: NoSchedule
    # in place of nvidia.com/gpu=true:NoSchedule
    - key: nvidia.com/gpu
      operator: Equal
      value: present
      effect: NoSchedule
  An`,
		},
	}
	c := newCluster()
	if err := load(c, "sample", strings.NewReader(string(sample)), newProgress(nil, false, time.Now)); err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		if text := mustRun(t, string(sample), "-pod", test.pod); !strings.Contains(text, test.yaml) {
			t.Errorf("%s: got %s, want %s", test.pod, text, test.yaml)
		}
		p := mustReport(t, string(sample), "-pod", test.pod).Pending[0]
		var entries []string
		for _, e := range p.Change.Entries {
			entries = append(entries, e.Toleration.String())
		}
		if diff := cmp.Diff(test.entries, entries); diff != "" {
			t.Errorf("%s: entries (-want +got):\n%s", test.pod, diff)
		}
		if p.Change.Opens != len(test.nodes) || p.Selected != len(test.nodes) || p.Feasible != 0 {
			t.Errorf("%s: %+v", test.pod, p)
		}
		for _, name := range test.nodes {
			list := c.nodes[c.nodeAt[name]].taints
			if taints.Filter(list, p.Tolerations).Schedulable() || !taints.Filter(list, p.Change.Tolerations).Schedulable() {
				t.Errorf("%s: the change does not decide about %s", test.pod, name)
			}
		}
		if err := taints.ValidateTolerations(p.Change.Tolerations); err != nil {
			t.Errorf("%s: %v", test.pod, err)
		}
	}
}

// TestChange looks at the smallest change for one pod: its entries, the node taints, and how many nodes it opens.
func TestChange(t *testing.T) {
	const none = -1
	tests := []struct {
		name        string
		nodes       []string // each the taints of a node, separated by spaces
		tolerations []taints.Toleration
		want        []string // "add …", "0: …" for a replacement, "mend …"
		opens       int
	}{
		{"add", []string{"k=v:NoSchedule"}, nil, []string{"add k=v:NoSchedule"}, 1},
		{"add without value", []string{"k:NoExecute"}, nil, []string{"add k:NoExecute op=Exists"}, 1},
		{"add two", []string{"a:NoSchedule b=c:NoExecute"}, nil, []string{"add a:NoSchedule op=Exists", "add b=c:NoExecute"}, 1},
		{"soft does not count", []string{"a:NoSchedule b:PreferNoSchedule"}, nil, []string{"add a:NoSchedule op=Exists"}, 1},
		{"Lt", []string{"k=40:NoSchedule"}, tols("k=30 op=Lt"), []string{"0: k=41 op=Lt"}, 1},
		{"Lt at the end", []string{"k=9223372036854775807:NoSchedule"}, tols("k=30 op=Lt"), []string{"0: k op=Exists"}, 1},
		{"Gt", []string{"k=20:NoSchedule"}, tols("k=30 op=Gt"), []string{"0: k=19 op=Gt"}, 1},
		{"Gt below zero", []string{"k=0:NoSchedule"}, tols("k=30 op=Gt"), []string{"0: k=-1 op=Gt"}, 1},
		{"Lt of no integer", []string{"k=007:NoSchedule"}, tols("k=30 op=Lt"), []string{"0: k=007"}, 1},
		{"Lt of a word", []string{"k=seven:NoSchedule"}, tols("k=30 op=Lt"), []string{"0: k=seven"}, 1},
		{"value", []string{"k=v:NoSchedule"}, tols("x op=Exists", "k=V:NoSchedule"), []string{"1: k=v:NoSchedule"}, 1},
		{"empty value", []string{"k=v:NoSchedule"}, tols("k"), []string{"0: k=v"}, 1},
		{"to empty value", []string{"k:NoSchedule"}, tols("k=v"), []string{"0: k"}, 1},
		{"effect", []string{"k=v:NoSchedule"}, tols("k:NoExecute op=Exists for 5s"), []string{"0: k:NoSchedule op=Exists"}, 1},
		{"key", []string{"dedicated=v:NoExecute"}, tols("dedicatd:NoExecute op=Exists for 5s"),
			[]string{"0: dedicated:NoExecute op=Exists for 5s"}, 1},
		{"key, no time", []string{"dedicated=v:NoExecute"}, tols("Dedicated:NoExecute op=Exists for 0s"),
			[]string{"0: dedicated:NoExecute op=Exists"}, 1},
		{"all keys", []string{"k=v:NoExecute"}, tols(":NoSchedule op=Exists"), []string{"add k=v:NoExecute"}, 1},
		{"other key", []string{"team-a=v:NoSchedule"}, tols("unlike=v"), []string{"add team-a=v:NoSchedule"}, 1},
		{"in use elsewhere", []string{"k=v:NoSchedule k=w:NoExecute"}, tols("k=w"), []string{"add k=v:NoSchedule"}, 1},
		{"one for two", []string{"k=v:NoSchedule k=v:NoExecute"}, tols("k=V"), []string{"0: k=v"}, 1},
		{"one of two", []string{"k=v:NoSchedule k=w:NoExecute"}, tols("k=V"), []string{"0: k=v", "add k=w:NoExecute"}, 1},
		{"in use on another node", []string{"k=v:NoSchedule", "k=w:NoSchedule x:NoSchedule"}, tols("k=w"),
			[]string{"add k=v:NoSchedule"}, 1},
		{"most nodes", []string{"a:NoSchedule", "b:NoSchedule", "b:NoSchedule"}, nil, []string{"add b:NoSchedule op=Exists"}, 2},
		{"most nodes opened", []string{"k=40:NoSchedule", "k=50:NoSchedule"}, tols("k=30 op=Lt"), []string{"0: k=51 op=Lt"}, 2},
		{"correction first", []string{"k=v:NoSchedule", "b:NoSchedule", "b:NoSchedule"}, tols("k=V"), []string{"0: k=v"}, 1},
		{"fewest first", []string{"k=v:NoSchedule k=v:NoExecute", "b:NoSchedule"}, tols("k=V:NoSchedule"),
			[]string{"add b:NoSchedule op=Exists"}, 1},
		{"control plane last", []string{"node-role.kubernetes.io/control-plane:NoSchedule", "a:NoSchedule b:NoSchedule"}, nil,
			[]string{"add a:NoSchedule op=Exists", "add b:NoSchedule op=Exists"}, 1},
		{"only control plane",
			[]string{"node-role.kubernetes.io/master:NoSchedule", "node.kubernetes.io/not-ready:NoSchedule"}, nil,
			[]string{"add node-role.kubernetes.io/master:NoSchedule op=Exists"}, 1},
		{"cordoned", []string{"node.kubernetes.io/unschedulable:NoSchedule"}, nil,
			[]string{"mend node.kubernetes.io/unschedulable:NoSchedule"}, 1},
		{"not ready and more", []string{"node.kubernetes.io/not-ready:NoSchedule k=v:NoSchedule"}, tols("k=V"),
			[]string{"0: k=v", "mend node.kubernetes.io/not-ready:NoSchedule"}, 1},
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
			c := mustReport(t, list(items...)).Pending[0].Change
			if c == nil {
				if test.opens != none {
					t.Fatal("no change")
				}
				return
			}
			var got []string
			for _, e := range c.Entries {
				if e.Replaces == nil {
					got = append(got, "add "+e.Toleration.String())
				} else {
					got = append(got, string(rune('0'+e.Index))+": "+e.Toleration.String())
				}
			}
			for _, taint := range c.NodeTaints {
				got = append(got, "mend "+taint.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" || c.Opens != test.opens {
				t.Errorf("opens %d, want %d (-want +got):\n%s", c.Opens, test.opens, diff)
			}
		})
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
			`"ownerReferences":[{"kind":"X","name":"x"},{"kind":"` + kind + `","name":"own-5f","controller":true}]},"spec":{` + spec + `}}`
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
  No node selector: all 2 nodes count; the taints of 1 of them let it in: b.
  Taints are not what keeps it pending.
    1 node   k=v:NoSchedule
             no toleration comes close

2.`,
		},
		{
			"missing labels", list(a, b, podJSON("p", "", "pool=z,zone=a,disk=ssd")), `
  Node selector disk=ssd,pool=z,zone=a leaves 0 of 2 nodes; no node has the
  label disk=ssd or pool=z. Taints are not what keeps it pending.

`,
		},
		{
			"labels apart", list(a, b, podJSON("p", "", "pool=x,zone=b")),
			"each label is on some node,\n  but no node has all. Taints are not what keeps it pending.\n\n2.",
		},
		{
			"addition", list(a, b, podJSON("p", "", "pool=x", tol("k=w:NoExecute"))), `
  Node selector pool=x leaves 1 of 2 nodes; its taints reject the pod:
    1 node   k=v:NoSchedule
             closest: k=w:NoExecute, the effect differs, the value differs
  Smallest change to its tolerations, which lets it onto 1 node:
    # in place of k=w:NoExecute
    - key: k
      operator: Equal
      value: v
      effect: NoSchedule
  An existing pod's tolerations can only be added to: the pod has no owner, so
  delete it and create it anew.
`,
		},
		{
			"to the pod", list(a, podJSON("p", "", "")), `
    # added
    - key: k
      operator: Equal
      value: v
      effect: NoSchedule
  An existing pod's tolerations can only be added to: add this to the pod.
`,
		},
		{
			"owner", list(a, owned("StatefulSet", "", "")), "\nns/own-1 (StatefulSet own-5f)\n",
		},
		{
			"owner's template", list(a, owned("StatefulSet", "", "")),
			"add this to the pod, or in\n  the pod template of StatefulSet own-5f.",
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
			"unseen", list(b, strings.Replace(owned("Job", "", `"affinity":{"nodeAffinity":{`+
				`"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{}]}},"podAffinity":{},"podAntiAffinity":{`+
				`"requiredDuringSchedulingIgnoredDuringExecution":[]}},"topologySpreadConstraints":[{}],"schedulingGates":null`),
				`"spec"`, `"status":{"conditions":[{"type":"Ready","status":"False","message":"no"},`+
					`{"type":"PodScheduled","status":"False","message":"0/1 nodes: no"}]},"spec"`, 1)), `
  The pod also has node affinity and topology spread constraints, not looked at
  here.
  The scheduler says: 0/1 nodes: no
`,
		},
		{
			"cordoned", list(cordoned, podJSON("p", "", "zone=c")), `
    1 node   node.kubernetes.io/unschedulable:NoSchedule
             no toleration comes close
  All of these nodes are out of order or cordoned: it is they that need mending,
  not the pod. Without node.kubernetes.io/unschedulable:NoSchedule it can go to
  1 node.
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
			list(nodeJSON("n", "", "node.kubernetes.io/disk-pressure:NoSchedule", "on=on:NoSchedule"), podJSON("p", "", "")), `
  not the pod. Without node.kubernetes.io/disk-pressure:NoSchedule, this change
  lets it onto 1 node:
    # added
    - key: "on"
      operator: Equal
      value: "on"
      effect: NoSchedule
`,
		},
		{
			"invalid taint",
			list(
				`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"?","effect":"NoSchedule"}]}}`,
				podJSON("p", "", ""),
			),
			"  No change to the tolerations lets it in: a taint, or another toleration, is\n  not valid.\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := mustRun(t, test.input); !strings.Contains(got, test.want) {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
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
	if diff := cmp.Diff([]string{"a/1+2+8", "a/4", "a/5", "a/6", "a/7", "b/3", "default/8", "default/9"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.Groups[0].KeepsAway != 9 {
		t.Errorf("keeps away %d, want all 10 but the one that selects other nodes", r.Groups[0].KeepsAway)
	}
}

// TestManyCandidates has more distinct taints than candidates are counted for.
func TestManyCandidates(t *testing.T) {
	items := []string{podJSON("p", "", ""), nodeJSON("first", "", "zz:NoSchedule"), nodeJSON("second", "", "zz:NoSchedule")}
	for i := range 3 * maxCounted {
		name := "n" + strings.Repeat("a", i%50) + string(rune('a'+i/50))
		items = append(items, nodeJSON(name, "", name+":NoSchedule"))
	}
	c := mustReport(t, list(items...)).Pending[0].Change
	if c.Opens != 2 || c.Entries[0].Toleration.Key != "zz" {
		t.Errorf("got %+v", c)
	}
}
