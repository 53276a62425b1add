// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/draw"
)

// Lt and Gt match only integers in canonical form. Every other form matches
// nothing, both in a taint and in a toleration.
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
		{"exact key with wildcards on", taints.Options{KeyWildcards: true}, "readiness.k8s.io/gpu op=Exists", true},
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

// The Matcher skips taints with an effect that is tolerated for every key.
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
		{"the maximum -1", []int{0, 1, 2}, -1, []int64{-1, -1, 0}},
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

// A question has the arguments for all forms: a taint, or a list of taints.
type question struct {
	taint    taints.Taint
	taints   []taints.Taint
	in       taints.EffectSet
	observed time.Time
}

// A found is an index with a bool, as functions return it.
type found struct {
	I  int
	OK bool
}

func asFound(i int, ok bool) found { return found{i, ok} }

// collect returns the indexes in a sequence of untolerated taints.
func collect(list []taints.Taint, seq func(func(int, *taints.Taint) bool)) []string {
	var all []string
	for i, taint := range seq {
		if taint != &list[i] {
			panic("not the address of the caller's taint")
		}
		all = append(all, strconv.Itoa(i))
	}
	return all
}

// forms holds each question in its three forms: the package function, the
// method of Options and the method of Matcher.
var forms = []struct {
	name     string
	function func(question, []taints.Toleration) any
	options  func(taints.Options, question, []taints.Toleration) any
	matcher  func(*taints.Matcher, question) any
}{
	{
		"Match",
		func(q question, tols []taints.Toleration) any { return asFound(taints.Match(q.taint, tols)) },
		func(o taints.Options, q question, tols []taints.Toleration) any {
			return asFound(o.Match(q.taint, tols))
		},
		func(m *taints.Matcher, q question) any { return asFound(m.Match(q.taint)) },
	},
	{
		"FindUntolerated",
		func(q question, tols []taints.Toleration) any {
			return asFound(taints.FindUntolerated(q.taints, tols, q.in))
		},
		func(o taints.Options, q question, tols []taints.Toleration) any {
			return asFound(o.FindUntolerated(q.taints, tols, q.in))
		},
		func(m *taints.Matcher, q question) any { return asFound(m.FindUntolerated(q.taints, q.in)) },
	},
	{
		"Untolerated",
		func(q question, tols []taints.Toleration) any {
			return collect(q.taints, taints.Untolerated(q.taints, tols, q.in))
		},
		func(o taints.Options, q question, tols []taints.Toleration) any {
			return collect(q.taints, o.Untolerated(q.taints, tols, q.in))
		},
		func(m *taints.Matcher, q question) any { return collect(q.taints, m.Untolerated(q.taints, q.in)) },
	},
	{
		"Filter",
		func(q question, tols []taints.Toleration) any { return taints.Filter(q.taints, tols) },
		func(o taints.Options, q question, tols []taints.Toleration) any { return o.Filter(q.taints, tols) },
		func(m *taints.Matcher, q question) any { return m.Filter(q.taints) },
	},
	{
		"EvictionOf",
		func(q question, tols []taints.Toleration) any { return taints.EvictionOf(q.taints, tols, q.observed) },
		func(o taints.Options, q question, tols []taints.Toleration) any {
			return o.EvictionOf(q.taints, tols, q.observed)
		},
		func(m *taints.Matcher, q question) any { return m.EvictionOf(q.taints, q.observed) },
	},
}

func TestFormsAnswerAlike(t *testing.T) { rapid.Check(t, formsAnswerAlike) }

func formsAnswerAlike(t *rapid.T) {
	o, tols := draw.Options.Draw(t, "options"), draw.ManyTolerations.Draw(t, "tolerations")
	q := question{
		draw.Taint.Draw(t, "taint"), draw.Taints.Draw(t, "taints"),
		taints.EffectSet(rapid.Uint32().Draw(t, "effects")), draw.Time.Draw(t, "observed"),
	}
	cut := rapid.IntRange(0, len(tols)).Draw(t, "cut")
	m, parts := o.Compile(tols), o.Compile(tols[:cut], nil, tols[cut:])
	again := m.Policy().Compile(slices.Collect(m.Tolerations()))
	for _, form := range forms {
		want := form.options(o, q, tols)
		for name, got := range map[string]any{
			"compiled":           form.matcher(m, q),
			"compiled in parts":  form.matcher(parts, q),
			"compiled again":     form.matcher(again, q),
			"compiled by policy": form.matcher(taints.EvictionPolicy{Options: o}.Compile(tols), q),
		} {
			if diff := difference(want, got); diff != "" {
				t.Fatalf("%s, %s (-under Options +got):\n%s", form.name, name, diff)
			}
		}
		if diff := difference(form.function(q, tols), form.options(taints.Options{}, q, tols)); diff != "" {
			t.Fatalf("%s (-function +zero Options):\n%s", form.name, diff)
		}
		for _, none := range []*taints.Matcher{nil, {}, taints.Compile()} {
			if diff := difference(form.function(q, nil), form.matcher(none, q)); diff != "" {
				t.Fatalf("%s (-without tolerations +empty Matcher):\n%s", form.name, diff)
			}
		}
	}
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
		_, chosen := m.Choose(taint)
		_, found := m.FindUntolerated([]taints.Taint{taint}, taints.Hard)
		if matches || chosen || !found {
			t.Errorf("%s by %s: matches %v, chosen %v, untolerated %v", tc.taint, tc.key, matches, chosen, found)
		}
	}
}
