// Package coreview turns the taints and tolerations of Kubernetes' internal API
// and those of the library into each other. It decides nothing.
package coreview

import (
	"github.com/seed-0529bac1/taints"
	"k8s.io/kubernetes/pkg/apis/core"
)

func Taints(list []core.Taint) (out []taints.Taint) {
	for _, t := range list { // the time does not matter for validation
		out = append(out, taints.Taint{Key: t.Key, Value: t.Value, Effect: taints.Effect(t.Effect)})
	}
	return out
}

func Tolerations(list []core.Toleration) (out []taints.Toleration) {
	for _, t := range list {
		out = append(out, Toleration(t))
	}
	return out
}

func Toleration(t core.Toleration) taints.Toleration {
	return taints.Toleration{Key: t.Key, Operator: taints.Operator(t.Operator), Value: t.Value, Effect: taints.Effect(t.Effect), TolerationSeconds: t.TolerationSeconds}
}

func CoreTolerations(list []taints.Toleration) (out []core.Toleration) {
	for _, t := range list {
		out = append(out, core.Toleration{Key: t.Key, Operator: core.TolerationOperator(t.Operator), Value: t.Value, Effect: core.TaintEffect(t.Effect), TolerationSeconds: t.TolerationSeconds})
	}
	return out
}
