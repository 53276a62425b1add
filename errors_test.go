// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/known"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/valueset"
	"github.com/seed-0529bac1/taints/internal/words"
)

// mustBeEffect is the detail of errors about effects.
var mustBeEffect = "must be " + words.Join(known.Effects(), " or ")

// mustBeOperator returns the detail of errors about operators.
func mustBeOperator(comparison bool) string {
	return "must be " + words.Join(valueset.Names(comparison), " or ") + ", or empty for Equal"
}

func TestErrorTexts(t *testing.T) {
	long := strings.Repeat("é", 100)
	for _, tc := range []struct {
		err  error
		want string
	}{
		{
			taints.ValidateTolerations([]taints.Toleration{
				{Key: "k", Operator: "Exists"},
				{Key: "k", Operator: "exists", Effect: "x"},
			}),
			`tolerations[1].operator: "exists" is not supported: must be Exists, Equal, Lt or Gt, or empty for Equal; ` +
				`tolerations[1].effect: "x" is not supported: ` + mustBeEffect,
		},
		{
			taints.Options{NoComparison: true}.ValidateTolerations(test.Tolerations("k=5 op=Gt", "k op=Exists")),
			`tolerations[0].operator: "Gt" is not supported: ` +
				`must be Exists or Equal, or empty for Equal; the comparison operators are disabled`,
		},
		{
			taints.ValidateTaints([]taints.Taint{{Key: "k", Value: long, Effect: "NoSchedule"}}),
			`taints[0].value: "` + strings.Repeat("é", 40) +
				`" (200 bytes) is invalid: must be empty, or letters, digits, '-', '_' and '.', with a letter or digit at both ends`,
		},
		{
			taints.ValidateTaints(test.Taints("k:NoSchedule", "k=v:NoSchedule")),
			`taints[1]: "k=v:NoSchedule" is a duplicate: a node has at most one taint with a given key and effect`,
		},
		{
			taints.Taint{Value: "\n", Effect: "NoSchedule"}.Validate(),
			`key is required: a taint needs a key; value: "\n" is invalid: ` +
				`must be empty, or letters, digits, '-', '_' and '.', with a letter or digit at both ends`,
		},
		{&taints.FieldError{Value: "x", Detail: "d"}, `"x" is wrong: d`},
		{
			&taints.FieldError{Value: strings.Repeat("x", 80), Kind: taints.ErrInvalid},
			`"` + strings.Repeat("x", 80) + `" is invalid`,
		},
		{
			&taints.FieldError{Value: strings.Repeat("x", 81), Kind: taints.ErrInvalid},
			`"` + strings.Repeat("x", 80) + `" (81 bytes) is invalid`,
		},
		{
			&taints.FieldError{Value: strings.Repeat("x", 79) + "é", Kind: taints.ErrInvalid},
			`"` + strings.Repeat("x", 79) + `" (81 bytes) is invalid`,
		},
		{&taints.FieldError{}, `"" is wrong`},
		{&taints.FieldError{Field: "f", Value: "x", Kind: taints.ErrInvalid}, `f: "x" is invalid`},
		{&taints.FieldError{List: "l", Value: "x", Kind: taints.ErrInvalid}, `l[0]: "x" is invalid`},
		{&taints.FieldError{List: "l", Index: 3, Field: "f", Value: "x", Kind: taints.ErrRequired}, `l[3].f is required`},
		{&taints.FieldError{Parsed: true, Input: "x", Offset: 12, Value: "y"}, `parse "x" at offset 12: "y" is wrong`},
		{
			taints.ErrorList{{Value: "x"}, {Value: "y"}, {Value: "z"}},
			`"x" is wrong; "y" is wrong; "z" is wrong`,
		},
		{
			test.Errors(taints.ValidateTolerations(append(make([]taints.Toleration, 12),
				taints.Toleration{Operator: "Exists", Value: "v"})))[12],
			`tolerations[12].value: "v" is invalid: must be empty, as the operator matches every value`,
		},
		{make(taints.ErrorList, 5), "<nil>; <nil>; <nil>; <nil>; <nil>"},
		{make(taints.ErrorList, 6), "<nil>; <nil>; <nil>; <nil>; <nil> (and 1 more error)"},
		{make(taints.ErrorList, 7), "<nil>; <nil>; <nil>; <nil>; <nil> (and 2 more errors)"},
		{&taints.FieldError{Kind: taints.ErrRequired, Detail: "d"}, "required: d"},
		{(*taints.FieldError)(nil), "<nil>"},
		{taints.ErrorList{}, "no errors"},
		{taints.ErrorList{nil}, "<nil>"},
		{taints.ErrorList(nil), "no errors"},
	} {
		if diff := cmp.Diff(tc.want, tc.err.Error()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// Each error has its own detail.
func TestErrorDetails(t *testing.T) {
	const (
		ends   = "letters, digits, '-', '_' and '.', with a letter or digit at both ends"
		key    = "must be a name (" + ends + "), optionally after a DNS subdomain and '/', as in example.com/gpu"
		prefix = "must have a DNS subdomain before the '/': " +
			"lowercase letters, digits, '-' and '.', with a letter or digit at both ends of each part"
	)
	type T = taints.Toleration
	long := func(n int) string { return strings.Repeat("a", n) }
	for _, tc := range []struct {
		tol     T
		options taints.Options
		detail  string
	}{
		{T{Key: "-"}, taints.Options{}, key},
		{T{Key: "a/.*", Operator: "Exists"}, taints.Options{KeyWildcards: true}, key},
		{T{Key: "-/a"}, taints.Options{}, prefix},
		{T{Key: "A/*", Operator: "Exists"}, taints.Options{KeyWildcards: true}, prefix},
		{T{Key: "/a"}, taints.Options{}, prefix},
		{T{Key: long(254) + "/a"}, taints.Options{}, "must have at most 253 characters before the '/'"},
		{T{Key: long(64)}, taints.Options{}, "must have at most 63 characters in its name, the part after the '/' if it has one"},
		{T{Key: "a", Value: "-"}, taints.Options{}, "must be empty, or " + ends},
		{T{Key: "a", Value: long(64)}, taints.Options{}, "must have at most 63 characters"},
		{T{Key: "a", Value: "b", Operator: "Exists"}, taints.Options{}, "must be empty, as the operator matches every value"},
		{
			T{Key: "a", Value: "x", Operator: "Gt"},
			taints.Options{},
			"must be a decimal integer within int64, without leading zeros or '+'",
		},
		{T{Key: "a", Effect: "x"}, taints.Options{}, mustBeEffect},
		{T{Key: "a", TolerationSeconds: test.Seconds(5)}, taints.Options{}, "must be NoExecute when tolerationSeconds is set"},
		{T{Key: "a", Operator: "x"}, taints.Options{}, mustBeOperator(true)},
		{T{Key: "a", Operator: "x"}, taints.Options{NoComparison: true}, mustBeOperator(false)},
		{T{}, taints.Options{}, "must be Exists when the key is empty, which means all keys and values"},
	} {
		err := tc.options.ValidateTolerations([]T{tc.tol})
		if errs := test.Errors(err); len(errs) != 1 || errs[0].Detail != tc.detail {
			t.Errorf("%+v: %v, want %q", tc.tol, err, tc.detail)
		}
		if alone := tc.tol.Validate(); tc.options == (taints.Options{}) && "tolerations[0]."+alone.Error() != err.Error() {
			t.Errorf("%+v by itself: %v, want %v", tc.tol, alone, err)
		}
	}
	missing := taints.Taint{}.Validate()
	if errs := test.Errors(missing); len(errs) != 2 ||
		errs[0].Detail != "a taint needs a key" || errs[1].Detail != mustBeEffect {
		t.Errorf("an empty taint: %v", missing)
	}
}

func TestNoErrors(t *testing.T) {
	for _, list := range []taints.ErrorList{nil, {}} {
		if err := list.Err(); err != nil {
			t.Errorf("%#v is the error %#v", list, err)
		}
	}
}

// An error unwraps to each of its errors.
func TestErrorsUnwrap(t *testing.T) {
	err := fmt.Errorf("node x: %w", taints.ValidateTaints([]taints.Taint{
		{Key: "-"},
		{Key: strings.Repeat("k", 64), Effect: "x"},
	}))
	for _, kind := range []error{taints.ErrInvalid, taints.ErrRequired, taints.ErrNotSupported} {
		if !errors.Is(err, kind) {
			t.Errorf("%v is not %q", err, kind)
		}
	}
	if errors.Is(err, taints.ErrDuplicate) {
		t.Errorf("%v is %q", err, taints.ErrDuplicate)
	}
	var fieldErr *taints.FieldError
	if !errors.As(err, &fieldErr) {
		t.Fatal("no *FieldError")
	}
	if fieldErr.List != "taints" || fieldErr.Index != 0 || fieldErr.Field != "key" || fieldErr.Value != "-" ||
		fieldErr.Kind != taints.ErrInvalid || fieldErr.Detail == "" {
		t.Errorf("got %+v", *fieldErr)
	}
}

// The JSON of all errors of a long text grows in proportion to the text.
func TestParseErrorsAreSmall(t *testing.T) {
	size := func(n int) int {
		_, err := taints.ParseTaints(strings.Repeat(",", n))
		b, jsonErr := json.Marshal(err)
		if jsonErr != nil || len(test.Errors(err)) != n+1 || len(err.Error()) > 1000 {
			t.Fatalf("%v: %d errors in a text of %d bytes", jsonErr, len(test.Errors(err)), len(err.Error()))
		}
		return len(b)
	}
	if small, large := size(1000), size(4000); large > 5*small {
		t.Errorf("%d bytes, and %d for four times the text", small, large)
	}
}

// A text that is no name is quoted in part.
func TestErrorsOfLongTextsAreShort(t *testing.T) {
	err := new(taints.TaintID).UnmarshalText([]byte(strings.Repeat("x", 1<<20)))
	if text := err.Error(); len(text) > 300 || !strings.Contains(text, "(1048576 bytes)") {
		t.Errorf("an error of %d bytes: %.300s", len(text), text)
	}
}

// Errors that another package makes, including nil and zero ones, unwrap without
// a panic.
func TestErrorsMadeByHandUnwrap(t *testing.T) {
	var (
		field *taints.FieldError
		list  taints.ErrorList
	)
	for _, err := range []error{
		field, list, &taints.FieldError{}, taints.ErrorList{}, taints.ErrorList{nil, {Kind: taints.ErrForbidden}},
	} {
		if errors.Is(err, taints.ErrInvalid) {
			t.Errorf("%#v is invalid", err)
		}
	}
	if path := field.Path(); path != "" {
		t.Errorf("a nil error is at %q", path)
	}
	if err := (&taints.FieldError{}).Unwrap(); err != nil {
		t.Errorf("the zero error unwraps to %q", err)
	}
	odd := taints.ErrorList{nil, {}, {Kind: taints.ErrInvalid}}
	if n := len(odd.Unwrap()); n != 2 {
		t.Errorf("unwraps to %d errors, want 2", n)
	}
}
