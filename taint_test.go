// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	order "cmp"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/known"
	"github.com/seed-0529bac1/taints/internal/test"
)

func TestFindTaint(t *testing.T) {
	list := test.Taints("a:NoSchedule b:NoExecute a=2:NoExecute a=3:NoExecute c:")
	for _, tc := range []struct {
		id   taints.TaintID
		want int
	}{
		{taints.TaintID{Key: "a", Effect: "NoExecute"}, 2},
		{taints.TaintID{Key: "a", Effect: "PreferNoSchedule"}, -1},
		{taints.TaintID{Key: "b"}, -1},
		{taints.TaintID{Key: "c"}, 4},
		{taints.TaintID{Key: "d"}, -1},
		{taints.TaintID{}, -1},
	} {
		if i, found := taints.FindTaint(list, tc.id); i != tc.want || found != (tc.want >= 0) {
			t.Errorf("%v: %d, %v, want %d", tc.id, i, found, tc.want)
		}
	}
}

func TestTaintString(t *testing.T) {
	for _, tc := range []struct {
		taint taints.Taint
		want  string
	}{
		{taints.Taint{Key: "k", Value: "v", Effect: "NoSchedule"}, "k=v:NoSchedule"},
		{taints.Taint{Key: "k", Effect: "NoSchedule"}, "k:NoSchedule"},
		{taints.Taint{Key: "k", Value: "v"}, "k=v:"},
		{taints.Taint{Key: "k"}, "k"},
		{taints.Taint{}, ""},
		{taints.Taint{Value: "v", Effect: "x"}, "=v:x"},
		{
			taints.Taint{Key: strings.Repeat("long", 100), Effect: "NoExecute"},
			strings.Repeat("long", 100) + ":NoExecute",
		},
	} {
		if got := tc.taint.String(); got != tc.want {
			t.Errorf("%+v prints as %q, want %q", tc.taint, got, tc.want)
		}
		if got := string(tc.taint.AppendTo([]byte("x "))); got != "x "+tc.want {
			t.Errorf("%+v appends as %q", tc.taint, got)
		}
	}
	id := taints.Must(taints.ParseTaint("k=v:NoSchedule")).ID()
	if id != (taints.TaintID{Key: "k", Effect: taints.NoSchedule}) || id.String() != "k:NoSchedule" {
		t.Errorf("identity %v", id)
	}
	odd, back := taints.TaintID{Key: " a b ", Effect: " c:d "}, taints.TaintID{}
	if err := back.UnmarshalText([]byte(odd.String())); odd.String() != " a b : c:d " || back != odd || err != nil {
		t.Errorf("%q is read as %q, %v", odd, back, err)
	}
}

func TestTaintCompare(t *testing.T) {
	now := time.Now()
	later := now.Add(1)
	sorted := []taints.Taint{
		{},
		{Effect: "NoSchedule"},
		{Value: "v"},
		{Key: "a", Value: "v", Effect: "x"},
		{Key: "a", Value: "w", Effect: "NoExecute"},
		{Key: "a", Value: "w", Effect: "NoExecute", TimeAdded: &now},
		{Key: "a", Value: "w", Effect: "NoExecute", TimeAdded: &later},
		{Key: "a", Value: "w", Effect: "NoSchedule"},
		{Key: "b"},
	}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := a.Compare(b); got != order.Compare(i, j) {
				t.Errorf("%v against %v: %d", a, b, got)
			}
			if a.Equal(b) != (i == j) {
				t.Errorf("%v equals %v: %v", a, b, a.Equal(b))
			}
		}
	}
	east := now.In(time.FixedZone("x", 3600))
	if a, b := (taints.Taint{TimeAdded: &now}), (taints.Taint{TimeAdded: &east}); a.Compare(b) != 0 || !a.Equal(b) {
		t.Error("one instant in two zones differs")
	}
}

// The constants of an enumeration have their names as texts, and other numbers have
// none.
func TestEnumerations(t *testing.T) {
	for want, o := range map[string]taints.Outcome{
		"Stays": taints.Stays, "EvictsAt": taints.EvictsAt, "EvictsNow": taints.EvictsNow,
	} {
		if text, err := o.MarshalText(); o.String() != want || string(text) != want || err != nil {
			t.Errorf("%d is %s and %s, %v, want %s", o, o, text, err, want)
		}
	}
	if got := taints.Outcome(3).String(); got != "Outcome(3)" {
		t.Errorf("an unknown number is %q", got)
	}
}

// Taints and tolerations have the JSON of a Kubernetes object. Results, settings
// and errors have names in place of numbers. All survive a round trip through
// JSON and can be compared.
func TestJSON(t *testing.T) {
	added := time.Date(2026, 11, 21, 1, 24, 15, 0, time.UTC)
	_, changesErr := taints.ParseChanges("a", "b:NoSchedule", "b:x")
	for _, tc := range []struct {
		v    any
		text string
	}{
		{taints.Taint{}, `{"key":"","effect":""}`},
		{taints.Must(taints.ParseTaint("dedicated=ml:NoSchedule")), `{"key":"dedicated","value":"ml","effect":"NoSchedule"}`},
		{
			taints.Taint{Key: taints.NodeUnreachable, Effect: taints.NoExecute, TimeAdded: &added},
			`{"key":"node.kubernetes.io/unreachable","effect":"NoExecute","timeAdded":"2026-11-21T01:24:15Z"}`,
		},
		{taints.Toleration{}, `{}`},
		{taints.Must(taints.ParseToleration("op=Exists")), `{"operator":"Exists"}`},
		{taints.Must(taints.ParseToleration("k:NoExecute for 0s")), `{"key":"k","effect":"NoExecute","tolerationSeconds":0}`},
		{
			taints.Must(taints.ParseToleration("k=v:NoExecute op=Equal for 300s")),
			`{"key":"k","operator":"Equal","value":"v","effect":"NoExecute","tolerationSeconds":300}`,
		},
		{map[taints.TaintID]string{{Key: "a", Effect: "x"}: "mine", {Key: "b"}: ""}, `{"a:x":"mine","b:":""}`},
		{taints.Verdict{}, `{}`},
		{taints.Verdict{NoSchedule: 1, Other: 2}, `{"noSchedule":1,"other":2}`},
		{taints.Verdict{PreferNoSchedule: 1, NoExecute: 2}, `{"preferNoSchedule":1,"noExecute":2}`},
		{taints.Eviction{}, `{"outcome":"Stays","taint":0,"toleration":0}`},
		{
			taints.EvictionOf(test.Taints("a:NoExecute"), test.Tolerations("a:NoExecute for 60s"), observed),
			`{"outcome":"EvictsAt","tolerated":true,"taint":0,"toleration":0,"at":"2026-11-21T12:01:00.0000005Z","from":"2026-11-21T12:00:00.0000005Z","seconds":60}`,
		},
		{taints.EvictionPolicy{}, `{}`},
		{
			taints.EvictionPolicy{
				ForDevices:    true,
				FromTimeAdded: true,
				Arrival:       time.Unix(0, 0).UTC(),
			},
			`{"forDevices":true,"fromTimeAdded":true,"arrival":"1970-01-01T00:00:00Z"}`,
		},
		{taints.Changes{}, `{}`},
		{
			changesOf("a:NoSchedule b:NoExecute- c-"),
			`{"add":[{"key":"a","effect":"NoSchedule"}],"remove":["b:NoExecute"],"removeKeys":["c"]}`,
		},
		{
			taints.ValidateTaints([]taints.Taint{{Key: "a", Effect: "x"}}),
			`[{"list":"taints","index":0,"field":"effect","value":"x","kind":"not supported",` +
				`"detail":"` + mustBeEffect + `"}]`,
		},
		{
			changesErr,
			`[{"list":"specs","index":0,"field":"effect","kind":"required",` +
				`"detail":"` + mustBeEffect + `","parsed":true,"input":"a","offset":1},` +
				`{"list":"specs","index":2,"field":"effect","value":"x","kind":"not supported",` +
				`"detail":"` + mustBeEffect + `","parsed":true,"input":"b:x","offset":2}]`,
		},
	} {
		text, err := json.Marshal(tc.v)
		if string(text) != tc.text || err != nil {
			t.Errorf("%T: %s, %v\nwant %s", tc.v, text, err, tc.text)
		}
		if _, named := tc.v.(taints.Eviction); named { // a log, which nothing reads back
			continue
		}
		back := reflect.New(reflect.TypeOf(tc.v))
		if err := json.Unmarshal(text, back.Interface()); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(tc.v, back.Elem().Interface()); diff != "" {
			t.Errorf("%s (-before +after):\n%s", text, diff)
		}
	}
	var taint taints.Taint
	if err := json.Unmarshal([]byte(`{"key":"k","timeAdded":null}`), &taint); err != nil || taint.TimeAdded != nil {
		t.Errorf("a null time: %v, %v", taint, err)
	}
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
		{taints.HardEffects, "NoSchedule|NoExecute", []bool{true, false, true, false, false, false}},
		{taints.Effects("PreferNoSchedule"), "PreferNoSchedule", []bool{false, true, false, false, false, false}},
		{taints.Effects(taints.NoExecute), "NoExecute", []bool{false, false, true, false, false, false}},
		{taints.AllEffects, "all", []bool{true, true, true, true, true, true}},
		{taints.Effects("x"), "other", []bool{false, false, false, true, true, true}},
		{
			taints.AllEffects &^ taints.Effects("x"), strings.Join(known.Effects(), "|"),
			[]bool{true, true, true, false, false, false},
		},
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
		for i, e := range all {
			if got := tc.set.Has(e); got != tc.has[i] {
				t.Errorf("%v.Has(%q) = %v", tc.set, e, got)
			}
		}
	}
	for _, set := range []taints.EffectSet{
		0, taints.HardEffects, taints.AllEffects, taints.Effects("x"), taints.Effects("x", "PreferNoSchedule"), taints.Effects(all...),
	} {
		text, err := json.Marshal(map[string]taints.EffectSet{"in": set})
		if want := `{"in":"` + set.String() + `"}`; string(text) != want || err != nil {
			t.Errorf("%s, %v, want %s", text, err, want)
		}
		var back struct{ In taints.EffectSet }
		if err := json.Unmarshal(text, &back); err != nil || back.In != set {
			t.Errorf("%s is read as %v, %v", text, back.In, err)
		}
	}
	for text, want := range map[string]string{
		"NoExecute|NoSchedule|NoExecute": "NoSchedule|NoExecute",
		"none|other":                     "other",
		"other|all":                      "all",
		"":                               `parse "" at offset 0: effect: "" is not supported`,
		"NoSchedule|":                    `parse "NoSchedule|" at offset 11: effect: "" is not supported`,
		"NoExecute|noschedule":           `parse "NoExecute|noschedule" at offset 10: effect: "noschedule" is not supported`,
		"All":                            `parse "All" at offset 0: effect: "All" is not supported`,
	} {
		before := taints.Effects("x", "NoSchedule")
		set := before
		switch err := set.UnmarshalText([]byte(text)); {
		case err == nil && set.String() != want, err != nil && !strings.HasPrefix(err.Error(), want+": must be "):
			t.Errorf("%q is read as %v, %v, want %s", text, set, err, want)
		case err != nil && (set != before || !errors.Is(err, taints.ErrNotSupported) || !strings.HasSuffix(err.Error(), `"|" joins names`)):
			t.Errorf("%q: %v, and the set is %v", text, err, set)
		}
	}
	for _, name := range known.Effects() {
		all = append(all, taints.Effect(name))
	}
	if got := taints.Effects(all...).String(); got != strings.Join(known.Effects(), "|")+"|other" {
		t.Errorf("all effects together: %q", got)
	}
	if set := taints.HardEffects | taints.Effects("PreferNoSchedule") | taints.Effects("x"); set != taints.Effects(all...) ||
		taints.AllEffects&set != set {
		t.Error("the sets do not add up")
	}
}
