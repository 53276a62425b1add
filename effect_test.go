// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/reference"
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

// An effect that Kubernetes knows has a name, is valid, is counted by a field of
// Verdict and cannot be confused with another.
func TestKnownEffects(t *testing.T) {
	for i, e := range taints.KnownEffects {
		taint := taints.Taint{Key: "k", Effect: e}
		if got := taints.Effects(e); got.String() != string(e) || taint.Validate() != nil {
			t.Errorf("%q prints as %v: %v", e, got, taint.Validate())
		}
		if v := taints.Filter([]taints.Taint{taint}, nil); v.Other != 0 || v.AllTolerated() || v.String() != "untolerated: 1 "+string(e) {
			t.Errorf("%q is counted as %q: give it a field of Verdict, and lines in its count and String methods (filter.go)", e, v)
		}
		for _, other := range taints.KnownEffects[:i] {
			if taints.Effects(e).Has(other) {
				t.Errorf("the set of %q has %q", e, other)
			}
		}
	}
	if got := taints.Effects(taints.NoSchedule, taints.NoExecute); got != taints.Hard {
		t.Errorf("Hard is %v, want %v", taints.Hard, got)
	}
	want := []taints.Effect{taints.NoSchedule, taints.PreferNoSchedule, taints.NoExecute}
	if !slices.Equal(taints.KnownEffects, want) || !slices.Equal(reference.KnownEffects, want) {
		t.Errorf("known are %v, and to the reference %v: give a new effect a constant (effect.go) and enter it in internal/reference",
			taints.KnownEffects, reference.KnownEffects)
	}
}
