// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/internal/webhook"
	"github.com/seed-0529bac1/taints/kube"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"
)

// audit writes a line for each toleration of a pod that the policy would refuse if
// the pod were new, and for each that makes little sense, and at last how many there
// are. It returns how many would be refused.
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
		tolerations := kube.Tolerations(pod.Spec.Tolerations)
		for _, i := range refusedOf(policy, pod) {
			refused++
			_, err := fmt.Fprintf(w, "%s/%s: tolerations[%d]: %v would be refused (not-allowed)\n",
				pod.Namespace, pod.Name, i, tolerations[i])
			if err != nil {
				return err
			}
		}
		for _, finding := range taints.Lint(tolerations) {
			findings++
			if _, err := fmt.Fprintf(w, "%s/%s: %v\n", pod.Namespace, pod.Name, finding); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return refused, err
	}
	_, err = fmt.Fprintf(w, "%d pods: %d tolerations would be refused, %d make little sense\n", pods, refused, findings)
	return refused, err
}

// refusedOf returns the indexes of the tolerations that a new pod like this one
// could not have.
func refusedOf(policy *webhook.Policy, pod *corev1.Pod) []int {
	if policy.Rules.ExemptsDaemonSets() && ofDaemonSet(pod) {
		return nil
	}
	allowed := policy.Allowed(pod.Namespace, pod.Status.QOSClass == corev1.PodQOSBestEffort, requested(pod)...)
	if allowed == nil {
		return nil
	}
	var list []int
	tolerations := kube.Tolerations(pod.Spec.Tolerations)
	for i := range tolerations {
		if taints.ValidateAllowed(tolerations[i:i+1], allowed) != nil {
			list = append(list, i)
		}
	}
	return list
}

// ofDaemonSet reports whether a DaemonSet controls the pod.
func ofDaemonSet(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet" && strings.HasPrefix(owner.APIVersion, appsv1.GroupName+"/")
}

// requested returns the names of the resources that containers and init containers
// of the pod request.
func requested(pod *corev1.Pod) []string {
	var names []string
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			for name := range containers[i].Resources.Requests {
				names = append(names, string(name))
			}
		}
	}
	return names
}
