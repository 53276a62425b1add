// The program uses client-go, which comes with a version of Kubernetes.
package main

import (
	"fmt"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/dra"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/util/connrotation"
)

func main() {
	_ = connrotation.NewDialer
	node := []corev1.Taint{{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule}}
	device := []resourceapi.DeviceTaint{{Key: "broken", Effect: resourceapi.DeviceTaintEffectNone}}
	fmt.Println(taints.Filter(kube.Taints(node), nil), dra.Options().Compile().Filter(dra.Taints(device)).Schedulable())
}
