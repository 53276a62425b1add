// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/draw"
	"github.com/seed-0529bac1/taints/internal/test/reference"
	"github.com/seed-0529bac1/taints/tolerationset"
)

func TestLists(t *testing.T) { rapid.Check(t, checkLists) }

func FuzzLists(f *testing.F) {
	f.Add(bytes.Repeat([]byte{1, 2, 3, 5, 8, 13}, 400))
	f.Fuzz(rapid.MakeFuzz(checkLists))
}

// checkLists checks what Merge and Minimize return for lists of any length, and which
// memory it shares. The TestBrute tests check Covers and Minimize.
func checkLists(t *rapid.T) {
	o := draw.Options.Draw(t, "options")
	base, extra := draw.CommonTolerations.Draw(t, "base"), draw.CommonTolerations.Draw(t, "extra")
	list := slices.Concat(base, extra, make([]taints.Toleration, 8))
	before := slices.Clone(list)
	all := list[:len(base)+len(extra)]
	merged, minimal := tolerationset.Merge(list[:len(base)], extra, o), tolerationset.Minimize(all, o)
	if diff := cmp.Diff(before, list); diff != "" {
		t.Fatalf("wrote to the caller's array (-before +after):\n%s", diff)
	}
	want := slices.Clone(base)
	for _, tol := range extra {
		covers := func(u taints.Toleration) bool {
			u.TolerationSeconds = nil
			return tolerationset.Covers(u, tol, o)
		}
		if !covers(taints.Toleration{Operator: "NoSuchOperator"}) && !slices.ContainsFunc(want, covers) {
			want = append(want, tol)
		}
	}
	if diff := cmp.Diff(want, merged, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("under %+v %v and %v are not merged (-want +got):\n%s", o, base, extra, diff)
	}
	for _, taint := range draw.Taints.Draw(t, "taints") {
		if want := answer(o, all, taint); answer(o, merged, taint) != want || answer(o, minimal, taint) != want {
			t.Fatalf("under %+v %v tolerates %v %s, and not so %v merged and %v minimized", o, all, taint, want, merged, minimal)
		}
	}
	if again := tolerationset.Merge(merged, extra, o); !identical(again, merged) {
		t.Fatalf("merged again %v is %v", merged, again)
	}
	if len(minimal) == 0 && (minimal == nil) != (all == nil || len(all) > 0) {
		t.Fatalf("%#v minimized is %#v", all, minimal)
	}
	if again := tolerationset.Minimize(minimal, o); !identical(again, minimal) {
		t.Fatalf("minimized again %v is %v", minimal, again)
	}
	if sharesSeconds(extra, merged[len(base):]) || !identical(minimal, all) && sharesSeconds(all, minimal) {
		t.Fatalf("%v, merged to %v and minimized to %v, share their seconds", all, merged, minimal)
	}
}

// answer says whether and how long the tolerations tolerate the taint.
func answer(o taints.Options, list []taints.Toleration, taint taints.Taint) string {
	matches := reference.Matches(o, list, taint)
	if len(matches) == 0 {
		return "not"
	}
	if taint.Effect == taints.NoExecute {
		return fmt.Sprint("for ", reference.Seconds(taints.EvictionPolicy{}, list, matches))
	}
	return "at all"
}

// identical reports whether the lists are the same list, or both empty.
func identical(a, b []taints.Toleration) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func sharesSeconds(list, others []taints.Toleration) bool {
	return slices.ContainsFunc(others, func(t taints.Toleration) bool {
		return t.TolerationSeconds != nil && slices.ContainsFunc(list, func(u taints.Toleration) bool {
			return t.TolerationSeconds == u.TolerationSeconds
		})
	})
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
