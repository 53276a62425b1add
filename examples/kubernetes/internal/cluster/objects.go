// SPDX-License-Identifier: Apache-2.0

package cluster

import (
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
		_, err := c.Client.CoreV1().Nodes().Create(c.Context(), nodes[i], metav1.CreateOptions{})
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
	if err != nil {
		c.tb.Fatal(err)
	}
	pods := make(map[string]*corev1.Pod, len(list.Items))
	for i := range list.Items {
		pods[list.Items[i].Name] = &list.Items[i]
	}
	return pods
}

// StopHeartbeat stops the nodes' heartbeats, as when their machines fail: the
// controller manager finds them unreachable after its --node-monitor-grace-period.
func (c *Cluster) StopHeartbeat(nodes ...string) { c.heartbeat.set(false, nodes...) }

// StartHeartbeat lets the nodes' heartbeats go on, and has each say that it is
// ready, as a kubelet does when it is back.
func (c *Cluster) StartHeartbeat(nodes ...string) {
	c.tb.Helper()
	c.heartbeat.set(true, nodes...)
	now := time.Now().UTC().Format(time.RFC3339)
	ready := fmt.Appendf(nil,
		`{"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","message":"",`+
			`"lastHeartbeatTime":%q,"lastTransitionTime":%[1]q}]}}`, now)
	c.each(len(nodes), func(i int) error {
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
	on   bool // there is somebody who looks at it
	mu   sync.Mutex
	live map[string]bool
	done sync.WaitGroup
}

func (h *heartbeat) set(on bool, nodes ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.live == nil {
		h.live = map[string]bool{}
	}
	for _, node := range nodes {
		h.live[node] = on
	}
}

func (h *heartbeat) beats(node string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.live[node]
}

func (h *heartbeat) nodes() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var nodes []string
	for node, on := range h.live {
		if on {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// stop waits for the end of the heartbeats, which the end of the cluster's
// context brings about.
func (h *heartbeat) stop() { h.done.Wait() }

func (c *Cluster) startHeartbeat(interval time.Duration) {
	c.heartbeat.on = true
	if interval == 0 {
		interval = heartbeatInterval
	}
	ctx := c.Context()
	c.heartbeat.done.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				for _, node := range c.heartbeat.nodes() {
					c.renewLease(ctx, node)
				}
			}
		}
	})
}

func (c *Cluster) addLease(node string) error {
	now := metav1.NowMicro()
	seconds := int32(40)
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: node, Namespace: corev1.NamespaceNodeLease},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &node, LeaseDurationSeconds: &seconds, RenewTime: &now},
	}
	_, err := c.Client.CoordinationV1().Leases(lease.Namespace).Create(c.Context(), lease, metav1.CreateOptions{})
	c.heartbeat.set(true, node)
	return err
}

// renewLease does not report a failure: a kubelet does not stop either, and a node
// without heartbeats is noticed.
func (c *Cluster) renewLease(ctx context.Context, node string) {
	patch := fmt.Appendf(nil, `{"spec":{"renewTime":%q}}`, time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"))
	leases := c.Client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	_, _ = leases.Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{})
}
