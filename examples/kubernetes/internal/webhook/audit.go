// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bytes"
	"fmt"
)

// Audit returns why the webhooks would refuse a new pod like this one, a Pod in
// JSON, from who made it: a text for each toleration that is not allowed, and one
// for what else is wrong. Nil means that they would let it in.
func (p *Policy) Audit(namespace string, text []byte) []string {
	decoded, err := decodeJSON(bytes.NewReader(text), podShape, mostKept)
	if err != nil {
		return []string{wouldBeRefused(unreadable, err.Error())}
	}
	// What says that it is of a DaemonSet, and is there already, is.
	q := &request{
		operation: "CREATE", namespace: namespace, user: daemonSetControllers[0],
		pod: value{"object", decoded},
	}
	pod, refusal := q.readPod(q.pod)
	if refusal != nil {
		return []string{wouldBeRefused(refusal.kind, refusal.message)}
	}
	pod.exempt = p.exempts(q, pod)
	m, refusal := p.mutate(namespace, pod)
	if refusal == nil {
		pod.tolerations, pod.nodeSelector = m.tolerations, m.nodeSelector
	}
	var list []string
	for _, i := range p.refused(namespace, nil, pod) {
		list = append(list, fmt.Sprintf("tolerations[%d]: %v would be refused (%s)", i, pod.tolerations[i], notAllowed))
	}
	if refusal == nil {
		refusal = p.validate(namespace, nil, pod)
	}
	if refusal != nil && refusal.kind != notAllowed {
		list = append(list, wouldBeRefused(refusal.kind, refusal.message))
	}
	return list
}

func wouldBeRefused(kind, why string) string {
	return fmt.Sprintf("would be refused: %s (%s)", why, kind)
}
