// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
)

func TestMatcher(t *testing.T) {
	for name, m := range map[string]*taints.Matcher{"nil": nil, "zero": {}, "of nothing": taints.Compile(nil)} {
		e, list := m.EvictionOf(parseTaints("gpu:NoExecute"), observed), slices.Collect(m.Tolerations())
		if e.Outcome != taints.EvictsNow || len(list) != 0 || m.Options() != (taints.Options{}) {
			t.Errorf("%s: %+v, %v under %+v", name, e, list, m.Options())
		}
	}
	t.Run("gives its tolerations and options back as they were", func(t *testing.T) {
		want := []taints.Toleration{
			{},
			{Key: "a", Operator: "Lt", Value: "40", Effect: "x", TolerationSeconds: seconds(0)},
			{Operator: "In", TolerationSeconds: seconds(300)},
			{Key: "b", TolerationSeconds: seconds(-1)},
		}
		for _, o := range []taints.Options{{}, {NoComparison: true}} {
			m := o.Compile(want)
			if diff := cmp.Diff(want, slices.Collect(m.Tolerations())); diff != "" || m.Options() != o {
				t.Errorf("under %+v (-given +back):\n%s", m.Options(), diff)
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

// A Matcher begins where the first toleration of a key can be, at most at 255.
func TestMatcherStart(t *testing.T) {
	long := make([]taints.Toleration, 300)
	for i := range long {
		long[i] = taints.Toleration{Key: "aa", Operator: taints.OpExists}
	}
	long[299].Key = "b"
	wildcard := taints.Toleration{Key: "xx*", Operator: taints.OpExists}
	keyless := taints.Toleration{Operator: taints.OpExists}
	for _, tc := range []struct {
		name string
		m    *taints.Matcher
		want map[string]int
	}{
		{"nothing", new(taints.Matcher), map[string]int{"": 0, "a": 0}},
		{"exact keys", taints.Compile(benchTols), map[string]int{
			"dedicated": 5, "nvidia.com/gpu": 7, "team": 4, "other": 8,
		}},
		{"a keyless one", taints.Compile(benchTols[:6], []taints.Toleration{keyless}, benchTols[6:]), map[string]int{
			"dedicated": 5, "nvidia.com/gpu": 6, "other": 6,
		}},
		{
			"a wildcard",
			taints.Options{KeyWildcards: true}.Compile(benchTols[:6], []taints.Toleration{wildcard}),
			map[string]int{"dedicated": 5, "xxz": 6, "other": 6},
		},
		{"no wildcard", taints.Compile(benchTols[:6], []taints.Toleration{wildcard}), map[string]int{"other": 7, "xx*": 6}},
		{"a long list", taints.Compile(long), map[string]int{"aa": 0, "b": 255, "c": 255}},
		{"of 255", taints.Compile(long[:254], long[299:]), map[string]int{"b": 254, "c": 255}},
	} {
		for key, want := range tc.want {
			if got := tc.m.Start(key); got != want {
				t.Errorf("%s: begins at %d for %q, want %d", tc.name, got, key, want)
			}
		}
	}
}
