// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/internal/test"
)

// all is a number that no Summary has more reasons than.
const all = math.MaxInt

func TestNodes(t *testing.T) {
	groups := func(yield func([]taints.Taint, int) bool) {
		_ = yield(test.Taints("dedicated=ml:NoSchedule", "nvidia.com/gpu=present:NoSchedule"), 7) &&
			yield(test.Taints("nvidia.com/gpu=present:NoSchedule", "dedicated=ml:NoSchedule"), 2) &&
			// A taint that repeats counts once.
			yield(test.Taints("dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule"), 1) &&
			yield(test.Taints("b=y:NoSchedule", "b=x:NoSchedule", "b=x:NoExecute"), 1) &&
			yield(test.Taints("a:NoSchedule", "spot:PreferNoSchedule"), 1) &&
			yield(test.Taints("c:NoSchedule"), 0) &&
			yield(test.Taints("c:NoSchedule"), -1) &&
			yield(test.Taints("tolerated:NoSchedule"), 2) &&
			yield(test.Taints("spot:PreferNoSchedule"), 11) &&
			yield(nil, 1)
	}
	m := taints.Compile(test.Tolerations("dedicated=ML:NoSchedule", "tolerated op=Exists"))
	want := `14/26 nodes are available:
  10 have untolerated taint dedicated=ml:NoSchedule (closest: dedicated=ML:NoSchedule, the value differs only in letter case)
  9 have untolerated taint nvidia.com/gpu=present:NoSchedule
  1 has untolerated taint a:NoSchedule
  1 has untolerated taint b=x:NoExecute
  1 has untolerated taint b=x:NoSchedule
  1 has untolerated taint b=y:NoSchedule`
	s := explain.SummarizeGroups(m, taints.HardEffects, groups, all)
	if diff := cmp.Diff(want, s.Report()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	line := strings.ReplaceAll(strings.Replace(want, "\n  ", " ", 1), "\n  ", ", ")
	if diff := cmp.Diff(line, s.String()); diff != "" {
		t.Errorf("in one line (-want +got):\n%s", diff)
	}
	for i, line := range strings.Split(want, "\n  ")[1:] {
		if diff := cmp.Diff(line, s.Reasons[i].String()); diff != "" {
			t.Errorf("reason %d (-want +got):\n%s", i, diff)
		}
	}
	if s := explain.SummarizeGroups(m, taints.Effects(taints.PreferNoSchedule), groups, all); s.Feasible != 14 || len(s.Reasons) != 1 || s.Reasons[0].Nodes != 12 {
		t.Errorf("soft taints: %v", s)
	}
	for limit, want := range map[int]string{
		6:  "and ",
		5:  ", 1 has untolerated taint b=x:NoSchedule, and 1 more taint",
		4:  ", 1 has untolerated taint b=x:NoExecute, and 2 more taints",
		1:  "only in letter case), and 5 more taints",
		0:  "14/26 nodes are available: 6 untolerated taints",
		-1: "14/26 nodes are available: 6 untolerated taints",
	} {
		s := explain.SummarizeGroups(m, taints.HardEffects, groups, limit)
		if got := s.String(); strings.HasSuffix(got, want) == (limit == 6) || s.More != 6-len(s.Reasons) || len(s.Reasons) != max(limit, 0) {
			t.Errorf("at most %d reasons: %s", limit, got)
		}
	}
	one := explain.SummarizeGroups(m, taints.HardEffects, func(yield func([]taints.Taint, int) bool) { yield(test.Taints("c:NoSchedule"), 2) }, 0)
	if got := one.Redact().Report(); got != "0/2 nodes are available:\n  1 untolerated taint" {
		t.Errorf("no reasons: %s", got)
	}
	if got := explain.SummarizeGroups(nil, taints.HardEffects, nil, all).Report(); got != "0/0 nodes are available" {
		t.Errorf("without groups: %s", got)
	}
	if got := explain.Summarize(nil, taints.HardEffects, nil, all).Report(); got != "0/0 nodes are available" {
		t.Errorf("without nodes: %s", got)
	}
}

// However few taints are named, they are the first of all.
func TestNodesNamesTheMostFrequent(t *testing.T) {
	const total = 60
	groups := func(yield func([]taints.Taint, int) bool) {
		for i := range total {
			if !yield(test.Taints(fmt.Sprintf("k%d:NoSchedule", i)), 1+i*7%31) {
				return
			}
		}
	}
	sorted := explain.SummarizeGroups(nil, taints.HardEffects, groups, all).Reasons
	for limit := range total {
		s := explain.SummarizeGroups(nil, taints.HardEffects, groups, limit)
		if len(s.Reasons) != limit || s.More != total-limit {
			t.Fatalf("at most %d reasons: %d, and %d more", limit, len(s.Reasons), s.More)
		}
		for i, r := range s.Reasons {
			if want := sorted[i]; r.Nodes != want.Nodes || !r.Reason.Taint.Equal(want.Reason.Taint) {
				t.Errorf("at most %d reasons: reason %d is for %v, want %v", limit, i, r.Reason.Taint, want.Reason.Taint)
			}
		}
	}
}

func TestGroupsDoNotOverflow(t *testing.T) {
	list := test.Taints("a:NoSchedule")
	got := explain.SummarizeGroups(nil, taints.HardEffects, func(yield func([]taints.Taint, int) bool) {
		_ = yield(list, math.MaxInt-1) && yield(list, 3) && yield(nil, math.MaxInt) && yield(nil, 1)
	}, all)
	want := explain.Summary{Nodes: math.MaxInt, Feasible: math.MaxInt, Reasons: []explain.SummaryReason{
		{Reason: explain.Reason{Taint: list[0]}, Nodes: math.MaxInt},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Only the first 1,000 tolerations are searched for the closest.
func TestSearchIsLimited(t *testing.T) {
	list := make([]taints.Taint, 500)
	for i := range list {
		list[i] = taints.Taint{Key: fmt.Sprint("taint-", i), Effect: taints.NoSchedule}
	}
	tolerations := make([]taints.Toleration, 2_000)
	for i := range tolerations {
		tolerations[i] = taints.Toleration{Key: fmt.Sprint("toleration-", i), Operator: taints.OpExists}
	}
	tolerations[999].Key, tolerations[1000].Key, tolerations[1001].Key = "TAINT-7", "taint-8", "Taint-9"
	m := taints.Compile(tolerations)
	if got := explain.Summarize(m, taints.HardEffects, each(list[:13]), 0).String(); got != "0/1 nodes are available: 12 untolerated taints" {
		t.Errorf("many taints: %s", got)
	}
	taint := taints.Must(taints.ParseTaint("gpu=a:NoSchedule"))
	for at, want := range map[int]explain.Hint{999: explain.HintOtherKey, 1000: explain.HintNone} {
		tolerations[0], tolerations[at] = taints.Toleration{Key: "gpu", Value: "b"}, taints.Toleration{Key: "other", Value: "a"}
		if got := node(taint, tolerations...).Hint(); got != want {
			t.Errorf("the value at %d: %v, want %v", at, got, want)
		}
		tolerations[at] = taints.Toleration{Key: "-"}
	}
	for i, want := range map[int]bool{7: true, 8: true, 9: false} {
		if got := explain.Node(m, list[i:i+1])[0]; got.HasClosest() != want || got.Tolerated != (i == 8) {
			t.Errorf("got %v", got)
		}
	}
}
