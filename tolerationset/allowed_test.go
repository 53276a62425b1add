// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/tolerationset"
)

func TestValidateAllowed(t *testing.T) {
	for _, tc := range []struct {
		name        string
		tolerations []string
		allow       []string
		want        []int // the indexes of those that are forbidden
	}{
		{"all", []string{"a=5", "b=v:NoSchedule"}, []string{"b op=Exists", "a=4 op=Gt"}, nil},
		{"some", []string{"c", "a=4", "d"}, []string{"b op=Exists", "a=4"}, []int{0, 2}},
		{"for longer", []string{"a:NoExecute for 301s", "a:NoExecute for 300s"}, []string{"a:NoExecute for 300s"}, []int{0}},
		{"nothing is allowed", []string{"a", "a=-9223372036854775808 op=Lt"}, nil, []int{0, 1}},
		{"what tolerates nothing is covered", []string{"a=-9223372036854775808 op=Lt"}, []string{"b"}, nil},
		{"nothing to allow", nil, nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list := parse(t, tc.tolerations...)
			if got := forbidden(t, list, tolerationset.ValidateAllowed(list, parse(t, tc.allow...), taints.Options{})); !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// forbidden returns the indexes of the tolerations in the error of
// ValidateAllowed, and checks the other fields of the error.
func forbidden(t fataler, list []taints.Toleration, err error) []int {
	if err == nil {
		return nil
	}
	var all taints.ErrorList
	if !errors.As(err, &all) || len(all) == 0 {
		t.Fatalf("the error is %#v", err)
	}
	var indexes []int
	for _, f := range all {
		indexes = append(indexes, f.Index)
		want := taints.FieldError{
			List: "tolerations", Index: f.Index, Value: list[f.Index].String(), Kind: taints.ErrForbidden,
			Detail: "no entry of the allow-list tolerates as much for as long",
		}
		if *f != want {
			t.Fatalf("%#v, want %#v", f, want)
		}
	}
	return indexes
}
