// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	order "cmp"
	"encoding"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/enumtest"
)

func TestParseTaint(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want taints.Taint
	}{
		{"dedicated=ml:NoSchedule", taints.Taint{Key: "dedicated", Value: "ml", Effect: "NoSchedule"}},
		{"dedicated:NoExecute", taints.Taint{Key: "dedicated", Effect: "NoExecute"}},
		{"dedicated=:PreferNoSchedule", taints.Taint{Key: "dedicated", Effect: "PreferNoSchedule"}},
		{
			"nvidia.com/gpu=A100_80G.x-1:NoSchedule",
			taints.Taint{Key: "nvidia.com/gpu", Value: "A100_80G.x-1", Effect: "NoSchedule"},
		},
		{
			strings.Repeat("a", 253) + "/" + strings.Repeat("K", 63) +
				"=" + strings.Repeat("V", 63) + ":NoSchedule",
			taints.Taint{
				Key:    strings.Repeat("a", 253) + "/" + strings.Repeat("K", 63),
				Value:  strings.Repeat("V", 63),
				Effect: "NoSchedule",
			},
		},
	} {
		t.Run(tc.in, func(t *testing.T) {
			got, err := taints.ParseTaint(tc.in)
			if err != nil || !got.Equal(tc.want) {
				t.Errorf("got %+v, %v", got, err)
			}
			if err := got.Validate(); err != nil {
				t.Errorf("parsed but not valid: %v", err)
			}
		})
	}
}

func TestParseTaintErrors(t *testing.T) {
	for _, tc := range []struct {
		in     string
		offset int
		field  string
		kind   error
		text   string
	}{
		{"", 0, "key", taints.ErrRequired, `key: required: a taint needs a key`},
		{"=v:NoSchedule", 0, "key", taints.ErrRequired, ""},
		{
			"key", 3, "effect", taints.ErrRequired,
			`parse "key" at offset 3: effect: required: must be NoSchedule, PreferNoSchedule or NoExecute`,
		},
		{"key=value", 9, "effect", taints.ErrRequired, ""},
		{"key:", 4, "effect", taints.ErrRequired, ""},
		{
			"key:noschedule", 4, "effect", taints.ErrUnsupported,
			`parse "key:noschedule" at offset 4: effect: "noschedule" is not supported: ` +
				`must be NoSchedule, PreferNoSchedule or NoExecute`,
		},
		{"key:NoSchedule ", 4, "effect", taints.ErrUnsupported, ""},
		{"key:a:NoSchedule", 4, "effect", taints.ErrUnsupported, ""},
		{
			"key=v:NoSchedule-", 6, "effect", taints.ErrUnsupported,
			`parse "key=v:NoSchedule-" at offset 6: effect: "NoSchedule-" is not supported: ` +
				`must be NoSchedule, PreferNoSchedule or NoExecute; ` +
				`a "-" at the end means removal, which is not allowed here`,
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
		{"k=" + strings.Repeat("v", 64) + ":NoSchedule", 2, "value", taints.ErrTooLong, ""},
		{strings.Repeat("k", 64) + ":NoSchedule", 0, "key", taints.ErrTooLong, ""},
	} {
		t.Run(tc.in, func(t *testing.T) {
			got, err := taints.ParseTaint(tc.in)
			if err == nil || got != (taints.Taint{}) {
				t.Fatalf("got %+v, %v", got, err)
			}
			checkParseError(t, err, tc.in, tc.offset, tc.field, tc.kind, tc.text)
		})
	}
}

func checkParseError(t *testing.T, err error, in string, offset int, field string, kind error, text string) {
	t.Helper()
	fault, ok := err.(*taints.FieldError)
	if !ok || fault.Input != in || fault.Offset != offset || fault.Field != field || fault.List != "" {
		t.Errorf("got %+v, want field %q at offset %d", fault, field, offset)
	}
	if !errors.Is(err, kind) {
		t.Errorf("%v is not %q", err, kind)
	}
	if text != "" && err.Error() != text {
		t.Errorf("got  %s\nwant %s", err, text)
	}
}

func TestMustParse(t *testing.T) {
	if got := taints.MustParseTaint("gpu:NoSchedule").Key; got != "gpu" {
		t.Errorf("key %q", got)
	}
	if got := taints.MustParseToleration("gpu:NoSchedule").Key; got != "gpu" {
		t.Errorf("key %q", got)
	}
	for name, parse := range map[string]func(){
		"taint":      func() { taints.MustParseTaint("gpu") },
		"toleration": func() { taints.MustParseToleration("gpu: ") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if _, ok := recover().(*taints.FieldError); !ok {
					t.Error("no panic with a *FieldError")
				}
			}()
			parse()
		})
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
	id := taints.MustParseTaint("k=v:NoSchedule").ID()
	if id != (taints.TaintID{Key: "k", Effect: taints.NoSchedule}) || id.String() != "k:NoSchedule" {
		t.Errorf("identity %v", id)
	}
}

func TestTaintEqual(t *testing.T) {
	now := time.Date(2026, 11, 21, 1, 24, 15, 0, time.UTC)
	elsewhere := now.In(time.FixedZone("x", 3600))
	later := now.Add(time.Nanosecond)
	base := taints.Taint{Key: "k", Value: "v", Effect: "NoSchedule", TimeAdded: &now}
	for _, tc := range []struct {
		name   string
		change func(*taints.Taint)
		want   bool
	}{
		{"the same", func(*taints.Taint) {}, true},
		{"the same instant in another zone", func(t *taints.Taint) { t.TimeAdded = &elsewhere }, true},
		{"another instant", func(t *taints.Taint) { t.TimeAdded = &later }, false},
		{"no time", func(t *taints.Taint) { t.TimeAdded = nil }, false},
		{"another key", func(t *taints.Taint) { t.Key = "K" }, false},
		{"another value", func(t *taints.Taint) { t.Value = "" }, false},
		{"another effect", func(t *taints.Taint) { t.Effect = "NoExecute" }, false},
	} {
		u := base
		tc.change(&u)
		if base.Equal(u) != tc.want || u.Equal(base) != tc.want {
			t.Errorf("%s: equal %v, want %v", tc.name, base.Equal(u), tc.want)
		}
	}
	if !(taints.Taint{}).Equal(taints.Taint{}) {
		t.Error("two taints without time differ")
	}
}

// Taints and tolerations decode from, and encode to, the JSON of a Kubernetes object.
func TestJSON(t *testing.T) {
	for _, text := range []string{
		`{"key":"node.kubernetes.io/unreachable","effect":"NoExecute","timeAdded":"2026-11-21T01:24:15Z"}`,
		`{"key":"dedicated","value":"ml","effect":"NoSchedule"}`,
		`{"key":"","effect":""}`,
	} {
		var taint taints.Taint
		checkJSON(t, text, &taint)
	}
	for _, text := range []string{
		`{"key":"k","operator":"Equal","value":"v","effect":"NoExecute","tolerationSeconds":300}`,
		`{"operator":"Exists"}`,
		`{"key":"k","effect":"NoExecute","tolerationSeconds":0}`,
		`{}`,
	} {
		var tol taints.Toleration
		checkJSON(t, text, &tol)
	}
	var taint taints.Taint
	if err := json.Unmarshal([]byte(`{"key":"k","timeAdded":null}`), &taint); err != nil ||
		taint.TimeAdded != nil {
		t.Errorf("a null time: %v, %v", taint, err)
	}
}

// A MarshalText method would change the JSON of both types.
func TestNoTextMethods(t *testing.T) {
	for _, v := range []any{&taints.Taint{}, &taints.Toleration{}} {
		if _, ok := v.(encoding.TextMarshaler); ok {
			t.Errorf("%T is a TextMarshaler", v)
		}
		if _, ok := v.(encoding.TextUnmarshaler); ok {
			t.Errorf("%T is a TextUnmarshaler", v)
		}
		if _, ok := v.(interface{ AppendText([]byte) ([]byte, error) }); ok {
			t.Errorf("%T is a TextAppender", v)
		}
	}
}

func checkJSON(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(got)); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
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
}

func TestParseTaints(t *testing.T) {
	for list, want := range map[string][]string{
		"":                                       nil,
		"a:NoSchedule":                           {"a:NoSchedule"},
		"a=b:NoSchedule,c:NoExecute,a:NoExecute": {"a=b:NoSchedule", "c:NoExecute", "a:NoExecute"},
	} {
		got, err := taints.ParseTaints(list)
		if diff := cmp.Diff(want, texts(got)); err != nil || diff != "" || list == "" && got != nil {
			t.Errorf("%q: %v (-want +got):\n%s", list, err, diff)
		}
	}
	type fault struct {
		index, offset int
		field         string
		kind          error
	}
	for list, want := range map[string][]fault{
		",":                             {{0, 0, "key", taints.ErrRequired}, {1, 1, "key", taints.ErrRequired}},
		"a:NoSchedule,":                 {{1, 13, "key", taints.ErrRequired}},
		"a:NoSchedule, b:NoSchedule":    {{1, 13, "key", taints.ErrInvalid}},
		"a,b=-:NoSchedule,c:NoExecute":  {{0, 1, "effect", taints.ErrRequired}, {1, 4, "value", taints.ErrInvalid}},
		"a=1:NoSchedule,a=2:NoSchedule": {{1, 15, "", taints.ErrDuplicate}},
		"a:NoSchedule,a:NoSchedule-":    {{1, 15, "effect", taints.ErrUnsupported}},
	} {
		got, err := taints.ParseTaints(list)
		all := faultsIn(err)
		if got != nil || len(all) != len(want) {
			t.Errorf("%q: %v, %v", list, got, err)
			continue
		}
		for i, f := range all {
			if f.Input != list || f.Offset != want[i].offset || f.List != "taints" ||
				f.Index != want[i].index || f.Field != want[i].field || f.Kind != want[i].kind {
				t.Errorf("%q: got %v, want %+v", list, f, want[i])
			}
		}
	}
	var long []string
	for i := range 100 {
		long = append(long, "k"+strconv.Itoa(i)+":NoSchedule")
	}
	if got, err := taints.ParseTaints(strings.Join(long, ",")); err != nil || len(got) != 100 {
		t.Errorf("a long list: %d, %v", len(got), err)
	}
	twice := strings.Join(append(long, long[99]), ",")
	if _, err := taints.ParseTaints(twice); !errors.Is(err, taints.ErrDuplicate) {
		t.Errorf("a long list with one twice: %v", err)
	}
}

func TestParseTaintID(t *testing.T) {
	for _, id := range []taints.TaintID{{Key: "a", Effect: "NoSchedule"}, {Key: "example.com/gpu", Effect: "NoExecute"}} {
		if got, err := taints.ParseTaintID(id.String()); got != id || err != nil {
			t.Errorf("%v is read as %v, %v", id, got, err)
		}
	}
	for text, want := range map[string]struct {
		offset int
		field  string
		kind   error
	}{
		"":              {0, "key", taints.ErrRequired},
		":NoSchedule":   {0, "key", taints.ErrRequired},
		"a=b:NoExecute": {0, "key", taints.ErrInvalid},
		"a":             {1, "effect", taints.ErrRequired},
		"a:":            {2, "effect", taints.ErrRequired},
		"a:*":           {2, "effect", taints.ErrUnsupported},
		"a:noexecute":   {2, "effect", taints.ErrUnsupported},
		"a:NoExecute-":  {2, "effect", taints.ErrUnsupported},
	} {
		id, err := taints.ParseTaintID(text)
		if id != (taints.TaintID{}) {
			t.Errorf("%q is read as %v", text, id)
		}
		checkParseError(t, err, text, want.offset, want.field, want.kind, "")
	}
}

func TestTolerationString(t *testing.T) {
	type T = taints.Toleration
	for _, tc := range []struct {
		tol   T
		want  string
		valid bool // and so read back
	}{
		{T{Key: "k", Value: "v", Effect: "NoSchedule"}, "k=v:NoSchedule", true},
		{T{Key: "k", Operator: "Equal", Value: "v"}, "k=v", true},
		{T{Key: "k"}, "k", true},
		{T{Key: "k", Effect: "NoSchedule"}, "k:NoSchedule", true},
		{T{Key: "k", Operator: "Exists", Effect: "NoSchedule"}, "k:NoSchedule op=Exists", true},
		{
			T{Key: "k", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: seconds(300)},
			"k:NoExecute op=Exists for 300s", true,
		},
		{T{Key: "k", Value: "v", Effect: "NoExecute", TolerationSeconds: seconds(-5)}, "k=v:NoExecute for -5s", true},
		{
			T{Key: "k", Effect: "NoExecute", TolerationSeconds: seconds(math.MaxInt64)},
			"k:NoExecute for 9223372036854775807s", true,
		},
		{
			T{Key: "k", Effect: "NoExecute", TolerationSeconds: seconds(math.MinInt64)},
			"k:NoExecute for -9223372036854775808s", true,
		},
		{T{Operator: "Exists"}, "op=Exists", true},
		{T{Operator: "Exists", Effect: "NoExecute"}, ":NoExecute op=Exists", true},
		{
			T{Operator: "Exists", Effect: "NoExecute", TolerationSeconds: seconds(0)},
			":NoExecute op=Exists for 0s", true,
		},
		{T{Key: "k", Operator: "Lt", Value: "-9", Effect: "NoSchedule"}, "k=-9:NoSchedule op=Lt", true},
		{T{Key: "k", Operator: "Gt", Value: "5"}, "k=5 op=Gt", true},
		{T{Key: "op", Value: "Exists"}, "op=Exists op=Equal", true},
		{T{Key: "op", Value: "Exists", Effect: "NoSchedule"}, "op=Exists:NoSchedule", true},
		{T{Key: "op", Value: "Lt"}, "op=Lt", true},
		{T{Key: "op", Operator: "Exists"}, "op op=Exists", true},
		{T{}, "", false},
		{T{Key: "k", Operator: "Exists", Value: "v"}, "k=v op=Exists", false},
		{T{Key: "k", Operator: "In", Value: "v"}, "k=v op=In", false},
		{T{Operator: "Lt"}, " op=Lt", false},
		{T{Operator: "Exists", TolerationSeconds: seconds(1)}, "op=Exists for 1s", false},
		{T{Key: "a b", Value: "=", Effect: ":"}, "a b==::", false},
	} {
		t.Run(tc.want, func(t *testing.T) {
			if got := tc.tol.String(); got != tc.want {
				t.Errorf("%+v prints as %q, want %q", tc.tol, got, tc.want)
			}
			if got := string(tc.tol.AppendTo([]byte("x"))); got != "x"+tc.want {
				t.Errorf("%+v appends as %q", tc.tol, got)
			}
			got, err := taints.ParseToleration(tc.want)
			if (err == nil) != tc.valid || tc.valid && !got.Equal(tc.tol) {
				t.Errorf("%q is read as %+v, %v", tc.want, got, err)
			}
		})
	}
}

func TestParseTolerationErrors(t *testing.T) {
	for _, tc := range []struct {
		in     string
		offset int
		field  string
		kind   error
		text   string
	}{
		{
			"", 0, "operator", taints.ErrInvalid,
			`operator: "" is invalid: ` +
				`must be Exists when the key is empty, which means all keys and values`,
		},
		{":NoSchedule", 0, "operator", taints.ErrInvalid, ""},
		{"=v op=Gt", 6, "operator", taints.ErrInvalid, ""},
		{"k!", 0, "key", taints.ErrInvalid, ""},
		{"k=v!", 2, "value", taints.ErrInvalid, ""},
		{"k=a=b", 2, "value", taints.ErrInvalid, ""},
		{"k:", 2, "effect", taints.ErrRequired, ""},
		{"k: op=Exists", 2, "effect", taints.ErrRequired, ""},
		{"k:noexecute op=Exists", 2, "effect", taints.ErrUnsupported, ""},
		{"k:a:NoExecute", 2, "effect", taints.ErrUnsupported, ""},
		{
			"k op=in", 5, "operator", taints.ErrUnsupported,
			`parse "k op=in" at offset 5: operator: "in" is not supported: must be Exists, Equal, Lt or Gt, or empty for Equal`,
		},
		{"k op=", 5, "operator", taints.ErrUnsupported, ""},
		{"a op=xop=y", 5, "operator", taints.ErrUnsupported, ""},
		{"k=v op=Exists", 2, "value", taints.ErrInvalid, ""},
		{"k=07 op=Lt", 2, "value", taints.ErrInvalid, ""},
		{"k op=Lt", 1, "value", taints.ErrInvalid, ""},
		{"k for 5s", 1, "effect", taints.ErrInvalid, ""},
		{"k:NoSchedule for 5s", 2, "effect", taints.ErrInvalid, ""},
		{"op=Exists for 5s", 9, "effect", taints.ErrInvalid, ""},
		{
			"k:NoExecute for 5m", 12, "", taints.ErrInvalid,
			`parse "k:NoExecute for 5m" at offset 12: "for 5m" is invalid: ` +
				`the options after the key, value and effect must be " op=OPERATOR" and " for SECONDSs", ` +
				`in this order, each at most once`,
		},
		{"k:NoExecute for 05s", 16, "tolerationSeconds", taints.ErrInvalid, ""},
		{"k:NoExecute for 9223372036854775808s", 16, "tolerationSeconds", taints.ErrInvalid, ""},
		{"k:NoExecute for 5s op=Exists", 12, "", taints.ErrInvalid, ""},
		{"k:NoExecute  for 5s", 12, "", taints.ErrInvalid, ""},
		{"k:NoExecute op=Exists op=Exists", 22, "", taints.ErrInvalid, ""},
		{"op=Exists op=Exists", 3, "value", taints.ErrInvalid, ""},
		{"k ", 2, "", taints.ErrInvalid, ""},
		{" k", 1, "", taints.ErrInvalid, ""},
	} {
		t.Run(tc.in, func(t *testing.T) {
			got, err := taints.ParseToleration(tc.in)
			if err == nil || got != (taints.Toleration{}) {
				t.Fatalf("got %+v, %v", got, err)
			}
			checkParseError(t, err, tc.in, tc.offset, tc.field, tc.kind, tc.text)
		})
	}
}

// The detail of a fault is about the option at fault.
func TestParseTolerationErrorDetails(t *testing.T) {
	for text, want := range map[string]string{
		"a op=":         "must be Exists, Equal, Lt or Gt, or empty for Equal",
		"a op= for 5s":  "must be Exists, Equal, Lt or Gt, or empty for Equal",
		"a op=In":       "must be Exists, Equal, Lt or Gt, or empty for Equal",
		"a for xs":      "must be a decimal integer within int64, without leading zeros or '+'",
		"a:":            "must be NoSchedule, PreferNoSchedule or NoExecute",
		"a for 5s":      "must be NoExecute when tolerationSeconds is set",
		"a for 5s op=x": `the options after the key, value and effect must be " op=OPERATOR" and " for SECONDSs", in this order, each at most once`,
	} {
		tol, err := taints.ParseToleration(text)
		var field *taints.FieldError
		if !errors.As(err, &field) || field.Detail != want || tol != (taints.Toleration{}) {
			t.Errorf("%q: %v, %+v, want %q", text, tol, field, want)
		}
	}
}

func TestTolerationEqual(t *testing.T) {
	base := taints.Toleration{Key: "k", Value: "v", Effect: "NoExecute", TolerationSeconds: seconds(300)}
	for _, tc := range []struct {
		name   string
		change func(*taints.Toleration)
		want   bool
	}{
		{"the same", func(*taints.Toleration) {}, true},
		{"seconds of the same number", func(t *taints.Toleration) { t.TolerationSeconds = seconds(300) }, true},
		{"Equal spelled out", func(t *taints.Toleration) { t.Operator = taints.OpEqual }, true},
		{"other seconds", func(t *taints.Toleration) { t.TolerationSeconds = seconds(301) }, false},
		{"no seconds", func(t *taints.Toleration) { t.TolerationSeconds = nil }, false},
		{"another operator", func(t *taints.Toleration) { t.Operator = taints.OpExists }, false},
		{"another key", func(t *taints.Toleration) { t.Key = "" }, false},
		{"another value", func(t *taints.Toleration) { t.Value = "V" }, false},
		{"another effect", func(t *taints.Toleration) { t.Effect = "" }, false},
	} {
		u := base
		tc.change(&u)
		if base.Equal(u) != tc.want || u.Equal(base) != tc.want {
			t.Errorf("%s: equal %v, want %v", tc.name, base.Equal(u), tc.want)
		}
	}
	if !(taints.Toleration{}).Equal(taints.Toleration{Operator: taints.OpEqual}) {
		t.Error("two tolerations without seconds differ")
	}
}

func TestTolerationCompare(t *testing.T) {
	sorted := []taints.Toleration{
		{},
		{TolerationSeconds: seconds(-1)},
		{TolerationSeconds: seconds(1)},
		{Effect: "NoSchedule"},
		{Value: "v"},
		{Operator: "Exists"},
		{Key: "a", Operator: "Equal"},
		{Key: "b"},
	}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := a.Compare(b); got != order.Compare(i, j) || a.Equal(b) != (i == j) {
				t.Errorf("%v against %v: %d", a, b, got)
			}
		}
	}
	if a, b := (taints.Toleration{Key: "a", Value: "v"}), (taints.Toleration{Key: "a", Operator: "Equal", Value: "v"}); a.Compare(b) != 0 || !b.Equal(a) {
		t.Error("the empty operator is not Equal")
	}
}

var enums = []enumtest.Enum{
	enumtest.New("Selection",
		[]taints.Selection{taints.FirstMatch, taints.LongestMatch, taints.ShortestMatch, taints.ForeverElseShortest},
		"FirstMatch", "LongestMatch", "ShortestMatch", "ForeverElseShortest",
	),
	enumtest.New("Outcome", []taints.Outcome{taints.Stays, taints.EvictsAt, taints.EvictsNow},
		"Stays", "EvictsAt", "EvictsNow"),
}

func TestEnums(t *testing.T) {
	for _, e := range enums {
		e.Check(t)
	}
}

// In JSON, constants in results and settings are names, not numbers.
func TestJSONHasNames(t *testing.T) {
	for _, tc := range []struct {
		v    any
		want string
	}{
		{taints.Verdict{}, `{}`},
		{taints.Verdict{NoSchedule: 1, Other: 2}, `{"noSchedule":1,"other":2}`},
		{taints.Eviction{}, `{"outcome":"Stays"}`},
		{
			taints.EvictionOf(parseTaints("a:NoExecute"), parseTolerations("a:NoExecute for 60s"), observed),
			`{"outcome":"EvictsAt","tolerated":true,"at":"2026-11-21T12:01:00.0000005Z","from":"2026-11-21T12:00:00.0000005Z","seconds":60}`,
		},
		{taints.EvictionPolicy{}, `{}`},
		{
			taints.EvictionPolicy{
				Options:       taints.Options{NoComparison: true},
				Select:        taints.ForeverElseShortest,
				Effects:       taints.Hard,
				FromTimeAdded: true,
				Arrival:       time.Unix(0, 0).UTC(),
			},
			`{"options":{"noComparison":true},"select":"ForeverElseShortest","effects":"NoSchedule|NoExecute","fromTimeAdded":true,"arrival":"1970-01-01T00:00:00Z"}`,
		},
		{
			taints.Changes{
				Add: parseTaints("a:NoSchedule"), Remove: taints.IDs(parseTaints("b:NoExecute")), RemoveKeys: []string{"c"},
			},
			`{"add":[{"key":"a","effect":"NoSchedule"}],"remove":["b:NoExecute"],"removeKeys":["c"]}`,
		},
		{
			taints.ValidateTaints([]taints.Taint{{Key: "a", Effect: "x"}}),
			`{"errors":[{"list":"taints","field":"effect","value":"x","kind":"not supported",` +
				`"detail":"must be NoSchedule, PreferNoSchedule or NoExecute"}]}`,
		},
	} {
		got, err := json.Marshal(tc.v)
		if string(got) != tc.want || err != nil {
			t.Errorf("%T: %s, %v\nwant %s", tc.v, got, err, tc.want)
		}
	}
	var p taints.EvictionPolicy
	err := json.Unmarshal([]byte(`{"select":"LongestMatch","effects":"all"}`), &p)
	if err != nil || p.Select != taints.LongestMatch || p.Effects != taints.AllEffects {
		t.Errorf("got %+v, %v", p, err)
	}
}

// Results, settings and errors survive a round trip through JSON and can be
// compared.
func TestResultsHideNothing(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	node, pod := parseTaints("a=1:NoSchedule", "b:NoExecute"), parseTolerations("b:NoExecute for 60s")
	_, parseErr := taints.ParseToleration("a op=In")
	_, changesErr := taints.ParseChanges("a", "b:x")
	for _, v := range []any{
		taints.Filter(node, pod),
		taints.EvictionOf(node, pod, now),
		taints.EvictionPolicy{Select: taints.LongestMatch, Effects: taints.Hard, FromTimeAdded: true, Arrival: now},
		taints.Reconcile(node, node, parseTaints("a=2:NoSchedule")),
		taints.Changes{RemoveKeys: []string{"a"}},
		map[taints.TaintID]string{node[0].ID(): "mine", {Key: "no effect"}: ""},
		taints.Hard | taints.Soft,
		*parseErr.(*taints.FieldError),
		*changesErr.(*taints.ErrorList),
		*taints.ValidateTolerations([]taints.Toleration{{Value: "-"}}).(*taints.ErrorList),
	} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Errorf("%+v: %v", v, err)
			continue
		}
		back := reflect.New(reflect.TypeOf(v))
		if err := json.Unmarshal(text, back.Interface()); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(v, back.Elem().Interface()); diff != "" {
			t.Errorf("%s (-before +after):\n%s", text, diff)
		}
	}
}

// A list of taints becomes tolerations that match those taints and no others,
// whatever their values.
func TestTolerationsOf(t *testing.T) {
	list := parseTaints("a=x:NoSchedule", "a:NoExecute", "b=y:PreferNoSchedule")
	list = append(list, taints.Taint{Effect: taints.NoSchedule}, taints.Taint{Key: "c"})
	want := []taints.Toleration{
		{Key: "a", Operator: taints.OpExists, Effect: taints.NoSchedule},
		{Key: "a", Operator: taints.OpExists, Effect: taints.NoExecute},
		{Key: "b", Operator: taints.OpExists, Effect: taints.PreferNoSchedule},
	}
	if diff := cmp.Diff(want, taints.TolerationsOf(list)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := taints.TolerationsOf(nil); got != nil {
		t.Errorf("of no taints: %v", got)
	}
	exact := taints.Toleration{Key: "a", Operator: taints.OpEqual, Value: "x", Effect: taints.NoSchedule}
	if got := list[0].Toleration(); got != exact {
		t.Errorf("of one taint: %#v", got)
	}
	if got := taints.IDs([]taints.Taint{}); got != nil {
		t.Errorf("identities of no taints: %v", got)
	}
	var fault *taints.FieldError
	if err := new(taints.TaintID).UnmarshalText([]byte("bad")); !errors.As(err, &fault) ||
		fault.Kind != taints.ErrRequired || fault.Field != "effect" || fault.Offset != 3 {
		t.Errorf("no colon: %v", err)
	}
}
