// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
)

func TestTolerates(t *testing.T) {
	type T = taints.Toleration
	dedicated := taints.Taint{Key: "dedicated", Value: "ml", Effect: taints.NoSchedule}
	score := func(value string) taints.Taint {
		return taints.Taint{Key: "score", Value: value, Effect: taints.NoSchedule}
	}
	seconds := func(s int64) *int64 { return &s }
	for _, tc := range []struct {
		name  string
		tol   T
		taint taints.Taint
		want  bool
	}{
		{"equal in all", T{Key: "dedicated", Operator: "Equal", Value: "ml", Effect: "NoSchedule"}, dedicated, true},
		{"no operator means Equal", T{Key: "dedicated", Value: "ml", Effect: "NoSchedule"}, dedicated, true},
		{
			"Equal, another value",
			T{Key: "dedicated", Value: "db", Effect: "NoSchedule"},
			dedicated, false,
		},
		{
			"Equal, value in another letter case",
			T{Key: "dedicated", Value: "ML", Effect: "NoSchedule"},
			dedicated,
			false,
		},
		{
			"Equal with an empty value does not match all values",
			T{Key: "dedicated", Operator: "Equal", Effect: "NoSchedule"},
			dedicated,
			false,
		},
		{
			"Equal with an empty value matches an empty value",
			T{Key: "dedicated", Operator: "Equal"},
			taints.Taint{Key: "dedicated", Effect: "NoSchedule"},
			true,
		},
		{"another key", T{Key: "gpu", Value: "ml", Effect: "NoSchedule"}, dedicated, false},
		{"key in another letter case", T{Key: "Dedicated", Operator: "Exists"}, dedicated, false},
		{
			"another effect",
			T{Key: "dedicated", Value: "ml", Effect: "NoExecute"},
			dedicated, false,
		},
		{
			"effect is looked at first",
			T{Key: "gpu", Value: "db", Effect: "NoExecute"},
			dedicated, false,
		},
		{"key is looked at before the value", T{Key: "gpu", Value: "db"}, dedicated, false},
		{"empty effect matches all effects", T{Key: "dedicated", Value: "ml"}, dedicated, true},
		{
			"empty effect matches an unknown effect",
			T{Operator: "Exists"},
			taints.Taint{Key: "k", Effect: "NoAdmit"},
			true,
		},
		{"empty effect matches an empty effect", T{Operator: "Exists"}, taints.Taint{Key: "k"}, true},
		{
			"an effect does not match an empty effect",
			T{Operator: "Exists", Effect: "NoSchedule"},
			taints.Taint{Key: "k"},
			false,
		},
		{
			"unknown effect matches itself",
			T{Operator: "Exists", Effect: "NoAdmit"},
			taints.Taint{Key: "k", Effect: "NoAdmit"},
			true,
		},
		{
			"unknown effect matches no other unknown one",
			T{Operator: "Exists", Effect: "NoAdmit"},
			taints.Taint{Key: "k", Effect: "noadmit"},
			false,
		},
		{"Exists", T{Key: "dedicated", Operator: "Exists", Effect: "NoSchedule"}, dedicated, true},
		{"Exists of another key", T{Key: "gpu", Operator: "Exists"}, dedicated, false},
		{"Exists does not look at its value", T{Key: "dedicated", Operator: "Exists", Value: "db"}, dedicated, true},
		{"empty key with Exists matches all", T{Operator: "Exists"}, dedicated, true},
		{
			"empty key with Exists and an effect",
			T{Operator: "Exists", Effect: "NoExecute"},
			dedicated, false,
		},
		{"empty key with Equal compares values only", T{Value: "ml"}, dedicated, true},
		{"empty key with Gt compares values only", T{Operator: "Gt", Value: "4"}, score("5"), true},
		{"{} does not match a value", T{}, dedicated, false},
		{"{} matches a taint without a value", T{}, taints.Taint{Key: "dedicated", Effect: "NoSchedule"}, true},
		{"{} matches {}", T{}, taints.Taint{}, true},
		{
			"seconds play no part",
			T{Key: "dedicated", Operator: "Exists", TolerationSeconds: seconds(-1)},
			dedicated, true,
		},
		{"unknown operator", T{Key: "dedicated", Operator: "In", Value: "ml"}, dedicated, false},
		{
			"operator in lower case is unknown",
			T{Key: "dedicated", Operator: "exists"},
			dedicated, false,
		},
		{"a star is no wildcard", T{Key: "dedic*", Operator: "Exists"}, dedicated, false},
		{"a lone star is no wildcard", T{Key: "*", Operator: "Exists"}, dedicated, false},

		{"Lt, less", T{Key: "score", Operator: "Lt", Value: "60"}, score("40"), true},
		{"Lt, equal", T{Key: "score", Operator: "Lt", Value: "40"}, score("40"), false},
		{"Lt, greater", T{Key: "score", Operator: "Lt", Value: "30"}, score("40"), false},
		{"Lt compares numbers, not texts", T{Key: "score", Operator: "Lt", Value: "10"}, score("9"), true},
		{"Lt, negative", T{Key: "score", Operator: "Lt", Value: "-5"}, score("-40"), true},
		{"Gt, greater", T{Key: "score", Operator: "Gt", Value: "30"}, score("40"), true},
		{"Gt, equal", T{Key: "score", Operator: "Gt", Value: "40"}, score("40"), false},
		{"Gt, less", T{Key: "score", Operator: "Gt", Value: "60"}, score("40"), false},
		{"Gt, negative and zero", T{Key: "score", Operator: "Gt", Value: "-1"}, score("0"), true},
		{
			"Lt at both ends of int64",
			T{Key: "score", Operator: "Lt", Value: "9223372036854775807"},
			score("-9223372036854775808"), true,
		},
		{
			"Gt at both ends of int64",
			T{Key: "score", Operator: "Gt", Value: "-9223372036854775808"},
			score("9223372036854775807"), true,
		},
		{
			"nothing is greater than the greatest",
			T{Key: "score", Operator: "Gt", Value: "9223372036854775807"},
			score("9223372036854775807"), false,
		},
		{"Lt of another key", T{Key: "rank", Operator: "Lt", Value: "60"}, score("40"), false},
		{
			"Lt of another effect",
			T{Key: "score", Operator: "Lt", Value: "60", Effect: "NoExecute"},
			score("40"),
			false,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.tol.Tolerates(tc.taint); got != tc.want {
				t.Errorf("Tolerates = %v", got)
			}
			if _, got := taints.Compile([]T{tc.tol}).Match(tc.taint); got != tc.want {
				t.Errorf("Match = %v", got)
			}
		})
	}
}

// Lt and Gt take integers in canonical form only; every other form matches nothing,
// on whichever side it stands.
func TestIntegerForms(t *testing.T) {
	valid := []string{
		"0", "1", "9", "10", "-1", "-10", "9223372036854775807", "-9223372036854775808",
		"999999999999999999",
	}
	invalid := []string{
		"", "-", "+", "+1", "-0", "00", "01", "007", "-01", "1.0", "1e3", "0x1",
		"1_000", " 1", "1 ", "1\n", "--1", "١", "1a", "a",
		"9223372036854775808", "-9223372036854775809", "18446744073709551616",
		"99999999999999999999", "-99999999999999999999",
		"9223372036854775809", "-9223372036854775810", "9999999999999999999",
		"-9999999999999999999", "18446744073709551617", strings.Repeat("9", 1000), "/", ":",
	}
	for i, form := range append(valid, invalid...) {
		ok := i < len(valid)
		for _, op := range []taints.Operator{taints.OpLt, taints.OpGt} {
			limit, taintLimit := "9223372036854775807", "-9223372036854775808"
			if op == taints.OpGt {
				limit, taintLimit = taintLimit, limit
			}
			asTaint := taints.Toleration{Operator: op, Value: limit}.Tolerates(taints.Taint{Key: "k", Value: form})
			asToleration := taints.Toleration{Operator: op, Value: form}.Tolerates(taints.Taint{
				Key:   "k",
				Value: taintLimit,
			})
			if asTaint != (ok && form != limit) || asToleration != (ok && form != taintLimit) {
				t.Errorf("%s %q: %v as the taint's value, %v as the toleration's; an integer: %v",
					op, form, asTaint, asToleration, ok)
			}
		}
	}
}

func TestNumbersCompareAsNumbers(t *testing.T) {
	numbers := []int64{
		math.MinInt64, math.MinInt64 + 1, -100, -11, -2, -1, 0, 1, 2, 9, 10, 11, 99, 100,
		math.MaxInt64 - 1, math.MaxInt64,
	}
	for _, limit := range numbers {
		for _, n := range numbers {
			taint := taints.Taint{Key: "k", Value: strconv.FormatInt(n, 10)}
			value := strconv.FormatInt(limit, 10)
			less := taints.Toleration{Key: "k", Operator: taints.OpLt, Value: value}.Tolerates(taint)
			greater := taints.Toleration{Key: "k", Operator: taints.OpGt, Value: value}.Tolerates(taint)
			if less != (n < limit) || greater != (n > limit) {
				t.Errorf("%d against %d: Lt %v, Gt %v", n, limit, less, greater)
			}
		}
	}
}

func TestOptions(t *testing.T) {
	gpu := taints.Taint{Key: "readiness.k8s.io/gpu", Value: "5", Effect: taints.NoSchedule}
	for _, tc := range []struct {
		name    string
		options taints.Options
		tol     string
		want    bool
	}{
		{"Gt", taints.Options{}, "readiness.k8s.io/gpu=4 op=Gt", true},
		{"Gt without comparison", taints.Options{NoComparison: true}, "readiness.k8s.io/gpu=4 op=Gt", false},
		{"Lt without comparison", taints.Options{NoComparison: true}, "readiness.k8s.io/gpu=6 op=Lt", false},
		{"Exists without comparison", taints.Options{NoComparison: true}, "readiness.k8s.io/gpu op=Exists", true},
		{
			"exact key with wildcards on",
			taints.Options{KeyWildcards: true},
			"readiness.k8s.io/gpu op=Exists", true,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tol := taints.MustParseToleration(tc.tol)
			if _, ok := tc.options.Compile([]taints.Toleration{tol}).Match(gpu); ok != tc.want {
				t.Errorf("Match = %v, want %v", ok, tc.want)
			}
			if i, ok := tc.options.Match(gpu, []taints.Toleration{tol}); ok != tc.want || (i == 0) != tc.want {
				t.Errorf("one-shot Match = %d, %v, want %v", i, ok, tc.want)
			}
			if tc.options.Tolerates(tol, gpu) != tc.want {
				t.Errorf("Tolerates = %v", !tc.want)
			}
		})
	}
	for _, tc := range []struct {
		key     string
		off, on bool
	}{
		{"readiness.k8s.io/*", false, true},
		{"readiness.k8s.io/g*", false, true},
		{"readiness.k8s.io/gpu*", false, true},
		{"readiness.k8s.io*", false, true},
		{"*", false, true},
		{"readiness.k8s.io/x*", false, false},
		{"readiness.k8s.io/gpux*", false, false},
		{"readiness.*/gpu", false, false},
		{"*gpu", false, false},
		{"read*ness.k8s.io/*", false, false},
		{"**", false, false},
	} {
		t.Run(tc.key, func(t *testing.T) {
			tols := []taints.Toleration{{Key: tc.key, Operator: taints.OpExists}}
			if _, ok := taints.Compile(tols).Match(gpu); ok != tc.off {
				t.Errorf("wildcards off: %v, want %v", ok, tc.off)
			}
			if _, ok := (taints.Options{KeyWildcards: true}).Compile(tols).Match(gpu); ok != tc.on {
				t.Errorf("wildcards on: %v, want %v", ok, tc.on)
			}
		})
	}
}

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
			for _, effect := range []taints.Effect{
				"", "NoSchedule", "PreferNoSchedule", "NoExecute", "noschedule",
			} {
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

// Effects of which everything is tolerated are not looked at, each by itself.
func TestMatcherExempts(t *testing.T) {
	known := []taints.Effect{taints.NoSchedule, taints.PreferNoSchedule, taints.NoExecute}
	for _, tc := range []struct {
		toleration taints.Toleration
		exempt     []taints.Effect
	}{
		{taints.Toleration{Operator: taints.OpExists}, append([]taints.Effect{"x"}, known...)},
		{taints.Toleration{Operator: taints.OpExists, Effect: taints.NoSchedule}, known[:1]},
		{taints.Toleration{Operator: taints.OpExists, Effect: taints.PreferNoSchedule}, known[1:2]},
		{taints.Toleration{Operator: taints.OpExists, Effect: taints.NoExecute}, known[2:]},
		// There are more other effects.
		{taints.Toleration{Operator: taints.OpExists, Effect: "x"}, nil},
		{taints.Toleration{Key: "gpu", Operator: taints.OpExists}, nil},
		{taints.Toleration{}, nil},
	} {
		m := taints.Compile([]taints.Toleration{{Key: "gpu", Operator: taints.OpExists}, tc.toleration})
		for _, effect := range append([]taints.Effect{"x"}, known...) {
			if want := slices.Contains(tc.exempt, effect); (m.Path(effect) == "exempt") != want {
				t.Errorf("%v: %q is exempt: %v, want %v", tc.toleration, effect, !want, want)
			}
		}
	}
}
