package taints

import (
	"errors"
	"strings"

	library "github.com/seed-0529bac1/taints"
	v1 "k8s.io/api/core/v1"
	"owntests.example/view"
)

//owntests:removes parseTaint validateTaintEffect

func ParseTaints(spec []string) ([]v1.Taint, []v1.Taint, error) {
	c, err := library.ParseChanges(spec...)
	return view.Each(c.Add, view.CoreTaint), view.Removals(c), err
}

func CheckIfTaintsAlreadyExists(oldTaints []v1.Taint, list []v1.Taint) string {
	var keys []string
	var all library.ErrorList
	_, err := library.Changes{Add: view.Taints(list)}.ApplyStrict(view.Taints(oldTaints), false)
	if errors.As(err, &all) {
		for _, f := range all {
			if f.Kind == library.ErrExists {
				keys = append(keys, list[f.Index].Key)
			}
		}
	}
	return strings.Join(keys, ",")
}

func DeleteTaintsByKey(list []v1.Taint, taintKey string) ([]v1.Taint, bool) {
	left, deleted := library.Changes{RemoveKeys: []string{taintKey}}.Apply(view.Taints(list))
	return view.CoreTaints(left), deleted
}

func DeleteTaint(list []v1.Taint, taintToDelete *v1.Taint) ([]v1.Taint, bool) {
	left, deleted := library.Removal(view.Taint(*taintToDelete)).Apply(view.Taints(list))
	return view.CoreTaints(left), deleted
}

func RemoveTaint(node *v1.Node, taint *v1.Taint) (*v1.Node, bool, error) {
	return changed(node, library.Removal(view.Taint(*taint)))
}

// AddOrUpdateTaint rewrites a taint that has another time, as the controllers
// that call it expect.
func AddOrUpdateTaint(node *v1.Node, taint *v1.Taint) (*v1.Node, bool, error) {
	t, from := view.Taint(*taint), node
	if i, found := library.FindTaint(view.Taints(node.Spec.Taints), t.ID()); found && !view.Taint(node.Spec.Taints[i]).Equal(t) {
		from, _, _ = RemoveTaint(node, taint)
	}
	return changed(from, library.Changes{Add: []library.Taint{t}})
}

func changed(node *v1.Node, c library.Changes) (*v1.Node, bool, error) {
	newNode := node.DeepCopy()
	list, ok := c.Apply(view.Taints(node.Spec.Taints))
	if ok {
		newNode.Spec.Taints = view.CoreTaints(list)
	}
	return newNode, ok, nil
}

func TaintExists(list []v1.Taint, taintToFind *v1.Taint) bool {
	_, found := library.FindTaint(view.Taints(list), view.Taint(*taintToFind).ID())
	return found
}

func TaintKeyExists(list []v1.Taint, taintKeyToMatch string) bool {
	_, found := library.FindKey(view.Taints(list), taintKeyToMatch)
	return found
}

func TaintSetDiff(taintsNew, taintsOld []v1.Taint) (taintsToAdd []*v1.Taint, taintsToRemove []*v1.Taint) {
	c := library.Reconcile(view.Taints(taintsOld), view.Taints(taintsOld), view.Taints(taintsNew))
	for _, t := range c.Add {
		added := view.CoreTaint(t)
		taintsToAdd = append(taintsToAdd, &added)
	}
	for _, id := range c.Remove {
		i, _ := library.FindTaint(view.Taints(taintsOld), id)
		removed := taintsOld[i]
		taintsToRemove = append(taintsToRemove, &removed)
	}
	return taintsToAdd, taintsToRemove
}

// CheckTaintValidation allows a taint without an effect.
func CheckTaintValidation(taint v1.Taint) error {
	t := view.Taint(taint)
	if t.Effect == "" {
		t.Effect = library.NoSchedule
	}
	return t.Validate()
}
