// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"testing"

	"github.com/seed-0529bac1/taints"
)

func TestEffectSet(t *testing.T) {
	all := []taints.Effect{taints.NoSchedule, taints.PreferNoSchedule, taints.NoExecute, "", "noschedule", "x"}
	for _, tc := range []struct {
		set  taints.EffectSet
		text string
		has  []bool // as all
	}{
		{0, "none", []bool{false, false, false, false, false, false}},
		{taints.Effects(), "none", []bool{false, false, false, false, false, false}},
		{taints.Hard, "NoSchedule|NoExecute", []bool{true, false, true, false, false, false}},
		{taints.Effects("PreferNoSchedule"), "PreferNoSchedule", []bool{false, true, false, false, false, false}},
		{taints.Effects(taints.NoExecute), "NoExecute", []bool{false, false, true, false, false, false}},
		{taints.AllEffects, "all", []bool{true, true, true, true, true, true}},
		{taints.Effects("x"), "other", []bool{false, false, false, true, true, true}},
		{
			taints.AllEffects &^ taints.Effects("x"), "NoSchedule|PreferNoSchedule|NoExecute",
			[]bool{true, true, true, false, false, false},
		},
		{taints.Effects(""), "other", []bool{false, false, false, true, true, true}},
		{
			taints.Effects("NoExecute", "NoSchedule", "NoExecute"), "NoSchedule|NoExecute",
			[]bool{true, false, true, false, false, false},
		},
		{1 << 7, "none", []bool{false, false, false, false, false, false}},
	} {
		if got := tc.set.String(); got != tc.text {
			t.Errorf("%b: %q, want %q", tc.set, got, tc.text)
		}
		for i, e := range all {
			if got := tc.set.Has(e); got != tc.has[i] {
				t.Errorf("%v.Has(%q) = %v", tc.set, e, got)
			}
		}
	}
	if got := taints.Effects(all...).String(); got != "NoSchedule|PreferNoSchedule|NoExecute|other" {
		t.Errorf("all effects together: %q", got)
	}
	if set := taints.Hard | taints.Effects("PreferNoSchedule") | taints.Effects("x"); set != taints.Effects(all...) ||
		taints.AllEffects&set != set {
		t.Error("the sets do not add up")
	}
}
