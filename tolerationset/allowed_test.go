// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/tolerationset"
)

func TestValidateAllowed(t *testing.T) {
	var on taints.Options
	for _, tc := range []struct {
		name        string
		o           taints.Options
		tolerations []string
		allow       []string
		want        []int // the indexes of those that are forbidden
	}{
		{"all", on, []string{"a=5", "b=v:NoSchedule"}, []string{"b op=Exists", "a=4 op=Gt"}, nil},
		{"some", on, []string{"c", "a=4", "d"}, []string{"b op=Exists", "a=4"}, []int{0, 2}},
		{"for longer", on, []string{"a:NoExecute for 301s", "a:NoExecute for 300s"}, []string{"a:NoExecute for 300s"}, []int{0}},
		{"nothing is allowed", on, []string{"a", "a=-9223372036854775808 op=Lt"}, nil, []int{0, 1}},
		{"what tolerates nothing is covered", on, []string{"a=-9223372036854775808 op=Lt"}, []string{"b"}, nil},
		{"nothing to allow", on, nil, nil, nil},
		{"in a range", on, []string{"a=4"}, []string{"a=5 op=Lt"}, nil},
		{"no range", taints.Options{NoComparison: true}, []string{"a=4"}, []string{"a=5 op=Lt"}, []int{0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list := test.Tolerations(tc.tolerations...)
			if got := forbidden(t, list, tolerationset.ValidateAllowed(list, test.Tolerations(tc.allow...), tc.o)); !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// forbidden returns the indexes of the tolerations in the error of ValidateAllowed,
// and checks the other fields of the error.
func forbidden(t *testing.T, list []taints.Toleration, err error) (indexes []int) {
	t.Helper()
	var all taints.ErrorList
	if err != nil && (!errors.As(err, &all) || len(all) == 0) {
		t.Fatalf("the error is %#v", err)
	}
	for _, e := range all {
		indexes = append(indexes, e.Index)
		want := taints.FieldError{
			List: "tolerations", Index: e.Index, Value: list[e.Index].String(), Kind: taints.ErrForbidden,
			Detail: "no entry of the allow-list tolerates as much for as long",
		}
		if *e != want {
			t.Errorf("%#v, want %#v", e, want)
		}
	}
	return indexes
}
