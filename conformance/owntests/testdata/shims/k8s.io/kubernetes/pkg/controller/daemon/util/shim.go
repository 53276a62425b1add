package util

import (
	"github.com/seed-0529bac1/taints"
	v1 "k8s.io/api/core/v1"
	"owntests.example/view"
)

func AddOrUpdateDaemonPodTolerations(spec *v1.PodSpec) {
	tolerations := taints.AddDaemonSetDefaults(view.Tolerations(spec.Tolerations))
	if spec.HostNetwork {
		tolerations = taints.AddNetworkUnavailable(tolerations)
	}
	spec.Tolerations = view.CoreTolerations(tolerations)
}
