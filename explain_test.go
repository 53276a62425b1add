// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
)

func TestExplain(t *testing.T) {
	type T = taints.Toleration
	for _, tc := range []struct {
		name  string
		taint string
		tols  []T
		tol   int
		why   taints.Mismatch
		hint  taints.Hint
		text  string
	}{
		{
			"tolerated", "gpu:NoSchedule", parseTolerations("disk op=Exists", "gpu op=Exists", "op=Exists"),
			1, 0, 0, "gpu:NoSchedule is tolerated by gpu op=Exists",
		}, {
			"no tolerations", "gpu:NoSchedule", nil,
			-1, taints.MismatchKey, 0,
			"gpu:NoSchedule is not tolerated (nothing comes close)",
		}, {
			"the zero toleration", "gpu=a:NoSchedule",
			[]T{{}},
			0, taints.MismatchValue, taints.HintEmptyValue,
			"gpu=a:NoSchedule is not tolerated (closest: , its empty value matches only an empty value)",
		}, {
			"others only", "dedicated=ml:NoSchedule",
			parseTolerations("gpu op=Exists", "node.kubernetes.io/not-ready:NoExecute op=Exists"),
			-1, taints.MismatchKey, 0,
			"dedicated=ml:NoSchedule is not tolerated (nothing comes close)",
		}, {
			"another value", "dedicated=ml:NoSchedule",
			parseTolerations("gpu op=Exists", "dedicated=db:NoSchedule"),
			1, taints.MismatchValue, 0,
			"dedicated=ml:NoSchedule is not tolerated (closest: dedicated=db:NoSchedule, the value differs)",
		}, {
			"value in other letter case", "dedicated=ml:NoSchedule",
			parseTolerations("dedicated=db:NoSchedule", "dedicated=ML:NoSchedule"),
			1, taints.MismatchValue, taints.HintLetterCase,
			"dedicated=ml:NoSchedule is not tolerated (closest: dedicated=ML:NoSchedule, the value differs only in letter case)",
		}, {
			"empty value", "dedicated=ml:NoSchedule", parseTolerations("dedicated:NoSchedule"),
			0, taints.MismatchValue, taints.HintEmptyValue,
			"dedicated=ml:NoSchedule is not tolerated (closest: dedicated:NoSchedule, its empty value matches only an empty value)",
		}, {
			"another effect", "dedicated=ml:NoSchedule", parseTolerations("dedicated=ml:NoExecute"),
			0, taints.MismatchEffect, 0,
			"dedicated=ml:NoSchedule is not tolerated (closest: dedicated=ml:NoExecute, the effect differs)",
		}, {
			"effect in other letter case", "dedicated=ml:NoSchedule",
			[]T{{Key: "dedicated", Value: "ml", Effect: "noschedule"}},
			0, taints.MismatchEffect, taints.HintLetterCase,
			"dedicated=ml:NoSchedule is not tolerated " +
				"(closest: dedicated=ml:noschedule, the effect noschedule is unknown, NoSchedule may be meant)",
		}, {
			"effect and value", "dedicated=ml:NoSchedule", parseTolerations("dedicated=db:NoExecute"),
			0, taints.MismatchEffect, 0,
			"dedicated=ml:NoSchedule is not tolerated (closest: dedicated=db:NoExecute, the effect differs, the value differs)",
		}, {
			"an empty effect does not differ", "dedicated=ml:NoSchedule",
			parseTolerations("dedicated=db", "dedicated=db:NoSchedule"),
			0, taints.MismatchValue, 0,
			"dedicated=ml:NoSchedule is not tolerated (closest: dedicated=db, the value differs)",
		}, {
			"a value comes closer than an effect and a value", "dedicated=ml:NoSchedule",
			parseTolerations("dedicated=db:NoExecute", "dedicated=db:NoSchedule"),
			1, taints.MismatchValue, 0,
			"dedicated=ml:NoSchedule is not tolerated (closest: dedicated=db:NoSchedule, the value differs)",
		}, {
			"a missed threshold comes closer than another effect", "score=40:NoSchedule",
			parseTolerations("score=50:NoExecute op=Lt", "score=30:NoSchedule op=Lt"),
			1, taints.MismatchNotLess, 0,
			"score=40:NoSchedule is not tolerated (closest: score=30:NoSchedule op=Lt, 40 is not less than 30 but 10 more)",
		}, {
			"one edit comes closer than two", "dedicated=ml:NoSchedule",
			parseTolerations("dedicaetdd op=Exists", "dedicate op=Exists"),
			1, taints.MismatchKey, taints.HintSpelling,
			"dedicated=ml:NoSchedule is not tolerated (closest: dedicate op=Exists, the key differs)",
		}, {
			"an effect alone comes as close as a value alone", "dedicated=ml:NoSchedule",
			parseTolerations("dedicated=ml:NoExecute", "dedicated=db:NoSchedule"),
			0, taints.MismatchEffect, 0,
			"dedicated=ml:NoSchedule is not tolerated (closest: dedicated=ml:NoExecute, the effect differs)",
		}, {
			"all keys, another effect", "dedicated=ml:NoSchedule", parseTolerations(":NoExecute op=Exists"),
			0, taints.MismatchEffect, 0,
			"dedicated=ml:NoSchedule is not tolerated (closest: :NoExecute op=Exists, the effect differs)",
		}, {
			"the same key comes closer than all keys", "dedicated=ml:NoSchedule",
			parseTolerations(":NoExecute op=Exists", "dedicated=db:NoSchedule"),
			1, taints.MismatchValue, 0,
			"dedicated=ml:NoSchedule is not tolerated (closest: dedicated=db:NoSchedule, the value differs)",
		}, {
			"key in other letter case", "dedicated=ml:NoSchedule",
			parseTolerations("dedicatde op=Exists", "Dedicated=ml:NoSchedule"),
			1, taints.MismatchKey, taints.HintLetterCase,
			"dedicated=ml:NoSchedule is not tolerated (closest: Dedicated=ml:NoSchedule, the key differs only in letter case)",
		}, {
			"neighbors swapped in the key", "dedicated=ml:NoSchedule", parseTolerations("dedicatde op=Exists"),
			0, taints.MismatchKey, taints.HintSpelling,
			"dedicated=ml:NoSchedule is not tolerated (closest: dedicatde op=Exists, the key differs)",
		}, {
			"threshold, not less", "score=40:NoSchedule", parseTolerations("score=30:NoSchedule op=Lt"),
			0, taints.MismatchNotLess, 0,
			"score=40:NoSchedule is not tolerated (closest: score=30:NoSchedule op=Lt, 40 is not less than 30 but 10 more)",
		}, {
			"threshold, not greater", "score=40:NoSchedule", parseTolerations("score=60:NoSchedule op=Gt"),
			0, taints.MismatchNotGreater, 0,
			"score=40:NoSchedule is not tolerated (closest: score=60:NoSchedule op=Gt, 40 is not greater than 60 but 20 less)",
		}, {
			"the taint's value is no integer", "score=x:NoSchedule", parseTolerations("score=60:NoSchedule op=Gt"),
			0, taints.MismatchNotInteger, 0,
			"score=x:NoSchedule is not tolerated (closest: score=60:NoSchedule op=Gt, the taint's value is not an integer)",
		}, {
			"the toleration's value is no integer", "score=40:NoSchedule",
			[]T{{Key: "score", Operator: "Gt", Value: "007"}},
			0, taints.MismatchNotInteger, 0,
			"score=40:NoSchedule is not tolerated (closest: score=007 op=Gt, its value is not an integer)",
		}, {
			"unknown operator", "gpu:NoSchedule",
			[]T{{Key: "gpu", Operator: "In"}},
			0, taints.MismatchOperator, 0,
			"gpu:NoSchedule is not tolerated (closest: gpu op=In, the operator In is unknown)",
		}, {
			"misspelled operator", "gpu:NoSchedule",
			[]T{{Key: "gpu", Operator: "Exist"}},
			0, taints.MismatchOperator, taints.HintSpelling,
			"gpu:NoSchedule is not tolerated (closest: gpu op=Exist, the operator Exist is unknown, Exists may be meant)",
		}, {
			"misspelled effect", "gpu:NoSchedule",
			[]T{{Key: "gpu", Operator: "Exists", Effect: "NoSched"}},
			0, taints.MismatchEffect, taints.HintSpelling,
			"gpu:NoSchedule is not tolerated (closest: gpu:NoSched op=Exists, the effect NoSched is unknown, NoSchedule may be meant)",
		}, {
			"misspelled effect that is another", "gpu:NoSchedule",
			[]T{{Key: "gpu", Operator: "Exists", Effect: "NoExceute"}},
			0, taints.MismatchEffect, taints.HintSpelling,
			"gpu:NoSchedule is not tolerated (closest: gpu:NoExceute op=Exists, the effect NoExceute is unknown, NoExecute may be meant)",
		}, {
			"unknown effect", "gpu:NoSchedule",
			[]T{{Key: "gpu", Operator: "Exists", Effect: "No"}},
			0, taints.MismatchEffect, 0,
			"gpu:NoSchedule is not tolerated (closest: gpu:No op=Exists, the effect No is unknown)",
		}, {
			"the value under another key", "dedicated=ml:NoSchedule",
			parseTolerations("dedicated=db:NoSchedule", "gpu=a", "team=ml:NoExecute", "unit=ml"),
			0, taints.MismatchValue, taints.HintOtherKey,
			"dedicated=ml:NoSchedule is not tolerated (closest: dedicated=db:NoSchedule, the value differs, ml stands under the key team)",
		}, {
			"a likelier mistake than a value under another key", "dedicated=ml:NoSchedule",
			parseTolerations("dedicated=ML:NoSchedule", "team=ml"),
			0, taints.MismatchValue, taints.HintLetterCase,
			"dedicated=ml:NoSchedule is not tolerated (closest: dedicated=ML:NoSchedule, the value differs only in letter case)",
		}, {
			"a threshold of another key has no value to give", "score=5:NoSchedule",
			parseTolerations("score=4:NoSchedule", "rank=5 op=Gt"),
			0, taints.MismatchValue, 0,
			"score=5:NoSchedule is not tolerated (closest: score=4:NoSchedule, the value differs)",
		}, {
			"no value has no other key", "dedicated:NoSchedule",
			parseTolerations("dedicated=db:NoSchedule", "team"),
			0, taints.MismatchValue, 0,
			"dedicated:NoSchedule is not tolerated (closest: dedicated=db:NoSchedule, the value differs)",
		}, {
			"the value under the same key, for another effect", "dedicated=ml:NoSchedule",
			parseTolerations("dedicated=db:NoSchedule", "dedicated=ml:PreferNoSchedule"),
			0, taints.MismatchValue, 0,
			"dedicated=ml:NoSchedule is not tolerated (closest: dedicated=db:NoSchedule, the value differs)",
		}, {
			"threshold, equal", "score=40:NoSchedule", parseTolerations("score=40 op=Gt"),
			0, taints.MismatchNotGreater, 0,
			"score=40:NoSchedule is not tolerated (closest: score=40 op=Gt, 40 is not greater than 40 but equal)",
		}, {
			"threshold, as far as can be", "score=9223372036854775807:NoSchedule",
			parseTolerations("score=-9223372036854775808 op=Lt"),
			0, taints.MismatchNotLess, 0,
			"score=9223372036854775807:NoSchedule is not tolerated " +
				"(closest: score=-9223372036854775808 op=Lt, " +
				"9223372036854775807 is not less than -9223372036854775808 but 18446744073709551615 more)",
		}, {
			"operator in other letter case", "gpu:NoSchedule",
			[]T{{Key: "gpu", Operator: "exists"}},
			0, taints.MismatchOperator, taints.HintLetterCase,
			"gpu:NoSchedule is not tolerated (closest: gpu op=exists, the operator exists is unknown, Exists may be meant)",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list := parseTaints(tc.taint)
			e := taints.Explain(list, tc.tols)
			r := e[0]
			if i, ok := r.Toleration(); i != tc.tol || ok != (i >= 0) || r.Mismatch != tc.why ||
				r.Hint != tc.hint || !r.Taint.Equal(list[0]) {
				t.Errorf("got toleration %d, %v, %v, %v", i, ok, r.Mismatch, r.Hint)
			}
			if tc.tol >= 0 && !r.Closest.Equal(tc.tols[tc.tol]) || tc.tol < 0 && r.Closest != (T{}) {
				t.Errorf("closest is %v", r.Closest)
			}
			if e.String() != tc.text || r.String() != tc.text {
				t.Errorf("(-want +got):\n%s", cmp.Diff(tc.text, e.String()+"\n"+r.String()))
			}
			if why := r.Why(); tc.why != 0 && !strings.HasSuffix(tc.text, why+")") ||
				(why == "") != (tc.why == 0) {
				t.Errorf("why: %q", why)
			}
			if e.Schedulable() != (tc.why == 0) || r.Tolerated() != (tc.why == 0) {
				t.Errorf("schedulable %v, tolerated %v", e.Schedulable(), r.Tolerated())
			}
		})
	}
}

func TestExplainUnderOptions(t *testing.T) {
	list := parseTaints("score=40:NoSchedule", "readiness.k8s.io/gpu:NoExecute")
	tols := []taints.Toleration{
		{Key: "score", Operator: "Lt", Value: "60"},
		{Key: "readiness.k8s.io/*", Operator: "Exists", Effect: "NoSchedule"},
	}
	got := taints.Options{NoComparison: true, KeyWildcards: true}.Compile(tols).Explain(list).String()
	want := "score=40:NoSchedule is not tolerated (closest: score=60 op=Lt, Lt and Gt are switched off)\n" +
		"readiness.k8s.io/gpu:NoExecute is not tolerated (closest: readiness.k8s.io/*:NoSchedule op=Exists, the effect differs)"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := taints.Explain(nil, tols); got != nil || got.String() != "" || !got.Schedulable() {
		t.Errorf("without taints: %v", got)
	}
}

// What counts as a misspelled key: one or two edits, in keys that are long enough
// for them to mean anything.
func TestMisspelledKeys(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"dedicated", "dedicate", true},
		{"dedicated", "deddicated", true},
		{"dedicated", "dedicatid", true},
		{"dedicated", "eddicatde", true},
		{"dedicated", "xdedicatedx", true},
		{"dedicated", "dexicxted", true},
		{"dedicated", "dexxxated", false},
		{"dedicated", "dedica", false},
		{"dedicated", "dedicated-gpu", false},
		{"example.com/gpu", "example.org/gpu", false},
		{"example.com/gpu", "exampl.com/gpus", true},
		{"gpu", "gup", true},
		{"gpu", "gpus", true},
		{"gpu", "cpx", false},
		{"gp", "gpu", false},
		{"a", "b", false},
		{"abcd", "abxy", false},
		{"abcde", "abxye", true},
	} {
		for _, pair := range [][2]string{{tc.a, tc.b}, {tc.b, tc.a}} {
			e := taints.Explain([]taints.Taint{{Key: pair[0], Effect: "NoSchedule"}},
				[]taints.Toleration{{Key: pair[1], Operator: "Exists"}})
			if got := e[0].Hint == taints.HintSpelling; got != tc.want {
				t.Errorf("%q for %q: misspelled %v, want %v", pair[1], pair[0], got, tc.want)
			}
		}
	}
}

func TestRedacted(t *testing.T) {
	list := append(parseTaints("secret=ml:NoSchedule", "score=40:NoExecute",
		"secret=x:NoExecute"), taints.Taint{Key: "other", Effect: "hidden"})
	tols := append(parseTolerations("secret=ML:NoSchedule", "score=30:NoExecute op=Lt for 60s"),
		taints.Toleration{Key: "other", Operator: "hush", Effect: "quiet"})
	e := taints.Explain(list, tols)
	want := strings.Join([]string{
		"<key1>=<value1>:NoSchedule is not tolerated (closest: <key1>=<value2>:NoSchedule, the value differs only in letter case)",
		"<key2>=<value3>:NoExecute is not tolerated (closest: <key2>=<value4>:NoExecute op=Lt for 60s, <value3> is not less than <value4>)",
		"<key1>=<value5>:NoExecute is not tolerated (closest: <key1>=<value2>:NoSchedule, the effect differs, the value differs)",
		"<key3>:<effect1> is not tolerated (closest: <key3>:<effect2> op=<operator1>, " +
			"the effect <effect2> is unknown, the operator <operator1> is unknown)",
	}, "\n")
	if diff := cmp.Diff(want, e.Redact().String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := e[2].Redact().String(); !strings.HasPrefix(got, "<key1>=<value1>:NoExecute is not tolerated") {
		t.Errorf("one reason alone: %s", got)
	}
	s := taints.Summarize(slices.Values([][]taints.Taint{list}), tols)
	want = "0/1 nodes are available: " +
		"1 has untolerated taint <key1>=<value1>:NoExecute " +
		"(closest: <key1>=<value2>:NoExecute op=Lt for 60s, <value1> is not less than <value2>), " +
		"1 has untolerated taint <key2>=<value3>:NoSchedule " +
		"(closest: <key2>=<value4>:NoSchedule, the value differs only in letter case), " +
		"1 has untolerated taint <key2>=<value5>:NoExecute " +
		"(closest: <key2>=<value4>:NoSchedule, the effect differs, the value differs)"
	if diff := cmp.Diff(want, s.Redact().String()); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

// A redacted text holds none of the keys and values, whatever the input, and has the
// shape of the plain one.
func TestRedactedHoldsNothing(t *testing.T) {
	secret := rapid.SampledFrom([]string{"", "zq1", "ZQ1", "zq12", "77", "zq1/zq2", "zq3"})
	rapid.Check(t, func(t *rapid.T) {
		var list []taints.Taint
		var tols []taints.Toleration
		for range rapid.IntRange(0, 4).Draw(t, "taints") {
			list = append(list, taints.Taint{
				Key:    secret.Draw(t, "key"),
				Value:  secret.Draw(t, "value"),
				Effect: taints.Effect(secret.Draw(t, "effect")),
			})
		}
		for range rapid.IntRange(0, 4).Draw(t, "tolerations") {
			tols = append(tols, taints.Toleration{
				Key:      secret.Draw(t, "key"),
				Operator: taints.Operator(secret.Draw(t, "operator")),
				Value:    secret.Draw(t, "value"),
				Effect:   taints.Effect(secret.Draw(t, "effect")),
			})
		}
		e := taints.Explain(list, tols)
		s := taints.Summarize(slices.Values([][]taints.Taint{list}), tols)
		text := strings.ToLower(e.Redact().String() + s.Redact().String() + s.Redact().Report())
		if strings.Contains(text, "zq") || strings.Contains(text, "77") {
			t.Fatalf("%s", text)
		}
		if a, b := strings.Count(e.String(), "\n"), strings.Count(e.Redact().String(), "\n"); a != b {
			t.Fatalf("%d lines, redacted %d", a, b)
		}
		a, b := strings.Count(s.Report(), "\n"), strings.Count(s.Redact().Report(), "\n")
		if a != len(s.Reasons) || b != a {
			t.Fatalf("%d reasons in %d lines, redacted %d", len(s.Reasons), a, b)
		}
	})
}

// Neither a distance from which a threshold could be guessed nor another key is in a
// redacted text.
func TestRedactedHints(t *testing.T) {
	for _, tc := range []struct {
		taint string
		tols  []taints.Toleration
		want  string
	}{
		{
			"score=40:NoSchedule", parseTolerations("score=60 op=Gt"),
			"<key1>=<value1>:NoSchedule is not tolerated (closest: <key1>=<value2> op=Gt, <value1> is not greater than <value2>)",
		},
		{
			"dedicated=ml:NoSchedule", parseTolerations("dedicated=db", "team=ml"),
			"<key1>=<value1>:NoSchedule is not tolerated " +
				"(closest: <key1>=<value2>, the value differs, <value1> stands under the key <key2>)",
		},
		{
			"gpu:NoSchedule",
			[]taints.Toleration{{Key: "gpu", Operator: "Exist", Effect: "NoSched"}},
			"<key1>:NoSchedule is not tolerated " +
				"(closest: <key1>:<effect1> op=<operator1>, " +
				"the effect <effect1> is unknown, NoSchedule may be meant, " +
				"the operator <operator1> is unknown, Exists may be meant)",
		},
	} {
		got := taints.Explain(parseTaints(tc.taint), tc.tols).Redact().String()
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestSummaryReport(t *testing.T) {
	nodes := [][]taints.Taint{
		parseTaints("dedicated=ml:NoSchedule"),
		parseTaints("dedicated=ml:NoSchedule", "gpu:NoExecute"),
		nil,
	}
	s := taints.Summarize(slices.Values(nodes), parseTolerations("dedicated=db:NoSchedule"))
	want := `1/3 nodes are available:
  2 have untolerated taint dedicated=ml:NoSchedule (closest: dedicated=db:NoSchedule, the value differs)
  1 has untolerated taint gpu:NoExecute (nothing comes close)`
	if diff := cmp.Diff(want, s.Report()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want = `1/3 nodes are available:
  2 have untolerated taint <key1>=<value1>:NoSchedule (closest: <key1>=<value2>:NoSchedule, the value differs)
  1 has untolerated taint <key2>:NoExecute (nothing comes close)`
	if diff := cmp.Diff(want, s.Redact().Report()); diff != "" {
		t.Errorf("redacted (-want +got):\n%s", diff)
	}
	if got := (taints.Summary{Nodes: 2, Feasible: 2}).Report(); got != "2/2 nodes are available" {
		t.Errorf("without reasons: %s", got)
	}
}

func TestSummarize(t *testing.T) {
	nodes := [][]taints.Taint{
		parseTaints("dedicated=ml:NoSchedule", "nvidia.com/gpu=present:NoSchedule"),
		parseTaints("nvidia.com/gpu=present:NoSchedule", "dedicated=ml:NoSchedule"),
		// A repeated taint counts once.
		parseTaints("dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule"),
		parseTaints("b:NoExecute"),
		parseTaints("a:NoSchedule", "spot:PreferNoSchedule"),
		parseTaints("spot:PreferNoSchedule"),
		parseTaints("tolerated:NoSchedule"),
		nil,
	}
	tols := parseTolerations("dedicated=ML:NoSchedule", "tolerated op=Exists")
	want := "3/8 nodes are available: " +
		"3 have untolerated taint dedicated=ml:NoSchedule (closest: dedicated=ML:NoSchedule, the value differs only in letter case), " +
		"2 have untolerated taint nvidia.com/gpu=present:NoSchedule (nothing comes close), " +
		"1 has untolerated taint a:NoSchedule (nothing comes close), " +
		"1 has untolerated taint b:NoExecute (nothing comes close)"
	s := taints.Summarize(slices.Values(nodes), tols)
	if diff := cmp.Diff(want, s.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Nodes != 8 || s.Feasible != 3 || len(s.Reasons) != 4 {
		t.Errorf("%d nodes, %d feasible, %d reasons", s.Nodes, s.Feasible, len(s.Reasons))
	}
	slices.Reverse(nodes)
	if got := taints.Compile(tols).Summarize(slices.Values(nodes)).String(); got != want {
		t.Errorf("in another order: %s", got)
	}
	for name, s := range map[string]taints.Summary{
		"nil":   taints.Summarize(nil, tols),
		"empty": taints.Summarize(slices.Values(nodes[:0]), nil),
	} {
		if got := s.String(); got != "0/0 nodes are available" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Reasons that are equally frequent come in order of key, value and effect.
func TestSummarizeOrder(t *testing.T) {
	nodes := [][]taints.Taint{parseTaints("b=y:NoSchedule", "b=x:NoSchedule", "b=x:NoExecute", "a=z:NoSchedule")}
	var got []string
	for _, r := range taints.Summarize(slices.Values(nodes), nil).Reasons {
		got = append(got, r.Reason.Taint.String())
	}
	want := []string{"a=z:NoSchedule", "b=x:NoExecute", "b=x:NoSchedule", "b=y:NoSchedule"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The summary counts what a loop over Filter counts, and the closest toleration of a
// reason does match its indexes.
func TestSummarizeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.SliceOfN(anyTaints, 0, 8).Draw(t, "nodes")
		o, tols := options.Draw(t, "options"), anyTolerations.Draw(t, "tolerations")
		m := o.Compile(tols)
		s := m.Summarize(slices.Values(nodes))
		feasible := 0
		for _, list := range nodes {
			if m.Filter(list).Schedulable() {
				feasible++
			}
		}
		if s.Nodes != len(nodes) || s.Feasible != feasible {
			t.Fatalf("%d/%d, want %d/%d", s.Feasible, s.Nodes, feasible, len(nodes))
		}
		for _, r := range s.Reasons {
			count := 0
			same := func(taint taints.Taint) bool { taint.TimeAdded = nil; return taint == r.Reason.Taint }
			for _, list := range nodes {
				if slices.ContainsFunc(list, same) {
					count++
				}
			}
			reason := r.Reason
			if reason.Tolerated() || !taints.Hard.Has(reason.Taint.Effect) || count != r.Nodes ||
				len(refMatches(o, tols, reason.Taint)) > 0 {
				t.Fatalf("%d nodes have %v, got %+v", count, reason.Taint, r)
			}
			if i, ok := reason.Toleration(); ok && !reason.Closest.Equal(tols[i]) {
				t.Fatalf("closest is %v, toleration %d is %v", reason.Closest, i, tols[i])
			}
		}
	})
}

// A line feed in a key does not begin a line, and other controls do not reach a terminal.
func TestTextsAreOneLine(t *testing.T) {
	list := []taints.Taint{
		{Key: "a\nb", Value: "\x1b[31m", Effect: "NoSchedule"},
		{Key: "\xff\u202e", Effect: "NoSchedule"},
		{Key: "é \\", Effect: "NoSchedule"},
	}
	tols := []taints.Toleration{{Key: "A\nb", Operator: "Exists"}}
	want := `a\nb=\x1b[31m:NoSchedule is not tolerated (closest: A\nb op=Exists, the key differs only in letter case)
\xff\u202e:NoSchedule is not tolerated (nothing comes close)
é \:NoSchedule is not tolerated (nothing comes close)`
	e := taints.Explain(list, tols)
	if diff := cmp.Diff(want, e.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, _, _ := strings.Cut(want, "\n"); e[0].String() != got {
		t.Errorf("got %q", e[0])
	}
	s := taints.Summarize(slices.Values([][]taints.Taint{list}), tols)
	if lines := strings.Count(s.Report(), "\n"); lines != 3 || strings.Contains(s.String(), "\n") {
		t.Errorf("%d lines: %q", lines, s.Report())
	}
	why := taints.Explain([]taints.Taint{{Key: "k", Value: "a\nb"}},
		[]taints.Toleration{{Key: "k", Value: "c"}, {Key: "x\ny", Value: "a\nb"}})[0].Why()
	if why != `the value differs, a\nb stands under the key x\ny` {
		t.Errorf("got %q", why)
	}
}

// Distinct texts have distinct names, and equal ones equal names, in fields as in texts.
func TestRedactFields(t *testing.T) {
	list := []taints.Taint{
		{Key: "a", Effect: "one"},
		{Key: "b", Effect: "two"},
		{Key: "c", Effect: "one"},
		{Effect: "NoExecute"},
	}
	tols := []taints.Toleration{
		{Key: "a", Operator: "first", Value: "v"},
		{Key: "b", Operator: "second", Value: "v"},
		{Key: "c", Operator: "first", Value: "w", TolerationSeconds: seconds(9)},
	}
	e := taints.Explain(list, tols)
	var got []string
	for _, r := range e.Redact() {
		got = append(got, r.Taint.String()+" "+r.Closest.String())
		if i, ok := r.Toleration(); ok && e[i].Mismatch != r.Mismatch {
			t.Errorf("%v lost its place", r)
		}
	}
	want := []string{
		"<key1>:<effect1> <key1>=<value1> op=<operator1>",
		"<key2>:<effect2> <key2>=<value1> op=<operator2>",
		"<key3>:<effect1> <key3>=<value2> op=<operator1> for 9s",
		":NoExecute ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if e[0].Taint.Key != "a" || taints.Explanation(nil).Redact() != nil ||
		len(taints.Summary{}.Redact().Reasons) != 0 {
		t.Error("the original changed, or nothing became something")
	}
}
