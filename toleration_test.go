// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	order "cmp"
	"errors"
	"math"
	"testing"

	"github.com/seed-0529bac1/taints"
)

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
		{
			T{Key: "k", Value: "v", Effect: "NoExecute", TolerationSeconds: seconds(-5)},
			"k=v:NoExecute for -5s", true,
		},
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
				`after the key, value and effect come " op=OPERATOR" and " for SECONDSs", ` +
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

// What is said about an option is about that one.
func TestParseTolerationErrorDetails(t *testing.T) {
	for text, want := range map[string]string{
		"a op=":         "must be Exists, Equal, Lt or Gt, or empty for Equal",
		"a op= for 5s":  "must be Exists, Equal, Lt or Gt, or empty for Equal",
		"a op=In":       "must be Exists, Equal, Lt or Gt, or empty for Equal",
		"a for xs":      "must be a decimal integer within int64, without leading zeros or '+'",
		"a:":            "must be NoSchedule, PreferNoSchedule or NoExecute",
		"a for 5s":      "must be NoExecute when tolerationSeconds is set",
		"a for 5s op=x": `after the key, value and effect come " op=OPERATOR" and " for SECONDSs", in this order, each at most once`,
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
