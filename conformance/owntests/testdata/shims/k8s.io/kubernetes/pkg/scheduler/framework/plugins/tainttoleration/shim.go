package tainttoleration

import (
	"context"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

func (pl *TaintToleration) verdict(node *v1.Node, tolerations []v1.Toleration) taints.Verdict {
	options := taints.Options{NoComparison: !pl.enableTaintTolerationComparisonOperators}
	return options.Compile(kube.Tolerations(tolerations)).Filter(kube.Taints(node.Spec.Taints))
}

func (pl *TaintToleration) Filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodeInfo fwk.NodeInfo) *fwk.Status {
	if pl.verdict(nodeInfo.Node(), pod.Spec.Tolerations).Schedulable() {
		return nil
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "node(s) had untolerated taint(s)")
}

func (pl *TaintToleration) countIntolerableTaintsPreferNoSchedule(_ klog.Logger, list []v1.Taint, tolerations []v1.Toleration) (intolerableTaints int) {
	return pl.verdict(&v1.Node{Spec: v1.NodeSpec{Taints: list}}, tolerations).PreferNoSchedule
}

func (pl *TaintToleration) isSchedulableAfterNodeChange(logger klog.Logger, pod *v1.Pod, oldObj, newObj interface{}) (fwk.QueueingHint, error) {
	originalNode, modifiedNode, err := util.As[*v1.Node](oldObj, newObj)
	if err != nil {
		return fwk.Queue, err
	}
	was := originalNode != nil && pl.verdict(originalNode, pod.Spec.Tolerations).Schedulable()
	if !was && pl.verdict(modifiedNode, pod.Spec.Tolerations).Schedulable() {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}
