package main

import (
	"fmt"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
)

func main() {
	node := []corev1.Taint{{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule}}
	fmt.Println(taints.Filter(kube.Taints(node), nil))
}
