package nodelifecycle

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"
	controllerutil "k8s.io/kubernetes/pkg/controller/util/node"
	"owntests.example/view"
)

// reconcile returns the changes of the node's taints with an effect of the set,
// in the form that SwapNodeControllerTaint takes.
func reconcile(node *v1.Node, conditions []v1.NodeCondition, in taints.EffectSet) (add, remove []*v1.Taint) {
	state := lifecycle.NodeState{Unschedulable: node.Spec.Unschedulable}
	for _, c := range conditions {
		state.Conditions = append(state.Conditions, lifecycle.Condition{Type: string(c.Type), Status: string(c.Status)})
	}
	c := lifecycle.ReconcileConditions(view.Taints(node.Spec.Taints), state, view.Now())
	c.Add = slices.DeleteFunc(c.Add, func(t taints.Taint) bool { return !in.Has(t.Effect) })
	c.Remove = slices.DeleteFunc(c.Remove, func(id taints.TaintID) bool { return !in.Has(id.Effect) })
	return view.Addresses(view.CoreTaints(c.Add)), view.Addresses(view.Removals(c))
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
	add, remove := reconcile(node, []v1.NodeCondition{ready}, taints.Evicting)
	wanted := lifecycle.ConditionTaints(lifecycle.NodeState{Conditions: []lifecycle.Condition{{Type: string(ready.Type), Status: string(ready.Status)}}})
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
	return float32(nc.policy().RateOf(lifecycle.ZoneNormal, nodeNum))
}

func (nc *Controller) ReducedQPSFunc(nodeNum int) float32 {
	return float32(nc.policy().RateOf(lifecycle.ZonePartial, nodeNum))
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
