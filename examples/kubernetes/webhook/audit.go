// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/webhook"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/tolerationset"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"
)

// audit writes a line for each thing that the policy would refuse of a pod if it were
// new, and for each toleration that makes little sense, and at last how many there
// are. It returns how many pods would be refused.
func audit(ctx context.Context, client kubernetes.Interface, policy *webhook.Policy,
	exempt []string, w io.Writer,
) (refused int, err error) {
	pods, findings := 0, 0
	list := func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, o)
	}
	err = pager.New(list).EachListItem(ctx, metav1.ListOptions{}, func(object runtime.Object) error {
		pod := object.(*corev1.Pod)
		if slices.Contains(exempt, pod.Namespace) {
			return nil
		}
		pods++
		lines, err := refusals(policy, pod)
		if err != nil {
			return err
		}
		if len(lines) > 0 {
			refused++
		}
		for _, finding := range tolerationset.Lint(kube.Tolerations(pod.Spec.Tolerations), taints.Options{}) {
			findings++
			lines = append(lines, finding.String())
		}
		for _, line := range lines {
			if _, err := fmt.Fprintf(w, "%s/%s: %s\n", pod.Namespace, pod.Name, line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return refused, err
	}
	_, err = fmt.Fprintf(w, "%d pods: %d would be refused; %d tolerations make little sense\n", pods, refused, findings)
	return refused, err
}

// refusals returns why the webhooks would refuse a new pod like this one.
func refusals(policy *webhook.Policy, pod *corev1.Pod) ([]string, error) {
	fresh := &corev1.Pod{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}
	fresh.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	fresh.ManagedFields = nil
	text, err := json.Marshal(fresh)
	if err != nil {
		return nil, err
	}
	return policy.Audit(pod.Namespace, text), nil
}
