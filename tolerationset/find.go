// SPDX-License-Identifier: Apache-2.0

package tolerationset

import "github.com/seed-0529bac1/taints"

// Find returns the index of the first toleration with the identity, or -1, and whether
// there is one. An empty operator in id is Equal.
func Find(tolerations []taints.Toleration, id taints.TolerationID) (i int, found bool) {
	equal := id.Operator == "" || id.Operator == taints.OpEqual
	for i := range tolerations {
		t := &tolerations[i]
		if t.Key == id.Key && t.Effect == id.Effect && t.Value == id.Value &&
			(t.Operator == id.Operator || equal && (t.Operator == "" || t.Operator == taints.OpEqual)) {
			return i, true
		}
	}
	return -1, false
}
