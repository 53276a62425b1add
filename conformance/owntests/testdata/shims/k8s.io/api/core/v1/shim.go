package v1

import (
	"github.com/seed-0529bac1/taints"

	"k8s.io/klog/v2"
)

func (t *Toleration) ToleratesTaint(_ klog.Logger, taint *Taint, enableComparisonOperators bool) bool {
	toleration := taints.Toleration{Key: t.Key, Operator: taints.Operator(t.Operator), Value: t.Value, Effect: taints.Effect(t.Effect)}
	return taints.Options{NoComparison: !enableComparisonOperators}.Tolerates(toleration, viewed(taint))
}

func (t *Taint) MatchTaint(taintToMatch *Taint) bool {
	_, found := taints.FindTaint([]taints.Taint{viewed(t)}, viewed(taintToMatch).ID())
	return found
}

func (t *Taint) ToString() string { return taints.Taint.String(viewed(t)) }

func compareNumericValues(_ klog.Logger, tolerationVal, taintVal string, op TolerationOperator) bool {
	toleration, taint := taints.Toleration{Operator: taints.Operator(op), Value: tolerationVal}, taints.Taint{Value: taintVal}
	return taints.Options{}.Tolerates(toleration, taint) && !taints.Options{NoComparison: true}.Tolerates(toleration, taint)
}

func viewed(t *Taint) taints.Taint {
	return taints.Taint{Key: t.Key, Value: t.Value, Effect: taints.Effect(t.Effect)}
}
