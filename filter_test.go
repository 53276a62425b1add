// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
)

func TestFilter(t *testing.T) {
	unknown := taints.Taint{Key: "k", Effect: "NoAdmit"}
	for _, tc := range []struct {
		name                       string
		taints                     []taints.Taint
		tols                       []taints.Toleration
		want                       taints.Verdict
		schedulable, avoid, evicts bool
	}{
		{name: "no taints", want: taints.Verdict{}, schedulable: true},
		{
			name: "no taints, some tolerations", taints: []taints.Taint{},
			tols: parseTolerations("op=Exists"), want: taints.Verdict{}, schedulable: true,
		},
		{name: "no tolerations", taints: parseTaints("a:NoSchedule"), want: taints.Verdict{NoSchedule: 1}},
		{
			name:   "all tolerated",
			taints: parseTaints("a:NoSchedule", "b:NoExecute", "c:PreferNoSchedule"),
			tols:   parseTolerations("op=Exists"), want: taints.Verdict{}, schedulable: true,
		},
		{
			name: "each effect counts", taints: append(parseTaints("p:PreferNoSchedule",
				"a:NoSchedule", "q:PreferNoSchedule", "b:NoExecute", "c:NoSchedule"), unknown),
			want: taints.Verdict{NoSchedule: 2, PreferNoSchedule: 2, NoExecute: 1, Other: 1}, evicts: true,
		},
		{
			name:   "the first hard one is NoExecute",
			taints: parseTaints("p:PreferNoSchedule", "b:NoExecute", "a:NoSchedule"),
			want:   taints.Verdict{NoSchedule: 1, PreferNoSchedule: 1, NoExecute: 1}, evicts: true,
		},
		{
			name:   "only soft ones left",
			taints: parseTaints("a:NoSchedule", "p:PreferNoSchedule"),
			tols:   parseTolerations("a op=Exists"), want: taints.Verdict{PreferNoSchedule: 1},
			schedulable: true, avoid: true,
		},
		{
			name: "unknown effects keep nobody away", taints: []taints.Taint{unknown, {}},
			want: taints.Verdict{Other: 2}, schedulable: true,
		},
		{
			name:   "one key under two effects, one tolerated",
			taints: parseTaints("a=x:NoSchedule", "a=x:NoExecute"),
			tols:   parseTolerations("a=x:NoSchedule"), want: taints.Verdict{NoExecute: 1},
			evicts: true,
		},
		{
			name:   "the same taint twice counts twice",
			taints: parseTaints("a:NoSchedule", "a:NoSchedule"),
			want:   taints.Verdict{NoSchedule: 2},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for form, got := range map[string]taints.Verdict{
				"one-shot": taints.Filter(tc.taints, tc.tols),
				"compiled": taints.Compile(tc.tols).Filter(tc.taints),
			} {
				if got != tc.want {
					t.Errorf("%s: %+v, want %+v", form, got, tc.want)
				}
				if got.Schedulable() != tc.schedulable || got.Avoid() != tc.avoid || got.Evicts() != tc.evicts {
					t.Errorf("%s: schedulable %v, avoid %v, evicts %v",
						form, got.Schedulable(), got.Avoid(), got.Evicts())
				}
			}
		})
	}
}

func TestFindUntolerated(t *testing.T) {
	list := append(parseTaints("p:PreferNoSchedule", "s:NoSchedule", "e:NoExecute",
		"f:NoExecute"), taints.Taint{Key: "u", Effect: "NoAdmit"})
	for _, tc := range []struct {
		name string
		tols []taints.Toleration
		in   taints.EffectSet
		want []int
	}{
		{"hard", nil, taints.Hard, []int{1, 2, 3}},
		{"soft", nil, taints.Soft, []int{0}},
		{"evicting", nil, taints.Evicting, []int{2, 3}},
		{"any", nil, taints.AllEffects, []int{0, 1, 2, 3, 4}},
		{"others", nil, taints.Effects("whatever"), []int{4}},
		{"none", nil, 0, nil},
		{"hard, some tolerated", parseTolerations("s op=Exists", "f:NoExecute op=Exists"), taints.Hard, []int{2}},
		{"all tolerated", parseTolerations("op=Exists"), taints.AllEffects, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			first := -1
			if len(tc.want) > 0 {
				first = tc.want[0]
			}
			m := taints.Compile(tc.tols)
			if i, ok := taints.FindUntolerated(list, tc.tols, tc.in); i != first || ok != (first >= 0) {
				t.Errorf("FindUntolerated = %d, %v, want %d", i, ok, first)
			}
			if i, ok := m.FindUntolerated(list, tc.in); i != first || ok != (first >= 0) {
				t.Errorf("compiled: FindUntolerated = %d, %v, want %d", i, ok, first)
			}
			for form, seq := range map[string]func(func(int, *taints.Taint) bool){
				"one-shot": taints.Untolerated(list, tc.tols, tc.in),
				"compiled": m.Untolerated(list, tc.in),
			} {
				for range 2 { // a sequence can be used again
					var got []int
					for i, taint := range seq {
						if taint != &list[i] {
							t.Errorf("%s: taint %d is a copy", form, i)
						}
						got = append(got, i)
					}
					if diff := cmp.Diff(tc.want, got); diff != "" {
						t.Errorf("%s: Untolerated (-want +got):\n%s", form, diff)
					}
				}
				for i := range seq { // a loop may stop at once
					if i != first {
						t.Errorf("%s: the first is %d, want %d", form, i, first)
					}
					break
				}
			}
		})
	}
}

func TestNormalizeScores(t *testing.T) {
	for _, tc := range []struct {
		name   string
		counts []int
		max    int64
		want   []int64
	}{
		{"no nodes", nil, 100, nil},
		{"no taints", []int{0, 0}, 100, []int64{100, 100}},
		{"some", []int{0, 1, 2, 3}, 100, []int64{100, 67, 34, 0}},
		{"all alike", []int{2, 2}, 100, []int64{0, 0}},
		{"out of 10", []int{0, 1, 2, 3}, 10, []int64{10, 7, 4, 0}},
		{"negative counts are none", []int{-5, 0, 2}, 100, []int64{100, 100, 0}},
		{"only negative counts", []int{-5, -1}, 100, []int64{100, 100}},
		{"out of 0", []int{0, 7}, 0, []int64{0, 0}},
		{
			"large numbers",
			[]int{0, math.MaxInt / 2, math.MaxInt - 1, math.MaxInt},
			math.MaxInt,
			[]int64{math.MaxInt, math.MaxInt/2 + 1, 1, 0},
		},
		{"a large maximum", []int{0, 1, 2}, math.MaxInt64, []int64{math.MaxInt64, math.MaxInt64/2 + 1, 0}},
		{"a negative maximum mirrors", []int{0, 1, 2}, -100, []int64{-100, -50, 0}},
		{"the least maximum", []int{0, 1, 2}, math.MinInt64, []int64{math.MinInt64, math.MinInt64 / 2, 0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, taints.NormalizeScores(nil, tc.counts, tc.max)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("appends", func(t *testing.T) {
		buf := make([]int64, 1, 8)
		got := taints.NormalizeScores(buf, []int{1, 0}, 100)
		if !slices.Equal(got, []int64{0, 0, 100}) || &got[0] != &buf[0] {
			t.Errorf("got %v", got)
		}
	})
}

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
		{taints.Soft, "PreferNoSchedule", []bool{false, true, false, false, false, false}},
		{taints.Evicting, "NoExecute", []bool{false, false, true, false, false, false}},
		{taints.AllEffects, "all", []bool{true, true, true, true, true, true}},
		{taints.Effects("x"), "other", []bool{false, false, false, true, true, true}},
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
		var read taints.EffectSet
		text, err := tc.set.MarshalText()
		if err := read.UnmarshalText(text); err != nil || read.String() != tc.text {
			t.Errorf("%q is read as %v, %v", text, read, err)
		}
		if string(text) != tc.text || err != nil {
			t.Errorf("MarshalText: %q, %v", text, err)
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
	if set := taints.Hard | taints.Soft | taints.Effects("x"); set != taints.Effects(all...) ||
		taints.AllEffects&set != set {
		t.Error("the sets do not add up")
	}
}

func TestEffectSetUnmarshalText(t *testing.T) {
	for text, want := range map[string]taints.EffectSet{
		"NoExecute|NoSchedule|NoExecute": taints.Hard,
		"other|PreferNoSchedule":         taints.Soft | taints.Effects("x"),
		"none":                           0,
		"all":                            taints.AllEffects,
	} {
		got := taints.Evicting
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q is read as %v, %v", text, got, err)
		}
	}
	for text, offset := range map[string]int{
		"": 0, "NoExecute|": 10, "NoExecute|none|x": 10, "all|NoExecute": 0, "noexecute": 0,
		"|NoExecute": 0,
	} {
		got := taints.Soft
		err := got.UnmarshalText([]byte(text))
		var fault *taints.FieldError
		if !errors.As(err, &fault) || fault.Offset != offset || fault.Input != text ||
			!errors.Is(err, taints.ErrUnsupported) {
			t.Errorf("%q is read with %v, want offset %d", text, err, offset)
		}
		if got != taints.Soft {
			t.Errorf("%q left %v", text, got)
		}
		if fault.Detail != `must be all, none, or names of effects and "other" with "|" between them` {
			t.Errorf("%q is read with the fault %+v", text, fault)
		}
	}
}

func TestVerdictString(t *testing.T) {
	for want, v := range map[string]taints.Verdict{
		"all tolerated":             {},
		"untolerated: 2 NoSchedule": {NoSchedule: 2},
		"untolerated: 12 NoExecute": {NoExecute: 12},
		"untolerated: 1 NoSchedule, 2 PreferNoSchedule, 3 NoExecute, 4 other": {
			NoSchedule: 1, PreferNoSchedule: 2, NoExecute: 3, Other: 4,
		},
	} {
		if got := v.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if taints.Filter(nil, nil) != (taints.Verdict{}) {
		t.Error("a node without taints has no zero Verdict")
	}
}
