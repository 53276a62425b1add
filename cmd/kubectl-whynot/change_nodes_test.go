// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

// TestChangeOfNodes looks at the advice where nodes are out of order or go.
func TestChangeOfNodes(t *testing.T) {
	tests := []changeTest{
		{
			"cordoned",
			[]string{"node.kubernetes.io/unschedulable:NoSchedule"},
			nil,
			[]string{"fix node.kubernetes.io/unschedulable:NoSchedule"},
			1,
		},
		{
			"cordoned, and nodes of others",
			[]string{"node.kubernetes.io/unschedulable:NoSchedule", "k=team-a:NoSchedule"},
			tols("k=team-b"),
			[]string{"fix node.kubernetes.io/unschedulable:NoSchedule"},
			1,
		},
		{
			"all cordoned, and of others",
			[]string{"node.kubernetes.io/unschedulable:NoSchedule k=team-a:NoSchedule"},
			tols("k=team-b"),
			[]string{"if k=team-a:NoSchedule fix node.kubernetes.io/unschedulable:NoSchedule"},
			none,
		},
		{
			"some cordoned, all of others",
			[]string{"node.kubernetes.io/unschedulable:NoSchedule k=team-a:NoSchedule", "k=team-c:NoSchedule"},
			tols("k=team-b"),
			[]string{"if k=team-c:NoSchedule"},
			none,
		},
		{
			"not ready and more",
			[]string{"node.kubernetes.io/not-ready:NoSchedule k=v:NoSchedule"},
			tols("k=V"),
			[]string{"0: k=v", "fix node.kubernetes.io/not-ready:NoSchedule"},
			1,
		},
		{
			"what every pod has is not close",
			[]string{"node.kubernetes.io/not-ready:NoSchedule"},
			tols("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"),
			[]string{"fix node.kubernetes.io/not-ready:NoSchedule"},
			1,
		},
		{
			"nodes of several taints are fixed alike",
			[]string{
				"node.kubernetes.io/not-ready:NoSchedule",
				"node.kubernetes.io/not-ready:NoSchedule k=v:NoSchedule",
				"node.kubernetes.io/disk-pressure:NoSchedule",
			},
			nil,
			[]string{
				"fix node.kubernetes.io/disk-pressure:NoSchedule",
				"fix node.kubernetes.io/not-ready:NoSchedule",
			},
			2,
		},
		{
			"an agent that is not ready",
			[]string{"node.cilium.io/agent-not-ready:NoExecute k=v:NoSchedule"},
			tols("k=V"),
			[]string{"0: k=v", "fix node.cilium.io/agent-not-ready:NoExecute"},
			1,
		},
		{
			"nodes that go, each at its time",
			[]string{
				"ToBeDeletedByClusterAutoscaler=1763600001:NoSchedule",
				"ToBeDeletedByClusterAutoscaler=1763600002:NoSchedule",
				"k=v:NoSchedule",
			},
			nil,
			[]string{"fix ToBeDeletedByClusterAutoscaler:NoSchedule"},
			2,
		},
		{
			"nodes of others that go, each at its time",
			[]string{
				"ToBeDeletedByClusterAutoscaler=1763600001:NoSchedule k=v:NoSchedule",
				"ToBeDeletedByClusterAutoscaler=1763600002:NoSchedule k=v:NoSchedule",
			},
			nil,
			[]string{"if k=v:NoSchedule fix ToBeDeletedByClusterAutoscaler:NoSchedule"},
			none,
		},
		{
			"nodes in order before those to be fixed",
			[]string{"k=v:NoSchedule", "k=v:NoSchedule node.kubernetes.io/unschedulable:NoSchedule"},
			tols("k=V"),
			[]string{"0: k=v"},
			1,
		},
		{
			"nodes that can be fixed before those that go",
			[]string{
				"karpenter.sh/disrupted:NoSchedule",
				"karpenter.sh/disrupted:NoSchedule",
				"node.kubernetes.io/unschedulable:NoSchedule k=v:NoSchedule",
			},
			tols("k=V"),
			[]string{"0: k=v", "fix node.kubernetes.io/unschedulable:NoSchedule"},
			1,
		},
	}
	for _, test := range tests {
		t.Run(test.name, test.run)
	}
}
