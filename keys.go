// SPDX-License-Identifier: Apache-2.0

package taints

// Keys of the taints that Kubernetes, its cloud providers and kubeadm put on
// nodes.
const (
	// NodeNotReady: the node's Ready condition is False. The node-lifecycle
	// controller sets it with NoSchedule and NoExecute; admission sets it with
	// NoSchedule on a new node.
	NodeNotReady = "node.kubernetes.io/not-ready"
	// NodeUnreachable: the node's Ready condition is Unknown, because its
	// kubelet stopped reporting. The node-lifecycle controller sets it with
	// NoSchedule and NoExecute.
	NodeUnreachable = "node.kubernetes.io/unreachable"
	// NodeMemoryPressure: the node is low on memory. The node-lifecycle
	// controller sets it with NoSchedule.
	NodeMemoryPressure = "node.kubernetes.io/memory-pressure"
	// NodeDiskPressure: the node is low on disk space. The node-lifecycle
	// controller sets it with NoSchedule.
	NodeDiskPressure = "node.kubernetes.io/disk-pressure"
	// NodePIDPressure: the node is low on process identifiers. The
	// node-lifecycle controller sets it with NoSchedule.
	NodePIDPressure = "node.kubernetes.io/pid-pressure"
	// NodeNetworkUnavailable: the node's network is not set up. The
	// node-lifecycle controller sets it with NoSchedule.
	NodeNetworkUnavailable = "node.kubernetes.io/network-unavailable"
	// NodeUnschedulable: the node is cordoned (spec.unschedulable). The
	// node-lifecycle controller sets it with NoSchedule.
	NodeUnschedulable = "node.kubernetes.io/unschedulable"
	// NodeOutOfService: the node is shut down and will not recover by itself,
	// so its volumes may be detached. An administrator or a remediation
	// controller sets it, with NoExecute or NoSchedule.
	NodeOutOfService = "node.kubernetes.io/out-of-service"
	// NodeOutOfDisk is a legacy key, replaced by [NodeDiskPressure]. Nothing
	// sets it any more.
	NodeOutOfDisk = "node.kubernetes.io/out-of-disk"

	// CloudProviderUninitialized: the cloud controller manager has not
	// initialized the node yet. A kubelet with an external cloud provider sets
	// it with NoSchedule; the cloud controller manager removes it.
	CloudProviderUninitialized = "node.cloudprovider.kubernetes.io/uninitialized"
	// CloudProviderShutdown: the instance behind the node is shut down. The
	// cloud node-lifecycle controller sets it with NoSchedule.
	CloudProviderShutdown = "node.cloudprovider.kubernetes.io/shutdown"

	// NodeRoleControlPlane: the node runs the control plane. kubeadm sets it
	// with NoSchedule.
	NodeRoleControlPlane = "node-role.kubernetes.io/control-plane"
	// NodeRoleMaster is a legacy key, replaced by [NodeRoleControlPlane].
	// kubeadm has not set it since 1.25.
	NodeRoleMaster = "node-role.kubernetes.io/master"

	// NodeAlphaNotReady is a legacy key, replaced by [NodeNotReady].
	NodeAlphaNotReady = "node.alpha.kubernetes.io/notReady"
	// NodeAlphaUnreachable is a legacy key, replaced by [NodeUnreachable].
	NodeAlphaUnreachable = "node.alpha.kubernetes.io/unreachable"
)
