// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"iter"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/internal/test"
)

// node explains one taint for the tolerations.
func node(taint taints.Taint, list ...taints.Toleration) explain.Reason {
	return explain.Taint(taints.Compile(list), taint)
}

// each yields the list of taints of each node.
func each(nodes ...[]taints.Taint) iter.Seq[[]taints.Taint] { return slices.Values(nodes) }

// The reason if a taint is tolerated, or if no toleration comes close.
func TestNodeWithoutDifferences(t *testing.T) {
	disk := taints.Must(taints.ParseTaint("disk:NoSchedule"))
	list := test.Tolerations("gpu op=Exists", "op=Exists", "disk op=Exists")
	tolerated := explain.Reason{Taint: disk, Tolerated: true, Closest: list[1], Toleration: 1}
	for _, tc := range []struct {
		list      []taints.Toleration
		want      explain.Reason
		mismatch  explain.Mismatch
		text, why string
	}{
		{list, tolerated, explain.MismatchNone, "disk:NoSchedule is tolerated by op=Exists", ""},
		{list[:1], explain.Reason{Taint: disk}, explain.MismatchKey, "disk:NoSchedule is not tolerated", "no toleration comes close"},
		{nil, explain.Reason{Taint: disk}, explain.MismatchKey, "disk:NoSchedule is not tolerated", "no toleration comes close"},
	} {
		got := node(disk, tc.list...)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got.String() != tc.text || got.Why() != tc.why || got.Mismatch() != tc.mismatch || got.Hint() != 0 ||
			got.HasClosest() != got.Tolerated {
			t.Errorf("%s: %q, %v, %v", got, got.Why(), got.Mismatch(), got.Hint())
		}
	}
	for _, m := range []*taints.Matcher{nil, {}, taints.Compile(list)} {
		if e := explain.Node(m, nil); e != nil || e.String() != "" || !e.Schedulable() || e.Redact() != nil {
			t.Errorf("without taints: %v", e)
		}
	}
	if why := (explain.Reason{Differences: []explain.Difference{{Mismatch: 200}}}).Why(); why != "Mismatch(200)" {
		t.Errorf("an unknown mismatch: %s", why)
	}
	if e := explain.Node(nil, []taints.Taint{disk}); e.Schedulable() || e[0].Tolerated {
		t.Errorf("a nil Matcher tolerates: %v", e)
	}
}

// A Matcher cannot be changed through its reasons for tolerated or other taints.
func TestReasonsShareNoSeconds(t *testing.T) {
	m := taints.Compile(test.Tolerations("a:NoExecute op=Exists for 5s"))
	for _, taint := range test.Taints("a:NoExecute", "a:NoSchedule") {
		*explain.Taint(m, taint).Closest.TolerationSeconds = 1
		if r := explain.Taint(m, taint); *r.Closest.TolerationSeconds != 5 {
			t.Errorf("now %v", r)
		}
	}
}

func TestNodeUnderOptions(t *testing.T) {
	list := test.Taints("score=40:NoSchedule", "readiness.k8s.io/gpu:NoExecute")
	o := taints.Options{NoComparison: true, KeyWildcards: true}
	m := o.Compile([]taints.Toleration{
		{Key: "score", Operator: "Lt", Value: "60"},
		{Key: "readiness.k8s.io/*", Operator: "Exists", Effect: "NoSchedule"},
	})
	got := explain.Node(m, list)
	want := "score=40:NoSchedule is not tolerated (closest: score=60 op=Lt, the operator Lt is disabled)\n" +
		"readiness.k8s.io/gpu:NoExecute is not tolerated (closest: readiness.k8s.io/*:NoSchedule op=Exists, the effect differs)"
	if diff := cmp.Diff(want, got.String()); diff != "" || got[0].Mismatch() != explain.MismatchNoComparison {
		t.Errorf("%v (-want +got):\n%s", got[0].Mismatch(), diff)
	}
	for i, taint := range list {
		if diff := cmp.Diff(got[i], explain.Taint(m, taint)); diff != "" {
			t.Errorf("alone (-Node +Taint):\n%s", diff)
		}
	}
}

// A pod may be placed if each taint that repels it is tolerated.
func TestSchedulable(t *testing.T) {
	for spec, want := range map[string]bool{
		"gpu:NoSchedule":                        true,
		"gpu:NoExecute":                         true,
		"other:PreferNoSchedule":                true,
		"other:NoSchedule":                      false,
		"other:NoExecute":                       false,
		"gpu:NoSchedule,other:NoSchedule":       false,
		"gpu:NoSchedule,other:PreferNoSchedule": true,
	} {
		list, err := taints.ParseTaints(spec)
		if err != nil {
			t.Fatal(err)
		}
		m := taints.Compile([]taints.Toleration{{Key: "gpu", Operator: taints.OpExists}})
		if got := explain.Node(m, list).Schedulable(); got != want {
			t.Errorf("%s: %v", spec, got)
		}
	}
}
