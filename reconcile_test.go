// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/reference"
)

// Each row has a node, what was applied, what is desired, and what Reconcile and
// ReconcileOwned do.
func TestReconcile(t *testing.T) {
	for _, tc := range []struct{ name, node, applied, desired, want, owned string }{
		{"one of each kind", "a=1:x b:x c:x", "a=1:x b:x", "a=2:x d:x", "a=2:x d:x b:x-", "a=2:x d:x b:x-"},
		{"another value was applied", "a=1:x", "a=2:x", "", "", "a:x-"},
		{"twice on the node", "a=1:x b:x a=1:x", "a=1:x", "", "a:x-", "a:x-"},
		{"the second on the node", "a=2:x a=1:x", "a=1:x", "", "", "a:x-"},
		{"applied twice", "a=1:x", "a=1:x a=1:x", "", "a:x-", "a:x-"},
		{"applied twice: the first counts", "a=1:x", "a=2:x a=1:x", "", "", "a:x-"},
		{"desired twice: the first counts", "", "", "a=1:x a=2:x b:x", "a=1:x b:x", "a=1:x b:x"},
		{"desired twice, the first is there", "a=1:x", "a=1:x", "a=1:x a=2:x", "", ""},
		{"the order of removals", "a:x b:x c:x", "c:x b:x a:x", "", "c:x- b:x- a:x-", "a:x- b:x- c:x-"},
	} {
		node, applied, desired := reference.Taints(tc.node), reference.Taints(tc.applied), reference.Taints(tc.desired)
		if got := taints.Reconcile(node, applied, desired).String(); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
		if got := taints.ReconcileOwned(node, taints.TaintIDs(applied), desired).String(); got != tc.owned {
			t.Errorf("%s, owned: %q, want %q", tc.name, got, tc.owned)
		}
	}
}
