// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/draw"
)

// A question is what the forms are asked: about a taint, or a list of them.
type question struct {
	taint    taints.Taint
	taints   []taints.Taint
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
