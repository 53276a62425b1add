// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/draw"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// Lists that are too long for a loop have the same results as short ones.
func TestLongLists(t *testing.T) {
	pad := make([]taints.Toleration, 64)
	for i := range pad {
		pad[i] = exists("pad-" + strconv.Itoa(i))
	}
	rapid.Check(t, func(t *rapid.T) {
		o := draw.Options.Draw(t, "options")
		base, extra := draw.WorldTolerations.Draw(t, "base"), draw.WorldTolerations.Draw(t, "extra")
		long := slices.Concat(base, pad)
		if diff := cmp.Diff(
			texts(tolerationset.Merge(base, extra, o)[len(base):]),
			texts(tolerationset.Merge(long, slices.Concat(extra, pad), o)[len(long):]),
		); diff != "" {
			t.Fatalf("under %+v %v and %v are merged otherwise (-short +long):\n%s", o, base, extra, diff)
		}
		minimal := slices.DeleteFunc(slices.Clone(tolerationset.Minimize(long, o)), func(t taints.Toleration) bool {
			return strings.HasPrefix(t.Key, "pad-")
		})
		if diff := cmp.Diff(texts(tolerationset.Minimize(base, o)), texts(minimal)); diff != "" {
			t.Fatalf("under %+v %v is minimized otherwise (-short +long):\n%s", o, base, diff)
		}
		short := slices.Concat(base, pad[:1])
		if diff := cmp.Diff(
			forbidden(t, extra, tolerationset.ValidateAllowed(extra, short, o)),
			forbidden(t, extra, tolerationset.ValidateAllowed(extra, long, o)),
		); diff != "" {
			t.Fatalf("under %+v %v are allowed otherwise by %v (-short +long):\n%s", o, extra, base, diff)
		}
	})
}

// A long list has the relation where a short one has it.
func TestLongListsFind(t *testing.T) {
	pad := listOf(64, func(i int) taints.Toleration { return exists("pad-" + strconv.Itoa(i)) })
	for request, allow := range map[string][]string{
		"a=7":                              {"a=5 op=Gt"},
		"a=4":                              {"a=9 op=Lt"},
		"a=9223372036854775807":            {"a=9223372036854775806 op=Gt"},
		"a=9223372036854775806 op=Gt":      {"a=9223372036854775807"},
		"a=4:NoExecute op=Lt for 200s":     {"a=5:NoExecute op=Lt for 300s", "a=9:NoExecute op=Lt for 100s"},
		"a=9223372036854775806:NoSchedule": {"a=9223372036854775805 op=Gt"},
	} {
		long := append(parse(t, allow...), pad...)
		if err := tolerationset.ValidateAllowed(parse(t, request), long, taints.Options{}); err != nil {
			t.Errorf("%q does not allow %s: %v", allow, request, err)
		}
	}
	for want, specs := range map[string][]string{
		"1 covered by 0": {"a* op=Exists", "ab op=Exists"},
		"0 threshold":    {"node-role.kubernetes.io/master=-9223372036854775808 op=Lt"},
	} {
		list := append(parse(t, specs...), pad...)
		if got := codes(tolerationset.Lint(list, taints.Options{KeyWildcards: true})); got != want {
			t.Errorf("%q: got %s, want %s", specs, got, want)
		}
	}
}

// The pairs that are compared grow with the tolerations, and not with their square.
func TestCatalogSteps(t *testing.T) {
	timed := func(key, value string, s int) taints.Toleration {
		return taints.Toleration{Key: key, Value: value, Effect: taints.NoExecute, TolerationSeconds: seconds(int64(s))}
	}
	for name, at := range map[string]func(i int) taints.Toleration{
		"values of a key":  func(i int) taints.Toleration { return toleration("k", "", strconv.Itoa(i)) },
		"keys":             func(i int) taints.Toleration { return exists(strconv.Itoa(i)) },
		"effects":          func(i int) taints.Toleration { return taints.Toleration{Effect: taints.Effect(strconv.Itoa(i))} },
		"times of a value": func(i int) taints.Toleration { return timed("k", "v", i) },
		"times of values":  func(i int) taints.Toleration { return timed("k", strconv.Itoa(i), i) },
		"falling limits":   func(i int) taints.Toleration { return toleration("k", "Lt", strconv.Itoa(-i)) },
		"rising limits":    func(i int) taints.Toleration { return toleration("k", "Lt", strconv.Itoa(i)) },
		"limits in both directions": func(i int) taints.Toleration {
			return toleration("k", [...]taints.Operator{"Lt", "Gt"}[i%2], strconv.Itoa(i))
		},
		"values that the last covers": func(i int) taints.Toleration {
			return toleration("k", [...]taints.Operator{"", "Exists"}[i/1199], strconv.Itoa(i))
		},
	} {
		list := listOf(1200, at)
		few, many := tolerationset.Steps(list[900:], taints.Options{}), tolerationset.Steps(list, taints.Options{})
		if many < 1200 || many > 5*few {
			t.Errorf("%s: %d steps for 300 tolerations, %d for 1200", name, few, many)
		}
	}
}
