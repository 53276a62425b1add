// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

// EventsToRegister returns the events that may help a pod that this plugin
// rejected: a node is added, its taints change, or the pod gets more tolerations.
func (p *Taints) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeTaint},
			QueueingHintFn: p.afterNodeChange,
		},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.TargetPod, ActionType: fwk.UpdatePodToleration},
			QueueingHintFn: afterTolerationChange,
		},
	}, nil
}

// afterNodeChange wakes the pod if the node is feasible now, and was not feasible
// or did not exist before.
func (p *Taints) afterNodeChange(_ klog.Logger, pod *corev1.Pod, before, after any) (fwk.QueueingHint, error) {
	was, is, err := util.As[*corev1.Node](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	m := p.options.Compile(kube.Tolerations(pod.Spec.Tolerations))
	if feasible(m, is) && (was == nil || !feasible(m, was)) {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}

func feasible(m *taints.Matcher, node *corev1.Node) bool {
	_, found := m.FindUntolerated(kube.Taints(node.Spec.Taints), taints.Hard)
	return !found
}

// afterTolerationChange wakes the pod, which is the one that changed.
func afterTolerationChange(klog.Logger, *corev1.Pod, any, any) (fwk.QueueingHint, error) {
	return fwk.Queue, nil
}
