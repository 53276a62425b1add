// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/reference"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiltaints "k8s.io/kubernetes/pkg/util/taints"
	"pgregory.net/rapid"
)

// withTimesOf returns the list that AddOrUpdateTaint makes of the one before, with the
// library's times: a taint whose value does not change keeps its time.
func withTimesOf(before, list []taints.Taint) []taints.Taint {
	list = slices.Clone(list)
	for i, taint := range before {
		if list[i].Value == taint.Value {
			list[i].TimeAdded = taint.TimeAdded
		}
	}
	return list
}

// An existing taint keeps its time, even if it is added with another time.
func TestDifferenceTimeOfAddedTaint(t *testing.T) {
	old, fresh := metav1.Unix(1, 0), metav1.Unix(2, 0)
	before := []corev1.Taint{{Key: "a", Value: "v", Effect: "NoExecute", TimeAdded: &old}}
	add := []corev1.Taint{{Key: "a", Value: "v", Effect: "NoExecute", TimeAdded: &fresh}}
	theirs, _, err := utiltaints.AddOrUpdateTaint(&corev1.Node{Spec: corev1.NodeSpec{Taints: before}}, &add[0])
	same(t, "AddOrUpdateTaint fails", err, nil)
	same(t, "AddOrUpdateTaint", theirs.Spec.Taints, add)
	c := taints.Changes{Add: kube.Taints(add)}
	_, changed := kube.Apply(before, c)
	same(t, "Apply changes", changed, false)
	removed, _ := kube.Apply(before, taints.Changes{Remove: reference.IDs(c.Add)})
	ours, _ := kube.Apply(removed, c)
	same(t, "Apply after removal", ours, add)
}

func TestAddAndRemoveTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, taint := drawTaints(t), drawTaint(t)
		alone := once(list, taint)
		added, _, err := utiltaints.AddOrUpdateTaint(&corev1.Node{Spec: corev1.NodeSpec{Taints: alone}}, &taint)
		same(t, "AddOrUpdateTaint fails", err, nil)
		got, _ := taints.Changes{Add: []taints.Taint{kube.Taint(taint)}}.Apply(kube.Taints(list))
		same(t, "Apply of an addition", got, withTimesOf(kube.Taints(alone), kube.Taints(added.Spec.Taints)))

		removed, want, err := utiltaints.RemoveTaint(&corev1.Node{Spec: corev1.NodeSpec{Taints: list}}, &taint)
		same(t, "RemoveTaint fails", err, nil)
		got, changed := taints.Changes{Remove: []taints.TaintID{kube.Taint(taint).ID()}}.Apply(kube.Taints(list))
		same(t, "Apply of a removal", got, kube.Taints(removed.Spec.Taints))
		same(t, "a removal changes", changed, want)
		without, deleted := utiltaints.DeleteTaint(list, &taint)
		same(t, "Apply of a removal, and DeleteTaint", got, kube.Taints(without))
		same(t, "a removal changes, and DeleteTaint", changed, deleted)
	})
}

func TestDifferenceNothingRemoved(t *testing.T) {
	taint := corev1.Taint{Key: "a", Effect: "NoExecute"}
	theirs, deleted := utiltaints.DeleteTaint(nil, &taint)
	same(t, "DeleteTaint returns nil", theirs == nil, false)
	same(t, "DeleteTaint removes", deleted, false)
	ours, changed := taints.Changes{Remove: []taints.TaintID{kube.Taint(taint).ID()}}.Apply(nil)
	same(t, "Apply returns nil", ours == nil, true)
	same(t, "Apply changes", changed, false)
}

func TestFindTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, taint := drawTaints(t), drawTaint(t)
		want := found{
			slices.IndexFunc(list, func(u corev1.Taint) bool { return u.MatchTaint(&taint) }),
			utiltaints.TaintExists(list, &taint),
		}
		same(t, "FindTaint", foundAt(taints.FindTaint(kube.Taints(list), kube.Taint(taint).ID())), want)
	})
}

// TestTaintSetDiff gives all taints the same value, because TaintSetDiff ignores it.
// See TestDifferenceChangedValue.
func TestTaintSetDiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(t *rapid.T) corev1.Taint {
			taint := drawTaint(t)
			taint.Value = ""
			return taint
		}
		before, after := draws(t, "before", 5, draw), draws(t, "after", 5, draw)
		add, remove := utiltaints.TaintSetDiff(unique(after), unique(before))
		var want taints.Changes
		for _, taint := range add {
			want.Add = append(want.Add, kube.Taint(*taint))
		}
		for _, taint := range remove {
			want.Remove = append(want.Remove, kube.Taint(*taint).ID())
		}
		same(t, "Reconcile", taints.Reconcile(kube.Taints(before), kube.Taints(before), kube.Taints(after)), want)
	})
}

func TestDifferenceChangedValue(t *testing.T) {
	from := corev1.Taint{Key: "a", Value: "1", Effect: "NoSchedule"}
	to := corev1.Taint{Key: "a", Value: "2", Effect: "NoSchedule"}
	add, remove := utiltaints.TaintSetDiff([]corev1.Taint{to}, []corev1.Taint{from})
	same(t, "TaintSetDiff", len(add)+len(remove), 0)
	current := []taints.Taint{kube.Taint(from)}
	got := taints.Reconcile(current, current, []taints.Taint{kube.Taint(to)})
	same(t, "Reconcile", got.String(), "a=2:NoSchedule")
}
