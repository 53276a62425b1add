// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// startKubelets does for pods what the kubelets of their nodes do, as far as the API
// server sees it, if the options request it. Pods run and are ready as soon as they
// have a node, and disappear when they are deleted. A node without a heartbeat does
// nothing. Each pod is checked again every few seconds, because a node may come back.
func (c *Cluster) startKubelets() {
	if !c.options.Kubelets {
		return
	}
	factory := informers.NewSharedInformerFactoryWithOptions(c.Client, kubeletResync,
		informers.WithTweakListOptions(func(o *metav1.ListOptions) {
			o.FieldSelector = fields.OneTermNotEqualSelector("spec.nodeName", "").String()
		}))
	informer := factory.Core().V1().Pods().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.runPod(obj.(*corev1.Pod)) },
		UpdateFunc: func(_, obj any) { c.runPod(obj.(*corev1.Pod)) },
	})
	c.must(err)
	factory.Start(c.ctx.Done())
}

// kubeletResync is how often each pod is checked.
const kubeletResync = heartbeatInterval

var running = []byte(`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"},{"type":"ContainersReady","status":"True"}]}}`)

// runPod advances a pod of a node that has a heartbeat by one step. A step that
// fails is tried again at the next check.
func (c *Cluster) runPod(pod *corev1.Pod) {
	pods := c.Client.CoreV1().Pods(pod.Namespace)
	switch {
	case !c.beats(pod.Spec.NodeName):
	case pod.DeletionTimestamp != nil:
		_ = pods.Delete(c.ctx, pod.Name, metav1.DeleteOptions{
			GracePeriodSeconds: new(int64),
			Preconditions:      &metav1.Preconditions{UID: &pod.UID},
		})
	case pod.Status.Phase == corev1.PodPending:
		_, _ = pods.Patch(c.ctx, pod.Name, types.StrategicMergePatchType, running, metav1.PatchOptions{}, "status")
	}
}
