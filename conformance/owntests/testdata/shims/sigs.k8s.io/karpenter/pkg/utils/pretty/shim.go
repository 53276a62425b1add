package pretty

import (
	"github.com/seed-0529bac1/taints/kube"
	v1 "k8s.io/api/core/v1"
)

func Taint(t v1.Taint) string { return kube.Taint(t).String() }
