// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
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
			if !ok || !isZero(got) {
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
		if diff := cmp.Diff(want, reference.Texts(got)); err != nil || diff != "" || list == "" && got != nil {
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
		for _, f := range errorsIn(err) {
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
