// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
)

// Each question has the options under which it is asked.
func TestQuestionsUnderOptions(t *testing.T) {
	list := test.Taints("a/x:NoExecute", "n=3:NoExecute")
	tols := append(test.Tolerations("n=5:NoExecute op=Lt"), taints.Toleration{Key: "a/*", Operator: taints.OpExists})
	for _, tc := range []struct {
		options               taints.Options
		matches, untolerated  []int
		tolerated             []int
		first, evicting, left int // left is the number of untolerated taints
		outcome               taints.Outcome
	}{
		{taints.Options{}, []int{-1, 0}, []int{0}, []int{1}, 0, 0, 1, taints.EvictsNow},
		{taints.Options{NoComparison: true}, []int{-1, -1}, []int{0, 1}, nil, 0, 0, 2, taints.EvictsNow},
		{taints.Options{KeyWildcards: true}, []int{1, 0}, nil, []int{0, 1}, -1, 0, 0, taints.Stays},
		{taints.Options{NoComparison: true, KeyWildcards: true}, []int{1, -1}, []int{1}, []int{0}, 1, 1, 1, taints.EvictsNow},
	} {
		for form, m := range map[string]*taints.Matcher{
			"On": tc.options.On(tols), "Compile": tc.options.Compile(tols),
		} {
			want := answers{tc.matches, tc.untolerated, tc.tolerated, tc.first, taints.Verdict{NoExecute: tc.left}}
			got := answersOf(list, m.Match, func() (int, bool) { return m.FindUntolerated(list, taints.HardEffects) },
				m.Untolerated(list, taints.HardEffects), m.Tolerated(list, taints.HardEffects), m.Filter(list))
			if diff := test.Difference(want, got); diff != "" {
				t.Errorf("%s under %+v (-want +got):\n%s", form, tc.options, diff)
			}
			if e := m.EvictionOf(list, observed); e.Outcome != tc.outcome || e.Taint != tc.evicting {
				t.Errorf("%s under %+v: %+v", form, tc.options, e)
			}
		}
	}
}

// Loops over one sequence may run at a time, and one within another. The race
// detector finds what they share.
func TestLoopsAtATime(t *testing.T) {
	list := test.Taints("a:NoSchedule", "b:NoExecute", "c:NoSchedule")
	for name, m := range map[string]*taints.Matcher{
		"nil": nil, "compiled": taints.Compile(test.Tolerations(":NoExecute op=Exists")),
	} {
		seq := m.Untolerated(list, taints.AllEffects)
		want := indexes(list, m.Untolerated(list, taints.AllEffects))
		for range seq {
			if got := indexes(list, seq); !slices.Equal(got, want) {
				t.Errorf("%s, a loop in a loop: %v, want %v", name, got, want)
			}
		}
		var loops sync.WaitGroup
		for range 2 {
			loops.Add(1)
			go func() {
				defer loops.Done()
				if got := indexes(list, seq); !slices.Equal(got, want) {
					t.Errorf("%s, two loops: %v, want %v", name, got, want)
				}
			}()
		}
		loops.Wait()
	}
}

func TestVerdict(t *testing.T) {
	for _, tc := range []struct {
		v                  taints.Verdict
		text               string
		schedulable, avoid bool
	}{
		{taints.Verdict{}, "all tolerated", true, false},
		{taints.Verdict{NoSchedule: 2}, "untolerated: 2 NoSchedule", false, false},
		{taints.Verdict{NoExecute: 12}, "untolerated: 12 NoExecute", false, false},
		{taints.Verdict{PreferNoSchedule: 1}, "untolerated: 1 PreferNoSchedule", true, true},
		{taints.Verdict{PreferNoSchedule: 1, NoExecute: 1}, "untolerated: 1 PreferNoSchedule, 1 NoExecute", false, false},
		{taints.Verdict{Other: 1}, "untolerated: 1 other", true, false},
		{
			taints.Verdict{NoSchedule: 1, PreferNoSchedule: 2, NoExecute: 3, Other: 4},
			"untolerated: 1 NoSchedule, 2 PreferNoSchedule, 3 NoExecute, 4 other", false, false,
		},
	} {
		if v := tc.v; v.String() != tc.text || v.Schedulable() != tc.schedulable || v.Avoid() != tc.avoid {
			t.Errorf("%+v is %q, schedulable %v, avoided %v", v, v, v.Schedulable(), v.Avoid())
		}
	}
	if taints.Filter(nil, nil) != (taints.Verdict{}) {
		t.Error("a node without taints has no zero Verdict")
	}
}
