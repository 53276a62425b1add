// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"strings"
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

// Two keys name different nodes even where the library has no hint.
func TestNamesAnother(t *testing.T) {
	const others = `
team-a team-b, teamA teamB, teamA teamAB, team-east team-west, team-data team-date, team-market team-marked,
gpu-a100 gpu-h100, gpu-l40 gpu-l40s, nvidia.com/a100 nvidia.com/h100, example.com/m6a example.com/m6i,
pool12large pool21large, release-2024 release-20241, poolx pooly, mars wars, mars mas, node-large node-xlarge,
trusted untrusted, secure insecure, team-blue team-blues, team-plane team-planet, tenant-alpha tenant-alphas,
dedicated-storage dedicatd-storag, pool-alpine pool-aplins, pool-alpha pool-axlha, team-a-b team-ab, team-a team,
gpu cpu, alpha-beta beta-alpha`
	for pair := range strings.SplitSeq(others, ",") {
		keys := strings.Fields(pair)
		if !namesAnother(keys[0], keys[1]) || !namesAnother(keys[1], keys[0]) {
			t.Errorf("%s does not name another than %s", keys[0], keys[1])
		}
	}
}
