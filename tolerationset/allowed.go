// SPDX-License-Identifier: Apache-2.0

package tolerationset

import "github.com/seed-0529bac1/taints"

// ValidateAllowed returns nil if an entry of the allow-list covers each of the
// tolerations; see [Covers]. Otherwise the error is a [taints.ErrorList] of the list
// "tolerations", with a [taints.ErrForbidden] for each that no entry covers. In
// Kubernetes' PodTolerationRestriction plugin an empty list allows everything; here
// it allows nothing.
//
// An API server may call a webhook again after plugins added tolerations to the
// pod. So allow what they add, too:
//
//	added := taints.AddDefaultTolerations(nil, seconds)
//	added = taints.AddExtendedResourceTolerations(added, names...)
//	added = taints.AddMemoryPressureToleration(added)
//	if r.UserInfo.Username == daemonSetController { // not by the owner, which any author writes
//		added = taints.AddDaemonSetTolerations(added, pod)
//	}
//	allow = slices.Concat(allow, added) // requests may share allow
//
// An API server lets an update add tolerations. So ask on updates too, with those
// that the pod had in the allow-list.
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
