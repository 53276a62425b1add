// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mutants runs the mutants of the module in dir whose identities match.
func mutants(t *testing.T, dir, match string, change func(*options), args ...string) *report {
	t.Helper()
	o := &options{root: dir, list: filepath.Join(dir, "list.txt")}
	o.selection = newSelection(args, regexp.MustCompile(match))
	if change != nil {
		change(o)
	}
	r, err := o.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *report) identities(s status) []string {
	var ids []string
	for _, m := range r.mutants {
		if m.status == s {
			ids = append(ids, m.identity)
		}
	}
	return ids
}

func expect(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s are\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// sampleSurvivors are the mutants that the tests of the sample do not notice.
var sampleSurvivors = []string{
	"sample.go Clamp comparison n < 0 => n <= 0",
	"sample.go Clamp comparison n > Most => n >= Most",
}

func TestSample(t *testing.T) {
	dir := module(t, "sample")
	r := mutants(t, dir, "", nil, ".")
	expect(t, "survivors", r.identities(survived), sampleSurvivors...)
	expect(t, "those that no test reaches", r.identities(notCovered),
		"sample.go Forgotten return -x => zero",
		"sample.go Forgotten return -x => -x + 1",
		"sample.go Forgotten return -x => -x - 1",
		"sample.go Forgotten arithmetic -x => x",
		// TestWritten does not pass in the rewritten package.
		"sample.go Written logic a && b => a || b",
		"sample.go Written condition a => true",
		"sample.go Written condition b => true")
	expect(t, "those that are not tried", r.identities(notTried),
		"sample.go Shadow append append(list, n) => list")
	expect(t, "unused tests", r.unused, "TestWritten")
	if r.met || r.total.all != len(r.mutants) || r.total.of[killed] < 20 {
		t.Errorf("met %v, counted %+v", r.met, r.total)
	}
	checkKilledBy(t, r, map[string]string{
		"sample.go Clamp condition n < 0 => false":        "TestClamp",
		"sample.go Count statement i++ => nothing":        timedOut,
		"sample.go Count condition list[i] == x => false": "TestCount",
	})
	if _, err := os.Stat(filepath.Join(dir, "zz_mutants.go")); err == nil {
		t.Error("the module itself was rewritten")
	}
	if text := string(r.text()); !strings.Contains(text, "Survivors:\n  sample.go:") ||
		!strings.Contains(text, "    "+sampleSurvivors[1]+"\n") {
		t.Errorf("the report is\n%s", text)
	}
}

func checkKilledBy(t *testing.T, r *report, want map[string]string) {
	t.Helper()
	for _, m := range r.mutants {
		by, ok := want[m.identity]
		if delete(want, m.identity); ok && cmp.Or(m.by, string(m.status)) != by {
			t.Errorf("%s is %s by %q, want %s", m.identity, m.status, m.by, by)
		}
	}
	if len(want) > 0 {
		t.Errorf("there is no %v", want)
	}
}

// The list decides about survivors, and must match the existing mutants.
func TestListed(t *testing.T) {
	dir := module(t, "sample")
	survivors := " // the same number\n"
	full := "# a comment\n\n" + strings.Join(sampleSurvivors, survivors) + survivors
	const noticed = "sample.go Clamp condition n < 0 => false"
	for _, c := range []struct {
		name, list           string
		check                bool
		least                float64
		met                  bool
		equivalent, accepted int
		stale, wrong         []string
	}{
		{name: "all", list: full, met: true, equivalent: 2},
		{name: "accepted, of too few", list: strings.Replace(full, "// the", "// accepted: the", 1), least: 99, equivalent: 1, accepted: 1},
		{name: "accepted", list: strings.Replace(full, "// the", "// accepted: the", 1), least: 90, met: true, equivalent: 1, accepted: 1},
		{name: "one is not", list: strings.Replace(full, sampleSurvivors[1], "# "+sampleSurvivors[1], 1), equivalent: 1},
		{
			name:  "out of date",
			list:  full + "sample.go Clamp condition n < 7 => true // gone\nsample.go Nobody return 1 => zero // elsewhere\n",
			stale: []string{"sample.go Clamp condition n < 7 => true"}, equivalent: 2,
		},
		{name: "killed, not asked", list: full + noticed + " // wrong\n", met: true, equivalent: 3},
		{name: "killed", list: full + noticed + " // wrong\n", check: true, equivalent: 2, wrong: []string{noticed}},
	} {
		t.Run(c.name, func(t *testing.T) {
			write(t, filepath.Join(dir, "list.txt"), c.list)
			r := mutants(t, dir, " (Clamp|Count) .*(i < len|n <|n >)", func(o *options) {
				o.check, o.least = c.check, c.least
			}, ".")
			if r.met != c.met || r.total.of[equivalent] != c.equivalent || r.total.of[accepted] != c.accepted {
				t.Errorf("met %v, %+v", r.met, r.total)
			}
			expect(t, "stale entries", r.stale, c.stale...)
			expect(t, "wrong entries", r.wrong, c.wrong...)
		})
	}
}

func TestNothingToTry(t *testing.T) {
	for _, arg := range []string{"nowhere", "nowhere.go"} {
		o := &options{root: module(t, "sample"), selection: newSelection([]string{arg}, regexp.MustCompile(""))}
		if _, err := o.run(t.Context()); err == nil || !strings.Contains(err.Error(), arg) {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

// An error in an internal package is noticed by the tests of the packages that
// use it, and by its own tests.
func TestInternal(t *testing.T) {
	checkKilledBy(t, mutants(t, module(t, "users"), "", nil, "internal/half", "internal/next"), map[string]string{
		"internal/half/half.go Of arithmetic n / 2 => n * 2":    "TestHalf",
		"internal/half/half.go Less comparison a < b => a >= b": string(notCovered),
		"internal/next/next.go To arithmetic n + 1 => n - 1":    "TestTo",
	})
}
