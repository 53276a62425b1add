// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"testing"

	"github.com/seed-0529bac1/taints/tolerationset"
)

func TestBruteCovers(t *testing.T) {
	keys := []string{"", "a", "ab", "*", "a*"}
	values := []string{
		"Exists", "Exists v", "Equal", " v", " 5", "Equal 05", "Equal " + least, " " + most, "In v",
		"Lt 6", "Lt " + least, "Lt -9223372036854775807", "Lt " + most, "Lt 05",
		"Gt 5", "Gt 0", "Gt " + most, "Gt 9223372036854775806", "Gt " + least, "Gt +5",
	}
	effects := []string{
		"", " 0", " 300", "NoExecute", "NoExecute -1", "NoExecute 300", "NoExecute 301", "NoSchedule", "NoSchedule 300", "x",
	}
	for _, o := range allOptions {
		all := bruteTolerations(o, keys, values, effects)
		for i := range all {
			for j := range all {
				if testing.Short() && (i+j)%7 > 0 {
					continue
				}
				a, b := &all[i], &all[j]
				missing := but(b.tolerates, a.tolerates)
				if a.time != 0 && (b.time == 0 || b.time > a.time) {
					missing = or(missing, b.evicts())
				}
				got := tolerationset.Covers(a.Toleration, b.Toleration, o)
				if got && missing.Sign() > 0 {
					t.Fatalf("under %+v %v covers %v, but not %v", o, a, b, first(missing))
				}
				if !got && missing.Sign() == 0 {
					t.Fatalf("under %+v %v does not cover %v, but no taint tells", o, a, b)
				}
			}
		}
	}
}
