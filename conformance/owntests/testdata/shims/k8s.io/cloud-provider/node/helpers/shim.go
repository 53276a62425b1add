package helpers

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	v1 "k8s.io/api/core/v1"
)

func addOrUpdateTaint(node *v1.Node, taint *v1.Taint) (*v1.Node, bool) {
	return changed(node, taints.Changes{Add: []taints.Taint{kube.Taint(*taint)}})
}

func removeTaint(node *v1.Node, taint *v1.Taint) (*v1.Node, bool) {
	return changed(node, taints.Changes{Remove: []taints.TaintID{kube.Taint(*taint).ID()}})
}

func changed(node *v1.Node, c taints.Changes) (newNode *v1.Node, ok bool) {
	newNode = node.DeepCopy()
	newNode.Spec.Taints, ok = kube.Apply(newNode.Spec.Taints, c)
	return newNode, ok
}

func deleteTaint(list []v1.Taint, taintToDelete *v1.Taint) ([]v1.Taint, bool) {
	return kube.Apply(list, taints.Changes{Remove: []taints.TaintID{kube.Taint(*taintToDelete).ID()}})
}

func taintExists(list []v1.Taint, taintToFind *v1.Taint) bool {
	_, found := kube.FindTaint(list, kube.Taint(*taintToFind).ID())
	return found
}
