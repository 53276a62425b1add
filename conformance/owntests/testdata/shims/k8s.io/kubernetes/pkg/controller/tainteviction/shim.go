package tainteviction

import (
	"context"
	"time"

	"github.com/seed-0529bac1/taints"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"
	"owntests.example/view"
)

//owntests:calls String cancelWorkWithEvent GetWorkerUnsafe AddWork NewWorkArgs

// getMinTolerationTime makes all tolerations match. The shortest one counts.
func getMinTolerationTime(tolerations []v1.Toleration) time.Duration {
	var list []taints.Toleration
	for _, t := range tolerations {
		list = append(list, taints.Toleration{Operator: taints.OpExists, TolerationSeconds: t.TolerationSeconds})
	}
	policy := taints.EvictionPolicy{Select: taints.ShortestMatch}
	e := policy.EvictionOf([]taints.Taint{{Key: "any", Effect: taints.NoExecute}}, list, time.Time{})
	if e.Outcome == taints.Stays {
		return -1
	}
	return e.At.Sub(time.Time{})
}

func (tc *Controller) processPodOnNode(
	ctx context.Context,
	podNamespacedName types.NamespacedName,
	nodeName string,
	tolerations []v1.Toleration,
	list []v1.Taint,
	now time.Time,
) {
	logger := klog.FromContext(ctx)
	comparison := utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators)
	e := taints.Options{NoComparison: !comparison}.EvictionOf(view.Taints(list), view.Tolerations(tolerations), now)
	args := NewWorkArgs(podNamespacedName.Name, podNamespacedName.Namespace)
	switch {
	case e.Outcome == taints.Stays:
		tc.cancelWorkWithEvent(logger, podNamespacedName)
	case !e.Tolerated:
		tc.cancelWorkWithEvent(logger, podNamespacedName)
		tc.taintEvictionQueue.AddWork(ctx, args, now, now)
	default:
		if scheduled := tc.taintEvictionQueue.GetWorkerUnsafe(podNamespacedName.String()); scheduled != nil {
			if scheduled.CreatedAt.Before(e.From) {
				return
			}
			tc.cancelWorkWithEvent(logger, podNamespacedName)
		}
		tc.taintEvictionQueue.AddWork(ctx, args, e.From, e.At)
	}
}
