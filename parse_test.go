// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/reference"
)

// A malformed text has an error of the kind in the field at the offset. The text of
// the error is checked if there is one.
type malformed struct {
	in     string
	offset int
	field  string
	kind   taints.ErrorKind
	text   string
}

func checkMalformed[T any](t *testing.T, parse func(string) (T, error), rows []malformed) {
	for _, tc := range rows {
		t.Run(tc.in, func(t *testing.T) {
			got, err := parse(tc.in)
			fieldErr, ok := err.(*taints.FieldError)
			if !ok || !reflect.ValueOf(got).IsZero() {
				t.Fatalf("got %+v, %v", got, err)
			}
			if fieldErr.Input != tc.in || fieldErr.Offset != tc.offset || fieldErr.Field != tc.field || fieldErr.Kind != tc.kind {
				t.Errorf("got %+v, want an error of %q at offset %d: %v", fieldErr, tc.field, tc.offset, tc.kind)
			}
			if tc.text != "" && err.Error() != tc.text {
				t.Errorf("got  %s\nwant %s", err, tc.text)
			}
		})
	}
}

func TestParseTaintErrors(t *testing.T) {
	checkMalformed(t, taints.ParseTaint, []malformed{
		{"", 0, "key", taints.ErrRequired, `parse "" at offset 0: key is required: a taint needs a key`},
		{"=v:NoSchedule", 0, "key", taints.ErrRequired, ""},
		{
			"key", 3, "effect", taints.ErrRequired,
			`parse "key" at offset 3: effect is required: ` + mustBeEffect,
		},
		{"key=value", 9, "effect", taints.ErrRequired, ""},
		{"key:", 4, "effect", taints.ErrRequired, ""},
		{
			"key:noschedule", 4, "effect", taints.ErrNotSupported,
			`parse "key:noschedule" at offset 4: effect: "noschedule" is not supported: ` +
				mustBeEffect,
		},
		{"key:NoSchedule ", 4, "effect", taints.ErrNotSupported, ""},
		{"key:a:NoSchedule", 4, "effect", taints.ErrNotSupported, ""},
		{
			"key=v:NoSchedule-", 6, "effect", taints.ErrNotSupported,
			`parse "key=v:NoSchedule-" at offset 6: effect: "NoSchedule-" is not supported: ` +
				mustBeEffect + `; a "-" at the end means removal, which is not allowed here`,
		},
		{"key-", 0, "key", taints.ErrInvalid, ""},
		{
			"key=a=b:NoSchedule", 4, "value", taints.ErrInvalid,
			`parse "key=a=b:NoSchedule" at offset 4: value: "a=b" is invalid: ` +
				`must be empty, or letters, digits, '-', '_' and '.', with a letter or digit at both ends`,
		},
		{"k y=v:NoSchedule", 0, "key", taints.ErrInvalid, ""},
		{"a/b/c:NoSchedule", 0, "key", taints.ErrInvalid, ""},
		{"Example.com/gpu:NoSchedule", 0, "key", taints.ErrInvalid, ""},
		{
			"k=" + strings.Repeat("v", 64) + ":NoSchedule", 2, "value", taints.ErrInvalid,
			`parse "k=` + strings.Repeat("v", 64) + `:NoSchedule" at offset 2: value: "` + strings.Repeat("v", 64) +
				`" is invalid: must have at most 63 characters`,
		},
		{strings.Repeat("k", 64) + ":NoSchedule", 0, "key", taints.ErrInvalid, ""},
	})
}

func TestMust(t *testing.T) {
	if got := taints.Must(taints.ParseTaint("gpu:NoSchedule")).Key; got != "gpu" {
		t.Errorf("key %q", got)
	}
	defer func() {
		if _, ok := recover().(*taints.FieldError); !ok {
			t.Error("no panic with a *FieldError")
		}
	}()
	taints.Must(taints.ParseToleration("gpu: "))
}

// FormatTaints is the inverse of ParseTaints.
func TestParseTaints(t *testing.T) {
	for list, want := range map[string][]string{
		"":                                       nil,
		"a:NoSchedule":                           {"a:NoSchedule"},
		"a=b:NoSchedule,c:NoExecute,a:NoExecute": {"a=b:NoSchedule", "c:NoExecute", "a:NoExecute"},
	} {
		got, err := taints.ParseTaints(list)
		if diff := cmp.Diff(want, test.Texts(got)); err != nil || diff != "" || list == "" && got != nil {
			t.Errorf("%q: %v (-want +got):\n%s", list, err, diff)
		}
		if back := reference.Joined(got); back != list {
			t.Errorf("%q comes back as %q", list, back)
		}
	}
	for list, want := range map[string]string{
		",":                             "0 key at 0: required, 1 key at 0: required",
		"a:NoSchedule,":                 "1 key at 0: required",
		"a:NoSchedule, b:NoSchedule":    "1 key at 0: invalid",
		"a,b=-:NoSchedule,c:NoExecute":  "0 effect at 1: required, 1 value at 2: invalid",
		"a=1:NoSchedule,a=2:NoSchedule": "1  at 0: duplicate",
		"a:NoSchedule,a:NoSchedule-":    "1 effect at 2: not supported",
	} {
		got, err := taints.ParseTaints(list)
		var errs []string
		for _, f := range test.Errors(err) {
			errs = append(errs, fmt.Sprintf("%d %s at %d: %v", f.Index, f.Field, f.Offset, f.Kind))
		}
		if strings.Join(errs, ", ") != want || got != nil {
			t.Errorf("%q: %v, %q, want %s", list, got, errs, want)
		}
	}
}

func TestParseTolerationErrors(t *testing.T) {
	checkMalformed(t, taints.ParseToleration, []malformed{
		{
			"", 0, "operator", taints.ErrInvalid,
			`parse "" at offset 0: operator: "" is invalid: ` +
				`must be Exists when the key is empty, which means all keys and values`,
		},
		{":NoSchedule", 0, "operator", taints.ErrInvalid, ""},
		{"=v op=Gt", 6, "operator", taints.ErrInvalid, ""},
		{"k!", 0, "key", taints.ErrInvalid, ""},
		{"k=v!", 2, "value", taints.ErrInvalid, ""},
		{"k=a=b", 2, "value", taints.ErrInvalid, ""},
		{"k:", 2, "effect", taints.ErrRequired, ""},
		{"k: op=Exists", 2, "effect", taints.ErrRequired, ""},
		{"k:noexecute op=Exists", 2, "effect", taints.ErrNotSupported, ""},
		{"k:a:NoExecute", 2, "effect", taints.ErrNotSupported, ""},
		{
			"k op=in", 5, "operator", taints.ErrNotSupported,
			`parse "k op=in" at offset 5: operator: "in" is not supported: must be Exists, Equal, Lt or Gt, or empty for Equal`,
		},
		{
			"k op=", 5, "operator", taints.ErrNotSupported,
			`parse "k op=" at offset 5: operator: "" is not supported: must be Exists, Equal, Lt or Gt, or empty for Equal`,
		},
		{"a op=xop=y", 5, "operator", taints.ErrNotSupported, ""},
		{"k=v op=Exists", 2, "value", taints.ErrInvalid, ""},
		{"k=07 op=Lt", 2, "value", taints.ErrInvalid, ""},
		{"k op=Lt", 1, "value", taints.ErrInvalid, ""},
		{"k for 5s", 1, "effect", taints.ErrInvalid, ""},
		{"k:NoSchedule for 5s", 2, "effect", taints.ErrInvalid, ""},
		{"op=Exists for 5s", 9, "effect", taints.ErrInvalid, ""},
		{
			"k:NoExecute for 5m", 12, "", taints.ErrInvalid,
			`parse "k:NoExecute for 5m" at offset 12: "for 5m" is invalid: ` +
				`must be " op=OPERATOR", " for 300s" (any number of seconds), or both in this order`,
		},
		{
			"k:NoExecute for 05s", 16, "tolerationSeconds", taints.ErrInvalid,
			`parse "k:NoExecute for 05s" at offset 16: tolerationSeconds: "05" is invalid: ` +
				`must be a decimal integer within int64, without leading zeros or '+'`,
		},
		{"k:NoExecute for 9223372036854775808s", 16, "tolerationSeconds", taints.ErrInvalid, ""},
		{"k:NoExecute for 5s op=Exists", 12, "", taints.ErrInvalid, ""},
		{"k:NoExecute  for 5s", 12, "", taints.ErrInvalid, ""},
		{"k:NoExecute op=Exists op=Exists", 22, "", taints.ErrInvalid, ""},
		{"op=Exists op=Exists", 3, "value", taints.ErrInvalid, ""},
		{"k ", 2, "", taints.ErrInvalid, ""},
		{" k", 1, "", taints.ErrInvalid, ""},
	})
	checkMalformed(t, taints.Options{NoComparison: true}.ParseToleration, []malformed{
		{
			"k op=in", 5, "operator", taints.ErrNotSupported,
			`parse "k op=in" at offset 5: operator: "in" is not supported: must be Exists or Equal, or empty for Equal`,
		},
		{
			"k op=", 5, "operator", taints.ErrNotSupported,
			`parse "k op=" at offset 5: operator: "" is not supported: must be Exists or Equal, or empty for Equal`,
		},
	})
}

// texts are the texts of a type: a parser, and what must hold for it.
type texts[V any] struct {
	parse   func(string) (V, error)
	want    func(string) (V, bool) // of the reference
	print   func(V) string
	valid   func(V) error
	entries func(string) []string // the parts of a text that errors are about
}

var (
	taintTexts = texts[taints.Taint]{
		taints.ParseTaint, reference.ParseTaint, taints.Taint.String, taints.Taint.Validate, whole,
	}
	listTexts = texts[[]taints.Taint]{
		taints.ParseTaints, reference.ParseTaints, reference.Joined, taints.ValidateTaints,
		func(s string) []string { return strings.Split(s, ",") },
	}
	changesTexts = texts[taints.Changes]{
		func(s string) (taints.Changes, error) { return taints.ParseChanges(arguments(s)...) },
		func(s string) (taints.Changes, bool) { return reference.ParseChanges(arguments(s)) },
		taints.Changes.String,
		func(c taints.Changes) error { return taints.ValidateTaints(c.Add) },
		arguments,
	}
)

func tolerationTexts(o taints.Options) texts[taints.Toleration] {
	return texts[taints.Toleration]{
		o.ParseToleration,
		func(s string) (taints.Toleration, bool) { return reference.ParseToleration(o, s) },
		taints.Toleration.String,
		func(tol taints.Toleration) error { return o.ValidateTolerations([]taints.Toleration{tol}) },
		whole,
	}
}

// checkTolerationTexts checks a text under all options, and without any.
func checkTolerationTexts(t test.T, s string) {
	t.Helper()
	for _, o := range test.AllOptions {
		tolerationTexts(o).check(t, s)
	}
	plain := tolerationTexts(taints.Options{})
	plain.parse, plain.valid = taints.ParseToleration, taints.Toleration.Validate
	plain.check(t, s)
}

func whole(s string) []string { return []string{s} }

// arguments splits a text at its spaces, as a shell does.
func arguments(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, " ")
}

// check checks that a text is parsed as the reference parses it, or else refused with
// errors that point into it. What is parsed is valid, and parsed again from its text.
func (x texts[V]) check(t test.T, s string) {
	t.Helper()
	want, ok := x.want(s)
	got, err := x.parse(s)
	if (err == nil) != ok {
		t.Fatalf("%q is read as %+v, %v, want %+v, %v", s, got, err, want, ok)
	}
	if err != nil {
		if !reflect.ValueOf(got).IsZero() {
			t.Fatalf("%q is read as %+v in spite of %v", s, got, err)
		}
		checkParseErrors(t, x.entries(s), err)
		return
	}
	if diff := test.Difference(want, got); diff != "" || x.valid(got) != nil {
		t.Fatalf("%q is read as %+v, %v (-want +got):\n%s", s, got, x.valid(got), diff)
	}
	again, err := x.parse(x.print(got))
	if diff := test.Difference(x.print(got), x.print(again)); err != nil || diff != "" {
		t.Fatalf("%q is printed as %q and read as %+v, %v", s, x.print(got), again, err)
	}
}

// checkParseErrors checks that each error is in its entry of the input, and that they
// are in order.
func checkParseErrors(t test.T, entries []string, err error) {
	t.Helper()
	list, isList := err.(taints.ErrorList)
	if !isList {
		list = taints.ErrorList{err.(*taints.FieldError)}
	}
	last := -1
	for _, e := range list {
		if (e.List != "") != isList || e.Index <= last || e.Index >= len(entries) || !e.Parsed || e.Input != entries[e.Index] ||
			e.Offset < 0 || e.Offset > len(e.Input) || e.Error() == "" {
			t.Fatalf("%q after entry %d: %#v", entries, last, e)
		}
		last = e.Index
	}
	if last < 0 {
		t.Fatalf("%q: no error in %v", entries, err)
	}
}

// checkTaintID checks that a text with a colon, and no other, is the identity of a
// taint, and that this prints as the text.
func checkTaintID(t test.T, s string) {
	t.Helper()
	var id taints.TaintID
	err := id.UnmarshalText([]byte(s))
	if (err == nil) != strings.Contains(s, ":") {
		t.Fatalf("%q is read as %+v, %v", s, id, err)
	}
	if err != nil {
		checkParseErrors(t, whole(s), err)
		return
	}
	if text, err := id.MarshalText(); string(text) != s || id.String() != s || err != nil || strings.Contains(id.Key, ":") {
		t.Fatalf("%q is read as %+v and printed as %q, %v", s, id, text, err)
	}
}

// add adds the seeds.
func add(f *testing.F, seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
}

func FuzzParseTaint(f *testing.F) {
	add(f, "gpu:NoSchedule", "gpu=a100:NoSchedule", "gpu=:NoExecute", "example.com/gpu:PreferNoSchedule", "a/b=c:NoExecute",
		"", ":", "=", "gpu", "gpu=", "gpu=a", "gpu:", "gpu=a:", ":NoSchedule", "=a:NoSchedule", "gpu-", "gpu:NoSchedule-",
		"gpu:noschedule", "gpu:NoSchedule ", " gpu:NoSchedule", "gpu:NoSchedule:NoExecute", "gpu=a=b:NoSchedule", "a/b/c:NoSchedule",
		"Example.com/gpu:NoSchedule", "-:NoSchedule", "gpu=-:NoSchedule", "gpu*:NoSchedule", "é:NoSchedule", "gpu\x00:NoSchedule",
		strings.Repeat("k", 63)+"="+strings.Repeat("v", 63)+":NoSchedule", strings.Repeat("k", 64)+":NoSchedule")
	f.Fuzz(func(t *testing.T, s string) { taintTexts.check(t, s) })
}

func FuzzParseTaints(f *testing.F) {
	add(f, "", "gpu:NoSchedule", "gpu:NoSchedule,gpu:NoExecute", "gpu=a:NoSchedule,spot=:PreferNoSchedule,a/b:NoExecute",
		",", ",,", "gpu:NoSchedule,", ",gpu:NoSchedule", "gpu:NoSchedule,,spot:NoExecute", "gpu:NoSchedule, spot:NoExecute",
		"gpu:NoSchedule spot:NoExecute", "gpu:NoSchedule;spot:NoExecute", "gpu:NoSchedule,gpu:NoSchedule", "gpu=a:NoSchedule,gpu=b:NoSchedule",
		"gpu:NoSchedule,gpu:NoSchedule-", "gpu-", "gpu:NoSchedule,spot-", "gpu,spot:NoExecute", "gpu,spot", "gpu=a,b:NoSchedule",
		"gpu:NoSchedule,spot=-:NoExecute", "gpu:,spot:NoExecute", ":NoSchedule,:NoExecute", "=:NoSchedule", "gpu:NoSchedule,x:y,z",
		"gpu:NoSchedule\n", "gpu:NoSchedule,é:NoSchedule", "a:NoSchedule,b:NoSchedule,a:NoSchedule,b:NoSchedule",
		"gpu:NoSchedule,GPU:NoSchedule", "gpu:NoExecute,gpu:noexecute")
	f.Fuzz(func(t *testing.T, s string) { listTexts.check(t, s) })
}

func FuzzParseToleration(f *testing.F) {
	add(f, "gpu", "gpu=a", "gpu:NoSchedule", "gpu=a:NoSchedule", "gpu op=Exists", "gpu=a op=Equal", "score=5 op=Lt", "score=-5:NoExecute op=Gt for 60s",
		"gpu:NoExecute for 300s", "gpu:NoExecute for -1s", "gpu:NoExecute op=Exists for 9223372036854775807s", "op=Exists", ":NoExecute op=Exists",
		"op=Exists for 5s", "op=Exists op=Equal", "op=Lt", "op op=Exists", "readiness.k8s.io/* op=Exists", "gpu*:NoSchedule", "* op=Exists",
		"", " ", "=", ":", "gpu:", "gpu op=", "gpu op=exists", "gpu=a op=Exists", "score=05 op=Lt", "gpu for 5s", "gpu:NoExecute for 05s",
		"gpu:NoExecute for 5m", "gpu:NoExecute for s", "gpu:NoExecute for 5s op=Exists", "gpu:NoExecute  for 5s", "gpu:NoExecute for 9223372036854775808s")
	f.Fuzz(func(t *testing.T, s string) { checkTolerationTexts(t, s) })
}

func FuzzParseChanges(f *testing.F) {
	add(f, "", "gpu:NoSchedule", "gpu=a:NoSchedule", "gpu-", "gpu:NoSchedule-", "gpu=a:NoSchedule-", "gpu=:NoExecute-", "a/b-",
		"gpu:NoSchedule gpu:NoExecute spot-", "b- a:NoExecute- c=d:NoSchedule", "gpu:NoSchedule gpu:NoSchedule-", "gpu- gpu-", "gpu:NoSchedule- gpu:NoSchedule-",
		"gpu:NoSchedule gpu:NoSchedule", "gpu=a:NoSchedule gpu=b:NoSchedule", "-", "--", "gpu", "gpu=a", "gpu=a-", "gpu:-", "gpu--", "=a:NoSchedule-", ":-",
		"gpu:noschedule-", "gpu:NoSchedule--", "gpu:NoSchedule:NoExecute-", "gpu=-:NoSchedule", " gpu-", "gpu-  spot-", "gpu, spot-", "é-")
	f.Fuzz(func(t *testing.T, s string) { changesTexts.check(t, s) })
}

func FuzzTaintID(f *testing.F) {
	add(f, "gpu:NoSchedule", "example.com/gpu:NoExecute", "gpu:", ":NoSchedule", ":", "::", "a:b:c", "gpu:x", " gpu : NoSchedule ", "gpu=a:NoSchedule",
		"a\n:b", "é:ü", "gpu:NoSchedule-", "\x00:\xff", "gpu::NoSchedule", "\":\"", "{}:[]", "a,b:c", "-:-", "*:*",
		"", "gpu", "gpu=a", "NoSchedule", "gpu;NoSchedule", " ", "\n", "gpu：NoSchedule", strings.Repeat("k", 300), strings.Repeat("k", 300)+":"+strings.Repeat("e", 300))
	f.Fuzz(func(t *testing.T, s string) { checkTaintID(t, s) })
}
