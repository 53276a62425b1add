// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// No pod is to tolerate a taint that says what state a node is in: that it is
// out of order or cordoned, that it is not set up yet, or that it is being
// removed. Beside those of Kubernetes there are some that many clusters have.

// stateKeys are keys of such taints, or with a slash at the end the beginnings
// of keys. Those of leavingKeys are not repeated.
var stateKeys = []string{
	taints.NodeNotReady,
	taints.NodeUnreachable,
	taints.NodeMemoryPressure,
	taints.NodeDiskPressure,
	taints.NodePIDPressure,
	taints.NodeNetworkUnavailable,
	taints.NodeUnschedulable,
	taints.NodeOutOfService,
	"node.kubernetes.io/out-of-disk",
	"node.alpha.kubernetes.io/notReady",
	"node.alpha.kubernetes.io/unreachable",
	"node.cloudprovider.kubernetes.io/",
	"node.cluster.x-k8s.io/uninitialized",
	"readiness.k8s.io/",
	"startup-taint.cluster-autoscaler.kubernetes.io/",
	"status-taint.cluster-autoscaler.kubernetes.io/",
	"ignore-taint.cluster-autoscaler.kubernetes.io/", // the former name of startup-taint
	"karpenter.sh/unregistered",
	"node.cilium.io/agent-not-ready",
	"cni.istio.io/not-ready",
	"ebs.csi.aws.com/agent-not-ready",
	"efs.csi.aws.com/agent-not-ready",
	"fsx.csi.aws.com/agent-not-ready",
	"s3.csi.aws.com/agent-not-ready",
	"remediator.kubernetes.azure.com/unschedulable", // AKS repairs or drains the node
	"remediator.aks.microsoft.com/unschedulable",    // the former name of that
	"baremetal.cluster.gke.io/maintenance",
}

// leavingKeys are keys of taints of nodes that are being removed, or may be
// soon, or beginnings of such keys.
var leavingKeys = []string{
	"ToBeDeletedByClusterAutoscaler",
	"DeletionCandidateOfClusterAutoscaler",
	"karpenter.sh/disrupted",
	"karpenter.sh/disruption", // the former name of disrupted
	"cloud.google.com/impending-node-termination",
	nodeTerminationHandler,
}

// nodeTerminationHandler begins the keys of AWS's, as in spot-itn. Their values
// name events.
const nodeTerminationHandler = "aws-node-termination-handler/"

// isNodeTrouble reports whether a taint of the key says that the node is out of
// order, cordoned, not set up yet or being removed.
func isNodeTrouble(key string) bool {
	return isLeaving(key) || isAmong(stateKeys, key)
}

// isAmong reports whether the key is in the list, or begins with a part that is.
func isAmong(list []string, key string) bool {
	return slices.ContainsFunc(list, func(known string) bool {
		return key == known || strings.HasSuffix(known, "/") && strings.HasPrefix(key, known)
	})
}

// isLeaving reports whether a taint of the key says that the node is being removed.
func isLeaving(key string) bool { return isAmong(leavingKeys, key) }

// haveLeaving reports whether one of the taints says that a node is being removed.
func haveLeaving(list []taints.Taint) bool {
	return slices.ContainsFunc(list, func(t taints.Taint) bool { return isLeaving(t.Key) })
}

// troubleWords says what nodes with these taints are.
func troubleWords(list []taints.Taint) string {
	if haveLeaving(list) {
		return "being removed"
	}
	return "out of order or cordoned"
}

// withoutTime returns the taint without a value that is a time, as the Cluster
// Autoscaler writes it, or an event: each node has another one.
func withoutTime(t taints.Taint) taints.Taint {
	if isLeaving(t.Key) && isInteger(t.Value) || strings.HasPrefix(t.Key, nodeTerminationHandler) {
		t.Value = ""
	}
	return t
}
