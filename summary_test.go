// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
)

// Redact leaves what it redacts as it was.
func TestSummaryRedactLeavesTheOriginal(t *testing.T) {
	nodes := slices.Values([][]taints.Taint{parseTaints("dedicated=ml:NoSchedule", "gpu:NoExecute")})
	s := taints.Summarize(nodes, parseTolerations("dedicated=ML:NoSchedule"))
	before := s.Report()
	if redacted := s.Redact(); redacted.Report() == before || &redacted.Reasons[0] == &s.Reasons[0] {
		t.Errorf("redacted:\n%s", redacted.Report())
	}
	if s.Report() != before || s.Reasons[0].Reason.Taint.Key != "dedicated" {
		t.Errorf("the original is now\n%s\nand was\n%s", s.Report(), before)
	}
}

// Known operators stand in a redacted text as they are.
func TestRedactKeepsOperators(t *testing.T) {
	for _, op := range []taints.Operator{"", taints.OpEqual, taints.OpExists, taints.OpLt, taints.OpGt} {
		tol := taints.Toleration{Key: "a", Operator: op, Value: "1", Effect: taints.NoExecute}
		e := taints.Explain(parseTaints("a=5:NoSchedule"), []taints.Toleration{tol})
		if got := e.Redact()[0].Closest.Operator; got != op {
			t.Errorf("%q is redacted as %q", op, got)
		}
	}
	tol := taints.Toleration{Key: "a", Operator: "equal"}
	redacted := taints.Explain(parseTaints("a=5:NoSchedule"), []taints.Toleration{tol}).Redact()
	if got := redacted[0].Closest.Operator; got != "<operator1>" {
		t.Errorf("an unknown operator is redacted as %q", got)
	}
}

// Counts are decimal, and one node has where several have.
func TestSummaryCounts(t *testing.T) {
	var nodes [][]taints.Taint
	for range 10 {
		nodes = append(nodes, parseTaints("a:NoSchedule"))
	}
	nodes = append(nodes, parseTaints("b:NoSchedule"))
	nodes = append(nodes, make([][]taints.Taint, 12)...)
	s := taints.Summarize(slices.Values(nodes), nil)
	want := "12/23 nodes are available: " +
		"10 have untolerated taint a:NoSchedule (nothing comes close), " +
		"1 has untolerated taint b:NoSchedule (nothing comes close)"
	if diff := cmp.Diff(want, s.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.Reasons = s.Reasons[1:]
	s.Reasons[0].Nodes = 0
	want = "12/23 nodes are available: 0 have untolerated taint b:NoSchedule (nothing comes close)"
	if diff := cmp.Diff(want, s.String()); diff != "" {
		t.Errorf("made by hand (-want +got):\n%s", diff)
	}
}
