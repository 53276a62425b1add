// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
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
			current := parse(t, tc.current...)
			got, changed := tolerationset.Reconcile(current, parse(t, tc.applied...), parse(t, tc.desired...))
			if diff := cmp.Diff(tc.want, texts(got)); diff != "" && len(tc.want)+len(got) > 0 {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if changed == slices.Equal(tc.want, tc.current) || changed && got == nil || !changed && !identical(got, current) {
				t.Errorf("changed: %v, and the list is %#v", changed, got)
			}
		})
	}
}

// The tolerations of others stay, those of the controller are the desired ones,
// and reconciling again changes nothing.
func TestReconcileKeepsAndReplaces(t *testing.T) {
	toleration := rapid.Custom(func(t *rapid.T) taints.Toleration {
		return taints.Toleration{
			Key:               rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"),
			Operator:          rapid.SampledFrom([]taints.Operator{"", taints.OpEqual, taints.OpExists}).Draw(t, "operator"),
			TolerationSeconds: rapid.Ptr(rapid.Int64Range(0, 2), true).Draw(t, "seconds"),
		}
	})
	list := rapid.OneOf(rapid.SliceOfN(toleration, 0, 5), rapid.SliceOfN(toleration, 65, 70))
	rapid.Check(t, func(t *rapid.T) {
		array := list.Draw(t, "current")
		before := slices.Clone(array)
		current := array[:rapid.IntRange(0, len(array)).Draw(t, "length")]
		applied, desired := list.Draw(t, "applied"), list.Draw(t, "desired")
		got, changed := tolerationset.Reconcile(current, applied, desired)
		if !slices.EqualFunc(array, before, taints.Toleration.Equal) {
			t.Fatalf("wrote to the caller's array: %v, was %v", array, before)
		}
		with := func(list []taints.Toleration, owned bool) []taints.Toleration {
			return slices.DeleteFunc(slices.Clone(list), func(t taints.Toleration) bool {
				t.TolerationSeconds = nil
				return owned != slices.ContainsFunc(slices.Concat(applied, desired), func(u taints.Toleration) bool {
					u.TolerationSeconds = nil
					return t.Equal(u)
				})
			})
		}
		if kept := with(got, false); !slices.EqualFunc(kept, with(current, false), taints.Toleration.Equal) {
			t.Fatalf("%v after %v and %v is %v, of others %v", current, applied, desired, got, kept)
		}
		if own := with(got, true); !slices.EqualFunc(own, desired, taints.Toleration.Equal) {
			t.Fatalf("%v after %v is %v, of the controller %v, want %v", current, applied, got, own, desired)
		}
		if changed == slices.EqualFunc(got, current, taints.Toleration.Equal) || !changed && !identical(got, current) {
			t.Fatalf("%v after %v and %v is %v, changed: %v", current, applied, desired, got, changed)
		}
		if changed && (sharesSeconds(current, got) || sharesSeconds(desired, got)) {
			t.Fatalf("%v after %v and %v shares its seconds: %v", current, applied, desired, got)
		}
		if again, changed := tolerationset.Reconcile(got, desired, desired); changed {
			t.Fatalf("%v becomes %v once more", got, again)
		}
	})
}
