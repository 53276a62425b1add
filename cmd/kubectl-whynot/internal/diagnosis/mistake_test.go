// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// TestUsedOnce checks that taints are matched only once for each toleration that
// pods share.
func TestUsedOnce(t *testing.T) {
	k := newKnown([]*cluster.Group{{Taints: []taints.Taint{taints.MustParseTaint("k=v:NoExecute")}}})
	for _, s := range []string{"k=v:NoExecute for 5s", "k=v:NoExecute for 6s", "k=v:NoExecute"} {
		if !k.isUsed(taints.MustParseToleration(s)) || len(k.used) != 1 {
			t.Errorf("%s: %v", s, k.used)
		}
	}
	if k.isUsed(taints.MustParseToleration("k=w")) || len(k.used) != 2 {
		t.Errorf("k=w: %v", k.used)
	}
}
