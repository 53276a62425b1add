// SPDX-License-Identifier: Apache-2.0

package taints

// Keys of the taints that Kubernetes' node-lifecycle controller puts on nodes, with
// NoSchedule, and the first two with NoExecute as well.
const (
	NodeNotReady           = "node.kubernetes.io/not-ready"           // Ready is False, or the node is new
	NodeUnreachable        = "node.kubernetes.io/unreachable"         // Ready is Unknown
	NodeMemoryPressure     = "node.kubernetes.io/memory-pressure"     // it is low on memory
	NodeDiskPressure       = "node.kubernetes.io/disk-pressure"       // it is low on disk space
	NodePIDPressure        = "node.kubernetes.io/pid-pressure"        // it is low on process identifiers
	NodeNetworkUnavailable = "node.kubernetes.io/network-unavailable" // its network is not set up
	NodeUnschedulable      = "node.kubernetes.io/unschedulable"       // it is cordoned (spec.unschedulable)
)
