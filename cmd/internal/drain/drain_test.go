// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"math/rand/v2"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// answer is what the subresource "eviction" of Kubernetes answers: 201, 429 or 500.
func answer(p *corev1.Pod, budgets []*Budget) int {
	switch p.Status.Phase {
	case corev1.PodSucceeded, corev1.PodFailed, corev1.PodPending:
		return 201
	}
	if p.DeletionTimestamp != nil {
		return 201
	}
	var matching []*Budget
	for _, b := range budgets {
		selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		if err == nil && b.Namespace == p.Namespace && selector.Matches(labels.Set(p.Labels)) {
			matching = append(matching, b)
		}
	}
	if len(matching) > 1 {
		return 500
	}
	if len(matching) == 0 {
		return 201
	}
	b := matching[0]
	if p.Status.Conditions[0].Status != corev1.ConditionTrue {
		if policy := b.Spec.UnhealthyPodEvictionPolicy; policy != nil && *policy == policyv1.AlwaysAllow {
			return 201
		}
		if b.Status.CurrentHealthy >= b.Status.DesiredHealthy && b.Status.DesiredHealthy > 0 {
			return 201
		}
	}
	if b.Status.ObservedGeneration < b.Generation || *b.Status.Allowed == 0 {
		return 429
	}
	return 201
}

// Random pods and budgets: a pod leaves if the API server evicts it.
func TestBudgets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 60))
	one := func(words ...string) string { return words[r.IntN(len(words))] }
	seen := make(map[int]int)
	for range 5000 {
		d := New()
		var budgets []*Budget
		for range r.IntN(4) {
			b := &Budget{ObjectMeta: metav1.ObjectMeta{Namespace: one("a", "a", "b"), Name: one("x", "y"), Generation: int64(1 + r.IntN(4)/3)}}
			switch b.Status.ObservedGeneration = 1; r.IntN(6) {
			case 0: // no selector
			case 1:
				b.Spec.Selector = &metav1.LabelSelector{}
			case 2:
				b.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "none"}}}
			default:
				b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": one("x", "y")}}
			}
			if r.IntN(2) == 0 {
				b.Spec.UnhealthyPodEvictionPolicy = new(policyv1.UnhealthyPodEvictionPolicyType(one("AlwaysAllow", "IfHealthyBudget")))
			}
			b.Status.CurrentHealthy, b.Status.DesiredHealthy, b.Status.Allowed = int32(r.IntN(3)), int32(r.IntN(3)), new(int32(r.IntN(2)))
			budgets = append(budgets, b)
			if err := d.AddBudget(b); err != nil {
				t.Fatal(err)
			}
		}
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "p", Labels: map[string]string{"app": one("x", "y", "z")}}}
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "r", Controller: new(true)}}
		p.Status.Phase = corev1.PodPhase(one("Running", "Running", "Running", "Pending", "Succeeded"))
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionStatus(one("True", "True", "False", "Unknown"))}}
		if r.IntN(8) == 0 {
			p.DeletionTimestamp = new(metav1.Now())
		}
		name := types.NamespacedName{Namespace: p.Namespace, Name: p.Name}
		d.AddPod(name, p)
		got, want := d.Of(name), answer(p, budgets)
		if got.Leaves != (want == 201) || got.IsRefused || strings.Contains(got.Why, "several budgets") != (want == 500) {
			t.Fatalf("%+v, want %d: pod %+v, budgets %+v", got, want, p, budgets)
		}
		seen[want]++
	}
	if seen[201] < 100 || seen[429] < 100 || seen[500] < 100 {
		t.Errorf("%v", seen)
	}
}
