// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"slices"

	"github.com/seed-0529bac1/taints"
)

// A NodeChange is what a node becomes.
type NodeChange struct {
	Own      []taints.Taint
	Cordoned bool
}

// With returns a finished cluster with changes to some nodes. Both clusters share
// their pods and profiles.
func (c *Cluster) With(changes map[int]NodeChange) *Cluster {
	d := *c
	d.Nodes, d.Groups, d.labels = slices.Clone(c.Nodes), nil, make(map[string]map[string]int)
	for i, x := range changes {
		n := &d.Nodes[i]
		n.Own, n.Cordoned, n.Taints = x.Own, x.Cordoned, x.Own
		if x.Cordoned {
			n.Taints = withCordon(x.Own)
		}
	}
	d.group()
	return &d
}
