// SPDX-License-Identifier: Apache-2.0

package say

import (
	"testing"

	"github.com/seed-0529bac1/taints"
)

func TestText(t *testing.T) {
	for got, want := range map[string]string{
		Taint(taints.Taint{Key: "k", Value: "v", Effect: "NoSchedule"}):   "k=v:NoSchedule",
		Taint(taints.Taint{Key: " k", Effect: "NoSchedule"}):              `" k:NoSchedule"`,
		Toleration(taints.Toleration{Key: "k", Value: "v "}):              `"k=v "`,
		Toleration(taints.Toleration{Key: "k", Operator: "Exists\u00a0"}): `"k op=Exists\u00a0"`,
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
