// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
)

// show prints the faults of a validation as "index field: kind", one per line.
func show(err error) string {
	var v *taints.ErrorList
	if !errors.As(err, &v) {
		return ""
	}
	var lines []string
	for _, f := range v.Errors {
		line := fmt.Sprintf("%d %s: %v", f.Index, f.Field, f.Kind)
		switch f.List {
		case "":
			line = "- " + line[2:]
		case "old":
			line = "old " + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestValidateKeysAndValues(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	for _, tc := range []struct {
		text       string
		key, value error
	}{
		{"a", nil, nil},
		{"0", nil, nil},
		{"A-b_c.d", nil, nil},
		{"", taints.ErrRequired, nil},
		{"-a", taints.ErrInvalid, taints.ErrInvalid},
		{"a-", taints.ErrInvalid, taints.ErrInvalid},
		{".a", taints.ErrInvalid, taints.ErrInvalid},
		{"a_", taints.ErrInvalid, taints.ErrInvalid},
		{"-", taints.ErrInvalid, taints.ErrInvalid},
		{"a b", taints.ErrInvalid, taints.ErrInvalid},
		{"a\n", taints.ErrInvalid, taints.ErrInvalid},
		{"a\x00", taints.ErrInvalid, taints.ErrInvalid},
		{"é", taints.ErrInvalid, taints.ErrInvalid},
		{"\xff", taints.ErrInvalid, taints.ErrInvalid},
		{"a@b", taints.ErrInvalid, taints.ErrInvalid},
		{"a[b", taints.ErrInvalid, taints.ErrInvalid},
		{"a`b", taints.ErrInvalid, taints.ErrInvalid},
		{"a{b", taints.ErrInvalid, taints.ErrInvalid},
		{"a:b", taints.ErrInvalid, taints.ErrInvalid},
		{"a*", taints.ErrInvalid, taints.ErrInvalid},
		{long(63), nil, nil},
		{long(64), taints.ErrTooLong, taints.ErrTooLong},
		{"example.com/a", nil, taints.ErrInvalid},
		{"a/b", nil, taints.ErrInvalid},
		{"0.a-b.9/X", nil, taints.ErrInvalid},
		{"az.09/AZaz09", nil, taints.ErrInvalid},
		{"AZaz09", nil, nil},
		{"/a", taints.ErrInvalid, taints.ErrInvalid},
		{"a/", taints.ErrInvalid, taints.ErrInvalid},
		{"a//b", taints.ErrInvalid, taints.ErrInvalid},
		{"a/b/c", taints.ErrInvalid, taints.ErrInvalid},
		{"A.com/b", taints.ErrInvalid, taints.ErrInvalid},
		{"a_b/c", taints.ErrInvalid, taints.ErrInvalid},
		{"-a/b", taints.ErrInvalid, taints.ErrInvalid},
		{"a-/b", taints.ErrInvalid, taints.ErrInvalid},
		{"a..b/c", taints.ErrInvalid, taints.ErrInvalid},
		{"a.-b/c", taints.ErrInvalid, taints.ErrInvalid},
		{"a-.b/c", taints.ErrInvalid, taints.ErrInvalid},
		{".a/b", taints.ErrInvalid, taints.ErrInvalid},
		{"a./b", taints.ErrInvalid, taints.ErrInvalid},
		{"a`b/c", taints.ErrInvalid, taints.ErrInvalid},
		{"a{b/c", taints.ErrInvalid, taints.ErrInvalid},
		{"a:b/c", taints.ErrInvalid, taints.ErrInvalid},
		{"a,b/c", taints.ErrInvalid, taints.ErrInvalid},
		{long(253) + "/" + long(63), nil, taints.ErrInvalid},
		{long(254) + "/a", taints.ErrTooLong, taints.ErrInvalid},
		{"a/" + long(64), taints.ErrTooLong, taints.ErrInvalid},
	} {
		t.Run(tc.text, func(t *testing.T) {
			key := taints.Taint{Key: tc.text, Effect: taints.NoSchedule}.Validate()
			value := taints.Taint{Key: "k", Value: tc.text, Effect: taints.NoSchedule}.Validate()
			if !errors.Is(key, tc.key) || !errors.Is(value, tc.value) {
				t.Errorf("key: %v, value: %v", key, value)
			}
			if tc.text == "" {
				return // an empty key is another thing for a toleration
			}
			key = taints.Toleration{Key: tc.text, Operator: taints.OpExists}.Validate()
			value = taints.Toleration{Key: "k", Value: tc.text}.Validate()
			if !errors.Is(key, tc.key) || !errors.Is(value, tc.value) {
				t.Errorf("toleration: key: %v, value: %v", key, value)
			}
		})
	}
}

func TestValidateTaints(t *testing.T) {
	for _, tc := range []struct {
		name string
		list []taints.Taint
		want string
	}{
		{"nil", nil, ""},
		{"empty", []taints.Taint{}, ""},
		{"all effects", parseTaints("a:NoSchedule", "a:PreferNoSchedule", "a:NoExecute", "b=v:NoSchedule"), ""},
		{"zero", []taints.Taint{{}}, "0 key: required\n0 effect: required"},
		{"unknown effect", []taints.Taint{{Key: "a", Effect: "noschedule"}}, "0 effect: not supported"},
		{
			"all at fault",
			[]taints.Taint{{Key: "a", Effect: "NoExecute"}, {Key: "-", Value: "-", Effect: "-"}},
			"1 key: invalid\n1 value: invalid\n1 effect: not supported",
		},
		{
			"duplicates",
			parseTaints("a:NoSchedule", "b:NoSchedule", "a=v:NoSchedule", "a:NoSchedule"),
			"2 : a duplicate\n3 : a duplicate",
		},
		{
			"duplicates of invalid ones",
			[]taints.Taint{{Key: "a"}, {Key: "a"}},
			"0 effect: required\n1 effect: required\n1 : a duplicate",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, show(taints.ValidateTaints(tc.list))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestValidateTolerations(t *testing.T) {
	type T = taints.Toleration
	for _, tc := range []struct {
		name string
		tol  T
		want string
	}{
		{"{}", T{}, "0 operator: invalid"},
		{"empty key with Exists", T{Operator: "Exists"}, ""},
		{"empty key with Equal", T{Operator: "Equal", Value: "v"}, "0 operator: invalid"},
		{"empty key with Gt", T{Operator: "Gt", Value: "1"}, "0 operator: invalid"},
		{"empty key with an unknown operator", T{Operator: "In"}, "0 operator: invalid\n0 operator: not supported"},
		{"Exists with a value", T{Key: "k", Operator: "Exists", Value: "v"}, "0 value: invalid"},
		{"Equal with an empty value", T{Key: "k", Operator: "Equal"}, ""},
		{"no operator", T{Key: "k", Value: "v"}, ""},
		{"Equal with a bad value", T{Key: "k", Value: "v v"}, "0 value: invalid"},
		{"operator in lower case", T{Key: "k", Operator: "exists"}, "0 operator: not supported"},
		{"Lt", T{Key: "k", Operator: "Lt", Value: "-9223372036854775808"}, ""},
		{"Lt without a value", T{Key: "k", Operator: "Lt"}, "0 value: invalid"},
		{"Gt with a name", T{Key: "k", Operator: "Gt", Value: "v"}, "0 value: invalid"},
		{"Gt beyond int64", T{Key: "k", Operator: "Gt", Value: "9223372036854775808"}, "0 value: invalid"},
		{"Gt with a leading zero", T{Key: "k", Operator: "Gt", Value: "007"}, "0 value: invalid"},
		{"no effect", T{Key: "k"}, ""},
		{"unknown effect", T{Key: "k", Effect: "NoAdmit"}, "0 effect: not supported"},
		{"seconds", T{Key: "k", Effect: "NoExecute", TolerationSeconds: seconds(5)}, ""},
		{"negative seconds", T{Key: "k", Effect: "NoExecute", TolerationSeconds: seconds(-5)}, ""},
		{"seconds without an effect", T{Key: "k", TolerationSeconds: seconds(5)}, "0 effect: invalid"},
		{
			"seconds with NoSchedule",
			T{Key: "k", Effect: "NoSchedule", TolerationSeconds: seconds(5)},
			"0 effect: invalid",
		},
		{
			"seconds with an unknown effect",
			T{Key: "k", Effect: "x", TolerationSeconds: seconds(5)},
			"0 effect: not supported\n0 effect: invalid",
		},
		{
			"all at fault",
			T{Key: "-", Operator: "Gt", Value: "-", Effect: "-", TolerationSeconds: seconds(1)},
			"0 key: invalid\n0 value: invalid\n0 effect: not supported\n0 effect: invalid",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, show(taints.ValidateTolerations([]T{tc.tol}))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(
				strings.ReplaceAll("\n"+tc.want, "\n0", "\n-"),
				"\n"+show(tc.tol.Validate()),
			); diff != "" {
				t.Errorf("Validate (-want +got):\n%s", diff)
			}
		})
	}
	if err := taints.ValidateTolerations(parseTolerations("k op=Exists", "k op=Exists")); err != nil {
		t.Errorf("repeated tolerations: %v", err)
	}
	if err := taints.ValidateTolerations(nil); err != nil {
		t.Errorf("no tolerations: %v", err)
	}
}

func TestValidateUnderOptions(t *testing.T) {
	lt := parseTolerations("k=5 op=Lt", "k op=Exists")
	got := show(taints.Options{NoComparison: true}.ValidateTolerations(lt))
	if got != "0 operator: not supported" {
		t.Errorf("Lt without comparison: %q", got)
	}
	long := strings.Repeat("a", 62)
	for _, tc := range []struct {
		key  string
		want error
	}{
		{"*", nil},
		{"readiness.k8s.io/*", nil},
		{"readiness.k8s.io/gpu-*", nil},
		{"gpu*", nil},
		{"gpu", nil},
		{long + "*", nil},
		{long + "a*", nil},
		{long + "-*", taints.ErrInvalid},
		{long[1:] + "-*", nil},
		{long + "aa*", taints.ErrTooLong},
		{"a/" + long + "aa*", taints.ErrTooLong},
		{"**", taints.ErrInvalid},
		{"a*b", taints.ErrInvalid},
		{"a/*/b", taints.ErrInvalid},
		{"a/b/*", taints.ErrInvalid},
		{"/*", taints.ErrInvalid},
		{"A/*", taints.ErrInvalid},
		{"-*", taints.ErrInvalid},
		{"a/.*", taints.ErrInvalid},
		{"a b*", taints.ErrInvalid},
		{strings.Repeat("a", 254) + "/*", taints.ErrTooLong},
	} {
		list := []taints.Toleration{{Key: tc.key, Operator: taints.OpExists}}
		if err := (taints.Options{KeyWildcards: true}).ValidateTolerations(list); !errors.Is(err, tc.want) {
			t.Errorf("%q with wildcards: %v, want %v", tc.key, err, tc.want)
		}
		if err := taints.ValidateTolerations(list); (err == nil) != (tc.key == "gpu") {
			t.Errorf("%q without wildcards: %v", tc.key, err)
		}
	}
}

func TestValidateTolerationsUpdate(t *testing.T) {
	old := parseTolerations("a:NoExecute for 300s", "b=v:NoSchedule")
	for _, tc := range []struct {
		name string
		new  []taints.Toleration
		want string
	}{
		{"unchanged", old, ""},
		{
			"reordered, added, other seconds",
			parseTolerations("c op=Exists", "b=v:NoSchedule", "a:NoExecute for 5s"), "",
		},
		{"seconds gone", parseTolerations("a:NoExecute", "b=v:NoSchedule"), ""},
		{"one gone", parseTolerations("a:NoExecute for 300s"), "old 1 : forbidden"},
		{"both gone", nil, "old 0 : forbidden\nold 1 : forbidden"},
		{"another value", parseTolerations("a:NoExecute for 300s", "b=w:NoSchedule"), "old 1 : forbidden"},
		{"another effect", parseTolerations("a:NoExecute for 300s", "b=v"), "old 1 : forbidden"},
		{"Equal spelled out", parseTolerations("a:NoExecute for 300s", "b=v:NoSchedule op=Equal"), "old 1 : forbidden"},
		{"invalid", append(slices.Clone(old), taints.Toleration{}), "2 operator: invalid"},
		{"gone and invalid", []taints.Toleration{old[0], {}}, "old 1 : forbidden\n1 operator: invalid"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, show(taints.ValidateTolerationsUpdate(old, tc.new))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if err := (taints.Options{NoComparison: true}).ValidateTolerationsUpdate(nil,
		parseTolerations("k=1 op=Gt")); !errors.Is(err, taints.ErrUnsupported) {
		t.Errorf("Gt without comparison: %v", err)
	}
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
				`tolerations[1].effect: "x" is not supported: must be NoSchedule, PreferNoSchedule or NoExecute`,
		},
		{
			taints.ValidateTaints([]taints.Taint{{Key: "k", Value: long, Effect: "NoSchedule"}}),
			`taints[0].value: "` + strings.Repeat("é", 40) +
				`" (200 bytes) is invalid: must be empty, or letters, digits, '-', '_' and '.', with a letter or digit at both ends`,
		},
		{
			taints.ValidateTaints(parseTaints("k:NoSchedule", "k=v:NoSchedule")),
			`taints[1]: "k=v:NoSchedule" is a duplicate: a node has at most one taint of a key and effect`,
		},
		{
			taints.Taint{Value: "\n", Effect: "NoSchedule"}.Validate(),
			`key: required: a taint needs a key; value: "\n" is invalid: ` +
				`must be empty, or letters, digits, '-', '_' and '.', with a letter or digit at both ends`,
		},
		{
			taints.ValidateTolerationsUpdate(parseTolerations("a:NoExecute for 5s"), nil),
			`old[0]: "a:NoExecute for 5s" is forbidden: ` +
				`an existing toleration cannot be removed or changed, except its tolerationSeconds`,
		},
		{&taints.FieldError{Value: "x", Detail: "d"}, `"x" is at fault: d`},
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
		{&taints.FieldError{}, `"" is at fault`},
		{&taints.FieldError{Field: "f", Value: "x", Kind: taints.ErrInvalid}, `f: "x" is invalid`},
		{&taints.FieldError{List: "l", Value: "x", Kind: taints.ErrInvalid}, `l[0]: "x" is invalid`},
		{&taints.FieldError{List: "l", Index: 3, Field: "f", Value: "x", Kind: taints.ErrRequired}, `l[3].f: required`},
		{&taints.FieldError{Input: "x", Offset: 12, Value: "y"}, `parse "x" at offset 12: "y" is at fault`},
		{
			&taints.ErrorList{Errors: []*taints.FieldError{{Value: "x"}, {Value: "y"}, {Value: "z"}}},
			`"x" is at fault; "y" is at fault; "z" is at fault`,
		},
		{
			faultsIn(taints.ValidateTolerations(append(make([]taints.Toleration, 12),
				taints.Toleration{Operator: "Exists", Value: "v"})))[12],
			`tolerations[12].value: "v" is invalid: must be empty, as the operator matches every value`,
		},
		{(*taints.FieldError)(nil), "<nil>"},
		{&taints.ErrorList{}, "no faults"},
		{&taints.ErrorList{Errors: []*taints.FieldError{nil}}, "<nil>"},
		{(*taints.ErrorList)(nil), "<nil>"},
	} {
		if diff := cmp.Diff(tc.want, tc.err.Error()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// Each fault has its own detail.
func TestErrorDetails(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	for _, tc := range []struct {
		list   []taints.Toleration
		detail string
	}{
		{
			[]taints.Toleration{{Key: "-"}},
			"must be a name (letters, digits, '-', '_' and '.', with a letter or digit at both ends), " +
				"optionally after a DNS subdomain and '/', as in example.com/gpu",
		},
		{
			[]taints.Toleration{{Key: "a/.*", Operator: "Exists"}},
			"must be a name (letters, digits, '-', '_' and '.', with a letter or digit at both ends), " +
				"optionally after a DNS subdomain and '/', as in example.com/gpu",
		},
		{
			[]taints.Toleration{{Key: "-/a"}},
			"must have a DNS subdomain before the '/': " +
				"lowercase letters, digits, '-' and '.', with a letter or digit at both ends of each part",
		},
		{
			[]taints.Toleration{{Key: "/a"}},
			"must have a DNS subdomain before the '/': " +
				"lowercase letters, digits, '-' and '.', with a letter or digit at both ends of each part",
		},
		{[]taints.Toleration{{Key: long(254) + "/a"}}, "must have at most 253 characters before the '/'"},
		{
			[]taints.Toleration{{Key: long(64)}},
			"must have at most 63 characters in its name, the part after the '/' if it has one",
		},
		{
			[]taints.Toleration{{Key: "a", Value: "-"}},
			"must be empty, or letters, digits, '-', '_' and '.', with a letter or digit at both ends",
		},
		{[]taints.Toleration{{Key: "a", Value: long(64)}}, "must have at most 63 characters"},
		{
			[]taints.Toleration{{Key: "a", Value: "b", Operator: "Exists"}},
			"must be empty, as the operator matches every value",
		},
		{
			[]taints.Toleration{{Key: "a", Value: "x", Operator: "Gt"}},
			"must be a decimal integer within int64, without leading zeros or '+'",
		},
		{[]taints.Toleration{{Key: "a", Effect: "x"}}, "must be NoSchedule, PreferNoSchedule or NoExecute"},
		{
			[]taints.Toleration{{Key: "a", TolerationSeconds: seconds(5)}},
			"must be NoExecute when tolerationSeconds is set",
		},
		{[]taints.Toleration{{Key: "a", Operator: "x"}}, "must be Exists, Equal, Lt or Gt, or empty for Equal"},
		{[]taints.Toleration{{}}, "must be Exists when the key is empty, which means all keys and values"},
	} {
		err := (taints.Options{KeyWildcards: strings.HasSuffix(tc.list[0].Key, "*")}).ValidateTolerations(tc.list)
		faults := faultsIn(err)
		if len(faults) != 1 || faults[0].Detail != tc.detail {
			t.Errorf("%+v: %v, want %q", tc.list[0], err, tc.detail)
		}
	}
	off := taints.Options{NoComparison: true}.ValidateTolerations([]taints.Toleration{
		{Key: "a", Value: "5", Operator: "Gt"},
	})
	if faults := faultsIn(off); len(faults) != 1 ||
		faults[0].Detail != "must be Exists or Equal, or empty for Equal; the comparison operators are disabled" {
		t.Errorf("Gt switched off: %v", off)
	}
	missing := taints.Taint{}.Validate()
	if faults := faultsIn(missing); len(faults) != 2 ||
		faults[0].Detail != "a taint needs a key" ||
		faults[1].Detail != "must be NoSchedule, PreferNoSchedule or NoExecute" {
		t.Errorf("an empty taint: %v", missing)
	}
}

// In lists of any length, repeated taints and removed tolerations are found.
func TestValidateListsOfAnyLength(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 66, 200} {
		var list []taints.Taint
		var tols []taints.Toleration
		for i := range n {
			list = append(list, taints.Taint{Key: "k" + strconv.Itoa(i), Effect: taints.NoSchedule})
			tols = append(tols, taints.Toleration{Key: "k" + strconv.Itoa(i), Operator: taints.OpExists})
		}
		if err := taints.ValidateTaints(list); err != nil {
			t.Errorf("%d: %v", n, err)
		}
		// The second half occurs twice, and so does a key, with another effect.
		twice := append(append(slices.Clone(list), list[n/2:]...),
			taints.Taint{Key: "k0", Effect: taints.NoExecute})
		faults := faultsIn(taints.ValidateTaints(twice))
		if len(faults) != n-n/2 || faults[0].Index != n || faults[len(faults)-1].Index != n+n-n/2-1 {
			t.Errorf("%d: %v", n, faults)
		}
		changed := slices.Clone(tols)
		slices.Reverse(changed)
		for i := range changed {
			changed[i].TolerationSeconds, changed[i].Effect = seconds(5), ""
		}
		if faults := faultsIn(taints.ValidateTolerationsUpdate(tols, changed)); len(faults) != n ||
			faults[0].Field != "effect" {
			t.Errorf("%d with other seconds: %v", n, faults)
		}
		for _, change := range []func(*taints.Toleration){
			func(t *taints.Toleration) { t.Key += "x" },
			func(t *taints.Toleration) { t.Operator = taints.OpEqual },
			func(t *taints.Toleration) { t.Effect = taints.NoSchedule },
			func(t *taints.Toleration) { t.Operator, t.Value = taints.OpEqual, "v" },
		} {
			changed := slices.Clone(tols)
			change(&changed[n-1])
			faults := faultsIn(taints.ValidateTolerationsUpdate(tols, changed))
			if len(faults) != 1 || faults[0].Value != tols[n-1].String() ||
				faults[0].List != "old" || faults[0].Index != n-1 {
				t.Errorf("%d, with %v: %v", n, changed[n-1], faults)
			}
		}
	}
}

// An error unwraps to each of its faults.
func TestErrorsUnwrap(t *testing.T) {
	err := fmt.Errorf("node x: %w", taints.ValidateTaints([]taints.Taint{
		{Key: "-"},
		{Key: strings.Repeat("k", 64), Effect: "x"},
	}))
	for _, kind := range []error{taints.ErrInvalid, taints.ErrRequired, taints.ErrTooLong, taints.ErrUnsupported} {
		if !errors.Is(err, kind) {
			t.Errorf("%v is not %q", err, kind)
		}
	}
	if errors.Is(err, taints.ErrDuplicate) {
		t.Errorf("%v is %q", err, taints.ErrDuplicate)
	}
	var fault *taints.FieldError
	if !errors.As(err, &fault) {
		t.Fatal("no *FieldError")
	}
	if fault.List != "taints" || fault.Index != 0 || fault.Field != "key" || fault.Value != "-" ||
		fault.Kind != taints.ErrInvalid || fault.Detail == "" {
		t.Errorf("got %+v", *fault)
	}
}

// Errors that another package makes, including nil and zero ones, unwrap without
// a panic.
func TestErrorsMadeByHandUnwrap(t *testing.T) {
	var (
		field *taints.FieldError
		list  *taints.ErrorList
	)
	for _, err := range []error{
		field, list, &taints.FieldError{}, &taints.ErrorList{},
		&taints.ErrorList{Errors: []*taints.FieldError{nil, {Kind: taints.ErrTooLong}}},
	} {
		var found *taints.FieldError
		if errors.Is(err, taints.ErrInvalid) ||
			errors.As(err, &found) && found != nil && found.Kind == taints.ErrInvalid {
			t.Errorf("%#v is invalid", err)
		}
	}
	if err := (&taints.FieldError{}).Unwrap(); err != nil {
		t.Errorf("the zero fault unwraps to %q", err)
	}
	odd := &taints.ErrorList{Errors: []*taints.FieldError{nil, {}, {Kind: taints.ErrInvalid}}}
	if n := len(odd.Unwrap()); n != 2 {
		t.Errorf("unwraps to %d errors, want 2", n)
	}
	if n := len(odd.Of(taints.ErrInvalid)); n != 1 || odd.Of(taints.ErrRequired) != nil || list.Of("") != nil {
		t.Errorf("%d are invalid, want 1", n)
	}
	if first, second := list.Split(0); len(first.Errors)+len(second.Errors) > 0 {
		t.Errorf("nil is split into %v and %v", first, second)
	}
}

// Faults of the second list have indexes from its beginning, and are copies.
func TestErrorListSplit(t *testing.T) {
	whole := func() *taints.ErrorList {
		return &taints.ErrorList{Errors: []*taints.FieldError{
			{List: "taints", Index: 1, Kind: taints.ErrInvalid},
			nil,
			{List: "taints", Index: 2, Kind: taints.ErrRequired, Field: "key"},
			{List: "taints", Index: 4, Kind: taints.ErrDuplicate, Value: "a:NoSchedule"},
			{Kind: taints.ErrForbidden, Index: 7},
		}}
	}
	list := whole()
	first, second := list.Split(2)
	want := []*taints.FieldError{
		{List: "taints", Index: 1, Kind: taints.ErrInvalid},
		{Kind: taints.ErrForbidden, Index: 7},
		{List: "taints", Index: 0, Kind: taints.ErrRequired, Field: "key"},
		{List: "taints", Index: 2, Kind: taints.ErrDuplicate, Value: "a:NoSchedule"},
	}
	if diff := cmp.Diff(want, slices.Concat(first.Errors, second.Errors)); diff != "" || len(second.Errors) != 2 {
		t.Errorf("%d are of the second (-want +got):\n%s", len(second.Errors), diff)
	}
	for _, f := range slices.Concat(first.Errors, second.Errors) {
		f.List = "startupTaints"
	}
	if diff := cmp.Diff(whole(), list); diff != "" {
		t.Errorf("the original changed (-before +after):\n%s", diff)
	}
}

// An API server with the gate off still accepts the comparison operators of a
// pod that has one.
func TestValidateTolerationsUpdateKeepsComparison(t *testing.T) {
	off := taints.Options{NoComparison: true}
	lt, gt := parseTolerations("a=5 op=Lt"), parseTolerations("a=5 op=Lt", "b=6 op=Gt")
	for _, tc := range []struct {
		name     string
		old, new []taints.Toleration
		want     []string
	}{
		{"kept", lt, lt, nil},
		{"one more", lt, gt, nil},
		{"Gt kept", parseTolerations("b=6 op=Gt"), parseTolerations("b=6 op=Gt"), nil},
		{"Lt beside Gt", parseTolerations("b=6 op=Gt"), parseTolerations("b=6 op=Gt", "a=5 op=Lt"), nil},
		{
			"neither before", parseTolerations("b=6", "c op=Exists", "d"),
			parseTolerations("b=6", "c op=Exists", "d", "a=5 op=Lt"),
			[]string{"tolerations[3].operator"},
		},
		{"new to the pod", nil, lt, []string{"tolerations[0].operator"}},
		{
			"new to the pod, beside another", parseTolerations("c"),
			append(parseTolerations("c"), lt...),
			[]string{"tolerations[1].operator"},
		},
		{"gone", gt, nil, []string{"old[0]", "old[1]"}},
		{"no integer", lt, append(slices.Clone(lt), taints.Toleration{Key: "c", Operator: "Gt", Value: "x"}), []string{"tolerations[1].value"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, f := range faultsIn(off.ValidateTolerationsUpdate(tc.old, tc.new)) {
				got = append(got, strings.SplitN(f.Error(), ":", 2)[0])
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAddDaemonSetDefaults(t *testing.T) {
	const (
		prefix    = "node.kubernetes.io/"
		notReady  = prefix + "not-ready:NoExecute op=Exists"
		unreach   = prefix + "unreachable:NoExecute op=Exists"
		disk      = prefix + "disk-pressure:NoSchedule op=Exists"
		memory    = prefix + "memory-pressure:NoSchedule op=Exists"
		pid       = prefix + "pid-pressure:NoSchedule op=Exists"
		unsched   = prefix + "unschedulable:NoSchedule op=Exists"
		noNetwork = prefix + "network-unavailable:NoSchedule op=Exists"
	)
	for _, tc := range []struct {
		name        string
		given       []string
		hostNetwork bool
		want        []string
	}{
		{"nothing there", nil, false, []string{notReady, unreach, disk, memory, pid, unsched}},
		{"host network", nil, true, []string{notReady, unreach, disk, memory, pid, unsched, noNetwork}},
		{
			"some there",
			[]string{pid, "gpu op=Exists", notReady},
			false,
			[]string{pid, "gpu op=Exists", notReady, unreach, disk, memory, unsched},
		},
		{
			"seconds go, in their place",
			[]string{"gpu op=Exists", notReady + " for 10s", notReady + " for 20s", unreach + " for 30s"},
			false,
			[]string{"gpu op=Exists", notReady, notReady, unreach, disk, memory, pid, unsched},
		},
		{
			"everything tolerated",
			[]string{"op=Exists"},
			false,
			[]string{"op=Exists", notReady, unreach, disk, memory, pid, unsched},
		},
		{
			"seconds of another operator stay",
			[]string{prefix + "not-ready:NoExecute for 10s"},
			false,
			[]string{prefix + "not-ready:NoExecute for 10s", notReady, unreach, disk, memory, pid, unsched},
		},
		{
			"seconds of another effect stay",
			[]string{prefix + "disk-pressure:NoExecute op=Exists for 10s"},
			false,
			[]string{
				prefix + "disk-pressure:NoExecute op=Exists for 10s",
				notReady,
				unreach,
				disk,
				memory,
				pid,
				unsched,
			},
		},
		{
			"another value",
			[]string{prefix + "disk-pressure=x:NoSchedule"},
			false,
			[]string{prefix + "disk-pressure=x:NoSchedule", notReady, unreach, disk, memory, pid, unsched},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			given := parseTolerations(tc.given...)
			got := taints.AddDaemonSetDefaults(given, taints.DaemonSetPod{HostNetwork: tc.hostNetwork})
			if diff := cmp.Diff(tc.want, texts(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.given, texts(given)); diff != "" {
				t.Errorf("the list given was changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAddExtendedResources(t *testing.T) {
	for _, tc := range []struct {
		name  string
		given []string
		names []string
		want  []string
	}{
		{"no names", nil, nil, nil},
		{
			"sorted", nil,
			[]string{"nvidia.com/gpu", "amd.com/gpu"},
			[]string{"amd.com/gpu:NoSchedule op=Exists", "nvidia.com/gpu:NoSchedule op=Exists"},
		},
		{
			"once each", nil,
			[]string{"nvidia.com/gpu", "nvidia.com/gpu"},
			[]string{"nvidia.com/gpu:NoSchedule op=Exists"},
		},
		{
			"native ones are passed over", nil,
			[]string{
				"cpu", "memory", "pods", "kubernetes.io/batch-cpu", "x.kubernetes.io/y",
				"requests.nvidia.com/gpu", "",
			},
			nil,
		},
		{
			"there already",
			[]string{"nvidia.com/gpu:NoSchedule op=Exists"},
			[]string{"nvidia.com/gpu"},
			[]string{"nvidia.com/gpu:NoSchedule op=Exists"},
		},
		{
			"a broader one is there",
			[]string{"nvidia.com/gpu op=Exists"},
			[]string{"nvidia.com/gpu"},
			[]string{"nvidia.com/gpu op=Exists", "nvidia.com/gpu:NoSchedule op=Exists"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			names := slices.Clone(tc.names)
			got := taints.AddExtendedResources(parseTolerations(tc.given...), names...)
			if diff := cmp.Diff(tc.want, texts(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !slices.Equal(names, tc.names) {
				t.Errorf("the names given are now %q", names)
			}
		})
	}
}

// A toleration with Exists and a value, which is not valid, is not the
// toleration to add.
func TestAddExtendedResourcesBesideAValue(t *testing.T) {
	given := []taints.Toleration{{Key: "nvidia.com/gpu", Operator: "Exists", Value: "x", Effect: "NoSchedule"}}
	if got := taints.AddExtendedResources(given, "nvidia.com/gpu"); len(got) != 2 || got[1].Value != "" {
		t.Errorf("got %v", got)
	}
}

func TestIsExtendedResourceName(t *testing.T) {
	for _, tc := range []struct {
		name string
		want bool
	}{
		{"nvidia.com/gpu", true},
		{"example.com/Dongle_1.x", true},
		{"kubernetes.io.example.com/gpu", true},
		{"cpu", false},
		{"", false},
		{"hugepages-2Mi", false},
		{"kubernetes.io/gpu", false},
		{"node.kubernetes.io/gpu", false},
		{"attachable-volumes-aws-ebs", false},
		{"requests.nvidia.com/gpu", false},
		{"/gpu", false},
		{"nvidia.com/", false},
		{"nvidia.com/gpu/x", false},
		{"Nvidia.com/gpu", false},
		{"nvidia.com/gpu!", false},
		{strings.Repeat("a", 244) + "/gpu", true},
		{strings.Repeat("a", 245) + "/gpu", false}, // "requests." before it makes 254
		{"a/" + strings.Repeat("g", 63), true},
		{"a/" + strings.Repeat("g", 64), false},
	} {
		if got := taints.IsExtendedResourceName(tc.name); got != tc.want {
			t.Errorf("%q: %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestAddMemoryPressure(t *testing.T) {
	const added = "node.kubernetes.io/memory-pressure:NoSchedule op=Exists"
	for _, tc := range []struct {
		given string
		adds  bool
	}{
		{"gpu op=Exists", true},
		{added, false},
		{"node.kubernetes.io/memory-pressure op=Exists", false},
		{"op=Exists", false},
		{":NoSchedule op=Exists", false},
		{":NoExecute op=Exists", true},
		{"node.kubernetes.io/memory-pressure:NoExecute op=Exists", true},
		{"node.kubernetes.io/memory-pressure:NoSchedule", true},
	} {
		want := []string{tc.given}
		if tc.adds {
			want = append(want, added)
		}
		if diff := cmp.Diff(want, texts(taints.AddMemoryPressure(parseTolerations(tc.given)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.given, diff)
		}
	}
}

// adders are the Add functions, each with one choice of its other parameters.
var adders = map[string]func([]taints.Toleration) []taints.Toleration{
	"AddDefaults": func(l []taints.Toleration) []taints.Toleration {
		return taints.AddDefaults(l, taints.DefaultSeconds{})
	},
	"AddDaemonSetDefaults": func(l []taints.Toleration) []taints.Toleration {
		return taints.AddDaemonSetDefaults(l, taints.DaemonSetPod{HostNetwork: true})
	},
	"AddExtendedResources": func(l []taints.Toleration) []taints.Toleration {
		return taints.AddExtendedResources(l, "nvidia.com/gpu", "amd.com/gpu", "cpu")
	},
	"AddMemoryPressure": taints.AddMemoryPressure,
}

// If nothing is missing, the result is the list itself.
func TestAddReturnsACompleteList(t *testing.T) {
	for name, add := range adders {
		once := add([]taints.Toleration{{Key: "gpu", Operator: taints.OpExists}})
		if twice := add(once); &twice[0] != &once[0] || len(twice) != len(once) {
			t.Errorf("%s made a copy", name)
		}
	}
}

func TestAddedSecondsAreNotShared(t *testing.T) {
	own := int64(60)
	d := taints.DefaultSeconds{NotReady: &own, Unreachable: &own}
	a, b := taints.AddDefaults(nil, d), taints.AddDefaults(nil, d)
	pointers := []*int64{
		&own, a[0].TolerationSeconds, a[1].TolerationSeconds, b[0].TolerationSeconds,
		b[1].TolerationSeconds,
	}
	for i, p := range pointers {
		if *p != own {
			t.Errorf("pointer %d is of %d", i, *p)
		}
		if slices.Contains(pointers[i+1:], p) {
			t.Errorf("pointer %d is shared", i)
		}
	}
}
