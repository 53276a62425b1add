package v1

import (
	"github.com/seed-0529bac1/taints"

	"k8s.io/klog/v2"
)

func (t *Toleration) ToleratesTaint(_ klog.Logger, taint *Taint, enableComparisonOperators bool) bool {
	toleration := taints.Toleration{Key: t.Key, Operator: taints.Operator(t.Operator), Value: t.Value, Effect: taints.Effect(t.Effect)}
	_, ok := taints.Options{NoComparison: !enableComparisonOperators}.Compile([]taints.Toleration{toleration}).Match(viewed(taint))
	return ok
}

func (t *Taint) MatchTaint(taintToMatch *Taint) bool {
	_, found := taints.FindTaint([]taints.Taint{viewed(t)}, viewed(taintToMatch).ID())
	return found
}

func (t *Taint) ToString() string { return viewed(t).String() }

func compareNumericValues(_ klog.Logger, tolerationVal, taintVal string, op TolerationOperator) bool {
	toleration, taint := taints.Toleration{Operator: taints.Operator(op), Value: tolerationVal}, taints.Taint{Value: taintVal}
	_, off := taints.Options{NoComparison: true}.Compile([]taints.Toleration{toleration}).Match(taint)
	return toleration.Tolerates(taint) && !off
}

func viewed(t *Taint) taints.Taint {
	return taints.Taint{Key: t.Key, Value: t.Value, Effect: taints.Effect(t.Effect)}
}
