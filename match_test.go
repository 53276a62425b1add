// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
)

func TestMatcher(t *testing.T) {
	for name, m := range map[string]*taints.Matcher{"nil": nil, "zero": {}, "of nothing": taints.Compile(nil)} {
		e, list := m.EvictionOf(test.Taints("gpu:NoExecute"), observed), slices.Collect(m.Tolerations())
		if e.Outcome != taints.EvictsNow || len(list) != 0 || m.Options() != (taints.Options{}) {
			t.Errorf("%s: %+v, %v under %+v", name, e, list, m.Options())
		}
	}
	t.Run("gives its tolerations and options back as they were", func(t *testing.T) {
		want := []taints.Toleration{
			{},
			{Key: "a", Operator: "Lt", Value: "40", Effect: "x", TolerationSeconds: test.Seconds(0)},
			{Operator: "NoSuchOperator", TolerationSeconds: test.Seconds(300)},
			{Key: "b", TolerationSeconds: test.Seconds(-1)},
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

// Only "*" at the end of a key is a wildcard.
func TestWildcards(t *testing.T) {
	o := taints.Options{KeyWildcards: true}
	list := []taints.Toleration{{Key: "a!", Operator: "Exists"}, {Key: "b+", Operator: "Exists"}, {Key: "c*", Operator: "Exists"}}
	for name, m := range map[string]*taints.Matcher{"Compile": o.Compile(list), "On": o.On(list)} {
		for key, want := range map[string]int{"ab": -1, "bb": -1, "c": 2, "cb": 2, "a!": 0, "b+": 1, "": -1} {
			if i, _ := m.Match(taints.Taint{Key: key}); i != want {
				t.Errorf("%s: %q is matched by %d, want %d", name, key, i, want)
			}
		}
	}
}

// The first toleration that matches is found wherever it is in a long list.
func TestMatchInLongLists(t *testing.T) {
	on := taints.Options{KeyWildcards: true}
	for _, before := range []int{0, 1, 31, 32, 253, 254, 255, 256, 300} {
		var others []taints.Toleration
		for i := range before {
			others = append(others, taints.Toleration{Key: "k" + strconv.Itoa(i), Operator: taints.OpExists})
		}
		for _, tc := range []struct {
			key   string
			other bool // whether it also matches other keys
		}{{"gpu", false}, {"gp*", false}, {"", true}, {"*", true}} {
			one := []taints.Toleration{{Key: tc.key, Operator: taints.OpExists}}
			m := on.Compile(others, one, others, one)
			if i, ok := m.Match(taints.Taint{Key: "gpu"}); i != before || !ok {
				t.Errorf("%q at %d is found at %d, %v", tc.key, before, i, ok)
			}
			if i, ok := m.Match(taints.Taint{Key: "another"}); ok != tc.other || ok && i != before {
				t.Errorf("%q at %d matches another key at %d, %v", tc.key, before, i, ok)
			}
			if last := before - 1; before > 0 {
				if i, ok := m.Match(taints.Taint{Key: others[last].Key}); i != last || !ok {
					t.Errorf("%v is found at %d, %v", others[last], i, ok)
				}
			}
		}
	}
}

// A compiled Matcher does not look at most of the tolerations with another key.
func TestMatcherSkips(t *testing.T) {
	keys := []string{"dedicated", "nvidia.com/gpu", "team", "spot", "cloud.example.com/zone", "node.kubernetes.io/disk-pressure"}
	skipped := 0
	for _, key := range keys {
		skipped += taints.Compile(benchTols).Start(key)
	}
	if all := len(keys) * len(benchTols); skipped < all/2 {
		t.Errorf("skips %d of %d", skipped, all)
	}
}
