// SPDX-License-Identifier: Apache-2.0

package labels

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestRequirement(t *testing.T) {
	have := map[string]string{"zone": "a", "cpus": "16", "empty": "", "word": "x"}
	for _, tc := range []struct {
		Requirement
		want bool
	}{
		{Requirement{"zone", In, []string{"b", "a"}}, true},
		{Requirement{"zone", In, []string{"b"}}, false},
		{Requirement{"none", In, []string{""}}, false},
		{Requirement{"empty", In, []string{""}}, true},
		{Requirement{"zone", NotIn, []string{"b"}}, true},
		{Requirement{"zone", NotIn, []string{"b", "a"}}, false},
		{Requirement{"none", NotIn, []string{"b"}}, true},
		{Requirement{"zone", Exists, nil}, true},
		{Requirement{"empty", Exists, nil}, true},
		{Requirement{"none", Exists, nil}, false},
		{Requirement{"zone", DoesNotExist, nil}, false},
		{Requirement{"none", DoesNotExist, nil}, true},
		{Requirement{"cpus", Gt, []string{"15"}}, true},
		{Requirement{"cpus", Gt, []string{"16"}}, false},
		{Requirement{"cpus", Lt, []string{"17"}}, true},
		{Requirement{"cpus", Lt, []string{"16"}}, false},
		{Requirement{"word", Gt, []string{"1"}}, false},
		{Requirement{"word", Lt, []string{"1"}}, false},
		{Requirement{"none", Gt, []string{"1"}}, false},
		{Requirement{"none", Lt, []string{"1"}}, false},
	} {
		if got := tc.Matches(have); got != tc.want || !tc.Valid() {
			t.Errorf("%s: %v, valid %v", tc.Requirement, got, tc.Valid())
		}
	}
	for _, r := range []Requirement{
		{"zone", In, nil},
		{"zone", NotIn, nil},
		{"zone", Exists, []string{"a"}},
		{"zone", DoesNotExist, []string{"a"}},
		{"zone", Gt, nil},
		{"zone", Gt, []string{"1", "2"}},
		{"zone", Lt, []string{"x"}},
		{"zone", "in", []string{"a"}},
		{"zone", "", nil},
		{"-zone", Exists, nil},
		{"zone", In, []string{"a b"}},
		{"", Exists, nil},
		{"a/b/c", NotIn, []string{"x"}},
		{"zone", Lt, []string{"-5"}},
	} {
		if r.Valid() {
			t.Errorf("%s is valid", r)
		}
	}
}

func TestTerms(t *testing.T) {
	name := func(op Operator, values ...string) []Requirement { return []Requirement{{nameField, op, values}} }
	zone := func(value string) []Requirement { return []Requirement{{"zone", In, []string{value}}} }
	for _, tc := range []struct {
		Terms
		want bool
	}{
		{Terms{}, false},
		{Terms{{}}, false},
		{Terms{{}, {MatchExpressions: zone("a")}}, true},
		{Terms{{MatchExpressions: zone("b")}, {MatchExpressions: zone("a")}}, true},
		{Terms{{MatchExpressions: append(zone("a"), zone("b")...)}}, false},
		{Terms{{MatchFields: name(In, "n")}}, true},
		{Terms{{MatchFields: name(In, "m")}}, false},
		{Terms{{MatchFields: name(NotIn, "m")}}, true},
		{Terms{{MatchFields: name(NotIn, "n")}}, false},
		{Terms{{MatchFields: name(In, "n"), MatchExpressions: zone("b")}}, false},
		{Terms{{MatchFields: name(In, "n"), MatchExpressions: zone("a")}}, true},
		{Terms{{MatchFields: name(In, "n", "m")}}, false},
		{Terms{{MatchFields: name(NotIn)}}, false},
		{Terms{{MatchFields: name(Exists)}}, false},
		{Terms{{MatchFields: []Requirement{{"metadata.uid", In, []string{"n"}}}}}, false},
		{Terms{{MatchFields: []Requirement{{"metadata.uid", NotIn, []string{"n"}}}}}, true},
		{Terms{{MatchExpressions: []Requirement{{"zone", "Equals", []string{"a"}}}}}, false},
		{Terms{{MatchExpressions: []Requirement{{"-", NotIn, []string{"a"}}}}}, false},
	} {
		if got := tc.Match("n", map[string]string{"zone": "a"}); got != tc.want {
			t.Errorf("%s: %v", tc.Terms, got)
		}
	}
}

func TestNames(t *testing.T) {
	pin := func(names ...string) Term { return Term{MatchFields: []Requirement{{nameField, In, names}}} }
	labeled := Term{MatchExpressions: []Requirement{{"zone", Exists, nil}}}
	both := Term{labeled.MatchExpressions, pin("c").MatchFields}
	for _, tc := range []struct {
		Terms
		names  string
		isOnly bool
		rest   string
	}{
		{Terms{pin("b"), pin("a"), pin("b")}, "[a b]", true, "(nothing)"},
		{Terms{pin("b"), labeled}, "[]", false, "(nothing)"},
		{Terms{labeled}, "[]", false, "zone"},
		{Terms{both}, "[c]", true, "zone"},
		{Terms{{MatchFields: []Requirement{{nameField, NotIn, []string{"a"}}}}}, "[]", false, "(nothing)"},
	} {
		names, ok := tc.Names()
		if fmt.Sprint(names) != tc.names || ok != tc.isOnly || tc.WithoutFields().String() != tc.rest {
			t.Errorf("%s: %v %v, %s", tc.Terms, names, ok, tc.WithoutFields())
		}
	}
}

func TestTermsText(t *testing.T) {
	terms := Terms{
		{
			[]Requirement{{"zone", In, []string{"a", "b"}}, {"cpus", Gt, []string{"4"}}},
			[]Requirement{{nameField, In, []string{"n"}}},
		},
		{},
		{MatchExpressions: []Requirement{{"x", "Odd", []string{"1"}}}},
	}
	if got := terms.String(); got != "metadata.name=n,zone in (a,b),cpus>4 or x Odd (1) (not valid)" {
		t.Errorf("got %s", got)
	}
}

func TestParse(t *testing.T) {
	have := map[string]string{"pool": "gpu", "zone": "a", "cpus": "16", "empty": ""}
	for text, want := range map[string]bool{
		"": true, " ": true, "pool=gpu": true, "pool==gpu": true, "pool!=gpu": false,
		" pool = gpu , zone != b ": true, "pool in (cpu,gpu)": true, "pool in (cpu, tpu)": false,
		"pool notin (gpu)": false, "none notin (x)": true, "zone,pool": true, "!zone": false, "! none": true,
		"cpus>15": true, "cpus < 16": false, "empty=": true, "none=": false,
		"zone=a,pool in (x,y)": false, "pool in (gpu),zone in (a,b),!none": true,
	} {
		s, err := Parse(text)
		if err != nil || s.Matches(have) != want {
			t.Errorf("%q: %v, %v", text, s.Matches(have), err)
		}
		again, err := Parse(s.String())
		if err != nil || again.String() != s.String() || again.Matches(have) != want {
			t.Errorf("%q is %q, then %q, %v", text, s, again, err)
		}
	}
	for _, text := range []string{
		"=x", "!=x", "a=b,", ",", "pool in", "pool in (a", "pool in a)", "pool of (a)", "a b",
		"a=b=c", "!", "a>x", "a in (b=c)", "a=b c", "a!b",
	} {
		if s, err := Parse(text); err == nil || !strings.Contains(err.Error(), "want a=b") {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
}

// FuzzParse reads any text: what is read is valid, and reads the same from its own
// text.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", " ", "a", "!a", "a=b", "a==b", "a!=b,c", "a in (b,c),d notin (e)", "a>1,b<-2",
		"a in ()", "a=", "a,,b", "(", "a in (b", "a/b/c", "a=b=c", ",", "\xff",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			if s != nil || err.Error() == "" {
				t.Fatalf("%q: %v, %v", text, s, err)
			}
			return
		}
		for _, r := range s {
			if !r.Valid() {
				t.Fatalf("%q has %s, which is not valid", text, r)
			}
		}
		again, err := Parse(s.String())
		if err != nil || !reflect.DeepEqual(s, again) {
			t.Fatalf("%q is read as %v, and that as %v, %v", text, s, again, err)
		}
		have := map[string]string{"a": "b", "zone": "1"}
		if s.Matches(have) != again.Matches(have) || len(s) == 0 && !s.Matches(nil) {
			t.Fatalf("%q matches one time and not the other", text)
		}
	})
}

func TestHasAll(t *testing.T) {
	labels := map[string]string{"zone": "a", "spot": ""}
	for _, test := range []struct {
		wanted map[string]string
		want   bool
	}{
		{nil, true},
		{map[string]string{"zone": "a"}, true},
		{map[string]string{"zone": "a", "spot": ""}, true},
		{map[string]string{"zone": "b"}, false},
		{map[string]string{"zone": "a", "arch": ""}, false},
	} {
		if got := HasAll(labels, test.wanted); got != test.want {
			t.Errorf("%v: %v, want %v", test.wanted, got, test.want)
		}
	}
	if !HasAll(nil, nil) || HasAll(nil, labels) {
		t.Error("nothing has nothing, and not more")
	}
}
