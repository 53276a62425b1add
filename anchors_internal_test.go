// SPDX-License-Identifier: Apache-2.0

package taints

import "testing"

// A search that does not know an operator must not pretend to have found all.
func TestSearchGivesUpWithAnUnknownOperator(t *testing.T) {
	var x Index[string]
	x.Set("node", []Taint{{Key: "a", Value: "v", Effect: NoSchedule}})
	s := search{groups: &x.groups, left: 100}
	found := s.look(&rule{Key: "a", Value: "v", op: opGreater + 1, effects: anyEffect}, nil)
	if len(found) != 0 || s.left >= 0 {
		t.Errorf("found %d anchors, with %d steps left", len(found), s.left)
	}
}
