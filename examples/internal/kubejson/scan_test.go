// SPDX-License-Identifier: Apache-2.0

package kubejson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// check compares the scanner with encoding/json on any text.
func check(t interface{ Fatalf(string, ...any) }, s string) {
	start := skipSpace(s, 0)
	end, err := skipValue(s, start, 0)
	isValid := err == nil && skipSpace(s, end) == len(s)
	if want := json.Valid([]byte(s)); isValid != want {
		t.Fatalf("%q: valid %v, want %v (%v)", s, isValid, want, err)
	}
	if !isValid {
		var syntax *syntaxError
		if err != nil && !errors.Is(err, errShort) && !errors.As(err, &syntax) {
			t.Fatalf("%q: %v", s, err)
		}
		return
	}
	if fast := endOfValue(s, start); fast != end {
		t.Fatalf("%q: ends at %d, want %d", s, fast, end)
	}
	if got, want := rebuilt(s[start:end]), decoded(s[start:end]); !cmp.Equal(got, want) {
		t.Fatalf("%q: %s", s, cmp.Diff(want, got))
	}
}

// rebuilt decodes the value with Members.
func rebuilt(s string) any {
	switch s[0] {
	case '{':
		m := map[string]any{}
		for c := range Members(s) {
			m[strings.ToValidUTF8(c.Key, "\uFFFD")] = rebuilt(c.Of(s))
		}
		return m
	case '[':
		list := []any{}
		for c := range Members(s) {
			list = append(list, rebuilt(c.Of(s)))
		}
		return list
	}
	return decoded(s)
}

func decoded(s string) any {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	d.Decode(&v)
	return v
}

var scanSeeds = []string{
	``, ` `, `{}`, ` [ ] `, `{"a":1,"b":[true,false,null]}`, `"\u00e9\n\"\\"`, `-0.5e+10`, `01`,
	`-`, `1.`, `1e`, `.5`, `+1`, `tru`, `truex`,
	`{"a"}`, `{"a":}`, `{,}`, `[1,]`, `[1 2]`, `{"a":1,}`, `{a:1}`, "\"\x01\"", `"\x"`,
	`"\u12g4"`, `"`, `"\`, `{"a\u0062":"}"}`, `[[[]],{"":{}}]`,
	"\"\xff\"", `{"k":{"}":"{"}}`, `nul`, `[}`, `{]`, "\t{\r\n}", `[-]`, `0`, `1E5`,
}

func TestScan(t *testing.T) {
	for _, s := range scanSeeds {
		check(t, s)
	}
	for _, depth := range []int{maxDepth, maxDepth + 1} {
		deep := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		if _, err := skipValue(deep, 0, 0); (err == nil) != (depth == maxDepth) {
			t.Errorf("nested %d deep: %v", depth, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.StringOfN(rapid.SampledFrom([]rune(`{}[]:,"\u0a1-+.eE truefalsn`)), 0, 12, -1).Draw(t, "text"))
	})
}

func FuzzScan(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !strings.Contains(s, "\xff") { // keys that are not UTF-8 may fall together
			check(t, strings.ToValidUTF8(s, "?"))
		}
	})
}

func TestMembers(t *testing.T) {
	const parent = "{ \"a\" : [1, {\"b\":2}] ,\n\"c\\u0064\":\"x\"}"
	var got []string
	for m := range Members(parent) {
		got = append(got, m.Key+"|"+parent[m.Start:m.KeyEnd]+"|"+m.Of(parent))
	}
	want := []string{`a|"a"|[1, {"b":2}]`, `cd|"c\u0064"|"x"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for range Members(parent) {
		break // which must end the loop
	}
	for _, none := range []string{"", "5", `"x"`, "null", "{}", "[ ]"} {
		for m := range Members(none) {
			t.Errorf("%q has %+v", none, m)
		}
	}
}

func TestIsEmpty(t *testing.T) {
	for s, want := range map[string]bool{
		"": true, "null": true, "[]": true, "{ }": true, "[\n]": true, `""`: true, "0": false,
		`"x"`: false, "[0]": false, "{\"a\":1}": false,
	} {
		if got := IsEmpty([]byte(s)); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}
