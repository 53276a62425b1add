// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	nodeutil "k8s.io/component-helpers/node/util"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

var (
	errStale    = errors.New("the cache is behind: the node no longer evicts the pod")
	errNotLeads = errors.New("the lease was not renewed in time")
)

// confirm asks the API server whether the node still evicts the pod, and the lease
// whether this replica still leads: the process may have been stopped for a while, and
// no clock of a virtual machine sees that it was suspended. Then confirm reports
// whether the pod may be deleted if a PodDisruptionBudget refuses its eviction.
func (c *Controller) confirm(ctx context.Context, p *pod) (mayDelete bool, err error) {
	obj := &corev1.Node{}
	if err := c.live.Get(ctx, types.NamespacedName{Name: p.node}, obj); client.IgnoreNotFound(err) != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.nodes[p.node]
	if seen == nil || seen.uid != obj.UID {
		return false, errStale
	}
	now := time.Now()
	n := &node{taints: noExecute(obj, seen.taints, now), changed: seen.changed}
	e := c.eviction(p, n)
	if e.Outcome == taints.Stays || e.At.After(now) && !c.queue.KeepTimers {
		return false, errStale
	}
	if c.options.Leads != nil && !c.options.Leads() {
		return false, errNotLeads
	}
	return c.mayDelete(ctx, p, n, obj), nil
}

// mayDelete reports whether the pod should have left its node long ago because the
// node failed. Budgets have had their time then: the pod does not come back, and it
// keeps its controller from making another one.
func (c *Controller) mayDelete(ctx context.Context, p *pod, n *node, obj *corev1.Node) bool {
	if _, ready := nodeutil.GetNodeCondition(&obj.Status, corev1.NodeReady); ready != nil && ready.Status == corev1.ConditionTrue {
		return false
	}
	other := func(t taints.Taint) bool { return !isFailure(t.Key) }
	e := c.eviction(p, &node{taints: slices.DeleteFunc(n.taints, other), changed: n.changed})
	return c.options.DeleteHeldAfter > 0 && e.Outcome != taints.Stays && time.Since(e.At) >= c.options.DeleteHeldAfter && !c.cutOff(ctx)
}

func isFailure(key string) bool { return key == taints.NodeNotReady || key == taints.NodeUnreachable }

// cutOff reports whether so many nodes are not ready that they have probably not
// failed: the control plane may be cut off from them. Kubernetes' node-lifecycle
// controller stops evictions from a zone with so many.
func (c *Controller) cutOff(ctx context.Context) bool {
	var all corev1.NodeList
	if err := c.client.List(ctx, &all); err != nil {
		return true
	}
	var cluster lifecycle.Zone
	for i := range all.Items {
		if slices.ContainsFunc(all.Items[i].Spec.Taints, func(t corev1.Taint) bool { return isFailure(t.Key) }) {
			cluster.NotReady++
		} else {
			cluster.Ready++
		}
	}
	return lifecycle.DefaultDisruptionPolicy().State(cluster) != lifecycle.ZoneNormal
}
