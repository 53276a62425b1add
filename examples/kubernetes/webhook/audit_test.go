// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/webhook"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

func newPod(namespace, name string, tolerations ...string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
	}
	for _, s := range tolerations {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations,
			kube.CoreTolerations([]taints.Toleration{taints.MustParseToleration(s)})...)
	}
	return pod
}

func TestAudit(t *testing.T) {
	const text = `{"cluster": {"allowedTolerations": [{"key": "spot", "operator": "Exists"}]},
		"namespaces": {"monitoring": {"allowedTolerations": [{"operator": "Exists"}]}, "ml": {"allowedTolerations": [{"key": "dedicated"}]}},
		"dedications": [{"name": "ml-nodes", "namespaces": ["ml"], "tolerations": [{"key": "dedicated"}], "nodeSelector": {"pool": "ml"}}],
		"exemptDaemonSets": true}`
	rules, err := webhook.ParseRules([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	policy := &webhook.Policy{Rules: rules}
	const pressure = "node.kubernetes.io/memory-pressure:NoSchedule op=Exists"
	const gpu = "example.com/gpu:NoSchedule op=Exists"
	with := newPod("web", "b-gpu", pressure, gpu)
	requests := corev1.ResourceList{"example.com/gpu": resource.MustParse("1"), "cpu": resource.MustParse("1")}
	with.Spec.InitContainers = []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: requests}}}
	owned := func(pod *corev1.Pod, kind string) *corev1.Pod {
		pod.OwnerReferences = []metav1.OwnerReference{
			{APIVersion: "apps/v1", Kind: kind, Name: "agent", Controller: new(true)},
		}
		return pod
	}
	cpu, ml := newPod("ml", "on-cpu"), newPod("ml", "on-ml")
	cpu.Spec.NodeSelector = map[string]string{"pool": "cpu"}
	ml.Spec.NodeSelector = map[string]string{"pool": "ml"}
	client := fake.NewClientset(
		newPod("web", "a", "spot:NoSchedule", "spot op=Exists",
			"dedicated=ml", "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"),
		owned(newPod("web", "agent", "dedicated=ml"), "DaemonSet"),
		owned(newPod("web", "agent-of-none", "dedicated=ml"), "ReplicaSet"),
		newPod("web", "b", pressure, gpu),
		with,
		newPod("monitoring", "c", "op=Exists"),
		newPod("kube-system", "d", "dedicated=ml"),
		newPod("web", "e"),
		cpu, ml, newPod("ml", "on-any"),
	)
	tests := []struct {
		name    string
		policy  *webhook.Policy
		refused int
		want    string
	}{
		{"rules", policy, 4, `ml/on-cpu: would be refused: dedication "ml-nodes" sends the pod to nodes with pool=ml, but its nodeSelector has pool=cpu (dedication)
monitoring/c: tolerations[0]: the pod tolerates every taint, those of cordoned, not ready and unreachable nodes too, and stays there, which is right for daemons only: name the keys that it needs (everything)
web/a: tolerations[2]: dedicated=ml would be refused (not-allowed)
web/a: tolerations[0]: tolerations[1] tolerates all that it tolerates: leave it out (covered)
web/agent-of-none: tolerations[0]: dedicated=ml would be refused (not-allowed)
web/b: tolerations[0]: node.kubernetes.io/memory-pressure:NoSchedule op=Exists would be refused (not-allowed)
web/b: tolerations[1]: example.com/gpu:NoSchedule op=Exists would be refused (not-allowed)
10 pods: 4 would be refused; 2 tolerations make little sense
`},
		{"no rules", &webhook.Policy{}, 0, `monitoring/c: tolerations[0]: the pod tolerates every taint, those of cordoned, not ready and unreachable nodes too, and stays there, which is right for daemons only: name the keys that it needs (everything)
web/a: tolerations[0]: tolerations[1] tolerates all that it tolerates: leave it out (covered)
10 pods: 0 would be refused; 2 tolerations make little sense
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
