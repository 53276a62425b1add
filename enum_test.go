// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/enumtest"
)

var enums = []enumtest.Enum{
	enumtest.New("Mismatch",
		[]taints.Mismatch{
			taints.MismatchNone, taints.MismatchEffect, taints.MismatchKey,
			taints.MismatchValue, taints.MismatchOperator, taints.MismatchNoComparison,
			taints.MismatchNotInteger, taints.MismatchNotLess, taints.MismatchNotGreater,
		},
		"MismatchNone", "MismatchEffect", "MismatchKey", "MismatchValue", "MismatchOperator",
		"MismatchNoComparison", "MismatchNotInteger", "MismatchNotLess", "MismatchNotGreater",
	),
	enumtest.New("Hint",
		[]taints.Hint{
			taints.HintNone, taints.HintLetterCase, taints.HintSpelling,
			taints.HintEmptyValue, taints.HintOtherKey,
		},
		"HintNone", "HintLetterCase", "HintSpelling", "HintEmptyValue", "HintOtherKey",
	),
	enumtest.New("Selection",
		[]taints.Selection{
			taints.FirstMatch, taints.LongestMatch, taints.ShortestMatch, taints.ForeverElseShortest,
		},
		"FirstMatch", "LongestMatch", "ShortestMatch", "ForeverElseShortest",
	),
	enumtest.New("Outcome", []taints.Outcome{taints.Stays, taints.EvictsAt, taints.EvictsNow},
		"Stays", "EvictsAt", "EvictsNow"),
}

func TestEnums(t *testing.T) {
	for _, e := range enums {
		e.Check(t)
	}
	if got := taints.Mismatch(200).Why(); got != "mismatch(200)" {
		t.Errorf("unknown: %q", got)
	}
}

// Results and settings have names in JSON where they have numbers in memory.
func TestJSONHasNames(t *testing.T) {
	for _, tc := range []struct {
		v    any
		want string
	}{
		{taints.Verdict{}, `{}`},
		{taints.Verdict{NoSchedule: 1, Other: 2}, `{"noSchedule":1,"other":2}`},
		{taints.Eviction{}, `{"outcome":"Stays"}`},
		{
			taints.EvictionOf(parseTaints("a:NoExecute"), parseTolerations("a:NoExecute for 60s"), observed),
			`{"outcome":"EvictsAt","tolerated":true,"at":"2026-11-21T12:01:00.0000005Z","from":"2026-11-21T12:00:00.0000005Z","seconds":60}`,
		},
		{taints.EvictionPolicy{}, `{}`},
		{
			taints.EvictionPolicy{
				Options:       taints.Options{NoComparison: true},
				Select:        taints.ForeverElseShortest,
				Effects:       taints.Hard,
				FromTimeAdded: true,
			},
			`{"options":{"noComparison":true},"select":"ForeverElseShortest","effects":"NoSchedule|NoExecute","fromTimeAdded":true}`,
		},
		{
			taints.Explain(parseTaints("a=B:NoSchedule"), parseTolerations("a=b")),
			`[{"taint":{"key":"a","value":"B","effect":"NoSchedule"},"closest":{"key":"a","value":"b"},"mismatch":"MismatchValue","hint":"HintLetterCase"}]`,
		},
		{
			taints.Explain(parseTaints("a=B:NoSchedule"), nil),
			`[{"taint":{"key":"a","value":"B","effect":"NoSchedule"},"mismatch":"MismatchKey"}]`,
		},
		{
			taints.Explain(parseTaints("a=B:NoSchedule"), parseTolerations("a=b")).Redact(),
			`[{"taint":{"key":"\u003ckey1\u003e","value":"\u003cvalue1\u003e","effect":"NoSchedule"},"closest":{"key":"\u003ckey1\u003e","value":"\u003cvalue2\u003e"},"mismatch":"MismatchValue","hint":"HintLetterCase"}]`,
		},
		{
			taints.Lint(parseTolerations("a", "a")),
			`[{"code":"empty-value","toleration":0,` +
				`"advice":"an empty value tolerates only taints without a value: ` +
				`to tolerate any value set the operator to Exists"},` +
				`{"code":"covered","toleration":1,"advice":"tolerations[0] tolerates all that it tolerates: leave it out"}]`,
		},
		{
			taints.Changes{Add: parseTaints("a:NoSchedule"), Remove: []taints.TaintID{{Key: "b"}}},
			`{"add":[{"key":"a","effect":"NoSchedule"}],"remove":[{"key":"b"}]}`,
		},
	} {
		got, err := json.Marshal(tc.v)
		if string(got) != tc.want || err != nil {
			t.Errorf("%T: %s, %v\nwant %s", tc.v, got, err, tc.want)
		}
	}
	var e taints.Explanation
	text := `[{"taint":{"key":"a","value":"B","effect":"NoSchedule"},"closest":{"key":"a","value":"b"},"mismatch":"MismatchValue"}]`
	want := "a=B:NoSchedule is not tolerated (closest: a=b, the value differs)"
	if err := json.Unmarshal([]byte(text), &e); err != nil || e.String() != want {
		t.Errorf("decoded: %v, %v, want %s", e, err, want)
	}
	var p taints.EvictionPolicy
	err := json.Unmarshal([]byte(`{"select":"LongestMatch","effects":"all"}`), &p)
	if err != nil || p.Select != taints.LongestMatch || p.Effects != taints.AllEffects {
		t.Errorf("got %+v, %v", p, err)
	}
}
