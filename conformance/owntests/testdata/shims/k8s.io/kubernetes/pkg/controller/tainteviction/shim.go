package tainteviction

import (
	"context"
	"strconv"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"
)

// getMinTolerationTime asks about a taint for each toleration.
func getMinTolerationTime(tolerations []v1.Toleration) time.Duration {
	if len(tolerations) == 0 {
		return 0
	}
	var marks []taints.Taint
	var list []taints.Toleration
	for i, t := range tolerations {
		mark := taints.Taint{Key: strconv.Itoa(i), Effect: taints.NoExecute}
		toleration := mark.Toleration()
		toleration.TolerationSeconds = t.TolerationSeconds
		marks, list = append(marks, mark), append(list, toleration)
	}
	e := taints.EvictionOf(marks, list, time.Time{})
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
	e := taints.Options{NoComparison: !comparison}.Compile(kube.Tolerations(tolerations)).EvictionOf(kube.Taints(list), now)
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
