package taints_test

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
)

// An enum is a value of an enumeration.
type enum interface {
	fmt.Stringer
	encoding.TextMarshaler
}

// enums holds, for each enumeration, its values from zero on, one that is none
// of them, how that prints, and what reads one.
var enums = map[string]struct {
	values  []enum
	names   []string
	unknown enum
	read    func(text []byte) (enum, error)
}{
	"Mismatch": {
		[]enum{
			taints.MismatchNone, taints.MismatchEffect, taints.MismatchKey, taints.MismatchValue, taints.MismatchOperator,
			taints.MismatchNoComparison, taints.MismatchNotInteger, taints.MismatchNotLess, taints.MismatchNotGreater,
		},
		[]string{
			"MismatchNone", "MismatchEffect", "MismatchKey", "MismatchValue", "MismatchOperator",
			"MismatchNoComparison", "MismatchNotInteger", "MismatchNotLess", "MismatchNotGreater",
		},
		taints.Mismatch(200),
		func(text []byte) (enum, error) { v := taints.Mismatch(77); err := v.UnmarshalText(text); return v, err },
	},
	"Hint": {
		[]enum{taints.HintNone, taints.HintLetterCase, taints.HintSpelling, taints.HintEmptyValue, taints.HintOtherKey},
		[]string{"HintNone", "HintLetterCase", "HintSpelling", "HintEmptyValue", "HintOtherKey"},
		taints.Hint(200),
		func(text []byte) (enum, error) { v := taints.Hint(77); err := v.UnmarshalText(text); return v, err },
	},
	"Selection": {
		[]enum{taints.FirstMatch, taints.LongestMatch, taints.ShortestMatch, taints.ForeverElseShortest},
		[]string{"FirstMatch", "LongestMatch", "ShortestMatch", "ForeverElseShortest"},
		taints.Selection(200),
		func(text []byte) (enum, error) {
			v := taints.Selection(77)
			err := v.UnmarshalText(text)
			return v, err
		},
	},
	"Outcome": {
		[]enum{taints.Stays, taints.EvictsAt, taints.EvictsNow},
		[]string{"Stays", "EvictsAt", "EvictsNow"},
		taints.Outcome(200),
		func(text []byte) (enum, error) { v := taints.Outcome(77); err := v.UnmarshalText(text); return v, err },
	},
}

func TestEnums(t *testing.T) {
	for kind, e := range enums {
		t.Run(kind, func(t *testing.T) {
			for i, v := range e.values {
				text, err := v.MarshalText()
				if v.String() != e.names[i] || string(text) != e.names[i] || err != nil {
					t.Errorf("value %d: String %q, MarshalText %q, %v, want %q", i, v, text, err, e.names[i])
				}
				if got, err := e.read(text); got != v || err != nil {
					t.Errorf("%q is read as %v, %v", text, got, err)
				}
			}
			if want := kind + "(200)"; e.unknown.String() != want {
				t.Errorf("unknown: %q, want %q", e.unknown, want)
			}
			for _, text := range []string{"", e.names[0] + " ", kind + "(200)", "0"} {
				got, err := e.read([]byte(text))
				var parse *taints.ParseError
				var field *taints.FieldError
				if !errors.As(err, &parse) || parse.Kind != kind || parse.Input != text || !errors.Is(err, taints.ErrUnsupported) {
					t.Errorf("%q is read with %v", text, err)
				}
				if !errors.As(err, &field) || field.Value != text || field.Detail != "must be one of "+strings.Join(e.names, ", ") {
					t.Errorf("%q is read with the fault %+v", text, field)
				}
				if want := kind + "(77)"; got.String() != want {
					t.Errorf("%q is read as %v, want it left alone", text, got)
				}
			}
		})
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
			`{"outcome":"EvictsAt","at":"2026-11-21T12:01:00.0000005Z","from":"2026-11-21T12:00:00.0000005Z","seconds":60}`,
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
			`[{"code":"empty-value","toleration":0,"advice":"an empty value tolerates only taints without a value: to tolerate any value set the operator to Exists"},` +
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
	var p taints.EvictionPolicy
	if err := json.Unmarshal([]byte(`{"select":"LongestMatch","effects":"all"}`),
		&p); err != nil || p.Select != taints.LongestMatch || p.Effects != taints.AllEffects {
		t.Errorf("got %+v, %v", p, err)
	}
}
