// SPDX-License-Identifier: Apache-2.0

package taints

// Keys of the taints that Kubernetes' node-lifecycle controller puts on nodes, with
// NoSchedule, and the first two with NoExecute as well.
const (
	// NodeNotReady: the node's Ready condition is False, or the node is new.
	NodeNotReady = "node.kubernetes.io/not-ready"
	// NodeUnreachable: the node's Ready condition is Unknown.
	NodeUnreachable = "node.kubernetes.io/unreachable"
	// NodeMemoryPressure: the node is low on memory.
	NodeMemoryPressure = "node.kubernetes.io/memory-pressure"
	// NodeDiskPressure: the node is low on disk space.
	NodeDiskPressure = "node.kubernetes.io/disk-pressure"
	// NodePIDPressure: the node is low on process identifiers.
	NodePIDPressure = "node.kubernetes.io/pid-pressure"
	// NodeNetworkUnavailable: the node's network is not set up.
	NodeNetworkUnavailable = "node.kubernetes.io/network-unavailable"
	// NodeUnschedulable: the node is cordoned (spec.unschedulable).
	NodeUnschedulable = "node.kubernetes.io/unschedulable"
)
