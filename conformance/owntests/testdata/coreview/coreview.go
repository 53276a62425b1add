// Package coreview turns the taints and tolerations of Kubernetes' internal API
// and those of the library into each other. It decides nothing.
package coreview

import (
	"github.com/seed-0529bac1/taints"
	"k8s.io/kubernetes/pkg/apis/core"
	"owntests.example/view"
)

func Taints(list []core.Taint) []taints.Taint {
	return view.Each(list, func(t core.Taint) taints.Taint {
		return taints.Taint{Key: t.Key, Value: t.Value, Effect: taints.Effect(t.Effect)}
	})
}

func Tolerations(list []core.Toleration) []taints.Toleration { return view.Each(list, Toleration) }

func Toleration(t core.Toleration) taints.Toleration {
	return taints.Toleration{Key: t.Key, Operator: taints.Operator(t.Operator), Value: t.Value, Effect: taints.Effect(t.Effect), TolerationSeconds: t.TolerationSeconds}
}

func CoreTolerations(list []taints.Toleration) []core.Toleration {
	return view.Each(list, func(t taints.Toleration) core.Toleration {
		return core.Toleration{Key: t.Key, Operator: core.TolerationOperator(t.Operator), Value: t.Value, Effect: core.TaintEffect(t.Effect), TolerationSeconds: t.TolerationSeconds}
	})
}
