// SPDX-License-Identifier: Apache-2.0

package kubejson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// read returns what the objects are.
func read(in io.Reader) (objects []string, err error) {
	err = Read("in", in, func(o *Object) error {
		objects = append(objects, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", o.APIVersion, o.Kind, o.JSON, o.Place)))
		return nil
	})
	return objects, err
}

func TestRead(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     []string
	}{
		{"an object", ` {"kind" : "A", "x":[1] }`, []string{`A {"kind":"A","x":[1]}`}},
		{"JSON Lines", "{\"kind\":\"A\"}\n{\"kind\":\"B\"}\n", []string{`A {"kind":"A"}`, `B {"kind":"B"} document 2`}},
		{
			"a list", `{"apiVersion":"v1","items":[{"kind":"A","apiVersion":"x/v1"}, {"kind":"B"}],"kind":"List"}`,
			[]string{`x/v1 A {"kind":"A","apiVersion":"x/v1"} items[0]`, `B {"kind":"B"} items[1]`},
		},
		{
			"a typed list", `{"kind":"NodeList","apiVersion":"v1","items":[{"x":1},{}]}`,
			[]string{`v1 Node {"x":1} items[0]`, `v1 Node {} items[1]`},
		},
		{
			"kind after the items", `{"items":[{"x":1},{"kind":"B"}],"apiVersion":"v1","kind":"NodeList"}`,
			[]string{`v1 Node {"x":1} items[0]`, `B {"kind":"B"} items[1]`},
		},
		{"no items", `{"kind":"List","items":[]}{"kind":"PodList","items":null}`, nil},
		{
			"a second list", `{"kind":"A"}{"kind":"List","items":[{"kind":"B"}]}`,
			[]string{`A {"kind":"A"}`, `B {"kind":"B"} document 2, items[0]`},
		},
		{"a byte order mark", "\uFEFF{\"kind\":\"A\"}", []string{`A {"kind":"A"}`}},
		{
			"a Status among others", `{"kind":"List","items":[{"kind":"Status"}]}`,
			[]string{`Status {"kind":"Status"} items[0]`},
		},
		{"an escaped kind", `{"k\u0069nd":"\u0041"}`, []string{`A {"k\u0069nd":"\u0041"}`}},
	} {
		for name, in := range map[string]io.Reader{
			"":              strings.NewReader(tc.in),
			" byte by byte": iotest.OneByteReader(strings.NewReader(tc.in)),
		} {
			got, err := read(in)
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%s%s: %v %s", tc.name, name, err, diff)
			}
		}
	}
}

// Objects stand in the input where they say.
func TestPlaces(t *testing.T) {
	const in = "\uFEFF {\"kind\":\"A\"}\n{\"kind\":\"List\",\"items\":[ {\"kind\":\"B\"} ,{\"kind\":\"C\"}]}"
	var got []string
	err := Read("in", strings.NewReader(in), func(o *Object) error {
		got = append(got, in[o.Start:o.End])
		return nil
	})
	if diff := cmp.Diff([]string{`{"kind":"A"}`, `{"kind":"B"}`, `{"kind":"C"}`}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// Objects larger than the buffer, and many of them.
func TestLarge(t *testing.T) {
	large := strings.Repeat("x", 3*firstSize)
	in := `{"kind":"List","items":[{"kind":"A","x":"` + large + `"}` +
		strings.Repeat(`,{"kind":"B","x":"`+large[:1000]+`"}`, 2000) + `]}`
	n := 0
	err := Read("in", strings.NewReader(in), func(o *Object) error {
		if want := []string{"A", "B"}[min(n, 1)]; o.Kind != want {
			t.Fatalf("%d is %s", n, o.Kind)
		}
		n++
		return nil
	})
	if err != nil || n != 2001 {
		t.Errorf("%d objects, %v", n, err)
	}
}

func TestErrors(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"", "in: empty; expected what kubectl get prints with -o json"},
		{" \n", "in: empty; "},
		{"\xef\xbb", `in: offset 0: not JSON: it begins with "\xef\xbb"`},
		{"[]", "in: offset 0: a list, not an object; expected"},
		{"5", "in: offset 0: a number, not an object"},
		{`"x"`, "a string, not an object"},
		{"true", "true or false, not an object"},
		{"null\n", "null, not an object"},
		{
			"error: you must be logged in",
			`in: offset 0: not JSON: it begins with "error: you must be logged in"; expected`,
		},
		{"NAME STATUS\nn Ready", `not JSON: it begins with "NAME STATUS"`},
		{
			"apiVersion: v1\nkind: Node",
			"in: this is YAML, and only JSON is read: ask kubectl for -o json, or convert" +
				" the file with: kubectl patch --local --type=merge -p '{}' -o json -f in",
		},
		{"# x\nkind: Node", "this is YAML"},
		{"---\nkind: Node", "this is YAML"},
		{"- kind: Node", "this is YAML"},
		{"items:\n- x", "this is YAML"},
		{"kindness: great", "not JSON"},
		{"{}", "in: object: it has no kind; expected"},
		{`{"kind":5}`, "it has no kind"},
		{`{"kind":"List","items":5}`, "items is a number, not a list"},
		{`{"kind":"List","items":[],"items":[]}`, "items is a duplicate member"},
		{`{"kind":"List","items":[5]}`, "in: object at items[0]: it is a number, not an object"},
		{`{"kind":"List","items":[{}]}`, "in: object at items[0]: it has no kind, and neither has the list; expected"},
		{
			`{"items":[{"metadata":{"name":"x"}}],"kind":"List"}`,
			"in: object x: it has no kind, and neither has the list",
		},
		{`{"kind":"A"}x`, "in: offset 12: not JSON: it begins with \"x\""},
		{`{"kind":"A" "b":1}`, "in: offset 12: not JSON: invalid character '\"' after a value"},
		{`{"kind":"A",}`, "invalid character '}' where a key should begin"},
		{`{"kind":tru}`, "invalid character '}' in true"},
		{`{"kind":"List","items":[{"kind":"A"} {}]}`, "invalid character '{' after a value"},
		{`{5:6}`, "where a key should begin"},
		{`{"a" 5}`, "invalid character '5' after a key"},
		{`{"kind":"List",`, "in: truncated: it ends in the middle of an object, at offset 15"},
		{`{"kind":"List","items"`, "truncated"},
		{`{"kind":"List","items":`, "truncated"},
		{`{"kind":"List","items":[`, "truncated"},
		{`{"kind":"List","items":[{"a":1`, "truncated"},
		{`{"kind":"List","items":[]`, "truncated"},
		{
			`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"pods is forbidden","reason":"Forbidden","code":403}`,
			"in: the server says: pods is forbidden",
		},
		{`{"kind":"Status","apiVersion":"v1","reason":"Gone"}`, "the server says: Gone"},
		{`{"kind":"Status","message":5}`, "a Status of the server, and no objects"},
	} {
		for _, in := range []io.Reader{strings.NewReader(tc.in), iotest.OneByteReader(strings.NewReader(tc.in))} {
			if _, err := read(in); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %s", tc.in, err, tc.want)
			}
		}
	}
}

func TestTakeFails(t *testing.T) {
	wrong := errors.New("wrong")
	for in, want := range map[string]string{
		`{"kind":"Pod","metadata":{"name":"p","namespace":"ns"}}`:        "in: pod ns/p: wrong",
		`{"kind":"Pod","metadata":{"name":"p"}}`:                         "in: pod default/p: wrong",
		`{"kind":"NodeList","items":[{"metadata":{"name":"n"}}]}`:        "in: node n: wrong",
		`{"kind":"NodeList","items":[{"metadata":{"name":5}}]}`:          "in: node at items[0]: wrong",
		`{"kind":"Node","metadata":5}`:                                   "in: node: wrong",
		`{"items":[{"metadata":{"name":"n"}}],"kind":"NodeList"}`:        "in: node n: wrong",
		`{"kind":"A","metadata":{"name":"\u0061","labels":{"name":""}}}`: "in: a a: wrong",
	} {
		err := Read("in", strings.NewReader(in), func(*Object) error { return wrong })
		if err == nil || err.Error() != want || !errors.Is(err, wrong) {
			t.Errorf("%s: got %v, want %s", in, err, want)
		}
	}
	in := io.MultiReader(strings.NewReader("{"), iotest.ErrReader(wrong))
	if _, err := read(in); err == nil || err.Error() != "in: wrong" {
		t.Errorf("got %v", err)
	}
	if _, err := read(stuck{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestDecode(t *testing.T) {
	type element struct {
		S string `json:"s"`
		N *int64 `json:"n"`
		O struct {
			B bool `json:"b"`
		} `json:"o"`
	}
	for in, want := range map[string]string{
		`[{"s":"x","n":1}]`:     "",
		`null`:                  "",
		`{}`:                    "spec.list is an object, not a list",
		`[{},5]`:                "spec.list[1] is a number, not an object",
		`[{"s":5}]`:             "spec.list[0].s is a number, not a string",
		`[{"n":1.5}]`:           "spec.list[0].n is 1.5, not a 64-bit integer",
		`[{"o":{"b":"yes"}}]`:   "spec.list[0].o.b is a string, not true or false",
		`[{"o":[]}]`:            "spec.list[0].o is a list, not an object",
		`[{"s":true},{"s":[]}]`: "spec.list[0].s is true or false, not a string",
	} {
		got := ""
		if _, err := DecodeList[element]("spec.list", []byte(in)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{`"a\u0062"`: "ab", `null`: "", `5`: "f is a number, not a string"} {
		got, err := DecodeString("f", []byte(in))
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
	if err := Fields("f", []byte("[]"), nil); err == nil || err.Error() != "f is a list, not an object" {
		t.Error(err)
	}
	if err := Fields("f", []byte("null"), nil); err != nil {
		t.Error(err)
	}
}

// FuzzRead sees that reading in pieces is as reading at once, and that every
// object is one.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"kind":"List","items":[{"kind":"A"},{"kind":"B","x":[1.5,"\n"]}]} {"kind":"C"}`))
	f.Add([]byte(`{"items":[{}],"kind":"NodeList"}`))
	f.Add([]byte("\uFEFF{"))
	f.Fuzz(func(t *testing.T, in []byte) {
		once, err := read(bytes.NewReader(in))
		pieces, err2 := read(iotest.OneByteReader(bytes.NewReader(in)))
		if fmt.Sprint(once, err) != fmt.Sprint(pieces, err2) {
			t.Fatalf("%q: %v %v, in pieces %v %v", in, once, err, pieces, err2)
		}
	})
}
