// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
)

// A question is what the forms are asked: about a taint, a list of them, or
// several lists.
type question struct {
	taint    taints.Taint
	taints   []taints.Taint
	nodes    [][]taints.Taint
	in       taints.EffectSet
	observed time.Time
}

// A found is an index as questions return it.
type found struct {
	I  int
	OK bool
}

func asFound(i int, ok bool) found { return found{i, ok} }

// collect gathers what a sequence of untolerated taints yields, as text.
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
	explains bool // it allocates
}{
	{
		"Match",
		func(q question, tols []taints.Toleration) any { return asFound(taints.Match(q.taint, tols)) },
		func(o taints.Options, q question, tols []taints.Toleration) any {
			return asFound(o.Match(q.taint, tols))
		},
		func(m *taints.Matcher, q question) any { return asFound(m.Match(q.taint)) },
		false,
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
		false,
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
		true, // what it collects
	},
	{
		"Filter",
		func(q question, tols []taints.Toleration) any { return taints.Filter(q.taints, tols) },
		func(o taints.Options, q question, tols []taints.Toleration) any { return o.Filter(q.taints, tols) },
		func(m *taints.Matcher, q question) any { return m.Filter(q.taints) },
		false,
	},
	{
		"EvictionOf",
		func(q question, tols []taints.Toleration) any { return taints.EvictionOf(q.taints, tols, q.observed) },
		func(o taints.Options, q question, tols []taints.Toleration) any {
			return o.EvictionOf(q.taints, tols, q.observed)
		},
		func(m *taints.Matcher, q question) any { return m.EvictionOf(q.taints, q.observed) },
		false,
	},
	{
		"Explain",
		func(q question, tols []taints.Toleration) any { return taints.Explain(q.taints, tols) },
		func(o taints.Options, q question, tols []taints.Toleration) any { return o.Explain(q.taints, tols) },
		func(m *taints.Matcher, q question) any { return m.Explain(q.taints) },
		true,
	},
	{
		"Summarize",
		func(q question, tols []taints.Toleration) any { return taints.Summarize(slices.Values(q.nodes), tols) },
		func(o taints.Options, q question, tols []taints.Toleration) any {
			return o.Summarize(slices.Values(q.nodes), tols)
		},
		func(m *taints.Matcher, q question) any { return m.Summarize(slices.Values(q.nodes)) },
		true,
	},
}

var unexported = cmp.AllowUnexported(taints.Eviction{}, taints.Reason{}, taints.Reason{}.Differences())

func TestFormsAnswerAlike(t *testing.T) {
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				o, tols := options.Draw(t, "options"), manyTolerations.Draw(t, "tolerations")
				q := question{
					anyTaint.Draw(t, "taint"), anyTaints.Draw(t, "taints"),
					rapid.SliceOfN(anyTaints, 0, 3).Draw(t, "nodes"),
					taints.EffectSet(rapid.Uint32().Draw(t, "effects")), someTime.Draw(t, "observed"),
				}
				cut := rapid.IntRange(0, len(tols)).Draw(t, "cut")
				want := form.options(o, q, tols)
				for name, got := range map[string]any{
					"compiled":           form.matcher(o.Compile(tols), q),
					"compiled in parts":  form.matcher(o.Compile(tols[:cut], nil, tols[cut:]), q),
					"compiled by policy": form.matcher(taints.EvictionPolicy{Options: o}.Compile(tols), q),
				} {
					if diff := cmp.Diff(want, got, unexported, cmpopts.EquateEmpty()); diff != "" {
						t.Fatalf("%s (-under Options +got):\n%s", name, diff)
					}
				}
				if diff := cmp.Diff(
					form.function(q, tols),
					form.options(taints.Options{}, q, tols),
					unexported,
				); diff != "" {
					t.Fatalf("(-function +zero Options):\n%s", diff)
				}
				if diff := cmp.Diff(
					form.function(q, tols),
					form.matcher(taints.Compile(tols), q),
					unexported,
				); diff != "" {
					t.Fatalf("(-function +compiled):\n%s", diff)
				}
				for _, none := range []*taints.Matcher{
					nil,
					{},
					taints.Compile(),
					taints.Compile(nil, []taints.Toleration{}),
				} {
					if diff := cmp.Diff(
						form.function(q, nil),
						form.matcher(none, q),
						unexported, cmpopts.EquateEmpty(),
					); diff != "" {
						t.Fatalf("(-without tolerations +empty Matcher):\n%s", diff)
					}
				}
			})
		})
	}
}

func TestFormsAllocateNothing(t *testing.T) {
	tols := parseTolerations(
		"dedicated=ml:NoSchedule", "score=60:NoExecute op=Lt for 300s", "readiness.k8s.io/gpu op=Exists",
	)
	tols = append(tols, taints.Toleration{Key: "a*", Operator: taints.OpExists})
	list := parseTaints("dedicated=ml:NoSchedule", "spot:PreferNoSchedule", "score=40:NoExecute", "x:NoExecute")
	q := question{list[2], list, nil, taints.AllEffects, time.Unix(1_800_000_000, 0)}
	for _, o := range []taints.Options{{}, {NoComparison: true}, {KeyWildcards: true}} {
		m := o.Compile(tols)
		for _, form := range forms {
			if form.explains {
				continue
			}
			// The answer as an interface is the one allocation.
			for name, f := range map[string]func(){
				"function": func() { form.function(q, tols) },
				"Options":  func() { form.options(o, q, tols) },
				"Matcher":  func() { form.matcher(m, q) },
			} {
				if n := testing.AllocsPerRun(100, f); n > 1 {
					t.Errorf("%s, %s, %+v: %v allocations", form.name, name, o, n)
				}
			}
		}
	}
}
