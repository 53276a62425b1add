package util

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	v1 "k8s.io/api/core/v1"
)

func AddOrUpdateDaemonPodTolerations(spec *v1.PodSpec) {
	pod := taints.DaemonSetPod{HostNetwork: spec.HostNetwork}
	spec.Tolerations = kube.CoreTolerations(taints.AddDaemonSetTolerations(kube.Tolerations(spec.Tolerations), pod))
}
