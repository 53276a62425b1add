// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The functions for lists and values return what package taints returns, and
// views of the results use the same memory.
func TestChangesOfCoreTaints(t *testing.T) {
	now := metav1.Unix(1_700_000_000, 0)
	node := []corev1.Taint{
		{Key: "a", Value: "1", Effect: "NoSchedule"}, {Key: "b", Effect: "NoExecute", TimeAdded: &now},
	}
	c := taints.Changes{Add: []taints.Taint{{Key: "a", Value: "2", Effect: "NoSchedule"}}, RemoveKeys: []string{"b"}}
	want, _ := c.Apply(kube.Taints(node))
	got, changed := kube.Apply(node, c)
	if !changed || !reflect.DeepEqual(kube.Taints(got), want) {
		t.Errorf("Apply = %v, %v, want %v", got, changed, want)
	}
	want, _ = c.Ensure(kube.Taints(node))
	if got, changed := kube.Ensure(node, c); !changed || !reflect.DeepEqual(kube.Taints(got), want) {
		t.Errorf("Ensure = %v, %v, want %v", got, changed, want)
	}
	for _, overwrite := range []bool{false, true} {
		want, wantErr := c.ApplyStrict(kube.Taints(node), overwrite)
		got, err := kube.ApplyStrict(node, c, overwrite)
		if !reflect.DeepEqual(kube.Taints(got), want) || !reflect.DeepEqual(err, wantErr) {
			t.Errorf("ApplyStrict = %v, %v, want %v, %v", got, err, want, wantErr)
		}
	}
	all := taints.Changes{RemoveKeys: []string{"a", "b"}}
	if got, changed := kube.Apply(node, all); !changed || got == nil || len(got) != 0 {
		t.Errorf("all removed: %#v, %v", got, changed)
	}
	if got, changed := kube.Apply(nil, all); changed || got != nil {
		t.Errorf("nothing removed: %#v, %v", got, changed)
	}
	if same, changed := kube.Apply(node, taints.Changes{}); changed || &same[0] != &node[0] {
		t.Errorf("nothing to do: %v, %v", same, changed)
	}
	for id, want := range map[taints.TaintID]int{{Key: "b", Effect: "NoExecute"}: 1, {Key: "b"}: -1} {
		if i, found := kube.FindTaint(node, id); i != want || found != (want >= 0) {
			t.Errorf("%v is at %d, %v", id, i, found)
		}
	}
}

// A patch replaces all taints, and needs the version of the node that was read.
func TestTaintsPatch(t *testing.T) {
	added := metav1.Unix(1_700_000_000, 0)
	a, b := corev1.Taint{Key: "a", Effect: "NoSchedule"}, corev1.Taint{Key: "b", Value: "x", Effect: "NoExecute", TimeAdded: &added}
	later := b
	later.TimeAdded = &metav1.Time{Time: added.Add(time.Second)}
	fraction := b
	fraction.TimeAdded = &metav1.Time{Time: added.Add(time.Millisecond)}
	zero, never := b, b
	zero.TimeAdded, never.TimeAdded = &metav1.Time{}, nil
	same := b
	same.TimeAdded = &metav1.Time{Time: added.Time}
	for _, test := range []struct {
		name, version string
		node, after   []corev1.Taint
		want          string
	}{
		{"none", "7", nil, []corev1.Taint{}, ""},
		{"equal", "7", []corev1.Taint{a, b}, []corev1.Taint{a, same}, ""},
		{"no time and the zero time", "7", []corev1.Taint{never, zero}, []corev1.Taint{zero, never}, ""},
		{"in the same second", "7", []corev1.Taint{b}, []corev1.Taint{fraction}, ""},
		{"the first", "7", nil, []corev1.Taint{a}, `{"metadata":{"resourceVersion":"7"},"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]}}`},
		{"the last goes", "7", []corev1.Taint{a}, nil, `{"metadata":{"resourceVersion":"7"},"spec":{"taints":[]}}`},
		{"another order", "7", []corev1.Taint{a, b}, []corev1.Taint{b, a}, `{"metadata":{"resourceVersion":"7"},"spec":{"taints":[` +
			`{"key":"b","value":"x","effect":"NoExecute","timeAdded":"2023-11-14T22:13:20Z"},{"key":"a","effect":"NoSchedule"}]}}`},
		{"another time", "", []corev1.Taint{b}, []corev1.Taint{later}, `{"metadata":{},"spec":{"taints":[` +
			`{"key":"b","value":"x","effect":"NoExecute","timeAdded":"2023-11-14T22:13:21Z"}]}}`},
	} {
		if got := kube.TaintsPatch(test.version, test.node, test.after); string(got) != test.want || (got == nil) != (test.want == "") {
			t.Errorf("%s: %s", test.name, got)
		}
	}
	for name, change := range map[string]func(*corev1.Taint){
		"another key":    func(t *corev1.Taint) { t.Key = "c" },
		"another value":  func(t *corev1.Taint) { t.Value = "y" },
		"another effect": func(t *corev1.Taint) { t.Effect = "NoSchedule" },
		"no time":        func(t *corev1.Taint) { t.TimeAdded = nil },
		"an older time":  func(t *corev1.Taint) { t.TimeAdded = &metav1.Time{Time: added.Add(-time.Second)} },
	} {
		other := b
		change(&other)
		for _, lists := range [][2]corev1.Taint{{b, other}, {other, b}} {
			if kube.TaintsPatch("", lists[:1], lists[1:]) == nil {
				t.Errorf("%s: no patch from %v to %v", name, lists[0], lists[1])
			}
		}
	}
}
