package corev1

import (
	"github.com/seed-0529bac1/taints"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"owntests.example/view"
)

//owntests:removes getFilteredTaints

func TolerationsTolerateTaint(_ klog.Logger, tolerations []v1.Toleration, taint *v1.Taint, enableComparisonOperators bool) bool {
	_, ok := taints.Options{NoComparison: !enableComparisonOperators}.Compile(view.Tolerations(tolerations)).Match(view.Taint(*taint))
	return ok
}

func FindMatchingUntoleratedTaint(_ klog.Logger, list []v1.Taint, tolerations []v1.Toleration, inclusionFilter taintsFilterFunc, enableComparisonOperators bool) (v1.Taint, bool) {
	m := taints.Options{NoComparison: !enableComparisonOperators}.Compile(view.Tolerations(tolerations))
	for i := range m.Untolerated(view.Taints(list), taints.AllEffects) {
		if inclusionFilter == nil || inclusionFilter(&list[i]) {
			return list[i], true
		}
	}
	return v1.Taint{}, false
}
