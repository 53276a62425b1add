// SPDX-License-Identifier: Apache-2.0

package say

import (
	"strings"
	"testing"
)

// Names of different nodes, even where the library has no hint.
func TestIsSameWord(t *testing.T) {
	const others = `
team-a team-b, teamA teamB, teamA teamAB, team-east team-west, team-data team-date, team-market team-marked,
gpu-a100 gpu-h100, gpu-l40 gpu-l40s, nvidia.com/a100 nvidia.com/h100, example.com/m6a example.com/m6i,
pool12large pool21large, release-2024 release-20241, poolx pooly, mars wars, mars mas, node-large node-xlarge,
trusted untrusted, secure insecure, team-blue team-blues, team-plane team-planet, tenant-alpha tenant-alphas,
dedicated-storage dedicatd-storag, pool-alpine pool-aplins, pool-alpha pool-axlha, team-a-b team-ab, team-a team,
gpu cpu, alpha-beta beta-alpha`
	for pair := range strings.SplitSeq(others, ",") {
		keys := strings.Fields(pair)
		if IsSameWord(keys[0], keys[1]) || IsSameWord(keys[1], keys[0]) {
			t.Errorf("%s is the same word as %s", keys[0], keys[1])
		}
	}
}
