package pod

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

func ToleratesDisruptedNoScheduleTaint(pod *corev1.Pod) bool {
	_, ok := taints.Match(kube.Taint(v1.DisruptedNoScheduleTaint), kube.Tolerations(pod.Spec.Tolerations))
	return ok
}
