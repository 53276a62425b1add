// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/seed-0529bac1/taints"
)

func TestStateOf(t *testing.T) {
	tests := []struct {
		taint string
		state nodeState
		want  string // without its time, empty if that is the same
	}{
		{"node.kubernetes.io/not-ready:NoExecute", stateUnhealthy, ""},
		{"node.kubernetes.io/unschedulable:NoSchedule", stateCordoned, ""},
		{"node.kubernetes.io/out-of-service=nodeshutdown:NoExecute", stateUnhealthy, ""},
		{"node.kubernetes.io/other:NoSchedule", stateNone, ""},
		{"node.alpha.kubernetes.io/notReady:NoExecute", stateUnhealthy, ""},
		{"node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule", stateStarting, ""},
		{"node.cloudprovider.kubernetes.io/shutdown:NoSchedule", stateUnhealthy, ""},
		{"node.cloudprovider.kubernetes.io/other:NoSchedule", stateStarting, ""},
		{"node.cloudprovider.kubernetes.io:NoSchedule", stateNone, ""},
		{"node.cluster.x-k8s.io/uninitialized:NoSchedule", stateStarting, ""},
		{"readiness.k8s.io/StorageReady=pending:NoSchedule", stateStarting, ""},
		{"startup-taint.cluster-autoscaler.kubernetes.io/gpu=1:NoSchedule", stateStarting, ""},
		{"status-taint.cluster-autoscaler.kubernetes.io/x:NoSchedule", stateUnhealthy, ""},
		{"ignore-taint.cluster-autoscaler.kubernetes.io/x:NoSchedule", stateStarting, ""},
		{"cluster-autoscaler.kubernetes.io/x:NoSchedule", stateNone, ""},
		{"ToBeDeletedByClusterAutoscaler=1763600001:NoSchedule", stateLeaving, "ToBeDeletedByClusterAutoscaler:NoSchedule"},
		{"ToBeDeletedByClusterAutoscaler=true:NoSchedule", stateLeaving, ""},
		{"DeletionCandidateOfClusterAutoscaler=1763600001:PreferNoSchedule", stateLeaving, "DeletionCandidateOfClusterAutoscaler:PreferNoSchedule"},
		{"karpenter.sh/disrupted:NoSchedule", stateLeaving, ""},
		{"karpenter.sh/disruption=disrupting:NoSchedule", stateLeaving, ""},
		{"karpenter.sh/unregistered:NoExecute", stateStarting, ""},
		{"karpenter.sh/unregistered-2:NoExecute", stateNone, ""},
		{"karpenter.sh/nodepool=a:NoSchedule", stateNone, ""},
		{"node.cilium.io/agent-not-ready:NoExecute", stateStarting, ""},
		{"ebs.csi.aws.com/agent-not-ready:NoExecute", stateStarting, ""},
		{"efs.csi.aws.com/agent-not-ready:NoExecute", stateStarting, ""},
		{"fsx.csi.aws.com/agent-not-ready:NoExecute", stateStarting, ""},
		{"s3.csi.aws.com/agent-not-ready:NoExecute", stateStarting, ""},
		{"cni.istio.io/not-ready=true:NoSchedule", stateStarting, ""},
		{"remediator.aks.microsoft.com/unschedulable:NoSchedule", stateCordoned, ""},
		{"remediator.kubernetes.azure.com/unschedulable:NoSchedule", stateCordoned, ""},
		{"kubernetes.azure.com/scalesetpriority=spot:NoSchedule", stateNone, ""},
		{"baremetal.cluster.gke.io/maintenance:NoSchedule", stateUnhealthy, ""},
		{"cloud.google.com/impending-node-termination:NoSchedule", stateLeaving, ""},
		{"cloud.google.com/gke-spot=true:NoSchedule", stateNone, ""},
		{"aws-node-termination-handler/spot-itn=spot-itn-0a1b:NoSchedule", stateLeaving, "aws-node-termination-handler/spot-itn:NoSchedule"},
		{"aws-node-termination-handler/rebalance-recommendation:NoExecute", stateLeaving, ""},
		{"dedicated=1:NoSchedule", stateNone, ""},
		{"node-role.kubernetes.io/control-plane:NoSchedule", stateNone, ""},
	}
	for _, test := range tests {
		taint := taints.MustParseTaint(test.taint)
		if got := stateOf(taint.Key); got != test.state {
			t.Errorf("%s: the state is %q", taint, got.words())
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
