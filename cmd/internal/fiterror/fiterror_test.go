// SPDX-License-Identifier: Apache-2.0

package fiterror

import "testing"

// The words put the reasons that are not evaluated first. The message fits a cluster if the
// nodes that taints and affinity keep off are as many there.
func TestParse(t *testing.T) {
	for _, tc := range []struct {
		message, words, beside string
		nodes, kept            int
		fits                   bool
	}{
		{"", "", "", 3, 3, true},
		{
			"0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s). preemption: 0/3 nodes are available.",
			"Insufficient cpu on 1 node, 2 nodes have untolerated taints", "Insufficient cpu on 1 node", 3, 2, true,
		},
		{"0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had untolerated taint {k: v}.", "", "", 3, 2, false},
		{
			"0/3 nodes are available: 1 Insufficient gpu, 2 node(s) had volume node affinity conflict, or none.",
			"Insufficient gpu on 1 node, 2 node(s) had volume node affinity conflict, or none", "2 node(s) had volume node affinity conflict, or none", 3, 1, false,
		},
		{"0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [X].", "3 node(s) didn't satisfy plugin(s) [X]", "3 node(s) didn't satisfy plugin(s) [X]", 3, 1, true},
		{"0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [Taints].", "", "", 3, 3, true},
		{
			"0/30 nodes are available: 1 Insufficient cpu, 29 node(s) didn't satisfy plugin(s) [Taints].",
			"Insufficient cpu on 1 node, 29 nodes have untolerated taints", "Insufficient cpu on 1 node", 30, 29, true,
		},
		{
			"0/30 nodes are available: 1 Insufficient cpu, 29 node(s) didn't satisfy plugin(s) [NodeAffinity Taints].",
			"Insufficient cpu on 1 node, 29 nodes do not match the pod's node selector or affinity, or have untolerated taints",
			"Insufficient cpu on 1 node", 30, 29, true,
		},
		{"0/3 nodes are available: node(s) didn't satisfy plugin(s) [NodeAffinity Taints] simultaneously.", "", "", 3, 3, true},
		{"0/3 nodes are available: node(s) didn't satisfy plugin Taints.", "", "", 3, 2, false},
		{
			"0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [DynamicResources Taints].",
			"Insufficient cpu on 1 node, 2 node(s) didn't satisfy plugin(s) [DynamicResources Taints]",
			"Insufficient cpu on 1 node, 2 node(s) didn't satisfy plugin(s) [DynamicResources Taints]", 3, 1, true,
		},
		{
			"0/5 nodes are available: 4 have untolerated taint a=5:NoSchedule (closest: a=3:NoSchedule op=Gt, 5 is too large), 2 have untolerated taint b:NoExecute, and 3 more.",
			"", "", 5, 5, true,
		},
		{"0/5 nodes are available: 4 have untolerated taint a:NoSchedule, 2 have untolerated taint b:NoExecute.", "", "", 5, 3, false},
		{
			"0/2 nodes are available: 1 Insufficient cpu, 1 has untolerated taint a:NoSchedule.",
			"Insufficient cpu on 1 node, 1 node has the untolerated taint a:NoSchedule", "Insufficient cpu on 1 node", 2, 1, true,
		},
		{"0/4 nodes are available: 1 node(s) had untolerated taint(s): a=b:NoSchedule (closest: a=B, the value differs only in letter case), " +
			"2 node(s) had untolerated taint(s): c:NoSchedule, 2 cannot allocate all claims.", "cannot allocate all claims on 2 nodes, " +
			"1 node has the untolerated taint a=b:NoSchedule, 2 nodes have the untolerated taint c:NoSchedule", "cannot allocate all claims on 2 nodes", 4, 2, true},
		{
			"0/4 nodes are available: 1 node(s) had untolerated taint(s): a:NoSchedule, 3 cannot allocate all claims.",
			"cannot allocate all claims on 3 nodes, 1 node has the untolerated taint a:NoSchedule", "cannot allocate all claims on 3 nodes", 4, 2, false,
		},
		{"0/4 nodes are available: 4 node(s) were unschedulable.", "", "", 3, 3, false},
		{"waiting for a quota. More", "waiting for a quota", "waiting for a quota", 3, 2, true},
	} {
		m := Parse(tc.message)
		words, beside := m.Words(""), m.Beside(func(resource string) bool { return resource == "gpu" })
		if fits := m.Fits(tc.nodes, tc.kept); words != tc.words || beside != tc.beside || fits != tc.fits {
			t.Errorf("%s: words %q, beside %q, fits %v", tc.message, words, beside, fits)
		}
	}
}
