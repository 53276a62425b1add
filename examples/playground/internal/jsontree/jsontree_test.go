// SPDX-License-Identifier: Apache-2.0

package jsontree

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// plain returns the value as encoding/json decodes it with UseNumber.
func plain(v *Value) any {
	switch v.Kind {
	case Bool:
		return v.Text == "true"
	case Number:
		return json.Number(v.Text)
	case String:
		return v.Text
	case Array:
		list := []any{}
		for i := range v.Items {
			list = append(list, plain(&v.Items[i]))
		}
		return list
	case Object:
		object := map[string]any{}
		for i := range v.Members {
			object[v.Members[i].Name] = plain(&v.Members[i].Value)
		}
		return object
	}
	return nil
}

var texts = []string{
	`null`, `true`, `false`, `0`, `-1.5e+10`, `""`, `[]`, `{}`, ` [ 1 , "a" , { "b" : [ ] } ] `,
	`{"key":"dedicated","tolerationSeconds":9223372036854775807}`, `{"a":1,"a":2}`,
	`"\"\\\/\b\f\n\r\t"`, `"\u00e9\ud83d\ude00"`, `"\ud83d"`, `"\ud83d\u0041"`,
	`"\ud83d\ud83d\ude00"`, `"\ude00"`, "\"\xff\"", "\"\\n\xff\"", `"é😀"`,
	``, ` `, `[`, `[1`, `[1,`, `[1,]`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`,
	`{a:1}`, `{"a" 1}`, `[1 2]`, `01`, `-`, `1.`, `.5`, `1e`,
	`+1`, `tru`, `nulls`, `"`, `"a`, `"\`, `"\x"`, `"\u12"`, `"\u+123"`, "\"\n\"", "\"\\n\x01\"",
	`[] []`, "\x00", "\ufeff{}", `'a'`, `{"a":tru}`,
}

func checkAgainstStandard(t *testing.T, text string) {
	t.Helper()
	v, err := Parse(text)
	valid := json.Valid([]byte(text))
	if valid != (err == nil) && !strings.Contains(text, strings.Repeat("[", maxDepth)) &&
		strings.Count(text, "[")+strings.Count(text, "{") <= maxDepth {
		t.Fatalf("Parse(%q) returned %v, but json.Valid says %v", text, err, valid)
	}
	var syntax *SyntaxError
	if err != nil {
		if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(text) || syntax.Message == "" {
			t.Fatalf("Parse(%q) returned the error %#v", text, err)
		}
		return
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var want any
	if err := decoder.Decode(&want); err != nil {
		t.Fatalf("Parse(%q) succeeded, but encoding/json: %v", text, err)
	}
	if got := plain(v); !reflect.DeepEqual(got, want) {
		t.Fatalf("Parse(%q) = %#v, want %#v", text, got, want)
	}
	checkPlaces(t, text, v)
}

// checkPlaces checks that the text of each value is that value.
func checkPlaces(t *testing.T, text string, v *Value) {
	t.Helper()
	again, err := Parse(text[v.Start:v.End])
	if err != nil || !reflect.DeepEqual(plain(again), plain(v)) {
		t.Fatalf("%q has %v from %d to %d, which reads %q", text, plain(v), v.Start, v.End, text[v.Start:v.End])
	}
	for i := range v.Items {
		checkPlaces(t, text, &v.Items[i])
	}
	for i := range v.Members {
		m := &v.Members[i]
		if name, err := Parse(text[m.Start:m.End]); err != nil || name.Text != m.Name {
			t.Fatalf("%q has the name %q at %q", text, m.Name, text[m.Start:m.End])
		}
		checkPlaces(t, text, &m.Value)
	}
}

func TestParse(t *testing.T) {
	for _, text := range texts {
		checkAgainstStandard(t, text)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(checkAgainstStandard)
}

func TestSyntaxErrors(t *testing.T) {
	for _, test := range []struct {
		text, message string
		offset        int
	}{
		{`[{"key": "a" "effect": 1}]`, "want a comma or }", 13},
		{`["a" "b"]`, "want a comma or ]", 5},
		{`{"a" 1}`, "want a colon after the name", 5},
		{`{a: 1}`, "want a name in double quotes", 1},
		{`[1,]`, "want a value: a string in double quotes, a number, true, false, null, [ or {", 3},
		{
			`[`,
			"the JSON is not complete: want a value: a string in double quotes, a number, true, false, null, [ or {",
			1,
		},
		{`[1`, "the JSON is not complete: want a comma or ]", 2},
		{`{} {}`, "the JSON ends before this", 3},
		{
			"{\"a\": \"b\n\"}",
			`a string ends on its line: want a double quote, or \n and the like for control characters`,
			8,
		},
		{`"\x"`, `want one of " \ / b f n r t u after a backslash`, 2},
		{`-a`, "want a digit", 1},
		{strings.Repeat("[", maxDepth+2), "the values are nested too deep", maxDepth + 1},
	} {
		_, err := Parse(test.text)
		if want := (&SyntaxError{test.offset, test.message}); !reflect.DeepEqual(err, want) {
			t.Errorf("Parse(%q) returned %#v, want %#v", test.text, err, want)
		}
	}
}

func TestGet(t *testing.T) {
	v, err := Parse(`{"a": 1, "b": 2, "a": 3}`)
	if err != nil {
		t.Fatal(err)
	}
	if a := v.Get("a"); a == nil || a.Text != "3" {
		t.Errorf("Get(a) = %v, want the last, 3", a)
	}
	if c := v.Get("c"); c != nil {
		t.Errorf("Get(c) = %v, want nil", c)
	}
}

func FuzzWriter(f *testing.F) {
	f.Add("a", 1, true)
	f.Add("\"\\\x00\x1f\u2028é😀\xff", -7, false)
	f.Fuzz(func(t *testing.T, s string, n int, b bool) {
		var w Writer
		w.Object(func() {
			w.Name("strings")
			w.Array(func() { w.String(s); w.String(s) })
			w.Name(s + "!")
			w.Int(n)
			w.Name("empty")
			w.Array(func() {})
			w.Name("b")
			w.Bool(b)
		})
		decoder := json.NewDecoder(strings.NewReader(string(w.Text)))
		decoder.UseNumber()
		var got any
		if err := decoder.Decode(&got); err != nil {
			t.Fatalf("%q: %v", w.Text, err)
		}
		s = string([]rune(s)) // with U+FFFD for bytes that are no UTF-8
		if v, err := Parse(string(w.Text)); err != nil || !reflect.DeepEqual(plain(v), got) {
			t.Fatalf("%q is read as %v (%v), want %v", w.Text, plain(v), err, got)
		}
		want := map[string]any{"strings": []any{s, s}, s + "!": json.Number(strconv.Itoa(n)), "empty": []any{}, "b": b}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q is read as %v, want %v", w.Text, got, want)
		}
	})
}
