// SPDX-License-Identifier: Apache-2.0

package tolerationset

import "github.com/seed-0529bac1/taints"

// ValidateAllowed returns nil if an entry of the allow-list covers each of the
// tolerations; see [Covers]. Otherwise the error is a [taints.ErrorList] of the list
// "tolerations", with a [taints.ErrForbidden] for each that no entry covers.
//
// Check the pod's own tolerations, before the Add functions, or allow what those
// add. A toleration that tolerates nothing under o, such as one with an unknown
// operator, is allowed by any entry; [taints.Options.ValidateTolerations] rejects
// it.
//
// This is the whitelist of Kubernetes' PodTolerationRestriction plugin, except that
// an empty list, which allows everything there, allows nothing.
func ValidateAllowed(tolerations, allow []taints.Toleration, o taints.Options) error {
	var list taints.ErrorList
	for i := range tolerations {
		t := &tolerations[i]
		if (rules{o}).anyCovers(allow, t) {
			continue
		}
		list = append(list, &taints.FieldError{
			List:   "tolerations",
			Index:  i,
			Value:  t.String(),
			Kind:   taints.ErrForbidden,
			Detail: "no entry of the allow-list tolerates as much for as long",
		})
	}
	return list.Err()
}
