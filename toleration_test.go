// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	order "cmp"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
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
			T{Key: "k", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: test.Seconds(300)},
			"k:NoExecute op=Exists for 300s", true,
		},
		{T{Key: "k", Value: "v", Effect: "NoExecute", TolerationSeconds: test.Seconds(-5)}, "k=v:NoExecute for -5s", true},
		{
			T{Key: "k", Effect: "NoExecute", TolerationSeconds: test.Seconds(math.MaxInt64)},
			"k:NoExecute for 9223372036854775807s", true,
		},
		{
			T{Key: "k", Effect: "NoExecute", TolerationSeconds: test.Seconds(math.MinInt64)},
			"k:NoExecute for -9223372036854775808s", true,
		},
		{T{Operator: "Exists"}, "op=Exists", true},
		{T{Operator: "Exists", Effect: "NoExecute"}, ":NoExecute op=Exists", true},
		{
			T{Operator: "Exists", Effect: "NoExecute", TolerationSeconds: test.Seconds(0)},
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
		{T{Key: "k", Operator: "NoSuchOperator", Value: "v"}, "k=v op=NoSuchOperator", false},
		{T{Operator: "Lt"}, " op=Lt", false},
		{T{Operator: "Exists", TolerationSeconds: test.Seconds(1)}, "op=Exists for 1s", false},
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

func TestTolerationCompare(t *testing.T) {
	sorted := []taints.Toleration{
		{},
		{TolerationSeconds: test.Seconds(-1)},
		{TolerationSeconds: test.Seconds(1)},
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

// The identity of a toleration is all but its seconds, with Equal for no operator.
func TestTolerationID(t *testing.T) {
	for _, text := range []string{"a=1:NoExecute for 5s", "a=1:NoExecute op=Equal", "a:NoExecute op=Exists", "a=1 op=Lt", "a=1"} {
		tol := taints.Must(taints.ParseToleration(text))
		tol.TolerationSeconds = nil
		if got := tol.ID().String(); got != tol.String() {
			t.Errorf("%v prints as %q", tol, got)
		}
		if tol.ID().Operator == "" {
			t.Errorf("%v has no operator in its identity", tol)
		}
	}
}

// Taints become tolerations that match the taints with their keys and effects, whatever
// their values. What would match every key is left out.
func TestTolerationsFor(t *testing.T) {
	list := test.Taints("a=x:NoSchedule", "a:NoExecute", "b=y:PreferNoSchedule")
	list = append(list, taints.Taint{Effect: taints.NoSchedule}, taints.Taint{Key: "c"}, taints.Taint{Key: "*"}, taints.Taint{})
	want := []taints.Toleration{
		{Key: "a", Operator: taints.OpExists, Effect: taints.NoSchedule},
		{Key: "a", Operator: taints.OpExists, Effect: taints.NoExecute},
		{Key: "b", Operator: taints.OpExists, Effect: taints.PreferNoSchedule},
		{Key: "c", Operator: taints.OpExists},
	}
	if diff := cmp.Diff(want, taints.TolerationsFor(list...)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := taints.TolerationsFor(); got != nil {
		t.Errorf("of nothing: %v", got)
	}
	exact := taints.Toleration{Key: "a", Operator: taints.OpEqual, Value: "x", Effect: taints.NoSchedule}
	if got := list[0].Toleration(); !got.Equal(exact) || got.Operator != exact.Operator {
		t.Errorf("of one taint: %#v", got)
	}
	var fieldErr *taints.FieldError
	if err := new(taints.TaintID).UnmarshalText([]byte("bad")); !errors.As(err, &fieldErr) ||
		fieldErr.Kind != taints.ErrRequired || fieldErr.Field != "effect" || fieldErr.Offset != 3 {
		t.Errorf("no colon: %v", err)
	}
}
