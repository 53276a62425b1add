// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// decodeAll keeps everything.
func decodeAll(text string) (any, error) {
	return decodeJSON(strings.NewReader(text), nil, math.MaxInt)
}

func TestDecode(t *testing.T) {
	for text, want := range map[string]any{
		`{}`:                map[string]any{},
		` [ ] `:             []any{},
		`"a\"\\\/\u00e9\n"`: "a\"\\/é\n",
		"\t-1.5e+3\r\n":     json.Number("-1.5e+3"),
		`true`:              true, `false`: false, `null`: nil,
		`{"a":[1,{"b":null}],"":"{\""}`: map[string]any{
			"a": []any{json.Number("1"), map[string]any{"b": nil}}, "": `{"`,
		},
		strings.Repeat("[", mostDepth-1) + "{}" + strings.Repeat("]", mostDepth-1): nested(mostDepth - 1),
	} {
		got, err := decodeAll(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%.100s: %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "no JSON at all", " \n": "no JSON at all",
		"{": "ends too early", "[1,": "ends too early", `"a`: "ends too early", `"a\`: "ends too early",
		`{"a"`: "ends too early", `{"a":`: "ends too early", `[1`: "ends too early", `[[]`: "ends too early",
		"\n\n [x]": `line 3, column 4: not JSON: "x"`,
		"[1,]":     `column 4: not JSON: ']' where a value is expected`,
		"{,}":      "where a string is expected", `{"a":1,}`: "where a string is expected",
		`{"a" 1}`: `'1' where ':' is expected`, `[1 2]`: `'2' where ']' is expected`, `[1}`: `'}' where ']' is expected`,
		`{1:2}`: "where a string is expected", "01": "not JSON", "+1": "not JSON", "1.": "not JSON", "nul": "not JSON",
		"True": "not JSON", "NaN": "not JSON", "\x00": "not JSON", "[\x00]": "not JSON",
		`"\x"`: "not JSON", "\"\n\"": "not JSON", `"\u12"`: "not JSON",
		"\"\xff\"": "not valid UTF-8",
		`1 2`:      "text after the end", "{}}": "text after the end", "{}\x00": "text after the end",
		`{"a":1,"\u0061":2}`: `duplicate member "a"`,
		strings.Repeat("[", mostDepth+1) + strings.Repeat("]", mostDepth+1): "more than 100 levels",
	} {
		if v, err := decodeAll(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100q: %v, %v, want %s", text, v, err, want)
		}
	}
}

// nested returns an empty object in so many lists.
func nested(depth int) any {
	if depth == 0 {
		return map[string]any{}
	}
	return []any{nested(depth - 1)}
}

// What no shape names is gone, however it looks, and takes nothing else with it.
func TestDecodeShape(t *testing.T) {
	keep := shape{"a": nil, "b": {"c": nil}}
	deep := strings.Repeat(`{"c":[`, 100_000) + strings.Repeat(`]}`, 100_000)
	for text, want := range map[string]string{
		`{"a":{"x":1},"b":{"c":[2],"d":3},"e":4}`:           `{"a":{"x":1},"b":{"c":[2]}}`,
		`{"b":[{"c":1,"x":2},[{"c":3,"x":4}],5]}`:           `{"b":[{"c":1},[{"c":3}],5]}`,
		`{"A":1,"b":{"C":1}}`:                               `{"b":{}}`,
		`{"x":"}],\"a\":1","y":"\\","z":[{"a":"]"}],"a":1}`: `{"a":1}`,
		`{"x":1,"x":2,"y":[{"p":1,"p":1}],"a":"x"}`:         `{"a":"x"}`,
		`{"x":` + deep + `,"a":1}`:                          `{"a":1}`,
		`{"x":-1.5e3,"y":null, "z" : true ,"a":1}`:          `{"a":1}`,
		"{\"x\":\"\xff\",\"a\":1}":                          `{"a":1}`,
	} {
		v, err := decodeJSON(strings.NewReader(text), keep, 1<<20)
		if err != nil || string(encode(v)) != want {
			t.Errorf("%.100s: %s, %v", text, encode(v), err)
		}
	}
	for _, text := range []string{
		`{"x":`, `{"x":}`, `{"x":[`, `{"x":[}`, `{"x":"`, `{"x"}`, `{"x":1`, `{"x":,"a":1}`, `{"x"::1}`, `{"x":1]`,
	} {
		if v, err := decodeJSON(strings.NewReader(text), keep, 1<<20); err == nil {
			t.Errorf("%s: %s", text, encode(v))
		}
	}
}

// What is too much is left out, and what came before it is not.
func TestDecodeTooMuch(t *testing.T) {
	long := strings.Repeat("x", 500)
	for _, text := range []string{
		`{"uid":"u","list":[` + strings.Repeat(`"y",`, 100) + `"y"],"after":1}`,
		`{"uid":"u","text":"` + long + `","after":1}`,
		`{"uid":"u","` + long + `":1,"after":1}`,
		`{"uid":"u","number":1` + strings.Repeat("0", 500) + `,"after":1}`,
		`{"uid":"u","map":{"a":[[[[[[{"b":{}}]]]]]]},"after":1}`,
	} {
		v, err := decodeJSON(strings.NewReader(text), nil, 600)
		members, _ := v.(map[string]any)
		if err != errTooMuch || members["uid"] != "u" || members["after"] != nil {
			t.Errorf("%.100s: %s, %v", text, encode(v), err)
		}
		if v, err := decodeJSON(strings.NewReader(text[:len(text)-1]), nil, 600); err == nil || err == errTooMuch {
			t.Errorf("%.100s, cut off: %s, %v", text, encode(v), err)
		}
	}
}

// A review costs what is kept of it: nothing of what is skipped, and no more than a
// few times the limit of the rest.
func TestDecodeMemory(t *testing.T) {
	review := func(member string) string {
		return `{"request":{"uid":"u","object":{"spec":{` + member + `}}}}`
	}
	envs := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(`{"name":"A` + strconv.Itoa(i) + `","value":"\u003c"},`)
		}
		return `"containers":[{"env":[` + b.String() + `{}]}]`
	}
	for name, test := range map[string]struct {
		text string
		most uint64
	}{
		"many values":    {review(envs(200_000)), 16 << 10},
		"a long string":  {review(`"volumes":"` + strings.Repeat(`\u003c`, 3<<20) + `"`), 16 << 10},
		"many levels":    {review(`"volumes":` + strings.Repeat("[", 4<<20) + strings.Repeat("]", 4<<20)), 16 << 10},
		"containers":     {review(`"containers":[` + strings.Repeat("{},", 4<<20) + "{}]"), 10 * mostKept},
		"a long value":   {review(`"tolerations":[{"key":"` + strings.Repeat("x", 16<<20) + `"}]`), 10 * mostKept},
		"many labels":    {review(`"nodeSelector":{` + members(1<<20) + `}`), 10 * mostKept},
		"a long name":    {review(`"nodeSelector":{"` + strings.Repeat("x", 16<<20) + `":""}`), 10 * mostKept},
		"a long unknown": {review(`"` + strings.Repeat("x", 16<<20) + `":""`), 10 * mostKept},
	} {
		in := strings.NewReader(test.text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		q, err := readRequest(in)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > test.most {
			t.Errorf("%s: %d bytes were allocated, want at most %d", name, got, test.most)
		}
		if q == nil && !strings.Contains(err.Error(), "kind") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// members returns so many members of an object.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`"k` + strconv.Itoa(i) + `":"",`)
	}
	return b.String() + `"k":""`
}

// FuzzDecode reads what encoding/json reads, refuses what that refuses, and keeps of
// it what a shape names.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{"a":{"x":1},"b":{"c":[2],"d":3},"e":4}`, `{"a":1,"a":2}`, `[1,]`, `{"x":"\"\\}","b":[{"c":"\ud800"}]}`,
		"\"\xff\"", ` {"A" : -1.5e3 } `, `{"x":}`, `[}`, `nul`, `{"b":{"c":{},"d":[[]]},"a":null}`, "1 2", "\x00",
	} {
		f.Add([]byte(text), 500)
	}
	keep := shape{"a": nil, "b": {"c": nil}}
	f.Fuzz(func(t *testing.T, text []byte, most int) {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var want any
		wrong := d.Decode(&want)
		if _, err := d.Token(); wrong == nil && err != io.EOF {
			wrong = errors.New("more than one value")
		}
		got, err := decodeJSON(bytes.NewReader(text), nil, math.MaxInt)
		if wrong != nil || !utf8.Valid(text) {
			if err == nil {
				t.Fatalf("%q is %v", text, got)
			}
			return
		}
		part, partErr := decodeJSON(bytes.NewReader(text), keep, math.MaxInt)
		if err == nil && (!reflect.DeepEqual(got, want) || partErr != nil || !reflect.DeepEqual(part, kept(want, keep))) {
			t.Fatalf("%q: %v and %v, %v", text, got, part, partErr)
		}
		if err != nil && !strings.Contains(err.Error(), "duplicate") && !strings.Contains(err.Error(), "levels") {
			t.Fatalf("%q: %v", text, err)
		}
		if _, err := decodeJSON(bytes.NewReader(text), keep, max(most, 0)); partErr == nil && err != nil && err != errTooMuch {
			t.Fatalf("%q, %d: %v", text, most, err)
		}
	})
}

// kept returns what the shape keeps of the value.
func kept(v any, keep shape) any {
	switch v := v.(type) {
	case map[string]any:
		members := map[string]any{}
		for name := range v {
			if inner, ok := keep[name]; ok || keep == nil {
				members[name] = kept(v[name], inner)
			}
		}
		return members
	case []any:
		list := []any{}
		for i := range v {
			list = append(list, kept(v[i], keep))
		}
		return list
	}
	return v
}
