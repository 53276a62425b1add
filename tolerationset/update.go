// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/lookup"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// ValidateUpdate returns nil if an API server lets a pod's tolerations change from
// old to new: new is valid, and has each toleration of old with the same key,
// operator (as written), value and effect. Under NoComparison, Lt and Gt are valid
// if old has one of them. Call [taints.AddDefaults] on new before, as an API server
// does.
//
// Otherwise the error is a [taints.ErrorList], with a [taints.ErrForbidden] of the
// list "old" for each missing toleration. Kubernetes reports only the first.
func ValidateUpdate(old, new []taints.Toleration, o taints.Options) error {
	var list taints.ErrorList
	kept := lookup.FirstOf(new, withoutSeconds)
	for i := range old {
		t := &old[i]
		if kept.Find(withoutSeconds(t)) < 0 {
			list = append(list, &taints.FieldError{
				List:   "old",
				Index:  i,
				Value:  t.String(),
				Kind:   taints.ErrForbidden,
				Detail: "an existing toleration cannot be removed or changed, except its tolerationSeconds",
			})
		}
		if op := valueset.Find(string(t.Operator)); op != nil && op.Comparison {
			o.NoComparison = false
		}
	}
	invalid, _ := o.ValidateTolerations(new).(taints.ErrorList)
	if list = append(list, invalid...); list == nil {
		return nil
	}
	return list
}

// withoutSeconds returns the toleration without seconds, as a key of a map.
func withoutSeconds(t *taints.Toleration) taints.Toleration {
	u := *t
	u.TolerationSeconds = nil
	return u
}
