// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/tolerationset"
)

func TestMerge(t *testing.T) {
	for _, tc := range []struct {
		name        string
		base, extra []string
		want        []string // what is added
	}{
		{"another", []string{"a"}, []string{"b", "a=v"}, []string{"b", "a=v"}},
		{"other seconds", []string{"a:NoExecute for 5s"}, []string{"a:NoExecute for 9s"}, nil},
		{"included", []string{"a op=Exists"}, []string{"a=v:NoSchedule", "b"}, []string{"b"}},
		{"included in one that is added", nil, []string{"a op=Exists", "a=v"}, []string{"a op=Exists"}},
		{"included in two together", []string{"a=5 op=Lt", "a=4 op=Gt"}, []string{"a=0 op=Gt"}, []string{"a=0 op=Gt"}},
		{"tolerates nothing", nil, []string{"a=-9223372036854775808 op=Lt"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			base := parse(t, tc.base...)
			got := tolerationset.Merge(base, parse(t, tc.extra...), taints.Options{})
			if diff := cmp.Diff(append(tc.base, tc.want...), texts(got)); diff != "" && len(got)+len(tc.want) > 0 {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
