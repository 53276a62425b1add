package pod

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	api "k8s.io/kubernetes/pkg/apis/core"
	"owntests.example/coreview"
)

// taintTolerationComparisonOperatorsInUse asks the library which tolerations it
// would match if the gate were on.
func taintTolerationComparisonOperatorsInUse(podSpec *api.PodSpec) bool {
	if podSpec == nil {
		return false
	}
	for _, t := range coreview.Tolerations(podSpec.Tolerations) {
		m := taints.Options{NoComparison: true}.Compile([]taints.Toleration{t})
		taint := taints.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect}
		if explain.Taint(m, taint).Mismatch() == explain.MismatchNoComparison {
			return true
		}
	}
	return false
}
