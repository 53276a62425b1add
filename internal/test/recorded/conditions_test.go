// SPDX-License-Identifier: Apache-2.0

package recorded_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/recorded"
	"github.com/seed-0529bac1/taints/lifecycle"
)

type conditionsOfNode struct {
	Name          string
	Ready         string
	Conditions    map[string]string
	Unschedulable bool
	Given, Got    []taints.Taint
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// The taints that the node-lifecycle controller of a live cluster set on nodes.
func TestRecordedConditions(t *testing.T) {
	recorded.Each(t, "conditions.json", testRecordedConditions)
}

func testRecordedConditions(t *testing.T, nodes []conditionsOfNode) {
	if len(nodes) != 48 {
		t.Fatalf("%d nodes, want 48", len(nodes))
	}
	for _, node := range nodes {
		state := lifecycle.NodeState{
			Conditions:    []lifecycle.Condition{{Type: "Ready", Status: node.Ready}},
			Unschedulable: node.Unschedulable,
		}
		for kind, status := range node.Conditions {
			state.Conditions = append(state.Conditions, lifecycle.Condition{Type: kind, Status: status})
		}
		got, _ := lifecycle.DefaultConditionRules().Reconcile(node.Given, state, noon).Apply(node.Given)
		if diff := cmp.Diff(
			slices.Sorted(slices.Values(test.Texts(node.Got))),
			slices.Sorted(slices.Values(test.Texts(got))),
		); diff != "" {
			t.Errorf("%s, %+v (-Kubernetes +got):\n%s", node.Name, node, diff)
		}
		if diff := cmp.Diff(test.Texts(node.Given), test.Texts(got[:len(node.Given)])); diff != "" {
			t.Errorf("%s: what was given (-want +got):\n%s", node.Name, diff)
		}
		if c := lifecycle.DefaultConditionRules().Reconcile(node.Got, state, noon.Add(time.Hour)); !c.IsZero() {
			t.Errorf("%s: %v to do where Kubernetes is done", node.Name, c)
		}
	}
}
