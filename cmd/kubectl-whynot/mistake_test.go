// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

// A key that is like the nodes' own is a mistake where nobody would give two
// pools of nodes these names.
func TestKeysThatAreAlike(t *testing.T) {
	mistakes := [][2]string{
		{"dedicated", "dedicatd"},
		{"dedicated", "dedicateed"},
		{"dedicated", "deidcated"},
		{"dedicated", "Dedicated"},
		{"dedicated", "DedicateD"},
		{"dedicated", "Dedicatd"},
		{"example.com/dedicated", "exmaple.com/dedicated"},
		{"dedicated-gpu", "dedicated_gpu"},
		{"dedicated-gpu", "dedicatd-gpu"},
		{"dedicated.gpu2", "dedicatd.gpu2"},
		{"teamAlpha", "team-alpha"},
		{"teamAlpha", "teamalpha"},
		{"teamA", "teama"},
		{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/contrl-plane"},
	}
	others := [][2]string{
		{"team-a", "team-b"},
		{"teamA", "teamB"},
		{"teamA", "teamAB"},
		{"team-east", "team-west"},
		{"team-data", "team-date"},
		{"team-market", "team-marked"},
		{"gpu-a100", "gpu-h100"},
		{"gpu-l40", "gpu-l40s"},
		{"nvidia.com/a100", "nvidia.com/h100"},
		{"example.com/m6a", "example.com/m6i"},
		{"pool12large", "pool21large"},
		{"release-2024", "release-20241"},
		{"poolx", "pooly"},
		{"mars", "wars"},
		{"mars", "mas"},
		{"node-large", "node-xlarge"},
		{"trusted", "untrusted"},
		{"secure", "insecure"},
		{"team-blue", "team-blues"},
		{"team-plane", "team-planet"},
		{"tenant-alpha", "tenant-alphas"},
		{"dedicated-storage", "dedicatd-storag"},
		{"pool-alpine", "pool-aplins"},
		{"pool-alpha", "pool-axlha"},
		{"team-a-b", "team-ab"},
		{"team-a", "team"},
		{"gpu", "cpu"},
		{"alpha-beta", "beta-alpha"},
	}
	advice := func(taint, key, value string) *change {
		toleration := tol(key + " op=Exists")
		if value != "" {
			toleration = tol(key + value)
		}
		x := mustReport(t, list(nodeJSON("n", "", taint+value+":NoSchedule"), podJSON("p", "", "", toleration))).Pending[0]
		if x.Change == nil && len(x.Alternatives) != 1 {
			t.Errorf("%s, %s: %d alternatives", taint, key, len(x.Alternatives))
		}
		return x.Change
	}
	for _, value := range []string{"", "=v"} {
		for _, pair := range mistakes {
			if advice(pair[0], pair[1], value) == nil || advice(pair[1], pair[0], value) == nil {
				t.Errorf("%s%s is no mistake for %s", pair[1], value, pair[0])
			}
		}
		for _, pair := range others {
			if advice(pair[0], pair[1], value) != nil || advice(pair[1], pair[0], value) != nil {
				t.Errorf("%s%s is a mistake for %s", pair[1], value, pair[0])
			}
		}
	}
	for _, pair := range others { // even where the library has no hint
		if !namesAnother(pair[0], pair[1]) || !namesAnother(pair[1], pair[0]) {
			t.Errorf("%s does not name another than %s", pair[0], pair[1])
		}
	}
}
