package taints

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
)

func RemoveNodeTaint(node *corev1.Node, drop corev1.Taint) (changed bool) {
	remove := taints.Changes{Remove: []taints.TaintID{kube.Taint(drop).ID()}}
	node.Spec.Taints, changed = kube.Apply(node.Spec.Taints, remove)
	return changed
}

func HasTaint(list []corev1.Taint, target corev1.Taint) bool {
	_, found := kube.FindTaint(list, kube.Taint(target).ID())
	return found
}

func EnsureNodeTaint(node *corev1.Node, taint corev1.Taint) (changed bool) {
	node.Spec.Taints, changed = kube.Ensure(node.Spec.Taints, taints.Changes{Add: []taints.Taint{kube.Taint(taint)}})
	return changed
}
