// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
)

func TestReconcile(t *testing.T) {
	for _, tc := range []struct {
		name, current, old, new string
		want                    string
	}{
		{"nothing at all", "", "", "", ""},
		{"a first template", "gpu:NoSchedule", "", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule"},
		{"done already", "gpu:NoSchedule dedicated=ml:NoSchedule", "", "dedicated=ml:NoSchedule", ""},
		{"unchanged", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule", ""},
		{
			"another value", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule",
			"dedicated=db:NoSchedule", "dedicated=db:NoSchedule",
		},
		{
			"another effect", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule",
			"dedicated=ml:NoExecute", "dedicated=ml:NoExecute dedicated:NoSchedule-",
		},
		{"taken off", "gpu:NoSchedule dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule", "", "dedicated:NoSchedule-"},
		{"taken off, and gone already", "gpu:NoSchedule", "dedicated=ml:NoSchedule", "", ""},
		{"taken off, but changed by another", "dedicated=theirs:NoSchedule", "dedicated=ml:NoSchedule", "", ""},
		{
			"wanted, but changed by another", "dedicated=theirs:NoSchedule",
			"dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule",
		},
		{
			"wanted, but removed by another", "", "dedicated=ml:NoSchedule",
			"dedicated=ml:NoSchedule", "dedicated=ml:NoSchedule",
		},
		{"put there by another", "dedicated=ml:NoSchedule", "", "", ""},
		{
			"order", "b:NoSchedule a:NoSchedule", "a:NoSchedule b:NoSchedule",
			"d:NoSchedule c:NoSchedule", "d:NoSchedule c:NoSchedule a:NoSchedule- b:NoSchedule-",
		},
		{
			"the first of two counts", "a=1:NoSchedule a=2:NoSchedule",
			"a=1:NoSchedule a=2:NoSchedule", "", "a:NoSchedule-",
		},
		{
			"the first of two counts, not removed", "a=1:NoSchedule a=2:NoSchedule",
			"a=2:NoSchedule a=1:NoSchedule", "", "",
		},
		{"the first of two counts, added", "a=1:NoSchedule", "", "a=2:NoSchedule a=1:NoSchedule", "a=2:NoSchedule"},
		{"the first of two counts, there", "a=2:NoSchedule a=1:NoSchedule", "", "a=1:NoSchedule", "a=1:NoSchedule"},
		{"without an effect", "a: a:NoSchedule b:", "a: b:", "b=x:", "b=x: a:-"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := taints.Reconcile(listOf(tc.current), listOf(tc.old), listOf(tc.new)).String()
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestReconcileCopiesTimes(t *testing.T) {
	earlier, later := time.Unix(1, 0), time.Unix(2, 0)
	from := []taints.Taint{{Key: "a", Effect: "NoExecute", TimeAdded: &earlier}}
	to := []taints.Taint{
		{Key: "a", Effect: "NoExecute", TimeAdded: &later},
		{Key: "b", Effect: "NoExecute", TimeAdded: &later},
	}
	c := taints.Reconcile(from, from, to)
	if len(c.Add) != 1 || !c.Add[0].Equal(to[1]) || c.Add[0].TimeAdded == &later {
		t.Errorf("times: got %+v", c)
	}
}
