package util

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	v1 "k8s.io/api/core/v1"
)

func AddOrUpdateDaemonPodTolerations(spec *v1.PodSpec) {
	var more []string
	if spec.HostNetwork {
		more = append(more, taints.NodeNetworkUnavailable)
	}
	spec.Tolerations = kube.CoreTolerations(taints.AddDaemonSetDefaults(kube.Tolerations(spec.Tolerations), more...))
}
