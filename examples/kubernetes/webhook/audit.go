// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/program"
	"github.com/seed-0529bac1/taints/examples/kubernetes/webhook/internal/policy"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// mostLinted is how many tolerations of a pod are linted. The time that this takes
// grows with the square of their number, which the pod's creator chooses.
const mostLinted = 100

// errRefusable is the error of an audit that found pods that would be refused.
var errRefusable = program.ExitError{Code: 3, Err: errors.New("the rules would refuse pods")}

// audit writes a line for each reason why the policy would refuse a pod if it were
// new, a line for each toleration that makes little sense, and the totals.
func audit(ctx context.Context, client kubernetes.Interface, p *policy.Policy, registration string, w io.Writer) error {
	selected, err := selectedNamespaces(ctx, client, registration)
	if err != nil {
		return err
	}
	pods, refused, findings := 0, 0, 0
	list := func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, o)
	}
	err = pager.New(list).EachListItem(ctx, metav1.ListOptions{}, func(object runtime.Object) error {
		pod := object.(*corev1.Pod)
		if !selected.Matches(labels.Set{corev1.LabelMetadataName: pod.Namespace}) {
			return nil
		}
		pods++
		lines, err := p.Audit(pod)
		if err != nil {
			return err
		}
		if len(lines) > 0 {
			refused++
		}
		tolerations := pod.Spec.Tolerations
		if n := len(tolerations); n > mostLinted {
			tolerations = nil
			lines = append(lines, fmt.Sprintf("%d tolerations, more than %d, are not checked for sense", n, mostLinted))
		}
		for _, finding := range tolerationset.Lint(kube.Tolerations(tolerations), taints.Options{}) {
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
		return err
	}
	_, err = fmt.Fprintf(w, "pods: %d; would be refused: %d; tolerations that make little sense: %d\n", pods, refused, findings)
	if err == nil && refused > 0 {
		err = errRefusable
	}
	return err
}

// selectedNamespaces returns the registration's namespaceSelector, which audit applies
// to the name label only. If nothing is registered yet, it returns the manifest's.
func selectedNamespaces(ctx context.Context, client kubernetes.Interface, registration string) (labels.Selector, error) {
	configurations := client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	configuration, err := configurations.Get(ctx, registration, metav1.GetOptions{})
	if err == nil && len(configuration.Webhooks) > 0 {
		return metav1.LabelSelectorAsSelector(configuration.Webhooks[0].NamespaceSelector)
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	return labels.Parse(corev1.LabelMetadataName + " notin (kube-system, taints-webhooks, taints-evictor)")
}
