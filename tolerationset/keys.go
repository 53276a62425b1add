// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"slices"

	"github.com/seed-0529bac1/taints"
)

// knownKeys holds the keys of the taints that Kubernetes sets today. The keys
// of taints without a value come first.
var knownKeys = [...]string{
	taints.NodeNotReady,
	taints.NodeUnreachable,
	taints.NodeMemoryPressure,
	taints.NodeDiskPressure,
	taints.NodePIDPressure,
	taints.NodeNetworkUnavailable,
	taints.NodeUnschedulable,
	taints.CloudProviderShutdown,
	taints.NodeRoleControlPlane,
	taints.NodeOutOfService,
	taints.CloudProviderUninitialized,
}

var valuelessKeys = knownKeys[:9]

// successor returns the key that replaces a legacy key, whose taints are no
// longer set, and "" for other keys.
func successor(key string) string {
	switch key {
	case "node.kubernetes.io/out-of-disk":
		return taints.NodeDiskPressure
	case "node-role.kubernetes.io/master":
		return taints.NodeRoleControlPlane
	case "node.alpha.kubernetes.io/notReady":
		return taints.NodeNotReady
	case "node.alpha.kubernetes.io/unreachable":
		return taints.NodeUnreachable
	}
	return ""
}

// isValueless reports whether Kubernetes sets, or used to set, taints with the
// key without a value.
func isValueless(key string) bool {
	return successor(key) != "" || slices.Contains(valuelessKeys, key)
}
