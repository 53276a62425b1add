// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/lookup"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// ValidateUpdate returns nil if an API server lets a pod's tolerations change from
// old to new: new must be valid and contain every toleration of old. Only seconds may
// change. An empty operator and Equal differ. Under NoComparison, Lt and Gt are valid
// if old uses one of them. Call [taints.AddDefaultTolerations] on new before, as an API
// server does.
//
// Otherwise the error is a [taints.ErrorList], with a [taints.ErrForbidden] of the list
// "old" for each missing toleration. Its Detail says so if only the operator differs.
func ValidateUpdate(old, new []taints.Toleration, o taints.Options) error {
	var list taints.ErrorList
	kept, equal := lookup.FirstOf(new, written), lookup.FirstOf(new, (*taints.Toleration).ID)
	for i := range old {
		t := &old[i]
		if kept.Find(written(t)) < 0 {
			detail := "an existing toleration cannot be removed or changed, except its tolerationSeconds"
			if at := equal.Find(t.ID()); at >= 0 {
				detail = `its operator must stay "` + string(t.Operator) + `" and not become "` + string(new[at].Operator) + `", which means the same`
			}
			list = append(list, &taints.FieldError{List: "old", Index: i, Value: t.String(), Kind: taints.ErrForbidden, Detail: detail})
		}
		if op := valueset.Find(string(t.Operator)); op != nil && op.Comparison {
			o.NoComparison = false
		}
	}
	invalid, _ := o.ValidateTolerations(new).(taints.ErrorList)
	return append(list, invalid...).Err()
}

// written returns the identity of the toleration with its operator as written.
func written(t *taints.Toleration) taints.TolerationID {
	id := t.ID()
	id.Operator = t.Operator
	return id
}
