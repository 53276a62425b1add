// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/seed-0529bac1/taints"
)

func TestNodeTrouble(t *testing.T) {
	tests := []struct {
		taint           string
		trouble, leaves bool
		want            string // without time; empty: as it is
	}{
		{"node.kubernetes.io/not-ready:NoExecute", true, false, ""},
		{"node.kubernetes.io/unschedulable:NoSchedule", true, false, ""},
		{"node.kubernetes.io/out-of-service=nodeshutdown:NoExecute", true, false, ""},
		{"node.kubernetes.io/other:NoSchedule", false, false, ""},
		{"node.alpha.kubernetes.io/notReady:NoExecute", true, false, ""},
		{"node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule", true, false, ""},
		{"node.cloudprovider.kubernetes.io/shutdown:NoSchedule", true, false, ""},
		{"node.cloudprovider.kubernetes.io/other:NoSchedule", true, false, ""},
		{"node.cloudprovider.kubernetes.io:NoSchedule", false, false, ""},
		{"node.cluster.x-k8s.io/uninitialized:NoSchedule", true, false, ""},
		{"readiness.k8s.io/StorageReady=pending:NoSchedule", true, false, ""},
		{"startup-taint.cluster-autoscaler.kubernetes.io/gpu=1:NoSchedule", true, false, ""},
		{"status-taint.cluster-autoscaler.kubernetes.io/x:NoSchedule", true, false, ""},
		{"ignore-taint.cluster-autoscaler.kubernetes.io/x:NoSchedule", true, false, ""},
		{"cluster-autoscaler.kubernetes.io/x:NoSchedule", false, false, ""},
		{"ToBeDeletedByClusterAutoscaler=1763600001:NoSchedule", true, true, "ToBeDeletedByClusterAutoscaler:NoSchedule"},
		{"ToBeDeletedByClusterAutoscaler=true:NoSchedule", true, true, ""},
		{
			"DeletionCandidateOfClusterAutoscaler=1763600001:PreferNoSchedule", true, true,
			"DeletionCandidateOfClusterAutoscaler:PreferNoSchedule",
		},
		{"karpenter.sh/disrupted:NoSchedule", true, true, ""},
		{"karpenter.sh/disruption=disrupting:NoSchedule", true, true, ""},
		{"karpenter.sh/unregistered:NoExecute", true, false, ""},
		{"karpenter.sh/unregistered-2:NoExecute", false, false, ""},
		{"karpenter.sh/nodepool=a:NoSchedule", false, false, ""},
		{"node.cilium.io/agent-not-ready:NoExecute", true, false, ""},
		{"ebs.csi.aws.com/agent-not-ready:NoExecute", true, false, ""},
		{"efs.csi.aws.com/agent-not-ready:NoExecute", true, false, ""},
		{"fsx.csi.aws.com/agent-not-ready:NoExecute", true, false, ""},
		{"s3.csi.aws.com/agent-not-ready:NoExecute", true, false, ""},
		{"cni.istio.io/not-ready=true:NoSchedule", true, false, ""},
		{"remediator.aks.microsoft.com/unschedulable:NoSchedule", true, false, ""},
		{"remediator.kubernetes.azure.com/unschedulable:NoSchedule", true, false, ""},
		{"kubernetes.azure.com/scalesetpriority=spot:NoSchedule", false, false, ""},
		{"baremetal.cluster.gke.io/maintenance:NoSchedule", true, false, ""},
		{"cloud.google.com/impending-node-termination:NoSchedule", true, true, ""},
		{"cloud.google.com/gke-spot=true:NoSchedule", false, false, ""},
		{
			"aws-node-termination-handler/spot-itn=spot-itn-0a1b:NoSchedule", true, true,
			"aws-node-termination-handler/spot-itn:NoSchedule",
		},
		{"aws-node-termination-handler/rebalance-recommendation:NoExecute", true, true, ""},
		{"dedicated=1:NoSchedule", false, false, ""},
		{"node-role.kubernetes.io/control-plane:NoSchedule", false, false, ""},
	}
	for _, test := range tests {
		taint := taints.MustParseTaint(test.taint)
		if got := isNodeTrouble(taint.Key); got != test.trouble {
			t.Errorf("%s: trouble is %t", taint, got)
		}
		if got := isLeaving(taint.Key); got != test.leaves {
			t.Errorf("%s: leaving is %t", taint, got)
		}
		want := taint
		if test.want != "" {
			want = taints.MustParseTaint(test.want)
		}
		if got := withoutTime(taint); got != want {
			t.Errorf("%s: without time is %s", taint, got)
		}
	}
}
