// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"hash/maphash"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
)

// strip reduces a pod or node to the parts that the controller reads. A pod takes at
// most about 6 KiB then, whatever its author writes.
func strip(obj any) (any, error) {
	switch obj := obj.(type) {
	case *corev1.Pod:
		small := corev1.Pod{
			ObjectMeta: stripMeta(&obj.ObjectMeta),
			Spec:       corev1.PodSpec{NodeName: obj.Spec.NodeName, Tolerations: stripTolerations(obj.Spec.Tolerations)},
		}
		if _, c := podutil.GetPodCondition(&obj.Status, corev1.PodScheduled); c != nil {
			small.Status.Conditions = []corev1.PodCondition{{Type: c.Type, Status: c.Status, LastTransitionTime: c.LastTransitionTime}}
		}
		*obj = small
	case *corev1.Node:
		*obj = corev1.Node{
			ObjectMeta: stripMeta(&obj.ObjectMeta),
			Spec:       corev1.NodeSpec{Taints: obj.Spec.Taints},
		}
	}
	return obj, nil
}

func stripMeta(meta *metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace:         meta.Namespace,
		Name:              meta.Name,
		UID:               meta.UID,
		ResourceVersion:   meta.ResourceVersion,
		Generation:        meta.Generation,
		CreationTimestamp: meta.CreationTimestamp,
		DeletionTimestamp: meta.DeletionTimestamp,
	}
}

const (
	// maxTolerations and maxText are how many tolerations that can match NoExecute the
	// cache keeps of a pod, and how many bytes of text they may have.
	maxTolerations = 30
	maxText        = 2048
	// tooMany is the operator of a toleration that stands for more than that. Its value
	// changes with them.
	tooMany = "taints-evictor/TooMany"
)

var seed = maphash.MakeSeed()

// stripTolerations returns the tolerations that can match NoExecute, each once.
func stripTolerations(list []corev1.Toleration) (kept []corev1.Toleration) {
	text := 0
	for _, t := range list {
		same := func(k corev1.Toleration) bool {
			return k.MatchToleration(&t) && ptr.Equal(k.TolerationSeconds, t.TolerationSeconds)
		}
		if t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectPreferNoSchedule || slices.ContainsFunc(kept, same) {
			continue
		}
		if text += len(t.Key) + len(t.Operator) + len(t.Value) + len(t.Effect); len(kept) == maxTolerations || text > maxText {
			return []corev1.Toleration{{Operator: tooMany, Value: digest(list)}}
		}
		kept = append(kept, t)
	}
	return slices.Clone(kept) // without room for more
}

func digest(list []corev1.Toleration) string {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, t := range list {
		seconds := ptr.Deref(t.TolerationSeconds, -1)
		t.TolerationSeconds = nil
		maphash.WriteComparable(&h, t)
		maphash.WriteComparable(&h, seconds)
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

func hasTooMany(list []corev1.Toleration) bool { return len(list) == 1 && list[0].Operator == tooMany }

// mustAsk reports whether the cache does not say which tolerations of the pod match the
// node's taints. The caller holds the mutex.
func (c *Controller) mustAsk(p *pod) bool {
	n := c.nodes[p.node]
	return n != nil && p.asked != n && hasTooMany(p.tolerations) && (!p.evicted || c.options.DryRun)
}

// ask asks the API server for a pod that has more tolerations than the cache keeps, and
// keeps those that decide about its node's taints.
func (c *Controller) ask(ctx context.Context, p *pod) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	c.mu.Lock()
	n := c.nodes[p.node]
	c.mu.Unlock()
	if n == nil {
		return postponed, nil
	}
	var obj corev1.Pod
	if err := c.live.Get(ctx, p.NamespacedName, &obj); client.IgnoreNotFound(err) != nil {
		return outcome(err), err
	}
	digested := stripTolerations(obj.Spec.Tolerations)
	list, unknown := understand(kube.Tolerations(obj.Spec.Tolerations))
	list = deciding(list, n.taints, c.options.Policy.ForDevices)
	c.mu.Lock()
	defer c.mu.Unlock()
	if obj.UID != p.uid || !equality.Semantic.DeepEqual(digested, p.tolerations) {
		return stale, errStale
	}
	p.asked, p.understood = n, list
	c.understands(ctx, p.NamespacedName, !unknown, list)
	return postponed, nil
}

// deciding returns the tolerations that decide about the taints, in their order.
func deciding(list []taints.Toleration, about []taints.Taint, forDevices bool) (few []taints.Toleration) {
	decides := map[int]bool{}
	for _, taint := range about {
		best := -1
		for i, t := range list {
			if (best < 0 || forDevices && rank(t) < rank(list[best])) && t.Tolerates(taint) {
				best = i
			}
		}
		decides[best] = true
	}
	for i, t := range list {
		if decides[i] {
			few = append(few, t)
		}
	}
	return few
}

// rank orders tolerations by the rule for devices: the least one decides.
func rank(t taints.Toleration) int64 {
	if t.TolerationSeconds == nil {
		return -1
	}
	return max(*t.TolerationSeconds, 0)
}
