// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/tolerationset"
)

func TestValidateUpdate(t *testing.T) {
	on, off := taints.Options{}, taints.Options{NoComparison: true}
	old := test.Tolerations("a:NoExecute for 300s", "b=v:NoSchedule")
	lt, gt := test.Tolerations("a=5 op=Lt"), test.Tolerations("b=6 op=Gt")
	both, neither := slices.Concat(lt, gt), test.Tolerations("b=6", "c op=Exists")
	for _, tc := range []struct {
		name     string
		o        taints.Options
		old, new []taints.Toleration
		want     string
	}{
		{"unchanged", on, old, old, ""},
		{
			"reordered, added, other seconds", on, old,
			test.Tolerations("c op=Exists", "b=v:NoSchedule", "a:NoExecute for 5s"), "",
		},
		{"seconds gone", on, old, test.Tolerations("a:NoExecute", "b=v:NoSchedule"), ""},
		{"one gone", on, old, old[:1], "old 1 : forbidden"},
		{"both gone", on, old, nil, "old 0 : forbidden\nold 1 : forbidden"},
		{"another value", on, old, test.Tolerations("a:NoExecute for 300s", "b=w:NoSchedule"), "old 1 : forbidden"},
		{"another key", on, old, test.Tolerations("a:NoExecute for 300s", "c=v:NoSchedule"), "old 1 : forbidden"},
		{"another effect", on, old, test.Tolerations("a:NoExecute for 300s", "b=v"), "old 1 : forbidden"},
		{
			"Equal spelled out", on, old,
			test.Tolerations("a:NoExecute for 300s", "b=v:NoSchedule op=Equal"), "old 1 : forbidden",
		},
		{"invalid", on, old, append(slices.Clone(old), taints.Toleration{}), "2 operator: invalid"},
		{"gone and invalid", on, old, []taints.Toleration{old[0], {}}, "old 1 : forbidden\n1 operator: invalid"},

		// An API server with the gate off still accepts the comparison operators of a
		// pod that has one.
		{"new to the pod", off, nil, lt, "0 operator: not supported"},
		{"neither before", off, neither, slices.Concat(neither, lt), "2 operator: not supported"},
		{"kept", off, lt, lt, ""},
		{"Gt kept", off, gt, gt, ""},
		{"Lt kept behind others", off, slices.Concat(neither, lt), slices.Concat(neither, lt), ""},
		{"Gt kept behind others", off, slices.Concat(neither, gt), slices.Concat(lt, neither, gt), ""},
		{"Gt beside Lt", off, lt, both, ""},
		{"Lt beside another Lt", off, lt, append(slices.Clone(lt), test.Tolerations("c=7 op=Lt")...), ""},
		{"Lt beside Gt", off, gt, both, ""},
		{
			"an unknown operator", off,
			[]taints.Toleration{{Key: "a", Operator: "NoSuchOperator", Value: "v"}},
			[]taints.Toleration{{Key: "a", Operator: "NoSuchOperator", Value: "v"}},
			"0 operator: not supported",
		},
		{"both comparisons gone", off, both, nil, "old 0 : forbidden\nold 1 : forbidden"},
		{
			"no integer", off, lt, append(slices.Clone(lt), taints.Toleration{Key: "c", Operator: "Gt", Value: "x"}),
			"1 value: invalid",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, show(tolerationset.ValidateUpdate(tc.old, tc.new, tc.o))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Both operators mean the same and print alike, so the error names them.
func TestValidateUpdateOfOperator(t *testing.T) {
	lists := [2][]taints.Toleration{test.Tolerations("a=v", "b op=Exists"), test.Tolerations("b op=Exists", "a=v op=Equal")}
	for i, want := range []string{
		`old[0]: "a=v" is forbidden: its operator must stay "" and not become "Equal", which means the same`,
		`old[1]: "a=v" is forbidden: its operator must stay "Equal" and not become "", which means the same`,
	} {
		if err := tolerationset.ValidateUpdate(lists[i], lists[1-i], taints.Options{}); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// show returns the places and kinds of the errors, a line for each.
func show(err error) string {
	var list taints.ErrorList
	errors.As(err, &list)
	var lines []string
	for _, f := range list {
		place := fmt.Sprintf("%d %s: %v", f.Index, f.Field, f.Kind)
		if f.List == "old" {
			place = "old " + place
		}
		lines = append(lines, place)
	}
	return strings.Join(lines, "\n")
}
