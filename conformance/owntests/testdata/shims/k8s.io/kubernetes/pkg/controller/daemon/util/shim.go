package util

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	v1 "k8s.io/api/core/v1"
)

func AddOrUpdateDaemonPodTolerations(spec *v1.PodSpec) {
	tolerations := taints.AddDaemonSetDefaults(kube.Tolerations(spec.Tolerations))
	if spec.HostNetwork {
		tolerations = taints.AddNetworkUnavailable(tolerations)
	}
	spec.Tolerations = kube.CoreTolerations(tolerations)
}
