// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiltaints "k8s.io/kubernetes/pkg/util/taints"
	"pgregory.net/rapid"
)

// withTimesOf returns the list with the library's times: a taint that was in the
// list before, with the same value, keeps its time.
func withTimesOf(before, list []taints.Taint) []taints.Taint {
	list = slices.Clone(list)
	for i, taint := range list {
		was := func(u taints.Taint) bool { return u.ID() == taint.ID() && u.Value == taint.Value }
		if at := slices.IndexFunc(before, was); at >= 0 {
			list[i].TimeAdded = before[at].TimeAdded
		}
	}
	return list
}

func ids(list []corev1.Taint) []taints.TaintID {
	return convert.Each(list, func(t corev1.Taint) taints.TaintID { return convert.FromTaint(t).ID() })
}

// An existing taint keeps its time, even if it is added with another time.
func TestDifferenceTimeOfAddedTaint(t *testing.T) {
	old, fresh := metav1.Unix(1, 0), metav1.Unix(2, 0)
	before := []corev1.Taint{{Key: "a", Value: "v", Effect: "NoExecute", TimeAdded: &old}}
	add := []corev1.Taint{{Key: "a", Value: "v", Effect: "NoExecute", TimeAdded: &fresh}}
	theirs, _, err := utiltaints.AddOrUpdateTaint(&corev1.Node{Spec: corev1.NodeSpec{Taints: before}}, &add[0])
	same(t, "AddOrUpdateTaint fails", err, nil)
	same(t, "AddOrUpdateTaint", theirs.Spec.Taints[0].TimeAdded.Unix(), fresh.Unix())
	c := taints.Changes{Add: convert.Each(add, convert.FromTaint)}
	_, changed := c.Apply(convert.Each(before, convert.FromTaint))
	same(t, "Apply changes", changed, false)
	removed, _ := taints.Changes{Remove: ids(add)}.Apply(convert.Each(before, convert.FromTaint))
	ours, _ := c.Apply(removed)
	same(t, "Apply after removal", ours[0].TimeAdded.Unix(), fresh.Unix())
}

func TestAddAndRemoveTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, taint := unique(drawTaints(t)), drawTaint(t)
		node := &corev1.Node{Spec: corev1.NodeSpec{Taints: before}}
		given, mark := convert.Each(before, convert.FromTaint), convert.FromTaint(taint)
		added, _, err := utiltaints.AddOrUpdateTaint(node, &taint)
		if err != nil {
			t.Fatal(err)
		}
		want := withTimesOf(given, convert.Each(added.Spec.Taints, convert.FromTaint))
		got, _ := taints.Changes{Add: []taints.Taint{mark}}.Apply(given)
		if !slices.EqualFunc(got, want, taints.Taint.Equal) {
			t.Fatalf("%v with %v: %v, Kubernetes %v", given, mark, got, want)
		}
		removed, wantChanged, err := utiltaints.RemoveTaint(node, &taint)
		if err != nil {
			t.Fatal(err)
		}
		got, changed := taints.Changes{Remove: []taints.TaintID{mark.ID()}}.Apply(given)
		want = convert.Each(removed.Spec.Taints, convert.FromTaint)
		if !slices.EqualFunc(got, want, taints.Taint.Equal) || changed != wantChanged {
			t.Fatalf("%v without %v: %v, %v, Kubernetes %v, %v", given, mark, got, changed, want, wantChanged)
		}
	})
}

func TestDifferenceNothingRemoved(t *testing.T) {
	taint := corev1.Taint{Key: "a", Effect: "NoExecute"}
	theirs, deleted := utiltaints.DeleteTaint(nil, &taint)
	same(t, "DeleteTaint", theirs, []corev1.Taint{})
	same(t, "DeleteTaint removes", deleted, false)
	ours, changed := taints.Removal(convert.FromTaint(taint)).Apply(nil)
	same(t, "Apply", ours, nil)
	same(t, "Apply changes", changed, false)
}

func TestFindTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, taint := drawTaints(t), drawTaint(t)
		id := convert.FromTaint(taint).ID()
		want := utiltaints.TaintExists(list, &taint)
		i, found := taints.FindTaint(convert.Each(list, convert.FromTaint), id)
		if found != want {
			t.Fatalf("%v in %v: %v, Kubernetes %v", id, list, found, want)
		}
		first := slices.IndexFunc(list, func(u corev1.Taint) bool { return u.MatchTaint(&taint) })
		if i != first {
			t.Fatalf("%v in %v: FindTaint = %d, the first is %d", id, list, i, first)
		}
	})
}

// TestTaintSetDiff gives taints with the same key and effect the same value,
// because TaintSetDiff ignores it. See TestDifferenceChangedValue.
func TestTaintSetDiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(t *rapid.T) corev1.Taint {
			taint := drawTaint(t)
			taint.Value = ""
			return taint
		}
		from, to := unique(draws(t, "from", 5, draw)), unique(draws(t, "to", 5, draw))
		add, remove := utiltaints.TaintSetDiff(to, from)
		current := convert.Each(from, convert.FromTaint)
		got := taints.Reconcile(current, current, convert.Each(to, convert.FromTaint))
		value := func(t *corev1.Taint) taints.Taint { return convert.FromTaint(*t) }
		identity := func(t *corev1.Taint) taints.TaintID { return convert.FromTaint(*t).ID() }
		if !slices.EqualFunc(got.Add, convert.Each(add, value), taints.Taint.Equal) ||
			!slices.Equal(got.Remove, convert.Each(remove, identity)) {
			t.Fatalf("Reconcile = %v, Kubernetes %v and %v", got, add, remove)
		}
	})
}

func TestDifferenceChangedValue(t *testing.T) {
	from := corev1.Taint{Key: "a", Value: "1", Effect: "NoSchedule"}
	to := corev1.Taint{Key: "a", Value: "2", Effect: "NoSchedule"}
	add, remove := utiltaints.TaintSetDiff([]corev1.Taint{to}, []corev1.Taint{from})
	same(t, "TaintSetDiff", len(add)+len(remove), 0)
	current := []taints.Taint{convert.FromTaint(from)}
	got := taints.Reconcile(current, current, []taints.Taint{convert.FromTaint(to)})
	same(t, "Reconcile", got.String(), "a=2:NoSchedule")
}
