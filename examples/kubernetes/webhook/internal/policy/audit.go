// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"encoding/json"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
)

// Audit returns why the webhooks would refuse a new pod like this one: a text for
// each toleration that is not allowed, and one for any other problem. Nil means
// that they would allow it.
func (p *Policy) Audit(object *corev1.Pod) ([]string, error) {
	fresh := &corev1.Pod{ObjectMeta: object.ObjectMeta, Spec: object.Spec}
	fresh.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	fresh.ManagedFields = nil
	text, err := json.Marshal(fresh)
	if err != nil {
		return nil, err
	}
	// An existing pod that names a DaemonSet as its controller is controlled by it.
	q := &admissionv1.AdmissionRequest{
		Operation: admissionv1.Create, Namespace: object.Namespace,
		UserInfo: authenticationv1.UserInfo{Username: daemonSetControllers[0]},
	}
	pod, refusal := readPod(q, "object", text)
	if refusal != nil {
		return []string{wouldBeRefused(refusal)}, nil
	}
	tolerations, nodeSelector, refusal := p.mutate(q, pod)
	if refusal == nil {
		pod.Spec.Tolerations, pod.Spec.NodeSelector = tolerations, nodeSelector
	}
	var list []string
	for _, i := range p.refused(q, nil, pod) {
		list = append(list, fmt.Sprintf("tolerations[%d]: %v would be refused (%s)", i, pod.Spec.Tolerations[i], notAllowed))
	}
	if refusal == nil {
		refusal = p.validate(q, nil, pod)
	}
	if refusal != nil && refusal.Kind != notAllowed {
		list = append(list, wouldBeRefused(refusal))
	}
	return list, nil
}

func wouldBeRefused(r *Refusal) string {
	return fmt.Sprintf("would be refused: %s (%s)", r.Message, r.Kind)
}
