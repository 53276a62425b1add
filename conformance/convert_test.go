package conformance

import (
	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/apis/core"
)

// The conversions go field by field, so that they depend on nothing but the names. Nil stays nil.

func fromTaint(t corev1.Taint) taints.Taint {
	out := taints.Taint{Key: t.Key, Value: t.Value, Effect: taints.Effect(t.Effect)}
	if t.TimeAdded != nil {
		at := t.TimeAdded.Time
		out.TimeAdded = &at
	}
	return out
}

func fromToleration(t corev1.Toleration) taints.Toleration {
	return taints.Toleration{
		Key:               t.Key,
		Operator:          taints.Operator(t.Operator),
		Value:             t.Value,
		Effect:            taints.Effect(t.Effect),
		TolerationSeconds: copied(t.TolerationSeconds),
	}
}

func toToleration(t taints.Toleration) corev1.Toleration {
	return corev1.Toleration{
		Key:               t.Key,
		Operator:          corev1.TolerationOperator(t.Operator),
		Value:             t.Value,
		Effect:            corev1.TaintEffect(t.Effect),
		TolerationSeconds: copied(t.TolerationSeconds),
	}
}

// toCoreTaint returns the taint as the API server holds it.
func toCoreTaint(t corev1.Taint) core.Taint {
	return core.Taint{Key: t.Key, Value: t.Value, Effect: core.TaintEffect(t.Effect), TimeAdded: t.TimeAdded}
}

// toCoreToleration returns the toleration as the API server holds it.
func toCoreToleration(t corev1.Toleration) core.Toleration {
	return core.Toleration{
		Key:               t.Key,
		Operator:          core.TolerationOperator(t.Operator),
		Value:             t.Value,
		Effect:            core.TaintEffect(t.Effect),
		TolerationSeconds: copied(t.TolerationSeconds),
	}
}

func fromCoreToleration(t core.Toleration) corev1.Toleration {
	return corev1.Toleration{
		Key:               t.Key,
		Operator:          corev1.TolerationOperator(t.Operator),
		Value:             t.Value,
		Effect:            corev1.TaintEffect(t.Effect),
		TolerationSeconds: copied(t.TolerationSeconds),
	}
}

func each[T, U any](list []T, convert func(T) U) []U {
	if list == nil {
		return nil
	}
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = convert(x)
	}
	return out
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
