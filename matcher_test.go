// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
)

func TestMatcher(t *testing.T) {
	gpu := taints.MustParseTaint("gpu=a100:NoSchedule")

	t.Run("the first in list order", func(t *testing.T) {
		tols := []taints.Toleration{
			{Key: "disk", Operator: taints.OpExists},
			{Key: "gpu", Operator: taints.OpExists, Effect: taints.NoSchedule},
			{Operator: taints.OpExists},
		}
		m := taints.Compile(tols)
		for key, want := range map[string]int{"disk": 0, "gpu": 1, "x": 2} {
			taint := taints.Taint{Key: key, Effect: taints.NoSchedule}
			if i, ok := m.Match(taint); i != want || !ok {
				t.Errorf("%s: Match = %d, %v, want %d", key, i, ok, want)
			}
			if i, ok := taints.Match(taint, tols); i != want || !ok {
				t.Errorf("%s: one-shot Match = %d, %v, want %d", key, i, ok, want)
			}
		}
	})
	for name, m := range map[string]*taints.Matcher{"nil": nil, "zero": {}, "of nothing": taints.Compile(nil)} {
		t.Run(name+" tolerates nothing", func(t *testing.T) {
			if i, ok := m.Match(gpu); i != -1 || ok {
				t.Errorf("Match = %d, %v, want -1, false", i, ok)
			}
			if v := m.Filter([]taints.Taint{gpu}); v != (taints.Verdict{NoSchedule: 1}) {
				t.Errorf("Filter = %+v", v)
			}
			if e := m.EvictionOf(parseTaints("gpu:NoExecute"), observed); e.Outcome != taints.EvictsNow {
				t.Errorf("EvictionOf = %+v", e)
			}
			if list := slices.Collect(m.Tolerations()); len(list) != 0 || m.Policy() != (taints.EvictionPolicy{}) {
				t.Errorf("Tolerations = %v under %+v", list, m.Policy())
			}
		})
	}
	t.Run("in a list of any length", func(t *testing.T) {
		for _, n := range []int{1, 63, 64, 65, 127, 128, 129, 1000} {
			tols := make([]taints.Toleration, n)
			for i := range tols {
				tols[i] = taints.Toleration{Key: "k" + strconv.Itoa(i), Operator: taints.OpExists}
			}
			m := taints.Compile(tols)
			for _, want := range []int{0, n / 2, n - 1} {
				if i, ok := m.Match(taints.Taint{Key: tols[want].Key}); i != want || !ok {
					t.Errorf("Match = %d, %v among %d, want %d", i, ok, n, want)
				}
			}
			if i, ok := m.Match(taints.Taint{Key: "k"}); i != -1 || ok {
				t.Errorf("Match = %d, %v among %d, want none", i, ok, n)
			}
		}
	})
	t.Run("gives its tolerations and policy back as they were", func(t *testing.T) {
		var want []taints.Toleration
		for _, op := range []taints.Operator{"", "Equal", "Exists", "Lt", "Gt", "In"} {
			for _, effect := range []taints.Effect{"", "NoSchedule", "PreferNoSchedule", "NoExecute", "noschedule"} {
				for _, value := range []string{"", "a100", "40", "other"} {
					for _, s := range []*int64{nil, seconds(0), seconds(300)} {
						want = append(want, taints.Toleration{
							Key: "gpu", Operator: op, Value: value, Effect: effect, TolerationSeconds: s,
						})
					}
				}
			}
		}
		for _, p := range []taints.EvictionPolicy{{}, {Options: taints.Options{NoComparison: true}}} {
			m := p.Compile(want)
			if diff := cmp.Diff(want, slices.Collect(m.Tolerations())); diff != "" || m.Policy() != p {
				t.Errorf("under %+v (-given +back):\n%s", m.Policy(), diff)
			}
			for range m.Tolerations() {
				break
			}
		}
	})
	t.Run("keeps what it was given", func(t *testing.T) {
		seconds := int64(300)
		tols := []taints.Toleration{{Key: "gpu", Operator: taints.OpExists, TolerationSeconds: &seconds}}
		m := taints.Compile(tols)
		seconds = 1
		tols[0].Key = "other"
		if got := slices.Collect(m.Tolerations())[0].String(); got != "gpu op=Exists for 300s" {
			t.Errorf("the Matcher now has %q", got)
		}
	})
}

// Keys with equal fingerprints, and those outside a wildcard, do not match.
func TestCompiledKeysThatAreAlike(t *testing.T) {
	for _, tc := range []struct{ key, taint string }{
		{"xa", "xq:NoExecute"},
		{"xq", "xa:NoExecute"},
		{"a*", "b:NoExecute"},
		{"ab*", "a:NoExecute"},
	} {
		taint := taints.MustParseTaint(tc.taint)
		m := taints.Options{KeyWildcards: true}.Compile([]taints.Toleration{{Key: tc.key, Operator: taints.OpExists}})
		_, matches := m.Match(taint)
		_, found := m.FindUntolerated([]taints.Taint{taint}, taints.Hard)
		if matches || !found {
			t.Errorf("%s by %s: matches %v, untolerated %v", tc.taint, tc.key, matches, found)
		}
	}
}

// The table says where the first toleration of a key can be. It holds no index
// above 255.
func TestMatcherSkips(t *testing.T) {
	long := make([]taints.Toleration, 300)
	for i := range long {
		long[i] = taints.Toleration{Key: "aa", Operator: taints.OpExists}
	}
	long[299].Key = "b"
	wildcard := taints.Toleration{Key: "xx*", Operator: taints.OpExists}
	keyless := taints.Toleration{Operator: taints.OpExists, Effect: "x"}
	for _, tc := range []struct {
		name string
		m    *taints.Matcher
		want map[string]int
	}{
		{"nothing", new(taints.Matcher), map[string]int{"": 0, "a": 0}},
		{"exact keys", taints.Compile(benchTols), map[string]int{
			"dedicated": 5, "nvidia.com/gpu": 7, "team": 4, "other": 8,
			"": 1, // which has the fingerprint of the unreachable key
		}},
		{"a keyless one", taints.Compile(benchTols[:6], []taints.Toleration{keyless}, benchTols[6:]), map[string]int{
			"": 1, "dedicated": 5, "nvidia.com/gpu": 6, "other": 6,
		}},
		{
			"a wildcard",
			taints.Options{KeyWildcards: true}.Compile(benchTols[:6], []taints.Toleration{wildcard}),
			map[string]int{"": 1, "dedicated": 5, "xxz": 6, "other": 6},
		},
		{"no wildcard", taints.Compile(benchTols[:6], []taints.Toleration{wildcard}), map[string]int{"other": 7, "xx*": 6}},
		{"a long list", taints.Compile(long), map[string]int{"aa": 0, "b": 255, "c": 255}},
		{"of 255", taints.Compile(long[:254], long[299:]), map[string]int{"b": 254, "c": 255}},
	} {
		for key, want := range tc.want {
			if got, _ := tc.m.Skips(key); got != want {
				t.Errorf("%s: begins at %d for %q, want %d", tc.name, got, key, want)
			}
		}
	}
	for _, tc := range []struct {
		toleration taints.Toleration
		want       taints.EffectSet
	}{
		{taints.Toleration{Operator: taints.OpExists}, taints.AllEffects},
		{taints.Toleration{Operator: taints.OpExists, Effect: taints.NoSchedule}, taints.Effects(taints.NoSchedule)},
		{taints.Toleration{Operator: taints.OpExists, Effect: taints.NoExecute}, taints.Evicting},
		{taints.Toleration{Operator: taints.OpExists, Effect: "x"}, 0}, // there are more other effects
		{taints.Toleration{Key: "gpu", Operator: taints.OpExists}, 0},
		{taints.Toleration{}, 0},
	} {
		prefer := taints.Toleration{Operator: taints.OpExists, Effect: taints.PreferNoSchedule}
		_, got := taints.Compile([]taints.Toleration{tc.toleration, prefer}).Skips("")
		if want := tc.want | taints.Effects(taints.PreferNoSchedule); got != want {
			t.Errorf("%v: %v are exempt, want %v", tc.toleration, got, want)
		}
	}
}
