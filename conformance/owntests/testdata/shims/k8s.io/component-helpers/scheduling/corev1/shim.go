package corev1

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
)

func TolerationsTolerateTaint(_ klog.Logger, tolerations []v1.Toleration, taint *v1.Taint, enableComparisonOperators bool) bool {
	_, ok := taints.Options{NoComparison: !enableComparisonOperators}.Compile(kube.Tolerations(tolerations)).Match(kube.Taint(*taint))
	return ok
}

func FindMatchingUntoleratedTaint(_ klog.Logger, list []v1.Taint, tolerations []v1.Toleration, inclusionFilter taintsFilterFunc, enableComparisonOperators bool) (v1.Taint, bool) {
	m := taints.Options{NoComparison: !enableComparisonOperators}.Compile(kube.Tolerations(tolerations))
	for i := range m.Untolerated(kube.Taints(list), taints.AllEffects) {
		if inclusionFilter == nil || inclusionFilter(&list[i]) {
			return list[i], true
		}
	}
	return v1.Taint{}, false
}
