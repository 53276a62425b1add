package helpers

import (
	"github.com/seed-0529bac1/taints"
	v1 "k8s.io/api/core/v1"
	"owntests.example/view"
)

func addOrUpdateTaint(node *v1.Node, taint *v1.Taint) (*v1.Node, bool) {
	return changed(node, taints.Changes{Add: []taints.Taint{view.Taint(*taint)}})
}

func removeTaint(node *v1.Node, taint *v1.Taint) (*v1.Node, bool) {
	return changed(node, taints.Removal(view.Taint(*taint)))
}

func changed(node *v1.Node, c taints.Changes) (*v1.Node, bool) {
	newNode := node.DeepCopy()
	list, ok := c.Apply(view.Taints(node.Spec.Taints))
	if ok {
		newNode.Spec.Taints = view.CoreTaints(list)
	}
	return newNode, ok
}

func deleteTaint(list []v1.Taint, taintToDelete *v1.Taint) ([]v1.Taint, bool) {
	left, deleted := taints.Removal(view.Taint(*taintToDelete)).Apply(view.Taints(list))
	return view.CoreTaints(left), deleted
}

func taintExists(list []v1.Taint, taintToFind *v1.Taint) bool {
	_, found := taints.FindTaint(view.Taints(list), view.Taint(*taintToFind).ID())
	return found
}
