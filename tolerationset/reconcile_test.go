// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/tolerationset"
)

func TestReconcile(t *testing.T) {
	for _, tc := range []struct {
		name                            string
		current, applied, desired, want []string
	}{
		{"another", []string{"user", "a", "other"}, []string{"a"}, []string{"b"}, []string{"user", "b", "other"}},
		{"fewer", []string{"a", "user", "b"}, []string{"a", "b"}, []string{"b"}, []string{"b", "user"}},
		{"more, in the desired order", []string{"b", "user"}, []string{"b"}, []string{"a", "b"}, []string{"a", "user", "b"}},
		{"all of it", []string{"user", "a"}, []string{"user", "a"}, []string{"b"}, []string{"b"}},
		{"operator as written", []string{"a op=Exists", "b"}, nil, []string{"a", "b"}, []string{"a op=Exists", "a", "b"}},
		{"other seconds, desired", []string{"a:NoExecute for 9s"}, nil, []string{"a:NoExecute"}, []string{"a:NoExecute"}},
		{"other seconds, no longer desired", []string{"a:NoExecute for 9s"}, []string{"a:NoExecute for 5s"}, nil, []string{}},
		{"repeated", []string{"a", "a", "user", "user"}, nil, []string{"a"}, []string{"a", "user", "user"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			current := test.Tolerations(tc.current...)
			got, changed := tolerationset.Reconcile(current, test.Tolerations(tc.applied...), test.Tolerations(tc.desired...))
			if diff := cmp.Diff(tc.want, test.Texts(got)); diff != "" && len(tc.want)+len(got) > 0 {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if changed == slices.Equal(tc.want, tc.current) || changed && got == nil || !changed && !identical(got, current) {
				t.Errorf("changed: %v, and the list is %#v", changed, got)
			}
		})
	}
}
