package nodelifecycle

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/kube/nodestate"
	"github.com/seed-0529bac1/taints/lifecycle"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"
	controllerutil "k8s.io/kubernetes/pkg/controller/util/node"
)

// reconcile returns the changes of the node's taints with an effect of the set,
// in the form that SwapNodeControllerTaint takes.
func reconcile(node *v1.Node, conditions []v1.NodeCondition, in taints.EffectSet) (add, remove []*v1.Taint) {
	state := lifecycle.NodeState{Conditions: nodestate.Conditions(conditions), Unschedulable: node.Spec.Unschedulable}
	c := lifecycle.DefaultConditionRules().Reconcile(kube.Taints(node.Spec.Taints), state, time.Now())
	for _, t := range kube.CoreTaints(c.Add) {
		if in.Has(taints.Effect(t.Effect)) {
			add = append(add, &t)
		}
	}
	for _, id := range c.Remove {
		if in.Has(id.Effect) {
			remove = append(remove, &v1.Taint{Key: id.Key, Effect: v1.TaintEffect(id.Effect)})
		}
	}
	return add, remove
}

func (nc *Controller) doNoScheduleTaintingPass(ctx context.Context, nodeName string) error {
	node, err := nc.nodeLister.Get(nodeName)
	if err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	add, remove := reconcile(node, node.Status.Conditions, taints.Effects(taints.NoSchedule))
	if len(add) == 0 && len(remove) == 0 {
		return nil
	}
	if !controllerutil.SwapNodeControllerTaint(ctx, nc.kubeClient, add, remove, node) {
		return fmt.Errorf("failed to swap taints of node %+v", node)
	}
	return nil
}

// processTaintBaseEviction swaps one taint for the other at once. It leaves the
// addition of a taint to the rate-limited queue.
func (nc *Controller) processTaintBaseEviction(ctx context.Context, node *v1.Node, currentReadyCondition *v1.NodeCondition) {
	ready := v1.NodeCondition{Type: v1.NodeReady, Status: currentReadyCondition.Status}
	add, remove := reconcile(node, []v1.NodeCondition{ready}, taints.Effects(taints.NoExecute))
	wanted := lifecycle.DefaultConditionRules().Taints(lifecycle.NodeState{Conditions: nodestate.Conditions([]v1.NodeCondition{ready})})
	logger := klog.FromContext(ctx)
	switch {
	case ready.Status == v1.ConditionTrue: // also removes the node from the queue
		if _, err := nc.markNodeAsReachable(ctx, node); err != nil {
			logger.Error(err, "Failed to remove taints from node. Will retry in next iteration", "node", klog.KObj(node))
		}
	case len(remove) > 0:
		if !controllerutil.SwapNodeControllerTaint(ctx, nc.kubeClient, add, remove, node) {
			logger.Error(nil, "Failed to swap taints. Will try again in the next cycle")
		}
	case len(wanted) > 0:
		nc.markNodeForTainting(node, ready.Status)
	}
}

func (nc *Controller) policy() lifecycle.DisruptionPolicy {
	return lifecycle.DisruptionPolicy{
		Threshold: float64(nc.unhealthyZoneThreshold), Rate: float64(nc.evictionLimiterQPS),
		SecondaryRate: float64(nc.secondaryEvictionLimiterQPS), LargeZone: int(nc.largeClusterThreshold),
	}
}

func (nc *Controller) HealthyQPSFunc(nodeNum int) float32 {
	return float32(nc.policy().Rate)
}

func (nc *Controller) ReducedQPSFunc(nodeNum int) float32 {
	policy := nc.policy()
	policy.Threshold = 0
	zones := []lifecycle.Zone{{Ready: 1, NotReady: nodeNum - 1}, {Ready: 1}} // the first is ZonePartial
	return float32(policy.AppendRates(nil, zones)[0])
}

func (nc *Controller) ComputeZoneState(nodeReadyConditions []*v1.NodeCondition) (int, ZoneState) {
	var zone lifecycle.Zone
	for _, c := range nodeReadyConditions {
		if c != nil && c.Status == v1.ConditionTrue {
			zone.Ready++
		} else {
			zone.NotReady++
		}
	}
	states := map[lifecycle.ZoneState]ZoneState{
		lifecycle.ZoneNormal: stateNormal, lifecycle.ZonePartial: statePartialDisruption, lifecycle.ZoneFull: stateFullDisruption,
	}
	return zone.NotReady, states[nc.policy().State(zone)]
}
