// SPDX-License-Identifier: Apache-2.0

package taints

// Keys of the taints that Kubernetes, its cloud providers and kubeadm put on
// nodes. Unless the comment names another origin, the node-lifecycle controller
// sets them.
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
	// NodeOutOfService: the node is shut down for good, so its volumes may be
	// detached. An administrator sets it, with NoExecute or NoSchedule.
	NodeOutOfService = "node.kubernetes.io/out-of-service"
	// CloudProviderUninitialized: the cloud controller manager has not
	// initialized the node yet. The kubelet sets it, with NoSchedule.
	CloudProviderUninitialized = "node.cloudprovider.kubernetes.io/uninitialized"
	// CloudProviderShutdown: the instance behind the node is shut down. The
	// cloud node-lifecycle controller sets it, with NoSchedule.
	CloudProviderShutdown = "node.cloudprovider.kubernetes.io/shutdown"
	// NodeRoleControlPlane: the node runs the control plane. kubeadm sets it,
	// with NoSchedule.
	NodeRoleControlPlane = "node-role.kubernetes.io/control-plane"
)
