// SPDX-License-Identifier: Apache-2.0

// Package nodekeys has the list of the keys that Kubernetes' node-lifecycle
// controller sets, for all packages.
package nodekeys

import (
	"slices"

	"github.com/seed-0529bac1/taints"
)

// All has the keys of keys.go in package taints, in the same order.
var All = [...]string{
	taints.NodeNotReady,
	taints.NodeUnreachable,
	taints.NodeMemoryPressure,
	taints.NodeDiskPressure,
	taints.NodePIDPressure,
	taints.NodeNetworkUnavailable,
	taints.NodeUnschedulable,
}

// Has reports whether the key is one of All.
func Has(key string) bool { return slices.Contains(All[:], key) }
