package taint

import (
	"errors"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"owntests.example/view"
)

func parseTaints(spec []string) ([]corev1.Taint, []corev1.Taint, error) {
	c, err := taints.ParseChanges(spec...)
	return kube.CoreTaints(c.Add), view.Removals(c), err
}

// reorganizeTaints always overwrites. If that is not allowed, kubectl has called
// checkIfTaintsAlreadyExists before.
func reorganizeTaints(node *corev1.Node, overwrite bool, taintsToAdd, taintsToRemove []corev1.Taint) (string, []corev1.Taint, error) {
	c := changesOf(taintsToAdd, taintsToRemove)
	_, err := kube.ApplyStrict(node.Spec.Taints, c, true)
	list, _ := kube.Apply(node.Spec.Taints, c)
	operation := UNTAINTED
	switch {
	case len(taintsToAdd) > 0 && len(taintsToRemove) > 0 || overwrite:
		operation = MODIFIED
	case len(list) > len(node.Spec.Taints):
		operation = TAINTED
	}
	return operation, list, aggregate(err)
}

func changesOf(add, remove []corev1.Taint) taints.Changes {
	c := taints.Changes{Add: kube.Taints(add)}
	for _, t := range kube.Taints(remove) {
		if t.Effect == "" {
			c.RemoveKeys = append(c.RemoveKeys, t.Key)
		} else {
			c.Remove = append(c.Remove, t.ID())
		}
	}
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

func deleteTaints(taintsToRemove []corev1.Taint, newTaints *[]corev1.Taint) (errs []error, changed bool) {
	c := changesOf(nil, taintsToRemove)
	errs = []error{}
	if _, err := kube.ApplyStrict(*newTaints, c, true); err != nil {
		errs = err.(taints.ErrorList).Unwrap()
	}
	*newTaints, changed = kube.Apply(*newTaints, c)
	return errs, changed
}

func checkIfTaintsAlreadyExists(oldTaints, add []corev1.Taint) string {
	var keys []string
	var all taints.ErrorList
	_, err := kube.ApplyStrict(oldTaints, changesOf(add, nil), false)
	if errors.As(err, &all) {
		for _, f := range all {
			if f.Kind == taints.ErrForbidden {
				keys = append(keys, add[f.Index].Key)
			}
		}
	}
	return strings.Join(keys, ",")
}

func deleteTaint(list []corev1.Taint, taintToDelete *corev1.Taint) ([]corev1.Taint, bool) {
	return kube.Apply(list, taints.Changes{Remove: []taints.TaintID{kube.Taint(*taintToDelete).ID()}})
}

func deleteTaintsByKey(list []corev1.Taint, taintKey string) ([]corev1.Taint, bool) {
	return kube.Apply(list, taints.Changes{RemoveKeys: []string{taintKey}})
}
