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

// A changeTest is about the advice for one pod.
type changeTest struct {
	name        string
	nodes       []string // each the taints of a node, separated by spaces
	tolerations []taints.Toleration
	want        []string // "add …", "0: …" for a replacement, "fix …", "if …" for an alternative
	opens       int
}

// none stands for no change, which opens no nodes.
const none = -1

// TestChange looks at the smallest change for one pod: its entries, the node
// taints, and how many nodes it opens.
func TestChange(t *testing.T) {
	tests := []changeTest{
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
				"if fix node.kubernetes.io/unschedulable:NoSchedule 0: k=ML",
				"if fix node.kubernetes.io/disk-pressure:NoSchedule 0: k=ml",
				"if fix node.kubernetes.io/unschedulable:NoSchedule 0: k=ml",
			},
			none,
		},
		{
			"letter case of two, one of them cordoned",
			[]string{"k=ml:NoSchedule", "k=ML:NoSchedule node.kubernetes.io/unschedulable:NoSchedule"},
			tols("k=Ml"),
			[]string{"if 0: k=ml", "if fix node.kubernetes.io/unschedulable:NoSchedule 0: k=ML"},
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
				"if gpu:NoSchedule fix node.kubernetes.io/unschedulable:NoSchedule 0: k=ML",
			},
			none,
		},
		{
			"letter case of keys, one of them cordoned",
			[]string{"dedicated:NoSchedule", "DEDICATED:NoSchedule node.kubernetes.io/unschedulable:NoSchedule"},
			tols("Dedicated op=Exists"),
			[]string{
				"if 0: dedicated op=Exists",
				"if fix node.kubernetes.io/unschedulable:NoSchedule 0: DEDICATED op=Exists",
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
			tols("k:NoExecute op=Exists"),
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
			[]string{"fix node.kubernetes.io/unschedulable:NoSchedule"},
			1,
		},
		{
			"a threshold in use, on nodes that are cordoned",
			[]string{"score=20:NoSchedule node.kubernetes.io/unschedulable:NoSchedule", "score=90:NoSchedule"},
			tols("score=30:NoSchedule op=Lt"),
			[]string{"fix node.kubernetes.io/unschedulable:NoSchedule"},
			1,
		},
		{
			"a soft effect in use, on nodes that are cordoned",
			[]string{"spot:PreferNoSchedule node.kubernetes.io/unschedulable:NoSchedule", "spot=batch-only:NoSchedule"},
			tols("spot:PreferNoSchedule op=Exists"),
			[]string{"fix node.kubernetes.io/unschedulable:NoSchedule"},
			1,
		},
		{
			"an effect that protects for a while",
			[]string{"example.com/maintenance:NoSchedule"},
			tols("example.com/maintenance:NoExecute op=Exists for 3600s"),
			[]string{"if example.com/maintenance:NoSchedule"},
			none,
		},
		{
			"key and effect",
			[]string{"dedicated=ml:NoSchedule"},
			tols("dedicatd=ml:NoExecute"),
			[]string{"add dedicated=ml:NoSchedule"},
			1,
		},
		{
			"key",
			[]string{"dedicated=v:NoExecute"},
			tols("dedicatd=v:NoExecute for 5s"),
			[]string{"0: dedicated=v:NoExecute"}, // as the pod would be evicted again and again
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

		{"invalid list", []string{"k=v:NoSchedule"}, []taints.Toleration{{Operator: "Equal", Value: "-"}}, nil, none},
		{"effect in lower case", []string{"k=v:NoSchedule"}, withEffect("noschedule"), []string{"0: k:NoSchedule op=Exists"}, 1},
		{"another effect in lower case", []string{"k=v:NoExecute"}, withEffect("noschedule"), nil, none},
		{"operator", []string{"k=v:NoSchedule"}, withOperator("exists"), []string{"0: k op=Exists"}, 1},
		{"operator lt", []string{"k=5:NoSchedule"}, withOperator("LT"), []string{"0: k=6 op=Lt"}, 1},
		{"operator gt", []string{"k=5:NoSchedule"}, withOperator("gt"), []string{"0: k=4 op=Gt"}, 1},
		{"operator In", []string{"k=5:NoSchedule"}, withOperator("In"), []string{"0: k=5"}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, test.run)
	}
}

func (test changeTest) run(t *testing.T) {
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
			got = append(got, "fix "+taint.String())
		}
	}
	for _, a := range x.Alternatives {
		words := append([]string{"if"}, taintTexts(a.Taints)...)
		for _, taint := range a.NodeTaints {
			words = append(words, "fix "+taint.String())
		}
		got = append(got, strings.Join(append(words, entryTexts(x.Tolerations, a.Corrections)...), " "))
	}
	if diff := cmp.Diff(test.want, got); diff != "" || opens != test.opens {
		t.Errorf("opens %d, want %d (-want +got):\n%s", opens, test.opens, diff)
	}
	checkChange(t, x, test.nodes)
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

func withEffect(e taints.Effect) []taints.Toleration {
	return []taints.Toleration{{Key: "k", Operator: taints.OpExists, Effect: e}}
}

func tols(specs ...string) []taints.Toleration {
	var list []taints.Toleration
	for _, s := range specs {
		list = append(list, tol(s))
	}
	return list
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
		if fix := r.Causes[0].Fix; len(fix) != 1 || !strings.Contains(fix[0].Text, " and "+test.want) {
			t.Errorf("%s: got the fix %+v", test.other, fix)
		}
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
