// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-helpers/apimachinery/lease"
	nodeutil "k8s.io/component-helpers/node/util"
	"k8s.io/klog/v2"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	schedulertesting "k8s.io/kubernetes/pkg/scheduler/testing"
	taintutils "k8s.io/kubernetes/pkg/util/taints"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints"
)

// Node returns a ready node with 16 CPUs, 64 GiB of memory, room for 110 pods, labels
// with its name and linux, and the taints. It is not in the cluster yet, so a
// test can change it: see [Cluster.AddNodes].
func Node(name string, taints ...corev1.Taint) *corev1.Node {
	room := map[corev1.ResourceName]string{corev1.ResourceCPU: "16", corev1.ResourceMemory: "64Gi", corev1.ResourcePods: "110"}
	return schedulertesting.MakeNode().Name(name).Taints(taints).Capacity(room).
		Label(corev1.LabelHostname, name).Label(corev1.LabelOSStable, "linux").
		Condition(corev1.NodeReady, corev1.ConditionTrue, "", "KubeletReady").Obj()
}

// Pod returns a pod in the namespace default with one container that requests
// nothing, the tolerations, and a terminationGracePeriodSeconds of 0, so that it is
// removed at once when it is deleted. It is not in the cluster yet.
func Pod(name string, tolerations ...corev1.Toleration) *corev1.Pod {
	return schedulertesting.MakePod().Name(name).Namespace(metav1.NamespaceDefault).Tolerations(tolerations).
		Container("none").TerminationGracePeriodSeconds(0).Obj()
}

// AddNodes creates the nodes, each with a heartbeat and with all that [Node] gives it
// unless it has that, and waits until the controller manager has removed the taint
// not-ready from them.
func (c *Cluster) AddNodes(nodes ...*corev1.Node) {
	c.tb.Helper()
	for _, given := range nodes {
		node := Node(given.Name)
		node.Spec = given.Spec
		maps.Copy(node.Labels, given.Labels)
		maps.Copy(node.Status.Allocatable, given.Status.Allocatable)
		_, err := c.Client.CoreV1().Nodes().Create(c.Context(), node, metav1.CreateOptions{})
		c.Must(err)
		c.beat(node.Name)
	}
	for _, node := range nodes {
		c.UntilTainted("a new node is ready", node.Name, func(list []corev1.Taint) bool {
			return !taintutils.TaintKeyExists(list, corev1.TaintNodeNotReady)
		})
	}
}

// UntilTainted waits until the taints of a node are right.
func (c *Cluster) UntilTainted(what, node string, right func([]corev1.Taint) bool) {
	c.tb.Helper()
	c.Eventually(what, func() error {
		now, err := c.Client.CoreV1().Nodes().Get(c.Context(), node, metav1.GetOptions{})
		if err == nil && !right(now.Spec.Taints) {
			err = fmt.Errorf("the taints of %s are %v", node, now.Spec.Taints)
		}
		return err
	})
}

// SetTaints gives a node these taints and no others.
func (c *Cluster) SetTaints(node string, list ...taints.Taint) {
	c.tb.Helper()
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"taints": list}})
	c.Must(err)
	_, err = c.Client.CoreV1().Nodes().Patch(c.Context(), node, types.MergePatchType, patch, metav1.PatchOptions{})
	c.Must(err)
}

// Condition returns the pod's condition of a type, or a zero condition.
func Condition(pod *corev1.Pod, kind corev1.PodConditionType) corev1.PodCondition {
	_, condition := podutil.GetPodCondition(&pod.Status, kind)
	return ptr.Deref(condition, corev1.PodCondition{})
}

// Pending returns the scheduler's message about a pod that it did not place. It is
// empty for a pod that is placed or that no scheduler has looked at.
func Pending(pod *corev1.Pod) string { return Condition(pod, corev1.PodScheduled).Message }

// Settled reports whether the pod has a node, or a scheduler has looked at it.
func Settled(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" || Pending(pod) != "" }

// Pods returns the pods of a namespace by name.
func (c *Cluster) Pods(namespace string) map[string]*corev1.Pod {
	c.tb.Helper()
	list, err := c.Client.CoreV1().Pods(namespace).List(c.Context(), metav1.ListOptions{})
	c.Must(err)
	pods := make(map[string]*corev1.Pod, len(list.Items))
	for i := range list.Items {
		pods[list.Items[i].Name] = &list.Items[i]
	}
	return pods
}

// A Sighting is when a watch first saw a pod on a node, when the pod was gone, and the
// reason of its condition DisruptionTarget then.
type Sighting struct {
	Bound, Gone time.Time
	Reason      string
}

// WatchPods watches the pods of the namespace default until the test ends, with an
// informer: the API server may end a watch at any time. The function returns what was
// seen so far, by the names of the pods.
func (c *Cluster) WatchPods() (seen func() map[string]Sighting) {
	c.tb.Helper()
	var mu sync.Mutex
	sightings := map[string]Sighting{}
	see := func(object any, gone time.Time) {
		if missed, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = missed.Obj
		}
		mu.Lock()
		defer mu.Unlock()
		pod := object.(*corev1.Pod)
		s := sightings[pod.Name]
		if s.Bound.IsZero() && pod.Spec.NodeName != "" {
			s.Bound = time.Now()
		}
		s.Gone, s.Reason = gone, Condition(pod, corev1.DisruptionTarget).Reason
		sightings[pod.Name] = s
	}
	factory := informers.NewSharedInformerFactoryWithOptions(c.Client, 0, informers.WithNamespace(metav1.NamespaceDefault))
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(pod any) { see(pod, time.Time{}) },
		UpdateFunc: func(_, pod any) { see(pod, time.Time{}) },
		DeleteFunc: func(pod any) { see(pod, time.Now()) },
	})
	c.Must(err)
	factory.Start(c.Context().Done())
	factory.WaitForCacheSync(c.Context().Done())
	return func() map[string]Sighting {
		mu.Lock()
		defer mu.Unlock()
		return maps.Clone(sightings)
	}
}

// StopHeartbeat stops the nodes' heartbeats, as when their machines fail: the
// controller manager finds them unreachable after its --node-monitor-grace-period.
func (c *Cluster) StopHeartbeat(nodes ...string) {
	for _, node := range nodes {
		if stop, ok := c.heartbeats.LoadAndDelete(node); ok {
			stop.(context.CancelFunc)()
		}
	}
}

// StartHeartbeat resumes the heartbeat of a node, and reports the node as ready, as
// a kubelet does when it is back.
func (c *Cluster) StartHeartbeat(node string) {
	c.tb.Helper()
	c.beat(node)
	c.Must(nodeutil.SetNodeCondition(c.Client, types.NodeName(node), corev1.NodeCondition{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
		Message: "kubelet is posting ready status", LastTransitionTime: metav1.Now(),
	}))
}

// beat renews the lease of a node every two seconds until StopHeartbeat, with the
// kubelet's own code. A failure is not reported: a kubelet does not stop either, and a
// node without heartbeats is noticed.
func (c *Cluster) beat(node string) {
	ctx, stop := context.WithCancel(klog.NewContext(c.ctx, logr.Discard()))
	c.heartbeats.Store(node, stop)
	renewal := lease.NewController(clock.RealClock{}, c.Client, node, 40, nil, 2*time.Second, node, corev1.NamespaceNodeLease, nil)
	go renewal.Run(ctx)
}

var running = []byte(`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"},{"type":"ContainersReady","status":"True"}]}}`)

// runPods does for pods what the kubelets of their nodes do, as far as the API server
// sees it. Pods that have a node run and are ready, and disappear when they are deleted.
// A node without a heartbeat does nothing. What fails is tried again the next time.
func (c *Cluster) runPods(ctx context.Context) {
	list, err := c.Client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName!="})
	if err != nil {
		return
	}
	for _, pod := range list.Items {
		pods := c.Client.CoreV1().Pods(pod.Namespace)
		_, beats := c.heartbeats.Load(pod.Spec.NodeName)
		switch {
		case !beats:
		case pod.DeletionTimestamp != nil:
			_ = pods.Delete(ctx, pod.Name, metav1.DeleteOptions{
				GracePeriodSeconds: new(int64),
				Preconditions:      &metav1.Preconditions{UID: &pod.UID},
			})
		case pod.Status.Phase == corev1.PodPending:
			_, _ = pods.Patch(ctx, pod.Name, types.StrategicMergePatchType, running, metav1.PatchOptions{}, "status")
		}
	}
}
