// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/internal/webhook"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

func newPod(namespace, name string, class corev1.PodQOSClass, tolerations ...string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Status:     corev1.PodStatus{QOSClass: class},
	}
	for _, s := range tolerations {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations,
			kube.CoreTolerations([]taints.Toleration{taints.MustParseToleration(s)})...)
	}
	return pod
}

func TestAudit(t *testing.T) {
	rules, err := webhook.ParseRules([]byte(`{"cluster": {"allowedTolerations": [{"key": "spot", "operator": "Exists"}]},
		"namespaces": {"monitoring": {"allowedTolerations": [{"operator": "Exists"}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	policy := &webhook.Policy{Rules: rules}
	const pressure = "node.kubernetes.io/memory-pressure:NoSchedule op=Exists"
	const gpu = "example.com/gpu:NoSchedule op=Exists"
	with := newPod("web", "b-gpu", corev1.PodQOSBurstable, pressure, gpu)
	requests := corev1.ResourceList{"example.com/gpu": resource.MustParse("1")}
	with.Spec.InitContainers = []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: requests}}}
	agent := newPod("web", "agent", corev1.PodQOSBestEffort, "dedicated=ml")
	agent.OwnerReferences = []metav1.OwnerReference{
		{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "agent", Controller: new(true)},
	}
	exempting, err := webhook.ParseRules([]byte(`{"cluster": {"allowedTolerations": []}, "exemptDaemonSets": true}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := refusedOf(&webhook.Policy{Rules: exempting}, agent); len(got) > 0 {
		t.Errorf("the pod of a DaemonSet would be refused: %v", got)
	}
	if got := refusedOf(policy, agent); len(got) != 1 {
		t.Errorf("rules that exempt nobody: %v", got)
	}
	agent.OwnerReferences[0].Kind = "ReplicaSet"
	if got := refusedOf(&webhook.Policy{Rules: exempting}, agent); len(got) != 1 {
		t.Errorf("another owner: %v", got)
	}
	client := fake.NewClientset(
		newPod("web", "a", corev1.PodQOSBestEffort, "spot:NoSchedule", "spot op=Exists",
			"dedicated=ml", "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"),
		newPod("web", "b", corev1.PodQOSBestEffort, pressure, gpu),
		with,
		newPod("monitoring", "c", corev1.PodQOSBestEffort, "op=Exists"),
		newPod("kube-system", "d", corev1.PodQOSBestEffort, "dedicated=ml"),
		newPod("web", "e", corev1.PodQOSBestEffort),
	)
	tests := []struct {
		name    string
		policy  *webhook.Policy
		refused int
		want    string
	}{
		{"rules", policy, 3, `monitoring/c: tolerations[0]: the pod tolerates every taint, those of cordoned, not ready and unreachable nodes too, and stays there, which is right for daemons only: name the keys that it needs (everything)
web/a: tolerations[2]: dedicated=ml would be refused (not-allowed)
web/a: tolerations[0]: tolerations[1] tolerates all that it tolerates: leave it out (covered)
web/b: tolerations[0]: node.kubernetes.io/memory-pressure:NoSchedule op=Exists would be refused (not-allowed)
web/b: tolerations[1]: example.com/gpu:NoSchedule op=Exists would be refused (not-allowed)
5 pods: 3 tolerations would be refused, 2 make little sense
`},
		{"no rules", &webhook.Policy{}, 0, `monitoring/c: tolerations[0]: the pod tolerates every taint, those of cordoned, not ready and unreachable nodes too, and stays there, which is right for daemons only: name the keys that it needs (everything)
web/a: tolerations[0]: tolerations[1] tolerates all that it tolerates: leave it out (covered)
5 pods: 0 tolerations would be refused, 2 make little sense
`},
	}
	for _, test := range tests {
		var out bytes.Buffer
		refused, err := audit(t.Context(), client, test.policy, []string{"kube-system"}, &out)
		if err != nil || refused != test.refused {
			t.Errorf("%s: %d, %v", test.name, refused, err)
		}
		if diff := cmp.Diff(test.want, out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}

	for lines := range 3 {
		_, err := audit(t.Context(), client, policy, nil, &limited{lines})
		if err == nil || err.Error() != "disk full" {
			t.Errorf("after %d lines: %v", lines, err)
		}
	}
	client.PrependReactor("list", "pods",
		func(k8stesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("no network") })
	if _, err := audit(t.Context(), client, policy, nil, &limited{9}); err == nil || err.Error() != "no network" {
		t.Errorf("got %v", err)
	}
}

// A limited writer takes so many lines.
type limited struct{ lines int }

func (l *limited) Write(b []byte) (int, error) {
	if l.lines--; l.lines < 0 {
		return 0, errors.New("disk full")
	}
	return len(b), nil
}
