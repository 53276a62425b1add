// SPDX-License-Identifier: Apache-2.0

package taints

// Keys of the taints that Kubernetes' node-lifecycle controller puts on nodes for
// their conditions.
const (
	// NodeNotReady: the node's Ready condition is False. NoSchedule and
	// NoExecute; admission sets it with NoSchedule on a new node.
	NodeNotReady = "node.kubernetes.io/not-ready"
	// NodeUnreachable: the node's Ready condition is Unknown, as its kubelet
	// stopped reporting. NoSchedule and NoExecute.
	NodeUnreachable = "node.kubernetes.io/unreachable"
	// NodeMemoryPressure: the node is low on memory. NoSchedule.
	NodeMemoryPressure = "node.kubernetes.io/memory-pressure"
	// NodeDiskPressure: the node is low on disk space. NoSchedule.
	NodeDiskPressure = "node.kubernetes.io/disk-pressure"
	// NodePIDPressure: the node is low on process identifiers. NoSchedule.
	NodePIDPressure = "node.kubernetes.io/pid-pressure"
	// NodeNetworkUnavailable: the node's network is not set up. NoSchedule.
	NodeNetworkUnavailable = "node.kubernetes.io/network-unavailable"
	// NodeUnschedulable: the node is cordoned (spec.unschedulable). NoSchedule.
	NodeUnschedulable = "node.kubernetes.io/unschedulable"
)
