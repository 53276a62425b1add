package helper

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"
)

func GetMatchingTolerations(_ klog.Logger, list []v1.Taint, tolerations []v1.Toleration) (bool, []v1.Toleration) {
	comparison := utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators)
	m := taints.Options{NoComparison: !comparison}.Compile(kube.Tolerations(tolerations))
	result := []v1.Toleration{}
	for _, t := range list {
		i, ok := m.Match(kube.Taint(t))
		if !ok {
			return false, []v1.Toleration{}
		}
		result = append(result, tolerations[i])
	}
	return true, result
}

func IsExtendedResourceName(name v1.ResourceName) bool {
	return kube.IsExtendedResource(name)
}
