// SPDX-License-Identifier: Apache-2.0

// Package known lists what Kubernetes knows, for all packages and programs. Package
// valueset lists the operators.
package known

import (
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// NodeKeys holds the keys of the node-lifecycle controller, in the order of taint.go.
var NodeKeys = [...]string{
	taints.NodeNotReady,
	taints.NodeUnreachable,
	taints.NodeMemoryPressure,
	taints.NodeDiskPressure,
	taints.NodePIDPressure,
	taints.NodeNetworkUnavailable,
	taints.NodeUnschedulable,
}

// IsNodeKey reports whether the key is one of NodeKeys.
func IsNodeKey(key string) bool { return slices.Contains(NodeKeys[:], key) }

// IsEffect reports whether Kubernetes knows the effect.
func IsEffect(e taints.Effect) bool { return effects().Has(e) }

// Effects returns the names of the effects that Kubernetes knows, in the order of
// package taints.
func Effects() []string { return strings.Split(effects().String(), "|") }

func effects() taints.EffectSet { return taints.AllEffects &^ taints.Effects("") }
