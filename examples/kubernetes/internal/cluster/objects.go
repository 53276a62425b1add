// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// Node returns a node that is ready, has 16 CPUs, 64 GiB and room for 110 pods, its
// name as the label of its host, and the taints. It is not in the cluster yet, so a
// test can change it: see [Cluster.AddNodes].
func Node(name string, taints ...corev1.Taint) *corev1.Node {
	resources := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("16"),
		corev1.ResourceMemory: resource.MustParse("64Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
	}
	now := metav1.Now()
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Spec:       corev1.NodeSpec{Taints: taints},
		Status: corev1.NodeStatus{
			Capacity:    resources,
			Allocatable: resources,
			Conditions: []corev1.NodeCondition{{
				Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
				LastHeartbeatTime: now, LastTransitionTime: now,
			}},
		},
	}
}

// Pod returns a pod in the namespace default with one container that asks for
// nothing, the tolerations, and a terminationGracePeriodSeconds of 0, so that it is
// gone at once when it is deleted. It is not in the cluster yet.
func Pod(name string, tolerations ...corev1.Toleration) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault},
		Spec: corev1.PodSpec{
			Containers:                    []corev1.Container{{Name: "main", Image: "none"}},
			Tolerations:                   tolerations,
			TerminationGracePeriodSeconds: new(int64),
		},
	}
}

// AddNodes creates the nodes, with a heartbeat each, and waits until the controller
// manager, if there is one, has taken the taint not-ready off them.
func (c *Cluster) AddNodes(nodes ...*corev1.Node) {
	c.tb.Helper()
	c.each(len(nodes), func(i int) error {
		if c.heartbeat.on {
			if err := c.addLease(nodes[i].Name); err != nil {
				return err
			}
		}
		node, err := c.Client.CoreV1().Nodes().Create(c.Context(), nodes[i], metav1.CreateOptions{})
		if err == nil {
			c.takeAway("node "+node.Name, func(ctx context.Context) error {
				return c.Client.CoreV1().Nodes().Delete(ctx, node.Name, metav1.DeleteOptions{})
			})
		}
		return err
	})
	if c.heartbeat.on {
		c.Eventually("new nodes are without the taint not-ready", c.allReady)
	}
}

func (c *Cluster) allReady() error {
	nodes, err := c.Client.CoreV1().Nodes().List(c.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, node := range nodes.Items {
		notReady := func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeNotReady }
		if c.heartbeat.beats(node.Name) && slices.ContainsFunc(node.Spec.Taints, notReady) {
			return fmt.Errorf("node %s has taints %v", node.Name, node.Spec.Taints)
		}
	}
	return nil
}

// AddPods creates the pods.
func (c *Cluster) AddPods(pods ...*corev1.Pod) {
	c.tb.Helper()
	c.each(len(pods), func(i int) error {
		_, err := c.Client.CoreV1().Pods(pods[i].Namespace).Create(c.Context(), pods[i], metav1.CreateOptions{})
		return err
	})
}

// Pods returns the pods of a namespace by name.
func (c *Cluster) Pods(namespace string) map[string]*corev1.Pod {
	c.tb.Helper()
	list, err := c.Client.CoreV1().Pods(namespace).List(c.Context(), metav1.ListOptions{ResourceVersion: "0"})
	c.must(err)
	pods := make(map[string]*corev1.Pod, len(list.Items))
	for i := range list.Items {
		pods[list.Items[i].Name] = &list.Items[i]
	}
	return pods
}

// StopHeartbeat stops the nodes' heartbeats, as when their machines fail: the
// controller manager finds them unreachable after its --node-monitor-grace-period.
func (c *Cluster) StopHeartbeat(nodes ...string) {
	for _, node := range nodes {
		c.heartbeat.live.Delete(node)
	}
}

// StartHeartbeat lets the nodes' heartbeats go on, and has each say that it is
// ready, as a kubelet does when it is back.
func (c *Cluster) StartHeartbeat(nodes ...string) {
	c.tb.Helper()
	now := time.Now().UTC().Format(time.RFC3339)
	ready := fmt.Appendf(nil,
		`{"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","message":"",`+
			`"lastHeartbeatTime":%q,"lastTransitionTime":%[1]q}]}}`, now)
	c.each(len(nodes), func(i int) error {
		c.heartbeat.live.Store(nodes[i], true)
		// First: without it the controller manager would find the node silent once more.
		c.renewLease(c.Context(), nodes[i])
		_, err := c.Client.CoreV1().Nodes().Patch(c.Context(), nodes[i],
			types.StrategicMergePatchType, ready, metav1.PatchOptions{}, "status")
		return err
	})
}

// heartbeatInterval is how often a lease is renewed where nothing else is said.
const heartbeatInterval = 5 * time.Second

// heartbeat renews the leases of the nodes, as their kubelets do.
type heartbeat struct {
	on   bool     // there is somebody who looks at it
	live sync.Map // names of nodes
	done sync.WaitGroup
}

func (h *heartbeat) beats(node string) bool {
	_, ok := h.live.Load(node)
	return ok
}

func (c *Cluster) startHeartbeat() {
	c.heartbeat.on = true
	c.heartbeat.done.Go(func() {
		wait.UntilWithContext(c.ctx, func(ctx context.Context) {
			c.heartbeat.live.Range(func(node, _ any) bool {
				c.renewLease(ctx, node.(string))
				return true
			})
		}, cmp.Or(c.options.Heartbeat, heartbeatInterval))
	})
}

func (c *Cluster) addLease(node string) error {
	now := metav1.NowMicro()
	seconds := int32(40)
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: node, Namespace: corev1.NamespaceNodeLease},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &node, LeaseDurationSeconds: &seconds, RenewTime: &now},
	}
	leases := c.Client.CoordinationV1().Leases(lease.Namespace)
	_, err := leases.Create(c.Context(), lease, metav1.CreateOptions{})
	if err == nil {
		c.heartbeat.live.Store(node, true)
		c.takeAway("lease of "+node, func(ctx context.Context) error { return leases.Delete(ctx, node, metav1.DeleteOptions{}) })
	}
	return err
}

// renewLease does not report a failure: a kubelet does not stop either, and a node
// without heartbeats is noticed.
func (c *Cluster) renewLease(ctx context.Context, node string) {
	patch := fmt.Appendf(nil, `{"spec":{"renewTime":%q}}`, time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"))
	leases := c.Client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	_, _ = leases.Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{})
}
