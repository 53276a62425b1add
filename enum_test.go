// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/enumtest"
)

var enums = []enumtest.Enum{
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
				Arrival:       time.Unix(0, 0).UTC(),
			},
			`{"options":{"noComparison":true},"select":"ForeverElseShortest","effects":"NoSchedule|NoExecute","fromTimeAdded":true,"arrival":"1970-01-01T00:00:00Z"}`,
		},
		{
			taints.Changes{
				Add: parseTaints("a:NoSchedule"), Remove: taints.IDs(parseTaints("b:NoExecute")), RemoveKeys: []string{"c"},
			},
			`{"add":[{"key":"a","effect":"NoSchedule"}],"remove":["b:NoExecute"],"removeKeys":["c"]}`,
		},
		{
			taints.ValidateTaints([]taints.Taint{{Key: "a", Effect: "x"}}),
			`{"errors":[{"list":"taints","field":"effect","value":"x","kind":"not supported",` +
				`"detail":"must be NoSchedule, PreferNoSchedule or NoExecute"}]}`,
		},
	} {
		got, err := json.Marshal(tc.v)
		if string(got) != tc.want || err != nil {
			t.Errorf("%T: %s, %v\nwant %s", tc.v, got, err, tc.want)
		}
	}
	var p taints.EvictionPolicy
	err := json.Unmarshal([]byte(`{"select":"LongestMatch","effects":"all"}`), &p)
	if err != nil || p.Select != taints.LongestMatch || p.Effects != taints.AllEffects {
		t.Errorf("got %+v, %v", p, err)
	}
}

// Results, settings and errors come back whole from JSON, and can be compared.
func TestResultsHideNothing(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	node, pod := parseTaints("a=1:NoSchedule", "b:NoExecute"), parseTolerations("b:NoExecute for 60s")
	_, parseErr := taints.ParseToleration("a op=In")
	_, changesErr := taints.ParseChanges("a", "b:x")
	for _, v := range []any{
		taints.Filter(node, pod),
		taints.EvictionOf(node, pod, now),
		taints.EvictionPolicy{Select: taints.LongestMatch, Effects: taints.Hard, FromTimeAdded: true, Arrival: now},
		taints.Reconcile(node, node, parseTaints("a=2:NoSchedule")),
		taints.Changes{RemoveKeys: []string{"a"}},
		map[taints.TaintID]string{node[0].ID(): "mine", {Key: "no effect"}: ""},
		taints.Hard | taints.Soft,
		*parseErr.(*taints.FieldError),
		*changesErr.(*taints.ErrorList),
		*taints.ValidateTolerations([]taints.Toleration{{Value: "-"}}).(*taints.ErrorList),
	} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Errorf("%+v: %v", v, err)
			continue
		}
		back := reflect.New(reflect.TypeOf(v))
		if err := json.Unmarshal(text, back.Interface()); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(v, back.Elem().Interface()); diff != "" {
			t.Errorf("%s (-before +after):\n%s", text, diff)
		}
	}
}
