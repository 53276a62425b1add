// SPDX-License-Identifier: Apache-2.0

package play

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/cases"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// ask returns the answer to one field.
func ask(name, text string) Answer {
	return NewAnswer(url.Values{"observed": {"2026-11-21T12:00"}, name: {text}}.Get)
}

// TestAnswers runs a file of cases. Each has the fields of a form, quoted as in
// Go, and, indented, the answer.
func TestAnswers(t *testing.T) {
	cases.Run(t, "testdata/answers.txt", func(t *testing.T, input []string) []string {
		state := url.Values{"observed": {"2026-11-21T12:00"}}
		for _, line := range input {
			name, quoted, _ := strings.Cut(line, " ")
			text, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			state.Set(name, text)
		}
		a := NewAnswer(state.Get)
		checkObject(t, &a)
		return linesOf(t, &a, state.Get)
	})
}

// linesOf returns the answer as lines of text, with the text at its places.
func linesOf(t *testing.T, a *Answer, field State) []string {
	t.Helper()
	lines := []string{a.Brief}
	add := func(p Place, name string, words ...string) {
		line := strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), "; ")
		if p != (Place{}) {
			line = fmt.Sprintf("%d:%d %q ", p.Line, p.Column, selected(t, field(name), p)) + line
		}
		lines = append(lines, line)
	}
	for _, s := range []Statement{a.Placement, a.Eviction} {
		add(Place{}, "", s.Tone+": "+s.Text+". "+s.Detail)
	}
	for _, p := range a.Problems {
		kind := map[[2]bool]string{{true, false}: "unread ", {false, true}: "note on ", {}: "read "}[[2]bool{p.Unread, p.Note}]
		add(p.Place, p.Field, kind+p.Field, p.Message)
	}
	for _, x := range a.Taints {
		by, decides := "", ""
		if x.Toleration != nil {
			by = x.Toleration.Name + " " + x.Toleration.Text
		}
		if x.Decides {
			decides = "decides"
		}
		add(x.Place, "taints", x.Name+" "+x.Text, x.Tone+": "+x.Status, by, x.Why, x.Purpose, x.Time, decides)
	}
	for _, x := range a.Tolerations {
		add(x.Place, "tolerations", x.Name+" "+x.Text, x.Origin, x.Matches)
		for _, f := range x.Findings {
			add(Place{}, "", f.Code+": "+f.Advice)
		}
	}
	return lines
}

// checkObject checks that the page gets the whole answer.
func checkObject(t *testing.T, a *Answer) {
	t.Helper()
	text, err := json.Marshal(a.Object())
	if err != nil {
		t.Fatal(err)
	}
	var got Answer
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if diff := cmp.Diff(*a, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the page gets another answer (-want +got):\n%s", diff)
	}
}

// selected returns the text that a browser selects at the place, in UTF-16 units.
func selected(t testing.TB, text string, p Place) string {
	t.Helper()
	units := utf16.Encode([]rune(text))
	if p.Start < 0 || p.Start > p.End || p.End > len(units) || p.Line < 1 || p.Column < 1 {
		t.Fatalf("the place %+v is not in %q", p, text)
	}
	return string(utf16.Decode(units[p.Start:p.End]))
}

func TestLimits(t *testing.T) {
	lines := strings.Repeat("a:NoSchedule op=Exists\n", maxEntries+5)
	array := "[" + strings.Repeat(`{"key":"a"},`, maxEntries) + `{"key":"b"}]`
	for _, text := range []string{lines, array} {
		a := ask("tolerations", text)
		if len(a.Tolerations) != maxEntries {
			t.Errorf("%d tolerations are read, want %d", len(a.Tolerations), maxEntries)
		}
		if n := len(a.Problems); n != 1 || !strings.Contains(a.Problems[0].Message, "reads up to 500 tolerations") ||
			!a.Problems[0].Unread {
			t.Errorf("problems: %v", a.Problems)
		}
	}
	long := strings.Repeat("a", maxText+1)
	if p := ask("taints", long).Problems; len(p) != 1 || !strings.Contains(p[0].Message, "longer than 256 KiB") || p[0].End != len(long) {
		t.Errorf("problems: %v", p)
	}
	a := ask("taints", strings.Repeat("a\n", maxEntries+5))
	if n := len(a.Problems); n != mostProblems+1 || a.Problems[n-1].Message != "and 451 more problems" {
		t.Errorf("%d problems, the last of them %+v", n, a.Problems[len(a.Problems)-1])
	}
}

// FuzzAnswer checks that all texts have an answer, that its places are in the
// texts, that no finding contradicts it, and that the library returns the same.
func FuzzAnswer(f *testing.F) {
	f.Fuzz(func(t *testing.T, nodes, pods, observed, selection, add string, options uint8) {
		nodes, pods = string([]rune(nodes)), string([]rune(pods)) // as in a browser
		state := url.Values{"taints": {nodes}, "tolerations": {pods}, "observed": {observed}, "select": {selection}, "add": {add}}
		for i, name := range []string{"noComparison", "keyWildcards", "fromTimeAdded"} {
			if options&(1<<i) != 0 {
				state.Set(name, "1")
			}
		}
		r, a := newAnswerer(state.Get), NewAnswer(state.Get)
		for _, p := range a.Problems {
			if p.Line > 0 {
				selected(t, state.Get(p.Field), p.Place)
			}
		}
		for _, x := range a.Taints {
			part := selected(t, nodes, x.Place)
			again, err := taints.ParseTaint(part)
			if err == nil && say.Taint(again) != x.Text || err != nil && part == "" {
				t.Fatalf("%q is %q at %q: %v", nodes, x.Text, part, err)
			}
		}

		if e := r.timer(); e.Tolerated {
			for _, f := range a.Tolerations[e.Toleration].Findings {
				if f.Code == string(tolerationset.CodeShadowed) {
					t.Fatalf("a toleration that decides is shadowed, for %+v", state)
				}
			}
		}
		v := r.matcher.Filter(r.taints.elements)
		want := map[bool]string{true: "good", false: "bad"}[v.Schedulable()]
		switch {
		case r.taints.unread+r.written.unread > 0, strings.Trim(nodes+pods, whiteSpace) == "":
			want = "unknown"
		case v.Schedulable() && v.Avoid():
			want = "mixed"
		}
		if got := a.Placement.Tone; got != want {
			t.Fatalf("the placement is %s, want %s, for %+v", got, want, state)
		}
	})
}
