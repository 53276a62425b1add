// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"hash/maphash"
	"math"
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
		small.Status.ObservedGeneration = max(sizeOf(obj), int64(obj.Size()))
		*obj = small
	case *corev1.Node:
		*obj = corev1.Node{
			ObjectMeta: stripMeta(&obj.ObjectMeta),
			Spec:       corev1.NodeSpec{Taints: obj.Spec.Taints},
		}
	}
	return obj, nil
}

// sizeOf returns how many bytes a pod has that was stripped, which it has in a field that
// the controller does not read.
func sizeOf(obj *corev1.Pod) int64 { return obj.Status.ObservedGeneration }

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
	// largePod is how many bytes make a pod large.
	largePod = 64 << 10
	// tooMany is the operator of a toleration that stands for more than that. Its value
	// changes with them.
	tooMany = "taints-evictor/TooMany"
)

// stripTolerations returns the tolerations that can match NoExecute, each once.
func stripTolerations(list []corev1.Toleration) []corev1.Toleration {
	k := newKeeper()
	for i := range list {
		k.add(&list[i])
	}
	return k.list()
}

// A keeper keeps the tolerations of a pod that can match NoExecute, each once.
type keeper struct {
	kept   []corev1.Toleration
	text   int  // bytes of it
	many   bool // there are more
	digest maphash.Hash
}

var seed = maphash.MakeSeed()

func newKeeper() *keeper {
	k := &keeper{}
	k.digest.SetSeed(seed)
	return k
}

func (k *keeper) add(t *corev1.Toleration) {
	maphash.WriteComparable(&k.digest, ptr.Deref(t.TolerationSeconds, math.MinInt64))
	maphash.WriteComparable(&k.digest, [...]string{t.Key, string(t.Operator), t.Value, string(t.Effect)})
	same := func(kept corev1.Toleration) bool {
		return kept.MatchToleration(t) && ptr.Equal(kept.TolerationSeconds, t.TolerationSeconds)
	}
	if k.many || t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectPreferNoSchedule || slices.ContainsFunc(k.kept, same) {
		return
	}
	k.text += len(t.Key) + len(t.Operator) + len(t.Value) + len(t.Effect)
	k.many = len(k.kept) == maxTolerations || k.text > maxText
	k.kept = append(k.kept, *t)
}

func (k *keeper) list() []corev1.Toleration {
	if k.many {
		return []corev1.Toleration{{Operator: tooMany, Value: strconv.FormatUint(k.digest.Sum64(), 36)}}
	}
	return slices.Clone(k.kept) // without room for more
}

func hasTooMany(list []corev1.Toleration) bool { return len(list) == 1 && list[0].Operator == tooMany }

// mustAsk reports whether the cache does not say which tolerations of the pod match the
// node's taints. The caller holds the mutex.
func (c *Controller) mustAsk(p *pod) bool {
	n := c.nodes[p.node]
	return n != nil && p.asked != n && hasTooMany(p.tolerations) && (!p.evicted || c.options.DryRun)
}

// ask asks the API server for a pod that has more tolerations than the cache keeps,
// keeps those that decide about its node's taints, and checks the pod.
func (c *Controller) ask(ctx context.Context, p *pod) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	c.mu.Lock()
	n, must := c.nodes[p.node], c.mustAsk(p)
	c.mu.Unlock()
	if !must {
		return nil
	}
	q := &question{taints: n.taints, forDevices: c.options.Policy.ForDevices, best: make([]answer, len(n.taints))}
	var obj corev1.Pod
	if err := c.live.Get(context.WithValue(ctx, questionKey{}, q), p.NamespacedName, &obj); client.IgnoreNotFound(err) != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if obj.UID != p.uid || !equality.Semantic.DeepEqual(obj.Spec.Tolerations, p.tolerations) {
		return errStale
	}
	p.asked, p.understood = n, q.deciding()
	c.understands(ctx, p.NamespacedName, !q.unknown, p.understood)
	c.check(ctx, p.NamespacedName)
	return nil
}

// A question is which tolerations of a pod decide about the taints. It is a value of the
// context of a read, and sees them as they arrive.
type question struct {
	taints     []taints.Taint
	forDevices bool
	best       []answer // for each taint
	seen       int
	unknown    bool
}

type questionKey struct{}

// An answer is a toleration, and how many the pod has up to it.
type answer struct {
	taints.Toleration
	number int
}

func (q *question) add(t *corev1.Toleration) {
	list, unknown := understand([]taints.Toleration{kube.Toleration(*t)})
	q.seen++
	q.unknown = q.unknown || unknown
	for i, taint := range q.taints {
		best := &q.best[i]
		if (best.number == 0 || q.forDevices && rank(list[0]) < rank(best.Toleration)) && list[0].Tolerates(taint) {
			*best = answer{list[0], q.seen}
		}
	}
}

// deciding returns the tolerations that decide, in their order.
func (q *question) deciding() (few []taints.Toleration) {
	slices.SortFunc(q.best, func(a, b answer) int { return a.number - b.number })
	for _, a := range q.best {
		if a.number > 0 {
			few = append(few, a.Toleration)
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
