// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
)

// show prints the faults of a validation as "index field: kind", one per line.
func show(err error) string {
	var v taints.ErrorList
	if !errors.As(err, &v) {
		return ""
	}
	var lines []string
	for _, f := range v {
		line := fmt.Sprintf("%d %s: %v", f.Index, f.Field, f.Kind)
		if f.List == "" {
			line = "- " + line[2:]
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestValidateKeysAndValues(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	for _, tc := range []struct {
		key, value error
		texts      []string
	}{
		{nil, nil, []string{"a", "0", "A-b_c.d", "AZaz09", long(63)}},
		{taints.ErrRequired, nil, []string{""}},
		{nil, taints.ErrInvalid, []string{"example.com/a", "a/b", "0.a-b.9/X", "az.09/AZaz09", long(253) + "/" + long(63)}},
		{taints.ErrInvalid, taints.ErrInvalid, []string{
			long(64), long(254) + "/a", "a/" + long(64),
			"-a", "a-", ".a", "a_", "-", "a b", "a\n", "a\x00", "é", "\xff", "a@b", "a[b", "a`b", "a{b", "a:b", "a*",
			"/a", "a/", "a//b", "a/b/c", "A.com/b", "a_b/c", "-a/b", "a-/b", "a..b/c", "a.-b/c", "a-.b/c", ".a/b", "a./b",
			"a`b/c", "a{b/c", "a:b/c", "a,b/c",
		}},
	} {
		for _, text := range tc.texts {
			key := taints.Taint{Key: text, Effect: taints.NoSchedule}.Validate()
			value := taints.Taint{Key: "k", Value: text, Effect: taints.NoSchedule}.Validate()
			if !errors.Is(key, tc.key) || !errors.Is(value, tc.value) {
				t.Errorf("%q as a key: %v, as a value: %v", text, key, value)
			}
			if text == "" {
				continue // an empty key is another thing for a toleration
			}
			key = taints.Toleration{Key: text, Operator: taints.OpExists}.Validate()
			value = taints.Toleration{Key: "k", Value: text}.Validate()
			if !errors.Is(key, tc.key) || !errors.Is(value, tc.value) {
				t.Errorf("%q as a toleration's key: %v, as its value: %v", text, key, value)
			}
		}
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
	err := taints.Options{KeyWildcards: true}.ValidateTolerations([]taints.Toleration{{Key: "A/*", Operator: taints.OpExists}})
	if !strings.Contains(err.Error(), "must have a DNS subdomain before the '/'") {
		t.Errorf("a wildcard: %v", err)
	}
	long := strings.Repeat("a", 62)
	for want, keys := range map[error][]string{
		nil: {
			"*", "readiness.k8s.io/*", "readiness.k8s.io/gpu-*", "gpu*", "gpu", long + "*", long + "a*", long[1:] + "-*",
		},
		taints.ErrInvalid: {
			long + "-*", "gpu-", "**", "a*b", "a/*/b", "a/b/*", "/*", "A/*", "-*", "a/.*", "a b*",
			long + "aa*", "a/" + long + "aa*", strings.Repeat("a", 254) + "/*",
		},
	} {
		for _, key := range keys {
			list := []taints.Toleration{{Key: key, Operator: taints.OpExists}}
			if err := (taints.Options{KeyWildcards: true}).ValidateTolerations(list); !errors.Is(err, want) {
				t.Errorf("%q with wildcards: %v, want %v", key, err, want)
			}
			if err := taints.ValidateTolerations(list); (err == nil) != (key == "gpu") {
				t.Errorf("%q without wildcards: %v", key, err)
			}
		}
	}
}
