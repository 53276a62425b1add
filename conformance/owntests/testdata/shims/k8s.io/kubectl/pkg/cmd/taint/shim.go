package taint

import (
	"errors"
	"strings"

	"github.com/seed-0529bac1/taints"
	corev1 "k8s.io/api/core/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"owntests.example/view"
)

//owntests:removes parseTaint validateTaintEffect addTaints

func parseTaints(spec []string) ([]corev1.Taint, []corev1.Taint, error) {
	c, err := taints.ParseChanges(spec...)
	return view.Each(c.Add, view.CoreTaint), view.Removals(c), err
}

// reorganizeTaints always overwrites. If that is not allowed, kubectl has called
// checkIfTaintsAlreadyExists before.
func reorganizeTaints(node *corev1.Node, overwrite bool, taintsToAdd []corev1.Taint, taintsToRemove []corev1.Taint) (string, []corev1.Taint, error) {
	c := changesOf(taintsToAdd, taintsToRemove)
	current := view.Taints(node.Spec.Taints)
	_, err := c.ApplyStrict(current, true)
	list, _ := c.Apply(current)
	before, after := len(current), len(list)
	operation := UNTAINTED
	switch {
	case len(taintsToAdd) > 0 && len(taintsToRemove) > 0 || overwrite:
		operation = MODIFIED
	case after > before:
		operation = TAINTED
	}
	return operation, view.CoreTaints(list), aggregate(err)
}

func changesOf(add, remove []corev1.Taint) taints.Changes {
	c := taints.Removal(view.Taints(remove)...)
	c.Add = view.Taints(add)
	return c
}

// aggregate returns the faults as separate errors.
func aggregate(err error) error {
	var all taints.ErrorList
	if !errors.As(err, &all) {
		return err
	}
	return utilerrors.NewAggregate(all.Unwrap())
}

func deleteTaints(taintsToRemove []corev1.Taint, newTaints *[]corev1.Taint) ([]error, bool) {
	c, list := changesOf(nil, taintsToRemove), view.Taints(*newTaints)
	errs := []error{}
	if _, err := c.ApplyStrict(list, true); err != nil {
		errs = err.(taints.ErrorList).Unwrap()
	}
	left, changed := c.Apply(list)
	*newTaints = view.CoreTaints(left)
	return errs, changed
}

func checkIfTaintsAlreadyExists(oldTaints []corev1.Taint, add []corev1.Taint) string {
	var keys []string
	var all taints.ErrorList
	_, err := changesOf(add, nil).ApplyStrict(view.Taints(oldTaints), false)
	if errors.As(err, &all) {
		for _, f := range all {
			if f.Kind == taints.ErrExists {
				keys = append(keys, add[f.Index].Key)
			}
		}
	}
	return strings.Join(keys, ",")
}

func deleteTaint(list []corev1.Taint, taintToDelete *corev1.Taint) ([]corev1.Taint, bool) {
	left, deleted := changesOf(nil, []corev1.Taint{*taintToDelete}).Apply(view.Taints(list))
	return view.CoreTaints(left), deleted
}

func deleteTaintsByKey(list []corev1.Taint, taintKey string) ([]corev1.Taint, bool) {
	left, deleted := taints.Changes{RemoveKeys: []string{taintKey}}.Apply(view.Taints(list))
	return view.CoreTaints(left), deleted
}
