// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"slices"

	"github.com/seed-0529bac1/taints"
)

// Spares reports whether the taint is one of nodes that are not ready, and no node is:
// Kubernetes' node-lifecycle controller then stops evictions for that.
func (n *Node) Spares(t taints.Taint) bool {
	return n.noneReady && t.Effect == taints.NoExecute && (t.Key == taints.NodeNotReady || t.Key == taints.NodeUnreachable)
}

// Evicting returns the taints without those that the node spares its pods.
func (n *Node) Evicting() []taints.Taint {
	if !n.noneReady {
		return n.Taints
	}
	return slices.DeleteFunc(slices.Clone(n.Taints), n.Spares)
}

// stopEvictions sets whether no node is ready. Some do not count in that.
func (c *Cluster) stopEvictions() {
	isReady := func(n Node) bool {
		_, isLeftOut := n.Labels["node.kubernetes.io/exclude-disruption"]
		return !isLeftOut && !n.IsSilent() && n.MayBeReady
	}
	isAny := slices.ContainsFunc(c.Nodes, isReady)
	for i := range c.Nodes {
		c.Nodes[i].noneReady = !isAny
	}
}
