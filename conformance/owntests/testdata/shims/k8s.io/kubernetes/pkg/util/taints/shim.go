package taints

import (
	"errors"
	"strings"

	library "github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	v1 "k8s.io/api/core/v1"
	"owntests.example/view"
)

func ParseTaints(spec []string) ([]v1.Taint, []v1.Taint, error) {
	c, err := library.ParseChanges(spec...)
	return kube.CoreTaints(c.Add), view.Removals(c), err
}

func CheckIfTaintsAlreadyExists(oldTaints, list []v1.Taint) string {
	var keys []string
	var all library.ErrorList
	_, err := kube.ApplyStrict(oldTaints, library.Changes{Add: kube.Taints(list)}, false)
	if errors.As(err, &all) {
		for _, f := range all {
			if f.Kind == library.ErrForbidden {
				keys = append(keys, list[f.Index].Key)
			}
		}
	}
	return strings.Join(keys, ",")
}

func DeleteTaintsByKey(list []v1.Taint, taintKey string) ([]v1.Taint, bool) {
	return kube.Apply(list, library.Changes{RemoveKeys: []string{taintKey}})
}

func DeleteTaint(list []v1.Taint, taintToDelete *v1.Taint) ([]v1.Taint, bool) {
	return kube.Apply(list, library.Changes{Remove: []library.TaintID{kube.Taint(*taintToDelete).ID()}})
}

func RemoveTaint(node *v1.Node, taint *v1.Taint) (*v1.Node, bool, error) {
	return changed(node, library.Changes{Remove: []library.TaintID{kube.Taint(*taint).ID()}})
}

// AddOrUpdateTaint rewrites a taint that has another time, as the controllers
// that call it expect.
func AddOrUpdateTaint(node *v1.Node, taint *v1.Taint) (*v1.Node, bool, error) {
	t, from := kube.Taint(*taint), node
	if i, found := kube.FindTaint(node.Spec.Taints, t.ID()); found && !kube.Taint(node.Spec.Taints[i]).Equal(t) {
		from, _, _ = RemoveTaint(node, taint)
	}
	return changed(from, library.Changes{Add: []library.Taint{t}})
}

func changed(node *v1.Node, c library.Changes) (newNode *v1.Node, ok bool, err error) {
	newNode = node.DeepCopy()
	newNode.Spec.Taints, ok = kube.Apply(newNode.Spec.Taints, c)
	return newNode, ok, nil
}

func TaintExists(list []v1.Taint, taintToFind *v1.Taint) bool {
	_, found := kube.FindTaint(list, kube.Taint(*taintToFind).ID())
	return found
}

func TaintSetDiff(taintsNew, taintsOld []v1.Taint) (taintsToAdd, taintsToRemove []*v1.Taint) {
	c := library.Reconcile(kube.Taints(taintsOld), kube.Taints(taintsOld), kube.Taints(taintsNew))
	for i := range c.Add {
		taintsToAdd = append(taintsToAdd, &kube.CoreTaints(c.Add)[i])
	}
	for _, id := range c.Remove {
		i, _ := kube.FindTaint(taintsOld, id)
		taintsToRemove = append(taintsToRemove, &taintsOld[i])
	}
	return taintsToAdd, taintsToRemove
}

// CheckTaintValidation allows a taint without an effect.
func CheckTaintValidation(taint v1.Taint) error {
	t := kube.Taint(taint)
	if t.Effect == "" {
		t.Effect = library.NoSchedule
	}
	return t.Validate()
}
