// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestParseList(t *testing.T) {
	got, err := parseList("list",
		"# comment\n\n  a.go F constant \" // \" => \"\" // the reason \nb.go G loop x => y #2 // accepted: slow\n")
	want := []entry{{`a.go F constant " // " => ""`, "the reason", 3}, {"b.go G loop x => y #2", "accepted: slow", 4}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got[0].status() != equivalent || got[1].status() != accepted {
		t.Errorf("statuses %s and %s", got[0].status(), got[1].status())
	}
	for text, want := range map[string]string{
		"a.go F loop x => y\n":               "list:1: no reason",
		"\na.go F x // 1\na.go F x // 2\n":   "list:3: the same as line 2",
		"a.go F loop x => y // why\nb.go //": "list:2: no reason",
	} {
		if _, err := parseList("list", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestSelection(t *testing.T) {
	for _, c := range []struct {
		args     string
		match    string
		identity string
		want     bool
	}{
		{". kube", "", "a.go F loop x => y", true},
		{". kube", "", "kube/a.go F loop x => y", true},
		{". kube", "", "lifecycle/a.go F loop x => y", false},
		{"./kube/", "", "a.go F loop x => y", false},
		{"a.go kube/b.go", "", "a.go F loop x => y", true},
		{"a.go kube/b.go", "", "b.go F loop x => y", false},
		{"a.go kube/b.go", "", "kube/b.go F loop x => y", true},
		{"a.go kube/b.go", "", "kube/a.go F loop x => y", false},
		{"a.go .", "", "b.go F loop x => y", true},
		{".", "^a.go F ", "a.go F loop x => y", true},
		{".", "^a.go F ", "a.go G loop x => y", false},
	} {
		s := newSelection(strings.Fields(c.args), regexp.MustCompile(c.match))
		if got := s.holds(c.identity); got != c.want {
			t.Errorf("%s, %q: %s: %v", c.args, c.match, c.identity, got)
		}
	}
}

func TestRepresentable(t *testing.T) {
	for _, c := range []struct {
		text  string
		kind  types.BasicKind
		above bool
		below bool
	}{
		{"0", types.Uint8, true, false},
		{"255", types.Uint8, false, true},
		{"127", types.Int8, false, true},
		{"-128", types.Int8, true, false},
		{"-127", types.Int8, true, true},
		{"9223372036854775807", types.Int64, false, true},
		{"-9223372036854775808", types.Int64, true, false},
		{"18446744073709551615", types.Uint64, false, true},
		{"0", types.Int, true, true},
		{"0.5", types.Float64, true, true},
	} {
		tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, c.text)
		if err != nil {
			t.Fatal(err)
		}
		basic := types.Typ[c.kind]
		above, below := representable(tv.Value, 1, basic), representable(tv.Value, -1, basic)
		if above != c.above || below != c.below {
			t.Errorf("%s of %s: %v, %v", c.text, basic, above, below)
		}
	}
	if representable(constant.MakeImag(constant.MakeInt64(1)), 1, types.Typ[types.Complex128]) {
		t.Error("a complex number is moved")
	}
}

// Wraps nest as they are around each other, whatever the order in which they
// come.
func TestRewriteNests(t *testing.T) {
	source := []byte("a+b")
	outer := &site{wraps: []wrap{{0, 3, "<", ">"}, {0, 3, "[", "]"}}}
	inner := &site{wraps: []wrap{{0, 1, "(", ")"}, {2, 3, "{", "}"}}, tokens: []edit{{1, 2, ","}}}
	between := &site{wraps: []wrap{{0, 0, "^", ""}, {3, 3, "$", ""}}}
	gone := &site{wraps: []wrap{{0, 3, "no", "no"}}, dropped: "it does not compile"}
	for _, sites := range [][]*site{{outer, inner, between, gone}, {gone, inner, between, outer}} {
		out, regions := rewrite(source, sites)
		if string(out) != "^<[(a),{b}]>$" {
			t.Errorf("got %s", out)
		}
		for offset, want := range map[int]*site{1: outer, 2: outer, 4: inner, 7: inner, 6: outer, 11: outer} {
			if innermost(regions, offset) != want {
				t.Errorf("another site is innermost at %d", offset)
			}
		}
		if innermost(regions, len(out)) != nil {
			t.Error("a site is behind the end")
		}
	}
}

// A report is met when nothing survives that is not listed, enough is killed, and
// the list is up to date.
func TestMet(t *testing.T) {
	of := func(statuses ...status) []*mutant {
		var list []*mutant
		for _, s := range statuses {
			list = append(list, &mutant{file: "a.go", status: s})
		}
		return list
	}
	for _, c := range []struct {
		mutants []*mutant
		stale   []entry
		least   float64
		rate    float64
		met     bool
	}{
		{of(), nil, 95, 100, true},
		{of(killed, equivalent, notTried), nil, 95, 100, true},
		{of(killed, accepted), nil, 50, 50, true},
		{of(killed, accepted), nil, 51, 50, false},
		{of(killed, survived), nil, 0, 50, false},
		{of(killed, notCovered), nil, 0, 50, false},
		{of(killed), []entry{{identity: "x"}}, 0, 100, false},
		{of(notTried), nil, 95, 100, true},
	} {
		if r := newReport(c.mutants, c.stale, nil, c.least, 0); r.met != c.met || r.total.rate != c.rate {
			t.Errorf("%+v: met %v", r.total, r.met)
		}
	}
	for _, listed := range []status{equivalent, accepted} {
		wrong := of(killed)
		wrong[0].listed = listed
		if newReport(wrong, nil, nil, 0, 0).met {
			t.Errorf("a killed mutant may be listed as %s", listed)
		}
	}
}
